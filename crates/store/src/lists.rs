//! Allow and block lists (contract §13.1): their entries, and those that match a sender or a recipient.

use posthouse_domain::{
    id::{InboxId, ListEntryId, WorkspaceId},
    list::{Hits, ListDirection, ListEntry, ListKind, Pattern, Trust},
};
use uuid::Uuid;

use crate::{FromRow, Result, Row, ToValue, Tx, Value, message_list::Place, p, statements};

/// Patterns that are looked up in one statement; fewer are padded.
const LOOKED_UP: usize = 16;

statements! {
    ANY = "SELECT kind FROM list_entries WHERE workspace_id = $1 AND direction = $2 LIMIT 1";
    /// The rows without a pattern say that there is an allow entry at all.
    MATCHING = "SELECT kind, pattern, require_auth FROM list_entries WHERE workspace_id = $1 AND direction = $2 AND inbox_id IN ($3, $4)
        AND pattern IN ($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
        UNION ALL SELECT 'allow', '', 0 WHERE EXISTS (SELECT 1 FROM list_entries WHERE workspace_id = $1 AND direction = $2
        AND inbox_id IN ($3, $4) AND kind = 'allow')";
    INSERT = "INSERT INTO list_entries (workspace_id, id, inbox_id, direction, kind, pattern, type, require_auth, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (workspace_id, direction, inbox_id, pattern, kind) DO NOTHING";
    COUNT = "SELECT count(*) FROM list_entries WHERE workspace_id = $1 AND inbox_id = $2 AND direction IN ('receive', 'send', 'reply')";
    GET = "SELECT workspace_id, id, inbox_id, direction, kind, pattern, type, require_auth, created_at FROM list_entries
        WHERE workspace_id = $1 AND id = $2";
    ALL_OF = "SELECT workspace_id, id, inbox_id, direction, kind, pattern, type, require_auth, created_at FROM list_entries
        WHERE workspace_id = $1 AND inbox_id = COALESCE($2, inbox_id) AND direction = COALESCE($3, direction)
        AND kind = COALESCE($4, kind) ORDER BY created_at, id";
    DELETE = "DELETE FROM list_entries WHERE workspace_id = $1 AND id = $2";
    DELETE_OF_INBOX = "DELETE FROM list_entries WHERE workspace_id = $1 AND inbox_id = $2";
}

/// What is found in the lists of a direction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// There is an allow entry, for anybody.
    pub allow_only: bool,
    entries: Vec<(ListKind, String, bool)>,
}

impl Found {
    /// What the entries say of a recipient, or of a party to a conversation, with these patterns.
    #[must_use]
    pub fn hits<'p>(&self, patterns: impl IntoIterator<Item = &'p str> + Clone) -> Hits {
        self.hits_of_sender(patterns, Trust::Authenticated)
    }

    /// What the entries say of the sender of a received mail with these patterns. Block entries match whoever it claims to
    /// be; allow entries only whom authentication leaves in no doubt.
    #[must_use]
    pub fn hits_of_sender<'p>(&self, patterns: impl IntoIterator<Item = &'p str> + Clone, trust: Trust) -> Hits {
        let matches = |pattern: &String| patterns.clone().into_iter().any(|given| given == pattern);
        let has = |wanted: ListKind, fits: &dyn Fn(bool) -> bool| {
            let mut found = self.entries.iter().filter(|(kind, ..)| *kind == wanted);
            found.any(|(_, pattern, require_auth)| fits(*require_auth) && matches(pattern))
        };
        Hits {
            allowed: has(ListKind::Allow, &|require_auth| trust.fits_allow(require_auth)),
            blocked: has(ListKind::Block, &|_| true),
        }
    }
}

/// The entries of the workspace and of the inbox that have one of the patterns.
///
/// # Errors
/// The store's own.
pub fn matching(tx: &mut Tx, place: Place, direction: ListDirection, patterns: &[&str]) -> Result<Found> {
    let whole = Uuid::nil();
    let mut found = Found::default();
    // Most workspaces have no lists, and every mail asks.
    if tx.value::<ListKind>(&ANY, p![place.workspace, direction])?.is_none() {
        return Ok(found);
    }
    let all: &[&str] = if patterns.is_empty() { &[""] } else { patterns };
    for chunk in all.chunks(LOOKED_UP) {
        let mut parameters: Vec<Value<'_>> =
            vec![place.workspace.to_value(), direction.to_value(), whole.to_value(), place.inbox.to_value()];
        parameters.extend(chunk.iter().cycle().take(LOOKED_UP).map(ToValue::to_value));
        let rows: Vec<(ListKind, String, bool)> = tx.rows(&MATCHING, &parameters)?;
        found.allow_only |= rows.iter().any(|(_, pattern, _)| pattern.is_empty());
        found.entries.extend(rows);
    }
    Ok(found)
}

/// Stores an entry; says whether it was not there before.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, entry: &ListEntry) -> Result<bool> {
    let e = entry;
    let (inbox, pattern) = (stored_inbox(e.inbox), &e.pattern);
    let parameters =
        p![e.workspace, e.id, inbox, e.direction, e.kind, pattern.text, pattern.kind, e.require_auth, e.created_at];
    Ok(tx.exec(&INSERT, parameters)? == 1)
}

/// How many entries the workspace or the inbox has.
///
/// # Errors
/// The store's own.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace, stored_inbox(inbox)])?.unwrap_or(0))
}

/// The entry of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: ListEntryId) -> Result<Option<ListEntry>> {
    tx.one(&GET, p![workspace, id])
}

/// Which entries are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Those of that inbox alone.
    pub inbox: Option<InboxId>,
    /// Those of that direction alone.
    pub direction: Option<ListDirection>,
    /// Those of that kind alone.
    pub kind: Option<ListKind>,
}

/// The entries of a workspace that pass the filter, oldest first; how many there may be is bounded when they are made.
///
/// # Errors
/// The store's own.
pub fn all(tx: &mut Tx, workspace: WorkspaceId, filter: Filter) -> Result<Vec<ListEntry>> {
    tx.rows(&ALL_OF, p![workspace, filter.inbox, filter.direction, filter.kind])
}

/// Deletes an entry.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: ListEntryId) -> Result<()> {
    tx.exec(&DELETE, p![workspace, id])?;
    Ok(())
}

/// Deletes the entries of an inbox.
///
/// # Errors
/// The store's own.
pub fn delete_of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    tx.exec(&DELETE_OF_INBOX, p![workspace, inbox])?;
    Ok(())
}

fn stored_inbox(inbox: Option<InboxId>) -> Uuid {
    inbox.map_or(Uuid::nil(), |inbox| inbox.0)
}

impl FromRow for ListEntry {
    const COLUMNS: usize = 9;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (workspace, id, inbox): (WorkspaceId, ListEntryId, Uuid) = (row.take()?, row.take()?, row.take()?);
        let inbox = Some(InboxId(inbox)).filter(|inbox| !inbox.0.is_nil());
        let (direction, kind) = (row.take()?, row.take()?);
        let pattern = Pattern { text: row.take()?, kind: row.take()? };
        let (require_auth, created_at) = (row.take()?, row.take()?);
        Ok(Self { workspace, id, inbox, direction, kind, pattern, require_auth, created_at })
    }
}
