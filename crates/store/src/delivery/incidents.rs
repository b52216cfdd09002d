//! Parties that recently complained or hard-bounced, each counted once per kind.

use posthouse_domain::{id::WorkspaceId, party::Party, suspension::Incident, time::Time};

use crate::{Result, Tx, p, statements};

statements! {
    RECORD = "INSERT INTO sending_incidents (workspace_id, kind, party, happened_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workspace_id, kind, party) DO UPDATE SET happened_at = excluded.happened_at";
    COUNT = "SELECT count(*) FROM (SELECT party FROM sending_incidents
        WHERE workspace_id = $1 AND kind = $2 AND happened_at > $3 LIMIT $4) bounded";
    PARTIES = "SELECT party FROM sending_incidents WHERE workspace_id = $1 AND kind = $2 AND happened_at > $3
        ORDER BY happened_at + 0, party LIMIT $4";
    /// Deletes up to `max` records older than a time; returns how many.
    pub fn delete_older(before: Time, max: u32) -> u64 =
        "DELETE FROM sending_incidents WHERE (workspace_id, kind, party) IN (
        SELECT workspace_id, kind, party FROM sending_incidents WHERE happened_at < :before ORDER BY happened_at LIMIT :max)";
}

/// Records an incident of a party. A transaction that records several must sort them by party to avoid deadlocks.
pub fn record(tx: &mut Tx, workspace: WorkspaceId, kind: Incident, party: &Party, now: Time) -> Result<()> {
    tx.exec(&RECORD, p![workspace, kind.text(), party.as_str(), now])?;
    Ok(())
}

/// Returns the number of parties with such an incident after a time; counting stops at `max`.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, kind: Incident, after: Time, max: u64) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace, kind.text(), after, max])?.unwrap_or_default())
}

/// Returns up to `max` parties with such an incident after a time, oldest first.
pub fn parties(tx: &mut Tx, workspace: WorkspaceId, kind: Incident, after: Time, max: u32) -> Result<Vec<String>> {
    let found: Vec<(String,)> = tx.rows(&PARTIES, p![workspace, kind.text(), after, max])?;
    Ok(found.into_iter().map(|(party,)| party).collect())
}
