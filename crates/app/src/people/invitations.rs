//! Invitations to workspaces: a person joins by accepting one, or declines it
//! (`docs/decisions/people.md#0098-joining-is-a-decision`).

use posthouse_domain::{Caller, Invitation, InvitationId, Refusal};
use posthouse_store::{Tx, sign_ins, users};

use super::sessions::user;
use super::sign_in::{self, NewSession, SignInClient, SignedIn, begin_session};
use crate::{access::authenticate::no_session, service::Service};

/// Makes the caller a member of the workspace of an invitation, begins a session there, and ends the one that the browser
/// has.
///
/// # Errors
/// Returns `not_found` if the caller has no such invitation or it expired.
pub async fn accept(
    service: &Service,
    caller: Caller,
    id: InvitationId,
    client: SignInClient,
) -> Result<SignedIn, Refusal> {
    let user = user(&caller)?.user;
    let (ids, now, secret) = (service.clock.ids(), service.clock.now(), sign_in::new_secret(service));
    let work = move |tx: &mut Tx| {
        let person = users::get(tx, user)?.ok_or_else(no_session)?;
        let invitation = users::invitation(tx, user, id, now)?.ok_or_else(missing)?;
        if !users::join(tx, user, &invitation, now)? {
            return Err(missing());
        }
        sign_ins::delete_of_email(tx, &person.email, invitation.workspace)?;
        let new = NewSession { client: &client, secret: &secret, id: ids.clone().next(), now };
        begin_session(tx, user, invitation.workspace, &new)?.ok_or_else(missing)
    };
    service.write(work).await
}

/// Declines an invitation: it can't be accepted any more.
///
/// # Errors
/// Returns `not_found` if the caller has no such invitation or it expired.
pub async fn decline(service: &Service, caller: Caller, id: InvitationId) -> Result<(), Refusal> {
    let (user, now) = (user(&caller)?.user, service.clock.now());
    let work = move |tx: &mut Tx| {
        let Invitation { workspace, .. } = users::invitation(tx, user, id, now)?.ok_or_else(missing)?;
        users::lock(tx, workspace)?;
        // It may have been accepted meanwhile.
        users::invitation(tx, user, id, now)?.ok_or_else(missing)?;
        Ok(users::remove(tx, workspace, user)?)
    };
    service.write(work).await
}

fn missing() -> Refusal {
    Refusal::not_found("invitation").with_fix("`GET /platform/me` lists your open invitations. Ask for a new one.")
}
