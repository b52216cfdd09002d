//! Loads what a token is about, and checks every stop again: nothing is cached, so a stop takes effect at once.

use posthouse_domain::{
    error::{ErrorCode, Refusal},
    id::{InboxId, WorkspaceId},
    identity::{check_agent, client::IdentityClient},
    inbox::Inbox,
    time::Time,
    workspace::Workspace,
};
use posthouse_store::{Tx, identity_clients, inboxes, workspaces};

/// An agent that may sign in.
#[derive(Clone, Debug)]
pub(super) struct StandingAgent {
    /// The inbox or identity.
    pub agent: Inbox,
    /// Its workspace.
    pub workspace: Workspace,
}

/// Returns an agent if it may sign in.
///
/// # Errors
/// Returns the refusals of [`check_agent`], or an error if the database call fails.
pub(super) fn agent(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<StandingAgent, Refusal> {
    let missing = || Refusal::not_found("inbox");
    let agent = inboxes::get(tx, workspace, inbox)?.ok_or_else(missing)?;
    of(tx, agent, now)
}

/// Returns a loaded agent with its workspace if it may sign in.
///
/// # Errors
/// Returns the refusals of [`check_agent`], or an error if the database call fails.
pub(super) fn of(tx: &mut Tx, agent: Inbox, now: Time) -> Result<StandingAgent, Refusal> {
    let workspace = workspaces::get(tx, agent.workspace)?.ok_or_else(|| Refusal::not_found("inbox"))?;
    check_agent(&workspace, &agent, now)?;
    Ok(StandingAgent { agent, workspace })
}

/// Returns an app that agents can sign in to.
///
/// # Errors
/// Returns `not_found` or `client_disabled`, or an error if the database call fails.
pub(super) fn client(tx: &mut Tx, client_id: &str) -> Result<IdentityClient, Refusal> {
    let client = identity_clients::by_client_id(tx, client_id)?;
    let client = client.ok_or_else(|| {
        let refusal = Refusal::new(ErrorCode::NotFound, "There is no app with this client_id.");
        refusal.with_fix("Use the `client_id` that the app shows.")
    })?;
    if client.enabled {
        Ok(client)
    } else {
        Err(Refusal::new(ErrorCode::ClientDisabled, format!("The app {} is switched off.", client.name)))
    }
}
