//! Keeps the full-text index close to the stored mail. While mail keeps arriving or leaving, indexing may lag; after a
//! quiet second it catches up. Searches don't depend on this loop: they update the index of their workspace themselves.

use std::sync::Arc;

use posthouse_domain::{ErrorCode, Refusal, SECOND_MS};

use crate::{Service, limits::write_pressure::WritePressure, messages::index};

/// The interval between passes, in milliseconds. A second without new mail and without write pressure counts as quiet.
const GATHER_MS: i64 = SECOND_MS;

/// Indexes new mail until the process ends.
pub async fn run(service: Arc<Service>) {
    let mut waiter = service.store.wakes().subscribe_any();
    let mut before = 0;
    let mut write_pressure = WritePressure::start(&service);
    loop {
        let is_under_pressure = write_pressure.is_on(&service);
        match index::pending(&service).await {
            // The wakeup is used up, but its work is not done: try again after the interval.
            Err(refusal) => log_deferred("reading the index lag", &refusal),
            Ok(0) => {
                before = 0;
                tokio::select! {
                    () = service.lifecycle.drained() => return,
                    () = waiter.changed() => {}
                }
            }
            Ok(lag) => {
                if let Err(refusal) = index::index_pending(&service, lag == before && !is_under_pressure).await {
                    log_deferred("indexing", &refusal);
                }
                before = lag;
            }
        }
        tokio::select! {
            () = service.lifecycle.drained() => return,
            () = service.clock.sleep_until(service.clock.now().plus_ms(GATHER_MS)) => {}
        }
    }
}

/// Logs deferred work, except during a store outage, which the store itself logs.
fn log_deferred(what: &'static str, refusal: &Refusal) {
    if refusal.code != ErrorCode::Unavailable {
        tracing::warn!(what, cause = refusal.message, "background work deferred");
    }
}
