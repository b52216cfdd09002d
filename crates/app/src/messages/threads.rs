//! Changes labels and metadata of threads and deletes threads with their messages, at a caller's request.

use posthouse_domain::{Caller, LabelChange, Metadata, Refusal, Thread, ThreadId, metadata};
use posthouse_store::{Tx, drafts, erase, erase::ErasedTotals, message_list::InboxRef, threads};

use crate::{access::visible, inboxes::wipe, service::Service};

/// A change of a thread.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ThreadChange {
    /// Labels added and removed.
    pub labels: LabelChange,
    /// Metadata to merge; null deletes a key.
    pub metadata: Metadata,
}

/// Changes a thread and returns it.
///
/// # Errors
/// Returns `not_found` if the thread is missing or `invalid_request` for system labels, too many labels or too many keys.
pub async fn change(service: &Service, caller: Caller, id: ThreadId, change: ThreadChange) -> Result<Thread, Refusal> {
    let work = move |tx: &mut Tx| {
        threads::lock(tx, caller.workspace, id)?;
        let before = visible::thread(tx, &caller, id)?;
        let mut after = before.clone();
        after.labels = change.labels.applied(&before.labels)?;
        after.metadata_json = metadata::merged(&before.metadata_json, &change.metadata)?;
        threads::set(tx, &before, &after)?;
        Ok::<_, Refusal>(after)
    };
    service.write(work).await
}

/// Deletes a thread with its messages, their attachments, and contents that nothing else uses.
///
/// # Errors
/// Returns `not_found` if the thread is missing.
pub async fn delete(service: &Service, caller: Caller, id: ThreadId) -> Result<ErasedTotals, Refusal> {
    let work = move |tx: &mut Tx| {
        let thread = visible::thread(tx, &caller, id)?;
        let inbox_ref = InboxRef { workspace: thread.workspace, inbox: thread.inbox };
        let erased = erase::messages_of_thread(tx, inbox_ref, id)?;
        threads::delete(tx, thread.workspace, id)?;
        drafts::wipe_thread(tx, thread.workspace, thread.inbox, id)?;
        Ok::<_, Refusal>(erased)
    };
    let erased = service.write(work).await?;
    wipe::remove_blobs(service, erased.blobs.clone()).await;
    Ok(erased)
}
