//! The list entry object, of allow and block lists.

use posthouse_domain::list::{ListDirection, ListEntry, ListKind, ListPatternKind};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

/// An entry of the allow or block list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListEntry")]
pub struct ListEntryView<'a> {
    id: Uuid,
    /// Inbox that the entry applies to; null for every inbox of the workspace.
    inbox_id: Option<Uuid>,
    /// `receive`, `send` or `reply`.
    #[schemars(schema_with = "name_of::<ListDirection>")]
    direction: &'static str,
    /// `allow` or `block`.
    #[schemars(schema_with = "name_of::<ListKind>")]
    kind: &'static str,
    /// Address, domain (including its subdomains) or token to match.
    pattern: &'a str,
    /// `address`, `domain` or `token`.
    #[schemars(schema_with = "name_of::<ListPatternKind>")]
    r#type: &'static str,
    /// Whether SPF or DKIM must authenticate the author's domain for an allow entry with direction `receive` to match.
    /// Mail that failed authentication never matches an allow entry.
    require_auth: bool,
    created_at: TimestampView,
}

/// All list entries, without pagination.
#[derive(Serialize, JsonSchema)]
pub struct ListEntriesView<'a> {
    /// List entries, oldest first.
    pub data: Vec<ListEntryView<'a>>,
}

impl<'a> ListEntryView<'a> {
    /// Returns the view of a list entry.
    #[must_use]
    pub fn of(entry: &'a ListEntry) -> Self {
        Self {
            id: entry.id.into(),
            inbox_id: entry.inbox.map(Into::into),
            direction: entry.direction.text(),
            kind: entry.kind.text(),
            pattern: &entry.pattern.text,
            r#type: entry.pattern.kind.text(),
            require_auth: entry.require_auth,
            created_at: entry.created_at.into(),
        }
    }
}
