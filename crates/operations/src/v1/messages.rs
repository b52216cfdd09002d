//! `/v1/messages`, `/v1/held-messages` and the messages of an inbox: reading and changing them.

mod batch;
mod claims;
mod delivery_attempts;
pub(super) mod html;

use posthouse_api::views::{BatchView, message::MessageView};
use posthouse_api::wire::{AddableLabel, CommaList, Label, UserLabel, label_change, no_label_both_ways};
use posthouse_app::{access::visible, mailbox::release, messages::change, messages::change::MessageChange};
use posthouse_call::prelude::*;
use posthouse_call::{render_page, render_view};
use posthouse_domain::{
    Channel, CursorPosition, Direction, Inbox, Message, MessageId, MessageKind, MessageStatus, Page, Record,
    RecordView, Time, label::BLOCKED, label::PROMOTIONS,
};
use posthouse_store::message_list::{self, InboxRef, MessageFilter, ScreeningFilter};
use posthouse_store::{Tx, messages};
use uuid::Uuid;

use super::{fields::LeaseIdText, fields::ScreeningQuery};
use batch::MessageBatch;

/// Largest number of labels in a list filter.
const LABEL_FILTERS_MAX: usize = 10;

pub(super) fn operations() -> Vec<Operation> {
    [own(), delivery_attempts::operations(), claims::operations()].into_iter().flatten().collect()
}

fn own() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/inboxes/{id}/messages", "listMessages", Permission::MessagesRead)
            .summary("Lists the messages of an inbox, newest first.")
            .responds::<PageView<MessageView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
        Operation::new(Method::Get, "/v1/messages/{id}", "getMessage", Permission::MessagesRead)
            .summary("Returns one message.")
            .responds::<MessageView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(get),
        html::operation(),
        Operation::new(Method::Patch, "/v1/messages/{id}", "updateMessage", Permission::MessagesWrite)
            .summary("Updates the labels and read state of a message. System labels cannot be changed, except that `ai:needs-human` can be added.")
            .responds::<MessageView<'_>>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::LeaseExpired])
            .handle(update),
        Operation::new(Method::Post, "/v1/messages/batch-get", "batchGetMessages", Permission::MessagesRead)
            .reads()
            .summary("Returns up to 100 messages by id.")
            .responds::<BatchView<MessageView<'_>>>(200)
            .handle(batch_get),
        Operation::new(Method::Post, "/v1/messages/batch-update", "batchUpdateMessages", Permission::MessagesWrite)
            .summary("Updates the labels and read state of up to 100 messages at once.")
            .responds::<BatchView<MessageView<'_>>>(200)
            .handle(batch_update),
        Operation::new(Method::Post, "/v1/messages/{id}/release", "releaseMessage", Permission::MessagesRelease)
            .summary("Releases a held message to agents. Mail that a receive list stopped cannot be released.")
            .without_body()
            .responds::<MessageView<'_>>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::NotHeld, ErrorCode::MessageBlocked])
            .handle(release_message),
        Operation::new(Method::Get, "/v1/held-messages", "listHeldMessages", Permission::MessagesRead)
            .summary("Lists the held messages of every inbox the key can access, newest first.")
            .responds::<PageView<MessageView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list_held),
    ]
}

choice! {
    /// Screening state of received mail.
    enum ScreeningState {
        /// Checked, or exempt from checks.
        Screened = "screened",
        /// Not checked yet.
        Pending = "pending",
        /// Withheld.
        Held = "held",
        /// Released by a caller.
        Released = "released",
    }
}

choice! {
    /// How a list treats promotions and spam.
    enum PromotionsFilter {
        /// Listed with other messages.
        Include = "include",
        /// Left out.
        Exclude = "exclude",
        /// The only messages listed.
        Only = "only",
    }
}

query! {
    /// Filters and page of a list of messages.
    struct MessageListQuery {
        /// Labels, separated by commas. A message must have all of them.
        labels: CommaList<Label, LABEL_FILTERS_MAX>,
        /// Only read messages if true, only unread messages if false.
        is_read: Option<bool>,
        /// Only messages of this direction.
        direction: Option<Direction>,
        /// Only messages with this status.
        status: Option<MessageStatus>,
        /// Whether to include mail that a receive list stopped.
        include_blocked: bool,
        /// Only messages of this channel.
        channel: Option<Channel>,
        /// Only messages of this type.
        kind = "type": Option<MessageKind>,
        /// Only received messages in this screening state.
        screening: Option<ScreeningState>,
        /// Whether to include the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Whether to include the content of held mail. Requires `messages:release`.
        include_held: bool,
        /// Whether to list messages labeled `ai:sales` or `local:spam`. If omitted, the inbox's `promotions_filter`
        /// decides.
        promotions: Option<PromotionsFilter>,
        /// How much of each message the list shows: `summary` leaves out bodies, header fields and data. Default: full.
        view: Option<RecordView>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of messages per page. Default: 25.
        limit: Option<Limit>,
    }
}

query! {
    /// Filters and page of the held messages.
    struct HeldQuery {
        /// Only messages of this inbox.
        inbox_id: Option<Uuid>,
        /// Whether to include the content. Requires `messages:release`.
        include_held: bool,
        /// How much of each message the list shows: `summary` leaves out bodies, header fields and data. Default: full.
        view: Option<RecordView>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of messages per page. Default: 25.
        limit: Option<Limit>,
    }
}

object! {
    /// Messages to return.
    struct BatchGetBody {
        /// Ids of the messages.
        ids: BoundedList<Uuid, 1, 100>,
        /// Whether to include the content of mail that is not screened yet.
        include_unscreened: Option<bool>,
        /// Whether to include the content of held mail. Requires `messages:release`.
        include_held: Option<bool>,
    }
}

object! {
    /// Changes to one message.
    struct UpdateMessageBody {
        /// Labels to add, after the existing ones. Of the system labels, only `ai:needs-human`, which escalates to the
        /// people on call.
        add_labels: Option<BoundedList<AddableLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Option<BoundedList<UserLabel, 0, 50>>,
        /// The new read state.
        is_read: Option<bool>,
        /// The lease under which the message was claimed. If it is not the current lease, the request fails with
        /// `lease_expired`.
        lease_id: Option<LeaseIdText>,
    }
    check no_label_both_ways;
}

object! {
    /// Changes to several messages.
    struct BatchUpdateBody {
        /// Ids of the messages.
        ids: BoundedList<Uuid, 1, 100>,
        /// Labels to add, after the existing ones. Of the system labels, only `ai:needs-human`, which escalates to the
        /// people on call.
        add_labels: Option<BoundedList<AddableLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Option<BoundedList<UserLabel, 0, 50>>,
        /// The new read state.
        is_read: Option<bool>,
    }
    check no_label_both_ways;
}

impl MessageListQuery {
    fn screening(&self) -> ScreeningQuery {
        ScreeningQuery { include_unscreened: self.include_unscreened, include_held: self.include_held }
    }

    /// Returns the filter for the store, or `None` if no message can match.
    fn filter(&self, inbox: &Inbox) -> Option<MessageFilter> {
        let labels: Vec<String> = self.labels.0.iter().map(|label| label.0.clone()).collect();
        // Only received mail is screened, and no message is ever pending.
        let direction = if self.screening.is_some() { Some(Direction::Inbound) } else { self.direction };
        let screening = match self.screening {
            Some(_) if self.direction == Some(Direction::Outbound) => return None,
            Some(ScreeningState::Pending) => return None,
            Some(ScreeningState::Screened) => Some(ScreeningFilter::Passed),
            Some(ScreeningState::Held) => Some(ScreeningFilter::Held),
            Some(ScreeningState::Released) => Some(ScreeningFilter::Released),
            None => None,
        };
        let default = if inbox.filters_promotions() { PromotionsFilter::Exclude } else { PromotionsFilter::Include };
        let promotions = self.promotions.unwrap_or(default);
        let mut hidden_labels = if self.include_blocked { Vec::new() } else { vec![BLOCKED] };
        if promotions == PromotionsFilter::Exclude {
            hidden_labels.extend(PROMOTIONS);
        }
        Some(MessageFilter {
            labels,
            any_label: if promotions == PromotionsFilter::Only { PROMOTIONS.to_vec() } else { Vec::new() },
            hidden_labels,
            is_read: self.is_read,
            direction,
            status: self.status,
            channel: self.channel,
            kind: self.kind,
            screening,
        })
    }
}

async fn list(service: Arc<Service>, input: Input<MessageListQuery>) -> Result<Outcome, Refusal> {
    let id: InboxId = input.path.id("id", "inbox")?;
    let (caller, query) = (input.caller, input.query);
    query.screening().check(&caller)?;
    let bytes_max = service.config.limits.page_bytes;
    let work = move |tx: &mut Tx| {
        let page = read_page(tx, &caller, id, &query, bytes_max)?;
        render_page(&page, bytes_max, MessageView::of)
    };
    Ok(Outcome::rendered_json(200, service.read(caller.workspace, work).await?.into_json()))
}

fn read_page(
    tx: &mut Tx,
    caller: &Caller,
    id: InboxId,
    query: &MessageListQuery,
    bytes_max: u64,
) -> Result<Page<Record>, Refusal> {
    let inbox = visible::inbox(tx, caller, id)?;
    let filter = query.filter(&inbox);
    let named = format!("messages of {id}: {filter:?}");
    let paging = paging(named, query.cursor.as_ref(), query.limit)?;
    let Some(filter) = filter else { return Ok(Page::empty()) };
    let inbox_ref = InboxRef { workspace: caller.workspace, inbox: id };
    let before = paging.after.map(|after: CursorPosition| Time::from_millis(after.sort));
    let found = message_list::page(tx, inbox_ref, &filter, before, paging.rows_to_fetch())?;
    let mut page = load_records(tx, caller, paging.page_of(found, position), query.view, bytes_max)?;
    query.screening().open(page.rows_mut());
    Ok(page)
}

async fn list_held(service: Arc<Service>, input: Input<HeldQuery>) -> Result<Outcome, Refusal> {
    let (caller, query) = (input.caller, input.query);
    let screening = ScreeningQuery { include_unscreened: false, include_held: query.include_held };
    screening.check(&caller)?;
    let inbox = query.inbox_id.map(InboxId).or(caller.scope().inbox());
    let bytes_max = service.config.limits.page_bytes;
    let paging = paging(format!("held messages {inbox:?}"), query.cursor.as_ref(), query.limit)?;
    let work = move |tx: &mut Tx| {
        inbox.map_or(Ok(()), |inbox| visible::inbox(tx, &caller, inbox).map(drop))?;
        let found = message_list::held(tx, caller.workspace, inbox, paging.page())?;
        let mut page = load_records(tx, &caller, paging.page_of(found, position), query.view, bytes_max)?;
        screening.open(page.rows_mut());
        render_page(&page, bytes_max, MessageView::of)
    };
    Ok(Outcome::rendered_json(200, service.read(caller.workspace, work).await?.into_json()))
}

/// Returns the position of a message in lists, newest first.
pub(super) fn position(message: &Message) -> CursorPosition {
    CursorPosition { sort: message.created_at.millis(), id: message.id.0 }
}

/// Loads the records of a page of messages, as far as they fit in its bytes. Summaries are small.
pub(super) fn load_records(
    tx: &mut Tx,
    caller: &Caller,
    page: Page<Message>,
    view: Option<RecordView>,
    bytes_max: u64,
) -> Result<Page<Record>, Refusal> {
    page.try_map(|found| {
        let records = match view.unwrap_or(RecordView::Full) {
            RecordView::Full => messages::records_within(tx, caller.workspace, found, bytes_max)?,
            RecordView::Summary => messages::records_in(tx, caller.workspace, found, RecordView::Summary)?,
        };
        Ok(records.into_iter().map(Some).collect())
    })
}

async fn get(service: Arc<Service>, input: Input<ScreeningQuery>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let caller = input.caller;
    input.query.check(&caller)?;
    let read = service.read(caller.workspace, move |tx| {
        let message = visible::message(tx, &caller, id)?;
        let mut records = messages::records(tx, caller.workspace, vec![message])?;
        input.query.open(&mut records);
        render_one(&records)
    });
    Ok(Outcome::rendered_json(200, read.await?))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateMessageBody>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let UpdateMessageBody { add_labels, remove_labels, is_read, lease_id } = input.body;
    let lease = lease_id.map(|lease| lease.0);
    let change = MessageChange { labels: label_change(add_labels, remove_labels), is_read, lease };
    let changed = change::change(&service, input.caller, id, change).await?;
    Ok(Outcome::rendered_json(200, render_one(&changed)?))
}

async fn batch_get(service: Arc<Service>, input: Input<EmptyInput, BatchGetBody>) -> Result<Outcome, Refusal> {
    let BatchGetBody { ids, include_unscreened, include_held } = input.body;
    let screening = ScreeningQuery {
        include_unscreened: include_unscreened.unwrap_or_default(),
        include_held: include_held.unwrap_or_default(),
    };
    screening.check(&input.caller)?;
    MessageBatch::new(service, input.caller, unique(ids), screening).respond().await
}

async fn batch_update(service: Arc<Service>, input: Input<EmptyInput, BatchUpdateBody>) -> Result<Outcome, Refusal> {
    let BatchUpdateBody { ids, add_labels, remove_labels, is_read } = input.body;
    let ids = unique(ids);
    let change = MessageChange { labels: label_change(add_labels, remove_labels), is_read, lease: None };
    change::change_many(&service, input.caller, ids.clone(), change).await?;
    MessageBatch::new(service, input.caller, ids, ScreeningQuery::none()).respond().await
}

async fn release_message(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let released = release::release(&service, input.caller, id).await?;
    Ok(Outcome::rendered_json(200, render_one(&[released])?))
}

/// Returns each id once, in order.
fn unique(ids: BoundedList<Uuid, 1, 100>) -> Vec<MessageId> {
    let mut seen = Vec::with_capacity(ids.0.len());
    for id in ids.0.into_iter().map(MessageId) {
        if !seen.contains(&id) {
            seen.push(id);
        }
    }
    seen
}

fn render_one(records: &[Record]) -> Result<Vec<u8>, Refusal> {
    let record = records.first().ok_or_else(|| Refusal::not_found("message"))?;
    render_view(&MessageView::of(record))
}
