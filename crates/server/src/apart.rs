//! Work that would hold up others on the runtime, such as reading a mail of 25 MB: on threads of its own, few at once.

use posthouse_domain::error::{Code, Refusal};
use tokio::sync::Semaphore;

/// Pieces of work at once; more wait. Each may hold several copies of a large mail.
const AT_ONCE_MAX: usize = 4;

/// Mails from this size on are worth a thread of their own, in bytes.
const BYTES_MIN: usize = 128 * 1024;

/// The place for such work.
#[derive(Debug)]
pub struct Apart(Semaphore);

impl Default for Apart {
    fn default() -> Self {
        Self(Semaphore::new(AT_ONCE_MAX))
    }
}

impl Apart {
    /// Runs the work on a thread of its own when its turn has come.
    ///
    /// # Errors
    /// `internal_error` when the work panicked.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
        let broken = || Refusal::new(Code::Internal, "The message could not be understood.");
        let _turn = self.0.acquire().await.map_err(|_| broken())?;
        tokio::task::spawn_blocking(work).await.map_err(|_| broken())
    }

    /// Runs work on so many bytes: here when they are few, else as [`Apart::run`] does.
    ///
    /// # Errors
    /// As [`Apart::run`].
    pub async fn run_sized<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        if bytes < BYTES_MIN { Ok(work()) } else { self.run(work).await }
    }
}
