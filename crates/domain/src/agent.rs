//! Agents in the directory: handles, cards, listings and reports. See `docs/reference/directory.md`.

pub mod card;
mod card_links;
pub mod card_text;
pub mod handle;
mod letters;
pub mod listing;
pub mod listing_state;
pub mod lookalike;
pub mod report;
pub mod sanction;
pub mod search;

pub use crate::agent_message::Assurance;
use crate::{
    agent::{card::Card, handle::HandleName},
    id::{InboxId, WorkspaceId},
    inbox::InboxKind,
    time::Time,
    workspace::ClaimStatus,
};

named! {
    /// The standing of an agent.
    Standing {
        /// Neither revoked, suspended nor deleted.
        Active = "active",
        /// Its owner revoked it.
        Revoked = "revoked",
        /// The operator suspended it, or its workspace.
        Suspended = "suspended",
        /// Its inbox or identity was deleted.
        Deleted = "deleted",
    }

    /// What was decided against an agent. It outlives the card, so that a new card doesn't undo it.
    SanctionKind {
        /// The operator suspended the agent.
        Suspended = "suspended",
        /// Reports hid its listing.
        Reported = "reported",
    }
}

/// A badge of agents at a verified domain.
pub const DOMAIN_BADGE: &str = "domain_verified";

/// An agent: an inbox or identity with what the directory knows about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Agent {
    pub workspace: WorkspaceId,
    /// Its inbox or identity.
    pub inbox: InboxId,
    /// Whether it has mail.
    pub kind: InboxKind,
    /// Its canonical address.
    pub address: String,
    /// The local part.
    pub username: String,
    /// The domain of its address.
    pub domain: String,
    /// The display name of the inbox or identity.
    pub display_name: Option<String>,
    /// Whether its workspace verified the domain of its address.
    pub has_verified_domain: bool,
    /// Whether a person owns its workspace.
    pub claim: ClaimStatus,
    pub is_workspace_suspended: bool,
    pub workspace_handle: Option<HandleName>,
    /// When its inbox or identity expires.
    pub expires_at: Option<Time>,
    /// When its inbox or identity was deleted.
    pub deleted_at: Option<Time>,
    /// What was decided against it.
    pub sanction: Option<SanctionKind>,
    pub card: Option<Card>,
}

impl Agent {
    /// Returns how much is known about who is behind the agent.
    #[must_use]
    pub fn assurance(&self) -> Assurance {
        match (self.claim, self.has_verified_domain) {
            (ClaimStatus::Unclaimed, _) => Assurance::Unclaimed,
            (ClaimStatus::Claimed | ClaimStatus::NotApplicable, true) => Assurance::DomainVerified,
            (ClaimStatus::Claimed | ClaimStatus::NotApplicable, false) => Assurance::Workspace,
        }
    }

    /// Returns the badges of the agent.
    #[must_use]
    pub fn badges(&self) -> Vec<&'static str> {
        if self.assurance() == Assurance::DomainVerified { vec![DOMAIN_BADGE] } else { Vec::new() }
    }

    /// Returns the standing of the agent.
    #[must_use]
    pub fn standing(&self, now: Time) -> Standing {
        if self.deleted_at.is_some() || self.expires_at.is_some_and(|end| end <= now) {
            return Standing::Deleted;
        }
        if self.sanction == Some(SanctionKind::Suspended) || self.is_workspace_suspended {
            return Standing::Suspended;
        }
        match self.card.as_ref().and_then(|card| card.revoked_at) {
            Some(_) => Standing::Revoked,
            None => Standing::Active,
        }
    }

    /// Returns the domain that its workspace verified.
    #[must_use]
    pub fn verified_domain(&self) -> Option<&str> {
        (self.assurance() == Assurance::DomainVerified).then_some(self.domain.as_str())
    }

    /// Returns who is behind the agent, as far as the public may know: the verified domain, the handle of the workspace, or
    /// else the domain of the address. The name of a workspace is never public.
    #[must_use]
    pub fn provider(&self) -> String {
        match (self.verified_domain(), &self.workspace_handle) {
            (Some(domain), _) => domain.to_owned(),
            (None, Some(handle)) => format!("@{handle}"),
            (None, None) => self.domain.clone(),
        }
    }

    /// Returns the handle, such as `@acme/support`.
    #[must_use]
    pub fn handle(&self) -> Option<String> {
        let part = self.card.as_ref()?.handle.as_ref()?;
        Some(format!("@{}/{part}", self.workspace_handle.as_ref()?))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use uuid::Uuid;

    pub(crate) fn agent() -> Agent {
        Agent {
            workspace: WorkspaceId(Uuid::from_u128(1)),
            inbox: InboxId(Uuid::from_u128(2)),
            kind: InboxKind::Mailbox,
            address: "bot@agents.example".to_owned(),
            username: "bot".to_owned(),
            domain: "agents.example".to_owned(),
            display_name: None,
            has_verified_domain: false,
            claim: ClaimStatus::NotApplicable,
            is_workspace_suspended: false,
            workspace_handle: None,
            expires_at: None,
            deleted_at: None,
            sanction: None,
            card: None,
        }
    }

    #[test]
    fn assurance_needs_an_owner_and_then_a_domain() {
        for (claim, has_verified_domain, expected) in [
            (ClaimStatus::Unclaimed, false, Assurance::Unclaimed),
            (ClaimStatus::Unclaimed, true, Assurance::Unclaimed),
            (ClaimStatus::Claimed, false, Assurance::Workspace),
            (ClaimStatus::NotApplicable, false, Assurance::Workspace),
            (ClaimStatus::Claimed, true, Assurance::DomainVerified),
        ] {
            let found = Agent { claim, has_verified_domain, ..agent() };
            assert_eq!(found.assurance(), expected, "{claim:?} {has_verified_domain}");
            assert_eq!(found.badges().is_empty(), expected != Assurance::DomainVerified);
        }
    }

    #[test]
    fn standing_names_the_strongest_fact() {
        let now = Time::from_millis(1_000);
        let card = Card { revoked_at: Some(now), ..card::tests::card() };
        let revoked = Agent { card: Some(card), ..agent() };
        assert_eq!(agent().standing(now), Standing::Active);
        assert_eq!(revoked.standing(now), Standing::Revoked);
        let suspended = Agent { sanction: Some(SanctionKind::Suspended), ..revoked.clone() };
        assert_eq!(suspended.standing(now), Standing::Suspended);
        assert_eq!(Agent { is_workspace_suspended: true, ..agent() }.standing(now), Standing::Suspended);
        assert_eq!(Agent { sanction: Some(SanctionKind::Reported), ..agent() }.standing(now), Standing::Active);
        assert_eq!(Agent { deleted_at: Some(now), ..suspended }.standing(now), Standing::Deleted);
        assert_eq!(Agent { expires_at: Some(now), ..agent() }.standing(now), Standing::Deleted);
    }
}
