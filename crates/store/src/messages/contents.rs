//! Raw bytes and bodies of messages. Copies of a message in the same workspace share them.
//!
//! Raw bytes are compressed. Small ones are stored in the database, large ones in the blob store under the recorded
//! name.

use posthouse_domain::{
    id::{ContentId, WorkspaceId},
    message::MessageBodies,
};

use crate::{Result, Tx, p, statements};

/// Largest compressed raw message that is stored in the database, in bytes.
pub const INLINE_BYTES_MAX: usize = 256 * 1024;

statements! {
    INSERT = "INSERT INTO contents (workspace_id, id, raw, raw_blob, raw_bytes, text, html, extracted_text, extracted_is_text, headers)
        VALUES ({PARAMETERS})";
    BODIES = "SELECT c.id, c.text, c.html, c.extracted_text, c.extracted_is_text, c.headers
        FROM {EACH} contents c WHERE c.workspace_id = $1 AND c.id {AMONG} {pg:c}";
    SUMMARIES = "SELECT c.id, CASE WHEN c.extracted_is_text = 1 THEN substr(c.text, 1, 200) ELSE substr(c.extracted_text, 1, 200) END AS start
        FROM {EACH} contents c WHERE c.workspace_id = $1 AND c.id {AMONG} {pg:c}";
    /// Returns the location of the raw bytes.
    pub fn raw(workspace: WorkspaceId, id: ContentId) -> Option<StoredRaw> =
        "SELECT raw, raw_blob, raw_bytes FROM contents WHERE workspace_id = :workspace AND id = :id";
    DELETE_UNUSED = "DELETE FROM contents WHERE workspace_id = $1 AND id = $2
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = $1 AND m.content_id = $2) RETURNING raw_blob, raw_bytes";
    /// Returns the next blobs that contents reference, ordered by name.
    pub fn blobs_after(digest: &str, limit: u32) -> Vec<String> =
        "SELECT raw_blob FROM contents WHERE raw_blob > :digest GROUP BY raw_blob ORDER BY raw_blob LIMIT :limit";
    BLOB_USED = "SELECT raw_bytes FROM contents WHERE raw_blob = $1
        UNION ALL SELECT size_bytes FROM draft_files WHERE content_blob = $1 LIMIT 1";
}

/// The location of compressed bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RawLocation {
    /// In the database: the zstd bytes.
    Inline(Vec<u8>),
    /// In the blob store, under this SHA-256 in hex.
    Blob(String),
}

/// The stored raw bytes of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRaw {
    /// Their location.
    pub place: RawLocation,
    /// Their size before compression, without the trace lines that Posthouse adds.
    pub bytes: u64,
}

/// A deleted content.
pub(crate) struct DeletedContent {
    /// The blob of its bytes.
    pub(crate) raw_blob: Option<String>,
    /// Their size before compression.
    pub(crate) raw_bytes: u64,
}

/// The bodies of one content.
pub struct ContentBodies {
    /// The content.
    pub id: ContentId,
    /// Its bodies.
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
    let (inline, blob) = match &raw.place {
        RawLocation::Inline(bytes) => (Some(bytes.as_slice()), None),
        RawLocation::Blob(digest) => (None, Some(digest.as_str())),
    };
    let is_same = bodies.extracted_text.is_some() && bodies.extracted_text == bodies.text;
    let extracted = if is_same { None } else { bodies.extracted_text.as_deref() };
    tx.exec(
        &INSERT,
        p![workspace, id, inline, blob, raw.bytes, bodies.text, bodies.html, extracted, is_same, bodies.headers_json],
    )?;
    Ok(())
}

/// Returns the bodies of up to [`crate::dialect::IDS_MAX`] contents, unordered.
pub fn bodies(tx: &mut Tx, workspace: WorkspaceId, ids: &[ContentId]) -> Result<Vec<ContentBodies>> {
    crate::many::rows(tx, &BODIES, workspace, ids)
}

/// Returns the start of the new text of up to [`crate::dialect::IDS_MAX`] contents, unordered, and no other body.
pub fn summaries(tx: &mut Tx, workspace: WorkspaceId, ids: &[ContentId]) -> Result<Vec<ContentBodies>> {
    let rows: Vec<SummaryRow> = crate::many::rows(tx, &SUMMARIES, workspace, ids)?;
    let bodies = |row: SummaryRow| ContentBodies {
        id: row.id,
        bodies: MessageBodies { extracted_text: row.start, ..MessageBodies::default() },
    };
    Ok(rows.into_iter().map(bodies).collect())
}

/// Deletes a content that no message references any more; returns the name of a blob that may now be unused.
pub fn delete_unused(tx: &mut Tx, workspace: WorkspaceId, id: ContentId) -> Result<Option<String>> {
    let Some(deleted) = tx.one::<DeletedContent>(&DELETE_UNUSED, p![workspace, id])? else { return Ok(None) };
    tx.subtract_stored_bytes(workspace, deleted.raw_bytes);
    Ok(deleted.raw_blob)
}

/// Deletes a content that [`insert_pending`] stored and that no message has; returns the name of a blob that may now be
/// unused.
pub fn delete_pending(tx: &mut Tx, workspace: WorkspaceId, id: ContentId) -> Result<Option<String>> {
    let deleted: Option<DeletedContent> = tx.one(&DELETE_UNUSED, p![workspace, id])?;
    Ok(deleted.and_then(|deleted| deleted.raw_blob))
}

/// Returns whether any content or draft attachment references the blob.
pub fn references_blob(tx: &mut Tx, digest: &str) -> Result<bool> {
    Ok(tx.value::<i64>(&BLOB_USED, p![digest])?.is_some())
}

crate::row_struct!(SummaryRow { id: ContentId, start: Option<String> });

crate::from_row!(DeletedContent { raw_blob, raw_bytes });

crate::from_row!(StoredRaw {
    inline = raw: Option<Vec<u8>>,
    blob = raw_blob: Option<String>,
    bytes = raw_bytes,
} => {
    let place = match (inline, blob) {
        (Some(bytes), _) => RawLocation::Inline(bytes),
        (None, Some(digest)) => RawLocation::Blob(digest),
        (None, None) => return Err(crate::Error::Inconsistent("a content has no raw bytes".into())),
    };
    Self { place, bytes }
});

crate::from_row!(ContentBodies {
    id,
    text: Option<String>,
    html,
    extracted_text,
    extracted_is_text: bool,
    headers_json = headers,
} => {
    let extracted_text = if extracted_is_text { text.clone() } else { extracted_text };
    Self { id, bodies: MessageBodies { text, html, extracted_text, headers_json } }
});
