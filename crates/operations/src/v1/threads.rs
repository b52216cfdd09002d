//! `/v1/threads`.

use posthouse_api::views::{
    digest::DigestView, message::MessageView, thread::FullThreadView, thread::NewestMessageView, thread::ThreadView,
};
use posthouse_api::wire::{
    BoundedInt, CommaList, Label, Metadata, PageLimit, Replacement, UserLabel, label_change, no_label_both_ways,
};
use posthouse_app::messages::digest::{self, DigestRequest, ThreadDigest};
use posthouse_app::messages::threads::{
    self, ListedThread, ThreadChange, ThreadFilter, ThreadListRequest, ThreadRequest,
};
use posthouse_call::prelude::*;
use posthouse_call::{render_page, render_view};
use posthouse_domain::digest::{BUDGET_DEFAULT, BUDGET_MAX, BUDGET_MIN};
use posthouse_domain::{
    NewestMessage, Page, Record, RecordView, Thread, ThreadId, Time, list::searched_text, page::LIMIT_MAX,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::fields::{ScreeningQuery, detail};

/// Largest number of labels in a list filter.
const LABEL_FILTERS_MAX: usize = 10;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/threads", "listThreads", Permission::MessagesRead)
            .summary("Lists the threads of every inbox the key can access, most recent activity first.")
            .responds::<PageView<ThreadView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(list),
        Operation::new(Method::Get, "/v1/threads/{id}", "getThread", Permission::MessagesRead)
            .summary(
                "Returns a thread with its newest messages, at most 100, in order of time. Use earlier_cursor to get \
                 older ones.",
            )
            .responds::<FullThreadView<'_>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(get),
        Operation::new(Method::Get, "/v1/threads/{id}/digest", "getThreadDigest", Permission::MessagesRead)
            .summary(
                "Returns the next part of a thread that fits a budget of tokens, without repetitions. Continues where the \
                 last digest for this key ended.",
            )
            .responds::<DigestView<'_>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(digest),
        Operation::new(Method::Patch, "/v1/threads/{id}", "updateThread", Permission::MessagesWrite)
            .summary("Updates the metadata and labels of a thread. Metadata is merged.")
            .responds::<ThreadView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(update),
        Operation::new(Method::Delete, "/v1/threads/{id}", "deleteThread", Permission::MessagesWrite)
            .summary("Deletes a thread with its messages and their files. Its queued mail is not sent.")
            .responds::<DeletedThreadView>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(delete),
    ]
}

query! {
    /// Filters and page of a list of threads.
    pub(super) struct InboxThreadsQuery {
        /// Labels, separated by commas. A thread must have all of them.
        labels: CommaList<Label, LABEL_FILTERS_MAX>,
        /// Only threads whose last activity is before this time.
        before: Option<Time>,
        /// Only threads whose last activity is after this time.
        after: Option<Time>,
        /// Part of a participant's address.
        participant: Option<BoundedLine<1, 320>>,
        /// Part of the subject.
        subject: Option<BoundedLine<1, 500>>,
        /// Whether to list the oldest activity first.
        ascending: bool,
        /// Whether each thread has its newest message, in `newest`.
        include_newest: bool,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of threads per page. Default: 25.
        limit: Limit,
    }
}

query! {
    /// Filters and page of a list of threads.
    struct ThreadsQuery {
        /// Only threads of this inbox.
        inbox_id: Option<Uuid>,
    }
    with list: InboxThreadsQuery;
}

query! {
    /// Which messages of the thread to return.
    struct ThreadQuery {
        /// The `earlier_cursor` of the previous response.
        cursor: Option<Cursor>,
        /// Maximum number of messages. Default: 100.
        limit: PageLimit<LIMIT_MAX, LIMIT_MAX>,
        /// How much of each message the response shows: `summary` leaves out bodies, header fields and data. Default:
        /// full.
        view: Option<RecordView>,
    }
    with screening: ScreeningQuery;
}

query! {
    /// Which part of a thread a digest has.
    struct DigestQuery {
        /// Maximum number of tokens. A token is 4 bytes of UTF-8. Default: 2000.
        budget: Option<BoundedInt<BUDGET_MIN, BUDGET_MAX>>,
        /// The `next_cursor` of an earlier digest, to get the part after it. If omitted, the digest continues where the
        /// last one for this key ended.
        cursor: Option<Cursor>,
        /// Whether to start over with the first message.
        reset: bool,
    }
}

object! {
    /// Changes to a thread.
    struct UpdateThreadBody {
        /// Merged into the existing metadata. A null value deletes its key.
        metadata: Replacement<Metadata>,
        /// Labels to add, after the existing ones.
        add_labels: Replacement<BoundedList<UserLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Replacement<BoundedList<UserLabel, 0, 50>>,
    }
    check no_label_both_ways;
}

/// Result of deleting a thread.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeletedThread")]
struct DeletedThreadView {
    /// Always true.
    deleted: bool,
    messages: u64,
    attachments: u64,
}

impl InboxThreadsQuery {
    fn filter(&self, inbox: Option<InboxId>) -> ThreadFilter {
        ThreadFilter {
            inbox,
            labels: self.labels.0.iter().map(|label| label.0.clone()).collect(),
            before: self.before,
            after: self.after,
            participant: self.participant.as_ref().map(|part| searched_text(&part.0)),
            subject: self.subject.as_ref().map(|part| part.0.clone()),
            ascending: self.ascending,
        }
    }
}

async fn list(service: Arc<Service>, input: Input<ThreadsQuery>) -> Result<Outcome, Refusal> {
    let inbox = input.caller.scope().narrow(input.query.inbox_id.map(InboxId))?;
    page(&service, input.caller, inbox, input.query.list).await
}

/// Lists threads, of one inbox or of all that the caller can access.
pub(super) async fn page(
    service: &Service,
    caller: Caller,
    inbox: Option<InboxId>,
    query: InboxThreadsQuery,
) -> Result<Outcome, Refusal> {
    let filter = query.filter(inbox);
    let page = paging(query.cursor, query.limit);
    let request = ThreadListRequest { filter, include_newest: query.include_newest, page };
    let found = threads::page(service, caller, request).await?;
    Outcome::page(service, &found, |listed: &ListedThread| {
        ThreadView::of(&listed.thread).with_newest(listed.newest.as_ref().map(newest_view))
    })
}

fn newest_view(message: &NewestMessage) -> NewestMessageView<'_> {
    let beginning = message.beginning.as_deref().unwrap_or_default();
    NewestMessageView::of(message.id, message.direction, &message.from, beginning)
}

async fn get(service: Arc<Service>, input: Input<ThreadQuery>) -> Result<Outcome, Refusal> {
    let thread: ThreadId = input.path.id("id", "thread")?;
    let ThreadQuery { cursor, limit, view, screening } = input.query;
    let page = paging(cursor, limit);
    let request = ThreadRequest { thread, detail: detail(view, screening.opt_ins()), page };
    let bytes_max = service.config.limits.page_bytes;
    let render = move |thread: &Thread, newest_first: &Page<Record>| {
        let rendered = render_page(newest_first, bytes_max, MessageView::of)?;
        render_view(&FullThreadView::of(thread, &rendered))
    };
    Ok(Outcome::rendered_json(200, threads::get(&service, input.caller, request, render).await?))
}

async fn digest(service: Arc<Service>, input: Input<DigestQuery>) -> Result<Outcome, Refusal> {
    let thread: ThreadId = input.path.id("id", "thread")?;
    let DigestQuery { budget, cursor, reset } = input.query;
    let budget = usize::try_from(budget.map_or(BUDGET_DEFAULT, |budget| budget.0)).unwrap_or_default();
    let request = DigestRequest { thread, budget, cursor: cursor.map(|cursor| cursor.0), reset };
    let ThreadDigest { digest, next_cursor } = digest::digest(&service, input.caller, request).await?;
    Outcome::json(200, &DigestView::of(&digest, next_cursor))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateThreadBody>) -> Result<Outcome, Refusal> {
    let id: ThreadId = input.path.id("id", "thread")?;
    let UpdateThreadBody { metadata, add_labels, remove_labels } = input.body;
    let change = ThreadChange {
        labels: label_change(add_labels.0, remove_labels.0),
        metadata: metadata.0.map_or_else(Default::default, |metadata| metadata.0),
    };
    let changed = threads::change(&service, input.caller, id, change).await?;
    Outcome::json(200, &ThreadView::of(&changed))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: ThreadId = input.path.id("id", "thread")?;
    let erased = threads::delete(&service, input.caller, id).await?;
    Outcome::json(200, &DeletedThreadView { deleted: true, messages: erased.messages, attachments: erased.attachments })
}
