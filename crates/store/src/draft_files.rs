//! Files of drafts: what is known of them and their compressed bytes, small ones here, large ones in the blob store.

use posthouse_domain::{
    draft::DraftFile,
    id::{AttachmentId, DraftId, WorkspaceId},
};

use crate::{Error, FromRow, Result, Row, Tx, contents::RawPlace, many, p, statements};

statements! {
    INSERT = "INSERT INTO draft_files (workspace_id, id, draft_id, position, filename, content_type, size_bytes, sha256, content, content_blob)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    OF = "SELECT f.draft_id, f.id, f.filename, f.content_type, f.size_bytes, f.sha256
        FROM {EACH} draft_files f WHERE f.workspace_id = $1 AND f.draft_id {AMONG} {pg:f} ORDER BY f.draft_id, f.position";
    CONTENTS = "SELECT id, content, content_blob FROM draft_files WHERE workspace_id = $1 AND draft_id = $2 ORDER BY position";
    FIND = "SELECT draft_id, id, filename, content_type, size_bytes, sha256 FROM draft_files WHERE workspace_id = $1 AND id = $2";
    CONTENT = "SELECT id, content, content_blob FROM draft_files WHERE workspace_id = $1 AND id = $2";
    BLOBS = "SELECT content_blob FROM draft_files WHERE content_blob > $1 GROUP BY content_blob ORDER BY content_blob LIMIT $2";
    PLACE = "UPDATE draft_files SET position = $3 WHERE workspace_id = $1 AND id = $2";
    DELETE = "DELETE FROM draft_files WHERE workspace_id = $1 AND id = $2";
    DELETE_OF = "DELETE FROM draft_files WHERE workspace_id = $1 AND draft_id = $2";
}

/// The next blobs that files of drafts name, by name.
///
/// # Errors
/// The store's own.
pub fn blobs_after(tx: &mut Tx, digest: &str, limit: u32) -> Result<Vec<String>> {
    let found: Vec<(String,)> = tx.rows(&BLOBS, p![digest, limit])?;
    Ok(found.into_iter().map(|(digest,)| digest).collect())
}

/// Where the bytes of a file are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileContent {
    /// The file.
    pub id: AttachmentId,
    /// Its compressed bytes.
    pub place: RawPlace,
}

/// Stores a file.
///
/// # Errors
/// The store's own.
pub fn insert(
    tx: &mut Tx,
    (workspace, draft): (WorkspaceId, DraftId),
    position: u32,
    (file, place): (&DraftFile, &RawPlace),
) -> Result<()> {
    let (inline, blob) = match place {
        RawPlace::Inline(bytes) => (Some(bytes.as_slice()), None),
        RawPlace::Blob(digest) => (None, Some(digest.as_str())),
    };
    let f = file;
    tx.exec(
        &INSERT,
        p![workspace, f.id, draft, position, f.filename, f.content_type, f.size_bytes, f.sha256, inline, blob],
    )?;
    Ok(())
}

/// The files of up to 100 drafts, in their order within each.
///
/// # Errors
/// The store's own.
pub fn of(tx: &mut Tx, workspace: WorkspaceId, drafts: &[DraftId]) -> Result<Vec<(DraftId, DraftFile)>> {
    let found: Vec<OfDraft> = many::rows(tx, &OF, workspace, drafts)?;
    Ok(found.into_iter().map(|of| (of.draft, of.file)).collect())
}

/// Where the bytes of a draft's files are, in their order.
///
/// # Errors
/// The store's own.
pub fn contents(tx: &mut Tx, workspace: WorkspaceId, draft: DraftId) -> Result<Vec<FileContent>> {
    tx.rows(&CONTENTS, p![workspace, draft])
}

/// A file by its id, with its draft and where its bytes are.
///
/// # Errors
/// The store's own.
pub fn find(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: AttachmentId,
) -> Result<Option<(DraftId, DraftFile, FileContent)>> {
    let found: Option<OfDraft> = tx.one(&FIND, p![workspace, id])?;
    let content: Option<FileContent> = tx.one(&CONTENT, p![workspace, id])?;
    Ok(found.zip(content).map(|(of, content)| (of.draft, of.file, content)))
}

/// Gives a file another place among those of its draft.
///
/// # Errors
/// The store's own.
pub fn set_position(tx: &mut Tx, workspace: WorkspaceId, id: AttachmentId, position: u32) -> Result<()> {
    tx.exec(&PLACE, p![workspace, id, position])?;
    Ok(())
}

/// Deletes a file. Its blob is left to the sweep.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: AttachmentId) -> Result<()> {
    tx.exec(&DELETE, p![workspace, id])?;
    Ok(())
}

/// Deletes the files of a draft. Their blobs are left to the sweep.
///
/// # Errors
/// The store's own.
pub fn delete_of(tx: &mut Tx, workspace: WorkspaceId, draft: DraftId) -> Result<()> {
    tx.exec(&DELETE_OF, p![workspace, draft])?;
    Ok(())
}

struct OfDraft {
    draft: DraftId,
    file: DraftFile,
}

impl FromRow for OfDraft {
    const COLUMNS: usize = 6;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let draft = row.take()?;
        let file = DraftFile {
            id: row.take()?,
            filename: row.take()?,
            content_type: row.take()?,
            size_bytes: row.take()?,
            sha256: row.take()?,
        };
        Ok(Self { draft, file })
    }
}

impl FromRow for FileContent {
    const COLUMNS: usize = 3;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let id = row.take()?;
        let (inline, blob): (Option<Vec<u8>>, Option<String>) = (row.take()?, row.take()?);
        let place = match (inline, blob) {
            (Some(bytes), _) => RawPlace::Inline(bytes),
            (None, Some(digest)) => RawPlace::Blob(digest),
            (None, None) => return Err(Error::Corrupt("a file of a draft without bytes".into())),
        };
        Ok(Self { id, place })
    }
}
