//! The events of cards.

use posthouse_api::{views::agent::CardView, views::event::data, views::inbox::InboxView};
use posthouse_domain::{Agent, EventId, EventKind, IdGenerator, NewEvent, Plans};
use posthouse_store::{Error, Result, Tx, events, inboxes, workspaces};

use super::view::{AgentViewer, CardAudience};
use crate::{inboxes::view, service::Service};

/// What events of cards are made with.
#[derive(Clone)]
pub(super) struct CardEvents {
    pub(super) viewer: AgentViewer,
    plans: Plans,
    ids: IdGenerator,
}

impl CardEvents {
    pub(super) fn of(service: &Service) -> Self {
        Self { viewer: AgentViewer::of(service), plans: service.config.plans, ids: service.clock.ids() }
    }

    pub(super) fn updated(&self, tx: &mut Tx, agent: &Agent) -> Result<()> {
        let Some(card) = self.card(tx, agent)? else { return Ok(()) };
        let inbox = self.inbox(tx, agent)?;
        self.append(tx, agent, EventKind::AgentUpdated, data::text(&data::AgentUpdated { inbox, card }))
    }

    pub(super) fn revoked(&self, tx: &mut Tx, agent: &Agent, reason: Option<String>) -> Result<()> {
        let (inbox, card) = (self.inbox(tx, agent)?, self.card(tx, agent)?);
        self.append(tx, agent, EventKind::AgentRevoked, data::text(&data::AgentRevoked { inbox, card, reason }))
    }

    pub(super) fn deleted(&self, tx: &mut Tx, agent: &Agent) -> Result<()> {
        let inbox = self.inbox(tx, agent)?;
        self.append(tx, agent, EventKind::AgentDeleted, data::text(&data::AgentDeleted { inbox }))
    }

    pub(super) fn reported(&self, tx: &mut Tx, agent: &Agent, reason: &'static str) -> Result<()> {
        let inbox = self.inbox(tx, agent)?;
        self.append(tx, agent, EventKind::AgentReported, data::text(&data::AgentReported { inbox, reason }))
    }

    fn card(&self, tx: &mut Tx, agent: &Agent) -> Result<Option<CardView>> {
        self.viewer.card(tx, agent, CardAudience::Workspace(agent.workspace))
    }

    /// Returns the inbox object of an agent.
    pub(super) fn inbox(&self, tx: &mut Tx, agent: &Agent) -> Result<InboxView> {
        let missing = || Error::Inconsistent("an agent has no inbox".into());
        let inbox = inboxes::get(tx, agent.workspace, agent.inbox)?.ok_or_else(missing)?;
        let tenant = workspaces::get(tx, agent.workspace)?.ok_or_else(missing)?;
        view::load(tx, &inbox, &tenant.limits(&self.plans), self.viewer.now)
    }

    fn append(&self, tx: &mut Tx, agent: &Agent, kind: EventKind, detail_json: String) -> Result<()> {
        let event = NewEvent::new(kind, agent.workspace, self.ids.clone().next::<EventId>(), self.viewer.now)
            .in_inbox(agent.inbox)
            .with_detail(detail_json);
        events::append(tx, &event)
    }
}
