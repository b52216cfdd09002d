//! One round of a workspace: what ended is settled, what came into the log is fanned out, what is due is taken, in one
//! write; none where there is nothing to write.
//!
//! The place of a webhook is moved by compare-and-set in the transaction that stores the attempts, so that of two processes
//! one fans an event out. What nobody takes moves the place in memory alone, until there is something to store.

use std::{collections::HashMap, sync::Arc};

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

use super::{Errand, Lane, attempt::Ended, settle};
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
    due: Vec<(WebhookId, Waiting)>,
}

/// How many attempts there is room for.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    /// By webhook, of those that have some.
    pub known: HashMap<WebhookId, usize>,
    /// For the others.
    pub other: usize,
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
    let before = memory.clone();
    let (mut look, places) = app.store.read(move |tx| look(tx, workspace, &rooms, (&before, now))).await?;
    memory.places = places;
    if ended.is_empty() && look.fresh.is_empty() && look.due.is_empty() {
        return Ok(look.found);
    }
    let (ids, start_ms) = (app.clock.ids(), app.config.webhooks.backoff_start_ms);
    let (fresh, due) = (std::mem::take(&mut look.fresh), std::mem::take(&mut look.due));
    let moves: Vec<(WebhookId, i64)> = fresh.iter().map(|one| (one.webhook, one.to)).collect();
    let write = move |tx: &mut Tx| {
        let ids = ids.clone();
        let lease = Lease { token: ids.next(), until: now.plus_ms(LEASE_MS) };
        let settled = settle::settle(tx, workspace, (&ended, start_ms), &ids)?;
        let mut errands = Vec::new();
        for one in &fresh {
            fan_out(tx, workspace, one, (&ids, lease), &mut errands)?;
        }
        for (webhook, waiting) in &due {
            let place = Place { workspace, webhook: *webhook, id: waiting.id };
            errands.extend(take(tx, place, waiting, (&ids, lease, now))?);
        }
        Ok::<_, posthouse_store::Error>((errands, settled))
    };
    let (errands, settled) = app.store.write(write).await?;
    for (webhook, to) in moves {
        // Whether or not it was us who moved it: another process did otherwise.
        memory.places.insert(webhook, Seen { stored: to, seen: to });
    }
    let given_up = settled.given_up.into_iter().map(Arc::new).collect();
    // The look was before: it does not know of the attempts that follow what ended.
    let next = look.found.next.into_iter().chain(settled.next).min();
    Ok(Found { errands, given_up, next, ..look.found })
}

/// What there is to do; reads only.
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
        for waiting in deliveries::waiting(tx, workspace, webhook.id, WAITING_MAX)? {
            if waiting.run_at > now {
                look.found.next = look.found.next.into_iter().chain([waiting.run_at]).min();
                break;
            }
            // Half of the room, so that a long past does not keep the present waiting.
            if look.due.iter().filter(|(id, _)| *id == webhook.id).count() < room.div_ceil(2) {
                look.due.push((webhook.id, waiting));
            }
        }
        room -= look.due.iter().filter(|(id, _)| *id == webhook.id).count().min(room);
        let seen = place(&webhook, memory, head);
        let seen = if webhook.enabled && room > 0 && seen.seen < head {
            let stretch = stretch(tx, workspace, seen.seen, &mut stretches)?;
            let fresh = fresh(&webhook, seen, stretch, room);
            look.found.has_more |= fresh.to < head && fresh.events.len() < room;
            let next = Seen { stored: seen.stored, seen: fresh.to };
            if !fresh.events.is_empty() || fresh.to - seen.stored >= UNSTORED_MAX {
                look.fresh.push(fresh);
            }
            next
        } else {
            seen
        };
        places.insert(webhook.id, seen);
        look.found.webhooks.push(Arc::new(webhook));
    }
    Ok((look, places))
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

/// The events that a webhook takes of a stretch, as far as there is room.
fn fresh(webhook: &Webhook, seen: Seen, stretch: &Stretch, room: usize) -> Fresh {
    let (mut taken, mut to) = (Vec::new(), stretch.seen);
    for event in &stretch.events {
        if taken.len() == room {
            to = taken.last().map_or(seen.seen, |event: &Event| event.seq);
            break;
        }
        if webhook.takes(event) {
            taken.push(event.clone());
        }
    }
    Fresh { webhook: webhook.id, from: seen.stored, to, events: taken }
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
        errands.push(Errand { inbox, lane: lane(event), ..errand(&delivery, lease) });
    }
    Ok(())
}

/// Takes an attempt that is due, or makes the next one behind it.
fn take(
    tx: &mut Tx,
    place: Place,
    waiting: &Waiting,
    (ids, lease, now): (&Ids, Lease, Time),
) -> Result<Option<Errand>> {
    if waiting.status == DeliveryStatus::Pending {
        let ours = deliveries::claim(tx, place, lease, now)?;
        let delivery = pending(waiting.id, place.webhook, (&waiting.event, waiting.kind, waiting.attempt), now);
        return Ok(ours.then(|| errand(&delivery, lease)));
    }
    if !deliveries::follow(tx, place, now)? {
        return Ok(None);
    }
    let next = (&waiting.event, waiting.kind, waiting.attempt + 1);
    let delivery = pending(ids.next(), place.webhook, next, now);
    deliveries::insert(tx, place.workspace, &delivery, Some(lease))?;
    Ok(Some(errand(&delivery, lease)))
}

/// What an event must not overtake.
fn lane(event: &Event) -> Lane {
    match (event.event.inbox, event.event.thread) {
        (_, Some(thread)) if !event.released => Lane::Thread(thread),
        (Some(inbox), _) => Lane::Inbox(inbox),
        _ => Lane::None,
    }
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
