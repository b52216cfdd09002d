//! The inbox or identity of an agent that signs up.

use posthouse_api::{views::identity::IdentityView, views::inbox::InboxView};
use posthouse_domain::{Inbox, InboxKind};

use crate::inboxes::create::{Lifespan, NewInbox};

/// The inbox or identity of an agent; exactly one is present.
#[derive(Clone, Debug)]
pub struct AgentHome {
    pub inbox: Option<InboxView>,
    pub identity: Option<IdentityView>,
}

impl AgentHome {
    /// Returns the home with this row.
    pub(super) fn of(row: &Inbox, view: InboxView) -> Self {
        match row.kind {
            InboxKind::Mailbox => Self { inbox: Some(view), identity: None },
            InboxKind::Identity => Self { inbox: None, identity: Some(IdentityView::of(row)) },
        }
    }
}

/// Returns a new home with a generated name. The name of the agent isn't part of it, because it is never used in mail.
pub(super) fn new_home(kind: InboxKind) -> NewInbox {
    let life = Lifespan::Permanent { username: None, client_id: None, domain: None };
    NewInbox { kind, life, display_name: None, metadata: serde_json::Map::new() }
}
