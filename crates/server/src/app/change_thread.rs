//! Labels and metadata of threads, changed by a caller, and threads deleted with all that is in them (contract §6).

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    id::ThreadId,
    label::LabelChange,
    metadata::{self, Metadata},
    thread::Thread,
};
use posthouse_store::{
    Tx, drafts,
    erase::{self, Erased},
    message_list::Place,
    threads,
};

use super::{App, expire_inbox, visible};

/// What a caller changes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ThreadChange {
    /// Labels added and removed.
    pub labels: LabelChange,
    /// Metadata to merge; null deletes a key.
    pub metadata: Metadata,
}

/// Changes a thread and gives it as it is then.
///
/// # Errors
/// `not_found`; `invalid_request` for labels of the system, too many labels or too many keys; the store's own.
pub async fn change(app: &App, caller: Caller, id: ThreadId, change: ThreadChange) -> Result<Thread, Refusal> {
    let work = move |tx: &mut Tx| {
        threads::hold(tx, caller.workspace, id)?;
        let before = visible::thread(tx, &caller, id)?;
        let mut after = before.clone();
        after.labels = change.labels.applied(&before.labels)?;
        let merged = metadata::merge(metadata::read(&before.metadata_json), &change.metadata)
            .map_err(|too_many| Refusal::invalid_field("metadata", too_many.problem()))?;
        after.metadata_json = serde_json::Value::Object(merged).to_string();
        threads::set(tx, &before, &after)?;
        Ok::<_, Refusal>(after)
    };
    app.store.write(work).await
}

/// Deletes a thread with its messages, their files, and contents that nothing else uses.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn delete(app: &App, caller: Caller, id: ThreadId) -> Result<Erased, Refusal> {
    let work = move |tx: &mut Tx| {
        let thread = visible::thread(tx, &caller, id)?;
        let place = Place { workspace: thread.workspace, inbox: thread.inbox };
        let erased = erase::messages_of_thread(tx, place, id)?;
        threads::delete(tx, thread.workspace, id)?;
        drafts::wipe_thread(tx, (thread.workspace, thread.inbox), id)?;
        Ok::<_, Refusal>(erased)
    };
    let erased = app.store.write(work).await?;
    expire_inbox::remove_blobs(app, erased.blobs.clone()).await;
    Ok(erased)
}
