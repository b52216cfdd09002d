//! The last end of a workspace's suspension. Earlier bounces and complaints don't cause another suspension.

pub use posthouse_domain::SuspensionRecovery;
use posthouse_domain::{Counters, WorkspaceId};

use crate::statements;

statements! {
    /// Records the end of a suspension.
    pub fn set(
        workspace: WorkspaceId,
        recovery: &SuspensionRecovery {
            at, sent: recovery.counted.sent, bounced: recovery.counted.bounced, complained: recovery.counted.complained,
        },
    ) =
        "INSERT INTO sending_recoveries (workspace_id, recovered_at, sent, bounced, complained) VALUES (:workspace, :at, :sent, :bounced, :complained)
        ON CONFLICT (workspace_id) DO UPDATE SET recovered_at = excluded.recovered_at, sent = excluded.sent,
        bounced = excluded.bounced, complained = excluded.complained";
    /// Returns the last end of a suspension, if any.
    pub fn get(workspace: WorkspaceId) -> Option<SuspensionRecovery> =
        "SELECT recovered_at, sent, bounced, complained FROM sending_recoveries WHERE workspace_id = :workspace";
}

crate::from_row!(SuspensionRecovery {
    at = recovered_at,
    counted(sent: u64, bounced: u64, complained: u64) => Counters { sent, bounced, complained, ..Counters::default() },
});
