//! Reads the account of a caller: its workspace, and how long it can stay unclaimed.

use posthouse_domain::{Caller, ClaimStatus, Refusal, Time, Workspace, signup::masked};
use posthouse_store::{Tx, signups, unclaimed, workspaces};

use super::expire;
use crate::service::Service;

/// The workspace of a caller.
#[derive(Clone, PartialEq, Debug)]
pub struct Account {
    pub workspace: Workspace,
    /// What holds until a person claims it; `None` if it has an owner.
    pub unclaimed: Option<UnclaimedState>,
}

/// The state of an unclaimed workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnclaimedState {
    /// Number of recipients that it has written to today.
    pub recipients_today: u64,
    /// Recipient of a claim link that is still valid, partly hidden.
    pub pending_email: Option<String>,
    /// When it is deleted, unless it is used before.
    pub expires_at: Option<Time>,
}

/// Returns the account of a caller.
///
/// # Errors
/// Returns `not_found` if the workspace no longer exists.
pub async fn read(service: &Service, caller: Caller) -> Result<Account, Refusal> {
    let (id, now) = (caller.workspace, service.clock.now());
    let work = move |tx: &mut Tx| {
        let workspace = workspaces::get(tx, id)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let unclaimed = match workspace.claim {
            ClaimStatus::Unclaimed => Some(UnclaimedState {
                recipients_today: unclaimed::recipients(tx, id, now)?.len() as u64,
                pending_email: signups::get(tx, id)?.and_then(|signup| signup.pending_email(now).map(masked)),
                expires_at: expire::expires_at(tx, id)?,
            }),
            ClaimStatus::Claimed | ClaimStatus::NotApplicable => None,
        };
        Ok::<_, Refusal>(Account { workspace, unclaimed })
    };
    service.read(id, work).await
}
