//! People in several workspaces: which ones, and the change of a session to another one.

use posthouse_domain::{Caller, Member, Refusal, WorkspaceId};
use posthouse_store::{Tx, users, workspaces};

use super::sessions::user;
use super::sign_in::{self, NewSession, SignInClient, SignedIn, begin_session};
use crate::service::{ReadScope, Service};

/// A workspace of a person.
#[derive(Clone, Debug)]
pub struct NamedMembership {
    /// The membership.
    pub member: Member,
    pub workspace_name: String,
}

/// Returns the workspaces of the caller with their names, the one that was used last first.
///
/// # Errors
/// Returns `unauthorized` if the caller is no member.
pub async fn workspaces(service: &Service, caller: Caller) -> Result<Vec<NamedMembership>, Refusal> {
    let user = user(&caller)?;
    let read = move |tx: &mut Tx| {
        let mut found = Vec::new();
        for member in users::memberships(tx, user.user)? {
            if let Some(workspace) = workspaces::get(tx, member.workspace)? {
                found.push(NamedMembership { member, workspace_name: workspace.name });
            }
        }
        Ok(found)
    };
    service.read(ReadScope::Service, read).await
}

/// Begins a session of the caller in another workspace, and ends the one that the browser has.
///
/// # Errors
/// Returns `not_found` if the caller is no member of it.
pub async fn switch(
    service: &Service,
    caller: Caller,
    to: WorkspaceId,
    client: SignInClient,
) -> Result<SignedIn, Refusal> {
    let user = user(&caller)?;
    if to == WorkspaceId::SERVICE {
        return Err(Refusal::not_found("workspace"));
    }
    let (ids, now, secret) = (service.clock.ids(), service.clock.now(), sign_in::new_secret(service));
    let work = move |tx: &mut Tx| {
        let new = NewSession { client: &client, secret: &secret, id: ids.clone().next(), now };
        begin_session(tx, user.user, to, &new)?.ok_or_else(|| Refusal::not_found("workspace"))
    };
    service.write(work).await
}
