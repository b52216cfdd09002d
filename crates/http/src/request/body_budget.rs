//! The memory of request bodies: a share for each workspace, and a total for the process.
//!
//! A body counts by what is buffered of it, from the first byte to the end of its request. A half-sent body counts by
//! the half that has arrived, not by its `Content-Length`.

use bytes::Bytes;
use posthouse_app::limits::shared_budget::{BudgetExceeded, BudgetShare, SharedBudget};
use posthouse_app::settings::LimitsConfig;
use posthouse_domain::{ErrorCode, LimitName, Refusal, WorkspaceId};

/// `Retry-After` of a body that exceeds the budget, in seconds.
const BODY_RETRY_S: u64 = 2;

/// The request bodies in memory. Bodies of public routes share what one workspace may hold.
#[derive(Debug)]
pub(crate) struct BodyBudget {
    bodies: SharedBudget<Option<WorkspaceId>>,
    per_workspace_max: u64,
}

/// The memory that one body holds.
pub(crate) type BodyShare = BudgetShare<Option<WorkspaceId>>;

impl BodyBudget {
    pub(crate) fn new(limits: &LimitsConfig) -> Self {
        Self {
            bodies: SharedBudget::new(Some(limits.request_body_bytes)),
            per_workspace_max: limits.request_body_bytes_per_workspace,
        }
    }

    /// Returns an empty share for a body of this workspace, or of a public route.
    pub(crate) fn share(&self, workspace: Option<WorkspaceId>) -> BodyShare {
        self.bodies.share(workspace, Some(self.per_workspace_max))
    }

    /// Returns the bytes that all bodies hold, and the most they held.
    pub(crate) fn used(&self) -> (u64, u64) {
        (self.bodies.used(), self.bodies.peak())
    }
}

fn refusal(exceeded: BudgetExceeded) -> Refusal {
    match exceeded {
        BudgetExceeded::Share(max) => {
            let message = format!("The request bodies that this workspace is sending exceed {max} bytes together.");
            let refusal = Refusal::new(ErrorCode::RateLimited, message);
            let refusal = refusal.with_fix("Send fewer large requests at once, and send this one again.");
            refusal.at_limit(LimitName::RequestBodyBytesPerWorkspace, max, BODY_RETRY_S)
        }
        BudgetExceeded::Total(max) => {
            let message = format!("The request bodies that this server is receiving exceed {max} bytes together.");
            let refusal = Refusal::new(ErrorCode::Unavailable, message);
            refusal.at_limit(LimitName::RequestBodyBytes, max, BODY_RETRY_S)
        }
    }
}

/// The part of a body that has arrived.
pub(crate) struct BodyBuffer<'a> {
    share: &'a mut BodyShare,
    /// The longest that the body can become, in bytes.
    bytes_max: usize,
    /// The first part. Most bodies arrive in one part and are not copied.
    first: Bytes,
    /// All parts, if there are several: many small parts must not cost more than their bytes.
    whole: Vec<u8>,
}

impl<'a> BodyBuffer<'a> {
    pub(crate) fn new(share: &'a mut BodyShare, bytes_max: usize) -> Self {
        Self { share, bytes_max, first: Bytes::new(), whole: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len().max(self.whole.len())
    }

    /// Adds a part. Its memory is reserved before it is buffered.
    ///
    /// # Errors
    /// Returns `rate_limited` if the workspace has used up its share, or `unavailable` if the total is used up.
    pub(crate) fn push(&mut self, part: Bytes) -> Result<(), Refusal> {
        if self.len() == 0 {
            self.share.grow(part.len() as u64).map_err(refusal)?;
            self.first = part;
            return Ok(());
        }
        let needed = self.len() + part.len();
        if needed > self.whole.capacity() {
            let doubled = (2 * self.len()).min(self.bytes_max).max(needed);
            self.share.grow((doubled - self.whole.capacity()) as u64).map_err(refusal)?;
            self.whole.reserve_exact(doubled - self.whole.len());
        }
        if self.whole.is_empty() {
            self.whole.extend_from_slice(&self.first);
            self.share.shrink(std::mem::take(&mut self.first).len() as u64);
        }
        self.whole.extend_from_slice(&part);
        Ok(())
    }

    /// Returns the body. Its share stays reserved.
    pub(crate) fn finish(self) -> Bytes {
        if self.whole.is_empty() { self.first } else { self.whole.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(per_workspace_max: u64) -> BodyBudget {
        BodyBudget { bodies: SharedBudget::new(Some(1_000)), per_workspace_max }
    }

    #[test]
    fn a_body_in_any_parts_is_whole_and_holds_what_it_buffers() {
        let bytes: Vec<u8> = (0..=255).cycle().take(500).collect();
        for size in [1, 3, 100, 499, 500] {
            let budget = budget(1_000);
            let mut share = budget.share(None);
            let mut buffer = BodyBuffer::new(&mut share, bytes.len());
            for part in bytes.chunks(size) {
                buffer.push(Bytes::copy_from_slice(part)).expect("room");
                let (used, _) = budget.used();
                assert!((buffer.len() as u64..=500).contains(&used), "{used} for {}", buffer.len());
            }
            assert_eq!(buffer.finish(), bytes, "in parts of {size}");
            assert_eq!(budget.used().0, 500);
            drop(share);
            assert_eq!(budget.used().0, 0);
        }
    }

    #[test]
    fn a_refused_part_is_not_buffered() {
        let budget = budget(600);
        let (mut first, mut second) = (budget.share(None), budget.share(None));
        BodyBuffer::new(&mut first, 400).push(vec![0; 400].into()).expect("room");
        let mut buffer = BodyBuffer::new(&mut second, 400);
        buffer.push(vec![0; 200].into()).expect("room");
        let refusal = buffer.push(vec![0; 1].into()).expect_err("over the share");
        assert_eq!(
            (refusal.code, refusal.limit()),
            (ErrorCode::RateLimited, Some(LimitName::RequestBodyBytesPerWorkspace))
        );
        assert_eq!((buffer.len(), budget.used()), (200, (600, 600)));
        let mut other = budget.share(Some(WorkspaceId(uuid::Uuid::from_u128(1))));
        let refusal = BodyBuffer::new(&mut other, 600).push(vec![0; 500].into()).expect_err("over the total");
        assert_eq!((refusal.code, refusal.limit()), (ErrorCode::Unavailable, Some(LimitName::RequestBodyBytes)));
    }
}
