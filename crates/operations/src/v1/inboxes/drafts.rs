//! Drafts. The use cases in `app/src/drafts` send them, with the same checks as any other send.

mod bodies;
mod html;

use posthouse_api::views::draft::{DraftView, HeldSendView};
use posthouse_api::{views::message::MessageView, wire::CommaList, wire::MetadataFilters};
use posthouse_app::drafts::{self, DraftFilter, DraftRef};
use posthouse_call::prelude::*;
use posthouse_call::{idempotency, render_page};
use posthouse_domain::{Draft, DraftStatus, Page, Record, ThreadId, send::SEND_ERROR_CODES};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::sending::{self, SendQuery, decision::DecisionView};
use bodies::{ApproveBody, CreateDraftBody, ScheduleBody, SendBackBody, UpdateDraftBody};

/// Largest number of statuses in a list filter: each status once.
const STATUSES_MAX: usize = DraftStatus::ALL.len();
/// The permission that routes that send or schedule drafts need in addition.
const SENDING: &[Permission] = &[Permission::MessagesSend];

pub(crate) fn operations() -> Vec<Operation> {
    use Permission::{DraftsRead, DraftsWrite};
    let of_inbox = "/v1/inboxes/{id}/drafts";
    let one = "/v1/inboxes/{id}/drafts/{draft_id}";
    let mut all = vec![
        Operation::new(Method::Post, of_inbox, "createDraft", DraftsWrite)
            .summary("Creates a draft. Replies get recipients, subject and thread. send_at needs messages:send, too.")
            .idempotent()
            .with_attachments()
            .responds::<DraftView<'_>>(201)
            .errors(&[
                ErrorCode::InvalidSendAt,
                ErrorCode::InvalidHandle,
                ErrorCode::AgentNotFound,
                ErrorCode::IdempotencyInFlight,
                ErrorCode::MessageTooLarge,
                ErrorCode::IdempotencyKeyReused,
                ErrorCode::NotAnswerable,
                ErrorCode::DirectoryDisabled,
            ])
            .handle(create),
        Operation::new(Method::Get, of_inbox, "listInboxDrafts", DraftsRead)
            .summary("Lists the drafts of an inbox, newest first.")
            .responds::<PageView<DraftView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(list_of_inbox),
        Operation::new(Method::Get, one, "getDraft", DraftsRead)
            .summary("Returns one draft.")
            .responds::<DraftView<'_>>(200)
            .handle(read),
        html::operation(),
        Operation::new(Method::Patch, one, "updateDraft", DraftsWrite)
            .summary("Updates a draft. New content cancels the schedule of a scheduled draft, unless send_at is set.")
            .with_attachments()
            .responds::<DraftView<'_>>(200)
            .errors(&[
                ErrorCode::InvalidSendAt,
                ErrorCode::InvalidHandle,
                ErrorCode::AgentNotFound,
                ErrorCode::DraftNotEditable,
                ErrorCode::MessageTooLarge,
                ErrorCode::NotAnswerable,
                ErrorCode::DirectoryDisabled,
            ])
            .handle(update),
        Operation::new(Method::Delete, one, "deleteDraft", DraftsWrite)
            .summary("Deletes a draft, but not the message it was sent as.")
            .responds_with(204, None)
            .errors(&[ErrorCode::DraftNotEditable])
            .handle(delete),
    ];
    all.extend(decisions());
    all
}

/// Returns the routes that send, schedule, send back, take back and cancel a draft.
fn decisions() -> [Operation; 6] {
    use Permission::{DraftsApprove, DraftsWrite};
    [
        Operation::new(Method::Post, "/v1/inboxes/{id}/drafts/{draft_id}/send", "sendDraft", DraftsWrite)
            .also(SENDING)
            .repeatable()
            .summary(
                "Sends a draft now. If requests race, only one sends it. A failed check is stored in its error. With \
                 dry_run, returns the decision and changes nothing.",
            )
            .idempotent()
            .responds::<SentDraftAnswer<'_>>(202)
            .responds_with_case::<SentDraftAnswer<'_>, DecisionView<'_>>(200)
            .errors(SEND_ERROR_CODES)
            .errors(&[ErrorCode::DraftNotEditable])
            .handle(send_now),
        Operation::new(Method::Post, "/v1/inboxes/{id}/drafts/{draft_id}/approve", "approveDraft", DraftsApprove)
            .summary(
                "Approves the content that the caller has read, and sends the draft now. A changed draft is not sent.",
            )
            .idempotent()
            .responds::<SentDraftAnswer<'_>>(202)
            .errors(SEND_ERROR_CODES)
            .errors(&[ErrorCode::DraftNotEditable, ErrorCode::DraftChanged])
            .handle(approve),
        Operation::new(Method::Post, "/v1/inboxes/{id}/drafts/{draft_id}/send-back", "sendBackDraft", DraftsApprove)
            .summary("Sends a draft back to its author with a note, until its content changes. Ends its schedule.")
            .responds::<DraftView<'_>>(200)
            .errors(&[ErrorCode::DraftNotEditable, ErrorCode::DraftChanged])
            .handle(send_back),
        Operation::new(Method::Delete, "/v1/inboxes/{id}/drafts/{draft_id}/send-back", "takeBackDraft", DraftsApprove)
            .summary("Takes back a draft that was sent back: it waits for approval again. Its schedule stays ended.")
            .responds::<DraftView<'_>>(200)
            .errors(&[ErrorCode::DraftNotEditable])
            .handle(take_back),
        Operation::new(Method::Post, "/v1/inboxes/{id}/drafts/{draft_id}/schedule", "scheduleDraft", DraftsWrite)
            .also(SENDING)
            .summary("Schedules a draft 1 minute to 30 days ahead. Repeating the request moves the time.")
            .responds::<DraftView<'_>>(200)
            .errors(&[ErrorCode::InvalidSendAt, ErrorCode::DraftNotEditable])
            .handle(schedule),
        Operation::new(Method::Post, "/v1/inboxes/{id}/drafts/{draft_id}/cancel", "cancelDraft", DraftsWrite)
            .destructive()
            .repeatable()
            .summary("Cancels a draft for good. It stays readable.")
            .responds::<DraftView<'_>>(200)
            .errors(&[ErrorCode::DraftNotEditable])
            .handle(cancel),
    ]
}

query! {
    /// Filters and page of a list of drafts.
    pub(in crate::v1) struct InboxDraftsQuery {
        /// Statuses, separated by commas. A draft must have one of them.
        status: CommaList<DraftStatus, STATUSES_MAX>,
        /// Only drafts in this thread.
        thread_id: Option<Uuid>,
        /// Only drafts that a person sent back and that wait for their author, or only others.
        sent_back: Option<bool>,
        /// Only drafts whose metadata has this value, compared as text. With several values, all must match.
        metadata: MetadataFilters,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of drafts per page. Default: 25.
        limit: Limit,
    }
}

/// A sent draft and its message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SentDraft")]
struct SentView<'a> {
    /// Status of the message.
    status: &'static str,
    draft: DraftView<'a>,
    message: MessageView<'a>,
}

/// A draft that was sent, one that waits for an approval or, with `dry_run`, the decision.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SendDraftResult")]
#[serde(untagged)]
#[allow(dead_code)] // Describes the response; each part is rendered by itself.
enum SentDraftAnswer<'a> {
    Sent(Box<SentView<'a>>),
    Held(HeldSendView<'a>),
    Decided(Box<DecisionView<'a>>),
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateDraftBody>) -> Result<Outcome, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let key = idempotency::stored_key(&input.caller, &input.request, input.request.operation);
    let given = UpdateDraftBody::from(input.body).into_input();
    Ok(sending::answer(drafts::create(&service, input.caller, inbox, key, given, render).await?))
}

async fn list_of_inbox(service: Arc<Service>, input: Input<InboxDraftsQuery>) -> Result<Outcome, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    page(&service, input.caller, Some(inbox), input.query).await
}

/// Lists drafts, of one inbox or of all that the caller can access.
pub(in crate::v1) async fn page(
    service: &Service,
    caller: Caller,
    inbox: Option<InboxId>,
    query: InboxDraftsQuery,
) -> Result<Outcome, Refusal> {
    let bytes_max = service.config.limits.page_bytes;
    let render = move |page: &Page<Draft>| render_page(page, bytes_max, DraftView::of);
    let (filter, page) = (query.filter(inbox), paging(query.cursor, query.limit));
    Ok(Outcome::rendered_json(200, drafts::page(service, caller, filter, page, render).await?.into_json()))
}

impl InboxDraftsQuery {
    fn filter(&self, inbox: Option<InboxId>) -> DraftFilter {
        let mut statuses = self.status.0.clone();
        statuses.sort_unstable();
        statuses.dedup();
        let mut metadata = self.metadata.0.clone();
        metadata.sort();
        let (thread, sent_back) = (self.thread_id.map(ThreadId), self.sent_back);
        DraftFilter { inbox, thread, statuses, sent_back, metadata }
    }
}

async fn read(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let found = drafts::get(&service, input.caller, draft_ref(&input)?).await?;
    Outcome::json(200, &DraftView::of(&found))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateDraftBody>) -> Result<Outcome, Refusal> {
    let which = draft_ref(&input)?;
    let changed = drafts::change(&service, input.caller, which, input.body.into_input()).await?;
    Outcome::json(200, &DraftView::of(&changed))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    drafts::delete(&service, input.caller, draft_ref(&input)?).await?;
    Ok(Outcome::empty())
}

async fn send_now(service: Arc<Service>, input: Input<SendQuery>) -> Result<Outcome, Refusal> {
    let which = draft_ref(&input)?;
    let context = sending::send_context(&input, input.request.operation)?;
    if input.query.is_dry_run() {
        let decision = drafts::dry_run(&service, context, which.draft).await?;
        return Outcome::json(200, &DecisionView::of(&decision));
    }
    Ok(sending::answer(drafts::send(&service, context, which.draft, None, render_sent).await?))
}

async fn approve(service: Arc<Service>, input: Input<EmptyInput, ApproveBody>) -> Result<Outcome, Refusal> {
    let (which, expected) = (draft_ref(&input)?, input.body.content_sha256.0);
    let context = sending::send_context(&input, input.request.operation)?;
    Ok(sending::answer(drafts::send(&service, context, which.draft, Some(expected), render_sent).await?))
}

async fn send_back(service: Arc<Service>, input: Input<EmptyInput, SendBackBody>) -> Result<Outcome, Refusal> {
    let (which, SendBackBody { note, content_sha256 }) = (draft_ref(&input)?, input.body);
    let expected = content_sha256.map(|hash| hash.0);
    let returned = drafts::send_back(&service, input.caller, which, note.0, expected).await?;
    Outcome::json(200, &DraftView::of(&returned))
}

async fn take_back(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let waiting = drafts::take_back(&service, input.caller, draft_ref(&input)?).await?;
    Outcome::json(200, &DraftView::of(&waiting))
}

async fn schedule(service: Arc<Service>, input: Input<EmptyInput, ScheduleBody>) -> Result<Outcome, Refusal> {
    let scheduled = drafts::schedule(&service, input.caller, draft_ref(&input)?, input.body.send_at.0).await?;
    Outcome::json(200, &DraftView::of(&scheduled))
}

async fn cancel(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let cancelled = drafts::cancel(&service, input.caller, draft_ref(&input)?).await?;
    Outcome::json(200, &DraftView::of(&cancelled))
}

fn draft_ref<Q, B>(input: &Input<Q, B>) -> Result<DraftRef, Refusal> {
    Ok(DraftRef { inbox: input.path.id("id", "inbox")?, draft: input.path.id("draft_id", "draft")? })
}

fn render(draft: &Draft) -> Result<String, Refusal> {
    render_view(&DraftView::of(draft))
}

fn render_sent(draft: &Draft, record: &Record) -> Result<String, Refusal> {
    render_view(&SentView {
        status: record.message.status.text(),
        draft: DraftView::of(draft),
        message: MessageView::of(record),
    })
}

fn render_view(view: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(view).map_err(|_| Refusal::new(ErrorCode::Internal, "The response couldn't be rendered."))
}
