//! People in several workspaces: which ones, and the change of a session to another one.

use posthouse_domain::{auth::Caller, error::Refusal, id::WorkspaceId, user::Member};
use posthouse_store::{Tx, users, workspaces};

use super::{
    sessions::user,
    sign_in::{self, SignInClient, SignedIn},
};
use crate::{access::authenticate::no_session, app::App};

/// A workspace of a person.
#[derive(Clone, Debug)]
pub struct NamedMembership {
    /// The membership.
    pub member: Member,
    /// The name of the workspace.
    pub workspace_name: String,
}

/// Returns the workspaces of the caller with their names, the one that was used last first.
///
/// # Errors
/// Returns `unauthorized` if the caller is no member, or an error if the database call fails.
pub async fn workspaces(app: &App, caller: Caller) -> Result<Vec<NamedMembership>, Refusal> {
    let user = user(&caller)?;
    let read = move |tx: &mut Tx| {
        let member = users::member(tx, caller.workspace, user.user)?.ok_or_else(no_session)?;
        let mut found = Vec::new();
        for member in users::memberships(tx, &member.user.email)? {
            if let Some(workspace) = workspaces::get(tx, member.workspace)? {
                found.push(NamedMembership { member, workspace_name: workspace.name });
            }
        }
        Ok(found)
    };
    app.store.read(read).await
}

/// Begins a session of the caller in another workspace, and ends the one that the browser has.
///
/// # Errors
/// Returns `not_found` if the caller is no member of it, or an error if the database call fails.
pub async fn switch(app: &App, caller: Caller, to: WorkspaceId, client: SignInClient) -> Result<SignedIn, Refusal> {
    let user = user(&caller)?;
    let (ids, now, secret) = (app.clock.ids(), app.clock.now(), sign_in::new_secret(app));
    let work = move |tx: &mut Tx| {
        let missing = || Refusal::not_found("workspace");
        let member = users::member(tx, to, user.user)?.ok_or_else(missing)?;
        let workspace = workspaces::get(tx, to)?.ok_or_else(missing)?;
        sign_in::begin_session(tx, &member, &client, &secret, ids.clone().next(), now)?;
        Ok(SignedIn { member, workspace, secret: secret.clone() })
    };
    app.store.write(work).await
}
