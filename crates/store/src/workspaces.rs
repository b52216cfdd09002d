//! Workspaces: rows of the tenants themselves.

use posthouse_domain::{
    id::WorkspaceId,
    time::Time,
    workspace::{Notice, Workspace},
};

use uuid::Uuid;

use crate::{Error, FromRow, Result, Row, Tx, p, statements};

/// The columns of a workspace, in the order that rows are read; the table is `w`.
macro_rules! columns {
    () => {
        "w.id, w.name, w.owner_email, w.plan, w.status, w.claim_status, w.claimed_at, w.notice, w.notice_at, w.stopped_at, w.stop_reason,
        w.ai_processing, w.screening, w.daily_send_limit, w.retention_days, w.created_at"
    };
}

pub(crate) use columns;

statements! {
    INSERT = "INSERT INTO workspaces (id, name, owner_email, plan, status, claim_status, claimed_at, ai_processing, screening, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    GET = concat!("SELECT ", columns!(), " FROM workspaces w WHERE w.id = $1");
    LIST = concat!("SELECT ", columns!(), " FROM workspaces w WHERE w.id > $1 ORDER BY w.id LIMIT $2");
    UPDATE = "UPDATE workspaces SET plan = $2, status = $3, notice = $4, notice_at = $5, stopped_at = $6, stop_reason = $7,
        ai_processing = $8, screening = $9, daily_send_limit = $10, retention_days = $11 WHERE id = $1";
    KEEPING = "SELECT id, retention_days FROM workspaces WHERE retention_days IS NOT NULL AND id > $1 ORDER BY id LIMIT $2";
    STOP = "UPDATE workspaces SET stopped_at = $2, stop_reason = $3 WHERE id = $1 AND stopped_at IS NULL";
    RESUME = "UPDATE workspaces SET stopped_at = NULL, stop_reason = NULL WHERE id = $1 AND stopped_at IS NOT NULL";
    SUSPEND = "UPDATE workspaces SET status = 'suspended' WHERE id = $1 AND status = 'active'";
    ANY = "SELECT created_at FROM workspaces LIMIT 1";
}

/// Stores a new workspace.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, workspace: &Workspace) -> Result<()> {
    let w = workspace;
    tx.exec(
        &INSERT,
        p![
            w.id,
            w.name,
            w.owner_email,
            w.plan,
            status(w),
            w.claim,
            w.claimed_at,
            w.ai_processing,
            w.screening,
            w.created_at
        ],
    )?;
    Ok(())
}

/// The workspace of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, id: WorkspaceId) -> Result<Option<Workspace>> {
    tx.one(&GET, p![id])
}

/// Up to `limit` workspaces behind `after`, oldest first.
///
/// # Errors
/// The store's own.
pub fn list(tx: &mut Tx, after: WorkspaceId, limit: u32) -> Result<Vec<Workspace>> {
    tx.rows(&LIST, p![after, limit])
}

/// The server's first workspace: who runs the server.
///
/// # Errors
/// The store's own.
pub fn first(tx: &mut Tx) -> Result<Option<WorkspaceId>> {
    Ok(list(tx, WorkspaceId(Uuid::nil()), 1)?.first().map(|first| first.id))
}

/// Writes what an operator can change.
///
/// # Errors
/// The store's own.
pub fn update(tx: &mut Tx, workspace: &Workspace) -> Result<()> {
    let w = workspace;
    let notice = w.notice.as_ref();
    tx.exec(
        &UPDATE,
        p![
            w.id,
            w.plan,
            status(w),
            notice.map(|n| n.message.as_str()),
            notice.map(|n| n.created_at),
            w.stopped_at,
            w.stop_reason,
            w.ai_processing,
            w.screening,
            w.daily_send_limit,
            w.retention_days
        ],
    )?;
    Ok(())
}

/// Stops a running workspace; says whether it ran.
///
/// # Errors
/// The store's own.
pub fn stop(tx: &mut Tx, id: WorkspaceId, reason: Option<&str>, now: Time) -> Result<bool> {
    Ok(tx.exec(&STOP, p![id, now, reason])? > 0)
}

/// Ends the stop of a workspace; says whether it was stopped.
///
/// # Errors
/// The store's own.
pub fn resume(tx: &mut Tx, id: WorkspaceId) -> Result<bool> {
    Ok(tx.exec(&RESUME, p![id])? > 0)
}

/// Suspends the sending of an active workspace; says whether it was active.
///
/// # Errors
/// The store's own.
pub fn suspend(tx: &mut Tx, id: WorkspaceId) -> Result<bool> {
    Ok(tx.exec(&SUSPEND, p![id])? > 0)
}

/// Up to `limit` workspaces behind `after` whose mail is kept for some days only, with their number.
///
/// # Errors
/// The store's own.
pub fn keeping_for_days(tx: &mut Tx, after: WorkspaceId, limit: u32) -> Result<Vec<(WorkspaceId, i64)>> {
    tx.rows(&KEEPING, p![after, limit])
}

/// Whether there is any workspace: an empty store is set up at its first start.
///
/// # Errors
/// The store's own.
pub fn any(tx: &mut Tx) -> Result<bool> {
    Ok(tx.value::<Time>(&ANY, p![])?.is_some())
}

fn status(workspace: &Workspace) -> &'static str {
    if workspace.suspended { "suspended" } else { "active" }
}

impl FromRow for Workspace {
    const COLUMNS: usize = 16;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            id: row.take()?,
            name: row.take()?,
            owner_email: row.take()?,
            plan: row.take()?,
            suspended: row.take::<String>()? == "suspended",
            claim: row.take()?,
            claimed_at: row.take()?,
            notice: notice(row.take()?, row.take()?),
            stopped_at: row.take()?,
            stop_reason: row.take()?,
            ai_processing: row.take()?,
            screening: row.take()?,
            daily_send_limit: row.take()?,
            retention_days: row.take()?,
            created_at: row.take()?,
        })
    }
}

fn notice(message: Option<String>, created_at: Option<Time>) -> Option<Notice> {
    Some(Notice { message: message?, created_at: created_at? })
}

/// Reads one of our own stored names.
///
/// # Errors
/// [`Error::Corrupt`] for a name this binary does not know.
pub(crate) fn named<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T> {
    parse(text).ok_or_else(|| Error::Corrupt(format!("unknown name {text}").into()))
}
