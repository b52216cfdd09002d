//! Drafts: their rows, the metadata that filters compare, and the end of them (contract §5).
//!
//! Every write says which revision it read and changes nothing if there is another by now; the files are in `draft_files`.

pub mod list;

use posthouse_domain::{
    actor::Actor,
    draft::{Approval, Draft, DraftContent, Failure},
    id::{DraftId, InboxId, ThreadId, WorkspaceId},
    metadata,
};

use crate::{FromRow, Json, Result, Row, Sql, Tx, Value, draft_files, many, p, statements};

/// The columns of a draft, in the order that rows are read; the table is `d`.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT d.workspace_id, d.id, d.inbox_id, d.status, d.revision, d.answers, d.thread_id, d.reply_all, ",
            "d.to_list, d.cc_list, d.bcc_list, d.subject, d.text, d.html, d.data, d.type, d.labels, d.metadata, d.source, ",
            "d.send_at, d.sent_at, d.sent_message_id, d.approved_by_type, d.approved_by_id, d.approved_by_label, d.approved_at, ",
            "d.approved_content_sha256, d.error_code, d.error_message, d.created_at, d.updated_at FROM ",
            $rest
        )
    };
}
pub(crate) use select;

statements! {
    INSERT = "INSERT INTO drafts (workspace_id, id, inbox_id, status, revision, answers, thread_id, reply_all, to_list, cc_list, bcc_list,
        subject, text, html, data, type, labels, metadata, source, send_at, sent_at, sent_message_id, approved_by_type, approved_by_id,
        approved_by_label, approved_at, approved_content_sha256, error_code, error_message, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
        $27, $28, $29, $30, $31)";
    GET = select!("drafts d WHERE d.workspace_id = $1 AND d.id = $2");
    GET_MANY = select!("drafts d WHERE d.workspace_id = $1 AND d.id IN ({IDS})");
    TAKE = select!("drafts d WHERE d.workspace_id = $1 AND d.id = $2 {FOR_UPDATE}");
    UPDATE = "UPDATE drafts SET inbox_id = $3, status = $4, revision = $5, answers = $6, thread_id = $7, reply_all = $8, to_list = $9,
        cc_list = $10, bcc_list = $11, subject = $12, text = $13, html = $14, data = $15, type = $16, labels = $17, metadata = $18,
        source = $19, send_at = $20, sent_at = $21, sent_message_id = $22, approved_by_type = $23, approved_by_id = $24,
        approved_by_label = $25, approved_at = $26, approved_content_sha256 = $27, error_code = $28, error_message = $29,
        created_at = $30, updated_at = $31 WHERE workspace_id = $1 AND id = $2 AND revision = $32";
    REFUSED = "UPDATE drafts SET error_code = $4, error_message = $5 WHERE workspace_id = $1 AND id = $2 AND revision = $3";
    DELETE = "DELETE FROM drafts WHERE workspace_id = $1 AND id = $2";
    INSERT_METADATA = "INSERT INTO draft_metadata (workspace_id, key, value, draft_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    CLEAR_METADATA = "DELETE FROM draft_metadata WHERE workspace_id = $1 AND draft_id = $2";
    PENDING = "SELECT inbox_id, count(*) FROM drafts WHERE workspace_id = $1 AND inbox_id IN ({IDS}) AND status IN ('draft', 'failed')
        GROUP BY inbox_id";
    OF_INBOX = "SELECT id FROM drafts WHERE workspace_id = $1 AND inbox_id = $2 LIMIT $3";
    OF_THREAD = "SELECT id FROM drafts WHERE workspace_id = $1 AND thread_id = $2 AND thread_id IS NOT NULL LIMIT $3";
    CANCEL_JOB = "DELETE FROM jobs WHERE kind = 'scheduled_draft' AND subject_id = $1 AND state <> 'dead'";
    FORGET_EVENTS = "UPDATE events SET detail = '{}' WHERE workspace_id = $1 AND inbox_id = $2
        AND type IN ('draft.created', 'draft.updated', 'draft.sent', 'draft.cancelled', 'draft.failed')";
    FORGET_EVENTS_OF_THREAD = "UPDATE events SET detail = '{}' WHERE workspace_id = $1 AND inbox_id = $2 AND thread_id = $3
        AND type IN ('draft.created', 'draft.updated', 'draft.sent', 'draft.cancelled', 'draft.failed')";
}

/// Drafts that are deleted in one step of a loop.
const STEP: u32 = 200;

/// Stores a new draft; its files come after.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, draft: &Draft) -> Result<()> {
    write(tx, &INSERT, draft, &[])?;
    set_metadata(tx, draft)
}

/// Writes a draft as it is after a change, unless somebody changed it since it was read; says whether it did.
///
/// # Errors
/// The store's own.
pub fn update(tx: &mut Tx, before: &Draft, after: &Draft) -> Result<bool> {
    let changed = write(tx, &UPDATE, after, p![before.revision])? > 0;
    if changed && before.metadata_json != after.metadata_json {
        tx.exec(&CLEAR_METADATA, p![after.workspace, after.id])?;
        set_metadata(tx, after)?;
    }
    Ok(changed)
}

/// Runs a statement that writes every column, with what it asks for behind them.
fn write(tx: &mut Tx, sql: &Sql, draft: &Draft, behind: &[Value<'_>]) -> Result<u64> {
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
                Json(&c.to),
                Json(&c.cc),
                Json(&c.bcc),
                c.subject,
                c.text,
                c.html,
                c.data_json,
                c.kind,
                Json(&d.labels),
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
                failure.map(|failure| failure.code.as_str()),
                failure.map(|failure| failure.message.as_str()),
                d.created_at,
                d.updated_at
            ],
            behind,
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

/// Notes why an attempt to send was refused; nothing else of the draft changes.
///
/// # Errors
/// The store's own.
pub fn refused(tx: &mut Tx, draft: &Draft, failure: &Failure) -> Result<()> {
    tx.exec(&REFUSED, p![draft.workspace, draft.id, draft.revision, failure.code, failure.message])?;
    Ok(())
}

/// The draft of that id with its files.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: DraftId) -> Result<Option<Draft>> {
    let found: Option<Draft> = tx.one(&GET, p![workspace, id])?;
    Ok(with_files(tx, workspace, found.into_iter().collect())?.pop())
}

/// Up to 100 drafts by id with their files, in no order; unknown ids are left out.
///
/// # Errors
/// The store's own.
pub fn get_many(tx: &mut Tx, workspace: WorkspaceId, ids: &[DraftId]) -> Result<Vec<Draft>> {
    let found = many::rows(tx, &GET_MANY, workspace, ids)?;
    with_files(tx, workspace, found)
}

/// The draft of that id with its files; its row is ours until the end of the transaction.
///
/// # Errors
/// The store's own.
pub fn take(tx: &mut Tx, workspace: WorkspaceId, id: DraftId) -> Result<Option<Draft>> {
    let found: Option<Draft> = tx.one(&TAKE, p![workspace, id])?;
    Ok(with_files(tx, workspace, found.into_iter().collect())?.pop())
}

/// Adds to up to 100 drafts what is known of their files.
pub(crate) fn with_files(tx: &mut Tx, workspace: WorkspaceId, mut drafts: Vec<Draft>) -> Result<Vec<Draft>> {
    let ids: Vec<DraftId> = drafts.iter().map(|draft| draft.id).collect();
    for (of, file) in draft_files::of(tx, workspace, &ids)? {
        if let Some(draft) = drafts.iter_mut().find(|draft| draft.id == of) {
            draft.content.files.push(file);
        }
    }
    Ok(drafts)
}

/// Deletes a draft with its files and its job.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: DraftId) -> Result<()> {
    draft_files::delete_of(tx, workspace, id)?;
    tx.exec(&CLEAR_METADATA, p![workspace, id])?;
    tx.exec(&CANCEL_JOB, p![id])?;
    tx.exec(&DELETE, p![workspace, id])?;
    Ok(())
}

/// How many drafts of each of up to 100 inboxes wait for somebody; inboxes without any are left out.
///
/// # Errors
/// The store's own.
pub fn pending(tx: &mut Tx, workspace: WorkspaceId, inboxes: &[InboxId]) -> Result<Vec<(InboxId, u64)>> {
    many::rows(tx, &PENDING, workspace, inboxes)
}

/// Deletes every draft of an inbox that ends, and what the log says of them.
///
/// # Errors
/// The store's own.
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

/// Deletes every draft of a conversation that ends, and what the log says of them.
///
/// # Errors
/// The store's own.
pub fn wipe_thread(tx: &mut Tx, (workspace, inbox): (WorkspaceId, InboxId), thread: ThreadId) -> Result<()> {
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

impl FromRow for Draft {
    const COLUMNS: usize = 31;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let (workspace, id, inbox) = (row.take()?, row.take()?, row.take()?);
        let status = row.take()?;
        let (revision, answers, thread, reply_all) = (row.take()?, row.take()?, row.take()?, row.take()?);
        let content = content(row)?;
        let labels = row.take::<Json<Vec<String>>>()?.0;
        let metadata_json = row.take()?;
        let source = row.take()?;
        let (send_at, sent_at, sent_message) = (row.take()?, row.take()?, row.take()?);
        let approval = approval(row)?;
        let (code, message): (Option<String>, Option<String>) = (row.take()?, row.take()?);
        let failure = code.zip(message).map(|(code, message)| Failure { code, message });
        Ok(Self {
            workspace,
            id,
            inbox,
            status,
            revision,
            answers,
            thread,
            reply_all,
            content,
            labels,
            metadata_json,
            source,
            send_at,
            sent_at,
            sent_message,
            approval,
            failure,
            created_at: row.take()?,
            updated_at: row.take()?,
        })
    }
}

fn content(row: &mut Row<'_>) -> Result<DraftContent> {
    let mut list = || row.take::<Json<Vec<String>>>().map(|list| list.0);
    Ok(DraftContent {
        to: list()?,
        cc: list()?,
        bcc: list()?,
        subject: row.take()?,
        text: row.take()?,
        html: row.take()?,
        data_json: row.take()?,
        kind: row.take()?,
        files: Vec::new(),
    })
}

fn approval(row: &mut Row<'_>) -> Result<Option<Approval>> {
    let (kind, id, label) = (row.take()?, row.take()?, row.take()?);
    let (at, sha256) = (row.take()?, row.take()?);
    let (Some(kind), Some(label), Some(at), Some(content_sha256)) = (kind, label, at, sha256) else { return Ok(None) };
    let by = Actor { kind, id, label };
    Ok(Some(Approval { by, at, content_sha256 }))
}
