//! Confirmation links of forwarding addresses. Opening the page consumes nothing; pressing its button consumes the
//! link. See `docs/decisions/people.md#0025-links-in-mail`.

use posthouse_domain::{ErrorCode, Refusal};
use posthouse_store::{Tx, forwarding, inboxes};

use crate::{keyring::sealed_link, service::ReadScope, service::Service};

/// The confirmation request behind a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfirmationRequest {
    /// The address to forward to.
    pub address: String,
    /// The inbox whose mail is forwarded.
    pub inbox: String,
}

/// Returns the confirmation request of a link, without consuming the link.
///
/// # Errors
/// Returns `invalid_token`.
pub async fn confirmation_request(service: &Service, token: &str) -> Result<ConfirmationRequest, Refusal> {
    let digest = sealed_link::digest(token).ok_or_else(invalid_link)?;
    let now = service.clock.now();
    service.read(ReadScope::Service, move |tx| load(tx, &digest, now)).await
}

/// Confirms the address and consumes the link.
///
/// # Errors
/// Returns `invalid_token`.
pub async fn agree(service: &Service, token: &str) -> Result<ConfirmationRequest, Refusal> {
    let digest = sealed_link::digest(token).ok_or_else(invalid_link)?;
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let request = load(tx, &digest, now)?;
        if !forwarding::confirm(tx, &digest, now)? {
            return Err(invalid_link());
        }
        Ok(request)
    };
    service.write(work).await
}

fn load(tx: &mut Tx, digest: &[u8; 32], now: posthouse_domain::time::Time) -> Result<ConfirmationRequest, Refusal> {
    let found = forwarding::by_token(tx, digest, now)?.ok_or_else(invalid_link)?;
    let inbox = inboxes::get(tx, found.workspace, found.inbox)?.filter(|inbox| inbox.deleted_at.is_none());
    let inbox = inbox.ok_or_else(invalid_link)?.address;
    Ok(ConfirmationRequest { address: found.address, inbox })
}

fn invalid_link() -> Refusal {
    Refusal::new(ErrorCode::InvalidToken, "The link was already used, was replaced by a newer one, or has expired.")
}
