//! Wipes an inbox, or settles its unsent messages as failed. `wipe_rules.rs` has the rule of every table.
//!
//! Content shared with other inboxes stays.

use posthouse_domain::{Inbox, InboxId, JobKind, Time, WorkspaceId};

use crate::{
    Result, Tx, agent_reports, contacts, contents::DeletedContent, drafts, escalations, events, forwarding,
    identity_approvals, identity_sign_ins, identity_tokens, inboxes, knowledge, lists, message_list::InboxRef, metrics,
    on_call, p, rules, search, statements, tables::of_inbox,
};

statements! {
    fn lock_contents(workspace: WorkspaceId, inbox: InboxId) = "SELECT id FROM contents WHERE workspace_id = :workspace
        AND id IN (SELECT content_id FROM messages WHERE workspace_id = :workspace AND inbox_id = :inbox) ORDER BY id {FOR_UPDATE}";
    fn delete_contents(workspace: WorkspaceId, inbox: InboxId) -> Vec<DeletedContent> =
        "DELETE FROM contents WHERE workspace_id = :workspace
        AND id IN (SELECT content_id FROM messages WHERE workspace_id = :workspace AND inbox_id = :inbox)
        AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.workspace_id = :workspace AND o.content_id = contents.id AND o.inbox_id <> :inbox)
        RETURNING raw_blob, raw_bytes";
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
    THREAD_READINGS = "DELETE FROM thread_readings WHERE workspace_id = $1
        AND thread_id IN (SELECT id FROM threads WHERE workspace_id = $1 AND inbox_id = $2)";
    THREAD_REFERENCES = "DELETE FROM thread_references WHERE workspace_id = $1 AND inbox_id = $2";
    THREADS = "DELETE FROM threads WHERE workspace_id = $1 AND inbox_id = $2";
    fn fail_recipients(workspace: WorkspaceId, inbox: InboxId, detail: &str, now: Time) =
        "UPDATE recipients SET status = 'failed', detail = :detail, updated_at = :now WHERE workspace_id = :workspace AND status = 'queued'
        AND envelope_id IN (SELECT e.id FROM envelopes e JOIN messages m ON m.workspace_id = e.workspace_id AND m.id = e.message_id
            WHERE e.workspace_id = :workspace AND m.inbox_id = :inbox)";
    fn fail_messages(workspace: WorkspaceId, inbox: InboxId, now: Time) =
        "UPDATE messages SET status = 'failed', status_at = :now WHERE workspace_id = :workspace AND inbox_id = :inbox AND status = 'queued'";
    fn delete_jobs(workspace: WorkspaceId, inbox: InboxId; kind = JobKind::Outbound) =
        "DELETE FROM jobs WHERE kind = :kind AND state <> 'dead'
        AND subject_id IN (SELECT e.id FROM envelopes e JOIN messages m ON m.workspace_id = e.workspace_id AND m.id = e.message_id
            WHERE e.workspace_id = :workspace AND m.inbox_id = :inbox)";
    fn delete_envelopes(workspace: WorkspaceId, inbox: InboxId) = "DELETE FROM envelopes WHERE workspace_id = :workspace
        AND message_id IN (SELECT e.message_id FROM envelopes e JOIN messages m ON m.workspace_id = e.workspace_id AND m.id = e.message_id
            WHERE e.workspace_id = :workspace AND m.inbox_id = :inbox)";
}

/// Deletes an inbox whose row is locked, with its contents, lists, forwarding addresses, people on call
/// and held events. The row stays
/// without its texts. Returns the blobs that may now be unused. Does nothing if the inbox is already deleted.
pub fn inbox(tx: &mut Tx, inbox: &Inbox, now: Time) -> Result<Vec<String>> {
    if !inboxes::delete(tx, inbox, now)? {
        return Ok(Vec::new());
    }
    let blobs = contents(tx, inbox.workspace, inbox.id)?;
    inboxes::blank(tx, inbox)?;
    lists::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    rules::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    knowledge::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    forwarding::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    escalations::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    on_call::delete_of_inbox(tx, inbox.workspace, inbox.id)?;
    events::delete_held(tx, inbox.workspace, inbox.id)?;
    identity(tx, InboxRef { workspace: inbox.workspace, inbox: inbox.id })?;
    Ok(blobs)
}

/// Deletes what apps hold about an inbox, and its sign-in history.
fn identity(tx: &mut Tx, inbox: InboxRef) -> Result<()> {
    identity_tokens::delete_of_inbox(tx, inbox)?;
    identity_approvals::delete_of_inbox(tx, inbox)?;
    identity_sign_ins::delete_of_inbox(tx, inbox)
}

/// Deletes the messages, threads and drafts of an inbox that is closed to new messages.
pub(crate) fn contents(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Vec<String>> {
    // Without the lock, two inboxes that share content and are wiped concurrently would each leave it to the other.
    lock_contents(tx, workspace, inbox)?;
    let deleted = delete_contents(tx, workspace, inbox)?;
    tx.subtract_stored_bytes(workspace, deleted.iter().map(|content| content.raw_bytes).sum());
    search::delete_inbox(tx, workspace, inbox)?;
    agent_reports::forget_messages_of_inbox(tx, workspace, inbox)?;
    contacts::clear_subjects(tx, workspace, inbox)?;
    // The messages go after everything that is found by them, the threads after their labels and participants.
    let rest: [&crate::Sql; 10] = [
        &LABELS,
        &QUEUE_GONE,
        &QUEUE,
        &QUEUES,
        &MESSAGES,
        &THREAD_LABELS,
        &THREAD_PEOPLE,
        &THREAD_READINGS,
        &THREAD_REFERENCES,
        &THREADS,
    ];
    for statement in of_inbox::ALL.iter().copied().chain(rest) {
        tx.exec(statement, p![workspace, inbox])?;
    }
    drafts::wipe_inbox(tx, workspace, inbox)?;
    metrics::reset_totals(tx, workspace, inbox)?;
    Ok(deleted.into_iter().filter_map(|content| content.raw_blob).collect())
}

/// Settles the queued messages of an inbox as failed, with `detail` in their delivery status. Messages that are being
/// delivered at this moment aren't affected.
pub fn fail_queued(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, detail: &str, now: Time) -> Result<()> {
    fail_recipients(tx, workspace, inbox, detail, now)?;
    fail_messages(tx, workspace, inbox, now)?;
    delete_jobs(tx, workspace, inbox)?;
    delete_envelopes(tx, workspace, inbox)
}
