//! Raw bytes and bodies of messages. Copies of a message in the same workspace share them.
//!
//! Raw bytes are compressed. Small ones are stored in the database, large ones in the blob store under the recorded
//! name.

use posthouse_domain::{ContentId, MessageBodies, WorkspaceId};

use crate::{Error, Result, Tx, statements};

/// Largest compressed raw message that is stored in the database, in bytes.
pub const INLINE_BYTES_MAX: usize = 256 * 1024;

statements! {
    fn insert_row(
        workspace: WorkspaceId,
        id: ContentId,
        raw: &StoredRaw { inline: raw.place.inline(), blob: raw.place.blob(), bytes },
        bodies: &MessageBodies {
            text, html, extracted_text: bodies.extracted_text.as_ref().filter(|_| !is_text(bodies)),
            is_text: is_text(bodies), headers_json,
        },
    ) =
        "INSERT INTO contents (workspace_id, id, raw, raw_blob, raw_bytes, text, html, extracted_text, extracted_is_text, headers)
        VALUES ({PARAMETERS})";
    /// Returns the bodies of up to [`crate::dialect::IDS_MAX`] contents, unordered.
    pub fn bodies(workspace: WorkspaceId, ids: each ContentId) -> Vec<ContentBodies> =
        "SELECT c.id, c.text, c.html, c.extracted_text, c.extracted_is_text, c.headers
        FROM {EACH} contents c WHERE c.workspace_id = :workspace AND c.id {AMONG} {pg:c}";
    fn summary_rows(workspace: WorkspaceId, ids: each ContentId) -> Vec<SummaryRow> =
        "SELECT c.id, CASE WHEN c.extracted_is_text = 1 THEN substr(c.text, 1, 200) ELSE substr(c.extracted_text, 1, 200) END AS start
        FROM {EACH} contents c WHERE c.workspace_id = :workspace AND c.id {AMONG} {pg:c}";
    /// Returns the location of the raw bytes.
    pub fn raw(workspace: WorkspaceId, id: ContentId) -> Option<StoredRaw> =
        "SELECT raw, raw_blob, raw_bytes FROM contents WHERE workspace_id = :workspace AND id = :id";
    fn delete_row(workspace: WorkspaceId, id: ContentId) -> Option<DeletedContent> =
        "DELETE FROM contents WHERE workspace_id = :workspace AND id = :id
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = :workspace AND m.content_id = :id) RETURNING raw_blob, raw_bytes";
    /// Returns the next blobs that contents reference, ordered by name.
    pub fn blobs_after(digest: &str, limit: u32) -> Vec<String> =
        "SELECT raw_blob FROM contents WHERE raw_blob > :digest GROUP BY raw_blob ORDER BY raw_blob LIMIT :limit";
    /// Returns whether any content or draft attachment references the blob.
    pub fn references_blob(digest: &str) -> bool = "SELECT raw_bytes FROM contents WHERE raw_blob = :digest
        UNION ALL SELECT size_bytes FROM draft_files WHERE content_blob = :digest LIMIT 1";
}

/// The location of compressed bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RawLocation {
    /// In the database: the zstd bytes.
    Inline(Vec<u8>),
    /// In the blob store, under this SHA-256 in hex.
    Blob(String),
}

impl RawLocation {
    /// Returns the location that these columns hold; `what` names their row in an error.
    pub(crate) fn of(inline: Option<Vec<u8>>, blob: Option<String>, what: &str) -> Result<Self> {
        let location = inline.map(Self::Inline).or(blob.map(Self::Blob));
        location.ok_or_else(|| Error::Inconsistent(format!("{what} has no bytes").into()))
    }

    /// Returns the bytes in the database.
    pub(crate) fn inline(&self) -> Option<&[u8]> {
        if let Self::Inline(bytes) = self { Some(bytes) } else { None }
    }

    /// Returns the name of the blob.
    pub(crate) fn blob(&self) -> Option<&str> {
        if let Self::Blob(digest) = self { Some(digest) } else { None }
    }
}

/// Returns whether the new text is the whole text.
fn is_text(bodies: &MessageBodies) -> bool {
    bodies.extracted_text.is_some() && bodies.extracted_text == bodies.text
}

/// The stored raw bytes of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRaw {
    /// Their location.
    pub place: RawLocation,
    /// Their size before compression, without the trace lines that Posthouse adds.
    pub bytes: u64,
}

crate::row_struct!(
    /// A deleted content.
    pub(crate) DeletedContent { raw_blob: Option<String>, raw_bytes: u64 }
);

/// The bodies of one content.
pub struct ContentBodies {
    pub id: ContentId,
    pub bodies: MessageBodies,
}

/// Stores the bytes and bodies of a message, and counts them.
pub fn insert(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: ContentId,
    raw: &StoredRaw,
    bodies: &MessageBodies,
) -> Result<()> {
    insert_pending(tx, workspace, id, raw, bodies)?;
    count_pending(tx, workspace, raw.bytes);
    Ok(())
}

/// Counts a content that was stored by [`insert_pending`], once a message has it.
pub fn count_pending(tx: &mut Tx, workspace: WorkspaceId, raw_bytes: u64) {
    tx.add_stored_bytes(workspace, raw_bytes);
}

/// Stores the bytes and bodies of a message for another workspace than that of the unit. They aren't counted yet, because
/// that would lock the counter of that workspace.
pub fn insert_pending(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: ContentId,
    raw: &StoredRaw,
    bodies: &MessageBodies,
) -> Result<()> {
    insert_row(tx, workspace, id, raw, bodies)
}

/// Returns the start of the new text of up to [`crate::dialect::IDS_MAX`] contents, unordered, and no other body.
pub fn summaries(tx: &mut Tx, workspace: WorkspaceId, ids: &[ContentId]) -> Result<Vec<ContentBodies>> {
    let bodies = |row: SummaryRow| ContentBodies {
        id: row.id,
        bodies: MessageBodies { extracted_text: row.start, ..MessageBodies::default() },
    };
    Ok(summary_rows(tx, workspace, ids)?.into_iter().map(bodies).collect())
}

/// Deletes a content that no message references any more; returns the name of a blob that may now be unused.
pub fn delete_unused(tx: &mut Tx, workspace: WorkspaceId, id: ContentId) -> Result<Option<String>> {
    let Some(deleted) = delete_row(tx, workspace, id)? else { return Ok(None) };
    tx.subtract_stored_bytes(workspace, deleted.raw_bytes);
    Ok(deleted.raw_blob)
}

/// Deletes a content that [`insert_pending`] stored and that no message has; returns the name of a blob that may now be
/// unused.
pub fn delete_pending(tx: &mut Tx, workspace: WorkspaceId, id: ContentId) -> Result<Option<String>> {
    Ok(delete_row(tx, workspace, id)?.and_then(|deleted| deleted.raw_blob))
}

crate::row_struct!(SummaryRow { id: ContentId, start: Option<String> });

crate::from_row!(StoredRaw {
    place(raw: Option<Vec<u8>>, raw_blob: Option<String>) => RawLocation::of(raw, raw_blob, "a content")?,
    bytes = raw_bytes,
});

crate::from_row!(ContentBodies {
    id, text: Option<String>, html, extracted_text, extracted_is_text: bool, headers_json = headers,
} => {
    let extracted_text = if extracted_is_text { text.clone() } else { extracted_text };
    Self { id, bodies: MessageBodies { text, html, extracted_text, headers_json } }
});
