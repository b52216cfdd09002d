//! Work queues for people: what is in flight or dead, and giving a message back or dropping it by hand
//! (`docs/reference/queue.md`).

use posthouse_domain::{
    Caller, CursorPosition, ErrorCode, InboxId, Message, MessageId, Page, PageParameters, PageRange, QueueEntry,
    QueueItem, QueueItemState, QueueState, Refusal, Time, queue::DEAD_LETTER,
};
use posthouse_store::{Result as StoreResult, Tx, messages, queue, queue_items};

pub use posthouse_store::queue_items::QueueItems;

use crate::{access::visible, service::Service};

/// A message in a queue, with what a person needs to recognize it.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedItem {
    /// Its place in the queue.
    pub entry: QueueEntry,
    /// Its author.
    pub from: String,
    /// Its subject; `None` also if its content is withheld.
    pub subject: Option<String>,
}

/// A message that a person gave back to its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GivenBack {
    /// The number of deliveries that count from now on.
    pub deliveries: u32,
    /// When it can be claimed: now.
    pub available_at: Time,
}

/// Returns the counts of the queue of an inbox, or of every queue that the caller can access.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or invisible.
pub async fn states(service: &Service, caller: Caller, inbox: Option<InboxId>) -> Result<Vec<QueueState>, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let inbox = visible_queue(tx, &caller, inbox)?;
        Ok::<_, Refusal>(queue::states(tx, caller.workspace, inbox, now)?)
    };
    service.read(caller.workspace, work).await
}

/// Returns a page of the messages in flight or of the dead letters that the caller may see.
///
/// # Errors
/// Returns `invalid_cursor`, or `not_found` if the inbox is missing or invisible.
pub async fn page(
    service: &Service,
    caller: Caller,
    inbox: Option<InboxId>,
    which: QueueItems,
    page: PageParameters,
) -> Result<Page<ListedItem>, Refusal> {
    let list = page.of_list(format!("queue items {which:?} {inbox:?}"))?;
    let (range, now) = (list.page(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let inbox = visible_queue(tx, &caller, inbox)?;
        load(tx, &caller, inbox, which, range, now)
    };
    let found = service.read(caller.workspace, work).await?;
    Ok(list.page_of(found, |item: &ListedItem| CursorPosition::of(item.entry.created_at, item.entry.message.0)))
}

/// Returns the inbox whose queue is read; `None` for all of the workspace.
fn visible_queue(tx: &mut Tx, caller: &Caller, inbox: Option<InboxId>) -> Result<Option<InboxId>, Refusal> {
    let inbox = caller.scope().narrow(inbox)?;
    inbox.map_or(Ok(()), |inbox| visible::inbox(tx, caller, inbox).map(drop))?;
    Ok(inbox)
}

fn load(
    tx: &mut Tx,
    caller: &Caller,
    inbox: Option<InboxId>,
    which: QueueItems,
    range: PageRange,
    now: Time,
) -> Result<Vec<ListedItem>, Refusal> {
    let entries = queue_items::page(tx, caller.workspace, inbox, which, range, now)?;
    // A page has at most one row more than its limit, and a query at most 100 ids.
    let mut found: Vec<Message> = Vec::with_capacity(entries.len());
    for some in entries.chunks(100) {
        let ids: Vec<MessageId> = some.iter().map(|entry| entry.message).collect();
        found.extend(messages::get_many(tx, caller.workspace, &ids)?);
    }
    let mut listed = Vec::with_capacity(entries.len());
    for entry in entries {
        let message = found.iter().find(|message| message.id == entry.message);
        let is_withheld = message.map_or(Ok(true), |message| messages::is_withheld(tx, message))?;
        let subject = message.filter(|_| !is_withheld).and_then(|message| message.subject.clone());
        let from = message.map_or("", |message| message.shown_from(is_withheld)).to_owned();
        listed.push(ListedItem { from, subject, entry });
    }
    Ok(listed)
}

/// Gives a message back to its queue: it can be claimed at once. A lease ends, and its delivery doesn't count; a dead
/// letter is counted from 0 again.
///
/// # Errors
/// Returns `not_found` if the message is missing or `not_queued` if it is not in the queue.
pub async fn requeue(service: &Service, caller: Caller, id: MessageId) -> Result<GivenBack, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let (message, item) = lock(tx, &caller, id)?;
        let deliveries = match item.state {
            QueueItemState::Dead => 0,
            QueueItemState::Open if item.is_exhausted(now) => 0,
            QueueItemState::Open if item.lease.is_some() && item.available_at > now => {
                item.deliveries.saturating_sub(1)
            }
            QueueItemState::Open => item.deliveries,
            QueueItemState::Done | QueueItemState::Deleted => return Err(not_queued()),
        };
        queue_items::reopen(tx, &item, deliveries)?;
        remove_label(tx, message)?;
        Ok(GivenBack { deliveries, available_at: now })
    };
    let given_back = service.write(work).await?;
    service.metrics.queue_by_hand("requeued");
    Ok(given_back)
}

/// Drops a dead letter: it leaves the queue for good and stays readable. Returns when.
///
/// # Errors
/// Returns `not_found` if the message is missing or `not_queued` if it is no dead letter.
pub async fn drop_dead_letter(service: &Service, caller: Caller, id: MessageId) -> Result<Time, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let (message, item) = lock(tx, &caller, id)?;
        if item.state != QueueItemState::Dead && !item.is_exhausted(now) {
            return Err(not_queued());
        }
        queue_items::drop_item(tx, &item, now)?;
        remove_label(tx, message)?;
        Ok(now)
    };
    let at = service.write(work).await?;
    service.metrics.queue_by_hand("dropped");
    Ok(at)
}

/// Locks the queue item of a message, and then the message, in the same order as an ack.
fn lock(tx: &mut Tx, caller: &Caller, id: MessageId) -> Result<(Message, QueueItem), Refusal> {
    visible::message(tx, caller, id)?;
    let item = queue::item(tx, caller.workspace, id)?.ok_or_else(not_queued)?;
    messages::lock(tx, caller.workspace, &[id])?;
    Ok((visible::message(tx, caller, id)?, item))
}

fn not_queued() -> Refusal {
    Refusal::new(ErrorCode::NotQueued, "This message is not in the work queue of its inbox.")
}

fn remove_label(tx: &mut Tx, before: Message) -> StoreResult<()> {
    if !before.labels.iter().any(|label| label == DEAD_LETTER) {
        return Ok(());
    }
    let mut after = before.clone();
    after.labels.retain(|label| label != DEAD_LETTER);
    messages::set_labels(tx, &before, &after)
}
