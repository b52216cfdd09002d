//! Mail out: prepare (the rows and the gate again), call (signing where that is not done, DNS and SMTP, no transaction open),
//! settle (one transaction, fenced by the caller) — for one envelope, which is one message on its way to one recipient.
//!
//! The return path is an address of the recipient's own (`bounce_address`), so that a bounce finds its way home whatever it
//! says and proves whose it is. Recipients of one domain are therefore mailed one by one, over connections that are used again.
//! A crash between a server's 250 and the settling
//! sends the message again with the same Message-ID: at least once, never not at all.

mod call;
mod origin;
pub(super) mod prepare;
mod relay;
pub(super) mod route;
mod settle;

use std::{sync::Arc, time::Duration};

use posthouse_domain::{
    delivery::{End, Means, Report},
    id::{EnvelopeId, WorkspaceId},
    message::Delivery,
    time::Time,
};
use posthouse_mail::smtp::client::DeliveryResult;
use posthouse_store::{Result as Stored, Tx, recipients};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{App, persist::persist};
use crate::config::DeliveryMode;
use prepare::Prepared;

/// Which envelope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errand {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// The envelope.
    pub envelope: EnvelopeId,
}

/// What is next for an envelope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Every recipient is settled, or the envelope is gone.
    Done,
    /// Some recipients are to be tried again.
    Retry {
        /// When.
        at: Time,
        /// Why.
        why: &'static str,
    },
    /// The workspace or the inbox may not send now, or the destination is not to be spoken to: nothing was tried, and nothing
    /// is lost.
    Hold {
        /// Why.
        why: &'static str,
        /// When to look again, where that is known.
        at: Option<Time>,
    },
}

/// Says in the settling transaction what is next, and whether the caller still has the right to settle: `false` means that
/// somebody else has taken the errand over, and nothing is written.
pub type Fence = Arc<dyn Fn(&mut Tx, Next) -> Stored<bool> + Send + Sync>;

/// How long the outside part of an attempt may take before it is given up, in milliseconds: what a server may be waited for
/// at the end of the text (RFC 5321 §4.5.3.2.6), and some.
pub const ATTEMPT_MS_MAX: u64 = 12 * 60_000;

/// How long mail to a destination that takes no more waits at least, in milliseconds.
const PUT_OFF_MS_MIN: i64 = 500;

/// Room in memory for mail on its way out: many small ones at once, or few large ones.
#[derive(Debug)]
pub struct Room(Semaphore);

/// Bytes of mail that are on their way at once; one mail that is larger has all the room for itself.
const BYTES_UNDER_WAY_MAX: u64 = 256 * 1024 * 1024;
/// The unit in which room is counted, in bytes.
const ROOM_UNIT_BYTES: u64 = 4 * 1024;

impl Default for Room {
    fn default() -> Self {
        Self(Semaphore::new(usize::try_from(BYTES_UNDER_WAY_MAX / ROOM_UNIT_BYTES).unwrap_or(1)))
    }
}

impl Room {
    /// Waits for room for a mail of that size and its signed copy.
    async fn take(&self, bytes: u64) -> SemaphorePermit<'_> {
        let units = (bytes.saturating_mul(2).min(BYTES_UNDER_WAY_MAX) / ROOM_UNIT_BYTES).max(1);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        self.0.acquire_many(units).await.expect("the semaphore is never closed")
    }
}

/// Carries an envelope out once, and settles it: what a server has taken is written down until that is committed or somebody
/// else has the errand.
///
/// # Errors
/// The store's own; then nothing was sent, or it cannot be settled at all, and the errand comes again.
pub async fn deliver(app: &Arc<App>, errand: Errand, fence: Fence) -> Stored<Next> {
    let means = means(app);
    let wants_raw = means != Means::Capture;
    let served = super::receive::served_domains(app);
    let prepared = app.store.glance(move |tx| prepare::load(tx, errand, wants_raw, &served)).await?;
    let (load, reports, end) = match prepared {
        Prepared::Gone => return finish(app, fence, Next::Done).await,
        Prepared::Hold(why) => return finish(app, fence, Next::Hold { why, at: None }).await,
        Prepared::Impossible(load, why) => {
            let (reports, end) = (Reports::Failed(why.to_owned()), end(app, &load));
            return settle(app, Settling { load: *load, reports, means, end }, fence).await;
        }
        Prepared::Ready(load) if load.pending.len() > 1 => return split(app, errand, fence).await,
        Prepared::Ready(load) => {
            // Before the attempt: what it hears may be the reason to leave the destination alone next time.
            let end = end(app, &load);
            let _room = app.out_room.take(load.raw.as_ref().map_or(0, |raw| raw.bytes)).await;
            let called = tokio::time::timeout(Duration::from_millis(ATTEMPT_MS_MAX), call::call(app, &load)).await;
            let all = |report: Report| vec![report; load.pending.len()];
            let too_long = "the servers took too long altogether";
            let too_long = |_| Ok(all(Report::local(DeliveryResult::Temporary, "4.4.1", too_long)));
            let reports = match called.unwrap_or_else(too_long) {
                Ok(reports) => Reports::Called(reports),
                Err(call::CannotSend::Later(why)) => {
                    tracing::error!(envelope = %errand.envelope, why, "delivery.not_possible_here");
                    Reports::Called(all(Report::own_trouble("4.3.0", why)))
                }
                Err(call::CannotSend::Never(why)) => Reports::Failed(why.to_owned()),
                Err(call::CannotSend::NotBefore(at, host)) => return put_off(app, &load, (at, host), fence).await,
            };
            (load, reports, end)
        }
    };
    settle(app, Settling { load: *load, reports, means, end }, fence).await
}

/// Settles an envelope that will not be tried again, because its job is dead: whoever is still queued in it has failed. Says
/// whether there was anything to settle.
///
/// # Errors
/// The store's own.
pub async fn give_up(app: &Arc<App>, errand: Errand, why: String) -> Stored<bool> {
    let Errand { workspace, envelope } = errand;
    let Some(load) = app.store.read(move |tx| prepare::rows(tx, errand)).await? else { return Ok(false) };
    // Somebody else may have done it meanwhile.
    let fence: Fence = Arc::new(move |tx, _| Ok(recipients::envelope(tx, workspace, envelope)?.is_some()));
    let end = end(app, &load);
    let settling = Settling { load, reports: Reports::Failed(why), means: means(app), end };
    settle(app, settling, fence).await?;
    Ok(true)
}

/// When trying ends, as things stand.
fn end(app: &App, load: &prepare::Load) -> End {
    let attempt_ms_max = i64::try_from(ATTEMPT_MS_MAX).unwrap_or(i64::MAX);
    let end = End::of(&app.config.delivery.retry_schedule_ms, load.envelope.expires_at, attempt_ms_max);
    let rests = app.pacer.rests(&load.envelope.destination, app.clock.now());
    if rests { end.by_time_alone() } else { end }
}

/// How mail leaves.
fn means(app: &App) -> Means {
    match app.config.delivery.mode {
        DeliveryMode::Direct => Means::Direct,
        DeliveryMode::Relay(_) => Means::Relay,
        DeliveryMode::Capture => Means::Capture,
    }
}

/// What the attempt came to, for the recipients of `pending` in their order.
#[derive(Clone, Debug)]
enum Reports {
    /// One report each.
    Called(Vec<Report>),
    /// The message cannot leave at all, and it is nobody's fault but ours: what the entries will say.
    Failed(String),
}

/// An attempt that is over and not yet written down.
#[derive(Clone)]
struct Settling {
    load: prepare::Load,
    reports: Reports,
    means: Means,
    /// When trying ends.
    end: End,
}

/// Only the errand itself is settled.
async fn finish(app: &App, fence: Fence, next: Next) -> Stored<Next> {
    app.store.write(move |tx| fence(tx, next).map(|_| next)).await
}

/// Gives each recipient of an envelope that older versions made for all of a domain an envelope and a job of its own. Nothing
/// is tried; the first one stays in this errand.
async fn split(app: &App, errand: Errand, fence: Fence) -> Stored<Next> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let next = Next::Hold { why: "recipients_split", at: Some(now) };
    let write = move |tx: &mut Tx| {
        if fence(tx, next)? {
            prepare::split(tx, errand, &ids.clone(), now)?;
        }
        Ok(next)
    };
    app.store.write(write).await
}

/// The destination is not spoken to now: the errand comes again, without an attempt lost. The entries that were never tried
/// say why they wait.
async fn put_off(app: &App, load: &prepare::Load, (at, host): (Time, String), fence: Fence) -> Stored<Next> {
    let now = app.clock.now();
    let at = at.max(now.plus_ms(PUT_OFF_MS_MIN)).min(load.envelope.expires_at.max(now.plus_ms(1)));
    let next = Next::Hold { why: "destination_rests", at: Some(at) };
    let detail = format!("waits: {host} takes no more now; tried again by itself");
    let untold: Vec<_> = load.pending.iter().filter(|entry| entry.detail.is_none()).cloned().collect();
    let (tenant, message) = (load.envelope.workspace, load.envelope.message);
    let write = move |tx: &mut Tx| {
        if fence(tx, next)? {
            for entry in &untold {
                let told = Delivery { detail: Some(detail.clone()), updated_at: now, ..entry.clone() };
                recipients::update(tx, tenant, message, &told)?;
            }
        }
        Ok(next)
    };
    app.store.write(write).await
}

async fn settle(app: &App, mut settling: Settling, fence: Fence) -> Stored<Next> {
    // It may wait long, and the mail itself has left.
    settling.load.raw = None;
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let delivery = &app.config.delivery;
    let schedules = settle::Schedules {
        usual: delivery.retry_schedule_ms.clone(),
        greylist: delivery.greylist_schedule_ms.clone(),
    };
    let write = move |tx: &mut Tx| {
        let plan = settle::plan(&settling, now);
        let next = match plan.next_at(&settling, &schedules, now) {
            None => Next::Done,
            Some(at) => Next::Retry { at, why: "temporary_failure" },
        };
        if !fence(tx, next)? {
            return Ok(None);
        }
        let outcomes = settle::write(tx, &settling, &plan, &ids.clone(), now)?;
        Ok(Some((next, outcomes)))
    };
    let Some((next, outcomes)) = persist(app, write).await? else {
        tracing::warn!("delivery.lease_lost: another worker has taken the envelope over, it may be delivered twice");
        return Ok(Next::Done);
    };
    for (outcome, bounced) in outcomes {
        app.metrics.delivery(outcome);
        bounced.into_iter().for_each(|class| app.metrics.bounce(class));
    }
    Ok(next)
}
