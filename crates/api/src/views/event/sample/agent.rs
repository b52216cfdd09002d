//! Sample agents for the examples of the event catalog.

use posthouse_domain::{
    agent::{
        Agent,
        card::{Capabilities, Card, CardVisibility, Skill},
        handle::{AgentHandle, HandleName},
        listing::ListingState,
        report::ReportReason,
    },
    event::EventKind,
    inbox::InboxKind,
    time::Time,
    workspace::ClaimStatus,
};

use super::{NOW_MS, OURS, data, id};
use crate::views::{
    agent::{AgentUrls, CardView, ShownAgent},
    inbox::InboxView,
};

/// Returns the stored detail of an example event.
pub(super) fn detail(kind: EventKind, inbox: InboxView) -> String {
    match kind {
        EventKind::AgentUpdated => data::text(&data::AgentUpdated { inbox, card: card(None) }),
        EventKind::AgentRevoked => {
            let reason = Some("The prompt leaked.".to_owned());
            let card = Some(card(Some(Time::from_millis(NOW_MS))));
            data::text(&data::AgentRevoked { inbox, card, reason })
        }
        EventKind::AgentReported => {
            data::text(&data::AgentReported { inbox, reason: ReportReason::Impersonation.text() })
        }
        _ => data::text(&data::AgentDeleted { inbox }),
    }
}

fn card(revoked_at: Option<Time>) -> CardView {
    let now = Time::from_millis(NOW_MS);
    let skill = Skill {
        id: "quote".to_owned(),
        name: "Quotes".to_owned(),
        description: Some("Answers requests for quotes.".to_owned()),
        tags: vec!["sales".to_owned()],
        oasf: None,
    };
    let card = Card {
        description: Some("Answers questions about prices.".to_owned()),
        capabilities: Capabilities { skills: vec![skill], languages: vec!["en".to_owned()], ..Capabilities::default() },
        documentation_url: Some("https://acme.example/docs".to_owned()),
        visibility: CardVisibility::Public,
        handle: Some(AgentHandle::stored("sales".to_owned())),
        is_indexable: true,
        listing: Some(ListingState::Listed),
        listed_at: Some(now),
        revoked_at,
        ..Card::new("Sales bot".to_owned(), 1, now)
    };
    let agent = Agent {
        workspace: id(1),
        inbox: id(3),
        kind: InboxKind::Mailbox,
        address: OURS.to_owned(),
        username: "bot".to_owned(),
        domain: "agents.example".to_owned(),
        display_name: None,
        has_verified_domain: false,
        claim: ClaimStatus::NotApplicable,
        is_workspace_suspended: false,
        workspace_handle: Some(HandleName::stored("acme".to_owned())),
        expires_at: None,
        deleted_at: None,
        sanction: None,
        card: Some(card.clone()),
    };
    let (base, issuer) = ("https://mail.example.com".to_owned(), "https://mail.example.com/oidc".to_owned());
    let urls = AgentUrls { base, issuer, is_public: true };
    ShownAgent { agent: &agent, card: &card, keys: &[], urls: &urls, now }.full()
}
