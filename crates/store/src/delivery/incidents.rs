//! Parties that recently complained or hard-bounced, each counted once per kind.

use posthouse_domain::{Incident, Party, Time, WorkspaceId};

use crate::statements;

statements! {
    /// Records an incident of a party. A transaction that records several must sort them by party to avoid deadlocks.
    pub fn record(
        workspace: WorkspaceId,
        kind: Incident { kind: kind.text() },
        party: &Party { party: party.as_str() },
        now: Time,
    ) = "INSERT INTO sending_incidents (workspace_id, kind, party, happened_at) VALUES (:workspace, :kind, :party, :now)
        ON CONFLICT (workspace_id, kind, party) DO UPDATE SET happened_at = excluded.happened_at";
    /// Returns the number of parties with such an incident after a time; counting stops at `max`.
    pub fn count(workspace: WorkspaceId, kind: Incident { kind: kind.text() }, after: Time, max: u64) -> u64 =
        "SELECT count(*) FROM (SELECT party FROM sending_incidents
        WHERE workspace_id = :workspace AND kind = :kind AND happened_at > :after LIMIT :max) bounded";
    /// Returns up to `max` parties with such an incident after a time, oldest first.
    pub fn parties(
        workspace: WorkspaceId, kind: Incident { kind: kind.text() }, after: Time, max: u32,
    ) -> Vec<String> =
        "SELECT party FROM sending_incidents WHERE workspace_id = :workspace AND kind = :kind AND happened_at > :after
        ORDER BY happened_at + 0, party LIMIT :max";
    /// Deletes up to `max` records older than a time; returns how many.
    pub fn delete_older(before: Time, max: u32) -> u64 =
        "DELETE FROM sending_incidents WHERE (workspace_id, kind, party) IN (
        SELECT workspace_id, kind, party FROM sending_incidents WHERE happened_at < :before ORDER BY happened_at LIMIT :max)";
}
