//! One round of a workspace: what ended is settled, what came into the log is fanned out, what is due is taken, in one
//! write; none where there is nothing to write.
//!
//! The place of a webhook is moved by compare-and-set in the transaction that stores the attempts, so that of two processes
//! one fans an event out. What nobody takes moves the place in memory alone, until there is something to store. What is to be
//! stored moves it when it is: after a write that failed the next round finds the same events again.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use posthouse_domain::{
    event::{Event, EventKind},
    id::{EventId, Ids, WebhookDeliveryId, WebhookId, WorkspaceId},
    time::{MINUTE_MS, Time},
    webhook::{Delivery, DeliveryStatus, WEBHOOKS_MAX, Webhook},
};
use posthouse_store::{
    Result, Tx, events,
    webhook_deliveries::{self as deliveries, Lease, Place, Waiting},
    webhooks,
};
use uuid::Uuid;

use super::{
    Errand, Lane,
    attempt::Ended,
    lanes::{self, First},
    settle,
};
use crate::app::{
    App,
    read_events::{self, Bounds, Filter, Stretch},
};

/// How long an attempt is ours, in milliseconds: the time in the queue and on the way.
const LEASE_MS: i64 = MINUTE_MS;
/// Events that are looked through in one round.
const STEP: usize = 200;
/// Attempts of a webhook that are looked at in one round, by their time.
const WAITING_MAX: u32 = 64;
/// The place of a webhook in the log is stored after so many events that it did not take.
const UNSTORED_MAX: i64 = 1_000;

/// What one who carries the events of a workspace remembers between rounds.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    places: HashMap<WebhookId, Seen>,
    /// The lease of a write that failed: it may be in the store all the same, of attempts that nobody knows of here.
    in_doubt: Option<Uuid>,
}

/// How far the log was read for a webhook: the stored place, and the one behind what it did not take.
#[derive(Clone, Copy, Debug)]
struct Seen {
    stored: i64,
    seen: i64,
}

/// What a round found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The webhooks of the workspace.
    pub webhooks: Vec<Arc<Webhook>>,
    /// Attempts that are ours now.
    pub errands: Vec<Errand>,
    /// When the next attempt is due.
    pub next: Option<Time>,
    /// Whether there is more in the log for which there is room.
    pub has_more: bool,
    /// Webhooks that were disabled because every attempt failed for days.
    pub given_up: Vec<Arc<Webhook>>,
}

/// What is to be written for one webhook.
#[derive(Clone, Debug)]
struct Fresh {
    webhook: WebhookId,
    from: i64,
    to: i64,
    events: Vec<Event>,
}

#[derive(Clone, Debug, Default)]
struct Look {
    found: Found,
    fresh: Vec<Fresh>,
    due: Vec<Due>,
}

/// An attempt that is due.
#[derive(Clone, Debug)]
struct Due {
    webhook: WebhookId,
    waiting: Waiting,
    /// What its event must not overtake, of a first attempt.
    first: Option<First>,
}

/// How many attempts there is room for.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    /// By webhook, of those that have some.
    pub known: HashMap<WebhookId, usize>,
    /// For the others.
    pub other: usize,
    /// Attempts that are in memory here already.
    pub own: HashSet<WebhookDeliveryId>,
}

/// Runs a round.
///
/// # Errors
/// The store's own; then what ended is to be settled in another round.
pub async fn round(
    app: &Arc<App>,
    workspace: WorkspaceId,
    memory: &mut Memory,
    (ended, rooms): (Arc<Vec<Ended>>, Rooms),
) -> Result<Found> {
    let now = app.clock.now();
    if let Some(token) = memory.in_doubt {
        app.store.write_aside(move |tx| free(tx, workspace, token, now)).await?;
        memory.in_doubt = None;
    }
    let before = memory.clone();
    let (mut look, places) = app.store.read(move |tx| look(tx, workspace, &rooms, (&before, now))).await?;
    memory.places = places;
    if ended.is_empty() && look.fresh.is_empty() && look.due.is_empty() {
        return Ok(look.found);
    }
    let (ids, start_ms) = (app.clock.ids(), app.config.webhooks.backoff_start_ms);
    let (fresh, due) = (std::mem::take(&mut look.fresh), std::mem::take(&mut look.due));
    let moves: Vec<(WebhookId, i64)> = fresh.iter().map(|one| (one.webhook, one.to)).collect();
    let lease = Lease { token: ids.next(), until: now.plus_ms(LEASE_MS) };
    let write = move |tx: &mut Tx| {
        let ids = ids.clone();
        let settled = settle::settle(tx, workspace, (&ended, start_ms), &ids)?;
        let mut errands = Vec::new();
        // What was left by somebody is in front of what came into the log behind it; who has it now goes on with that too.
        let mut taken_by_others = HashSet::new();
        for due in &due {
            let place = Place { workspace, webhook: due.webhook, id: due.waiting.id };
            match take(tx, place, due, (&ids, lease, now))? {
                Some(errand) => errands.push(errand),
                None if due.first.is_some() => drop(taken_by_others.insert(due.webhook)),
                None => {}
            }
        }
        for one in fresh.iter().filter(|one| !taken_by_others.contains(&one.webhook)) {
            fan_out(tx, workspace, one, (&ids, lease), &mut errands)?;
        }
        Ok::<_, posthouse_store::Error>((errands, settled))
    };
    let written = app.store.write_aside(write).await;
    let (errands, settled) = written.inspect_err(|_| memory.in_doubt = Some(lease.token))?;
    for (webhook, to) in moves {
        // Whether or not it was us who moved it: another process did otherwise.
        memory.places.insert(webhook, Seen { stored: to, seen: to });
    }
    let given_up = settled.given_up.into_iter().map(Arc::new).collect();
    // The look was before: it does not know of the attempts that follow what ended.
    let next = look.found.next.into_iter().chain(settled.next).min();
    Ok(Found { errands, given_up, next, ..look.found })
}

/// Hands back what was leased with that token.
fn free(tx: &mut Tx, workspace: WorkspaceId, token: Uuid, now: Time) -> Result<()> {
    for webhook in webhooks::of(tx, workspace, WEBHOOKS_MAX)? {
        deliveries::free_leased(tx, (workspace, webhook.id), token, now)?;
    }
    Ok(())
}

/// What there is to do, and how far the log is seen that way; reads only.
fn look(
    tx: &mut Tx,
    workspace: WorkspaceId,
    rooms: &Rooms,
    (memory, now): (&Memory, Time),
) -> Result<(Look, HashMap<WebhookId, Seen>)> {
    let head = events::head(tx, workspace)?;
    let (mut look, mut places) = (Look::default(), HashMap::new());
    let mut stretches: Vec<(i64, Stretch)> = Vec::new();
    for webhook in webhooks::of(tx, workspace, WEBHOOKS_MAX)? {
        let mut room = rooms.known.get(&webhook.id).copied().unwrap_or(rooms.other);
        let waiting = deliveries::waiting(tx, workspace, webhook.id, WAITING_MAX)?;
        let mut ahead = lanes::firsts(tx, workspace, &waiting, &rooms.own)?;
        look.found.next = look.found.next.into_iter().chain(next_after(&waiting, now)).min();
        let due = due(&webhook, waiting, &mut ahead, (room, now));
        room -= due.len().min(room);
        look.due.extend(due);
        let seen = place(&webhook, memory, head);
        let seen = if webhook.enabled && room > 0 && seen.seen < head {
            let stretch = stretch(tx, workspace, seen.seen, &mut stretches)?;
            let (fresh, is_closed) = fresh(&webhook, seen, stretch, (room, &ahead));
            look.found.has_more |= fresh.to < head && fresh.events.len() < room && !is_closed;
            if !fresh.events.is_empty() || fresh.to - seen.stored >= UNSTORED_MAX {
                // Seen when it is stored.
                look.fresh.push(fresh);
                seen
            } else {
                Seen { stored: seen.stored, seen: fresh.to }
            }
        } else {
            seen
        };
        places.insert(webhook.id, seen);
        look.found.webhooks.push(Arc::new(webhook));
    }
    Ok((look, places))
}

/// When the first of the attempts that are not due yet is.
fn next_after(waiting: &[Waiting], now: Time) -> Option<Time> {
    waiting.iter().map(|one| one.run_at).find(|run_at| *run_at > now)
}

/// The attempts that are due and for which there is room; they are ahead of nothing any more.
fn due(webhook: &Webhook, mut waiting: Vec<Waiting>, ahead: &mut Vec<First>, (room, now): (usize, Time)) -> Vec<Due> {
    // Half of the room, so that a long past does not keep the present waiting.
    let is_due = |one: &Waiting| one.run_at <= now;
    // What was handed back together is due at the same time.
    waiting.sort_by_key(|one| (one.run_at, one.id.0));
    let mut due: Vec<Due> = waiting
        .into_iter()
        .filter(is_due)
        .take(room.div_ceil(2))
        .map(|waiting| {
            let at = ahead.iter().position(|first| first.id == waiting.id);
            Due { webhook: webhook.id, first: at.map(|at| ahead.swap_remove(at)), waiting }
        })
        .collect();
    // First attempts were made in the order of the log.
    due.sort_by_key(|due| due.first.as_ref().map(|first| first.id.0));
    due
}

/// Where to go on for a webhook. One whose stored place is not the known one was moved by somebody else.
fn place(webhook: &Webhook, memory: &Memory, head: i64) -> Seen {
    let known = memory.places.get(&webhook.id).filter(|seen| seen.stored == webhook.cursor);
    // A log that ends before the place was brought back from a backup.
    known.copied().unwrap_or(Seen { stored: webhook.cursor, seen: webhook.cursor.min(head) })
}

/// The log behind a place; most webhooks of a workspace are at the same.
fn stretch<'a>(
    tx: &mut Tx,
    workspace: WorkspaceId,
    from: i64,
    known: &'a mut Vec<(i64, Stretch)>,
) -> Result<&'a Stretch> {
    let at = match known.iter().position(|(place, _)| *place == from) {
        Some(at) => at,
        None => {
            let bounds = Bounds { events: STEP, looked_through: STEP };
            known.push((from, read_events::after(tx, workspace, &Filter::default(), from, bounds)?));
            known.len() - 1
        }
    };
    Ok(&known[at].1)
}

/// The events that a webhook takes of a stretch, as far as there is room and none would overtake another; and whether one
/// would.
fn fresh(webhook: &Webhook, seen: Seen, stretch: &Stretch, (room, ahead): (usize, &[First])) -> (Fresh, bool) {
    let (mut taken, mut to, mut is_closed) = (Vec::new(), stretch.seen, false);
    for event in &stretch.events {
        let takes = webhook.takes(event);
        is_closed = takes && lanes::is_closed(event, ahead);
        if taken.len() == room || is_closed {
            to = taken.last().map_or(seen.seen, |event: &Event| event.seq);
            break;
        }
        if takes {
            taken.push(event.clone());
        }
    }
    (Fresh { webhook: webhook.id, from: seen.stored, to, events: taken }, is_closed)
}

fn fan_out(
    tx: &mut Tx,
    workspace: WorkspaceId,
    fresh: &Fresh,
    (ids, lease): (&Ids, Lease),
    errands: &mut Vec<Errand>,
) -> Result<()> {
    if !webhooks::advance(tx, workspace, fresh.webhook, (fresh.from, fresh.to))? {
        return Ok(());
    }
    for event in &fresh.events {
        let delivery = pending(ids.next(), fresh.webhook, (&event.event.id, event.event.kind, 1), ids.time());
        deliveries::insert(tx, workspace, &delivery, Some(lease))?;
        let inbox = event.event.inbox;
        errands.push(Errand { inbox, lane: lanes::of(event), ..errand(&delivery, lease) });
    }
    Ok(())
}

/// Takes an attempt that is due, or makes the next one behind it.
fn take(
    tx: &mut Tx,
    place: Place,
    Due { waiting, first, .. }: &Due,
    (ids, lease, now): (&Ids, Lease, Time),
) -> Result<Option<Errand>> {
    if waiting.status == DeliveryStatus::Pending {
        let ours = deliveries::claim(tx, place, lease, now)?;
        let delivery = pending(waiting.id, place.webhook, (&waiting.event, waiting.kind, waiting.attempt), now);
        let (inbox, lane) = first.as_ref().map_or((None, Lane::None), |first| (first.inbox, first.lane));
        return Ok(ours.then(|| Errand { inbox, lane, ..errand(&delivery, lease) }));
    }
    if !deliveries::follow(tx, place, now)? {
        return Ok(None);
    }
    let next = (&waiting.event, waiting.kind, waiting.attempt + 1);
    let delivery = pending(ids.next(), place.webhook, next, now);
    deliveries::insert(tx, place.workspace, &delivery, Some(lease))?;
    Ok(Some(errand(&delivery, lease)))
}

/// An attempt that is to be made.
pub(super) fn pending(
    id: WebhookDeliveryId,
    webhook: WebhookId,
    (event, kind, attempt): (&EventId, EventKind, u32),
    created_at: Time,
) -> Delivery {
    Delivery {
        id,
        webhook,
        event: *event,
        kind,
        attempt,
        status: DeliveryStatus::Pending,
        response_status: None,
        response_excerpt: None,
        error: None,
        duration_ms: None,
        created_at,
        next_attempt_at: None,
    }
}

fn errand(delivery: &Delivery, lease: Lease) -> Errand {
    Errand {
        webhook: delivery.webhook,
        delivery: delivery.id,
        event: delivery.event,
        kind: delivery.kind,
        attempt: delivery.attempt,
        created_at: delivery.created_at,
        inbox: None,
        lane: Lane::None,
        token: lease.token,
        until: lease.until,
    }
}
