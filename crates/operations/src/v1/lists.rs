//! `/v1/lists`: allow and block lists for receiving, sending and replying.

use posthouse_api::views::list_entry::{ListEntriesView, ListEntryView};
use posthouse_api::wire::{ListPatternText, member};
use posthouse_app::contacts::lists::{self, ListEntryFilter, NewListEntry};
use posthouse_call::prelude::*;
use posthouse_domain::{ListDirection, ListEntryId, ListKind, ListPattern};
use serde_json::{Map, Value, json};
use uuid::Uuid;

pub(crate) fn operations() -> Vec<Operation> {
    use Permission::ListsManage;
    vec![
        Operation::new(Method::Get, "/v1/lists", "listListEntries", ListsManage)
            .summary("Lists every entry of the allow and block lists, oldest first, without pages.")
            .responds::<ListEntriesView<'_>>(200)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(list),
        Operation::new(Method::Post, "/v1/lists", "createListEntry", ListsManage)
            .summary("Creates a list entry. Block beats allow; one allow entry closes its direction to everyone else.")
            .responds::<ListEntryView<'_>>(201)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::ListEntryExists])
            .handle(create),
        Operation::new(Method::Delete, "/v1/lists/{id}", "deleteListEntry", ListsManage)
            .summary("Deletes a list entry. Mail that it stopped stays blocked.")
            .responds_with(204, None)
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
        pattern: ListPatternText,
        /// The inbox the entry applies to. Applies to every inbox of the workspace if omitted or null.
        inbox_id: Option<Uuid>,
        /// Only for allow entries with direction `receive`: if true, the entry matches only authors whose domain SPF or
        /// DKIM authenticates. Default: false. Either way, mail that failed SPF or DMARC, or whose result is
        /// unavailable, matches no allow entry.
        require_auth: Option<bool>,
    }
    check require_auth_of_receiving, schema authenticates_receiving;
}

async fn list(service: Arc<Service>, input: Input<ListEntriesQuery>) -> Result<Outcome, Refusal> {
    let filter = ListEntryFilter {
        inbox: input.query.inbox_id.map(InboxId),
        direction: input.query.direction,
        kind: input.query.kind,
    };
    let found = lists::all(&service, input.caller, filter).await?;
    Outcome::json(200, &ListEntriesView { data: found.iter().map(ListEntryView::of).collect() })
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateListEntryBody>) -> Result<Outcome, Refusal> {
    let new = input.body.parse()?;
    let made = lists::add(&service, input.caller, new).await?;
    Outcome::json(201, &ListEntryView::of(&made))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: ListEntryId = input.path.id("id", "list entry")?;
    lists::delete(&service, input.caller, id).await?;
    Ok(Outcome::empty())
}

impl CreateListEntryBody {
    fn parse(self) -> Result<NewListEntry, Refusal> {
        let Self { direction, kind, pattern, inbox_id, require_auth } = self;
        let require_auth = require_auth.unwrap_or(false);
        let pattern =
            ListPattern::parse(&pattern.0, direction).map_err(|cause| Refusal::invalid_field("pattern", cause))?;
        Ok(NewListEntry { inbox: inbox_id.map(InboxId), direction, kind, pattern, require_auth })
    }
}

/// Reports `require_auth` on an entry that isn't an allow entry for receiving.
fn require_auth_of_receiving(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let is = |name: &str, text: &str| given.get(name).is_some_and(|value| value == text);
    let is_required = given.get("require_auth") == Some(&Value::Bool(true));
    if is_required && !(is("direction", ListDirection::Receive.text()) && is("kind", ListKind::Allow.text())) {
        let problem = "may be true only for an entry with direction `receive` and kind `allow`";
        problems.add::<()>(&member(path, "require_auth"), problem);
    }
}

/// [`require_auth_of_receiving`] as a condition of JSON Schema.
fn authenticates_receiving() -> Value {
    let is = |text: &str| json!({ "const": text });
    let receiving = json!({ "direction": is(ListDirection::Receive.text()), "kind": is(ListKind::Allow.text()) });
    json!({
        "if": { "required": ["require_auth"], "properties": { "require_auth": { "const": true } } },
        "then": { "properties": receiving },
    })
}
