//! What a kind of job is, and the list of all kinds.
//!
//! An attempt goes prepare → call → settle: it reads the rows again (a job is only a hint), calls the outside world without
//! a transaction, and writes what came of it together with [`jobs::settle`](posthouse_store::jobs::settle) in one
//! transaction. What fails before that settle is tried again by the runner.

use std::sync::Arc;

use posthouse_domain::{
    id::WorkspaceId,
    time::{MINUTE_MS, SECOND_MS, Time},
};
use posthouse_store::jobs::{Leased, Outcome, due::Room};

use super::{certificate, domain_check, forward, inbox_expiry, outbound, role_notice, scheduled_draft, webhook_notice};
use crate::{
    app::{App, next_step::NextStep},
    ports::Pending,
};

/// What an attempt says when it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ran {
    /// It has settled its job in a transaction of its own. The name is for the metrics: `done`, `retry`, `hold`, `dead`, `settled`.
    Settled(&'static str),
    /// It has nothing else to write: the runner settles the job so.
    Settle(Outcome),
}

impl Ran {
    /// What follows from a try to send, told at that time.
    #[must_use]
    pub fn after(step: NextStep, now: Time) -> Self {
        Self::Settle(match step {
            NextStep::Done => Outcome::Done,
            NextStep::Hold { at, why } => Outcome::Hold { at, why },
            NextStep::Retry => Outcome::Retry { at: now.plus_ms(RETRY_MS), why: "failed" },
        })
    }
}

/// The end of an attempt; the store's failures are tried again.
pub type Attempt = Result<Ran, posthouse_store::Error>;

/// What runs one job.
pub type Run = Arc<dyn Fn(Arc<App>, Leased) -> Pending<'static, Attempt> + Send + Sync>;

/// How long a lease lasts, in milliseconds. The runner renews those of running attempts, so this is how long the jobs of
/// a worker that was killed wait for another.
pub const LEASE_MS: i64 = 45 * SECOND_MS;

/// The gap before a new try to send after a failure of ours, in milliseconds.
const RETRY_MS: i64 = MINUTE_MS;

/// Who knows how much room the lanes of a kind have.
pub trait Lanes: Send + Sync + 'static {
    /// How many more jobs of the workspace may run in the lane now.
    fn room(&self, workspace: WorkspaceId, lane: &str, now: Time) -> Room;
    /// Notes that one runs.
    fn began(&self, workspace: WorkspaceId, lane: &str, now: Time);
    /// Notes that one runs no more.
    fn ended(&self, workspace: WorkspaceId, lane: &str);
    /// When there may be room by time alone.
    fn next_at(&self) -> Option<Time>;
}

/// Lanes without bounds.
struct Unbounded;

impl Lanes for Unbounded {
    fn room(&self, _workspace: WorkspaceId, _lane: &str, _now: Time) -> Room {
        Room::UNLIMITED
    }

    fn began(&self, _workspace: WorkspaceId, _lane: &str, _now: Time) {}

    fn ended(&self, _workspace: WorkspaceId, _lane: &str) {}

    fn next_at(&self) -> Option<Time> {
        None
    }
}

/// A kind of job.
#[derive(Clone)]
pub struct JobKind {
    /// Its name in the table.
    pub name: &'static str,
    /// Most jobs of the kind that run at once in this process.
    pub concurrency: usize,
    /// The room of its lanes in this process; jobs without a lane have no such bound.
    pub lanes: Arc<dyn Lanes>,
    /// Runs one job.
    pub run: Run,
}

impl JobKind {
    /// A kind whose jobs that function runs, one at a time until told otherwise.
    pub fn new<F, Fut>(name: &'static str, run: F) -> Self
    where
        F: Fn(Arc<App>, Leased) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Attempt> + Send + 'static,
    {
        let run: Run = Arc::new(move |app, job| Box::pin(run(app, job)));
        Self { name, concurrency: 1, lanes: Arc::new(Unbounded), run }
    }

    /// Runs up to so many at once.
    #[must_use]
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency.max(1);
        self
    }

    /// Runs as many of each lane as these say.
    #[must_use]
    pub fn lanes(mut self, lanes: Arc<dyn Lanes>) -> Self {
        self.lanes = lanes;
        self
    }
}

/// Every kind that this program runs.
#[must_use]
pub fn all(app: &App) -> Vec<JobKind> {
    let mut kinds = vec![
        inbox_expiry::kind(),
        outbound::kind(app),
        domain_check::kind(),
        scheduled_draft::kind(),
        forward::kind(),
        webhook_notice::kind(),
        role_notice::kind(),
    ];
    // Each kind costs a look at the table.
    if app.config.smtp.acme {
        kinds.push(certificate::kind());
    }
    kinds
}
