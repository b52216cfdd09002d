//! Updates, pauses and resumes an inbox.
//!
//! Each operation is one transaction that locks the inbox's row first; a pause and its event are committed together.

use posthouse_api::{views::event::data, views::identity::IdentityView, views::inbox::InboxView};
use posthouse_domain::{
    Caller, ErrorCode, EventKind, IdGenerator, Inbox, InboxId, InboxKind, Metadata, NewEvent, PlanLimits, Plans,
    Principal, Refusal, ScreeningChange, ScreeningMode, Time, inbox, metadata,
};
use posthouse_store::{Tx, events, inboxes, jobs, message_list::InboxRef, queue, workspaces};

use crate::{
    access::authorize::require_owner, inboxes::create, inboxes::names::NameRules, inboxes::view, service::Service,
};

/// A change of an inbox; `None` leaves a setting unchanged.
#[derive(Clone, Debug, Default)]
pub struct InboxChange {
    /// The display name; `None` inside clears it.
    pub display_name: Option<Option<String>>,
    /// Metadata to merge; null deletes a key.
    pub metadata: Metadata,
    /// The remaining lifetime of a temporary inbox, counted from now.
    pub ttl_seconds: Option<i64>,
    /// Whether promotions are filtered; `None` inside restores the default.
    pub promotions_filter: Option<Option<bool>>,
    /// How its mail is screened; `None` inside means as the workspace does.
    pub screening: Option<Option<ScreeningMode>>,
}

/// The inputs of a transaction.
#[derive(Clone)]
struct Inputs {
    caller: Caller,
    id: InboxId,
    plans: Plans,
    ids: IdGenerator,
    now: Time,
}

impl Inputs {
    fn of(service: &Service, caller: Caller, id: InboxId) -> Self {
        Self { caller, id, plans: service.config.plans, ids: service.clock.ids(), now: service.clock.now() }
    }

    /// Locks the row of the inbox; returns it and the limits of its plan.
    fn lock(&self, tx: &mut Tx) -> Result<(Inbox, PlanLimits), Refusal> {
        let inbox = take(tx, &self.caller, self.id, self.now)?;
        let tenant = workspaces::get(tx, self.caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        Ok((inbox, *self.plans.of(tenant.plan)))
    }
}

/// Locks the row of an inbox or identity and returns it.
///
/// # Errors
/// Returns `not_found` if the inbox is missing, invisible, deleted or expired.
pub fn take(tx: &mut Tx, caller: &Caller, id: InboxId, now: Time) -> Result<Inbox, Refusal> {
    let found = if caller.scope().allows_inbox(id) { inboxes::take(tx, caller.workspace, id)? } else { None };
    found.filter(|inbox| inbox.is_live(now)).ok_or_else(|| Refusal::not_found("inbox"))
}

/// Changes the settings of an inbox.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or `invalid_request` for too many metadata keys or for a lifetime of an
/// inbox that doesn't expire.
pub async fn change(service: &Service, caller: Caller, id: InboxId, change: InboxChange) -> Result<InboxView, Refusal> {
    let (inputs, rules) = (Inputs::of(service, caller, id), NameRules::of(&service.config));
    service
        .write(move |tx| {
            let (before, limits) = inputs.lock(tx)?;
            if change.screening.is_some() {
                require_owners_session(&inputs.caller)?;
            }
            check_new_name(tx, &rules, &before, &change)?;
            let after = changed(&before, &change, inputs.now)?;
            inboxes::update(tx, &before, &after)?;
            if after.screening != before.screening {
                release_held(tx, &inputs, &before, &after)?;
            }
            if after.expires_at != before.expires_at
                && let Some(job) = create::expiry(inputs.ids.clone().next(), &after, inputs.now)
            {
                jobs::enqueue(tx, &job)?;
            }
            Ok(view::load(tx, &after, &limits, inputs.now)?)
        })
        .await
}

/// Enqueues the release of held mail, if the change switched the screening off.
fn release_held(tx: &mut Tx, inputs: &Inputs, before: &Inbox, after: &Inbox) -> Result<(), Refusal> {
    let workspace = after.workspace;
    let general = workspaces::get(tx, workspace)?.map_or(ScreeningMode::Hold, |found| found.screening.mode);
    let mode = |inbox: &Inbox| inbox.screening.unwrap_or(general);
    let change = ScreeningChange { workspace, before: mode(before), after: mode(after) };
    if let Some(job) = change.job(inputs.ids.clone().next(), inputs.now) {
        jobs::enqueue(tx, &job)?;
    }
    Ok(())
}

/// Changes the settings of an identity.
///
/// # Errors
/// Returns `not_found` if the identity is missing or `invalid_request` for too many metadata keys.
pub async fn change_identity(
    service: &Service,
    caller: Caller,
    id: InboxId,
    change: InboxChange,
) -> Result<IdentityView, Refusal> {
    let (now, rules) = (service.clock.now(), NameRules::of(&service.config));
    service
        .write(move |tx| {
            let before = take_identity(tx, &caller, id, now)?;
            check_new_name(tx, &rules, &before, &change)?;
            let after = changed(&before, &change, now)?;
            inboxes::update(tx, &before, &after)?;
            Ok(IdentityView::of(&after))
        })
        .await
}

/// Locks the row of an identity and returns it.
///
/// # Errors
/// Returns `not_found` if the identity is missing, invisible or deleted.
pub fn take_identity(tx: &mut Tx, caller: &Caller, id: InboxId, now: Time) -> Result<Inbox, Refusal> {
    let found = take(tx, caller, id, now).ok().filter(|inbox| inbox.kind == InboxKind::Identity);
    found.ok_or_else(|| Refusal::not_found("identity"))
}

/// Checks that an owner changes the screening: an agent must not switch off what protects it.
fn require_owners_session(caller: &Caller) -> Result<(), Refusal> {
    match caller.principal {
        Principal::User(person) => require_owner(person.role),
        Principal::Operator => Ok(()),
        Principal::Key(_) | Principal::Connector(_) | Principal::Service { .. } => {
            Err(Refusal::new(ErrorCode::Forbidden, "Only an owner of the workspace may change `screening`.")
                .with_fix("Ask an owner to change it in the dashboard."))
        }
    }
}

/// Checks a display name that the inbox doesn't have yet.
fn check_new_name(tx: &mut Tx, rules: &NameRules, before: &Inbox, change: &InboxChange) -> Result<(), Refusal> {
    match &change.display_name {
        Some(Some(name)) if before.display_name.as_ref() != Some(name) => {
            rules.check_sender_name(tx, before.workspace, name)
        }
        _ => Ok(()),
    }
}

/// Returns the inbox with the change applied.
fn changed(before: &Inbox, change: &InboxChange, now: Time) -> Result<Inbox, Refusal> {
    let mut after = before.clone();
    if let Some(display_name) = &change.display_name {
        after.display_name.clone_from(display_name);
    }
    if let Some(filter) = change.promotions_filter {
        after.promotions_filter = filter;
    }
    if let Some(mode) = change.screening {
        after.screening = mode;
    }
    if let Some(ttl_seconds) = change.ttl_seconds {
        if !before.temporary {
            return Err(Refusal::invalid_field("ttl_seconds", "applies to temporary inboxes; this one doesn't expire"));
        }
        after.expires_at = Some(inbox::extended(before.created_at, now, ttl_seconds));
    }
    after.metadata_json = metadata::merged(&before.metadata_json, &change.metadata)?;
    Ok(after)
}

/// Pauses an inbox: it keeps receiving, but doesn't send, and its events are held. Pausing a paused inbox changes
/// nothing, including the reason.
///
/// # Errors
/// Returns `not_found` if the inbox is missing.
pub async fn pause(
    service: &Service,
    caller: Caller,
    id: InboxId,
    reason: Option<String>,
) -> Result<InboxView, Refusal> {
    let inputs = Inputs::of(service, caller, id);
    service
        .write(move |tx| {
            let (mut inbox, limits) = inputs.lock(tx)?;
            if !inboxes::pause(tx, &inbox, reason.as_deref(), inputs.now)? {
                return Ok(view::load(tx, &inbox, &limits, inputs.now)?);
            }
            queue::wake(tx, InboxRef { workspace: inbox.workspace, inbox: inbox.id })?;
            inbox.paused_at = Some(inputs.now);
            inbox.paused_reason.clone_from(&reason);
            let view = view::load(tx, &inbox, &limits, inputs.now)?;
            let payload = data::text(&data::InboxPaused { inbox: view.clone(), reason: reason.clone() });
            events::append(tx, &event(&inputs, EventKind::InboxPaused, payload))?;
            Ok(view)
        })
        .await
}

/// A resumed inbox, and the number of held events that were added to the log.
#[derive(Clone, Debug)]
pub struct ResumedInbox {
    /// The inbox object.
    pub view: InboxView,
    /// The number of held events.
    pub released_events: u64,
}

/// Resumes an inbox: its held events follow `inbox.resumed` in order of arrival. Resuming an active inbox changes
/// nothing.
///
/// # Errors
/// Returns `not_found` if the inbox is missing.
pub async fn resume(service: &Service, caller: Caller, id: InboxId) -> Result<ResumedInbox, Refusal> {
    let inputs = Inputs::of(service, caller, id);
    service
        .write(move |tx| {
            let (mut inbox, limits) = inputs.lock(tx)?;
            let was_paused = inboxes::resume(tx, &inbox)?;
            (inbox.paused_at, inbox.paused_reason) = (None, None);
            let view = view::load(tx, &inbox, &limits, inputs.now)?;
            if !was_paused {
                return Ok(ResumedInbox { view, released_events: 0 });
            }
            jobs::recovery::release_held(tx, inbox.workspace, inputs.now)?;
            let held = events::count_held(tx, inbox.workspace, inbox.id)?;
            let payload = data::text(&data::InboxResumed { inbox: view.clone(), held_events: held });
            events::append(tx, &event(&inputs, EventKind::InboxResumed, payload))?;
            let released_events = events::release(tx, inbox.workspace, inbox.id, inputs.now)?;
            Ok(ResumedInbox { view, released_events })
        })
        .await
}

/// Builds an event about the inbox. Its `data` is stored in full, because it shows the inbox at the time of the event.
fn event(inputs: &Inputs, kind: EventKind, detail_json: String) -> NewEvent {
    NewEvent::new(kind, inputs.caller.workspace, inputs.ids.clone().next(), inputs.now)
        .in_inbox(inputs.id)
        .with_detail(detail_json)
}
