//! Workspaces: the tenants' own rows.

pub mod idempotency;
pub mod inboxes;
pub mod keys;
pub mod metrics;
pub mod screening;
pub mod storage;
pub mod totals;

use posthouse_domain::{
    AiDisclosure, DisclosureLine, ScreeningMode, ScreeningSettings, ScreeningTimeout, Suspension, SuspensionReason,
    Time, Workspace, WorkspaceId, WorkspaceNotice,
};

use serde::{Deserialize, Serialize};

use crate::{Error, Result, Tx, statements, values::stored_columns};

/// The columns of a workspace in the order that rows are read; the table alias is `w`.
macro_rules! columns {
    () => {
        "w.id, w.name, w.owner_email, w.plan, w.status, w.suspension, w.origin, w.claim_status, w.claimed_at, w.notice, w.notice_at, w.stopped_at, w.stop_reason,
        w.ai_processing, w.screening, w.screening_deadline, w.screening_release, w.outbound_policy, w.daily_send_limit, w.retention_days, w.disclosure_line, w.disclosure_text, w.disclosure_name, w.created_at"
    };
}

pub(crate) use columns;

statements! {
    /// Stores a new workspace; does nothing if it exists.
    pub fn insert(
        workspace: &Workspace {
            id, name, owner_email, plan, status: status(workspace), claim, claimed_at, ai_processing,
            screening: workspace.screening.mode, screening_deadline: workspace.screening.deadline_s,
            screening_release: workspace.screening.on_timeout == ScreeningTimeout::Release, outbound_policy,
            disclosure_line: workspace.ai_disclosure.visible_line, disclosure_text: workspace.ai_disclosure.text,
            disclosure_name: workspace.ai_disclosure.shares_name, created_at, origin,
        },
    ) =
        "INSERT INTO workspaces (id, name, owner_email, plan, status, claim_status, claimed_at, ai_processing, screening,
        screening_deadline, screening_release, outbound_policy, disclosure_line, disclosure_text, disclosure_name, created_at, origin)
        VALUES ({PARAMETERS}) ON CONFLICT (id) DO NOTHING";
    /// Returns the workspace with that ID.
    pub fn get(id: WorkspaceId) -> Option<Workspace> =
        concat!("SELECT ", columns!(), " FROM workspaces w WHERE w.id = :id");
    /// Returns up to `limit` workspaces after `after`, oldest first.
    pub fn list(after: WorkspaceId, limit: u32) -> Vec<Workspace> =
        concat!("SELECT ", columns!(), " FROM workspaces w WHERE w.id > :after ORDER BY w.id LIMIT :limit");
    /// Writes the fields that an operator or an owner can change.
    pub fn update(
        workspace: &Workspace {
            id, name, plan, status: status(workspace), notice: workspace.notice.as_ref().map(|notice| &notice.message),
            notice_at: workspace.notice.as_ref().map(|notice| notice.created_at), stopped_at, stop_reason,
            ai_processing, screening: workspace.screening.mode, screening_deadline: workspace.screening.deadline_s,
            screening_release: workspace.screening.on_timeout == ScreeningTimeout::Release, outbound_policy,
            disclosure_line: workspace.ai_disclosure.visible_line, disclosure_text: workspace.ai_disclosure.text,
            disclosure_name: workspace.ai_disclosure.shares_name,
            daily_send_limit, retention_days, suspension,
        },
    ) =
        "UPDATE workspaces SET (plan, status, notice, notice_at, stopped_at, stop_reason, ai_processing, screening, screening_deadline,
        screening_release, outbound_policy, daily_send_limit, retention_days, name, disclosure_line, disclosure_text, disclosure_name, suspension) = (:plan, :status, :notice, :notice_at,
        :stopped_at, :stop_reason, :ai_processing, :screening, :screening_deadline, :screening_release, :outbound_policy, :daily_send_limit, :retention_days, :name, :disclosure_line,
        :disclosure_text, :disclosure_name, :suspension) WHERE id = :id";
    /// Returns up to `limit` workspaces after `after` with a retention period, and the period in days.
    pub fn with_retention(after: WorkspaceId, limit: u32) -> Vec<(id: WorkspaceId, retention_days: i64)> =
        "SELECT id, retention_days FROM workspaces WHERE retention_days IS NOT NULL AND id > :after ORDER BY id LIMIT :limit";
    /// Stops a workspace; returns whether it was running.
    pub fn stop(id: WorkspaceId, reason: Option<&str>, now: Time) -> bool =
        "UPDATE workspaces SET stopped_at = :now, stop_reason = :reason WHERE id = :id AND stopped_at IS NULL";
    /// Ends the stop of a workspace; returns whether it was stopped.
    pub fn resume(id: WorkspaceId) -> bool =
        "UPDATE workspaces SET stopped_at = NULL, stop_reason = NULL WHERE id = :id AND stopped_at IS NOT NULL";
    /// Suspends sending of an active workspace; returns whether it was active.
    pub fn suspend(id: WorkspaceId, suspension: &Suspension) -> bool =
        "UPDATE workspaces SET status = 'suspended', suspension = :suspension WHERE id = :id AND status = 'active'";
    /// Sets the address of the owner.
    pub fn set_owner(id: WorkspaceId, email: &str) = "UPDATE workspaces SET owner_email = :email WHERE id = :id";
    /// Marks an unclaimed workspace as claimed; returns whether it was unclaimed.
    pub fn claim(id: WorkspaceId, now: Time) -> bool =
        "UPDATE workspaces SET claim_status = 'claimed', claimed_at = :now WHERE id = :id AND claim_status = 'unclaimed'";
    /// Returns whether any workspace exists; an empty store is set up at first start.
    pub fn any(; service = WorkspaceId::SERVICE) -> bool =
        "SELECT created_at FROM workspaces WHERE id <> :service LIMIT 1";
}

/// Returns the server's first workspace, which belongs to the operator.
pub fn first(tx: &mut Tx) -> Result<Option<WorkspaceId>> {
    Ok(list(tx, WorkspaceId::SERVICE, 1)?.first().map(|first| first.id))
}

fn status(workspace: &Workspace) -> &'static str {
    if workspace.suspended { "suspended" } else { "active" }
}

crate::from_row!(Workspace {
    id, name, owner_email, plan,
    suspended = status: String => suspended == "suspended",
    suspension, origin, claim = claim_status, claimed_at,
    notice(notice: Option<String>, notice_at: Option<Time>) =>
        notice.zip(notice_at).map(|(message, created_at)| WorkspaceNotice { message, created_at }),
    stopped_at, stop_reason, ai_processing,
    screening(screening: ScreeningMode, screening_deadline: i64, screening_release: bool) => ScreeningSettings {
        mode: screening,
        deadline_s: screening_deadline,
        on_timeout: if screening_release { ScreeningTimeout::Release } else { ScreeningTimeout::Hold },
    },
    outbound_policy, daily_send_limit, retention_days,
    ai_disclosure(disclosure_line: DisclosureLine, disclosure_text: Option<String>, disclosure_name: bool) =>
        AiDisclosure { visible_line: disclosure_line, text: disclosure_text, shares_name: disclosure_name },
    created_at,
});

/// The stored form of a suspension.
#[derive(Serialize, Deserialize)]
struct StoredSuspension {
    reason: String,
    since: i64,
    parties: Vec<String>,
    review_requested_at: Option<i64>,
    review_note: Option<String>,
}

impl StoredSuspension {
    fn suspension(self) -> Result<Suspension> {
        Ok(Suspension {
            reason: named(&self.reason, SuspensionReason::parse)?,
            since: Time::from_millis(self.since),
            parties: self.parties,
            review_requested_at: self.review_requested_at.map(Time::from_millis),
            review_note: self.review_note,
        })
    }
}

impl From<&Suspension> for StoredSuspension {
    fn from(s: &Suspension) -> Self {
        Self {
            reason: s.reason.text().to_owned(),
            since: s.since.millis(),
            parties: s.parties.clone(),
            review_requested_at: s.review_requested_at.map(Time::millis),
            review_note: s.review_note.clone(),
        }
    }
}

stored_columns!(Suspension as StoredSuspension, StoredSuspension::suspension);

/// Parses a stored name.
///
/// # Errors
/// Returns [`Error::Inconsistent`] if this binary doesn't know the name.
pub(crate) fn named<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T> {
    parse(text).ok_or_else(|| Error::Inconsistent(format!("unknown name {text}").into()))
}
