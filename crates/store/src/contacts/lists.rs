//! Allow and block lists: their entries, and lookups for a sender or recipient.

use posthouse_domain::{
    AuthorTrust, InboxId, ListDirection, ListEntry, ListEntryId, ListEntryMatches, ListKind, WorkspaceId,
};
use uuid::Uuid;

use crate::{Result, ToValue, Tx, Value, message_list::InboxRef, statements, values::Nil};

/// Patterns per lookup statement; fewer are padded.
const PATTERNS_PER_LOOKUP: usize = 16;

statements! {
    fn has_any(workspace: WorkspaceId, direction: ListDirection) -> bool =
        "SELECT kind FROM list_entries WHERE workspace_id = :workspace AND direction = :direction LIMIT 1";
    /// A row with an empty pattern shows that the lists contain an allow entry.
    MATCHING = "SELECT kind, pattern, require_auth FROM list_entries WHERE workspace_id = $1 AND direction = $2 AND inbox_id IN ($3, $4)
        AND pattern IN ({NEXT 16})
        UNION ALL SELECT 'allow', '', 0 WHERE EXISTS (SELECT 1 FROM list_entries WHERE workspace_id = $1 AND direction = $2
        AND inbox_id IN ($3, $4) AND kind = 'allow')";
    /// Stores an entry; returns `false` if it already exists.
    pub fn insert(entry: row &ListEntry) -> bool =
        "{insert list_entries} ON CONFLICT (workspace_id, direction, inbox_id, pattern, kind) DO NOTHING";
    /// Returns the number of entries of the workspace or the inbox.
    pub fn count(workspace: WorkspaceId, inbox: Option<InboxId> { inbox: Nil::value(inbox.as_ref()) }) -> u64 =
        "SELECT count(*) FROM list_entries WHERE workspace_id = :workspace AND inbox_id = :inbox AND direction IN ('receive', 'send', 'reply')";
    /// Returns the entry with that ID.
    pub fn get(workspace: WorkspaceId, id: ListEntryId) -> Option<ListEntry> = "SELECT {list_entries} FROM list_entries
        WHERE workspace_id = :workspace AND id = :id";
    /// Returns the entries of a workspace that match the filter, oldest first. The number of entries is limited on
    /// creation.
    pub fn all(workspace: WorkspaceId, filter: ListEntryFilter { inbox, direction, kind }) -> Vec<ListEntry> =
        "SELECT {list_entries} FROM list_entries
        WHERE workspace_id = :workspace AND inbox_id = COALESCE(:inbox, inbox_id) AND direction = COALESCE(:direction, direction)
        AND kind = COALESCE(:kind, kind) ORDER BY created_at, id";
    /// Deletes an entry.
    pub fn delete(workspace: WorkspaceId, id: ListEntryId) =
        "DELETE FROM list_entries WHERE workspace_id = :workspace AND id = :id";
    /// Deletes the entries of an inbox.
    pub fn delete_of_inbox(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM list_entries WHERE workspace_id = :workspace AND inbox_id = :inbox";
}

/// The list entries that match any of the given patterns in one direction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ListMatches {
    /// Whether there is an allow entry for any address.
    pub allow_only: bool,
    entries: Vec<MatchingEntry>,
}

impl ListMatches {
    /// Evaluates the entries for a recipient or a conversation partner with these patterns.
    #[must_use]
    pub fn hits<'p>(&self, patterns: impl IntoIterator<Item = &'p str> + Clone) -> ListEntryMatches {
        self.hits_of_sender(patterns, AuthorTrust::Authenticated)
    }

    /// Evaluates the entries for the sender of a received message with these patterns. Block entries match the claimed
    /// sender; allow entries match only if the sender is sufficiently authenticated.
    #[must_use]
    pub fn hits_of_sender<'p>(
        &self,
        patterns: impl IntoIterator<Item = &'p str> + Clone,
        trust: AuthorTrust,
    ) -> ListEntryMatches {
        let matches = |pattern: &String| patterns.clone().into_iter().any(|given| given == pattern);
        let has = |wanted: ListKind, accepts: &dyn Fn(bool) -> bool| {
            let mut entries = self.entries.iter().filter(|entry| entry.kind == wanted);
            entries.any(|entry| accepts(entry.require_auth) && matches(&entry.pattern))
        };
        ListEntryMatches {
            allowed: has(ListKind::Allow, &|require_auth| trust.fits_allow(require_auth)),
            blocked: has(ListKind::Block, &|_| true),
        }
    }
}

/// Returns the entries of the workspace and of the inbox that match one of the patterns.
pub fn matching(tx: &mut Tx, inbox: InboxRef, direction: ListDirection, patterns: &[&str]) -> Result<ListMatches> {
    let workspace_wide = Uuid::nil();
    let mut matches = ListMatches::default();
    // Most workspaces have no lists, and this runs for every message.
    if !has_any(tx, inbox.workspace, direction)? {
        return Ok(matches);
    }
    let all: &[&str] = if patterns.is_empty() { &[""] } else { patterns };
    for chunk in all.chunks(PATTERNS_PER_LOOKUP) {
        let mut parameters: Vec<Value<'_>> =
            vec![inbox.workspace.to_value(), direction.to_value(), workspace_wide.to_value(), inbox.inbox.to_value()];
        parameters.extend(chunk.iter().cycle().take(PATTERNS_PER_LOOKUP).map(ToValue::to_value));
        let rows: Vec<MatchingEntry> = tx.rows(&MATCHING, &parameters)?;
        matches.allow_only |= rows.iter().any(|entry| entry.pattern.is_empty());
        matches.entries.extend(rows);
    }
    Ok(matches)
}

/// Filter for list entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListEntryFilter {
    /// Only entries of this inbox.
    pub inbox: Option<InboxId>,
    /// Only entries of this direction.
    pub direction: Option<ListDirection>,
    /// Only entries of this kind.
    pub kind: Option<ListKind>,
}

crate::row_struct!(
    #[derive(Clone, PartialEq, Eq, Debug)]
    MatchingEntry { kind: ListKind, pattern: String, require_auth: bool }
);
