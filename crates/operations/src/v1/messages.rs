//! `/v1/messages`, `/v1/held-messages` and the messages of an inbox: reading and changing them.

mod attachments;
mod batch;
mod claims;
mod delivery_attempts;
mod draft_reply;
pub(super) mod html;

use posthouse_api::views::{BatchView, RenderedPage, message::MessageView};
use posthouse_api::wire::{AddableLabel, CommaList, Label, Replacement, UserLabel, label_change, no_label_both_ways};
use posthouse_app::messages::read::{
    self, HeldListRequest, MessageDetail, MessageFilter, MessageListRequest, ScreeningFilter,
};
use posthouse_app::{mailbox::release, messages::change, messages::change::MessageChange};
use posthouse_call::prelude::*;
use posthouse_call::{render_page, render_view};
use posthouse_domain::{
    Channel, Direction, Feedback, MessageId, MessageKind, MessageStatus, OptIns, Page, PromotionsFilter, Record,
    RecordView, label::BLOCKED,
};
use uuid::Uuid;

use super::{fields::LeaseIdText, fields::ScreeningQuery};
use batch::MessageBatch;

/// Largest number of labels in a list filter.
const LABEL_FILTERS_MAX: usize = 10;

pub(super) fn operations() -> Vec<Operation> {
    [own(), attachments::operations(), delivery_attempts::operations(), claims::operations(), draft_reply::operations()]
        .into_iter()
        .flatten()
        .collect()
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
            .summary("Releases a held message to agents. Mail that a receive list stopped cannot be released. Releasing it again changes only the feedback.")
            .responds::<MessageView<'_>>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::NotHeld, ErrorCode::MessageBlocked])
            .handle(release_message),
        Operation::new(Method::Get, "/v1/held-messages", "listHeldMessages", Permission::MessagesRead)
            .summary("Lists the held and the pending messages of every inbox the key can access, newest first.")
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

object! {
    /// Releases a held message.
    struct ReleaseBody {
        /// What you think of it; kept to measure the categoriser.
        feedback: Option<Feedback>,
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
        limit: Limit,
    }
}

query! {
    /// Filters and page of the held messages.
    struct HeldQuery {
        /// Only messages of this inbox.
        inbox_id: Option<Uuid>,
        /// Whether to include the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Whether to include the content of held mail. Requires `messages:release`.
        include_held: bool,
        /// How much of each message the list shows: `summary` leaves out bodies, header fields and data. Default: full.
        view: Option<RecordView>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of messages per page. Default: 25.
        limit: Limit,
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
        add_labels: Replacement<BoundedList<AddableLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Replacement<BoundedList<UserLabel, 0, 50>>,
        /// The new read state.
        is_read: Replacement<bool>,
        /// The lease under which the message was claimed. If it is not the current lease, the request fails with
        /// `lease_expired`.
        lease_id: Replacement<LeaseIdText>,
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
        add_labels: Replacement<BoundedList<AddableLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Replacement<BoundedList<UserLabel, 0, 50>>,
        /// The new read state.
        is_read: Replacement<bool>,
    }
    check no_label_both_ways;
}

impl MessageListQuery {
    fn parse(self, inbox: InboxId) -> MessageListRequest {
        MessageListRequest {
            inbox,
            filter: self.filter(),
            promotions: self.promotions,
            detail: detail(self.view, OptIns { unscreened: self.include_unscreened, held: self.include_held }),
            page: paging(self.cursor, self.limit),
        }
    }

    /// Returns the filter, or `None` if no message can match.
    fn filter(&self) -> Option<MessageFilter> {
        let screening = match self.screening {
            Some(_) if self.direction == Some(Direction::Outbound) => return None,
            Some(ScreeningState::Pending) => Some(ScreeningFilter::Pending),
            Some(ScreeningState::Screened) => Some(ScreeningFilter::Passed),
            Some(ScreeningState::Held) => Some(ScreeningFilter::Held),
            Some(ScreeningState::Released) => Some(ScreeningFilter::Released),
            None => None,
        };
        Some(MessageFilter {
            labels: self.labels.0.iter().map(|label| label.0.clone()).collect(),
            any_label: Vec::new(),
            hidden_labels: if self.include_blocked { Vec::new() } else { vec![BLOCKED] },
            is_read: self.is_read,
            // Only received mail is screened.
            direction: screening.map_or(self.direction, |_| Some(Direction::Inbound)),
            status: self.status,
            channel: self.channel,
            kind: self.kind,
            screening,
        })
    }
}

/// Returns how much of each message a request shows.
pub(super) fn detail(view: Option<RecordView>, opt_ins: OptIns) -> MessageDetail {
    MessageDetail { view: view.unwrap_or(RecordView::Full), opt_ins }
}

async fn list(service: Arc<Service>, input: Input<MessageListQuery>) -> Result<Outcome, Refusal> {
    let id: InboxId = input.path.id("id", "inbox")?;
    let rendered = read::page(&service, input.caller, input.query.parse(id), render_messages(&service)).await?;
    Ok(Outcome::rendered_json(200, rendered.into_json()))
}

async fn list_held(service: Arc<Service>, input: Input<HeldQuery>) -> Result<Outcome, Refusal> {
    let HeldQuery { inbox_id, include_unscreened, include_held, view, cursor, limit } = input.query;
    let (inbox, page) = (inbox_id.map(InboxId), paging(cursor, limit));
    let opt_ins = OptIns { unscreened: include_unscreened, held: include_held };
    let request = HeldListRequest { inbox, detail: detail(view, opt_ins), page };
    let rendered = read::held(&service, input.caller, request, render_messages(&service)).await?;
    Ok(Outcome::rendered_json(200, rendered.into_json()))
}

/// Renders a page of messages.
fn render_messages(service: &Service) -> impl Fn(&Page<Record>) -> Result<RenderedPage, Refusal> + Send + 'static {
    let bytes_max = service.config.limits.page_bytes;
    move |page| render_page(page, bytes_max, MessageView::of)
}

async fn get(service: Arc<Service>, input: Input<ScreeningQuery>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let render = |record: Record| render_view(&MessageView::of(&record));
    Ok(Outcome::rendered_json(200, read::get(&service, input.caller, id, input.query.opt_ins(), render).await?))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateMessageBody>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let UpdateMessageBody { add_labels, remove_labels, is_read, lease_id } = input.body;
    let labels = label_change(add_labels.0, remove_labels.0);
    let change = MessageChange { labels, is_read: is_read.0, lease: lease_id.0.map(|lease| lease.0) };
    let changed = change::change(&service, input.caller, id, change).await?;
    Ok(Outcome::rendered_json(200, render_one(&changed)?))
}

async fn batch_get(service: Arc<Service>, input: Input<EmptyInput, BatchGetBody>) -> Result<Outcome, Refusal> {
    let BatchGetBody { ids, include_unscreened, include_held } = input.body;
    let opt_ins = OptIns { unscreened: include_unscreened.unwrap_or_default(), held: include_held.unwrap_or_default() };
    MessageBatch::new(service, input.caller, unique(ids), opt_ins).respond().await
}

async fn batch_update(service: Arc<Service>, input: Input<EmptyInput, BatchUpdateBody>) -> Result<Outcome, Refusal> {
    let BatchUpdateBody { ids, add_labels, remove_labels, is_read } = input.body;
    let ids = unique(ids);
    let labels = label_change(add_labels.0, remove_labels.0);
    let change = MessageChange { labels, is_read: is_read.0, lease: None };
    change::change_many(&service, input.caller, ids.clone(), change).await?;
    MessageBatch::new(service, input.caller, ids, OptIns::default()).respond().await
}

async fn release_message(service: Arc<Service>, input: Input<EmptyInput, ReleaseBody>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let released = release::release(&service, input.caller, id, input.body.feedback).await?;
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
