//! Escalation: the settings of workspaces and inboxes, and what waits to be sent to the people on call.

use posthouse_domain::{
    DraftId, Escalation, EscalationId, EscalationSettings, EscalationTrigger, InboxEscalation, InboxId, Time,
    TriggerSet, WorkspaceId, escalation::PendingEscalation,
};

use crate::{FromColumn, Result, ToValue, Tx, Value, statements, values::Nil, workspaces::named};

statements! {
    /// Returns the escalation settings of a workspace.
    pub fn settings(workspace: WorkspaceId) -> EscalationSettings =
        "SELECT {escalation_settings} FROM escalation_settings WHERE workspace_id = :workspace";
    /// Stores the escalation settings of a workspace.
    pub fn set_settings(workspace: WorkspaceId, settings: row &EscalationSettings) = "{insert escalation_settings}
        ON CONFLICT (workspace_id) DO UPDATE SET triggers = excluded.triggers, delivery = excluded.delivery,
        max_per_hour = excluded.max_per_hour, quiet_start = excluded.quiet_start, quiet_end = excluded.quiet_end,
        quiet_zone = excluded.quiet_zone, include_excerpt = excluded.include_excerpt";
    /// Returns the escalation settings of an inbox.
    pub fn settings_of_inbox(workspace: WorkspaceId, inbox: InboxId) -> InboxEscalation =
        "SELECT {inbox_escalation_settings} FROM inbox_escalation_settings WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Stores the escalation settings of an inbox.
    pub fn set_settings_of_inbox(
        workspace: WorkspaceId, inbox: InboxId, settings: InboxEscalation { overrides, triggers },
    ) =
        "INSERT INTO inbox_escalation_settings (workspace_id, inbox_id, overrides, triggers) VALUES (:workspace, :inbox, :overrides, :triggers)
        ON CONFLICT (workspace_id, inbox_id) DO UPDATE SET overrides = excluded.overrides, triggers = excluded.triggers";
    fn delete_settings(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM inbox_escalation_settings WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Returns how many escalations of one cause wait in an inbox.
    pub fn count(
        workspace: WorkspaceId, inbox: Option<InboxId> { inbox: Nil::value(inbox.as_ref()) }, cause: EscalationTrigger,
    ) -> u64 =
        "SELECT count(*) FROM escalations WHERE workspace_id = :workspace AND inbox_id = :inbox AND cause = :cause";
    /// Stores an escalation; its job is stored separately.
    pub fn insert(escalation: row &Escalation) = "{insert escalations}";
    /// Returns up to `limit` escalations that wait in a workspace, oldest first.
    pub fn pending(workspace: WorkspaceId, limit: u32) -> Vec<PendingEscalation> =
        "SELECT id, inbox_id, digest_at, created_at FROM escalations WHERE workspace_id = :workspace ORDER BY created_at, id LIMIT :limit";
    /// Returns an escalation that waits.
    pub fn get(workspace: WorkspaceId, id: EscalationId) -> Option<Escalation> =
        "SELECT {escalations} FROM escalations WHERE workspace_id = :workspace AND id = :id";
    /// Lets all escalations of a workspace that don't wait for a digest wait for this one.
    pub fn defer(workspace: WorkspaceId, digest_at: Time) =
        "UPDATE escalations SET digest_at = :digest_at WHERE workspace_id = :workspace AND digest_at IS NULL";
    fn delete_one(workspace: WorkspaceId, id: EscalationId) -> u64 =
        "DELETE FROM escalations WHERE workspace_id = :workspace AND id = :id";
    /// Deletes the escalations about a draft.
    pub fn delete_of_draft(workspace: WorkspaceId, draft: DraftId) =
        "DELETE FROM escalations WHERE workspace_id = :workspace AND draft_id = :draft";
    fn delete_waiting(workspace: WorkspaceId, inbox: InboxId) =
        "DELETE FROM escalations WHERE workspace_id = :workspace AND inbox_id = :inbox";
}

/// Deletes escalations; returns how many existed.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, ids: &[EscalationId]) -> Result<u64> {
    ids.iter().try_fold(0, |sum, id| Ok(sum + delete_one(tx, workspace, *id)?))
}

/// Deletes the settings and escalations of an inbox that is being wiped.
pub fn delete_of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    delete_settings(tx, workspace, inbox)?;
    delete_waiting(tx, workspace, inbox)
}

impl ToValue for TriggerSet {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self.text().into())
    }
}

impl FromColumn for TriggerSet {
    fn from_column(value: Value<'_>) -> Result<Self> {
        named(&String::from_column(value)?, Self::parse)
    }
}

crate::statements::first_or_default!(EscalationSettings, InboxEscalation);

crate::from_row!(PendingEscalation { id, inbox = inbox_id: InboxId => Nil::read(inbox), digest_at, created_at });
