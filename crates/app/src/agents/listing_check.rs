//! The listing check: whether a public card may appear in the public directory.

use posthouse_domain::{
    Agent, CardVisibility, InboxId, ListingProblem, ListingState, Reading, ReservedNames, WorkspaceId, agent::listing,
    agent::lookalike::handle_in_name, agent::lookalike::readings,
};
use posthouse_store::{Result, Tx, agents, handles, inboxes};

use super::{change::index, events::CardEvents};
use crate::{inboxes::names::reserved_names, service::Service};

/// The most listed agents of another workspace whose handles are compared with a name.
const PARTS_MAX: u32 = 1_000;

/// Checks a card that waits for it, and lists or hides it.
pub async fn run(service: &Service, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    let (events, names) = (CardEvents::of(service), reserved_names(&service.config));
    let now = events.viewer.now;
    let work = move |tx: &mut Tx| {
        inboxes::lock(tx, workspace, inbox)?;
        let Some(mut agent) = agents::get(tx, workspace, inbox)? else { return Ok(()) };
        let Some(mut card) = agent.card.clone() else { return Ok(()) };
        if card.visibility != CardVisibility::Public || card.listing != Some(ListingState::Pending) {
            return Ok(());
        }
        card.listing_problems = problems(tx, &agent, &names)?;
        if card.listing_problems.is_empty() {
            (card.listing, card.listed_at) = (Some(ListingState::Listed), Some(now));
        } else {
            (card.listing, card.listed_at) = (Some(ListingState::Hidden), None);
        }
        agents::update(tx, &agent, &card)?;
        agent.card = Some(card);
        index(tx, &agent)?;
        events.updated(tx, &agent)
    };
    service.write(work).await
}

/// Returns the problems that prevent the listing of a card.
fn problems(tx: &mut Tx, agent: &Agent, names: &ReservedNames) -> Result<Vec<ListingProblem>> {
    let Some(card) = &agent.card else { return Ok(Vec::new()) };
    let mut problems = listing::problems(card, names);
    if names_another(tx, agent.workspace, &card.name)? {
        problems.push(ListingProblem::SimilarHandle);
    }
    Ok(problems)
}

/// Returns whether a name is read as the handle of another workspace that has listed agents, or as the full handle of one
/// of those agents. A name that is written like a handle may name no workspace but the own one.
fn names_another(tx: &mut Tx, own: WorkspaceId, name: &str) -> Result<bool> {
    for reading in handle_in_name(name).map(readings).unwrap_or_default() {
        if handles::look_alike(tx, own, reading.joined())?.is_some() {
            return Ok(true);
        }
    }
    for reading in readings(name) {
        if handles::listed_look_alike(tx, own, reading.joined())?.is_some() {
            return Ok(true);
        }
        for (workspace, part) in reading.halves() {
            let Some(other) = handles::listed_look_alike(tx, own, workspace)? else { continue };
            let parts = handles::listed_parts(tx, other, PARTS_MAX)?;
            if parts.iter().any(|listed| Reading::of(listed).joined() == part) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
