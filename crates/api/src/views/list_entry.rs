//! The list entry object, of allow and block lists.

use posthouse_domain::list::{ListDirection, ListEntry, ListKind, ListPatternKind};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

view! {
    /// An entry of the allow or block list.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "ListEntry")]
    pub struct ListEntryView<'a> of entry: &'a ListEntry {
        id: Uuid = entry.id.into(),
        /// Inbox that the entry applies to; null for every inbox of the workspace.
        inbox_id: Option<Uuid> = entry.inbox.map(Into::into),
        /// `receive`, `send` or `reply`.
        #[schemars(schema_with = "name_of::<ListDirection>")]
        direction: &'static str = entry.direction.text(),
        /// `allow` or `block`.
        #[schemars(schema_with = "name_of::<ListKind>")]
        kind: &'static str = entry.kind.text(),
        /// Address, domain (including its subdomains) or token to match.
        pattern: &'a str = &entry.pattern.text,
        /// `address`, `domain` or `token`.
        #[schemars(schema_with = "name_of::<ListPatternKind>")]
        r#type: &'static str = entry.pattern.kind.text(),
        /// Whether SPF or DKIM must authenticate the author's domain for an allow entry with direction `receive` to
        /// match. Mail that failed authentication never matches an allow entry.
        require_auth: bool = entry.require_auth,
        created_at: TimestampView = entry.created_at.into(),
    }
}

/// All list entries, without pagination.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListEntries")]
pub struct ListEntriesView<'a> {
    /// List entries, oldest first.
    pub data: Vec<ListEntryView<'a>>,
}
