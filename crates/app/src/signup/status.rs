//! Whether a workspace can be claimed.

use posthouse_domain::{ClaimStatus, ErrorCode, Refusal};

/// Checks that a person can claim the workspace.
///
/// # Errors
/// Returns `already_claimed` or `not_claimable`.
pub(super) fn check_unclaimed(status: ClaimStatus) -> Result<(), Refusal> {
    match status {
        ClaimStatus::Unclaimed => Ok(()),
        ClaimStatus::Claimed => Err(already_claimed()),
        ClaimStatus::NotApplicable => {
            Err(Refusal::new(ErrorCode::NotClaimable, "The workspace didn't begin by self-signup."))
        }
    }
}

/// Returns the refusal of a workspace that has an owner.
pub(super) fn already_claimed() -> Refusal {
    Refusal::new(ErrorCode::AlreadyClaimed, "A person has claimed the workspace already.")
}
