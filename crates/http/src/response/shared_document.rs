//! A public document that is dear to build: it is built at most once in a while, by one request for all others, and its
//! bytes are in memory once, however many clients read them. They count in the budget of responses.

use posthouse_app::ports::Clock;
use posthouse_domain::{Refusal, Time, WorkspaceId};
use tokio::sync::Mutex;

use crate::response::response_budget::ResponseBudget;
use crate::response::route_response::{DocumentVersion, entity_tag};

/// A document that all clients share.
#[derive(Debug, Default)]
pub(crate) struct SharedDocument(Mutex<Option<BuiltDocument>>);

/// The newest version, and when it was built or found unchanged.
#[derive(Debug)]
struct BuiltDocument {
    version: DocumentVersion,
    built_at: Time,
}

impl SharedDocument {
    /// Returns the version that was built less than `age_ms` ago, or builds one. Requests that come meanwhile wait for it. An
    /// older version is returned as long as the budget has no room for a new one.
    ///
    /// # Errors
    /// Returns the error of `build`, or `unavailable` or `rate_limited` if the budget has no room for the first version.
    pub(crate) async fn read(
        &self,
        budget: &ResponseBudget,
        clock: &dyn Clock,
        age_ms: i64,
        build: impl Future<Output = Result<Vec<u8>, Refusal>>,
    ) -> Result<DocumentVersion, Refusal> {
        let mut document = self.0.lock().await;
        let now = clock.now();
        if let Some(built) = document.as_ref().filter(|built| now.since_ms(built.built_at) < age_ms) {
            return Ok(built.version.clone());
        }
        let bytes = build.await?;
        let tag = entity_tag(&bytes);
        if let Some(built) = document.as_mut().filter(|built| built.version.tag == tag) {
            built.built_at = now;
            return Ok(built.version.clone());
        }
        match (budget.hold(WorkspaceId::SERVICE, bytes.into()), document.as_ref()) {
            (Ok(bytes), _) => {
                let version = DocumentVersion { bytes, tag };
                Ok(document.insert(BuiltDocument { version, built_at: now }).version.clone())
            }
            (Err(_), Some(old)) => Ok(old.version.clone()),
            (Err(refusal), None) => Err(refusal),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

    use posthouse_app::ports::BoxFuture;

    use super::*;

    struct SetClock(AtomicI64);

    impl Clock for SetClock {
        fn now(&self) -> Time {
            Time::from_millis(self.0.load(Ordering::Relaxed))
        }

        fn sleep_until(&self, _time: Time) -> BoxFuture<'static, ()> {
            Box::pin(std::future::pending())
        }

        fn random(&self, _buffer: &mut [u8]) {}
    }

    #[tokio::test]
    async fn a_document_is_built_once_for_all_and_in_memory_once() {
        let (budget, clock, built) = (ResponseBudget::of(1_500), SetClock(0.into()), AtomicUsize::new(0));
        let document = SharedDocument::default();
        let read = async |byte: u8| {
            let build = async {
                built.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
                Ok(vec![byte; 1_000])
            };
            document.read(&budget, &clock, 60_000, build).await.unwrap()
        };
        let (first, second) = tokio::join!(read(1), read(2));
        assert_eq!((first.bytes.as_ptr(), &first.tag), (second.bytes.as_ptr(), &second.tag));
        assert_eq!((built.load(Ordering::Relaxed), budget.used().0), (1, 1_000));
        clock.0.store(60_000, Ordering::Relaxed);
        let old = read(3).await;
        assert_eq!((built.load(Ordering::Relaxed), old.tag == first.tag), (2, true), "the old one is still being read");
        drop((first, second, old));
        // The document itself holds the old version, so that a new one must fit beside it.
        let budget = ResponseBudget::of(2_000);
        let next = document.read(&budget, &clock, 60_000, async { Ok(vec![4; 1_000]) }).await.unwrap();
        assert_eq!(next.bytes[0], 4);
    }
}
