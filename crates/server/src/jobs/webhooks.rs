//! Carries events to webhooks: one desk for each workspace that has any, woken by its commits.
//!
//! It holds no rule of its own: what is sent, when again and what follows is `app::webhooks`. A receiver that is slow or dead
//! fills its own few places and nobody else's.

mod desk;

use std::{collections::HashSet, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use posthouse_domain::{
    id::WorkspaceId,
    time::{SECOND_MS, Time},
};
use posthouse_store::{Engine, Result, webhook_deliveries, webhooks};
use tokio::task::JoinSet;
use uuid::Uuid;

use self::desk::Desk;
use crate::{app::App, telemetry};

/// How long it waits at most before it looks for new workspaces, in milliseconds: for wakes of other processes that were lost.
const POLL_MS: i64 = 10 * SECOND_MS;
/// Rounds in a row of [`run_due`] that may fail.
const FAILURES_MAX: usize = 10;
/// Rounds of [`run_due`] before it is taken for something that makes itself due without end.
const ROUNDS_MAX: usize = 10_000;

/// Carries events until the process ends ([`crate::shutdown::Life`]).
pub async fn run(app: Arc<App>) {
    // Whoever makes or changes a webhook wakes this one, beside the workspace.
    let mut waiter = app.store.subscribe(Uuid::nil());
    let mut desks: JoinSet<WorkspaceId> = JoinSet::new();
    let mut open: HashSet<WorkspaceId> = HashSet::new();
    free_own_leases(&app).await;
    while !app.life.is_draining() {
        match app.store.read(webhooks::workspaces).await {
            Ok(found) => {
                for workspace in found {
                    if open.insert(workspace) {
                        let desk = Desk::new(app.clone(), workspace);
                        desks.spawn(attended(app.clone(), desk));
                    }
                }
            }
            Err(error) => telemetry::put_off("look for webhooks", &error),
        }
        let poll_at = app.clock.now().plus_ms(POLL_MS);
        tokio::select! {
            () = app.life.drained() => {}
            () = waiter.changed() => {}
            () = app.clock.sleep_until(poll_at) => {}
            Some(Ok(closed)) = desks.join_next() => drop(open.remove(&closed)),
        }
    }
    while desks.join_next().await.is_some() {}
}

/// Runs a desk to its end. One that panics has a successor a little later: events must not wait for the next start.
async fn attended(app: Arc<App>, desk: Desk) -> WorkspaceId {
    let workspace = desk.workspace();
    if AssertUnwindSafe(desk.run()).catch_unwind().await.is_err() {
        tracing::error!(workspace_id = %workspace, "webhooks.panicked");
        tokio::select! {
            () = app.life.drained() => {}
            () = app.clock.sleep_until(app.clock.now().plus_ms(POLL_MS)) => {}
        }
    }
    workspace
}

/// An embedded database has one worker: what is leased at its start was leased by one that is no more.
async fn free_own_leases(app: &App) {
    if app.store.engine() != Engine::Sqlite {
        return;
    }
    let now = app.clock.now();
    match app.store.write(move |tx| webhook_deliveries::free(tx, now)).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "webhooks.freed"),
        Err(error) => telemetry::put_off("freeing of webhook attempts", &error),
    }
}

/// Makes every attempt that is due now, until none is, and says how many that were. For tests, where time stands still.
///
/// # Errors
/// The store's own.
///
/// # Panics
/// When attempts make themselves due again without end.
pub async fn run_due(app: &Arc<App>) -> Result<usize> {
    let mut count = 0;
    for workspace in app.store.read(webhooks::workspaces).await? {
        let (mut desk, mut failures) = (Desk::new(app.clone(), workspace), 0);
        for round in 0.. {
            assert!(round < ROUNDS_MAX, "attempts make themselves due again without end");
            match desk.run_once().await {
                Ok(0) => break,
                Ok(made) => (count, failures) = (count + made, 0),
                // As in a running service, the same desk goes on.
                Err(error) if failures == FAILURES_MAX => return Err(error),
                Err(_) => failures += 1,
            }
        }
    }
    Ok(count)
}

/// The earlier of two times.
fn earlier(a: Option<Time>, b: Time) -> Time {
    a.map_or(b, |a| a.min(b))
}
