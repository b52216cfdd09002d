//! Schedules, cancels and deletes drafts, without changing their content.

use posthouse_domain::{
    auth::Caller,
    draft::{self, Draft, DraftStep},
    error::Refusal,
    event::EventKind,
    time::Time,
};
use posthouse_store::{Tx, drafts};

use super::{DraftRef, lock, set_job};
use crate::drafts::events::append_event;
use crate::{access::actor, app::App};

/// Schedules or reschedules a draft; the caller approves its content.
///
/// # Errors
/// Returns `not_found`, `draft_not_editable`, `invalid_send_at`, or an error if the database call fails.
pub async fn schedule(app: &App, caller: Caller, which: DraftRef, at: Time) -> Result<Draft, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let (_, before) = lock(tx, &caller, which)?;
        let after = before.scheduled(at, &actor::of(tx, &caller)?, now)?;
        let ids = ids.clone();
        drafts::update(tx, &before, &after)?;
        set_job(tx, &after, &ids, now)?;
        append_event(tx, EventKind::DraftUpdated, &after, &ids, now)?;
        Ok::<_, Refusal>(after)
    };
    app.store.write(work).await
}

/// Cancels a draft permanently.
///
/// # Errors
/// Returns `not_found`, `draft_not_editable`, or an error if the database call fails.
pub async fn cancel(app: &App, caller: Caller, which: DraftRef) -> Result<Draft, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let (_, before) = lock(tx, &caller, which)?;
        let after = before.transitioned(DraftStep::Cancel, None, now)?;
        let ids = ids.clone();
        drafts::update(tx, &before, &after)?;
        set_job(tx, &after, &ids, now)?;
        append_event(tx, EventKind::DraftCancelled, &after, &ids, now)?;
        Ok::<_, Refusal>(after)
    };
    app.store.write(work).await
}

/// Deletes a draft; a message sent from it stays.
///
/// # Errors
/// Returns `not_found`, `draft_not_editable`, or an error if the database call fails.
pub async fn delete(app: &App, caller: Caller, which: DraftRef) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let (_, found) = lock(tx, &caller, which)?;
        draft::apply(found.status, DraftStep::Delete)?;
        Ok::<_, Refusal>(drafts::delete(tx, found.workspace, found.id)?)
    };
    app.store.write(work).await
}
