//! The mail that the service writes to people, and its budgets: one for members, one for people whom members ask, and
//! one for people whom strangers name (`docs/decisions/people.md#0095-the-services-own-mail`). Pure.

use crate::{WorkspaceId, daily_limit::DailyLimit, plan::Limit};

named! {
    /// Whose request a mail of the service answers. Each class has a budget of its own.
    MailClass {
        /// Members who sign in, and people on call.
        Members = "members",
        /// People whom members invite or ask to confirm something.
        Invited = "invited",
        /// People whom strangers name: to sign up, or to claim an agent's workspace.
        Strangers = "strangers",
    }
    /// What a mail of the service is about.
    ServiceMailKind {
        /// A sign-in link of a member.
        SignIn = "sign_in",
        /// A sign-in link that makes a workspace.
        SignUp = "sign_up",
        /// An invitation to a workspace.
        Invitation = "invitation",
        /// A request to claim a workspace.
        Claim = "claim",
        /// A request to confirm an address: of a person on call, or to forward to.
        Confirmation = "confirmation",
        /// An escalation to people on call, or a notice about them.
        OnCall = "on_call",
    }
}

impl ServiceMailKind {
    /// Returns whether a permanent failure is recorded in the workspace that the mail was written for, so that it asks or
    /// alerts this person no more. A member must still be able to sign in.
    #[must_use]
    pub const fn is_suppressed_by_failure(self) -> bool {
        match self {
            Self::Claim | Self::Confirmation | Self::OnCall => true,
            Self::SignIn | Self::SignUp | Self::Invitation => false,
        }
    }
}

/// The mails of one class per UTC day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MailBudget {
    pub per_day: Limit,
    /// To one party ([`crate::party::Party`]).
    pub per_party: Limit,
    /// That one client network asks for.
    pub per_network: Limit,
}

impl MailBudget {
    /// No limit.
    pub const UNLIMITED: Self = Self { per_day: None, per_party: None, per_network: None };
}

/// The budgets of all classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MailBudgets {
    /// Of [`MailClass::Members`].
    pub members: MailBudget,
    /// Of [`MailClass::Invited`].
    pub invited: MailBudget,
    /// Of [`MailClass::Strangers`].
    pub strangers: MailBudget,
}

/// The limits that a class counts, in the order in which they are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassLimits {
    /// Mails that one network asks for.
    pub network: DailyLimit,
    /// Mails to one party.
    pub party: DailyLimit,
    /// Mails in all.
    pub all: DailyLimit,
}

impl MailClass {
    /// Returns the limits of the class.
    #[must_use]
    pub const fn limits(self) -> ClassLimits {
        match self {
            Self::Members => ClassLimits {
                network: DailyLimit::MemberMailsPerNetwork,
                party: DailyLimit::MemberMailsPerParty,
                all: DailyLimit::MemberMails,
            },
            Self::Invited => ClassLimits {
                network: DailyLimit::InvitedMailsPerNetwork,
                party: DailyLimit::InvitedMailsPerParty,
                all: DailyLimit::InvitedMails,
            },
            Self::Strangers => ClassLimits {
                network: DailyLimit::StrangerMailsPerNetwork,
                party: DailyLimit::StrangerMailsPerParty,
                all: DailyLimit::StrangerMails,
            },
        }
    }
}

impl MailBudgets {
    /// Returns the budget of a class.
    #[must_use]
    pub const fn of(&self, class: MailClass) -> &MailBudget {
        match class {
            MailClass::Members => &self.members,
            MailClass::Invited => &self.invited,
            MailClass::Strangers => &self.strangers,
        }
    }
}

/// For whom a mail of the service was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenFor {
    pub workspace: WorkspaceId,
    /// What the mail is about.
    pub kind: ServiceMailKind,
}
