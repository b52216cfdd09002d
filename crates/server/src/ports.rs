//! What the use-cases need from the outside world, as traits; `adapters/` implements them, tests bring fakes.

use std::{future::Future, pin::Pin};

use posthouse_domain::{id::Ids, time::Time};
use posthouse_mail::auth::{Answer, Question};

/// A future of a port.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Time and randomness.
pub trait Clock: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> Time;

    /// Comes back at that time, or at once when it is past.
    fn sleep_until(&self, time: Time) -> Pending<'static, ()>;

    /// Fills the buffer with random bytes fit for secrets.
    fn random(&self, buffer: &mut [u8]);

    /// A source of ids of now.
    fn ids(&self) -> Ids {
        let mut seed = [0; 8];
        self.random(&mut seed);
        Ids::new(self.now(), seed)
    }
}

/// Looks names up.
pub trait Dns: Send + Sync + 'static {
    /// Asks one question; time-outs and broken servers are an answer too ([`Answer::Failed`]).
    fn lookup(&self, question: Question) -> Pending<'_, Answer>;
}
