//! Schedules, sends back, takes back, cancels and deletes drafts, without changing their content.

use posthouse_domain::{Caller, Draft, DraftChangeResult, DraftStep, EventKind, Refusal, SentBack, Time, draft};
use posthouse_store::{Tx, draft_files, drafts};

use super::{DraftRef, find, judge, lock, set_job};
use crate::{access::actor, outbound::draft_events::append_event, service::Service};

/// Schedules or reschedules a draft; the caller approves its content.
///
/// # Errors
/// Returns `not_found`, `draft_not_editable`, or `invalid_send_at`.
pub async fn schedule(service: &Service, caller: Caller, which: DraftRef, at: Time) -> Result<Draft, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let read = move |tx: &mut Tx| {
        let (_, found) = find(tx, &caller, which)?;
        let contents = draft_files::contents(tx, found.workspace, found.id)?;
        Ok::<_, Refusal>((found, contents))
    };
    let (found, contents) = service.read(caller.workspace, read).await?;
    let searched = judge::search(service, found, contents, now).await?;
    let work = move |tx: &mut Tx| {
        let (inbox, before) = lock(tx, &caller, which)?;
        let mut after = before.scheduled(at, &actor::of(tx, &caller)?, now)?;
        judge::origins(tx, &mut after, &inbox, &caller, &before.origins, now)?;
        let after = judge::scheduled(tx, after, Some(&searched), &caller, now)?;
        let ids = ids.clone();
        drafts::update(tx, &before, &after)?;
        set_job(tx, &after, &ids, now)?;
        append_event(tx, EventKind::DraftUpdated, &after, &ids, now)?;
        Ok::<_, Refusal>(after)
    };
    service.write(work).await
}

/// Sends a draft back to its author with a note. With `expected`, only a draft with that content.
///
/// # Errors
/// Returns `not_found`, `draft_not_editable`, or `draft_changed`.
pub async fn send_back(
    service: &Service,
    caller: Caller,
    which: DraftRef,
    note: String,
    expected: Option<[u8; 32]>,
) -> Result<Draft, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let (_, before) = lock(tx, &caller, which)?;
        let back = SentBack { note: note.clone(), by: actor::of(tx, &caller)?, at: now };
        let after = before.returned(back)?;
        expected.map_or(Ok(()), |expected| before.require_content(expected))?;
        let ids = ids.clone();
        drafts::update(tx, &before, &after)?;
        set_job(tx, &after, &ids, now)?;
        append_event(tx, EventKind::DraftUpdated, &after, &ids, now)?;
        Ok::<_, Refusal>(after)
    };
    service.write(work).await
}

/// Takes back a draft that was sent back: it waits for approval again.
///
/// # Errors
/// Returns `not_found` or `draft_not_editable`.
pub async fn take_back(service: &Service, caller: Caller, which: DraftRef) -> Result<Draft, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let (_, before) = lock(tx, &caller, which)?;
        let DraftChangeResult { draft: after, changed } = before.taken_back(now)?;
        if changed {
            let ids = ids.clone();
            drafts::update(tx, &before, &after)?;
            append_event(tx, EventKind::DraftUpdated, &after, &ids, now)?;
        }
        Ok::<_, Refusal>(after)
    };
    service.write(work).await
}

/// Cancels a draft permanently.
///
/// # Errors
/// Returns `not_found` or `draft_not_editable`.
pub async fn cancel(service: &Service, caller: Caller, which: DraftRef) -> Result<Draft, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let (_, before) = lock(tx, &caller, which)?;
        let after = before.transitioned(DraftStep::Cancel, None, now)?;
        let ids = ids.clone();
        drafts::update(tx, &before, &after)?;
        set_job(tx, &after, &ids, now)?;
        append_event(tx, EventKind::DraftCancelled, &after, &ids, now)?;
        Ok::<_, Refusal>(after)
    };
    service.write(work).await
}

/// Deletes a draft; a message sent from it stays.
///
/// # Errors
/// Returns `not_found` or `draft_not_editable`.
pub async fn delete(service: &Service, caller: Caller, which: DraftRef) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let (_, found) = lock(tx, &caller, which)?;
        draft::apply(found.status, DraftStep::Delete)?;
        Ok::<_, Refusal>(drafts::delete(tx, found.workspace, found.id)?)
    };
    service.write(work).await
}
