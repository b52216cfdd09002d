//! Drafts (API document, Drafts; contract §5.3). Sending one is `app/draft`, through the same gate as a send.

pub mod bodies;

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    draft::{Draft, Status},
    error::{Code, Refusal},
    id::{InboxId, ThreadId},
    page::Position,
};
use posthouse_store::{
    Tx,
    drafts::list::{self, Filter},
    messages::Record,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use self::bodies::{CreateBody, ScheduleBody, UpdateBody};
use super::send;
use crate::{
    app::{
        App,
        draft::{self, Which},
        visible,
    },
    http::{
        route::{Answer, Input, Route},
        wire::{CommaList, Cursor, Empty, Limit, MetadataFilters, paging, query},
    },
    views::{PageView, draft::DraftView, message::MessageView},
};

/// Most statuses of a list's filter, each once.
const STATUSES_MAX: usize = Status::ALL.len();
/// Needed beside the right to write drafts by what makes mail of them.
const SENDING: &[Permission] = &[Permission::MessagesSend];

pub(crate) fn routes() -> Vec<Route> {
    use Permission::{DraftsRead, DraftsWrite};
    let of_inbox = "/v1/inboxes/{id}/drafts";
    let one = "/v1/inboxes/{id}/drafts/{draft_id}";
    vec![
        Route::new(Method::POST, of_inbox, "createDraft", DraftsWrite)
            .summary("Makes a draft; an answer gets recipients, subject and thread filled in. A time needs messages:send too.")
            .idempotent()
            .with_attachments()
            .answers::<DraftView<'_>>(201)
            .errors(&[Code::InvalidSendAt, Code::IdempotencyInFlight, Code::MessageTooLarge, Code::IdempotencyKeyReused])
            .handle(create),
        Route::new(Method::GET, of_inbox, "listInboxDrafts", DraftsRead)
            .summary("The drafts of an inbox, newest first.")
            .answers::<PageView<DraftView<'_>>>(200)
            .errors(&[Code::InvalidCursor])
            .handle(list_of_inbox),
        Route::new(Method::GET, "/v1/drafts", "listDrafts", DraftsRead)
            .summary("The drafts of every inbox that the key can see, newest first.")
            .answers::<PageView<DraftView<'_>>>(200)
            .errors(&[Code::InvalidCursor, Code::NotFound])
            .handle(list),
        Route::new(Method::GET, one, "getDraft", DraftsRead)
            .summary("One draft.")
            .answers::<DraftView<'_>>(200)
            .handle(read),
        Route::new(Method::PATCH, one, "updateDraft", DraftsWrite)
            .summary("Changes a draft; new content of a scheduled one ends its schedule, unless a time comes with it.")
            .with_attachments()
            .answers::<DraftView<'_>>(200)
            .errors(&[Code::InvalidSendAt, Code::DraftNotEditable, Code::MessageTooLarge])
            .handle(update),
        Route::new(Method::DELETE, one, "deleteDraft", DraftsWrite)
            .summary("Deletes a draft; the message that it became stays.")
            .answers_with(204, None)
            .errors(&[Code::DraftNotEditable])
            .handle(delete),
        Route::new(Method::POST, "/v1/inboxes/{id}/drafts/{draft_id}/send", "sendDraft", DraftsWrite)
            .also(SENDING)
            .summary("Sends a draft now, once, whoever else tries; a check that refuses is kept in its error.")
            .idempotent()
            .answers::<SentView<'_>>(202)
            .errors(SEND_ERRORS)
            .handle(send_now),
        Route::new(Method::POST, "/v1/inboxes/{id}/drafts/{draft_id}/schedule", "scheduleDraft", DraftsWrite)
            .also(SENDING)
            .summary("Sends a draft at a time, 1 minute to 30 days ahead; called again it moves the time.")
            .answers::<DraftView<'_>>(200)
            .errors(&[Code::InvalidSendAt, Code::DraftNotEditable])
            .handle(schedule),
        Route::new(Method::POST, "/v1/inboxes/{id}/drafts/{draft_id}/cancel", "cancelDraft", DraftsWrite)
            .summary("Gives a draft up for good; it stays readable.")
            .answers::<DraftView<'_>>(200)
            .errors(&[Code::DraftNotEditable])
            .handle(cancel),
    ]
}

/// What sending a draft can be refused with.
const SEND_ERRORS: &[Code] = &{
    let mut all = [Code::DraftNotEditable; send::ERRORS.len() + 1];
    let mut at = 0;
    while at < send::ERRORS.len() {
        all[at] = send::ERRORS[at];
        at += 1;
    }
    all
};

query! {
    /// What a list of drafts is narrowed to.
    struct InboxDraftsQuery {
        /// Statuses joined by commas; a draft must have one of them.
        status: CommaList<Status, STATUSES_MAX>,
        /// Drafts of that thread alone.
        thread_id: Option<Uuid>,
        /// Metadata that a draft must have.
        metadata: MetadataFilters,
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most drafts of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

query! {
    /// What a list of drafts is narrowed to.
    struct DraftsQuery {
        /// Drafts of that inbox alone.
        inbox_id: Option<Uuid>,
        /// Statuses joined by commas; a draft must have one of them.
        status: CommaList<Status, STATUSES_MAX>,
        /// Drafts of that thread alone.
        thread_id: Option<Uuid>,
        /// Metadata that a draft must have.
        metadata: MetadataFilters,
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most drafts of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

/// A draft that was sent, and the message that it became.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SentDraft")]
struct SentView<'a> {
    draft: DraftView<'a>,
    message: MessageView<'a>,
}

async fn create(app: Arc<App>, input: Input<Empty, CreateBody>) -> Result<Answer, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let key = send::idempotency_key(&input, input.request.route);
    let given = UpdateBody::from(input.body).given();
    Ok(send::answer(draft::create(&app, (input.caller, inbox), key, given, render).await?))
}

async fn list_of_inbox(app: Arc<App>, input: Input<InboxDraftsQuery>) -> Result<Answer, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    page(&app, input.caller, Some(inbox), input.query).await
}

async fn list(app: Arc<App>, input: Input<DraftsQuery>) -> Result<Answer, Refusal> {
    let DraftsQuery { inbox_id, status, thread_id, metadata, cursor, limit } = input.query;
    let inbox = inbox_id.map(InboxId).or(input.caller.scope.inbox());
    page(&app, input.caller, inbox, InboxDraftsQuery { status, thread_id, metadata, cursor, limit }).await
}

async fn page(app: &App, caller: Caller, inbox: Option<InboxId>, query: InboxDraftsQuery) -> Result<Answer, Refusal> {
    let (found, next_cursor) = app.store.read(move |tx| read_page(tx, &caller, inbox, &query)).await?;
    Answer::json(200, &PageView { data: found.iter().map(DraftView::of).collect(), next_cursor })
}

fn read_page(
    tx: &mut Tx,
    caller: &Caller,
    inbox: Option<InboxId>,
    query: &InboxDraftsQuery,
) -> Result<(Vec<Draft>, Option<String>), Refusal> {
    if let Some(inbox) = inbox {
        visible::inbox(tx, caller, inbox)?;
    }
    let filter = query.filter(inbox);
    let named = format!("drafts: {filter:?}");
    let paging = paging(named, query.cursor.as_ref(), query.limit)?;
    let mut found = list::page(tx, caller.workspace, &filter, paging.page())?;
    let next = paging.cut(&mut found, |d| Position { sort: d.created_at.millis(), id: d.id.0 });
    Ok((found, next))
}

impl InboxDraftsQuery {
    fn filter(&self, inbox: Option<InboxId>) -> Filter {
        let mut statuses = self.status.0.clone();
        statuses.sort_unstable();
        statuses.dedup();
        let mut metadata = self.metadata.0.clone();
        metadata.sort();
        Filter { inbox, thread: self.thread_id.map(ThreadId), statuses, metadata }
    }
}

async fn read(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let (caller, which) = (input.caller, which(&input)?);
    let (_, found) = app.store.read(move |tx| draft::find(tx, &caller, which)).await?;
    Answer::json(200, &DraftView::of(&found))
}

async fn update(app: Arc<App>, input: Input<Empty, UpdateBody>) -> Result<Answer, Refusal> {
    let which = which(&input)?;
    let changed = draft::change(&app, input.caller, which, input.body.given()).await?;
    Answer::json(200, &DraftView::of(&changed))
}

async fn delete(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    draft::delete(&app, input.caller, which(&input)?).await?;
    Ok(Answer::empty())
}

async fn send_now(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let which = which(&input)?;
    let order = send::order(&input, input.request.route)?;
    Ok(send::answer(draft::send(&app, order, which.draft, render_sent).await?))
}

async fn schedule(app: Arc<App>, input: Input<Empty, ScheduleBody>) -> Result<Answer, Refusal> {
    let scheduled = draft::schedule(&app, input.caller, which(&input)?, input.body.send_at).await?;
    Answer::json(200, &DraftView::of(&scheduled))
}

async fn cancel(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let cancelled = draft::cancel(&app, input.caller, which(&input)?).await?;
    Answer::json(200, &DraftView::of(&cancelled))
}

fn which<Q, B>(input: &Input<Q, B>) -> Result<Which, Refusal> {
    Ok(Which { inbox: input.path.id("id", "inbox")?, draft: input.path.id("draft_id", "draft")? })
}

fn render(draft: &Draft) -> Result<String, Refusal> {
    written(&DraftView::of(draft))
}

fn render_sent(draft: &Draft, record: &Record) -> Result<String, Refusal> {
    written(&SentView { draft: DraftView::of(draft), message: MessageView::of(record) })
}

fn written(view: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(view).map_err(|_| Refusal::new(Code::Internal, "The answer could not be written."))
}
