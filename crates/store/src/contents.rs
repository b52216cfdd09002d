//! The bytes and bodies of mail, shared by the copies within a workspace.
//!
//! Raw bytes are compressed; small ones are kept here, large ones in the blob store under the name that is kept here.

use posthouse_domain::{
    id::{ContentId, WorkspaceId},
    message::Bodies,
};

use crate::{FromRow, Result, Row, Tx, p, statements};

/// Compressed raw mail up to this many bytes is kept in the database.
pub const INLINE_BYTES_MAX: usize = 256 * 1024;

statements! {
    INSERT = "INSERT INTO contents (workspace_id, id, raw, raw_blob, raw_bytes, text, html, extracted_text, extracted_is_text, headers)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    BODIES = "SELECT c.id, c.text, c.html, c.extracted_text, c.extracted_is_text, c.headers
        FROM {EACH} contents c WHERE c.workspace_id = $1 AND c.id {AMONG} {pg:c}";
    RAW = "SELECT raw, raw_blob, raw_bytes FROM contents WHERE workspace_id = $1 AND id = $2";
    DELETE_UNUSED = "DELETE FROM contents WHERE workspace_id = $1 AND id = $2
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = $1 AND m.content_id = $2) RETURNING raw_blob";
    BLOBS = "SELECT raw_blob FROM contents WHERE raw_blob > $1 GROUP BY raw_blob ORDER BY raw_blob LIMIT $2";
    BLOB_USED = "SELECT raw_bytes FROM contents WHERE raw_blob = $1
        UNION ALL SELECT size_bytes FROM draft_files WHERE content_blob = $1 LIMIT 1";
}

/// Where compressed raw bytes are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RawPlace {
    /// Here: the zstd bytes.
    Inline(Vec<u8>),
    /// In the blob store, under this SHA-256 in hex.
    Blob(String),
}

/// Raw bytes as kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raw {
    /// Where they are.
    pub place: RawPlace,
    /// Their size before compression, without our trace lines.
    pub bytes: u64,
}

/// The bodies of one content.
pub struct ContentBodies {
    /// Which content.
    pub id: ContentId,
    /// Its bodies.
    pub bodies: Bodies,
}

/// Stores a mail's bytes and bodies.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, id: ContentId, raw: &Raw, bodies: &Bodies) -> Result<()> {
    let (inline, blob) = match &raw.place {
        RawPlace::Inline(bytes) => (Some(bytes.as_slice()), None),
        RawPlace::Blob(digest) => (None, Some(digest.as_str())),
    };
    let same = bodies.extracted_text.is_some() && bodies.extracted_text == bodies.text;
    let extracted = if same { None } else { bodies.extracted_text.as_deref() };
    tx.exec(
        &INSERT,
        p![workspace, id, inline, blob, raw.bytes, bodies.text, bodies.html, extracted, same, bodies.headers_json],
    )?;
    Ok(())
}

/// The bodies of up to [`crate::dialect::IDS_MAX`] contents, in no order.
///
/// # Errors
/// The store's own.
pub fn bodies(tx: &mut Tx, workspace: WorkspaceId, ids: &[ContentId]) -> Result<Vec<ContentBodies>> {
    crate::many::rows(tx, &BODIES, workspace, ids)
}

/// Where the raw bytes are.
///
/// # Errors
/// The store's own.
pub fn raw(tx: &mut Tx, workspace: WorkspaceId, id: ContentId) -> Result<Option<Raw>> {
    tx.one(&RAW, p![workspace, id])
}

/// Deletes a content that no message names any more; gives the name of a blob that may now be unused.
///
/// # Errors
/// The store's own.
pub fn delete_unused(tx: &mut Tx, workspace: WorkspaceId, id: ContentId) -> Result<Option<String>> {
    Ok(tx.value::<Option<String>>(&DELETE_UNUSED, p![workspace, id])?.flatten())
}

/// Whether any content, or file of a draft, names the blob.
///
/// # Errors
/// The store's own.
pub fn names_blob(tx: &mut Tx, digest: &str) -> Result<bool> {
    Ok(tx.value::<i64>(&BLOB_USED, p![digest])?.is_some())
}

/// The next blobs that contents name, by name.
///
/// # Errors
/// The store's own.
pub fn blobs_after(tx: &mut Tx, digest: &str, limit: u32) -> Result<Vec<String>> {
    let found: Vec<(String,)> = tx.rows(&BLOBS, p![digest, limit])?;
    Ok(found.into_iter().map(|(digest,)| digest).collect())
}

impl FromRow for Raw {
    const COLUMNS: usize = 3;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (inline, blob): (Option<Vec<u8>>, Option<String>) = (row.take()?, row.take()?);
        let place = match (inline, blob) {
            (Some(bytes), _) => RawPlace::Inline(bytes),
            (None, Some(digest)) => RawPlace::Blob(digest),
            (None, None) => return Err(crate::Error::Corrupt("a content without raw bytes".into())),
        };
        Ok(Self { place, bytes: row.take()? })
    }
}

impl FromRow for ContentBodies {
    const COLUMNS: usize = 6;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (id, text, html): (ContentId, Option<String>, Option<String>) = (row.take()?, row.take()?, row.take()?);
        let (extracted, same): (Option<String>, bool) = (row.take()?, row.take()?);
        let extracted_text = if same { text.clone() } else { extracted };
        Ok(Self { id, bodies: Bodies { text, html, extracted_text, headers_json: row.take()? } })
    }
}
