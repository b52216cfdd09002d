//! Suppressions: addresses of a workspace that nothing is sent to.

use crate::{
    id::{MessageId, WorkspaceId},
    time::Time,
};

/// A suppression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    pub workspace: WorkspaceId,
    /// The canonical address.
    pub address: String,
    pub reason: SuppressionReason,
    /// The text of the remote server or of the complaint.
    pub detail: Option<String>,
    /// The message that caused it.
    pub message: Option<MessageId>,
    pub created_at: Time,
}

/// The reason why an address is suppressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SuppressionReason {
    /// A hard bounce.
    Bounce,
    /// A spam complaint by the recipient.
    Complaint,
    /// Added by a user of the workspace.
    Manual,
}

impl SuppressionReason {
    /// Returns the name on the wire and in the store.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Bounce => "bounce",
            Self::Complaint => "complaint",
            Self::Manual => "manual",
        }
    }

    /// Returns the reason with that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Bounce, Self::Complaint, Self::Manual].into_iter().find(|reason| reason.text() == text)
    }
}
