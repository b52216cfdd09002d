//! `/v1/lists`: allow and block lists for what is received, sent and answered (contract §13.1).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::{Code, Refusal},
    id::{InboxId, ListEntryId},
    list::{ListDirection, ListKind, PATTERN_CHARS_MAX, Pattern},
};
use posthouse_store::lists::Filter;
use uuid::Uuid;

use crate::{
    app::{
        App,
        change_list::{self, NewEntry},
    },
    http::{
        route::{Answer, Input, Route},
        wire::{Empty, Line, object, query},
    },
    views::list_entry::{ListEntriesView, ListEntryView},
};

pub(crate) fn routes() -> Vec<Route> {
    use Permission::ListsManage;
    vec![
        Route::new(Method::GET, "/v1/lists", "listListEntries", ListsManage)
            .summary("Every entry of the allow and block lists, oldest first; without pages.")
            .answers::<ListEntriesView<'_>>(200)
            .errors(&[Code::Forbidden, Code::NotFound])
            .handle(list),
        Route::new(Method::POST, "/v1/lists", "createListEntry", ListsManage)
            .summary("Adds an entry. Block beats allow; one allow entry of a direction closes it for everybody else.")
            .answers::<ListEntryView<'_>>(201)
            .errors(&[Code::Forbidden, Code::NotFound, Code::ListEntryExists])
            .handle(create),
        Route::new(Method::DELETE, "/v1/lists/{id}", "deleteListEntry", ListsManage)
            .summary("Takes an entry away. Mail that it stopped stays stopped.")
            .answers_with(204, None)
            .errors(&[Code::NotFound])
            .handle(delete),
    ]
}

query! {
    /// Which entries are wanted.
    struct ListQuery {
        /// Those of that inbox alone; required for a key of one inbox.
        inbox_id: Option<Uuid>,
        /// Those of that direction alone.
        direction: Option<ListDirection>,
        /// Those of that kind alone.
        kind: Option<ListKind>,
    }
}

object! {
    /// An entry to be added.
    struct Create {
        /// What it decides about.
        direction: ListDirection,
        /// What it does.
        kind: ListKind,
        /// An address; a domain, which stands for its subdomains too; or, to receive, agents:any, agents:verified or
        /// workspace:self.
        pattern: Line<1, PATTERN_CHARS_MAX>,
        /// The inbox it is for; every inbox of the workspace when left out or null.
        inbox_id: Option<Uuid>,
        /// Only for allow entries of the direction receive: true matches only mail whose author's domain SPF or DKIM
        /// authenticates. Default false. Mail that failed SPF or DMARC, or whose result cannot be had, matches no allow
        /// entry either way.
        require_auth: Option<bool>,
    }
}

async fn list(app: Arc<App>, input: Input<ListQuery>) -> Result<Answer, Refusal> {
    let filter =
        Filter { inbox: input.query.inbox_id.map(InboxId), direction: input.query.direction, kind: input.query.kind };
    let found = change_list::all(&app, input.caller, filter).await?;
    Answer::json(200, &ListEntriesView { data: found.iter().map(ListEntryView::of).collect() })
}

async fn create(app: Arc<App>, input: Input<Empty, Create>) -> Result<Answer, Refusal> {
    let new = input.body.parse()?;
    let made = change_list::add(&app, input.caller, new).await?;
    Answer::json(201, &ListEntryView::of(&made))
}

async fn delete(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id: ListEntryId = input.path.id("id", "entry of the lists")?;
    change_list::delete(&app, input.caller, id).await?;
    Ok(Answer::empty())
}

impl Create {
    fn parse(self) -> Result<NewEntry, Refusal> {
        let Self { direction, kind, pattern, inbox_id, require_auth } = self;
        let require_auth = require_auth.unwrap_or(false);
        if require_auth && (direction, kind) != (ListDirection::Receive, ListKind::Allow) {
            let problem = "may be true only for an entry with direction receive and kind allow";
            return Err(Refusal::invalid_field("require_auth", problem));
        }
        let pattern =
            Pattern::parse(&pattern.0, direction).map_err(|problem| Refusal::invalid_field("pattern", problem))?;
        Ok(NewEntry { inbox: inbox_id.map(InboxId), direction, kind, pattern, require_auth })
    }
}
