//! Reports about agents.

use crate::id::{AgentReportId, InboxId, MessageId, WorkspaceId};
use crate::{
    error::{ErrorCode, LimitName, Refusal},
    party::Party,
    time::{DAY_MS, Time},
    workspace::ClaimStatus,
};

/// Reports of one workspace per UTC day.
pub const REPORTS_PER_DAY: u64 = 10;
/// The longest details of a report, in characters.
pub const DETAILS_CHARS_MAX: usize = 2_000;
/// How many parties that own other workspaces must report an agent before its listing is hidden.
pub const REPORTERS_TO_HIDE: u64 = 10;
/// The least time between the first and the last of these reports, in milliseconds: a flood leaves the operator time.
pub const REPORTS_SPAN_MS: i64 = 3 * DAY_MS;
/// How long a report counts, in milliseconds.
pub const REPORT_COUNTS_MS: i64 = 30 * DAY_MS;
/// The least age of a workspace whose reports count, in milliseconds.
pub const REPORTER_AGE_MS: i64 = DAY_MS;
/// How long reports are kept, in milliseconds.
pub const REPORT_RETENTION_MS: i64 = 400 * DAY_MS;

named! {
    /// Why an agent is reported.
    ReportReason {
        /// It sends unwanted mail.
        Spam = "spam",
        /// It pretends to be another agent, person or company.
        Impersonation = "impersonation",
        /// It tries to deceive or to do harm.
        Malicious = "malicious",
        /// It breaks the law.
        Illegal = "illegal",
        /// Anything else.
        Other = "other",
    }
}

/// The workspace that reports an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reporter {
    /// Whether it is the workspace of the agent.
    pub is_own: bool,
    /// Whether a person owns it.
    pub claim: ClaimStatus,
    pub is_suspended: bool,
    pub created_at: Time,
}

impl Reporter {
    /// Returns whether its report counts toward hiding a listing. Workspaces are cheap to create, so those without an
    /// owner, new ones and suspended ones don't count.
    #[must_use]
    pub fn counts(&self, now: Time) -> bool {
        !self.is_own
            && !self.is_suspended
            && self.claim != ClaimStatus::Unclaimed
            && now.since_ms(self.created_at) >= REPORTER_AGE_MS
    }
}

/// Returns the seconds until the next day (UTC), rounded up.
#[must_use]
pub fn until_next_day_s(now: Time) -> u64 {
    let left_ms = DAY_MS - now.millis().rem_euclid(DAY_MS);
    u64::try_from((left_ms + 999) / 1_000).unwrap_or(1)
}

/// Checks the reports that a workspace made today.
///
/// # Errors
/// Returns `rate_limited` with the time until the next day.
pub fn check_daily(used: u64, now: Time) -> Result<(), Refusal> {
    if used < REPORTS_PER_DAY {
        return Ok(());
    }
    let message = format!("The workspace has made its {REPORTS_PER_DAY} reports for today.");
    Err(Refusal::new(ErrorCode::RateLimited, message).at_limit(
        LimitName::ReportsPerDay,
        REPORTS_PER_DAY,
        until_next_day_s(now),
    ))
}

/// A report about an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentReport {
    /// The workspace that reports.
    pub workspace: WorkspaceId,
    pub id: AgentReportId,
    pub agent_workspace: WorkspaceId,
    /// The inbox or identity of the agent.
    pub agent: InboxId,
    /// Why.
    pub reason: ReportReason,
    /// Details for the operator.
    pub details: Option<String>,
    /// A message of the workspace that reports.
    pub message: Option<MessageId>,
    /// Whether it counts toward hiding the listing.
    pub counts: bool,
    /// The keyed hash of the client's network; `None` on loopback.
    pub network: Option<Vec<u8>>,
    pub created_at: Time,
}

/// An agent with open reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReportedAgent {
    pub workspace: WorkspaceId,
    /// Its inbox or identity.
    pub inbox: InboxId,
    /// The number of open reports.
    pub reports: u64,
    /// When the last one was made.
    pub last_at: Time,
}

/// A report as the operator reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenReport {
    /// The workspace that reports.
    pub workspace: WorkspaceId,
    /// Why.
    pub reason: ReportReason,
    pub details: Option<String>,
    /// A message of the workspace that reports.
    pub message: Option<MessageId>,
    /// Whether it counts toward hiding the listing.
    pub counts: bool,
    pub created_at: Time,
}

/// The reporters of an agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentReporters {
    /// The parties that own the reporting workspaces, one for each client network, oldest report first.
    pub parties: Vec<Party>,
    /// The time between the first and the last report, in milliseconds.
    pub span_ms: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_cheap_workspaces_do_not_count() {
        let now = Time::from_millis(10 * DAY_MS);
        let fine = Reporter {
            is_own: false,
            claim: ClaimStatus::Claimed,
            is_suspended: false,
            created_at: now.plus_ms(-REPORTER_AGE_MS),
        };
        assert!(fine.counts(now));
        for ignored in [
            Reporter { is_own: true, ..fine },
            Reporter { claim: ClaimStatus::Unclaimed, ..fine },
            Reporter { is_suspended: true, ..fine },
            Reporter { created_at: now.plus_ms(1 - REPORTER_AGE_MS), ..fine },
        ] {
            assert!(!ignored.counts(now), "{ignored:?}");
        }
    }

    #[test]
    fn a_workspace_reports_ten_times_a_day() {
        let now = Time::from_millis(3 * DAY_MS - 1_500);
        assert!(check_daily(9, now).is_ok());
        let refusal = check_daily(10, now).expect_err("too many");
        assert_eq!((refusal.code, refusal.retry_after_s), (ErrorCode::RateLimited, Some(2)));
    }
}
