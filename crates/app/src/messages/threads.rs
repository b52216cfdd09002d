//! Lists, reads, changes and deletes threads with their messages, at a caller's request.

use posthouse_domain::{
    Caller, CursorPosition, LabelChange, Metadata, NewestMessage, Page, PageParameters, Record, Refusal, Thread,
    ThreadId, metadata,
};
use posthouse_store::{
    Tx, drafts, erase, erase::ErasedTotals, message_list, message_list::InboxRef, newest_messages, thread_list, threads,
};

pub use posthouse_store::thread_list::ThreadFilter;

use super::read::{self, MessageDetail};
use crate::{access::authorize, access::visible, inboxes::wipe, service::Service};

/// A list of threads that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadListRequest {
    pub filter: ThreadFilter,
    /// Whether to read the newest message of each thread.
    pub include_newest: bool,
    pub page: PageParameters,
}

/// A thread in a list.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedThread {
    pub thread: Thread,
    /// Its newest message, if it was requested.
    pub newest: Option<NewestMessage>,
}

/// A thread that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadRequest {
    pub thread: ThreadId,
    /// How much of each message.
    pub detail: MessageDetail,
    /// The page of its messages.
    pub page: PageParameters,
}

/// Returns a page of the threads that the caller can access.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or invisible, or `invalid_cursor`.
pub async fn page(
    service: &Service,
    caller: Caller,
    request: ThreadListRequest,
) -> Result<Page<ListedThread>, Refusal> {
    service.read(caller.workspace, move |tx| load_page(tx, &caller, &request)).await
}

fn load_page(tx: &mut Tx, caller: &Caller, request: &ThreadListRequest) -> Result<Page<ListedThread>, Refusal> {
    let ThreadListRequest { filter, include_newest, page } = request;
    filter.inbox.map_or(Ok(()), |inbox| visible::inbox(tx, caller, inbox).map(drop))?;
    let list = page.of_list(format!("threads: {filter:?}"))?;
    let found = thread_list::page(tx, caller.workspace, filter, list.after, list.rows_to_fetch())?;
    let page = list.page_of(found, |thread| CursorPosition::of(thread.last_message_at, thread.id.0));
    page.try_map(|found| {
        let ids: Vec<ThreadId> = found.iter().filter(|_| *include_newest).map(|thread| thread.id).collect();
        let mut newest = newest_messages::of_threads(tx, caller.workspace, &ids)?;
        let listed = found.into_iter().map(|thread| {
            let at = newest.iter().position(|message| message.thread == thread.id);
            Some(ListedThread { thread, newest: at.map(|at| newest.swap_remove(at)) })
        });
        Ok(listed.collect())
    })
}

/// Renders a thread and a page of its messages, newest first.
///
/// # Errors
/// Returns `insufficient_permissions` if the caller may not see held mail, `not_found` if the thread is missing or
/// invisible, `invalid_cursor`, or the error of `render`.
pub async fn get<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    request: ThreadRequest,
    render: impl Fn(&Thread, &Page<Record>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let ThreadRequest { thread: id, detail, page } = request;
    authorize::check_held(&caller, detail.opt_ins)?;
    let bytes_max = service.config.limits.page_bytes;
    let work = move |tx: &mut Tx| {
        let thread = visible::thread(tx, &caller, id)?;
        let list = page.of_list(format!("messages of thread {id}"))?;
        let before = read::before(list.after);
        let found = message_list::of_thread(tx, caller.workspace, id, before, list.rows_to_fetch())?;
        let records = list.page_of(found, read::position);
        let page = read::load_records(tx, &caller, records, detail, bytes_max)?;
        Ok::<_, Refusal>((render(&thread, &page)?, read::opened(detail.opt_ins, page.rows().flatten())))
    };
    let (rendered, opened) = service.read(caller.workspace, work).await?;
    read::mark_opened(service, &caller, opened).await;
    Ok(rendered)
}

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
