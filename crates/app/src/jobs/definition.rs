//! The definition of a job kind: its limits and handler.
//!
//! An attempt has three phases: prepare, call, settle. It reads the rows again (a job is only a hint), calls other
//! systems outside a transaction, and stores the result together with [`jobs::settle`](posthouse_store::jobs::settle)
//! in one transaction. The runner retries what fails before the settle.

use std::sync::Arc;

use posthouse_domain::{JobKind, JobReason, MINUTE_MS, SECOND_MS, Time, WorkspaceId};
use posthouse_store::jobs::{JobOutcome, LeasedJob, due::GroupCapacity};

use crate::{Service, next_step::NextStep, ports::BoxFuture};

/// The result of a job attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobAttemptResult {
    /// The handler settled the job itself.
    Settled(SettledJob),
    /// The runner settles the job with this outcome.
    Settle(JobOutcome),
}

/// How a handler settled a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SettledJob {
    /// The work is done.
    Done,
    /// The job is tried again.
    Retry,
    /// The job waits.
    Hold,
}

impl SettledJob {
    /// Returns the name for metrics.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Retry => "retry",
            Self::Hold => "hold",
        }
    }
}

impl JobAttemptResult {
    /// Converts the next step of a send to an outcome; `now` is when the step was decided.
    #[must_use]
    pub fn after(step: NextStep, now: Time) -> Self {
        Self::Settle(match step {
            NextStep::Done => JobOutcome::Done,
            NextStep::Hold { at, why } => JobOutcome::Hold { at, why },
            NextStep::Retry => JobOutcome::Retry { at: now.plus_ms(RETRY_MS), why: JobReason::Failed },
        })
    }
}

/// The return type of a handler; store errors are retried.
pub type HandlerResult = Result<JobAttemptResult, posthouse_store::Error>;

/// The handler of a job kind.
pub type JobHandler = Arc<dyn Fn(Arc<Service>, LeasedJob) -> BoxFuture<'static, HandlerResult> + Send + Sync>;

/// How long a lease lasts, in milliseconds. The runner renews the leases of running attempts, so jobs of a killed
/// worker wait this long for another worker.
pub const LEASE_MS: i64 = 45 * SECOND_MS;

/// The delay after a local failure to send, in milliseconds.
const RETRY_MS: i64 = MINUTE_MS;

/// Capacity per destination for the jobs of a kind.
pub trait JobCapacity: Send + Sync + 'static {
    /// Returns how many more jobs of the workspace may run for the destination now.
    fn available(&self, workspace: WorkspaceId, group: &str, now: Time) -> GroupCapacity;
    /// Records that a job began.
    fn record_start(&self, workspace: WorkspaceId, group: &str, now: Time);
    /// Records that a job ended.
    fn release(&self, workspace: WorkspaceId, group: &str);
    /// Returns when capacity may return without a job ending.
    fn next_at(&self) -> Option<Time>;
}

/// Capacity without a limit.
struct Unbounded;

impl JobCapacity for Unbounded {
    fn available(&self, _workspace: WorkspaceId, _group: &str, _now: Time) -> GroupCapacity {
        GroupCapacity::UNLIMITED
    }

    fn record_start(&self, _workspace: WorkspaceId, _group: &str, _now: Time) {}

    fn release(&self, _workspace: WorkspaceId, _group: &str) {}

    fn next_at(&self) -> Option<Time> {
        None
    }
}

/// How this process runs the jobs of a kind.
#[derive(Clone)]
pub struct JobDefinition {
    pub kind: JobKind,
    /// Maximum concurrent jobs of this kind in this process.
    pub concurrency: usize,
    /// Capacity per destination in this process; jobs without a destination are not limited.
    pub capacity: Arc<dyn JobCapacity>,
    pub run: JobHandler,
}

impl JobDefinition {
    /// Creates a definition with a handler and a concurrency of 1.
    pub fn new<F, Fut>(kind: JobKind, run: F) -> Self
    where
        F: Fn(Arc<Service>, LeasedJob) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = HandlerResult> + Send + 'static,
    {
        let run: JobHandler = Arc::new(move |service, job| Box::pin(run(service, job)));
        Self { kind, concurrency: 1, capacity: Arc::new(Unbounded), run }
    }

    /// Sets the maximum concurrent jobs.
    #[must_use]
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency.max(1);
        self
    }

    /// Sets the capacity per destination.
    #[must_use]
    pub fn capacity(mut self, capacity: Arc<dyn JobCapacity>) -> Self {
        self.capacity = capacity;
        self
    }
}
