//! Looks up an agent by its address or handle.

use posthouse_api::views::agent::CardView;
use posthouse_domain::{Agent, Caller, ErrorCode, FullHandle, InboxKind, Refusal, Standing, Time};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, agents};

use super::{handles, switches, view::AgentViewer, view::CardAudience};
use crate::service::{ReadScope, Service};

/// What an agent is looked up by.
#[derive(Clone, Debug)]
pub enum AgentName {
    /// Its address.
    Address(Address),
    /// Its handle, such as `@acme/support`.
    Handle(String),
}

/// An agent that was found.
#[derive(Debug)]
pub struct ResolvedAgent {
    /// Its card, in the form for the caller.
    pub card: CardView,
    pub address: String,
    /// Its current handle.
    pub handle: Option<String>,
    /// The handle that was looked up, if it was renamed.
    pub redirected_from: Option<String>,
}

/// Returns the agent with an address or handle.
///
/// # Errors
/// Returns `directory_disabled`, `invalid_handle`, or `agent_not_found` for everything that the caller can't find.
pub async fn resolve(service: &Service, caller: Caller, name: AgentName) -> Result<ResolvedAgent, Refusal> {
    switches::check(service)?;
    let viewer = AgentViewer::of(service);
    let name = match name {
        AgentName::Address(address) => ParsedName::Address(address.canonical()),
        AgentName::Handle(text) => {
            ParsedName::Handle(FullHandle::parse(&text).map_err(|refusal| refusal.of_field("handle"))?)
        }
    };
    let load = move |tx: &mut Tx| {
        let (agent, redirected_from) = match &name {
            ParsedName::Address(address) => (agents::by_address(tx, address)?, None),
            ParsedName::Handle(handle) => match handles::find(tx, Some(caller.workspace), handle, &viewer)? {
                Some(hit) => (Some(hit.agent), hit.redirected_from),
                None => (None, None),
            },
        };
        let agent = agent.filter(|agent| exists(agent, viewer.now)).ok_or_else(not_found)?;
        let card = viewer.card(tx, &agent, CardAudience::Workspace(caller.workspace))?.ok_or_else(not_found)?;
        Ok(ResolvedAgent { card, handle: agent.handle(), address: agent.address, redirected_from })
    };
    service.read(caller.workspace, load).await
}

enum ParsedName {
    Address(String),
    Handle(FullHandle),
}

/// Returns whether the inbox or identity of an agent is neither deleted nor expired.
pub(super) fn exists(agent: &Agent, now: Time) -> bool {
    agent.standing(now) != Standing::Deleted
}

/// Returns the refusal of every look-up that finds nothing.
#[must_use]
pub fn not_found() -> Refusal {
    Refusal::new(ErrorCode::AgentNotFound, "No such agent, or it has no card that is visible to you.")
}

/// A listed agent, with what its public documents show.
#[derive(Debug)]
pub struct PublicAgent {
    pub agent: Agent,
    /// What views need.
    pub viewer: AgentViewer,
    /// The keys that it holds.
    pub keys: Vec<posthouse_api::views::agent::PublishedKey>,
    /// The handle that was looked up, if it was renamed.
    pub redirected_from: Option<String>,
}

/// Returns a listed agent by its address or handle.
///
/// # Errors
/// Returns `public_directory_disabled`, `invalid_handle`, or `agent_not_found`.
pub async fn public(service: &Service, name: AgentName) -> Result<PublicAgent, Refusal> {
    switches::check_public(service)?;
    let viewer = AgentViewer::of(service);
    let name = match name {
        AgentName::Address(address) => ParsedName::Address(address.canonical()),
        AgentName::Handle(text) => ParsedName::Handle(FullHandle::parse(&text).map_err(|_| not_found())?),
    };
    let load = move |tx: &mut Tx| {
        let (agent, redirected_from) = match &name {
            ParsedName::Address(address) => (agents::by_address(tx, address)?, None),
            ParsedName::Handle(handle) => match handles::find(tx, None, handle, &viewer)? {
                Some(hit) => (Some(hit.agent), hit.redirected_from),
                None => (None, None),
            },
        };
        let agent = agent.filter(|agent| viewer.is_listed(agent)).ok_or_else(not_found)?;
        let keys = super::view::published_keys(tx, &agent)?;
        Ok(PublicAgent { agent, viewer: viewer.clone(), keys, redirected_from })
    };
    service.read(ReadScope::Service, load).await
}

impl PublicAgent {
    /// Returns whether the agent has mail.
    #[must_use]
    pub fn has_mail(&self) -> bool {
        self.agent.kind == InboxKind::Mailbox
    }
}
