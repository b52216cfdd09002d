//! The memory of responses that their clients have not read yet: a share for each workspace, and a total for the process.
//!
//! Each response holds its memory until its last byte is written or its connection ends, at the latest after
//! `limits.response_write_timeout` without progress. A streamed response holds the memory of each chunk, and waits until
//! the budget allows the next one.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use posthouse_app::limits::shared_budget::{BudgetExceeded, BudgetShare, SharedBudget};
use posthouse_app::ports::{BoxFuture, Clock};
use posthouse_app::settings::LimitsConfig;
use posthouse_call::{ChunkStream, OutcomeStream};
use posthouse_domain::{ErrorCode, LimitName, Refusal, WorkspaceId};

/// Time between two attempts to reserve the memory of a chunk, in milliseconds.
const RETRY_MS: i64 = 50;

/// `Retry-After` of a response that exceeds the budget, in seconds.
const RESPONSE_RETRY_S: u64 = 5;

/// The responses in memory.
#[derive(Debug)]
pub(crate) struct ResponseBudget {
    responses: SharedBudget<WorkspaceId>,
    per_workspace_max: u64,
    /// The longest time that a chunk waits for memory, in milliseconds.
    wait_ms: i64,
}

/// The memory for the chunks of a streamed response.
#[derive(Clone)]
struct ChunkMemory {
    budget: SharedBudget<WorkspaceId>,
    workspace: WorkspaceId,
    max: u64,
    step_bytes: u64,
    wait_ms: i64,
    clock: Arc<dyn Clock>,
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
            wait_ms: limits.response_write_timeout_ms,
        }
    }

    /// Creates a budget whose total and share are the same.
    #[cfg(test)]
    pub(crate) fn of(bytes_max: u64) -> Self {
        Self { responses: SharedBudget::new(Some(bytes_max)), per_workspace_max: bytes_max, wait_ms: 0 }
    }

    /// Checks whether a workspace may make further requests. Otherwise a request could change something and its response
    /// would exceed the budget.
    ///
    /// # Errors
    /// Returns the errors of [`ResponseBudget::hold`].
    pub(crate) fn check(&self, workspace: WorkspaceId) -> Result<(), Refusal> {
        self.responses.check(workspace, Some(self.per_workspace_max)).map_err(refusal)
    }

    /// Returns the stream, whose chunks hold their memory until they are written.
    ///
    /// # Errors
    /// Returns the errors of [`ResponseBudget::hold`] for a chunk that is in memory already.
    pub(crate) fn hold_stream(
        &self,
        workspace: WorkspaceId,
        mut stream: OutcomeStream,
        clock: &Arc<dyn Clock>,
    ) -> Result<OutcomeStream, Refusal> {
        stream.first = stream.first.take().map(|first| self.hold(workspace, first)).transpose()?;
        let memory = ChunkMemory {
            budget: self.responses.clone(),
            workspace,
            max: self.per_workspace_max,
            step_bytes: stream.step_bytes.min(self.per_workspace_max),
            wait_ms: self.wait_ms,
            clock: Arc::clone(clock),
        };
        stream.chunks = Box::pin(HeldChunks { chunks: stream.chunks, memory, share: None, reserving: None });
        Ok(stream)
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

/// The chunks of a response, each in its memory. Thousands of streams wait for their next chunk, so this is smaller than
/// a future that waits for either.
struct HeldChunks {
    chunks: ChunkStream,
    memory: ChunkMemory,
    /// The memory of the next chunk.
    share: Option<BudgetShare<WorkspaceId>>,
    /// Waits for that memory.
    reserving: Option<BoxFuture<'static, Result<BudgetShare<WorkspaceId>, Refusal>>>,
}

impl HeldChunks {
    /// Reserves the memory of the next chunk, without a wait if there is some.
    fn poll_reserve(&mut self, context: &mut Context<'_>) -> Poll<Result<BudgetShare<WorkspaceId>, Refusal>> {
        if let Some(share) = self.share.take() {
            return Poll::Ready(Ok(share));
        }
        if self.reserving.is_none() {
            match self.memory.try_reserve() {
                Ok(share) => return Poll::Ready(Ok(share)),
                Err(_) => self.reserving = Some(Box::pin(self.memory.clone().reserve())),
            }
        }
        let Some(reserving) = &mut self.reserving else { return Poll::Pending };
        let share = ready!(reserving.as_mut().poll(context));
        self.reserving = None;
        Poll::Ready(share)
    }
}

impl Stream for HeldChunks {
    type Item = Result<Bytes, Refusal>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut share = match ready!(self.poll_reserve(context)) {
            Ok(share) => share,
            Err(refusal) => return Poll::Ready(Some(Err(refusal))),
        };
        match self.chunks.poll_next_unpin(context) {
            Poll::Pending => {
                self.share = Some(share);
                Poll::Pending
            }
            Poll::Ready(Some(Ok(bytes))) => {
                share.set(bytes.len() as u64);
                Poll::Ready(Some(Ok(Bytes::from_owner(HeldBytes { bytes, _share: share }))))
            }
            Poll::Ready(end) => Poll::Ready(end),
        }
    }
}

impl ChunkMemory {
    fn try_reserve(&self) -> Result<BudgetShare<WorkspaceId>, BudgetExceeded> {
        let mut share = self.budget.share(self.workspace, Some(self.max));
        share.grow_or_first(self.step_bytes).map(|()| share)
    }

    async fn reserve(self) -> Result<BudgetShare<WorkspaceId>, Refusal> {
        let end = self.clock.now().plus_ms(self.wait_ms);
        loop {
            let exceeded = match self.try_reserve() {
                Ok(share) => return Ok(share),
                Err(exceeded) => exceeded,
            };
            let now = self.clock.now();
            if now >= end {
                return Err(refusal(exceeded));
            }
            self.clock.sleep_until(now.plus_ms(RETRY_MS)).await;
        }
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

    /// Thousands of streams wait for their next chunk.
    #[test]
    fn a_stream_that_waits_is_small() {
        assert!(size_of::<HeldChunks>() <= 192, "{} bytes", size_of::<HeldChunks>());
    }

    #[test]
    fn responses_hold_their_memory_until_they_are_written() {
        let budget = ResponseBudget { responses: SharedBudget::new(Some(1_000)), per_workspace_max: 600, wait_ms: 0 };
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
