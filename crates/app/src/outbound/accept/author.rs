//! Checks the signature of an author when its message is accepted.

use posthouse_domain::{AuthorClaims, AuthorRefusal, AuthoredContent, Inbox, Refusal, Time};
use posthouse_store::{Result as StoreResult, Tx, agent_keys, agent_keys::AgentKeyRef};

/// Checks a signature without using its nonce.
///
/// # Errors
/// Returns `invalid_agent_signature` with the reason.
pub(super) fn check(
    tx: &mut Tx,
    inbox: &Inbox,
    claims: &AuthorClaims,
    content: &AuthoredContent,
    now: Time,
) -> StoreResult<Result<(), Refusal>> {
    let reference = reference(inbox, claims);
    let key = agent_keys::get(tx, reference)?;
    let is_used = agent_keys::is_nonce_used(tx, reference, claims.nonce())?;
    Ok(claims.check(key.as_ref(), content, now).and_then(|()| if is_used { Err(replayed()) } else { Ok(()) }))
}

fn replayed() -> Refusal {
    AuthorRefusal::Replayed.refusal("The signature was used before.")
}

/// Checks a signature and uses its nonce.
///
/// # Errors
/// Returns `invalid_agent_signature` with the reason.
pub(super) fn accept(
    tx: &mut Tx,
    inbox: &Inbox,
    claims: &AuthorClaims,
    content: &AuthoredContent,
    now: Time,
) -> Result<(), Refusal> {
    check(tx, inbox, claims, content, now)??;
    let key = reference(inbox, claims);
    if !agent_keys::use_nonce(tx, key, claims.nonce(), claims.forgotten_at())? {
        return Err(replayed());
    }
    Ok(agent_keys::used(tx, key, now)?)
}

fn reference<'a>(inbox: &Inbox, claims: &'a AuthorClaims) -> AgentKeyRef<'a> {
    AgentKeyRef { workspace: inbox.workspace, inbox: inbox.id, kid: claims.kid() }
}
