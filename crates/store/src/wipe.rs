//! The end of what is in an inbox: wiped so that nothing of its mail is left, or kept with its unsent mail settled.
//!
//! What an inbox shared with others stays theirs.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, contacts, drafts, metrics, p, search, statements};

statements! {
    TAKE_CONTENTS = "SELECT id FROM contents WHERE workspace_id = $1
        AND id IN (SELECT content_id FROM messages WHERE workspace_id = $1 AND inbox_id = $2) ORDER BY id {FOR_UPDATE}";
    CONTENTS = "DELETE FROM contents WHERE workspace_id = $1
        AND id IN (SELECT content_id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)
        AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.workspace_id = $1 AND o.content_id = contents.id AND o.inbox_id <> $2)
        RETURNING raw_blob";
    ATTACHMENTS = "DELETE FROM attachments WHERE workspace_id = $1
        AND message_id IN (SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)";
    RECIPIENTS = "DELETE FROM recipients WHERE workspace_id = $1
        AND message_id IN (SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)";
    APPROVALS = "DELETE FROM message_approvals WHERE workspace_id = $1
        AND message_id IN (SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)";
    ROLE_MAIL = "DELETE FROM role_mail WHERE workspace_id = $1
        AND message_id IN (SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)";
    LABELS = "DELETE FROM message_labels WHERE workspace_id = $1 AND inbox_id = $2";
    QUEUE_GONE = "UPDATE queue_items SET state = 'gone', consumer = NULL,
        settled_at = {GREATEST}(created_at, available_at, COALESCE(settled_at, 0))
        WHERE workspace_id = $1 AND deliveries > 0 AND message_id IN (SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)";
    QUEUE = "DELETE FROM queue_items WHERE workspace_id = $1 AND deliveries = 0
        AND message_id IN (SELECT id FROM messages WHERE workspace_id = $1 AND inbox_id = $2)";
    QUEUES = "DELETE FROM queues WHERE workspace_id = $1 AND inbox_id = $2";
    MESSAGES = "DELETE FROM messages WHERE workspace_id = $1 AND inbox_id = $2";
    THREAD_LABELS = "DELETE FROM thread_labels WHERE workspace_id = $1
        AND thread_id IN (SELECT id FROM threads WHERE workspace_id = $1 AND inbox_id = $2)";
    THREAD_PEOPLE = "DELETE FROM thread_people WHERE workspace_id = $1
        AND thread_id IN (SELECT id FROM threads WHERE workspace_id = $1 AND inbox_id = $2)";
    THREADS = "DELETE FROM threads WHERE workspace_id = $1 AND inbox_id = $2";
    FAIL_RECIPIENTS = "UPDATE recipients SET status = 'failed', detail = $3, updated_at = $4 WHERE workspace_id = $1 AND status = 'queued'
        AND envelope_id IN (SELECT e.id FROM envelopes e JOIN messages m ON m.workspace_id = e.workspace_id AND m.id = e.message_id
            WHERE e.workspace_id = $1 AND m.inbox_id = $2)";
    FAIL_MESSAGES = "UPDATE messages SET status = 'failed', status_at = $3 WHERE workspace_id = $1 AND inbox_id = $2 AND status = 'queued'";
    DROP_JOBS = "DELETE FROM jobs WHERE kind = 'outbound' AND state <> 'dead'
        AND subject_id IN (SELECT e.id FROM envelopes e JOIN messages m ON m.workspace_id = e.workspace_id AND m.id = e.message_id
            WHERE e.workspace_id = $1 AND m.inbox_id = $2)";
    DROP_ENVELOPES = "DELETE FROM envelopes WHERE workspace_id = $1
        AND message_id IN (SELECT e.message_id FROM envelopes e JOIN messages m ON m.workspace_id = e.workspace_id AND m.id = e.message_id
            WHERE e.workspace_id = $1 AND m.inbox_id = $2)";
}

/// Deletes the mail, files, labels and conversations of an inbox; gives the blobs that may now be unused. The inbox's own
/// row must be taken and closed to new mail.
///
/// # Errors
/// The store's own.
pub fn inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Vec<String>> {
    // Two inboxes with the same mail, wiped at once, must not each leave it to the other.
    tx.rows::<(uuid::Uuid,)>(&TAKE_CONTENTS, p![workspace, inbox])?;
    let blobs: Vec<(Option<String>,)> = tx.rows(&CONTENTS, p![workspace, inbox])?;
    search::forget_inbox(tx, workspace, inbox)?;
    contacts::forget_subjects(tx, workspace, inbox)?;
    let statements: [&crate::Sql; 12] = [
        &ATTACHMENTS,
        &RECIPIENTS,
        &APPROVALS,
        &ROLE_MAIL,
        &LABELS,
        &QUEUE_GONE,
        &QUEUE,
        &QUEUES,
        &MESSAGES,
        &THREAD_LABELS,
        &THREAD_PEOPLE,
        &THREADS,
    ];
    for statement in statements {
        tx.exec(statement, p![workspace, inbox])?;
    }
    drafts::wipe_inbox(tx, workspace, inbox)?;
    metrics::holds_nothing(tx, workspace, inbox)?;
    Ok(blobs.into_iter().filter_map(|(blob,)| blob).collect())
}

/// Settles what an inbox has queued as failed, with a word for its delivery entries: nothing more leaves from it. What is
/// on its way at this moment is no longer ours to settle.
///
/// # Errors
/// The store's own.
pub fn fail_queued(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, (detail, now): (&str, Time)) -> Result<()> {
    tx.exec(&FAIL_RECIPIENTS, p![workspace, inbox, detail, now])?;
    tx.exec(&FAIL_MESSAGES, p![workspace, inbox, now])?;
    tx.exec(&DROP_JOBS, p![workspace, inbox])?;
    tx.exec(&DROP_ENVELOPES, p![workspace, inbox])?;
    Ok(())
}
