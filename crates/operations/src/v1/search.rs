//! Full-text search.

use posthouse_api::{views::search::SearchHitView, wire::SearchText};
use posthouse_app::messages::search::{self, SearchRequest};
use posthouse_call::prelude::*;
use posthouse_call::render_page;
use posthouse_domain::{Channel, MessageKind, Page, RecordView, SearchHit};
use uuid::Uuid;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/search", "searchMessages", Permission::MessagesRead)
            .summary("Searches subjects, senders and bodies. Best matches come first, newest first among equals.")
            .responds::<PageView<SearchHitView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::NotFound])
            .handle(search),
    ]
}

query! {
    /// The search text, filters and page.
    struct SearchQuery {
        /// Words, `"phrases"`, `-without`, `or`, `prefix*`, `from:`, `to:`, `subject:`, `label:`, `has:attachment`,
        /// `before:2026-01-31`, `after:2026-01-31`.
        q: SearchText,
        /// Only messages of this inbox. If omitted, every inbox the key can access.
        inbox_id: Option<Uuid>,
        /// Only messages of this channel.
        channel: Option<Channel>,
        /// Only messages of this type.
        kind = "type": Option<MessageKind>,
        /// How much of each message the list shows: `summary` leaves out bodies, header fields and data. Default: full.
        view: Option<RecordView>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of messages per page. Default: 25.
        limit: Limit,
    }
}

impl SearchQuery {
    fn asked(self) -> SearchRequest {
        SearchRequest {
            text: self.q.0,
            inbox: self.inbox_id.map(InboxId),
            channel: self.channel,
            kind: self.kind,
            page: paging(self.cursor, self.limit),
            view: self.view.unwrap_or(RecordView::Full),
        }
    }
}

async fn search(service: Arc<Service>, input: Input<SearchQuery>) -> Result<Outcome, Refusal> {
    let bytes_max = service.config.limits.page_bytes;
    let render = move |page: &Page<SearchHit>| render_page(page, bytes_max, SearchHitView::of);
    let rendered = search::search(&service, input.caller, input.query.asked(), render).await?;
    Ok(Outcome::rendered_json(200, rendered.into_json()))
}
