//! What views of agents need beside the agent: addresses to link to, and keys.

use posthouse_api::views::agent::{AgentUrls, CardView, PublishedKey, ShownAgent};
use posthouse_domain::{Agent, Time, WorkspaceId};
use posthouse_store::{Result, Tx, agent_keys};

use super::switches;
use crate::service::Service;

/// What views of agents need, for transactions.
#[derive(Clone, Debug)]
pub struct AgentViewer {
    /// The addresses to link to.
    pub urls: AgentUrls,
    /// The time at which agents are shown.
    pub now: Time,
}

/// Who a card is shown to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CardAudience {
    /// Callers of this workspace.
    Workspace(WorkspaceId),
    /// Everyone.
    Public,
}

impl AgentViewer {
    /// Returns what views need now.
    #[must_use]
    pub fn of(service: &Service) -> Self {
        let is_public = switches::is_public(service);
        let urls = AgentUrls { base: service.config.base_url.clone(), issuer: service.config.issuer(), is_public };
        Self { urls, now: service.clock.now() }
    }

    /// Returns whether the public directory shows the agent.
    #[must_use]
    pub fn is_listed(&self, agent: &Agent) -> bool {
        self.urls.is_public && agent.is_listed(self.now)
    }

    /// Returns the card of an agent in the form for an audience: full for its own workspace, public if it is listed,
    /// otherwise minimal. `None` if the agent has no card.
    pub fn card(&self, tx: &mut Tx, agent: &Agent, audience: CardAudience) -> Result<Option<CardView>> {
        let keys = published_keys(tx, agent)?;
        Ok(self.shown(agent, &keys).map(|shown| match audience {
            CardAudience::Workspace(own) if own == agent.workspace => shown.full(),
            CardAudience::Workspace(_) | CardAudience::Public if self.is_listed(agent) => shown.public(),
            CardAudience::Workspace(_) | CardAudience::Public => shown.minimal(),
        }))
    }

    /// Returns what the views of an agent's card show.
    #[must_use]
    pub fn shown<'a>(&'a self, agent: &'a Agent, keys: &'a [PublishedKey]) -> Option<ShownAgent<'a>> {
        let card = agent.card.as_ref()?;
        Some(ShownAgent { agent, card, keys, urls: &self.urls, now: self.now })
    }
}

/// Returns the keys that an agent holds.
pub fn published_keys(tx: &mut Tx, agent: &Agent) -> Result<Vec<PublishedKey>> {
    Ok(agent_keys::of_agent(tx, agent.workspace, agent.inbox)?.iter().map(PublishedKey::of).collect())
}
