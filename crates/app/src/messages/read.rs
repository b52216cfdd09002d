//! Reads messages, at a caller's request. A result is rendered on the thread of the store that reads it: rendering
//! megabytes on a thread of the runtime would delay other requests.

use posthouse_domain::{
    Caller, CursorPosition, HoldReason, InboxId, KeptAttempt, Message, MessageId, OptIns, Page, PageParameters,
    Permission, PromotionsFilter, Record, RecordView, Refusal, Time, label::PROMOTIONS,
};
use posthouse_store::{Tx, delivery_attempts, message_list, message_list::InboxRef, messages};
use uuid::Uuid;

pub use posthouse_store::message_list::{MessageFilter, ScreeningFilter};

use crate::{access::authorize, access::visible, service::Service};

/// How much of each message a caller requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageDetail {
    /// The whole message, or a summary.
    pub view: RecordView,
    /// Which withheld content to include.
    pub opt_ins: OptIns,
}

/// A list of the messages of an inbox that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageListRequest {
    pub inbox: InboxId,
    /// The messages; `None` if none can match.
    pub filter: Option<MessageFilter>,
    /// How promotions and spam are treated; `None` for the default of the inbox.
    pub promotions: Option<PromotionsFilter>,
    /// How much of each message.
    pub detail: MessageDetail,
    pub page: PageParameters,
}

/// A list of held messages that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldListRequest {
    /// Only messages of this inbox.
    pub inbox: Option<InboxId>,
    /// How much of each message.
    pub detail: MessageDetail,
    pub page: PageParameters,
}

/// The first messages of a batch, as far as they fit in `limits.page_bytes`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchPart<T> {
    /// Their ids, in the order of the request.
    pub ids: Vec<MessageId>,
    /// The messages as the caller rendered them.
    pub rendered: T,
    /// Whether these are all that the caller can access.
    pub is_last: bool,
}

/// Renders a page of the messages of an inbox, newest first.
///
/// # Errors
/// Returns `insufficient_permissions` if the caller may not see held mail, `not_found` if the inbox is missing or
/// invisible, `invalid_cursor`, or the error of `render`.
pub async fn page<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    request: MessageListRequest,
    render: impl Fn(&Page<Record>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    authorize::check_held(&caller, request.detail.opt_ins)?;
    let bytes_max = service.config.limits.page_bytes;
    let work = move |tx: &mut Tx| {
        let page = load_page(tx, &caller, &request, bytes_max)?;
        Ok::<_, Refusal>((render(&page)?, opened(request.detail.opt_ins, page.rows().flatten())))
    };
    let (rendered, opened) = service.read(caller.workspace, work).await?;
    mark_opened(service, &caller, opened).await;
    Ok(rendered)
}

fn load_page(
    tx: &mut Tx,
    caller: &Caller,
    request: &MessageListRequest,
    bytes_max: u64,
) -> Result<Page<Record>, Refusal> {
    let inbox = visible::inbox(tx, caller, request.inbox)?;
    let default = if inbox.filters_promotions() { PromotionsFilter::Exclude } else { PromotionsFilter::Include };
    let mut filter = request.filter.clone();
    if let Some(filter) = &mut filter {
        match request.promotions.unwrap_or(default) {
            PromotionsFilter::Include => {}
            PromotionsFilter::Exclude => filter.hidden_labels.extend(PROMOTIONS),
            PromotionsFilter::Only => filter.any_label.extend(PROMOTIONS),
        }
    }
    let list = request.page.of_list(format!("messages of {}: {filter:?}", request.inbox))?;
    let Some(filter) = filter else { return Ok(Page::empty()) };
    let inbox_ref = InboxRef { workspace: caller.workspace, inbox: request.inbox };
    let found = message_list::page(tx, inbox_ref, &filter, before(list.after), list.rows_to_fetch())?;
    load_records(tx, caller, list.page_of(found, position), request.detail, bytes_max)
}

/// Renders a page of the held messages that the caller can access, newest first.
///
/// # Errors
/// Returns `insufficient_permissions` if the caller may not see held mail, `invalid_cursor`, `not_found` if the inbox is
/// missing or invisible, or the error of `render`.
pub async fn held<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    request: HeldListRequest,
    render: impl Fn(&Page<Record>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let HeldListRequest { inbox, detail, page } = request;
    authorize::check_held(&caller, detail.opt_ins)?;
    let inbox = caller.scope().narrow(inbox)?;
    let bytes_max = service.config.limits.page_bytes;
    let list = page.of_list(format!("held messages {inbox:?}"))?;
    let work = move |tx: &mut Tx| {
        inbox.map_or(Ok(()), |inbox| visible::inbox(tx, &caller, inbox).map(drop))?;
        let found = message_list::held(tx, caller.workspace, inbox, list.page())?;
        let page = load_records(tx, &caller, list.page_of(found, position), detail, bytes_max)?;
        Ok::<_, Refusal>((render(&page)?, opened(detail.opt_ins, page.rows().flatten())))
    };
    let (rendered, opened) = service.read(caller.workspace, work).await?;
    mark_opened(service, &caller, opened).await;
    Ok(rendered)
}

/// Renders a message.
///
/// # Errors
/// Returns `insufficient_permissions` if the caller may not see held mail, `not_found` if the message is missing or
/// invisible, or the error of `render`.
pub async fn get<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    id: MessageId,
    opt_ins: OptIns,
    render: impl Fn(Record) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    authorize::check_held(&caller, opt_ins)?;
    let work = move |tx: &mut Tx| {
        let message = visible::message(tx, &caller, id)?;
        let mut records = messages::records(tx, caller.workspace, vec![message])?;
        open(&caller, opt_ins, &mut records);
        let opened = opened(opt_ins, &records);
        Ok::<_, Refusal>((render(records.pop().ok_or_else(|| Refusal::not_found("message"))?)?, opened))
    };
    let (rendered, opened) = service.read(caller.workspace, work).await?;
    mark_opened(service, &caller, opened).await;
    Ok(rendered)
}

/// Renders the first messages of a batch that the caller can access.
///
/// # Errors
/// Returns `insufficient_permissions` if the caller may not see held mail, or the error of `render`.
pub async fn batch<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    ids: Vec<MessageId>,
    opt_ins: OptIns,
    render: impl Fn(&[Record]) -> Result<T, Refusal> + Send + 'static,
) -> Result<BatchPart<T>, Refusal> {
    authorize::check_held(&caller, opt_ins)?;
    let bytes_max = service.config.limits.page_bytes;
    let work = move |tx: &mut Tx| {
        let found = visible::messages(tx, &caller, &ids)?;
        let count = found.len();
        let mut records = messages::records_within(tx, caller.workspace, found, bytes_max)?;
        open(&caller, opt_ins, &mut records);
        let ids = records.iter().map(|record| record.message.id).collect();
        Ok::<_, Refusal>((
            BatchPart { ids, rendered: render(&records)?, is_last: records.len() == count },
            opened(opt_ins, &records),
        ))
    };
    let (part, opened) = service.read(caller.workspace, work).await?;
    mark_opened(service, &caller, opened).await;
    Ok(part)
}

/// Returns a page of the delivery attempts of a sent message, recipient by recipient, newest first.
///
/// # Errors
/// Returns `invalid_cursor`, or `not_found` if the message is missing or invisible.
pub async fn delivery_attempts(
    service: &Service,
    caller: Caller,
    id: MessageId,
    page: PageParameters,
) -> Result<Page<KeptAttempt>, Refusal> {
    let list = page.of_list(format!("delivery attempts {id}"))?;
    let range = list.page();
    let work = move |tx: &mut Tx| {
        visible::message(tx, &caller, id)?;
        Ok::<_, Refusal>(delivery_attempts::page(tx, caller.workspace, id, range)?)
    };
    let found = service.read(caller.workspace, work).await?;
    Ok(list.page_of(found, |attempt| CursorPosition {
        sort: i64::from(attempt.position),
        id: Uuid::from_u128(u128::from(attempt.attempt)),
    }))
}

/// Loads the records of a page of messages, as far as they fit in its bytes. Summaries are small.
pub(super) fn load_records(
    tx: &mut Tx,
    caller: &Caller,
    page: Page<Message>,
    detail: MessageDetail,
    bytes_max: u64,
) -> Result<Page<Record>, Refusal> {
    page.try_map(|found| {
        let mut records = match detail.view {
            RecordView::Full => messages::records_within(tx, caller.workspace, found, bytes_max)?,
            RecordView::Summary => messages::records_in(tx, caller.workspace, found, RecordView::Summary)?,
        };
        open(caller, detail.opt_ins, &mut records);
        Ok(records.into_iter().map(Some).collect())
    })
}

/// Returns the position of a message in lists, newest first.
pub(super) fn position(message: &Message) -> CursorPosition {
    CursorPosition::of(message.created_at, message.id.0)
}

/// Returns the time before which a page of messages begins.
pub(super) fn before(after: Option<CursorPosition>) -> Option<Time> {
    after.map(|after| Time::from_millis(after.sort))
}

/// Shows the content of held mail, if the caller requests it.
pub(super) fn open(caller: &Caller, opt_ins: OptIns, records: &mut [Record]) {
    let shows_release = caller.permissions().has(Permission::MessagesRelease);
    for record in records {
        record.shows_release = shows_release;
        record.withheld &= !opt_ins.opens(record.message.held);
    }
}

/// Returns the held messages among these whose content the caller gets, because it asked for held mail.
pub(super) fn opened<'a>(opt_ins: OptIns, records: impl IntoIterator<Item = &'a Record>) -> Vec<MessageId> {
    let is_open = |record: &&Record| {
        let message = &record.message;
        opt_ins.held && message.is_held() && message.held != Some(HoldReason::Pending) && !record.withheld
    };
    records.into_iter().filter(is_open).map(|record| record.message.id).collect()
}

/// Records that the content of held messages was read, so that they no longer count as new. The content is shown also if the
/// store can't write.
pub(super) async fn mark_opened(service: &Service, caller: &Caller, ids: Vec<MessageId>) {
    if ids.is_empty() {
        return;
    }
    let (workspace, now) = (caller.workspace, service.clock.now());
    let work = move |tx: &mut Tx| ids.iter().try_for_each(|id| messages::mark_opened(tx, workspace, *id, now));
    if let Err(error) = service.write(work).await {
        tracing::warn!(cause = error.internal(), "held.not_marked");
    }
}
