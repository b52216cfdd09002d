//! Limits by UTC day that are counted in the store: of self-signup, of mail that strangers get, and of wrong codes.

use crate::{
    error::{ErrorCode, LimitName, Refusal},
    gate::until_midnight_s,
    time::Time,
};

named! {
    /// A limit by UTC day.
    DailyLimit {
        /// Self-signups from one client address.
        Signups = "signups",
        /// Claim and sign-up mails to one address.
        ClaimMailsPerRecipient = "mails_per_recipient",
        /// Claim mails of one workspace.
        ClaimMails = "mails",
        /// Invitations to one mailbox.
        InvitationsPerRecipient = "invitations_per_recipient",
        /// Wrong sign-in codes for one address.
        WrongCodes = "wrong_codes",
        /// Sign-in mails to members that one client network asks for.
        MemberMailsPerNetwork = "member_mails_per_network",
        /// Mails of one kind to members of one party.
        MemberMailsPerParty = "member_mails_per_party",
        /// Mails of one kind to members.
        MemberMails = "member_mails",
        /// Mails to invited people that one client network asks for.
        InvitedMailsPerNetwork = "invited_mails_per_network",
        /// Mails to invited people of one party.
        InvitedMailsPerParty = "invited_mails_per_party",
        /// Mails to invited people.
        InvitedMails = "invited_mails",
        /// Mails to strangers that one client network asks for.
        StrangerMailsPerNetwork = "stranger_mails_per_network",
        /// Mails to strangers of one party.
        StrangerMailsPerParty = "stranger_mails_per_party",
        /// Mails to strangers.
        StrangerMails = "stranger_mails",
    }
}

impl DailyLimit {
    /// Creates the refusal of a request that exceeds the limit.
    #[must_use]
    pub fn refusal(self, max: u64, now: Time) -> Refusal {
        let wait_s = until_midnight_s(now);
        let (limit, message) = match self {
            Self::Signups => {
                (LimitName::SignupsPerDay, format!("Your client address has used its {max} self-signups for today."))
            }
            Self::ClaimMailsPerRecipient => (
                LimitName::ClaimMailsPerRecipient,
                format!("This recipient got {max} claim mails today, which is the limit."),
            ),
            Self::ClaimMails => (
                LimitName::ClaimMailsPerDay,
                format!("The workspace has sent {max} claim mails today, which is the limit."),
            ),
            Self::StrangerMailsPerNetwork => (
                LimitName::StrangerMailsPerNetwork,
                format!("Your network has asked for {max} mails to strangers today, which is the limit."),
            ),
            Self::StrangerMailsPerParty => (
                LimitName::StrangerMailsPerParty,
                format!("The recipient's organization got {max} such mails today, which is the limit."),
            ),
            Self::StrangerMails => (
                LimitName::StrangerMailsPerDay,
                format!("The service has sent {max} mails to strangers today, its limit."),
            ),
            Self::MemberMailsPerNetwork
            | Self::MemberMailsPerParty
            | Self::MemberMails
            | Self::InvitedMailsPerNetwork
            | Self::InvitedMailsPerParty
            | Self::InvitedMails => return too_many_mails(self, max, wait_s),
            Self::InvitationsPerRecipient => return too_many_invitations(max, wait_s),
            Self::WrongCodes => return too_many_codes(max, wait_s),
        };
        Refusal::new(ErrorCode::SignupRateLimited, message).at_limit(limit, max, wait_s)
    }
}

fn too_many_mails(limit: DailyLimit, max: u64, wait_s: u64) -> Refusal {
    let (name, message) = match limit {
        DailyLimit::MemberMailsPerNetwork => (
            LimitName::MemberMailsPerNetwork,
            format!("Your network has asked for {max} mails to members today, its limit."),
        ),
        DailyLimit::MemberMailsPerParty => {
            (LimitName::MemberMailsPerParty, format!("Members of one organization got {max} mails today, the limit."))
        }
        DailyLimit::InvitedMailsPerNetwork => (
            LimitName::InvitedMailsPerNetwork,
            format!("Your network has asked for {max} invitations and confirmations today, its limit."),
        ),
        DailyLimit::InvitedMailsPerParty => (
            LimitName::InvitedMailsPerParty,
            format!("The recipient's organization got {max} invitations and confirmations today, the limit."),
        ),
        DailyLimit::InvitedMails => (
            LimitName::InvitedMailsPerDay,
            format!("The service has sent {max} invitations and confirmations today, its limit."),
        ),
        _ => (LimitName::MemberMailsPerDay, format!("The service has sent {max} mails to members today, its limit.")),
    };
    Refusal::new(ErrorCode::RateLimited, message).at_limit(name, max, wait_s)
}

fn too_many_invitations(max: u64, wait_s: u64) -> Refusal {
    Refusal::new(ErrorCode::RateLimited, format!("This person got {max} invitations today, which is the limit."))
        .at_limit(LimitName::InvitationsPerRecipient, max, wait_s)
}

fn too_many_codes(max: u64, wait_s: u64) -> Refusal {
    let message = format!("For this address, {max} wrong codes were tried today, which is the limit.");
    Refusal::new(ErrorCode::RateLimited, message).at_limit(LimitName::WrongSignInCodes, max, wait_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DAY_MS;

    #[test]
    fn a_refusal_names_the_limit_and_the_time_until_midnight() {
        let noon = Time::from_millis(DAY_MS / 2);
        let names: Vec<_> = DailyLimit::ALL.iter().map(|limit| limit.refusal(3, noon).limit()).collect();
        let unique: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(unique.len(), DailyLimit::ALL.len());
        assert_eq!(DailyLimit::Signups.refusal(5, noon).retry_after_s, Some(43_201));
    }
}
