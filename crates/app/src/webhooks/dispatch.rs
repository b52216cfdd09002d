//! Runs one dispatcher for each workspace that has webhooks, woken by its commits.
//!
//! The delivery rules are in [`crate::webhooks`]. A slow or dead receiver uses up its own small queue only.

mod dispatcher;

use std::{collections::HashSet, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use posthouse_domain::{SECOND_MS, Time, WorkspaceId};
use posthouse_store::{Engine, Result, webhook_deliveries, webhooks};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::{service::ReadScope, service::Service, webhooks::dispatch::dispatcher::WebhookDispatcher};

/// Longest time between checks for new workspaces, in milliseconds. Covers lost wakeups from other processes.
const POLL_MS: i64 = 10 * SECOND_MS;
/// Failed batches in a row that [`run_due`] tolerates.
const FAILURES_MAX: usize = 10;
/// Batches after which [`run_due`] assumes an endless loop.
const ROUNDS_MAX: usize = 10_000;

/// Dispatches events until the process ends ([`crate::lifecycle::Lifecycle`]).
pub async fn run(service: Arc<Service>) {
    // Creating or changing a webhook wakes the nil workspace too.
    let mut waiter = service.store.subscribe(Uuid::nil());
    let mut dispatchers: JoinSet<WorkspaceId> = JoinSet::new();
    let mut open: HashSet<WorkspaceId> = HashSet::new();
    release_own_leases(&service).await;
    while !service.lifecycle.is_draining() {
        match service.read(ReadScope::Service, webhooks::workspaces).await {
            Ok(found) => {
                for workspace in found {
                    if open.insert(workspace) {
                        let dispatcher = WebhookDispatcher::new(service.clone(), workspace);
                        dispatchers.spawn(run_dispatcher(service.clone(), dispatcher));
                    }
                }
            }
            Err(error) => crate::telemetry::log_deferred("listing workspaces with webhooks", &error),
        }
        let poll_at = service.clock.now().plus_ms(POLL_MS);
        tokio::select! {
            () = service.lifecycle.drained() => {}
            () = waiter.changed() => {}
            () = service.clock.sleep_until(poll_at) => {}
            Some(Ok(closed)) = dispatchers.join_next() => drop(open.remove(&closed)),
        }
    }
    while dispatchers.join_next().await.is_some() {}
}

/// Runs a dispatcher to its end. After a panic, [`run`] starts another one a little later, without a restart of the
/// process.
async fn run_dispatcher(service: Arc<Service>, dispatcher: WebhookDispatcher) -> WorkspaceId {
    let workspace = dispatcher.workspace();
    if AssertUnwindSafe(dispatcher.run()).catch_unwind().await.is_err() {
        tracing::error!(workspace_id = %workspace, "webhooks.panicked");
        tokio::select! {
            () = service.lifecycle.drained() => {}
            () = service.clock.sleep_until(service.clock.now().plus_ms(POLL_MS)) => {}
        }
    }
    workspace
}

/// Releases all leases of an embedded database: it has one worker, so they belong to an earlier process.
async fn release_own_leases(service: &Service) {
    if service.store.engine() != Engine::Sqlite {
        return;
    }
    let now = service.clock.now();
    match service.write(move |tx| webhook_deliveries::free(tx, now)).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "webhooks.leases_released"),
        Err(error) => crate::telemetry::log_deferred("releasing webhook attempts", &error),
    }
}

/// Makes every attempt that is due until none is left, and returns how many it made. For tests, where the clock is
/// manual.
///
/// # Errors
/// Returns an error if the database call fails.
///
/// # Panics
/// Panics if attempts keep making themselves due.
pub async fn run_due(service: &Arc<Service>) -> Result<usize> {
    let mut count = 0;
    for workspace in service.read(ReadScope::Service, webhooks::workspaces).await? {
        let (mut dispatcher, mut failures) = (WebhookDispatcher::new(service.clone(), workspace), 0);
        for round in 0.. {
            assert!(round < ROUNDS_MAX, "attempts keep making themselves due");
            match dispatcher.run_once().await {
                Ok(0) => break,
                Ok(made) => (count, failures) = (count + made, 0),
                // As in a running service, the same dispatcher continues.
                Err(error) if failures == FAILURES_MAX => return Err(error),
                Err(_) => failures += 1,
            }
        }
    }
    Ok(count)
}

/// Returns the earlier of two times.
fn earlier(a: Option<Time>, b: Time) -> Time {
    a.map_or(b, |a| a.min(b))
}
