//! What signatures of agent messages say about their sender.

use posthouse_domain::{
    agent_message::{Assurance, UnsignedReason},
    id::{InboxId, WorkspaceId},
    mail_domain::DomainStatus,
    workspace::ClaimStatus,
};

use crate::{Result, Tx, inboxes, mail_domains, workspaces};

/// The sender of an agent message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sender {
    /// How much is known about who is behind it.
    pub assurance: Assurance,
    /// Why the service doesn't sign for it; `None` if it does.
    pub problem: Option<UnsignedReason>,
    /// Whether it has a card.
    pub has_card: bool,
}

/// Returns the sender of a message.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Sender> {
    let (owner, sender) = (workspaces::get(tx, workspace)?, inboxes::get(tx, workspace, inbox)?);
    let (Some(owner), Some(sender)) = (owner, sender) else {
        let problem = Some(UnsignedReason::Deleted);
        return Ok(Sender { assurance: Assurance::Unclaimed, problem, has_card: false });
    };
    let assurance = match owner.claim {
        ClaimStatus::Unclaimed => Assurance::Unclaimed,
        ClaimStatus::Claimed | ClaimStatus::NotApplicable => {
            let domain = mail_domains::by_name(tx, workspace, &sender.domain)?;
            let is_verified = domain.is_some_and(|domain| domain.status == DomainStatus::Verified);
            if is_verified { Assurance::DomainVerified } else { Assurance::Workspace }
        }
    };
    let problem = if sender.deleted_at.is_some() {
        Some(UnsignedReason::Deleted)
    } else {
        owner.suspended.then_some(UnsignedReason::Suspended)
    };
    Ok(Sender { assurance, problem, has_card: false })
}
