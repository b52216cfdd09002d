//! Plans and their limits.

use crate::workspace::{ClaimStatus, UNCLAIMED_IDENTITIES, UNCLAIMED_INBOXES, Workspace};

/// A limit that may be absent.
pub type Limit = Option<u64>;

named! {
    /// A plan.
    Plan {
        /// `free`
        Free = "free",
        /// `builder`
        Builder = "builder",
        /// `team`
        Team = "team",
    }
}

/// The limits of a plan; `None` means unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanLimits {
    /// Permanent inboxes that are not deleted.
    pub inboxes: Limit,
    /// Identities that are not deleted.
    pub identities: Limit,
    /// Custom domains.
    pub domains: Limit,
    /// Messages sent per calendar month (UTC).
    pub emails_per_month: Limit,
    /// Messages sent per inbox and day (UTC).
    pub daily_sends_per_inbox: Limit,
    /// Messages sent per workspace and day (UTC).
    pub daily_sends: Limit,
    /// Messages sent per workspace within any five minutes.
    pub sends_per_5_minutes: Limit,
    /// API requests per key and minute.
    pub requests_per_minute: Limit,
    /// Authenticated HTTP connections at once, of one workspace.
    pub connections: Limit,
    /// Streams at once, of one workspace.
    pub streams: Limit,
    /// Stored messages, and bodies and files of drafts, in bytes.
    pub storage_bytes: Limit,
}

/// The configured limits of all plans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plans {
    /// `plans.free`
    pub free: PlanLimits,
    /// `plans.builder`
    pub builder: PlanLimits,
    /// `plans.team`
    pub team: PlanLimits,
}

impl Plans {
    /// Returns the limits of a plan.
    #[must_use]
    pub const fn of(&self, plan: Plan) -> &PlanLimits {
        match plan {
            Plan::Free => &self.free,
            Plan::Builder => &self.builder,
            Plan::Team => &self.team,
        }
    }

    /// Returns the limits of a workspace: those of its plan, lowered while nobody has claimed it.
    #[must_use]
    pub fn of_workspace(&self, workspace: &Workspace) -> PlanLimits {
        let plan = *self.of(workspace.plan);
        let at_most = |limit: Limit, max: u64| Some(limit.map_or(max, |limit| limit.min(max)));
        match workspace.claim {
            ClaimStatus::Unclaimed => PlanLimits {
                inboxes: at_most(plan.inboxes, UNCLAIMED_INBOXES),
                identities: at_most(plan.identities, UNCLAIMED_IDENTITIES),
                domains: Some(0),
                ..plan
            },
            ClaimStatus::Claimed | ClaimStatus::NotApplicable => plan,
        }
    }
}
