//! Drafts: rows, filterable metadata, and deletion.
//!
//! Every write names the revision that was read and changes nothing if the draft has a newer one. Files are in
//! `draft_files`.

pub mod list;
mod row;

use posthouse_domain::{
    draft::{Draft, DraftFailure},
    id::{DraftId, InboxId, ThreadId, WorkspaceId},
    job::JobKind,
    metadata,
};

use crate::{Result, Sql, Tx, Value, draft_files, escalations, jobs, many, p, statements};

statements! {
    INSERT = "{insert drafts}";
    GET = "SELECT {d.drafts} FROM drafts d WHERE d.workspace_id = $1 AND d.id = $2";
    GET_MANY = "SELECT {d.drafts} FROM {EACH} drafts d WHERE d.workspace_id = $1 AND d.id {AMONG} {pg:d}";
    GET_FOR_UPDATE = "SELECT {d.drafts} FROM drafts d WHERE d.workspace_id = $1 AND d.id = $2 {FOR_UPDATE}";
    UPDATE = "UPDATE drafts {set drafts} WHERE workspace_id = $1 AND id = $2 AND revision = {NEXT}";
    SET_FAILURE = "UPDATE drafts SET error_code = $4, error_message = $5 WHERE workspace_id = $1 AND id = $2 AND revision = $3";
    DELETE = "DELETE FROM drafts WHERE workspace_id = $1 AND id = $2
        RETURNING CAST(COALESCE(octet_length(text), 0) + COALESCE(octet_length(html), 0) + COALESCE(octet_length(data), 0) AS BIGINT)";
    INSERT_METADATA = "INSERT INTO draft_metadata (workspace_id, key, value, draft_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    CLEAR_METADATA = "DELETE FROM draft_metadata WHERE workspace_id = $1 AND draft_id = $2";
    BODY_BYTES = "SELECT d.id, coalesce(octet_length(d.text), 0) + coalesce(octet_length(d.html), 0)
          + coalesce(octet_length(d.data), 0) AS size_bytes
        FROM {EACH} drafts d WHERE d.workspace_id = $1 AND d.id {AMONG} {pg:d}";
    PENDING = "SELECT d.inbox_id, count(*) AS drafts FROM {EACH} drafts d WHERE d.workspace_id = $1 AND d.status IN ('draft', 'failed')
        AND d.inbox_id {AMONG} {pg:d} GROUP BY d.inbox_id";
    OF_INBOX = "SELECT id FROM drafts WHERE workspace_id = $1 AND inbox_id = $2 LIMIT $3";
    OF_THREAD = "SELECT id FROM drafts WHERE workspace_id = $1 AND thread_id = $2 AND thread_id IS NOT NULL LIMIT $3";
    FORGET_EVENTS = "UPDATE events SET detail = '{}' WHERE workspace_id = $1 AND inbox_id = $2
        AND type IN ('draft.created', 'draft.updated', 'draft.sent', 'draft.cancelled', 'draft.failed')";
    FORGET_EVENTS_OF_THREAD = "UPDATE events SET detail = '{}' WHERE workspace_id = $1 AND inbox_id = $2 AND thread_id = $3
        AND type IN ('draft.created', 'draft.updated', 'draft.sent', 'draft.cancelled', 'draft.failed')";
}

/// Number of drafts deleted per step of a loop.
const STEP: u32 = 200;

/// Stores a new draft; its files are stored separately afterward.
pub fn insert(tx: &mut Tx, draft: &Draft) -> Result<()> {
    write(tx, &INSERT, draft, &[])?;
    tx.add_stored_bytes(draft.workspace, draft.content.body_bytes());
    set_metadata(tx, draft)
}

/// Writes the changed draft unless it was changed since it was read; returns whether it was written.
pub fn update(tx: &mut Tx, before: &Draft, after: &Draft) -> Result<bool> {
    let changed = write(tx, &UPDATE, after, p![before.revision])? > 0;
    if changed {
        tx.add_stored_bytes(after.workspace, after.content.body_bytes());
        tx.subtract_stored_bytes(before.workspace, before.content.body_bytes());
    }
    if changed && before.metadata_json != after.metadata_json {
        tx.exec(&CLEAR_METADATA, p![after.workspace, after.id])?;
        set_metadata(tx, after)?;
    }
    Ok(changed)
}

/// Runs a statement that writes every column, in the order of the table; `extra` holds further parameters.
fn write(tx: &mut Tx, sql: &Sql, draft: &Draft, extra: &[Value<'_>]) -> Result<u64> {
    let (d, c) = (draft, &draft.content);
    let (approval, failure) = (d.approval.as_ref(), d.failure.as_ref());
    let by = approval.map(|approval| &approval.by);
    tx.exec(
        sql,
        &[
            p![
                d.workspace,
                d.id,
                d.inbox,
                d.status,
                d.revision,
                d.answers,
                d.thread,
                d.reply_all,
                c.to,
                c.cc,
                c.bcc,
                c.subject,
                c.text,
                c.html,
                c.data_json,
                c.kind,
                d.labels,
                d.metadata_json,
                d.source,
                d.send_at,
                d.sent_at,
                d.sent_message,
                by.map(|by| by.kind),
                by.and_then(|by| by.id.as_deref()),
                by.map(|by| by.label.as_str()),
                approval.map(|approval| approval.at),
                approval.map(|approval| approval.content_sha256),
                d.sent_back,
                failure.map(|failure| failure.code.as_str()),
                failure.map(|failure| failure.message.as_str()),
                d.created_at,
                d.updated_at
            ],
            extra,
        ]
        .concat(),
    )
}

fn set_metadata(tx: &mut Tx, draft: &Draft) -> Result<()> {
    for (key, value) in &metadata::read(&draft.metadata_json) {
        tx.exec(&INSERT_METADATA, p![draft.workspace, key, metadata::filter_text(value), draft.id])?;
    }
    Ok(())
}

/// Records why an attempt to send was rejected; nothing else changes.
pub fn refused(tx: &mut Tx, draft: &Draft, failure: &DraftFailure) -> Result<()> {
    tx.exec(&SET_FAILURE, p![draft.workspace, draft.id, draft.revision, failure.code, failure.message])?;
    Ok(())
}

/// Returns the draft with that ID, with its files.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: DraftId) -> Result<Option<Draft>> {
    let found: Option<Draft> = tx.one(&GET, p![workspace, id])?;
    Ok(with_files(tx, workspace, found.into_iter().collect())?.pop())
}

/// Returns up to 100 drafts by ID with their files, unordered; unknown IDs are omitted.
pub fn get_many(tx: &mut Tx, workspace: WorkspaceId, ids: &[DraftId]) -> Result<Vec<Draft>> {
    let found = many::rows(tx, &GET_MANY, workspace, ids)?;
    with_files(tx, workspace, found)
}

/// Returns the sizes in bytes of the bodies of up to 100 drafts, without reading them; unknown IDs are omitted.
pub fn body_bytes(tx: &mut Tx, workspace: WorkspaceId, ids: &[DraftId]) -> Result<Vec<(DraftId, u64)>> {
    let rows: Vec<DraftSizeRow> = many::rows(tx, &BODY_BYTES, workspace, ids)?;
    Ok(rows.into_iter().map(|row| (row.id, row.size_bytes)).collect())
}

/// Returns the draft with that ID and its files, and locks its row until the end of the transaction.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId, id: DraftId) -> Result<Option<Draft>> {
    let found: Option<Draft> = tx.one(&GET_FOR_UPDATE, p![workspace, id])?;
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
    tx.exec(&CLEAR_METADATA, p![workspace, id])?;
    jobs::cancel(tx, JobKind::ScheduledDraft, id.0)?;
    if let Some(bytes) = tx.value::<u64>(&DELETE, p![workspace, id])? {
        tx.subtract_stored_bytes(workspace, bytes);
    }
    Ok(())
}

/// Returns, for up to 100 inboxes, the number of drafts that wait for action; inboxes without any are omitted.
pub fn pending(tx: &mut Tx, workspace: WorkspaceId, inboxes: &[InboxId]) -> Result<Vec<(InboxId, u64)>> {
    let rows: Vec<PendingRow> = many::rows(tx, &PENDING, workspace, inboxes)?;
    Ok(rows.into_iter().map(|row| (row.inbox_id, row.drafts)).collect())
}

/// Deletes every draft of an inbox that is being wiped, and its details in the event log.
pub fn wipe_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    loop {
        let found: Vec<(DraftId,)> = tx.rows(&OF_INBOX, p![workspace, inbox, STEP])?;
        if found.is_empty() {
            break;
        }
        for (id,) in found {
            delete(tx, workspace, id)?;
        }
    }
    tx.exec(&FORGET_EVENTS, p![workspace, inbox])?;
    Ok(())
}

/// Deletes every draft of a thread that is being wiped, and its details in the event log.
pub fn wipe_thread(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, thread: ThreadId) -> Result<()> {
    loop {
        let found: Vec<(DraftId,)> = tx.rows(&OF_THREAD, p![workspace, thread, STEP])?;
        if found.is_empty() {
            break;
        }
        for (id,) in found {
            delete(tx, workspace, id)?;
        }
    }
    tx.exec(&FORGET_EVENTS_OF_THREAD, p![workspace, inbox, thread])?;
    Ok(())
}

crate::row_struct!(DraftSizeRow { id: DraftId, size_bytes: u64 });

crate::row_struct!(PendingRow { inbox_id: InboxId, drafts: u64 });
