//! What the operator or reports decided against an agent.

use crate::{
    agent::{Agent, SanctionKind},
    id::{InboxId, WorkspaceId},
    time::Time,
};

/// A decision against an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sanction {
    /// The workspace of the agent.
    pub workspace: WorkspaceId,
    /// Its inbox or identity.
    pub inbox: InboxId,
    /// What was decided.
    pub kind: SanctionKind,
    /// The operator's reason.
    pub reason: Option<String>,
    /// The parties whose reports counted.
    pub parties: Vec<String>,
    /// When the owner asked for a review.
    pub review_requested_at: Option<Time>,
    /// What the owner said.
    pub review_note: Option<String>,
    pub created_at: Time,
}

impl Sanction {
    /// Creates a decision that nobody asked to review.
    #[must_use]
    pub fn new(agent: &Agent, kind: SanctionKind, created_at: Time) -> Self {
        Self {
            workspace: agent.workspace,
            inbox: agent.inbox,
            kind,
            reason: None,
            parties: Vec::new(),
            review_requested_at: None,
            review_note: None,
            created_at,
        }
    }
}
