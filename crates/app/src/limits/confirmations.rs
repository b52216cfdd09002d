//! The limits of confirmation mails, which go to addresses of strangers: mail to people on call and to
//! forwarding addresses counts together.

use std::net::IpAddr;

use posthouse_domain::{
    ClaimStatus, DAY_MS, Detail, ErrorCode, IdGenerator, LimitName, MailClass, Party, Refusal, SECOND_MS,
    ServiceMailKind, Time, WorkspaceId,
};
use posthouse_store::{Tx, confirmations, workspaces};
use sha2::{Digest, Sha256};

use super::service_mails::{CountedMail, ServiceMailCounter};
use crate::{keyring::counted_subject::counted_network, service::Service};

/// The maximum number of confirmation mails to one mailbox in [`WINDOW_MS`], from all workspaces.
const PER_ADDRESS: u64 = 5;
/// The maximum number of confirmation mails of a workspace in [`WINDOW_MS`].
const PER_WORKSPACE: u64 = 20;
/// The window of the limits on confirmation mails, in milliseconds.
pub(crate) const WINDOW_MS: i64 = DAY_MS;

/// Counts confirmation mails that one client network asks for.
#[derive(Clone)]
pub(crate) struct ConfirmationCounter {
    mails: ServiceMailCounter,
    network: Vec<u8>,
}

impl ConfirmationCounter {
    /// Prepares the counting.
    ///
    /// # Errors
    /// Returns an error if the instance key can't be read.
    pub(crate) fn of(service: &Service, network: IpAddr) -> Result<Self, Refusal> {
        Ok(Self { mails: ServiceMailCounter::of(service)?, network: counted_network(service, network)? })
    }

    /// Counts a confirmation mail to a canonical address. What an unclaimed workspace asks for is a stranger's request.
    ///
    /// # Errors
    /// Returns `rate_limited` or `signup_rate_limited` if the workspace or the address had too many or a budget is used
    /// up, or an error if the database call fails.
    pub(crate) fn count(
        &self,
        tx: &mut Tx,
        workspace: WorkspaceId,
        address: &str,
        ids: &IdGenerator,
        now: Time,
    ) -> Result<(), Refusal> {
        count(tx, workspace, address, ids, now)?;
        let tenant = workspaces::get(tx, workspace)?;
        let is_claimed = tenant.is_some_and(|tenant| tenant.claim != ClaimStatus::Unclaimed);
        let class = if is_claimed { MailClass::Invited } else { MailClass::Strangers };
        let kind = ServiceMailKind::Confirmation;
        self.mails.count(tx, &CountedMail { class, kind, to: address, network: Some(&self.network) }, now)
    }
}

fn count(tx: &mut Tx, workspace: WorkspaceId, address: &str, ids: &IdGenerator, now: Time) -> Result<(), Refusal> {
    let digest: [u8; 32] = Sha256::digest(Party::mailbox(address).as_str()).into();
    let since = now.plus_ms(-WINDOW_MS);
    let of_workspace = confirmations::of_workspace(tx, workspace, since, PER_WORKSPACE)?;
    let of_address = confirmations::of_address(tx, &digest, since, PER_ADDRESS)?;
    for (limit, max, made) in [
        (LimitName::ConfirmationsPerWorkspace, PER_WORKSPACE, of_workspace),
        (LimitName::ConfirmationsPerAddress, PER_ADDRESS, of_address),
    ] {
        if let Some(oldest) = made.last().filter(|_| made.len() as u64 >= max) {
            return Err(too_many(limit, max, oldest.plus_ms(WINDOW_MS).since_ms(now)));
        }
    }
    Ok(confirmations::record(tx, workspace, ids.next(), &digest, now)?)
}

fn too_many(limit: LimitName, max: u64, wait_ms: i64) -> Refusal {
    let what = match limit {
        LimitName::ConfirmationsPerAddress => "to an address",
        _ => "of the workspace",
    };
    let message = format!("The limit of {max} confirmation mails {what} in 24 hours is reached.");
    let window_s = u64::try_from(WINDOW_MS / SECOND_MS).unwrap_or_default();
    Refusal::new(ErrorCode::RateLimited, message)
        .detail(Detail::Limit(limit))
        .detail(Detail::Max(max))
        .detail(Detail::WindowSeconds(window_s))
        .retry_after(u64::try_from(wait_ms / SECOND_MS + 1).unwrap_or(1))
}
