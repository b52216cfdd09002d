//! Attachments of drafts: metadata and compressed bytes. Small ones are stored in the database, large ones in the blob
//! store.

use posthouse_domain::{AttachmentId, DraftFile, DraftId, WorkspaceId};

use crate::{Result, Tx, contents::RawLocation, statements};

statements! {
    fn insert_row(
        workspace: WorkspaceId,
        draft: DraftId,
        position: u32,
        file: row &DraftFile,
        place: &RawLocation { content: place.inline(), content_blob: place.blob() },
    ) = "{insert draft_files}";
    fn rows_of(workspace: WorkspaceId, drafts: each DraftId) -> Vec<DraftFileRow> = "SELECT f.draft_id, {f.draft_files}
        FROM {EACH} draft_files f WHERE f.workspace_id = :workspace AND f.draft_id {AMONG} {pg:f} ORDER BY f.draft_id, f.position";
    /// Returns the locations of the bytes of a draft's files, in order.
    pub fn contents(workspace: WorkspaceId, draft: DraftId) -> Vec<DraftFileContent> =
        "SELECT id, content, content_blob FROM draft_files WHERE workspace_id = :workspace AND draft_id = :draft ORDER BY position";
    fn row(workspace: WorkspaceId, id: AttachmentId) -> Option<DraftFileRow> =
        "SELECT draft_id, {draft_files} FROM draft_files WHERE workspace_id = :workspace AND id = :id";
    fn content(workspace: WorkspaceId, id: AttachmentId) -> Option<DraftFileContent> =
        "SELECT id, content, content_blob FROM draft_files WHERE workspace_id = :workspace AND id = :id";
    /// Returns the next blobs that draft attachments reference, ordered by name.
    pub fn blobs_after(digest: &str, limit: u32) -> Vec<String> =
        "SELECT content_blob FROM draft_files WHERE content_blob > :digest GROUP BY content_blob ORDER BY content_blob LIMIT :limit";
    /// Sets the position of a file within its draft.
    pub fn set_position(workspace: WorkspaceId, id: AttachmentId, position: u32) =
        "UPDATE draft_files SET position = :position WHERE workspace_id = :workspace AND id = :id";
    fn delete_row(workspace: WorkspaceId, id: AttachmentId) -> Vec<u64> =
        "DELETE FROM draft_files WHERE workspace_id = :workspace AND id = :id RETURNING size_bytes";
    fn delete_rows_of(workspace: WorkspaceId, draft: DraftId) -> Vec<u64> =
        "DELETE FROM draft_files WHERE workspace_id = :workspace AND draft_id = :draft RETURNING size_bytes";
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
    insert_row(tx, workspace, draft, position, file, place)?;
    tx.add_stored_bytes(workspace, file.size_bytes);
    Ok(())
}

/// Returns the files of up to 100 drafts, in order within each draft.
pub fn of(tx: &mut Tx, workspace: WorkspaceId, drafts: &[DraftId]) -> Result<Vec<(DraftId, DraftFile)>> {
    Ok(rows_of(tx, workspace, drafts)?.into_iter().map(|row| (row.draft, row.file)).collect())
}

/// Returns a file by ID, with its draft and the location of its bytes.
pub fn find(
    tx: &mut Tx,
    workspace: WorkspaceId,
    id: AttachmentId,
) -> Result<Option<(DraftId, DraftFile, DraftFileContent)>> {
    let (found, content) = (row(tx, workspace, id)?, content(tx, workspace, id)?);
    Ok(found.zip(content).map(|(row, content)| (row.draft, row.file, content)))
}

/// Deletes a file. The sweep deletes its blob.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: AttachmentId) -> Result<()> {
    let bytes = delete_row(tx, workspace, id)?.into_iter().sum();
    tx.subtract_stored_bytes(workspace, bytes);
    Ok(())
}

/// Deletes the files of a draft. The sweep deletes their blobs.
pub fn delete_of(tx: &mut Tx, workspace: WorkspaceId, draft: DraftId) -> Result<()> {
    let bytes = delete_rows_of(tx, workspace, draft)?.into_iter().sum();
    tx.subtract_stored_bytes(workspace, bytes);
    Ok(())
}

struct DraftFileRow {
    draft: DraftId,
    file: DraftFile,
}

crate::from_row!(DraftFileRow { draft = draft_id; file: DraftFile });

crate::from_row!(DraftFileContent {
    id,
    place(content: Option<Vec<u8>>, content_blob: Option<String>) => RawLocation::of(content, content_blob, "a file of a draft")?,
});
