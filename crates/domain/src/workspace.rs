//! A workspace: the tenant with its plan, status and settings.

pub use crate::analysis::AiProcessing;
use crate::{
    analysis::ScreeningSettings,
    id::WorkspaceId,
    outbound_policy::OutboundPolicy,
    plan::{Limit, Plan, PlanLimits, Plans},
    suspension::Suspension,
    time::{DAY_MS, Time},
};

/// The maximum number of distinct recipients of an unclaimed workspace per UTC day.
pub const UNCLAIMED_RECIPIENTS_PER_DAY: u64 = 20;
/// The maximum number of permanent inboxes of an unclaimed workspace.
pub const UNCLAIMED_INBOXES: u64 = 1;
/// The maximum number of identities of an unclaimed workspace.
pub const UNCLAIMED_IDENTITIES: u64 = 1;
/// The maximum number of agents with a key of their own in an unclaimed workspace.
pub const UNCLAIMED_AGENTS: u64 = 3;
/// The number of days without activity after which an unclaimed workspace is deleted.
pub const UNCLAIMED_IDLE_DAYS: i64 = 30;
/// [`UNCLAIMED_IDLE_DAYS`] in milliseconds.
pub const UNCLAIMED_IDLE_MS: i64 = UNCLAIMED_IDLE_DAYS * DAY_MS;

named! {
    /// Who made a workspace.
    WorkspaceOrigin {
        /// The operator, with the first start or with `workspace create`.
        Operator = "operator",
        /// A person who signed up.
        Person = "person",
        /// An agent that signed up.
        Agent = "agent",
    }
}

named! {
    /// Whether a person owns a workspace created by self-signup.
    ClaimStatus {
        /// Created by self-signup, and not owned by a person yet.
        Unclaimed = "unclaimed",
        /// Created by self-signup, and owned by a person now.
        Claimed = "claimed",
        /// Created by a person or the operator.
        NotApplicable = "not_applicable",
    }
}

named! {
    /// How sent mail shows that an agent wrote it.
    DisclosureLine {
        /// Not in the text.
        Off = "off",
        /// A line at the end of the plain text.
        Text = "text",
        /// A line at the end of the plain text and of the HTML.
        Html = "html",
    }
}

/// How sent mail discloses that an agent wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AiDisclosure {
    pub visible_line: DisclosureLine,
    /// Its text; `None` for the default.
    pub text: Option<String>,
    /// Whether the name of the workspace is disclosed too.
    pub shares_name: bool,
}

impl AiDisclosure {
    /// The setting of a new workspace.
    pub const NONE: Self = Self { visible_line: DisclosureLine::Off, text: None, shares_name: false };
}

/// An operator's notice to a workspace, included in every response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkspaceNotice {
    /// The text.
    pub message: String,
    /// When it was set.
    pub created_at: Time,
}

/// A tenant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub name: String,
    /// The owner's address.
    pub owner_email: String,
    pub plan: Plan,
    /// Whether sending is suspended.
    pub suspended: bool,
    /// Why sending is suspended, if it is.
    pub suspension: Option<Suspension>,
    /// Who made it.
    pub origin: WorkspaceOrigin,
    /// Whether a person owns it, if it was created by self-signup.
    pub claim: ClaimStatus,
    pub claimed_at: Option<Time>,
    /// The operator's notice.
    pub notice: Option<WorkspaceNotice>,
    /// When the emergency stop became active.
    pub stopped_at: Option<Time>,
    /// Why it was stopped.
    pub stop_reason: Option<String>,
    /// How much AI may process its mail.
    pub ai_processing: AiProcessing,
    /// How its mail is screened for agents.
    pub screening: ScreeningSettings,
    /// What it does about messages to addresses that only received mail named, or with a secret.
    pub outbound_policy: OutboundPolicy,
    /// A daily message limit set by the operator, which replaces the plan's.
    pub daily_send_limit: Option<u64>,
    /// How sent mail discloses that an agent wrote it.
    pub ai_disclosure: AiDisclosure,
    /// The number of days that mail is kept; `None` means forever.
    pub retention_days: Option<u32>,
    pub created_at: Time,
}

impl Workspace {
    /// Returns the limits of the workspace: those of its plan, lowered while it is unclaimed.
    #[must_use]
    pub fn limits(&self, plans: &Plans) -> PlanLimits {
        let plan = *plans.of(self.plan);
        let at_most = |limit: Limit, max: u64| Some(limit.map_or(max, |limit| limit.min(max)));
        match self.claim {
            ClaimStatus::Unclaimed => PlanLimits {
                inboxes: at_most(plan.inboxes, UNCLAIMED_INBOXES),
                identities: at_most(plan.identities, UNCLAIMED_IDENTITIES),
                domains: Some(0),
                public_listings: Some(0),
                ..plan
            },
            ClaimStatus::Claimed | ClaimStatus::NotApplicable => plan,
        }
    }
}
