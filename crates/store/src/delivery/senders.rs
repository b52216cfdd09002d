//! What signatures of agent messages say about their sender.

use posthouse_domain::{
    agent::Standing,
    agent_message::{Assurance, UnsignedReason},
    id::{InboxId, WorkspaceId},
    time::Time,
};

use crate::{Result, Tx, agents};

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

impl Sender {
    /// Returns whether lists count it as a verified agent: the service signs for it, it has a card, and a person owns its
    /// workspace.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.problem.is_none() && self.has_card && self.assurance != Assurance::Unclaimed
    }
}

/// Returns the sender of a message.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Sender> {
    let Some(agent) = agents::get(tx, workspace, inbox)? else {
        let problem = Some(UnsignedReason::Deleted);
        return Ok(Sender { assurance: Assurance::Unclaimed, problem, has_card: false });
    };
    // Only temporary inboxes expire, and they never send.
    let problem = match agent.standing(Time::default()) {
        Standing::Active => None,
        Standing::Revoked => Some(UnsignedReason::Revoked),
        Standing::Suspended => Some(UnsignedReason::Suspended),
        Standing::Deleted => Some(UnsignedReason::Deleted),
    };
    Ok(Sender { assurance: agent.assurance(), problem, has_card: agent.card.is_some() })
}
