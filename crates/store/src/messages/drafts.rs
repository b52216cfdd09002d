//! Drafts: rows, filterable metadata, and deletion.
//!
//! Every write names the revision that was read and changes nothing if the draft has a newer one. Files are in
//! `draft_files`.

pub mod list;
mod row;

use posthouse_domain::{Draft, DraftFailure, DraftId, InboxId, JobKind, ThreadId, WorkspaceId, metadata};

use crate::{Result, Tx, draft_files, escalations, jobs, statements};

statements! {
    fn insert_row(draft: row &Draft) = "{insert drafts}";
    fn row(workspace: WorkspaceId, id: DraftId) -> Option<Draft> =
        "SELECT {d.drafts} FROM drafts d WHERE d.workspace_id = :workspace AND d.id = :id";
    fn rows(workspace: WorkspaceId, ids: each DraftId) -> Vec<Draft> =
        "SELECT {d.drafts} FROM {EACH} drafts d WHERE d.workspace_id = :workspace AND d.id {AMONG} {pg:d}";
    fn lock_row(workspace: WorkspaceId, id: DraftId) -> Option<Draft> =
        "SELECT {d.drafts} FROM drafts d WHERE d.workspace_id = :workspace AND d.id = :id {FOR_UPDATE}";
    fn update_row(after: row &Draft, before: i64) -> bool =
        "UPDATE drafts {set drafts} WHERE workspace_id = :workspace_id AND id = :id AND revision = :before";
    /// Records why an attempt to send was rejected; nothing else changes.
    pub fn refused(draft: &Draft { workspace, id, revision }, failure: &DraftFailure { code, message }) =
        "UPDATE drafts SET error_code = :code, error_message = :message WHERE workspace_id = :workspace AND id = :id AND revision = :revision";
    fn delete_row(workspace: WorkspaceId, id: DraftId) -> Option<u64> =
        "DELETE FROM drafts WHERE workspace_id = :workspace AND id = :id
        RETURNING CAST(COALESCE(octet_length(text), 0) + COALESCE(octet_length(html), 0) + COALESCE(octet_length(data), 0) AS BIGINT)";
    fn add_metadata(draft: &Draft { workspace, id }, key: &str, value: &str) =
        "INSERT INTO draft_metadata (workspace_id, key, value, draft_id) VALUES (:workspace, :key, :value, :id) ON CONFLICT DO NOTHING";
    fn clear_metadata(workspace: WorkspaceId, id: DraftId) =
        "DELETE FROM draft_metadata WHERE workspace_id = :workspace AND draft_id = :id";
    /// Returns the sizes in bytes of the bodies of up to 100 drafts, without reading them; unknown IDs are omitted.
    pub fn body_bytes(workspace: WorkspaceId, ids: each DraftId) -> Vec<(id: DraftId, size_bytes: u64)> =
        "SELECT d.id, coalesce(octet_length(d.text), 0) + coalesce(octet_length(d.html), 0)
          + coalesce(octet_length(d.data), 0) AS size_bytes
        FROM {EACH} drafts d WHERE d.workspace_id = :workspace AND d.id {AMONG} {pg:d}";
    /// Returns, for up to 100 inboxes, the number of drafts that wait for action; inboxes without any are omitted.
    pub fn pending(workspace: WorkspaceId, inboxes: each InboxId) -> Vec<(inbox_id: InboxId, drafts: u64)> =
        "SELECT d.inbox_id, count(*) AS drafts FROM {EACH} drafts d WHERE d.workspace_id = :workspace AND d.status IN ('draft', 'failed')
        AND d.inbox_id {AMONG} {pg:d} GROUP BY d.inbox_id";
    fn of_inbox(workspace: WorkspaceId, inbox: InboxId; limit = STEP) -> Vec<DraftId> =
        "SELECT id FROM drafts WHERE workspace_id = :workspace AND inbox_id = :inbox LIMIT :limit";
    fn of_thread(workspace: WorkspaceId, thread: ThreadId; limit = STEP) -> Vec<DraftId> =
        "SELECT id FROM drafts WHERE workspace_id = :workspace AND thread_id = :thread AND thread_id IS NOT NULL LIMIT :limit";
    fn forget_events(workspace: WorkspaceId, inbox: InboxId) =
        "UPDATE events SET detail = '{}' WHERE workspace_id = :workspace AND inbox_id = :inbox
        AND type IN ('draft.created', 'draft.updated', 'draft.sent', 'draft.cancelled', 'draft.failed')";
    fn forget_events_of_thread(workspace: WorkspaceId, inbox: InboxId, thread: ThreadId) =
        "UPDATE events SET detail = '{}' WHERE workspace_id = :workspace AND inbox_id = :inbox AND thread_id = :thread
        AND type IN ('draft.created', 'draft.updated', 'draft.sent', 'draft.cancelled', 'draft.failed')";
}

/// Number of drafts deleted per step of a loop.
const STEP: u32 = 200;

/// Stores a new draft; its files are stored separately afterward.
pub fn insert(tx: &mut Tx, draft: &Draft) -> Result<()> {
    insert_row(tx, draft)?;
    tx.add_stored_bytes(draft.workspace, draft.content.body_bytes());
    set_metadata(tx, draft)
}

/// Writes the changed draft unless it was changed since it was read; returns whether it was written.
pub fn update(tx: &mut Tx, before: &Draft, after: &Draft) -> Result<bool> {
    let changed = update_row(tx, after, before.revision)?;
    if changed {
        tx.add_stored_bytes(after.workspace, after.content.body_bytes());
        tx.subtract_stored_bytes(before.workspace, before.content.body_bytes());
    }
    if changed && before.metadata_json != after.metadata_json {
        clear_metadata(tx, after.workspace, after.id)?;
        set_metadata(tx, after)?;
    }
    Ok(changed)
}

fn set_metadata(tx: &mut Tx, draft: &Draft) -> Result<()> {
    for (key, value) in &metadata::read(&draft.metadata_json) {
        add_metadata(tx, draft, key, &metadata::filter_text(value))?;
    }
    Ok(())
}

/// Returns the draft with that ID, with its files.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: DraftId) -> Result<Option<Draft>> {
    let found = row(tx, workspace, id)?;
    Ok(with_files(tx, workspace, found.into_iter().collect())?.pop())
}

/// Returns up to 100 drafts by ID with their files, unordered; unknown IDs are omitted.
pub fn get_many(tx: &mut Tx, workspace: WorkspaceId, ids: &[DraftId]) -> Result<Vec<Draft>> {
    let found = rows(tx, workspace, ids)?;
    with_files(tx, workspace, found)
}

/// Returns the draft with that ID and its files, and locks its row until the end of the transaction.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId, id: DraftId) -> Result<Option<Draft>> {
    let found = lock_row(tx, workspace, id)?;
    Ok(with_files(tx, workspace, found.into_iter().collect())?.pop())
}

/// Adds the file metadata to up to 100 drafts.
pub(crate) fn with_files(tx: &mut Tx, workspace: WorkspaceId, mut drafts: Vec<Draft>) -> Result<Vec<Draft>> {
    let ids: Vec<DraftId> = drafts.iter().map(|draft| draft.id).collect();
    for (draft_id, file) in draft_files::of(tx, workspace, &ids)? {
        if let Some(draft) = drafts.iter_mut().find(|draft| draft.id == draft_id) {
            draft.content.files.push(file);
        }
    }
    Ok(drafts)
}

/// Deletes a draft with its files and its job.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: DraftId) -> Result<()> {
    draft_files::delete_of(tx, workspace, id)?;
    escalations::delete_of_draft(tx, workspace, id)?;
    clear_metadata(tx, workspace, id)?;
    jobs::cancel(tx, JobKind::ScheduledDraft, id.0)?;
    if let Some(bytes) = delete_row(tx, workspace, id)? {
        tx.subtract_stored_bytes(workspace, bytes);
    }
    Ok(())
}

/// Deletes every draft of an inbox that is being wiped, and its details in the event log.
pub fn wipe_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    loop {
        let found = of_inbox(tx, workspace, inbox)?;
        if found.is_empty() {
            return forget_events(tx, workspace, inbox);
        }
        found.into_iter().try_for_each(|id| delete(tx, workspace, id))?;
    }
}

/// Deletes every draft of a thread that is being wiped, and its details in the event log.
pub fn wipe_thread(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, thread: ThreadId) -> Result<()> {
    loop {
        let found = of_thread(tx, workspace, thread)?;
        if found.is_empty() {
            return forget_events_of_thread(tx, workspace, inbox, thread);
        }
        found.into_iter().try_for_each(|id| delete(tx, workspace, id))?;
    }
}
