//! Once a minute: hints that were lost are made anew, and what is past its time is thrown away.
//!
//! Every count of re-created jobs should stay at zero; it is there to show a bug, not to hide one.

use std::sync::Arc;

use posthouse_domain::{
    event,
    queue::GONE_KEPT_MS,
    suspension,
    time::{DAY_MS, MINUTE_MS, Time},
};
use posthouse_store::{
    Result, Tx, drafts, forwarding, greylist, incidents, jobs, mail_domains, metrics, queue, sweep as store, webhooks,
};

use super::{certificate, retention};
use crate::app::{
    App, add_domain, claim, create_inbox, deliver, draft, expire_inbox, forwarding as app_forwarding,
    webhooks::change::forget_attempts,
};

/// How often it runs, in milliseconds.
pub const EVERY_MS: i64 = MINUTE_MS;
/// How long answers are kept for repeated requests, in milliseconds (decision 4).
const IDEMPOTENCY_KEPT_MS: i64 = DAY_MS;
/// A blob that nothing names is removed after so long, in milliseconds.
const BLOB_KEPT_MS: i64 = DAY_MS;
/// Lost hints that one sweep makes anew; the rest waits for the next.
const LOST_MAX: u32 = 500;
/// Attempts of a re-created outbound job; its envelope's own end comes long before.
const OUTBOUND_ATTEMPT_MAX: u32 = 200;
/// Rows that one sweep throws away in one transaction, so that nobody waits long behind it.
const ROWS_MAX: u32 = 1_000;
/// Transactions of one sweep for each kind of row.
const ROUNDS_MAX: usize = 50;

/// Runs one sweep; says how many jobs it re-created.
///
/// # Errors
/// The store's own.
pub async fn run(app: &Arc<App>) -> Result<u64> {
    let now = app.clock.now();
    certificate::ensure(app, now).await?;
    let recreated = recreate(app, now).await?;
    give_up(app).await?;
    discard(app, now).await?;
    tidy_queues(app, now).await?;
    retention::run(app, now).await?;
    sweep_blobs(app, now).await?;
    Ok(recreated)
}

async fn recreate(app: &Arc<App>, now: Time) -> Result<u64> {
    let (inboxes, envelopes, domains, drafts, forwards) = app
        .store
        .read(move |tx| {
            let (inboxes, envelopes) = (store::expiries_lost(tx, LOST_MAX)?, store::envelopes_lost(tx, LOST_MAX)?);
            let (domains, drafts) = (mail_domains::lost(tx, LOST_MAX)?, drafts::list::lost(tx, LOST_MAX)?);
            Ok::<_, posthouse_store::Error>((inboxes, envelopes, domains, drafts, forwarding::lost(tx, LOST_MAX)?))
        })
        .await?;
    let nothing = inboxes.is_empty() && envelopes.is_empty() && domains.is_empty() && drafts.is_empty();
    if nothing && forwards.is_empty() {
        return Ok(0);
    }
    let ids = app.clock.ids();
    let mut lost: Vec<jobs::NewJob> =
        inboxes.iter().filter_map(|inbox| create_inbox::expiry(ids.next(), inbox, now)).collect();
    lost.extend(envelopes.into_iter().map(|envelope| jobs::NewJob {
        id: ids.next(),
        kind: jobs::OUTBOUND,
        workspace: envelope.workspace,
        subject: envelope.id.0,
        lane: envelope.destination,
        run_at: now,
        attempt_max: OUTBOUND_ATTEMPT_MAX,
        why: "recreated",
        created_at: now,
    }));
    lost.extend(drafts.iter().filter_map(|lost| draft::job(lost, ids.next(), now, "recreated")));
    lost.extend(forwards.iter().map(|forward| app_forwarding::job(forward, ids.next(), now, "recreated")));
    lost.extend(domains.iter().map(|domain| add_domain::job(domain, &ids, now, "recreated")));
    let made = lost.clone();
    app.store.write(move |tx| made.iter().try_for_each(|job| jobs::enqueue_missing(tx, job))).await?;
    for job in &lost {
        tracing::warn!(kind = job.kind, workspace_id = %job.workspace, subject_id = %job.subject, "job.recreated");
        app.metrics.job(job.kind, "recreated");
    }
    Ok(lost.len() as u64)
}

/// Tells the senders of mail whose job is dead that it failed.
async fn give_up(app: &Arc<App>) -> Result<()> {
    for dead in app.store.read(|tx| store::envelopes_dead(tx, LOST_MAX)).await? {
        let why = format!("not sent: given up after {} attempts ({})", dead.attempts, dead.why);
        let errand = deliver::Errand { workspace: dead.workspace, envelope: dead.id };
        if deliver::give_up(app, errand, why).await? {
            tracing::error!(envelope = %dead.id, attempts = dead.attempts, why = dead.why, "delivery.given_up");
        }
    }
    Ok(())
}

/// Deletes old rows in small transactions.
async fn discard(app: &Arc<App>, now: Time) -> Result<()> {
    let (answers, events) = (now.plus_ms(-IDEMPOTENCY_KEPT_MS), now.plus_ms(-event::KEPT_MS));
    in_rounds(app, move |tx| store::delete_idempotency(tx, answers, ROWS_MAX)).await?;
    in_rounds(app, move |tx| store::delete_events(tx, events, ROWS_MAX)).await?;
    in_rounds(app, move |tx| greylist::tidy(tx, now, ROWS_MAX)).await?;
    let incidents_before = now.plus_ms(-suspension::WINDOW_MS);
    in_rounds(app, move |tx| incidents::delete_older(tx, incidents_before, ROWS_MAX)).await?;
    // As long as the events they name.
    forget_attempts(app, events).await?;
    app.store.write(move |tx| webhooks::forget_counts(tx, now)).await?;
    app.store.write(move |tx| metrics::forget(tx, now)).await
}

/// Makes dead letters of what nobody claims any more, and forgets what is long gone.
async fn tidy_queues(app: &Arc<App>, now: Time) -> Result<()> {
    in_rounds(app, move |tx| claim::bury_spent(tx, None, now, LOST_MAX)).await?;
    let before = now.plus_ms(-GONE_KEPT_MS);
    in_rounds(app, move |tx| queue::delete_gone(tx, before, ROWS_MAX)).await
}

/// Does something to some rows at a time, each time in a transaction of its own, until there are no more of them.
async fn in_rounds(
    app: &Arc<App>,
    some: impl Fn(&mut Tx) -> Result<u64> + Clone + Send + Sync + 'static,
) -> Result<()> {
    for _ in 0..ROUNDS_MAX {
        if app.store.write(some.clone()).await? == 0 {
            break;
        }
    }
    Ok(())
}

/// Looks through one of the 256 shards of the blob store, another one each time.
async fn sweep_blobs(app: &Arc<App>, now: Time) -> Result<()> {
    let before_ms = now.plus_ms(-BLOB_KEPT_MS).millis();
    let shard = u8::try_from((now.millis() / EVERY_MS).rem_euclid(256)).unwrap_or(0);
    for digest in app.blobs.list(shard, before_ms).await? {
        let name = digest.to_string();
        let named = app.store.read_one(move |tx| posthouse_store::contents::names_blob(tx, &name)).await?;
        if !named && expire_inbox::remove_unnamed(app, &digest.to_string(), before_ms).await? {
            tracing::info!(blob = %digest, "blob.removed");
        }
    }
    Ok(())
}
