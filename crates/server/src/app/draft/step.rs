//! Steps of a draft that leave its content alone: scheduled, given up, deleted.

use posthouse_domain::{
    auth::Caller,
    draft::{self, Draft, Step},
    error::Refusal,
    event::EventKind,
    time::Time,
};
use posthouse_store::{Tx, drafts};

use super::{Which, set_job, take, tell::tell};
use crate::app::{App, stop_workspace::actor};

/// Gives a draft a time, or another one; the caller vouches for its content.
///
/// # Errors
/// `not_found`, `draft_not_editable`, `invalid_send_at`, or the store's own.
pub async fn schedule(app: &App, caller: Caller, which: Which, at: Time) -> Result<Draft, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let (_, before) = take(tx, &caller, which)?;
        let after = before.scheduled(at, &actor(tx, &caller)?, now)?;
        let ids = ids.clone();
        drafts::update(tx, &before, &after)?;
        set_job(tx, &after, &ids, now)?;
        tell(tx, EventKind::DraftUpdated, &after, &ids, now)?;
        Ok::<_, Refusal>(after)
    };
    app.store.write(work).await
}

/// Gives a draft up for good.
///
/// # Errors
/// `not_found`, `draft_not_editable`, or the store's own.
pub async fn cancel(app: &App, caller: Caller, which: Which) -> Result<Draft, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let (_, before) = take(tx, &caller, which)?;
        let after = before.ended(Step::Cancel, None, now)?;
        let ids = ids.clone();
        drafts::update(tx, &before, &after)?;
        set_job(tx, &after, &ids, now)?;
        tell(tx, EventKind::DraftCancelled, &after, &ids, now)?;
        Ok::<_, Refusal>(after)
    };
    app.store.write(work).await
}

/// Deletes a draft; the message that it became stays.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn delete(app: &App, caller: Caller, which: Which) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let (_, found) = take(tx, &caller, which)?;
        draft::take(found.status, Step::Delete)?;
        Ok::<_, Refusal>(drafts::delete(tx, found.workspace, found.id)?)
    };
    app.store.write(work).await
}
