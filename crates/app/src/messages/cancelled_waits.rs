//! Waits for messages that their client cancelled. A wait that is looked at again and again is not stored; that it was
//! cancelled is, until it would have ended.

use posthouse_domain::{Caller, Credential, ErrorCode, LimitName, MINUTE_MS, Refusal, SECOND_MS, Time};
use posthouse_store::{Tx, cancelled_waits};
use sha2::{Digest, Sha256};

use crate::service::{ReadScope, Service};

/// The most cancelled waits of a workspace that haven't ended.
const WAITS_MAX: u64 = 10_000;

/// Cancels a wait, for the credential of the caller alone.
///
/// # Errors
/// Returns `rate_limited` if the workspace has cancelled too many waits that haven't ended.
pub async fn cancel(service: &Service, caller: Caller, wait: &str, ends_at: Time) -> Result<(), Refusal> {
    let (digest, now) = (digest(&caller, wait)?, service.clock.now());
    let write = move |tx: &mut Tx| {
        if cancelled_waits::count_open(tx, caller.workspace, WAITS_MAX, now)? >= WAITS_MAX {
            return Err(too_many());
        }
        Ok(cancelled_waits::insert(tx, caller.workspace, &digest, ends_at)?)
    };
    service.write(write).await
}

fn too_many() -> Refusal {
    let message = format!("The workspace has cancelled {WAITS_MAX} waits that haven't ended.");
    let refusal = Refusal::new(ErrorCode::RateLimited, message).with_fix("Let the wait end by itself.");
    let retry_s = u64::try_from(MINUTE_MS / SECOND_MS).unwrap_or_default();
    refusal.at_limit(LimitName::CancelledWaits, WAITS_MAX, retry_s)
}

/// Returns whether the credential of the caller cancelled a wait.
///
/// # Errors
/// Returns an error if a storage call fails.
pub async fn is_cancelled(service: &Service, caller: Caller, wait: &str) -> Result<bool, Refusal> {
    let digest = digest(&caller, wait)?;
    let find = move |tx: &mut Tx| cancelled_waits::get(tx, caller.workspace, &digest);
    Ok(service.read(ReadScope::Lookup, find).await?.is_some())
}

fn digest(caller: &Caller, wait: &str) -> Result<[u8; 32], Refusal> {
    let id = match caller.credential()? {
        Credential::Key(id) => id.0,
        Credential::Session(id) => id.0,
        Credential::Connector(id) => id.0,
    };
    Ok(Sha256::new().chain_update(id.as_bytes()).chain_update(wait).finalize().into())
}
