//! Full-text search (contract §7).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::{Code, Refusal},
    id::InboxId,
    message::{Channel, Kind},
    search::QUERY_CHARS_MAX,
};
use uuid::Uuid;

use crate::{
    app::{
        App,
        search::{self, Search},
    },
    http::{
        route::{Answer, Input, Route},
        wire::{Cursor, Limit, Line, query, rows},
    },
    views::{PageView, search::FoundView},
};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/search", "searchMessages", Permission::MessagesRead)
            .summary(
                "Messages with these words in subject, sender or body; the best first, the newest first among equals.",
            )
            .answers::<PageView<FoundView<'_>>>(200)
            .errors(&[Code::InvalidCursor, Code::NotFound])
            .handle(search),
    ]
}

query! {
    /// What is looked for.
    struct SearchQuery {
        /// Words, "phrases", -without, or, beginning*, from:, to:, subject:, label:, has:attachment, before:2026-01-31, after:2026-01-31.
        q: Line<1, QUERY_CHARS_MAX>,
        /// Messages of that inbox alone; left out, of every inbox that the key can see.
        inbox_id: Option<Uuid>,
        /// Mail of that channel alone.
        channel: Option<Channel>,
        /// Mail of that type alone.
        kind = "type": Option<Kind>,
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most messages of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

impl SearchQuery {
    fn asked(self) -> Search {
        Search {
            text: self.q.0,
            inbox: self.inbox_id.map(InboxId),
            channel: self.channel,
            kind: self.kind,
            cursor: self.cursor.map(|cursor| cursor.0),
            limit: rows(self.limit),
        }
    }
}

async fn search(app: Arc<App>, input: Input<SearchQuery>) -> Result<Answer, Refusal> {
    let (found, next_cursor) = search::search(&app, input.caller, input.query.asked()).await?;
    Answer::json(200, &PageView { data: found.iter().map(FoundView::of).collect(), next_cursor })
}
