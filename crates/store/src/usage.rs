//! Counts of sent messages by UTC day and month, updated as messages are stored, for the sending limits.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, p, statements};

statements! {
    INCREMENT_DAY = "INSERT INTO usage_days (workspace_id, inbox_id, day, sent) VALUES ($1, $2, $3, 1)
        ON CONFLICT (workspace_id, day, inbox_id) DO UPDATE SET sent = usage_days.sent + 1 RETURNING sent";
    INCREMENT_TOTAL = "INSERT INTO usage_totals (workspace_id, period, sent) VALUES ($1, $2, 1)
        ON CONFLICT (workspace_id, period) DO UPDATE SET sent = usage_totals.sent + 1 RETURNING sent";
    DAY = "SELECT sent FROM usage_days WHERE workspace_id = $1 AND day = $2 AND inbox_id = $3";
    TOTAL = "SELECT sent FROM usage_totals WHERE workspace_id = $1 AND period = $2";
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
///
/// # Errors
/// Returns an error if the database call fails.
pub fn sent(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<SentCounts> {
    let month = tx.value(&INCREMENT_TOTAL, p![workspace, month_of(now)])?;
    let workspace_day = tx.value(&INCREMENT_TOTAL, p![workspace, day_of(now)])?;
    let inbox_day = tx.value(&INCREMENT_DAY, p![workspace, inbox, now.day()])?;
    let before = |counted: Option<u64>| counted.unwrap_or(0).saturating_sub(1);
    Ok(SentCounts { month: before(month), workspace_day: before(workspace_day), inbox_day: before(inbox_day) })
}

/// Returns the current counts.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn current(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, now: Time) -> Result<SentCounts> {
    Ok(SentCounts {
        month: tx.value(&TOTAL, p![workspace, month_of(now)])?.unwrap_or(0),
        workspace_day: tx.value(&TOTAL, p![workspace, day_of(now)])?.unwrap_or(0),
        inbox_day: tx.value(&DAY, p![workspace, now.day(), inbox])?.unwrap_or(0),
    })
}

fn month_of(now: Time) -> String {
    format!("m{}", now.month())
}

fn day_of(now: Time) -> String {
    format!("d{}", now.day())
}
