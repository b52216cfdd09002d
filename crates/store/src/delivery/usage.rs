//! Counts of sent messages by UTC day and month, updated as messages are stored, for the sending limits.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    /// If the clock of a process is behind, its messages count for the later day or month, so that no count starts again.
    /// A row more than one day or month ahead was written by a wrong clock and starts again.
    INCREMENT_INBOX = "INSERT INTO inbox_usage (workspace_id, inbox_id, day, sent) VALUES ($1, $2, $3, 1)
        ON CONFLICT (workspace_id, inbox_id) DO UPDATE SET
        sent = CASE WHEN inbox_usage.day BETWEEN excluded.day AND excluded.day + 1 THEN inbox_usage.sent + 1 ELSE 1 END,
        day = CASE WHEN inbox_usage.day = excluded.day + 1 THEN inbox_usage.day ELSE excluded.day END RETURNING sent";
    INCREMENT_WORKSPACE = "INSERT INTO workspace_usage (workspace_id, month, month_sent, day, day_sent) VALUES ($1, $2, 1, $3, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET
        month_sent = CASE WHEN workspace_usage.month BETWEEN excluded.month AND excluded.month + 1
          THEN workspace_usage.month_sent + 1 ELSE 1 END,
        month = CASE WHEN workspace_usage.month = excluded.month + 1 THEN workspace_usage.month ELSE excluded.month END,
        day_sent = CASE WHEN workspace_usage.day BETWEEN excluded.day AND excluded.day + 1
          THEN workspace_usage.day_sent + 1 ELSE 1 END,
        day = CASE WHEN workspace_usage.day = excluded.day + 1 THEN workspace_usage.day ELSE excluded.day END
        RETURNING month_sent, day_sent";
    OF_INBOX = "SELECT sent FROM inbox_usage WHERE workspace_id = $1 AND inbox_id = $2 AND day BETWEEN $3 AND $3 + 1";
    OF_WORKSPACE = "SELECT CASE WHEN month BETWEEN $2 AND $2 + 1 THEN month_sent ELSE 0 END AS month_sent,
        CASE WHEN day BETWEEN $3 AND $3 + 1 THEN day_sent ELSE 0 END AS day_sent FROM workspace_usage WHERE workspace_id = $1";
}

/// The sent messages of a workspace that count towards its limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkspaceUsage {
    /// This month.
    pub month_sent: u64,
    /// Today.
    pub day_sent: u64,
}

/// Numbers of sent messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SentCounts {
    /// By the workspace this month.
    pub month: u64,
    /// By the workspace today.
    pub workspace_day: u64,
    /// By the inbox today.
    pub inbox_day: u64,
}

/// Counts a sent message and returns the counts before it. Call it before checking the limits: it locks the row that
/// serializes the sends of a workspace, so that two sends can't both use the last remaining message.
pub fn sent(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<SentCounts> {
    let counted: WorkspaceUsage =
        tx.one(&INCREMENT_WORKSPACE, p![workspace, now.month(), now.day()])?.unwrap_or_default();
    let inbox_day: u64 = tx.value(&INCREMENT_INBOX, p![workspace, inbox, now.day()])?.unwrap_or_default();
    Ok(SentCounts {
        month: counted.month_sent.saturating_sub(1),
        workspace_day: counted.day_sent.saturating_sub(1),
        inbox_day: inbox_day.saturating_sub(1),
    })
}

/// Returns the current counts.
pub fn current(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<SentCounts> {
    let found = of_workspace(tx, workspace, now)?;
    let inbox_day = tx.value(&OF_INBOX, p![workspace, inbox, now.day()])?.unwrap_or(0);
    Ok(SentCounts { month: found.month_sent, workspace_day: found.day_sent, inbox_day })
}

/// Returns the current counts of a workspace.
pub fn of_workspace(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<WorkspaceUsage> {
    Ok(tx.one(&OF_WORKSPACE, p![workspace, now.month(), now.day()])?.unwrap_or_default())
}

crate::from_row!(WorkspaceUsage { month_sent, day_sent });
