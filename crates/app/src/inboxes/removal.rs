//! The card of an inbox or identity that is deleted goes with it, and so do connectors that reach no other one. Its workspace
//! gets an event for each.

use posthouse_api::views::event::data;
use posthouse_domain::{ConnectorEnd, EventKind, IdGenerator, Inbox, NewEvent, Plans, Time};
use posthouse_store::{Error, Result, Tx, agents, connectors, events, workspaces};

use super::view;
use crate::access::connectors::{ConnectorEnding, load_all};
use crate::service::Service;

/// What deletions of inboxes and identities need, for transactions.
#[derive(Clone)]
pub struct InboxRemoval {
    plans: Plans,
    ids: IdGenerator,
    /// The time of the deletion.
    pub now: Time,
}

impl InboxRemoval {
    /// Returns what deletions need now.
    #[must_use]
    pub fn of(service: &Service) -> Self {
        Self { plans: service.config.plans, ids: service.clock.ids(), now: service.clock.now() }
    }

    /// Deletes an inbox or identity with its card and the connectors that reach nothing else, and appends `agent.deleted` if
    /// it had a card.
    ///
    /// # Errors
    /// Returns the error of the deletion.
    pub fn remove_with_card<T>(
        &self,
        tx: &mut Tx,
        inbox: &Inbox,
        delete: impl FnOnce(&mut Tx) -> Result<T>,
    ) -> Result<T> {
        let has_card = agents::get(tx, inbox.workspace, inbox.id)?.is_some_and(|agent| agent.card.is_some());
        // It shows the inbox as it was.
        let event = if has_card { Some(self.event(tx, inbox)?) } else { None };
        let ids = connectors::of_inbox(tx, inbox.workspace, inbox.id)?;
        let reaching = load_all(tx, inbox.workspace, &ids)?;
        let deleted = delete(tx)?;
        if let Some(event) = event {
            events::append(tx, &event)?;
        }
        // The first id is that of the card's event.
        let ids = self.ids.clone();
        let _: uuid::Uuid = ids.next();
        let ending = ConnectorEnding { reason: ConnectorEnd::InboxDeleted, ids, now: self.now };
        ending.end_without_inbox(tx, &reaching)?;
        Ok(deleted)
    }

    fn event(&self, tx: &mut Tx, inbox: &Inbox) -> Result<NewEvent> {
        let missing = || Error::Inconsistent("an inbox has no workspace".into());
        let limits = workspaces::get(tx, inbox.workspace)?.ok_or_else(missing)?.limits(&self.plans);
        let payload = data::AgentDeleted { inbox: view::load(tx, inbox, &limits, self.now)? };
        Ok(NewEvent::new(EventKind::AgentDeleted, inbox.workspace, self.ids.clone().next(), self.now)
            .in_inbox(inbox.id)
            .with_detail(data::text(&payload)))
    }
}
