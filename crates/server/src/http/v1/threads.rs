//! `/v1/threads` and the threads of an inbox (contract §6).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    id::{InboxId, ThreadId},
    list::searched_text,
    page::{LIMIT_MAX, Position},
    thread::Thread,
    time::Time,
};
use posthouse_store::{
    Tx, message_list,
    messages::{self, Record},
    thread_list::{self, Filter},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::messages::{ScreeningQuery, label_change, no_label_both_ways};
use crate::{
    app::{
        App,
        change_thread::{self, ThreadChange},
        visible,
    },
    http::{
        route::{Answer, Input, Route},
        wire::{CommaList, Cursor, Empty, Int, Label, Limit, Line, List, Metadata, OwnLabel, object, paging, query},
    },
    views::{
        PageView,
        thread::{FullThreadView, ThreadView},
    },
};

/// Most labels of a list's filter.
const LABEL_FILTERS_MAX: usize = 10;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/inboxes/{id}/threads", "listInboxThreads", Permission::MessagesRead)
            .summary("The threads of an inbox, newest activity first.")
            .answers::<PageView<ThreadView<'_>>>(200)
            .errors(&[Code::InvalidCursor, Code::NotFound])
            .handle(list_of_inbox),
        Route::new(Method::GET, "/v1/threads", "listThreads", Permission::MessagesRead)
            .summary("The threads of every inbox that the key can see, newest activity first.")
            .answers::<PageView<ThreadView<'_>>>(200)
            .errors(&[Code::InvalidCursor, Code::NotFound])
            .handle(list),
        Route::new(Method::GET, "/v1/threads/{id}", "getThread", Permission::MessagesRead)
            .summary("A thread with its newest messages, at most 100, in the order of time; earlier_cursor leads back.")
            .answers::<FullThreadView<'_>>(200)
            .errors(&[Code::InvalidCursor, Code::NotFound])
            .handle(get),
        Route::new(Method::PATCH, "/v1/threads/{id}", "updateThread", Permission::MessagesWrite)
            .summary("Merges metadata and changes the thread's own labels.")
            .answers::<ThreadView<'_>>(200)
            .errors(&[Code::NotFound])
            .handle(update),
        Route::new(Method::DELETE, "/v1/threads/{id}", "deleteThread", Permission::MessagesWrite)
            .summary("Deletes a thread with all its messages and their files; mail of it that still waits is not sent.")
            .answers::<DeletedView>(200)
            .errors(&[Code::NotFound])
            .handle(delete),
    ]
}

query! {
    /// What a list of threads is narrowed to.
    struct InboxThreadsQuery {
        /// Labels joined by commas; a thread must have all of them.
        labels: CommaList<Label, LABEL_FILTERS_MAX>,
        /// Last activity before this moment.
        before: Option<Time>,
        /// Last activity after this moment.
        after: Option<Time>,
        /// A part of a participant's address.
        participant: Option<Line<1, 320>>,
        /// A part of the subject.
        subject: Option<Line<1, 500>>,
        /// Oldest activity first.
        ascending: bool,
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most threads of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

query! {
    /// What a list of threads is narrowed to.
    struct ThreadsQuery {
        /// Threads of that inbox alone.
        inbox_id: Option<Uuid>,
        /// Labels joined by commas; a thread must have all of them.
        labels: CommaList<Label, LABEL_FILTERS_MAX>,
        /// Last activity before this moment.
        before: Option<Time>,
        /// Last activity after this moment.
        after: Option<Time>,
        /// A part of a participant's address.
        participant: Option<Line<1, 320>>,
        /// A part of the subject.
        subject: Option<Line<1, 500>>,
        /// Oldest activity first.
        ascending: bool,
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most threads of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

query! {
    /// Which messages of the thread are wanted.
    struct ThreadQuery {
        /// The earlier_cursor of the answer before.
        cursor: Option<Cursor>,
        /// Most messages; 100 when left out.
        limit: Option<Limit>,
        /// Show the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Show the content of held mail; needs messages:release.
        include_held: bool,
    }
}

object! {
    /// A change of a thread.
    struct Update {
        /// Metadata to merge; a null value deletes its key.
        metadata: Option<Metadata>,
        /// Labels to add behind those that are there.
        add_labels: Option<List<OwnLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Option<List<OwnLabel, 0, 50>>,
    }
    check no_label_both_ways;
}

/// What was deleted with a thread.
#[derive(Serialize, JsonSchema)]
struct DeletedView {
    /// Always true.
    deleted: bool,
    messages: u64,
    attachments: u64,
}

impl InboxThreadsQuery {
    fn filter(&self, inbox: Option<InboxId>) -> Filter {
        Filter {
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

async fn list_of_inbox(app: Arc<App>, input: Input<InboxThreadsQuery>) -> Result<Answer, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    page(&app, input.caller, Some(inbox), input.query).await
}

async fn list(app: Arc<App>, input: Input<ThreadsQuery>) -> Result<Answer, Refusal> {
    let q = input.query;
    let inbox = q.inbox_id.map(InboxId).or(input.caller.scope.inbox());
    let query = InboxThreadsQuery {
        labels: q.labels,
        before: q.before,
        after: q.after,
        participant: q.participant,
        subject: q.subject,
        ascending: q.ascending,
        cursor: q.cursor,
        limit: q.limit,
    };
    page(&app, input.caller, inbox, query).await
}

async fn page(app: &App, caller: Caller, inbox: Option<InboxId>, query: InboxThreadsQuery) -> Result<Answer, Refusal> {
    let (found, next_cursor) = app.store.read(move |tx| read_page(tx, &caller, inbox, &query)).await?;
    Answer::json(200, &PageView { data: found.iter().map(ThreadView::of).collect(), next_cursor })
}

fn read_page(
    tx: &mut Tx,
    caller: &Caller,
    inbox: Option<InboxId>,
    query: &InboxThreadsQuery,
) -> Result<(Vec<Thread>, Option<String>), Refusal> {
    if let Some(inbox) = inbox {
        visible::inbox(tx, caller, inbox)?;
    }
    let filter = query.filter(inbox);
    let named = format!("threads: {filter:?}");
    let paging = paging(named, query.cursor.as_ref(), query.limit)?;
    let mut found = thread_list::page(tx, caller.workspace, &filter, paging.after, paging.fetched())?;
    let next = paging.cut(&mut found, |t| Position { sort: t.last_message_at.millis(), id: t.id.0 });
    Ok((found, next))
}

async fn get(app: Arc<App>, input: Input<ThreadQuery>) -> Result<Answer, Refusal> {
    let id: ThreadId = input.path.id("id", "thread")?;
    let (caller, query) = (input.caller, input.query);
    ScreeningQuery { include_unscreened: query.include_unscreened, include_held: query.include_held }.check(&caller)?;
    let (thread, newest_first, earlier) = app.store.read(move |tx| read_thread(tx, &caller, id, &query)).await?;
    Answer::json(200, &FullThreadView::of(&thread, &newest_first, earlier))
}

fn read_thread(
    tx: &mut Tx,
    caller: &Caller,
    id: ThreadId,
    query: &ThreadQuery,
) -> Result<(Thread, Vec<Record>, Option<String>), Refusal> {
    let thread = visible::thread(tx, caller, id)?;
    let named = format!("messages of thread {id}");
    let paging = paging(named, query.cursor.as_ref(), query.limit.or(Some(Int(LIMIT_MAX.into()))))?;
    let before = paging.after.map(|after: Position| Time::from_millis(after.sort));
    let mut found = message_list::of_thread(tx, caller.workspace, id, before, paging.fetched())?;
    let next = paging.cut(&mut found, |m| Position { sort: m.created_at.millis(), id: m.id.0 });
    Ok((thread, messages::records(tx, caller.workspace, found)?, next))
}

async fn update(app: Arc<App>, input: Input<Empty, Update>) -> Result<Answer, Refusal> {
    let id: ThreadId = input.path.id("id", "thread")?;
    let Update { metadata, add_labels, remove_labels } = input.body;
    let change = ThreadChange {
        labels: label_change(add_labels, remove_labels),
        metadata: metadata.map_or_else(Default::default, |metadata| metadata.0),
    };
    let changed = change_thread::change(&app, input.caller, id, change).await?;
    Answer::json(200, &ThreadView::of(&changed))
}

async fn delete(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id: ThreadId = input.path.id("id", "thread")?;
    let erased = change_thread::delete(&app, input.caller, id).await?;
    Answer::json(200, &DeletedView { deleted: true, messages: erased.messages, attachments: erased.attachments })
}
