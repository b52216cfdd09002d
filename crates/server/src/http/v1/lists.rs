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
        wire::{Empty, Line, choice, object, query},
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

choice! {
    /// What a list decides about.
    enum Direction {
        /// The senders of mail that comes in.
        Receive = "receive",
        /// The recipients of mail that is sent by itself.
        Send = "send",
        /// Those who took part in what is answered.
        Reply = "reply",
    }
}

choice! {
    /// What an entry does.
    enum Kind {
        /// Lets through; then nothing else is.
        Allow = "allow",
        /// Stops.
        Block = "block",
    }
}

query! {
    /// Which entries are wanted.
    struct ListQuery {
        /// Those of that inbox alone; required for a key of one inbox.
        inbox_id: Option<Uuid>,
        /// Those of that direction alone.
        direction: Option<Direction>,
        /// Those of that kind alone.
        kind: Option<Kind>,
    }
}

object! {
    /// An entry to be added.
    struct Create {
        /// What it decides about.
        direction: Direction,
        /// What it does.
        kind: Kind,
        /// An address; a domain, which stands for its subdomains too; or, to receive, agents:any, agents:verified or
        /// workspace:self.
        pattern: Line<1, PATTERN_CHARS_MAX>,
        /// The inbox it is for; every inbox of the workspace when left out or null.
        inbox_id: Option<Uuid>,
    }
}

async fn list(app: Arc<App>, input: Input<ListQuery>) -> Result<Answer, Refusal> {
    let filter = Filter {
        inbox: input.query.inbox_id.map(InboxId),
        direction: input.query.direction.and_then(|d| ListDirection::parse(d.text())),
        kind: input.query.kind.and_then(|k| ListKind::parse(k.text())),
    };
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
        let direction = match self.direction {
            Direction::Receive => ListDirection::Receive,
            Direction::Send => ListDirection::Send,
            Direction::Reply => ListDirection::Reply,
        };
        let kind = match self.kind {
            Kind::Allow => ListKind::Allow,
            Kind::Block => ListKind::Block,
        };
        let pattern =
            Pattern::parse(&self.pattern.0, direction).map_err(|problem| Refusal::invalid_field("pattern", problem))?;
        Ok(NewEntry { inbox: self.inbox_id.map(InboxId), direction, kind, pattern })
    }
}
