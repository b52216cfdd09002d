//! Runs CPU-heavy work, such as parsing a mail of 25 MB, on a few blocking threads.
//!
//! Every use names its [`WorkClass`]. A class has threads of its own, so that work of one class never waits for another:
//! a stranger's mail that is dear to show delays neither receiving nor search nor new domains. Within a class a workspace has
//! half of the threads, so that it never delays another. The permit is inside the work: it is free when the thread is, not
//! when the caller goes away.
//!
//! | Class | Dearest input | Bound of one task |
//! |---|---|---|
//! | Receive | a mail of `smtp.max_message_bytes` | linear, see `crates/mail/tests/cost` |
//! | View | HTML at the bounds of `mail::html::view` | 10 s with its wait |
//! | Content | a file at the end of such a mail | 30 s with its wait |
//! | Compose | files of a message at its maximum | linear in their bytes |
//! | Deliver | such a message, whose keys changed | linear in its bytes |
//! | Search | a knowledge document; a batch of messages; a file's text | linear, with maximums of their own |
//! | Keys | an RSA key | one key |
//! | Respond | a response of the maximum size | linear in its bytes |
//!
//! Every use, which a test compares with the code (`layout_rules/blocking_work` of the tests):
//!
//! - Receive: `app/src/inbound/authenticate.rs`, `app/src/inbound/receive.rs`,
//!   `app/src/outbound/local_delivery/run.rs`
//! - View: `app/src/messages/mail_html.rs`
//! - Content: `app/src/forwarding/pass_on.rs`, `app/src/messages/raw.rs`, `app/src/outbound/forward.rs`
//! - Compose: `app/src/drafts/attachments.rs`, `app/src/drafts/judge.rs`, `app/src/outbound/accept.rs`,
//!   `app/src/outbound/forward.rs`, `app/src/outbound/guard/files.rs`, `app/src/outbound/guard/held.rs`,
//!   `mcp/src/server/files.rs`
//! - Deliver: `app/src/outbound/deliver/call.rs`
//! - Search: `app/src/extraction/screen.rs`, `app/src/knowledge/files.rs`, `app/src/knowledge/search.rs`,
//!   `app/src/knowledge/write.rs`, `app/src/messages/index.rs`
//! - Keys: `app/src/domains/add.rs`
//! - Respond: `app/src/outbound/accept.rs`, `mcp/src/events.rs`, `mcp/src/invoke.rs`,
//!   `operations/src/v1/inboxes/messages/claim.rs`
//!
//! One test holds the share of a workspace in each class behind such input and does the work of others (`limits/content_work`
//! of the tests).

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, atomic::AtomicBool, atomic::Ordering};
use std::{collections::HashMap, time::Duration};

use posthouse_domain::{ErrorCode, LimitName, Refusal, WorkspaceId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum concurrent tasks of a class; others wait. Each may hold several copies of a large mail. With few cores it is
/// half of them, so that large mails leave room for other requests.
const AT_ONCE_MAX: usize = 4;
/// The minimum: with one thread, a workspace could hold all of a class.
const AT_ONCE_MIN: usize = 2;
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
    /// The limits of a workspace.
    share: WorkShare,
}

/// The limits of one workspace in a class. It has at most half of the threads.
#[derive(Clone, Copy)]
struct WorkShare {
    /// Maximum number of tasks that run and wait.
    tasks_max: u64,
    /// Maximum time until a task has ended, with the time that it waits, in milliseconds.
    deadline_ms: u64,
}

impl WorkShare {
    /// Of work whose number and size other limits bound. Nothing but its share of the threads delays it.
    const THREADS_ONLY: Self = Self { tasks_max: u64::MAX, deadline_ms: u64::MAX };
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
        let own = WorkLimits { inline_bytes_max: INLINE_BYTES_MAX, share: WorkShare::THREADS_ONLY };
        match self {
            WorkClass::View => {
                WorkLimits { inline_bytes_max: 0, share: WorkShare { tasks_max: 16, deadline_ms: 10_000 } }
            }
            WorkClass::Content => WorkLimits {
                inline_bytes_max: FOREIGN_INLINE_BYTES_MAX,
                share: WorkShare { tasks_max: 64, deadline_ms: 30_000 },
            },
            WorkClass::Receive => WorkLimits { inline_bytes_max: FOREIGN_INLINE_BYTES_MAX, ..own },
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
        (cores / 2).clamp(AT_ONCE_MIN, AT_ONCE_MAX)
    }

    /// Returns how many threads one workspace has at most.
    #[must_use]
    pub fn threads_per_workspace(self) -> usize {
        self.threads() / 2
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

    /// Returns the stop of work that should end.
    #[cfg(test)]
    pub(crate) fn stopped() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Ends the work between two steps, each at most one pass over the bytes.
    ///
    /// # Errors
    /// Returns [`WorkStopped`] if the work should end.
    pub fn check(&self) -> Result<(), WorkStopped> {
        if self.is_stopped() { Err(WorkStopped) } else { Ok(()) }
    }
}

/// Work ended early. Nobody sees it, because nobody waits for the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkStopped;

impl From<WorkStopped> for Refusal {
    fn from(_: WorkStopped) -> Self {
        Self::new(ErrorCode::Internal, "The work on the message was stopped.")
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
    /// Runs work on mail from outside: inline if it is small, otherwise on a thread of [`WorkClass::Receive`], once one is
    /// free. Such a mail may go to several workspaces, so it has no share: each client has one of the content that is
    /// received (`smtp_content.rs`).
    ///
    /// # Errors
    /// Returns `internal_error` if the work panics on a blocking thread.
    pub async fn run_receipt<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let class = WorkClass::Receive;
        if bytes < class.inline_bytes_max() {
            return Ok(work());
        }
        let thread = Arc::clone(&self.0[class as usize].threads).acquire_owned().await.map_err(|_| broken())?;
        spawn(WorkPermit { _thread: thread, _share: None }, work).await
    }

    /// Runs work on a number of bytes: inline if they are few and the class allows it, otherwise on a thread of its class,
    /// within the share of the workspace that it is for and until the deadline of the class, if it has one. The work is stopped at the deadline, and when this future is dropped.
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
        let deadline_ms = owner.class.limits().share.deadline_ms;
        self.run_until(owner, bytes, work, tokio::time::sleep(Duration::from_millis(deadline_ms))).await
    }

    /// Runs work as [`BlockingPool::run_for`], until the end of `deadline`.
    async fn run_until<T: Send + 'static>(
        &self,
        owner: WorkOwner,
        bytes: usize,
        work: impl FnOnce(&WorkStop) -> T + Send + 'static,
        deadline: impl Future<Output = ()>,
    ) -> Result<T, Refusal> {
        let limits = owner.class.limits();
        let stop = WorkStop::default();
        if bytes < limits.inline_bytes_max {
            return Ok(work(&stop));
        }
        let _stops = StopOnDrop(stop.clone());
        let share = limits.share;
        let (task, own) = self.task(owner, share.tasks_max)?;
        let run = async {
            let own = own.acquire_owned().await.map_err(|_| broken())?;
            let threads = Arc::clone(&self.0[owner.class as usize].threads);
            let thread = threads.acquire_owned().await.map_err(|_| broken())?;
            spawn(WorkPermit { _thread: thread, _share: Some((own, task)) }, move || work(&stop)).await
        };
        tokio::select! {
            biased;
            done = run => done,
            () = deadline => {
                let message = format!("The content wasn't ready within {} seconds.", share.deadline_ms / 1000);
                let refusal = Refusal::new(ErrorCode::Unavailable, message);
                Err(refusal.at_limit(LimitName::ContentWorkTime, share.deadline_ms, RETRY_S))
            }
        }
    }

    /// Returns how many tasks of a workspace run and wait.
    #[must_use]
    pub fn tasks(&self, owner: WorkOwner) -> u64 {
        let shares = self.0[owner.class as usize].shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.get(&owner.workspace).map_or(0, |used| used.tasks)
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
    pub class: WorkClass,
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
mod tests;
