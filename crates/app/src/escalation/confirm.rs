//! Confirmation links of people on call. Opening the page consumes nothing; pressing its button consumes the link. See
//! `docs/decisions/people.md#0025-links-in-mail`.

use posthouse_domain::{ErrorCode, OnCallContact, Refusal, Time};
use posthouse_store::{Tx, inboxes, on_call};

use super::contacts;
use crate::{keyring::sealed_link, service::ReadScope, service::Service};

/// The request behind a confirmation link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OnCallRequest {
    /// The address of the person.
    pub address: String,
    /// The inbox that the person is asked to be on call for; `None` for the whole workspace.
    pub inbox: Option<String>,
}

/// Returns the request of a link, without consuming the link.
///
/// # Errors
/// Returns `invalid_token`.
pub async fn on_call_request(service: &Service, token: &str) -> Result<OnCallRequest, Refusal> {
    let digest = sealed_link::digest(token).ok_or_else(invalid_link)?;
    let now = service.clock.now();
    service.read(ReadScope::Service, move |tx| Ok(load(tx, &digest, now)?.0)).await
}

/// Confirms the contact and consumes the link; the owner gets a notice.
///
/// # Errors
/// Returns `invalid_token`.
pub async fn accept(service: &Service, token: &str) -> Result<OnCallRequest, Refusal> {
    let digest = sealed_link::digest(token).ok_or_else(invalid_link)?;
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let (request, contact) = load(tx, &digest, now)?;
        if !on_call::confirm(tx, &digest, now)? {
            return Err(invalid_link());
        }
        contacts::enqueue_mail(tx, &contact, &ids.clone(), now)?;
        Ok(request)
    };
    service.write(work).await
}

fn load(tx: &mut Tx, digest: &[u8; 32], now: Time) -> Result<(OnCallRequest, OnCallContact), Refusal> {
    let contact = on_call::by_token(tx, digest, now)?.ok_or_else(invalid_link)?;
    let inbox = match contact.inbox {
        Some(id) => {
            let inbox = inboxes::get(tx, contact.workspace, id)?.filter(|inbox| inbox.deleted_at.is_none());
            Some(inbox.ok_or_else(invalid_link)?.address)
        }
        None => None,
    };
    Ok((OnCallRequest { address: contact.address.clone(), inbox }, contact))
}

fn invalid_link() -> Refusal {
    Refusal::new(ErrorCode::InvalidToken, "The link was already used, was replaced by a newer one, or has expired.")
}
