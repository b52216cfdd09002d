//! The entry of an allow or block list (contract §13.1).

use posthouse_domain::list::{ListDirection, ListEntry, ListKind, PatternType};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{Moment, name_of};

/// An entry of a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ListEntry")]
pub struct ListEntryView<'a> {
    id: Uuid,
    /// The inbox it is for; null: every inbox of the workspace.
    inbox_id: Option<Uuid>,
    /// receive, send or reply.
    #[schemars(schema_with = "name_of::<ListDirection>")]
    direction: &'static str,
    /// allow or block.
    #[schemars(schema_with = "name_of::<ListKind>")]
    kind: &'static str,
    /// An address, a domain (with its subdomains) or a token.
    pattern: &'a str,
    /// address, domain or token.
    #[schemars(schema_with = "name_of::<PatternType>")]
    r#type: &'static str,
    /// Of an allow entry for the direction receive: whether SPF or DKIM must authenticate the author's domain. Mail that
    /// failed authentication matches no allow entry either way.
    require_auth: bool,
    created_at: Moment,
}

/// All entries; there are no pages.
#[derive(Serialize, JsonSchema)]
pub struct ListEntriesView<'a> {
    /// The entries, oldest first.
    pub data: Vec<ListEntryView<'a>>,
}

impl<'a> ListEntryView<'a> {
    /// Shows the entry.
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
