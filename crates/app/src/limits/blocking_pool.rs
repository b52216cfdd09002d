//! Runs CPU-heavy work, such as parsing a mail of 25 MB, on a few blocking threads.
//!
//! Every use names its [`WorkClass`]. A class has threads of its own, so that work of one class never waits for another:
//! a stranger's mail that is dear to show delays neither receiving nor search nor new domains. The permit is inside the
//! work: it is free when the thread is, not when the caller goes away.

use std::sync::{Arc, Mutex, PoisonError, atomic::AtomicBool, atomic::Ordering};
use std::{collections::HashMap, time::Duration};

use posthouse_domain::{ErrorCode, LimitName, Refusal, WorkspaceId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum concurrent tasks of a class; others wait. Each may hold several copies of a large mail. With few cores it is
/// half of them, so that large mails leave room for other requests.
const AT_ONCE_MAX: usize = 4;
/// Work on fewer bytes than this may run inline: at most a few milliseconds, because all of it is linear
/// (`crates/mail/tests/cost`).
const INLINE_BYTES_MAX: usize = 128 * 1024;
/// The same for mail of strangers, which may be made to be dear: attached messages are searched for links of the service
/// at every depth.
const FOREIGN_INLINE_BYTES_MAX: usize = 16 * 1024;
/// Seconds after which a caller that found no room may try again.
const RETRY_S: u64 = 2;

/// What work on the blocking pool is for. Each class has threads of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkClass {
    /// Authenticates, parses and compresses mail that arrives, by SMTP or from an inbox of this service.
    Receive,
    /// Makes the HTML of a mail safe to view. Never inline, whatever its size.
    View,
    /// Unpacks stored mail and extracts its parts: raw mail, attachments, forwards.
    Content,
    /// Composes, signs and compresses mail and files of the service's users.
    Compose,
    /// Signs mail that is delivered.
    Deliver,
    /// Splits messages into words for the search index.
    Search,
    /// Generates keys of domains.
    Keys,
    /// Renders large responses.
    Respond,
}

/// The limits of a class.
struct WorkLimits {
    /// Work on fewer bytes runs inline; 0 for work that never does.
    inline_bytes_max: usize,
    /// Minimum number of threads, also with one core.
    threads_min: usize,
    /// The limits of work that a workspace asks for on mail of strangers.
    share: Option<WorkShare>,
}

/// The limits of one workspace in a class. It has at most half of the threads.
#[derive(Clone, Copy)]
struct WorkShare {
    /// Maximum number of tasks that run and wait.
    tasks_max: u64,
    /// Maximum time until a task has ended, with the time that it waits, in milliseconds.
    deadline_ms: u64,
}

impl WorkClass {
    /// All classes.
    pub const ALL: [WorkClass; 8] = [
        WorkClass::Receive,
        WorkClass::View,
        WorkClass::Content,
        WorkClass::Compose,
        WorkClass::Deliver,
        WorkClass::Search,
        WorkClass::Keys,
        WorkClass::Respond,
    ];

    const fn limits(self) -> WorkLimits {
        let own = WorkLimits { inline_bytes_max: INLINE_BYTES_MAX, threads_min: 1, share: None };
        let foreign = WorkLimits { inline_bytes_max: FOREIGN_INLINE_BYTES_MAX, threads_min: 2, share: None };
        match self {
            WorkClass::View => WorkLimits {
                inline_bytes_max: 0,
                threads_min: 2,
                share: Some(WorkShare { tasks_max: 16, deadline_ms: 10_000 }),
            },
            WorkClass::Content => {
                WorkLimits { share: Some(WorkShare { tasks_max: 64, deadline_ms: 30_000 }), ..foreign }
            }
            WorkClass::Receive => foreign,
            WorkClass::Search | WorkClass::Keys => WorkLimits { inline_bytes_max: 0, ..own },
            WorkClass::Compose | WorkClass::Deliver | WorkClass::Respond => own,
        }
    }

    /// Returns the number of bytes from which on work of the class leaves the threads of requests; 0 if it always does.
    #[must_use]
    pub fn inline_bytes_max(self) -> usize {
        self.limits().inline_bytes_max
    }

    /// Returns the number of threads of the class.
    #[must_use]
    pub fn threads(self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (cores / 2).clamp(self.limits().threads_min, AT_ONCE_MAX)
    }

    /// Returns how many threads one workspace has at most.
    #[must_use]
    pub fn threads_per_workspace(self) -> usize {
        if self.limits().share.is_some() { (self.threads() / 2).max(1) } else { self.threads() }
    }
}

/// Whether work should end because nobody waits for it anymore. The work checks it in its loops.
#[derive(Clone, Debug, Default)]
pub struct WorkStop(Arc<AtomicBool>);

impl WorkStop {
    /// Returns whether the caller went away, or the deadline passed.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Stops the work when the future that waits for it is dropped.
struct StopOnDrop(WorkStop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// The blocking pool: the threads of all classes.
#[derive(Debug)]
pub struct BlockingPool([ClassPool; WorkClass::ALL.len()]);

#[derive(Debug)]
struct ClassPool {
    threads: Arc<Semaphore>,
    shares: Arc<Mutex<HashMap<WorkspaceId, UsedShare>>>,
}

/// What a workspace uses of a class.
#[derive(Debug)]
struct UsedShare {
    threads: Arc<Semaphore>,
    tasks: u64,
}

/// A task of a workspace that waits or runs.
struct WorkspaceTask {
    shares: Arc<Mutex<HashMap<WorkspaceId, UsedShare>>>,
    workspace: WorkspaceId,
}

impl Drop for WorkspaceTask {
    fn drop(&mut self) {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used) = shares.get_mut(&self.workspace) {
            used.tasks -= 1;
            if used.tasks == 0 {
                shares.remove(&self.workspace);
            }
        }
    }
}

/// What running work holds until it ends.
struct WorkPermit {
    _thread: OwnedSemaphorePermit,
    _share: Option<(OwnedSemaphorePermit, WorkspaceTask)>,
}

impl Default for BlockingPool {
    fn default() -> Self {
        Self(
            WorkClass::ALL
                .map(|class| ClassPool { threads: Arc::new(Semaphore::new(class.threads())), shares: Arc::default() }),
        )
    }
}

impl BlockingPool {
    /// Runs the work on a blocking thread of its class, once one is free.
    ///
    /// # Errors
    /// Returns `internal_error` if the work panics.
    pub async fn run<T: Send + 'static>(
        &self,
        class: WorkClass,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        debug_assert!(class.limits().share.is_none(), "work of {class:?} belongs to a workspace");
        let thread = Arc::clone(&self.0[class as usize].threads).acquire_owned().await.map_err(|_| broken())?;
        spawn(WorkPermit { _thread: thread, _share: None }, work).await
    }

    /// Runs work on a number of bytes: inline if they are few and the class allows it, otherwise as
    /// [`BlockingPool::run`].
    ///
    /// # Errors
    /// Returns `internal_error` if the work panics on a blocking thread.
    pub async fn run_sized<T: Send + 'static>(
        &self,
        class: WorkClass,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        if bytes < class.limits().inline_bytes_max { Ok(work()) } else { self.run(class, work).await }
    }

    /// Runs work on mail of strangers as [`BlockingPool::run_sized`], within the share of the workspace that asks for it
    /// and until the deadline of the class. The work is stopped at the deadline, and when this future is dropped.
    ///
    /// # Errors
    /// Returns `rate_limited` if too many tasks of the workspace wait, `unavailable` at the deadline, or
    /// `internal_error` if the work panics.
    pub async fn run_for<T: Send + 'static>(
        &self,
        owner: WorkOwner,
        bytes: usize,
        work: impl FnOnce(&WorkStop) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let limits = owner.class.limits();
        let stop = WorkStop::default();
        if bytes < limits.inline_bytes_max {
            return Ok(work(&stop));
        }
        let _stops = StopOnDrop(stop.clone());
        let share = limits.share.unwrap_or(WorkShare { tasks_max: u64::MAX, deadline_ms: u64::MAX });
        let (task, own) = self.task(owner, share.tasks_max)?;
        let run = async {
            let own = own.acquire_owned().await.map_err(|_| broken())?;
            let threads = Arc::clone(&self.0[owner.class as usize].threads);
            let thread = threads.acquire_owned().await.map_err(|_| broken())?;
            spawn(WorkPermit { _thread: thread, _share: Some((own, task)) }, move || work(&stop)).await
        };
        let late = || {
            let message = format!("The content wasn't ready within {} seconds.", share.deadline_ms / 1000);
            Refusal::new(ErrorCode::Unavailable, message).at_limit(
                LimitName::ContentWorkTime,
                share.deadline_ms,
                RETRY_S,
            )
        };
        tokio::time::timeout(Duration::from_millis(share.deadline_ms), run).await.map_err(|_| late())?
    }

    /// Returns how many threads of a class are free.
    #[must_use]
    pub fn free_threads(&self, class: WorkClass) -> usize {
        self.0[class as usize].threads.available_permits()
    }

    /// Counts a task of a workspace. Returns it with the threads of the workspace.
    fn task(&self, owner: WorkOwner, tasks_max: u64) -> Result<(WorkspaceTask, Arc<Semaphore>), Refusal> {
        let shares = &self.0[owner.class as usize].shares;
        let mut uses = shares.lock().unwrap_or_else(PoisonError::into_inner);
        let threads_max = owner.class.threads_per_workspace();
        let new = || UsedShare { threads: Arc::new(Semaphore::new(threads_max)), tasks: 0 };
        let used = uses.entry(owner.workspace).or_insert_with(new);
        if used.tasks >= tasks_max {
            let message =
                format!("{tasks_max} requests of your workspace for the content of mail are being worked on.");
            let refusal = Refusal::new(ErrorCode::RateLimited, message);
            return Err(refusal.at_limit(LimitName::ContentWorkPerWorkspace, tasks_max, RETRY_S));
        }
        used.tasks += 1;
        let own = Arc::clone(&used.threads);
        drop(uses);
        Ok((WorkspaceTask { shares: Arc::clone(shares), workspace: owner.workspace }, own))
    }
}

/// The class of work, and the workspace that asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkOwner {
    /// The class.
    pub class: WorkClass,
    /// The workspace.
    pub workspace: WorkspaceId,
}

fn broken() -> Refusal {
    Refusal::new(ErrorCode::Internal, "The message couldn't be processed.")
}

async fn spawn<T: Send + 'static>(permit: WorkPermit, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    let run = move || {
        let done = work();
        drop(permit);
        done
    };
    tokio::task::spawn_blocking(run).await.map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    const fn view(workspace: WorkspaceId) -> WorkOwner {
        WorkOwner { class: WorkClass::View, workspace }
    }

    fn workspace(number: u128) -> WorkspaceId {
        uuid::Uuid::from_u128(number).into()
    }

    /// Work that ends when the channel does.
    fn held(until: Receiver<()>) -> impl FnOnce(&WorkStop) + Send {
        move |_| until.recv().unwrap_or_default()
    }

    #[tokio::test]
    async fn a_workspace_has_half_of_the_threads_and_a_bounded_queue() {
        let pool = Arc::new(BlockingPool::default());
        let share = WorkClass::View.limits().share.expect("a share");
        let (mut ends, mut tasks) = (Vec::new(), Vec::new());
        for _ in 0..share.tasks_max {
            let (end, until) = channel();
            ends.push(end);
            tasks.push(Box::pin(pool.run_for(view(workspace(1)), 1, held(until))));
        }
        for task in &mut tasks {
            assert!(futures_util::poll!(task).is_pending());
        }
        let refused = pool.run_for(view(workspace(1)), 1, |_| ()).await.expect_err("the queue is full");
        assert_eq!(
            (refused.code, refused.limit(), refused.max()),
            (ErrorCode::RateLimited, Some(LimitName::ContentWorkPerWorkspace), Some(share.tasks_max))
        );
        pool.run_for(view(workspace(2)), 1, |_| ()).await.expect("another workspace has a thread");
        for class in WorkClass::ALL.into_iter().filter(|class| class.limits().share.is_none()) {
            pool.run(class, || ()).await.expect("another class has a thread");
        }
        drop(ends);
        for task in tasks {
            task.await.expect("the work ends");
        }
        pool.run_for(view(workspace(1)), 1, |_| ()).await.expect("the queue is empty again");
    }

    #[tokio::test]
    async fn a_dropped_caller_stops_the_work_and_the_permit_is_free_after_it() {
        let pool = BlockingPool::default();
        let (started, is_started) = channel();
        let (seen, is_seen) = channel();
        let (end, until) = channel::<()>();
        let work = move |stop: &WorkStop| {
            started.send(()).expect("the test waits");
            while !stop.is_stopped() {
                std::thread::yield_now();
            }
            seen.send(()).expect("the test waits");
            let _ = until.recv();
        };
        let mut task = Box::pin(pool.run_for(view(workspace(1)), 1, work));
        assert!(futures_util::poll!(&mut task).is_pending());
        is_started.recv().expect("the work starts");
        drop(task);
        is_seen.recv().expect("the work is stopped");
        assert_eq!(pool.free_threads(WorkClass::View), WorkClass::View.threads() - 1, "the thread still runs");
        drop(end);
        while pool.free_threads(WorkClass::View) < WorkClass::View.threads() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn html_never_runs_inline() {
        let caller = std::thread::current().id();
        let ran_on = BlockingPool::default().run_for(view(workspace(1)), 1, |_| std::thread::current().id()).await;
        assert_ne!(ran_on.expect("the work ends"), caller);
    }
}
