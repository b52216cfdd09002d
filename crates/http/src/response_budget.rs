//! The memory of responses that their clients have not read yet: a share for each workspace, and a total for the process.
//!
//! Only responses to GET are counted, because they can be refused after the handler ran. Each holds its memory until its
//! last byte is written or its connection ends, at the latest after `limits.response_write_timeout` without progress.

use bytes::Bytes;
use posthouse_app::{
    limits::shared_budget::{BudgetExceeded, BudgetShare, SharedBudget},
    settings::LimitsConfig,
};
use posthouse_domain::{
    error::{ErrorCode, LimitName, Refusal},
    id::WorkspaceId,
};

/// When a client should repeat a request whose response found no room, in seconds.
const RESPONSE_RETRY_S: u64 = 5;

/// The responses in memory.
#[derive(Debug)]
pub(crate) struct ResponseBudget {
    responses: SharedBudget<WorkspaceId>,
    per_workspace_max: u64,
}

/// A response with its share of the budget.
struct HeldBytes {
    bytes: Bytes,
    _share: BudgetShare<WorkspaceId>,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl ResponseBudget {
    pub(crate) fn new(limits: &LimitsConfig) -> Self {
        Self {
            responses: SharedBudget::new(Some(limits.response_bytes)),
            per_workspace_max: limits.response_bytes_per_workspace,
        }
    }

    /// Returns the bytes, which hold their memory until the last reference to them is dropped. The only response of a
    /// workspace is admitted whatever its size, so that every message can be read.
    ///
    /// # Errors
    /// Returns `rate_limited` if unread responses of the workspace use up its share, or `unavailable` if those of all
    /// workspaces use up the total.
    pub(crate) fn hold(&self, workspace: WorkspaceId, bytes: Bytes) -> Result<Bytes, Refusal> {
        let mut share = self.responses.share(workspace, Some(self.per_workspace_max));
        share.grow_or_first(bytes.len() as u64).map_err(refusal)?;
        Ok(Bytes::from_owner(HeldBytes { bytes, _share: share }))
    }

    /// Returns the bytes that all responses hold, and the most they held.
    pub(crate) fn used(&self) -> (u64, u64) {
        (self.responses.used(), self.responses.peak())
    }
}

fn refusal(exceeded: BudgetExceeded) -> Refusal {
    match exceeded {
        BudgetExceeded::Share(max) => {
            let message = format!("The responses that this workspace has not read yet exceed {max} bytes together.");
            let refusal = Refusal::new(ErrorCode::RateLimited, message);
            let refusal = refusal.with_fix("Read the responses of earlier requests, or close their connections.");
            refusal.at_limit(LimitName::ResponseBytesPerWorkspace, max, RESPONSE_RETRY_S)
        }
        BudgetExceeded::Total(max) => {
            let message = format!("The responses that clients have not read yet exceed {max} bytes together.");
            let refusal = Refusal::new(ErrorCode::Unavailable, message);
            refusal.at_limit(LimitName::ResponseBytes, max, RESPONSE_RETRY_S)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(number: u128) -> WorkspaceId {
        WorkspaceId(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn responses_hold_their_memory_until_they_are_written() {
        let budget = ResponseBudget { responses: SharedBudget::new(Some(1_000)), per_workspace_max: 600 };
        let hold = |number: u128, bytes: usize| budget.hold(workspace(number), vec![1; bytes].into());
        let mut first = hold(1, 500).expect("room");
        let refused = hold(1, 200).expect_err("over the share");
        assert_eq!(
            (refused.code, refused.limit()),
            (ErrorCode::RateLimited, Some(LimitName::ResponseBytesPerWorkspace))
        );
        let refused = hold(2, 501).expect_err("over the total");
        assert_eq!((refused.code, refused.limit()), (ErrorCode::Unavailable, Some(LimitName::ResponseBytes)));
        let rest = first.split_off(400);
        drop(first);
        assert_eq!(budget.used(), (500, 500));
        assert_eq!(rest, vec![1; 100]);
        drop(rest);
        assert_eq!(budget.used(), (0, 500));
        let only = hold(1, 700).expect("the only one");
        hold(1, 1).expect_err("another beside it");
        hold(2, 301).expect_err("over the total");
        assert_eq!((only.len(), budget.used()), (700, (700, 700)));
    }
}
