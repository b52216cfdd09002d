//! Changes of an inbox: its settings, its pause and the end of it (API document, Inboxes; contract §3.2).
//!
//! Each is one transaction that takes the inbox's row, decides and writes; a pause and its event are one fact.

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    event::{EventKind, NewEvent},
    id::{Ids, InboxId},
    inbox::{self, Inbox},
    metadata::{self, Metadata},
    plan::{PlanLimits, Plans},
    time::Time,
};
use posthouse_store::{Tx, deliveries, events, inboxes, jobs, message_list::Place, queue, workspaces};

use super::{App, create_inbox};
use crate::views::{
    event::data,
    inbox::{self as view, InboxView},
};

/// What the caller wants changed; what is `None` stays.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The name that recipients see; the inner `None` clears it.
    pub display_name: Option<Option<String>>,
    /// Merged into what is there; null deletes a key.
    pub metadata: Metadata,
    /// The life of a temporary inbox, counted anew from now.
    pub ttl_seconds: Option<i64>,
    /// Whether advertising is kept apart; the inner `None` goes back to the default.
    pub promotions_filter: Option<Option<bool>>,
}

/// What a transaction takes from outside.
#[derive(Clone)]
struct Outside {
    caller: Caller,
    id: InboxId,
    plans: Plans,
    ids: Ids,
    now: Time,
}

impl Outside {
    fn of(app: &App, caller: Caller, id: InboxId) -> Self {
        Self { caller, id, plans: app.config.plans, ids: app.clock.ids(), now: app.clock.now() }
    }

    /// Takes the row of the inbox that the caller named, and the limits of its plan.
    fn take(&self, tx: &mut Tx) -> Result<(Inbox, PlanLimits), Refusal> {
        let inbox = take(tx, &self.caller, self.id, self.now)?;
        let tenant = workspaces::get(tx, self.caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        Ok((inbox, *self.plans.of(tenant.plan)))
    }
}

/// Takes the row of an inbox that the caller can see and that is neither deleted nor expired.
///
/// # Errors
/// `not_found`, or the store's own.
pub fn take(tx: &mut Tx, caller: &Caller, id: InboxId, now: Time) -> Result<Inbox, Refusal> {
    let found = if caller.scope.sees(id) { inboxes::take(tx, caller.workspace, id)? } else { None };
    found.filter(|inbox| inbox.receives(now)).ok_or_else(|| Refusal::not_found("inbox"))
}

/// Changes the settings of an inbox.
///
/// # Errors
/// `not_found`, `invalid_request` for too many metadata keys or a life of an inbox that has none, or the store's own.
pub async fn change(app: &App, caller: Caller, id: InboxId, change: Change) -> Result<InboxView, Refusal> {
    let outside = Outside::of(app, caller, id);
    app.store
        .write(move |tx| {
            let (before, limits) = outside.take(tx)?;
            let after = changed(&before, &change, outside.now)?;
            inboxes::update(tx, &before, &after)?;
            if after.expires_at != before.expires_at
                && let Some(job) = create_inbox::expiry(outside.ids.clone().next(), &after, outside.now)
            {
                jobs::enqueue(tx, &job)?;
            }
            Ok(view::load(tx, &after, &limits, outside.now)?)
        })
        .await
}

/// The inbox as it is after the change.
fn changed(before: &Inbox, change: &Change, now: Time) -> Result<Inbox, Refusal> {
    let mut after = before.clone();
    if let Some(display_name) = &change.display_name {
        after.display_name.clone_from(display_name);
    }
    if let Some(filter) = change.promotions_filter {
        after.promotions_filter = filter;
    }
    if let Some(ttl_seconds) = change.ttl_seconds {
        if !before.temporary {
            return Err(Refusal::invalid_field("ttl_seconds", "is for temporary inboxes; this one does not expire"));
        }
        after.expires_at = Some(inbox::extended(before.created_at, now, ttl_seconds));
    }
    after.metadata_json = metadata::merged(&before.metadata_json, &change.metadata)?;
    Ok(after)
}

/// Pauses an inbox: it goes on receiving, but does not send and keeps its events back. Pausing a paused one changes
/// nothing, also not the reason.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn pause(app: &App, caller: Caller, id: InboxId, reason: Option<String>) -> Result<InboxView, Refusal> {
    let outside = Outside::of(app, caller, id);
    app.store
        .write(move |tx| {
            let (mut inbox, limits) = outside.take(tx)?;
            if !inboxes::pause(tx, &inbox, reason.as_deref(), outside.now)? {
                return Ok(view::load(tx, &inbox, &limits, outside.now)?);
            }
            queue::stir(tx, Place { workspace: inbox.workspace, inbox: inbox.id })?;
            inbox.paused_at = Some(outside.now);
            inbox.paused_reason.clone_from(&reason);
            let view = view::load(tx, &inbox, &limits, outside.now)?;
            let payload = data::text(&data::InboxPaused { inbox: view.clone(), reason: reason.clone() });
            events::append(tx, &event(&outside, EventKind::InboxPaused, payload))?;
            Ok(view)
        })
        .await
}

/// An inbox whose pause has ended, and how many held events went into the log.
#[derive(Clone, Debug)]
pub struct Resumed {
    /// The inbox object.
    pub view: InboxView,
    /// How many events were held.
    pub released_events: u64,
}

/// Ends the pause of an inbox: its held events follow `inbox.resumed` in the order of their arrival. Resuming an active
/// one changes nothing.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn resume(app: &App, caller: Caller, id: InboxId) -> Result<Resumed, Refusal> {
    let outside = Outside::of(app, caller, id);
    app.store
        .write(move |tx| {
            let (mut inbox, limits) = outside.take(tx)?;
            let was_paused = inboxes::resume(tx, &inbox)?;
            (inbox.paused_at, inbox.paused_reason) = (None, None);
            let view = view::load(tx, &inbox, &limits, outside.now)?;
            if !was_paused {
                return Ok(Resumed { view, released_events: 0 });
            }
            deliveries::release_held(tx, inbox.workspace, outside.now)?;
            let held = events::held(tx, inbox.workspace, inbox.id)?;
            let payload = data::text(&data::InboxResumed { inbox: view.clone(), held_events: held });
            events::append(tx, &event(&outside, EventKind::InboxResumed, payload))?;
            let released_events = events::release(tx, inbox.workspace, inbox.id, outside.now)?;
            Ok(Resumed { view, released_events })
        })
        .await
}

/// An event about the inbox whose `data` is kept whole, because it shows the inbox as it was then.
fn event(outside: &Outside, kind: EventKind, detail_json: String) -> NewEvent {
    NewEvent {
        workspace: outside.caller.workspace,
        id: outside.ids.clone().next(),
        kind,
        inbox: Some(outside.id),
        thread: None,
        message: None,
        detail_json,
        at: outside.now,
    }
}
