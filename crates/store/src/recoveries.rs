//! The last time that an operator ended a workspace's suspension: what was counted before does not suspend again.

use posthouse_domain::{id::WorkspaceId, metrics::Counters, time::Time};

use crate::{FromRow, Result, Row, Tx, p, statements};

statements! {
    SET = "INSERT INTO sending_recoveries (workspace_id, recovered_at, sent, bounced, complained) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (workspace_id) DO UPDATE SET recovered_at = excluded.recovered_at, sent = excluded.sent,
        bounced = excluded.bounced, complained = excluded.complained";
    GET = "SELECT recovered_at, sent, bounced, complained FROM sending_recoveries WHERE workspace_id = $1";
}

/// The end of a suspension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recovery {
    /// When.
    pub at: Time,
    /// What its quarter hour had counted until then.
    pub counted: Counters,
}

/// Notes the end of a suspension.
///
/// # Errors
/// The store's own.
pub fn set(tx: &mut Tx, workspace: WorkspaceId, recovery: &Recovery) -> Result<()> {
    let c = &recovery.counted;
    tx.exec(&SET, p![workspace, recovery.at, c.sent, c.bounced, c.complained])?;
    Ok(())
}

/// The last end of a suspension, if there ever was one.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId) -> Result<Option<Recovery>> {
    tx.one(&GET, p![workspace])
}

impl FromRow for Recovery {
    const COLUMNS: usize = 4;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let at = row.take()?;
        let (sent, bounced, complained) = (row.take()?, row.take()?, row.take()?);
        let counted = Counters { sent, bounced, complained, ..Counters::default() };
        Ok(Self { at, counted })
    }
}
