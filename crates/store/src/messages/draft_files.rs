//! Attachments of drafts: metadata and compressed bytes. Small ones are stored in the database, large ones in the blob
//! store.

use posthouse_domain::{
    draft::DraftFile,
    id::{AttachmentId, DraftId, WorkspaceId},
};

use crate::{Error, Result, Tx, contents::RawLocation, many, p, statements};

statements! {
    INSERT = "INSERT INTO draft_files (workspace_id, id, draft_id, position, filename, content_type, size_bytes, sha256, content, content_blob)
        VALUES ({PARAMETERS})";
    OF = "SELECT f.draft_id, f.id, f.filename, f.content_type, f.size_bytes, f.sha256
        FROM {EACH} draft_files f WHERE f.workspace_id = $1 AND f.draft_id {AMONG} {pg:f} ORDER BY f.draft_id, f.position";
    /// Returns the locations of the bytes of a draft's files, in order.
    pub fn contents(workspace: WorkspaceId, draft: DraftId) -> Vec<DraftFileContent> =
        "SELECT id, content, content_blob FROM draft_files WHERE workspace_id = :workspace AND draft_id = :draft ORDER BY position";
    FIND = "SELECT draft_id, id, filename, content_type, size_bytes, sha256 FROM draft_files WHERE workspace_id = $1 AND id = $2";
    CONTENT = "SELECT id, content, content_blob FROM draft_files WHERE workspace_id = $1 AND id = $2";
    /// Returns the next blobs that draft attachments reference, ordered by name.
    pub fn blobs_after(digest: &str, limit: u32) -> Vec<String> =
        "SELECT content_blob FROM draft_files WHERE content_blob > :digest GROUP BY content_blob ORDER BY content_blob LIMIT :limit";
    /// Sets the position of a file within its draft.
    pub fn set_position(workspace: WorkspaceId, id: AttachmentId, position: u32) =
        "UPDATE draft_files SET position = :position WHERE workspace_id = :workspace AND id = :id";
    DELETE = "DELETE FROM draft_files WHERE workspace_id = $1 AND id = $2 RETURNING size_bytes";
    DELETE_OF = "DELETE FROM draft_files WHERE workspace_id = $1 AND draft_id = $2 RETURNING size_bytes";
}

/// The location of a file's bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftFileContent {
    /// The file.
    pub id: AttachmentId,
    /// The location of its compressed bytes.
    pub place: RawLocation,
}

/// Stores a file.
pub fn insert(
    tx: &mut Tx,
    workspace: WorkspaceId,
    draft: DraftId,
    position: u32,
    file: &DraftFile,
    place: &RawLocation,
) -> Result<()> {
    let (inline, blob) = match place {
        RawLocation::Inline(bytes) => (Some(bytes.as_slice()), None),
        RawLocation::Blob(digest) => (None, Some(digest.as_str())),
    };
    let f = file;
    tx.exec(
        &INSERT,
        p![workspace, f.id, draft, position, f.filename, f.content_type, f.size_bytes, f.sha256, inline, blob],
    )?;
    tx.add_stored_bytes(workspace, f.size_bytes);
    Ok(())
}

/// Returns the files of up to 100 drafts, in order within each draft.
pub fn of(tx: &mut Tx, workspace: WorkspaceId, drafts: &[DraftId]) -> Result<Vec<(DraftId, DraftFile)>> {
    let found: Vec<DraftFileRow> = many::rows(tx, &OF, workspace, drafts)?;
    Ok(found.into_iter().map(|row| (row.draft, row.file)).collect())
}

/// Returns a file by ID, with its draft and the location of its bytes.
pub fn find(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: AttachmentId,
) -> Result<Option<(DraftId, DraftFile, DraftFileContent)>> {
    let found: Option<DraftFileRow> = tx.one(&FIND, p![workspace, id])?;
    let content: Option<DraftFileContent> = tx.one(&CONTENT, p![workspace, id])?;
    Ok(found.zip(content).map(|(row, content)| (row.draft, row.file, content)))
}

/// Deletes a file. The sweep deletes its blob.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: AttachmentId) -> Result<()> {
    let deleted = tx.rows(&DELETE, p![workspace, id])?;
    uncount(tx, workspace, deleted);
    Ok(())
}

/// Deletes the files of a draft. The sweep deletes their blobs.
pub fn delete_of(tx: &mut Tx, workspace: WorkspaceId, draft: DraftId) -> Result<()> {
    let deleted = tx.rows(&DELETE_OF, p![workspace, draft])?;
    uncount(tx, workspace, deleted);
    Ok(())
}

/// Subtracts the sizes of deleted files.
fn uncount(tx: &mut Tx, workspace: WorkspaceId, deleted: Vec<(u64,)>) {
    tx.subtract_stored_bytes(workspace, deleted.into_iter().map(|(bytes,)| bytes).sum());
}

struct DraftFileRow {
    draft: DraftId,
    file: DraftFile,
}

crate::from_row!(DraftFileRow {
    draft = draft_id,
    id,
    filename,
    content_type,
    size_bytes,
    sha256,
} => Self { draft, file: DraftFile { id, filename, content_type, size_bytes, sha256 } });

crate::from_row!(DraftFileContent {
    id,
    inline = content: Option<Vec<u8>>,
    blob = content_blob: Option<String>,
} => {
    let place = match (inline, blob) {
        (Some(bytes), _) => RawLocation::Inline(bytes),
        (None, Some(digest)) => RawLocation::Blob(digest),
        (None, None) => return Err(Error::Inconsistent("a file of a draft has no bytes".into())),
    };
    Self { id, place }
});
