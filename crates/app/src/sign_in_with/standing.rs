//! Loads what a token is about, and checks every stop again: nothing is cached, so a stop takes effect at once.

use posthouse_domain::{
    ErrorCode, IdentityClient, IdentityScope, IdentityScopes, Inbox, InboxId, InboxKind, Refusal, Standing, Time,
    Workspace, WorkspaceId, identity::check_agent,
};
use posthouse_store::{Tx, agents, identity_clients, inboxes, workspaces};

/// An agent that may sign in.
#[derive(Clone, Debug)]
pub(super) struct StandingAgent {
    /// The inbox or identity.
    pub agent: Inbox,
    pub workspace: Workspace,
}

/// Returns an agent if it may sign in.
///
/// # Errors
/// Returns the refusals of [`check_agent`].
pub(super) fn agent(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<StandingAgent, Refusal> {
    let missing = || Refusal::not_found("inbox");
    let agent = inboxes::get(tx, workspace, inbox)?.ok_or_else(missing)?;
    of(tx, agent, now)
}

/// Returns a loaded agent with its workspace if it may sign in.
///
/// # Errors
/// Returns the refusals of [`check_agent`], `identity_disabled` if its card is revoked, or `agent_suspended`.
pub(super) fn of(tx: &mut Tx, agent: Inbox, now: Time) -> Result<StandingAgent, Refusal> {
    let workspace = workspaces::get(tx, agent.workspace)?.ok_or_else(|| Refusal::not_found("inbox"))?;
    check_agent(&workspace, &agent, now)?;
    check_card(tx, &agent, now)?;
    Ok(StandingAgent { agent, workspace })
}

/// Checks that neither the owner revoked the agent nor the operator suspended it.
fn check_card(tx: &mut Tx, agent: &Inbox, now: Time) -> Result<(), Refusal> {
    match agents::get(tx, agent.workspace, agent.id)?.map(|found| found.standing(now)) {
        Some(Standing::Suspended) => {
            Err(Refusal::new(ErrorCode::AgentSuspended, "The agent is suspended and can't sign in."))
        }
        Some(Standing::Revoked) => {
            let refusal = Refusal::new(ErrorCode::IdentityDisabled, "The agent is revoked and can't sign in.");
            Err(refusal.with_fix("Restore the agent first: `POST /v1/inboxes/{id}/agent/restore`."))
        }
        Some(Standing::Active | Standing::Deleted) | None => Ok(()),
    }
}

/// Returns an app, whatever its state.
///
/// # Errors
/// Returns `not_found`.
pub(super) fn any_client(tx: &mut Tx, client_id: &str) -> Result<IdentityClient, Refusal> {
    identity_clients::by_client_id(tx, client_id)?.ok_or_else(|| {
        let refusal = Refusal::new(ErrorCode::NotFound, "There is no app with this `client_id`.");
        refusal.with_fix("Use the `client_id` that the app shows.")
    })
}

/// Returns an app that agents can sign in to.
///
/// # Errors
/// Returns `not_found` or `client_disabled`.
pub(super) fn client(tx: &mut Tx, client_id: &str) -> Result<IdentityClient, Refusal> {
    let client = any_client(tx, client_id)?;
    if is_on(tx, &client)? {
        Ok(client)
    } else {
        Err(Refusal::new(ErrorCode::ClientDisabled, format!("The app {} is switched off.", client.name)))
    }
}

/// Returns an app that agents can sign in to; `None` if it is unknown or switched off.
pub(super) fn usable_client(tx: &mut Tx, client_id: &str) -> Result<Option<IdentityClient>, Refusal> {
    let Some(client) = identity_clients::by_client_id(tx, client_id)? else { return Ok(None) };
    Ok(if is_on(tx, &client)? { Some(client) } else { None })
}

/// Returns whether an app is on: its owner hasn't switched it off, and the workspace that owns it isn't suspended.
fn is_on(tx: &mut Tx, client: &IdentityClient) -> Result<bool, Refusal> {
    if !client.enabled {
        return Ok(false);
    }
    Ok(workspaces::get(tx, client.workspace)?.is_some_and(|owner| !owner.suspended))
}

/// Returns the scopes that an app gets about an agent, of those that were requested: what the app may get, without
/// `email` for an agent without a mailbox. Every grant and every claim comes from here.
pub(super) fn granted(agent: &Inbox, client: &IdentityClient, requested: IdentityScopes) -> IdentityScopes {
    let scope = requested.both(client.allowed_scopes);
    match agent.kind {
        InboxKind::Mailbox => scope,
        InboxKind::Identity => scope.without(IdentityScope::Email),
    }
}
