//! A workspace: the tenant, its plan, its standing and its settings (contract §2).

use crate::{id::WorkspaceId, plan::Plan, time::Time};

/// Distinct recipients that an unclaimed workspace may have in a UTC day (contract §18.3).
pub const UNCLAIMED_RECIPIENTS_PER_DAY: u64 = 20;

named! {
    /// How far AI may process a workspace's mail.
    AiProcessing {
        /// Not at all.
        Off = "off",
        /// Categorise received mail.
        Categorize = "categorize",
        /// Categorise, draft and extract.
        Full = "full",
    }
}

named! {
    /// Whether a person owns a workspace that began by self-signup.
    Claim {
        /// It began by self-signup, and no person owns it yet.
        Unclaimed = "unclaimed",
        /// It began by self-signup, and a person owns it now.
        Claimed = "claimed",
        /// A person or the operator made it.
        NotApplicable = "not_applicable",
    }
}

/// What an operator tells a workspace; every response carries it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// The text.
    pub message: String,
    /// When it was set.
    pub created_at: Time,
}

/// A tenant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workspace {
    /// Its id.
    pub id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The owner's address.
    pub owner_email: String,
    /// Its plan.
    pub plan: Plan,
    /// Sending is suspended.
    pub suspended: bool,
    /// Whether a person owns it, if it began by self-signup.
    pub claim: Claim,
    /// When it was claimed.
    pub claimed_at: Option<Time>,
    /// The operator's notice.
    pub notice: Option<Notice>,
    /// Since when the emergency stop is in force.
    pub stopped_at: Option<Time>,
    /// Why it was stopped.
    pub stop_reason: Option<String>,
    /// How far AI may go.
    pub ai_processing: AiProcessing,
    /// Whether agents get only screened mail.
    pub screening: bool,
    /// The operator's own limit of messages a day, instead of the plan's.
    pub daily_send_limit: Option<u64>,
    /// Days that its mail is kept; for ever when there is none.
    pub retention_days: Option<u32>,
    /// When it was made.
    pub created_at: Time,
}
