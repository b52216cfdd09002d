//! `/v1/lists`: allow and block lists for receiving, sending and replying.

use crate::Api;
use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::{ErrorCode, Refusal},
    id::{InboxId, ListEntryId},
    list::{ListDirection, ListKind, ListPattern, PATTERN_CHARS_MAX},
};
use posthouse_store::lists::ListEntryFilter;
use uuid::Uuid;

use crate::route::{Route, RouteInput, RouteResponse};
use posthouse_api::{
    views::list_entry::{ListEntriesView, ListEntryView},
    wire::{BoundedLine, EmptyInput, object, query},
};
use posthouse_app::contacts::lists::{self, NewListEntry};

pub(crate) fn routes() -> Vec<Route> {
    use Permission::ListsManage;
    vec![
        Route::new(Method::GET, "/v1/lists", "listListEntries", ListsManage)
            .summary("Lists every entry of the allow and block lists, oldest first, without pages.")
            .answers::<ListEntriesView<'_>>(200)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(list),
        Route::new(Method::POST, "/v1/lists", "createListEntry", ListsManage)
            .summary("Creates a list entry. Block beats allow; one allow entry closes its direction to everyone else.")
            .answers::<ListEntryView<'_>>(201)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::ListEntryExists])
            .handle(create),
        Route::new(Method::DELETE, "/v1/lists/{id}", "deleteListEntry", ListsManage)
            .summary("Deletes a list entry. Mail that it stopped stays blocked.")
            .answers_with(204, None)
            .errors(&[ErrorCode::NotFound])
            .handle(delete),
    ]
}

query! {
    /// Filters for list entries.
    struct ListEntriesQuery {
        /// Only entries for this inbox. Required for a key that is scoped to one inbox.
        inbox_id: Option<Uuid>,
        /// Only entries of this direction.
        direction: Option<ListDirection>,
        /// Only entries of this kind.
        kind: Option<ListKind>,
    }
}

object! {
    /// A list entry to create.
    struct CreateListEntryBody {
        /// Which mail the entry applies to: received, sent or replies.
        direction: ListDirection,
        /// Whether the entry allows or blocks.
        kind: ListKind,
        /// An address; a domain, which includes its subdomains; or, with direction `receive`, `agents:any`,
        /// `agents:verified` or `workspace:self`.
        pattern: BoundedLine<1, PATTERN_CHARS_MAX>,
        /// The inbox the entry applies to. Applies to every inbox of the workspace if omitted or null.
        inbox_id: Option<Uuid>,
        /// Only for allow entries with direction `receive`: if true, the entry matches only authors whose domain SPF or
        /// DKIM authenticates. Default: false. Either way, mail that failed SPF or DMARC, or whose result is
        /// unavailable, matches no allow entry.
        require_auth: Option<bool>,
    }
}

async fn list(app: Arc<Api>, input: RouteInput<ListEntriesQuery>) -> Result<RouteResponse, Refusal> {
    let filter = ListEntryFilter {
        inbox: input.query.inbox_id.map(InboxId),
        direction: input.query.direction,
        kind: input.query.kind,
    };
    let found = lists::all(&app, input.caller, filter).await?;
    RouteResponse::json(200, &ListEntriesView { data: found.iter().map(ListEntryView::of).collect() })
}

async fn create(app: Arc<Api>, input: RouteInput<EmptyInput, CreateListEntryBody>) -> Result<RouteResponse, Refusal> {
    let new = input.body.parse()?;
    let made = lists::add(&app, input.caller, new).await?;
    RouteResponse::json(201, &ListEntryView::of(&made))
}

async fn delete(app: Arc<Api>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    let id: ListEntryId = input.path.id("id", "list entry")?;
    lists::delete(&app, input.caller, id).await?;
    Ok(RouteResponse::empty())
}

impl CreateListEntryBody {
    fn parse(self) -> Result<NewListEntry, Refusal> {
        let Self { direction, kind, pattern, inbox_id, require_auth } = self;
        let require_auth = require_auth.unwrap_or(false);
        if require_auth && (direction, kind) != (ListDirection::Receive, ListKind::Allow) {
            let problem = "may be true only for an entry with direction `receive` and kind `allow`";
            return Err(Refusal::invalid_field("require_auth", problem));
        }
        let pattern =
            ListPattern::parse(&pattern.0, direction).map_err(|cause| Refusal::invalid_field("pattern", cause))?;
        Ok(NewListEntry { inbox: inbox_id.map(InboxId), direction, kind, pattern, require_auth })
    }
}
