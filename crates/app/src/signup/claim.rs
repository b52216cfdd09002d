//! Requests that ask a person to claim the workspace.

use std::{net::IpAddr, sync::Arc};

use posthouse_domain::{Caller, Refusal, Time};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, workspaces};

use super::{claim_mail, status::check_unclaimed};
use crate::{mailbox::recipient::served_domains_of, service::Service};

/// Sends a claim link to a person; it replaces earlier links. Returns when it expires.
///
/// # Errors
/// Returns `already_claimed`, `not_claimable`, `signup_rate_limited`, or `invalid_request` for an address of this service,
/// a refusal of the gate.
pub async fn request(service: &Arc<Service>, caller: Caller, email: Address, client: IpAddr) -> Result<Time, Refusal> {
    let read = move |tx: &mut Tx| {
        let workspace = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        check_unclaimed(workspace.claim)
    };
    service.read(caller.workspace, read).await?;
    check_recipient(service, &email, "email").await?;
    claim_mail::send(service, caller.workspace, email, client).await
}

/// Checks that an address isn't at a domain of this service: an agent could follow the link in its own inbox.
///
/// # Errors
/// Returns `invalid_request` for such an address.
pub(super) async fn check_recipient(service: &Service, email: &Address, field: &str) -> Result<(), Refusal> {
    let served = served_domains_of(service, &[email]).await?;
    if served.iter().any(|domain| domain == email.domain()) {
        let problem = "must be the address of a person, not an address of this service";
        return Err(Refusal::invalid_field(field, problem));
    }
    Ok(())
}
