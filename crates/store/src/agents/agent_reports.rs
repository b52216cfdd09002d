//! Reports about agents.

use posthouse_domain::{AgentReport, InboxId, MessageId, Party, Time, WorkspaceId, party};
pub use posthouse_domain::{AgentReporters, OpenReport, ReportedAgent};

use crate::{Result, Tx, statements};

/// The most addresses of owners that are read to count the owners.
const ADDRESSES_MAX: u32 = 10_000;

statements! {
    /// Stores a report.
    pub fn insert(report: row &AgentReport) = "{insert agent_reports}";
    /// Returns how many reports a workspace has made since a time.
    pub fn made_since(workspace: WorkspaceId, since: Time) -> u64 =
        "SELECT count(*) FROM agent_reports WHERE workspace_id = :workspace AND created_at >= :since";
    fn reporter_rows(agent: InboxId, since: Time; limit = ADDRESSES_MAX) -> Vec<ReporterRow> =
        "SELECT w.owner_email, r.network, r.created_at FROM agent_reports r JOIN workspaces w ON w.id = r.workspace_id
        WHERE r.agent_id = :agent AND r.created_at >= :since AND r.counts = 1 AND r.settled_at IS NULL ORDER BY r.created_at, r.id LIMIT :limit";
    /// Marks the open reports about an agent as settled, so that they count no more; returns how many.
    pub fn settle(agent: InboxId, now: Time) -> u64 =
        "UPDATE agent_reports SET settled_at = :now WHERE agent_id = :agent AND settled_at IS NULL";
    /// Removes a message that is erased from the reports about it.
    pub fn forget_message(workspace: WorkspaceId, message: MessageId) =
        "UPDATE agent_reports SET message_id = NULL WHERE workspace_id = :workspace AND message_id = :message";
    /// Removes the messages of an inbox that is wiped from the reports about them.
    pub fn forget_messages_of_inbox(workspace: WorkspaceId, inbox: InboxId) =
        "UPDATE agent_reports SET message_id = NULL WHERE workspace_id = :workspace
        AND message_id IN (SELECT m.id FROM messages m WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox)";
    /// Returns the agents with open reports, latest first.
    pub fn reported(limit: u32) -> Vec<ReportedAgent> =
        "SELECT r.agent_workspace_id, r.agent_id, count(*) AS reports, max(r.created_at) AS last_at FROM agent_reports r
        WHERE r.settled_at IS NULL GROUP BY r.agent_workspace_id, r.agent_id ORDER BY max(r.created_at) DESC LIMIT :limit";
    /// Returns the open reports about an agent, latest first.
    pub fn of_agent(agent: InboxId, limit: u32) -> Vec<OpenReport> =
        "SELECT workspace_id, reason, details, message_id, counts, created_at FROM agent_reports WHERE agent_id = :agent AND settled_at IS NULL ORDER BY created_at DESC LIMIT :limit";
    /// Deletes reports from before a time, up to `limit` rows; returns how many.
    pub fn prune(before: Time, limit: u32) -> u64 =
        "DELETE FROM agent_reports WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM agent_reports WHERE created_at < :before LIMIT :limit)";
}

/// Returns the reporters of an agent since a time, in reports that count.
pub fn reporters(tx: &mut Tx, agent: InboxId, since: Time) -> Result<AgentReporters> {
    let found = reporter_rows(tx, agent, since)?;
    let times = || found.iter().map(|row| row.created_at);
    let span_ms = times().max().zip(times().min()).map_or(0, |(last, first)| last.since_ms(first));
    let clients = found.iter().map(|row| (Party::of_text(&row.owner_email), row.network.clone()));
    Ok(AgentReporters { parties: party::distinct(clients), span_ms })
}

crate::from_row!(ReportedAgent { workspace = agent_workspace_id, inbox = agent_id, reports, last_at });
crate::from_row!(OpenReport { workspace = workspace_id, reason, details, message = message_id, counts, created_at });
crate::row_struct!(ReporterRow { owner_email: String, network: Option<Vec<u8>>, created_at: Time });
