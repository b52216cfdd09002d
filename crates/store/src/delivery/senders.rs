//! What signatures of agent messages say about their sender.

pub use posthouse_domain::Sender;
use posthouse_domain::{Assurance, InboxId, Standing, Time, UnsignedReason, WorkspaceId};

use crate::{Result, Tx, agents};

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
