//! Inboxes: rows, addresses that are never used twice, metadata for filters.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    inbox::Inbox,
    time::Time,
};

use crate::{FromRow, Result, Row, Tx, p, statements};

/// The columns of an inbox, in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT i.workspace_id, i.id, i.address, i.username, i.domain, i.display_name, i.client_id, i.metadata, i.temporary, ",
            "i.expires_at, i.paused_at, i.paused_reason, i.promotions_filter, i.last_message_at, i.created_at, i.deleted_at ",
            "FROM inboxes i ",
            $rest
        )
    };
}

statements! {
    TAKE_ADDRESS = "INSERT INTO addresses (address, workspace_id, inbox_id) VALUES ($1, $2, $3) ON CONFLICT (address) DO NOTHING";
    INSERT = "INSERT INTO inboxes (workspace_id, id, address, username, domain, display_name, client_id, metadata, temporary,
        expires_at, status, promotions_filter, last_message_at, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'active', $11, $12, $12)";
    GET = select!("WHERE i.workspace_id = $1 AND i.id = $2");
    BY_ADDRESS = select!("JOIN addresses a ON a.workspace_id = i.workspace_id AND a.inbox_id = i.id WHERE a.address = $1");
    FIRST = select!("WHERE i.deleted_at IS NULL AND i.temporary = 0 AND i.workspace_id = (SELECT id FROM workspaces ORDER BY created_at, id LIMIT 1)
        ORDER BY i.created_at, i.id LIMIT 1");
}

/// Stores a new inbox, unless its address was ever used; says whether it did.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, inbox: &Inbox) -> Result<bool> {
    let i = inbox;
    if tx.exec(&TAKE_ADDRESS, p![i.address, i.workspace, i.id])? == 0 {
        return Ok(false);
    }
    tx.exec(
        &INSERT,
        p![
            i.workspace,
            i.id,
            i.address,
            i.username,
            i.domain,
            i.display_name,
            i.client_id,
            i.metadata_json,
            i.temporary,
            i.expires_at,
            i.promotions_filter,
            i.created_at
        ],
    )?;
    Ok(true)
}

/// The inbox of that id, deleted ones too.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: InboxId) -> Result<Option<Inbox>> {
    tx.one(&GET, p![workspace, id])
}

/// The inbox of that id that is not deleted and, if temporary, not expired.
///
/// # Errors
/// The store's own.
pub fn live(tx: &mut Tx, workspace: WorkspaceId, id: InboxId, now: Time) -> Result<Option<Inbox>> {
    Ok(get(tx, workspace, id)?.filter(|inbox| inbox.receives(now)))
}

/// The inbox that has or had that canonical address, in whatever workspace.
///
/// # Errors
/// The store's own.
pub fn by_address(tx: &mut Tx, address: &str) -> Result<Option<Inbox>> {
    tx.one(&BY_ADDRESS, p![address])
}

/// The first inbox of the first workspace: whom the role addresses of the service reach (decision 17).
///
/// # Errors
/// The store's own.
pub fn first(tx: &mut Tx) -> Result<Option<Inbox>> {
    tx.one(&FIRST, p![])
}

impl FromRow for Inbox {
    const COLUMNS: usize = 16;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            workspace: row.take()?,
            id: row.take()?,
            address: row.take()?,
            username: row.take()?,
            domain: row.take()?,
            display_name: row.take()?,
            client_id: row.take()?,
            metadata_json: row.take()?,
            temporary: row.take()?,
            expires_at: row.take()?,
            paused_at: row.take()?,
            paused_reason: row.take()?,
            promotions_filter: row.take()?,
            last_message_at: row.take()?,
            created_at: row.take()?,
            deleted_at: row.take()?,
        })
    }
}
