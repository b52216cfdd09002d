//! Runs CPU-heavy work, such as parsing a mail of 25 MB, on a few blocking threads.

use posthouse_domain::error::{ErrorCode, Refusal};
use tokio::sync::Semaphore;

/// Maximum concurrent tasks; others wait. Each may hold several copies of a large mail. With few cores it is half of
/// them, so that large mails leave room for other requests.
const AT_ONCE_MAX: usize = 4;

/// Mail of at least this size, in bytes, is processed on a blocking thread.
const BYTES_MIN: usize = 128 * 1024;

/// The blocking pool.
#[derive(Debug)]
pub struct BlockingPool(Semaphore);

impl Default for BlockingPool {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Semaphore::new((cores / 2).clamp(1, AT_ONCE_MAX)))
    }
}

impl BlockingPool {
    /// Runs the work on a blocking thread, once a permit is free.
    ///
    /// # Errors
    /// Returns `internal_error` if the work panics.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
        let broken = || Refusal::new(ErrorCode::Internal, "The message couldn't be processed.");
        let _permit = self.0.acquire().await.map_err(|_| broken())?;
        tokio::task::spawn_blocking(work).await.map_err(|_| broken())
    }

    /// Runs work on a number of bytes: inline if they are few, otherwise as [`BlockingPool::run`].
    ///
    /// # Errors
    /// Returns `internal_error` if the work panics on a blocking thread.
    pub async fn run_sized<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        if bytes < BYTES_MIN { Ok(work()) } else { self.run(work).await }
    }
}
