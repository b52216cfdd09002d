//! Counts of sent messages by UTC day and month, updated as messages are stored, for the sending limits.

use posthouse_domain::{InboxId, Time, WorkspaceId};

use crate::{Result, Tx, statements};

statements! {
    /// If the clock of a process is behind, its messages count for the later day or month, so that no count starts again.
    /// A row more than one day or month ahead was written by a wrong clock and starts again.
    fn increment_inbox(workspace: WorkspaceId, inbox: InboxId, now: Time { day: now.day() }) -> Option<u64> =
        "INSERT INTO inbox_usage (workspace_id, inbox_id, day, sent) VALUES (:workspace, :inbox, :day, 1)
        ON CONFLICT (workspace_id, inbox_id) DO UPDATE SET
        sent = CASE WHEN inbox_usage.day BETWEEN excluded.day AND excluded.day + 1 THEN inbox_usage.sent + 1 ELSE 1 END,
        day = CASE WHEN inbox_usage.day = excluded.day + 1 THEN inbox_usage.day ELSE excluded.day END RETURNING sent";
    fn increment_workspace(
        workspace: WorkspaceId, now: Time { month: now.month(), day: now.day() },
    ) -> WorkspaceUsage =
        "INSERT INTO workspace_usage (workspace_id, month, month_sent, day, day_sent) VALUES (:workspace, :month, 1, :day, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET
        month_sent = CASE WHEN workspace_usage.month BETWEEN excluded.month AND excluded.month + 1
          THEN workspace_usage.month_sent + 1 ELSE 1 END,
        month = CASE WHEN workspace_usage.month = excluded.month + 1 THEN workspace_usage.month ELSE excluded.month END,
        day_sent = CASE WHEN workspace_usage.day BETWEEN excluded.day AND excluded.day + 1
          THEN workspace_usage.day_sent + 1 ELSE 1 END,
        day = CASE WHEN workspace_usage.day = excluded.day + 1 THEN workspace_usage.day ELSE excluded.day END
        RETURNING month_sent, day_sent";
    fn of_inbox(workspace: WorkspaceId, inbox: InboxId, now: Time { day: now.day() }) -> Option<u64> =
        "SELECT sent FROM inbox_usage WHERE workspace_id = :workspace AND inbox_id = :inbox AND day BETWEEN :day AND :day + 1";
    /// Returns the current counts of a workspace.
    pub fn of_workspace(workspace: WorkspaceId, now: Time { month: now.month(), day: now.day() }) -> WorkspaceUsage =
        "SELECT CASE WHEN month BETWEEN :month AND :month + 1 THEN month_sent ELSE 0 END AS month_sent,
        CASE WHEN day BETWEEN :day AND :day + 1 THEN day_sent ELSE 0 END AS day_sent FROM workspace_usage WHERE workspace_id = :workspace";
}

crate::row_struct!(
    /// The sent messages of a workspace that count towards its limits.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub WorkspaceUsage { month_sent: u64, day_sent: u64 }
);

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
    let counted = increment_workspace(tx, workspace, now)?;
    let inbox_day = increment_inbox(tx, workspace, inbox, now)?.unwrap_or_default();
    Ok(SentCounts {
        month: counted.month_sent.saturating_sub(1),
        workspace_day: counted.day_sent.saturating_sub(1),
        inbox_day: inbox_day.saturating_sub(1),
    })
}

/// Returns the current counts.
pub fn current(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<SentCounts> {
    let found = of_workspace(tx, workspace, now)?;
    let inbox_day = of_inbox(tx, workspace, inbox, now)?.unwrap_or(0);
    Ok(SentCounts { month: found.month_sent, workspace_day: found.day_sent, inbox_day })
}

crate::statements::first_or_default!(WorkspaceUsage);
