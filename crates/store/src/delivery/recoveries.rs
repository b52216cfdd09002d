//! The last end of a workspace's suspension. Earlier bounces and complaints don't cause another suspension.

use posthouse_domain::{id::WorkspaceId, metrics::Counters, time::Time};

use crate::{Result, Tx, p, statements};

statements! {
    SET = "INSERT INTO sending_recoveries (workspace_id, recovered_at, sent, bounced, complained) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (workspace_id) DO UPDATE SET recovered_at = excluded.recovered_at, sent = excluded.sent,
        bounced = excluded.bounced, complained = excluded.complained";
    /// Returns the last end of a suspension, if any.
    pub fn get(workspace: WorkspaceId) -> Option<SuspensionRecovery> =
        "SELECT recovered_at, sent, bounced, complained FROM sending_recoveries WHERE workspace_id = :workspace";
}

/// The end of a suspension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SuspensionRecovery {
    /// When it ended.
    pub at: Time,
    /// The counters of that quarter hour up to then.
    pub counted: Counters,
}

/// Records the end of a suspension.
pub fn set(tx: &mut Tx, workspace: WorkspaceId, recovery: &SuspensionRecovery) -> Result<()> {
    let c = &recovery.counted;
    tx.exec(&SET, p![workspace, recovery.at, c.sent, c.bounced, c.complained])?;
    Ok(())
}

crate::from_row!(SuspensionRecovery {
    at = recovered_at,
    sent,
    bounced,
    complained,
} => Self { at, counted: Counters { sent, bounced, complained, ..Counters::default() } });
