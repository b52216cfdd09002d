//! Reads the card of an agent of the caller's workspace, with its keys and standing.

use posthouse_api::views::agent::oasf::{self, OasfRecordView};
use posthouse_api::views::agent::{
    AgentBundleView, AgentSanctionView, BundleIdentityView, BundleKeysView, BundleParts, ServerKeyView,
};
use posthouse_domain::{Agent, Caller, ClaimStatus, InboxId, Refusal, Sanction, SigningPurpose, Standing};
use posthouse_store::{Tx, agents, inboxes, workspaces};

use super::{events::CardEvents, switches, view::published_keys};
use crate::{access::visible, service::Service, signing::sign};

/// Loads bundles in transactions.
#[derive(Clone)]
pub(super) struct BundleLoader {
    pub(super) events: CardEvents,
    server: ServerKeyView,
}

impl BundleLoader {
    pub(super) async fn of(service: &Service) -> Result<Self, Refusal> {
        let events = CardEvents::of(service);
        let kid = if service.config.agents.messaging { server_kid(service).await? } else { None };
        let server = ServerKeyView { kid, jwks_uri: events.viewer.urls.server_keys() };
        Ok(Self { events, server })
    }

    /// Returns the bundle of an agent.
    pub(super) fn load(&self, tx: &mut Tx, agent: &Agent) -> Result<AgentBundleView, Refusal> {
        let keys = published_keys(tx, agent)?;
        let identity = self.identity(tx, agent)?;
        let sanction = match agent.sanction {
            Some(_) => agents::sanction_of(tx, agent.workspace, agent.inbox)?.map(sanction_view),
            None => None,
        };
        let parts = BundleParts {
            inbox: self.events.inbox(tx, agent)?,
            keys: BundleKeysView { server: self.server.clone(), agent: keys.clone() },
            identity,
            sanction,
        };
        Ok(AgentBundleView::of(agent, self.events.viewer.shown(agent, &keys).as_ref(), parts))
    }
}

impl BundleLoader {
    /// Returns whether the agent can sign in to apps: the switch is on, and nothing stops the agent or its workspace.
    fn identity(&self, tx: &mut Tx, agent: &Agent) -> Result<BundleIdentityView, Refusal> {
        let inbox = inboxes::get(tx, agent.workspace, agent.inbox)?.ok_or_else(|| Refusal::not_found("inbox"))?;
        let tenant = workspaces::get(tx, agent.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let is_ready = inbox.identity_enabled
            && !inbox.is_paused()
            && tenant.stopped_at.is_none()
            && tenant.claim != ClaimStatus::Unclaimed
            && agent.standing(self.events.viewer.now) == Standing::Active;
        Ok(BundleIdentityView { enabled: inbox.identity_enabled, sign_in_ready: is_ready })
    }
}

fn sanction_view(decided: Sanction) -> AgentSanctionView {
    AgentSanctionView {
        kind: decided.kind.text(),
        reason: decided.reason,
        parties: decided.parties,
        since: decided.created_at.into(),
        review_requested_at: decided.review_requested_at.map(Into::into),
    }
}

/// Returns the id of the key that signs messages of agents.
async fn server_kid(service: &Service) -> Result<Option<String>, Refusal> {
    match sign::signer(service, SigningPurpose::AgentMessages).await {
        Ok(signer) => Ok(Some(signer.kid().to_owned())),
        Err(error) => {
            tracing::error!(cause = %error, "directory.no_signing_key");
            Ok(None)
        }
    }
}

/// Returns an agent that the caller may see.
///
/// # Errors
/// Returns `not_found`.
pub(super) fn visible_agent(tx: &mut Tx, caller: &Caller, id: InboxId) -> Result<Agent, Refusal> {
    visible::inbox_or_identity(tx, caller, id)?;
    agents::get(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("inbox"))
}

/// Returns the bundle of an agent of the caller's workspace.
///
/// # Errors
/// Returns `directory_disabled` or `not_found`.
pub async fn bundle(service: &Service, caller: Caller, id: InboxId) -> Result<AgentBundleView, Refusal> {
    switches::check(service)?;
    let loader = BundleLoader::of(service).await?;
    let load = move |tx: &mut Tx| {
        let agent = visible_agent(tx, &caller, id)?;
        loader.load(tx, &agent)
    };
    service.read(caller.workspace, load).await
}

/// Returns the OASF record of a card of the caller's workspace, whatever its visibility.
///
/// # Errors
/// Returns `directory_disabled` or `not_found` if the agent is missing or has no card.
pub async fn oasf(service: &Service, caller: Caller, id: InboxId) -> Result<OasfRecordView, Refusal> {
    switches::check(service)?;
    let viewer = CardEvents::of(service).viewer;
    let load = move |tx: &mut Tx| {
        let agent = visible_agent(tx, &caller, id)?;
        let is_listed = viewer.is_listed(&agent);
        viewer.shown(&agent, &[]).map(|shown| oasf::record(&shown, is_listed)).ok_or_else(no_card)
    };
    service.read(caller.workspace, load).await
}

/// Returns the refusal of an agent without a card.
pub(super) fn no_card() -> Refusal {
    Refusal::not_found("card").with_fix("Create the card first: `PATCH /v1/inboxes/{id}/agent`.")
}
