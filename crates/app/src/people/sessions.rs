//! The sessions of a person.

use posthouse_domain::{
    Caller, Principal, Refusal, Session, SessionId, SessionSecret, UserPrincipal, user::SESSIONS_MAX,
};
use posthouse_store::{Tx, sessions};

use super::sign_in::Person;
use crate::{access::authenticate::no_session, access::authenticate::session_cutoff, service::Service};

/// Returns the person behind a request.
///
/// # Errors
/// Returns `unauthorized` if the caller is not a person with a session.
pub fn user(caller: &Caller) -> Result<UserPrincipal, Refusal> {
    match caller.principal {
        Principal::User(user) => Ok(user),
        Principal::Key(_) | Principal::Connector(_) | Principal::Operator | Principal::Service { .. } => {
            Err(no_session())
        }
    }
}

/// Returns the person behind a request, with the workspace of the session and the open invitations.
///
/// # Errors
/// Returns `unauthorized` if the caller is no member.
pub async fn me(service: &Service, caller: Caller) -> Result<Person, Refusal> {
    let (user, now) = (user(&caller)?.user, service.clock.now());
    let read = move |tx: &mut Tx| Person::load(tx, user, caller.workspace, now)?.ok_or_else(no_session);
    service.read(caller.workspace, read).await
}

/// Returns the caller's sessions, most recently used first.
///
/// # Errors
/// Returns `unauthorized` if the caller has no session.
pub async fn list(service: &Service, caller: Caller) -> Result<Vec<Session>, Refusal> {
    let (user, cutoff) = (user(&caller)?, session_cutoff(service.clock.now()));
    let limit = u32::try_from(SESSIONS_MAX).unwrap_or(u32::MAX);
    let read = move |tx: &mut Tx| Ok(sessions::of_user(tx, caller.workspace, user.user, cutoff, limit)?);
    service.read(caller.workspace, read).await
}

/// Ends one of the caller's sessions, and its streams.
///
/// # Errors
/// Returns `not_found` if the caller has no such session.
pub async fn end(service: &Service, caller: Caller, id: SessionId) -> Result<(), Refusal> {
    let user = user(&caller)?;
    let is_ended = service.write(move |tx| sessions::delete(tx, caller.workspace, user.user, id)).await?;
    if is_ended { Ok(()) } else { Err(Refusal::not_found("session")) }
}

/// Ends the session with this secret, if there is one.
pub async fn sign_out(service: &Service, secret: &SessionSecret) -> Result<(), Refusal> {
    let digest = secret.digest();
    Ok(service.write(move |tx| sessions::delete_by_digest(tx, &digest)).await?)
}
