//! Escalation: the settings of workspaces and inboxes, and what waits to be sent to the people on call.

use posthouse_domain::{
    escalation::{
        ClockTime, Escalation, EscalationSettings, EscalationTrigger, InboxEscalation, PendingEscalation, QuietHours,
        TriggerSet,
    },
    id::{DraftId, EscalationId, InboxId, WorkspaceId},
    time::Time,
    time_zone::NamedTimeZone,
};
use uuid::Uuid;

use crate::{FromColumn, Result, ToValue, Tx, Value, p, statements, workspaces::named};

statements! {
    SETTINGS = "SELECT triggers, delivery, max_per_hour, quiet_start, quiet_end, quiet_zone, include_excerpt
        FROM escalation_settings WHERE workspace_id = $1";
    SET_SETTINGS = "INSERT INTO escalation_settings (workspace_id, triggers, delivery, max_per_hour, quiet_start, quiet_end, quiet_zone,
        include_excerpt) VALUES ({PARAMETERS})
        ON CONFLICT (workspace_id) DO UPDATE SET triggers = excluded.triggers, delivery = excluded.delivery,
        max_per_hour = excluded.max_per_hour, quiet_start = excluded.quiet_start, quiet_end = excluded.quiet_end,
        quiet_zone = excluded.quiet_zone, include_excerpt = excluded.include_excerpt";
    OF_INBOX = "SELECT overrides, triggers FROM inbox_escalation_settings WHERE workspace_id = $1 AND inbox_id = $2";
    SET_OF_INBOX = "INSERT INTO inbox_escalation_settings (workspace_id, inbox_id, overrides, triggers) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workspace_id, inbox_id) DO UPDATE SET overrides = excluded.overrides, triggers = excluded.triggers";
    DELETE_SETTINGS_OF_INBOX = "DELETE FROM inbox_escalation_settings WHERE workspace_id = $1 AND inbox_id = $2";
    COUNT = "SELECT count(*) FROM escalations WHERE workspace_id = $1 AND inbox_id = $2 AND cause = $3";
    INSERT = "INSERT INTO escalations (workspace_id, id, inbox_id, cause, message_id, draft_id, digest_at, created_at)
        VALUES ({PARAMETERS})";
    /// Returns up to `limit` escalations that wait in a workspace, oldest first.
    pub fn pending(workspace: WorkspaceId, limit: u32) -> Vec<PendingEscalation> =
        "SELECT id, inbox_id, digest_at, created_at FROM escalations WHERE workspace_id = :workspace ORDER BY created_at, id LIMIT :limit";
    /// Returns an escalation that waits.
    pub fn get(workspace: WorkspaceId, id: EscalationId) -> Option<Escalation> =
        "SELECT workspace_id, id, inbox_id, cause, message_id, draft_id, digest_at, created_at FROM escalations
        WHERE workspace_id = :workspace AND id = :id";
    /// Lets all escalations of a workspace that don't wait for a digest wait for this one.
    pub fn defer(workspace: WorkspaceId, digest_at: Time) =
        "UPDATE escalations SET digest_at = :digest_at WHERE workspace_id = :workspace AND digest_at IS NULL";
    DELETE = "DELETE FROM escalations WHERE workspace_id = $1 AND id = $2";
    /// Deletes the escalations about a draft.
    pub fn delete_of_draft(workspace: WorkspaceId, draft: DraftId) =
        "DELETE FROM escalations WHERE workspace_id = :workspace AND draft_id = :draft";
    DELETE_OF_INBOX = "DELETE FROM escalations WHERE workspace_id = $1 AND inbox_id = $2";
}

/// Returns the escalation settings of a workspace.
pub fn settings(tx: &mut Tx, workspace: WorkspaceId) -> Result<EscalationSettings> {
    Ok(tx.one(&SETTINGS, p![workspace])?.unwrap_or_default())
}

/// Stores the escalation settings of a workspace.
pub fn set_settings(tx: &mut Tx, workspace: WorkspaceId, settings: &EscalationSettings) -> Result<()> {
    let s = settings;
    let quiet = s.quiet_hours.as_ref();
    let (start, end) = (quiet.map(|quiet| quiet.start.minutes()), quiet.map(|quiet| quiet.end.minutes()));
    let zone = quiet.map(|quiet| quiet.timezone.name.as_str());
    let (start, end) = (start.map(i64::from), end.map(i64::from));
    let parameters = p![workspace, s.triggers, s.delivery, s.max_per_hour, start, end, zone, s.include_excerpt];
    tx.exec(&SET_SETTINGS, parameters)?;
    Ok(())
}

/// Returns the escalation settings of an inbox.
pub fn settings_of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<InboxEscalation> {
    Ok(tx.one(&OF_INBOX, p![workspace, inbox])?.unwrap_or_default())
}

/// Stores the escalation settings of an inbox.
pub fn set_settings_of_inbox(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: InboxId,
    settings: InboxEscalation,
) -> Result<()> {
    tx.exec(&SET_OF_INBOX, p![workspace, inbox, settings.overrides, settings.triggers])?;
    Ok(())
}

/// Returns how many escalations of one cause wait in an inbox.
pub fn count(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>, cause: EscalationTrigger) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace, stored_inbox(inbox), cause])?.unwrap_or(0))
}

/// Stores an escalation; its job is stored separately.
pub fn insert(tx: &mut Tx, new: &Escalation) -> Result<()> {
    let e = new;
    let inbox = stored_inbox(e.inbox);
    tx.exec(&INSERT, p![e.workspace, e.id, inbox, e.trigger, e.message, e.draft, e.digest_at, e.created_at])?;
    Ok(())
}

/// Deletes escalations; returns how many existed.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, ids: &[EscalationId]) -> Result<u64> {
    ids.iter().try_fold(0, |sum, id| Ok(sum + tx.exec(&DELETE, p![workspace, *id])?))
}

/// Deletes the settings and escalations of an inbox that is being wiped.
pub fn delete_of_inbox(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    tx.exec(&DELETE_SETTINGS_OF_INBOX, p![workspace, inbox])?;
    tx.exec(&DELETE_OF_INBOX, p![workspace, inbox])?;
    Ok(())
}

/// Returns the column value of an inbox; the nil UUID stands for the workspace.
pub(crate) fn stored_inbox(inbox: Option<InboxId>) -> Uuid {
    inbox.map_or(Uuid::nil(), |inbox| inbox.0)
}

/// Returns the inbox of a column value.
pub(crate) fn read_inbox(inbox: InboxId) -> Option<InboxId> {
    Some(inbox).filter(|inbox| !inbox.0.is_nil())
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

/// Returns the quiet hours of stored columns. A zone that this binary doesn't know means none.
fn quiet_hours(start: Option<i64>, end: Option<i64>, zone: Option<String>) -> Option<QuietHours> {
    let clock = |minutes: Option<i64>| Some(ClockTime::from_minutes(u16::try_from(minutes?).ok()?));
    Some(QuietHours { start: clock(start)?, end: clock(end)?, timezone: NamedTimeZone::parse(&zone?).ok()? })
}

crate::from_row!(EscalationSettings {
    triggers,
    delivery,
    max_per_hour,
    quiet_start: Option<i64>,
    quiet_end: Option<i64>,
    quiet_zone: Option<String>,
    include_excerpt,
} => Self {
    triggers,
    delivery,
    max_per_hour,
    quiet_hours: quiet_hours(quiet_start, quiet_end, quiet_zone),
    include_excerpt,
});

crate::from_row!(InboxEscalation { overrides, triggers });

crate::from_row!(PendingEscalation { id, inbox = inbox_id: InboxId, digest_at, created_at } => Self {
    id,
    inbox: read_inbox(inbox),
    digest_at,
    created_at,
});

crate::from_row!(Escalation {
    workspace = workspace_id,
    id,
    inbox = inbox_id: InboxId,
    trigger = cause,
    message = message_id,
    draft = draft_id,
    digest_at,
    created_at,
} => Self { workspace, id, inbox: read_inbox(inbox), trigger, message, draft, digest_at, created_at });
