//! Mail between workspaces of this service: rows of the recipients' workspace that wait for their copies to be stored
//! and for the sender's side to know the outcome. See `docs/decisions/sending.md#0059-local-delivery`.

use posthouse_domain::{EnvelopeId, InboxId, JobKind, LocalDeliveryState, WorkspaceId};
pub use posthouse_domain::{LocalDelivery, LocalOutcome, LocalRecipient, RequestedFields};

use crate::{Result, Tx, statements};

statements! {
    /// Stores a local delivery.
    pub fn insert(delivery: row &LocalDelivery) = "{insert local_deliveries}";
    /// Returns a local delivery; it exists until the sent message shows its outcome.
    pub fn get(workspace: WorkspaceId, id: EnvelopeId) -> Option<LocalDelivery> =
        "SELECT {l.local_deliveries} FROM local_deliveries l WHERE l.workspace_id = :workspace AND l.id = :id";
    /// Returns a local delivery and locks it until the end of the transaction.
    pub fn take(workspace: WorkspaceId, id: EnvelopeId) -> Option<LocalDelivery> =
        "SELECT {l.local_deliveries} FROM local_deliveries l WHERE l.workspace_id = :workspace AND l.id = :id {FOR_UPDATE}";
    /// Returns the oldest deliveries from a sender's inbox, in the order in which they were sent.
    pub fn oldest_from(workspace: WorkspaceId, sender: InboxId, limit: u32) -> Vec<LocalDelivery> =
        "SELECT {l.local_deliveries} FROM local_deliveries l WHERE l.workspace_id = :workspace AND l.sender_inbox_id = :sender ORDER BY l.created_at, l.id LIMIT :limit";
    fn write_outcome(
        delivery: &LocalDelivery { workspace, id },
        state: LocalDeliveryState,
        missing: &[u32] { missing: missing.to_vec() },
        detail: Option<&str>,
    ) =
        "UPDATE local_deliveries SET state = :state, missing = :missing, detail = :detail WHERE workspace_id = :workspace AND id = :id";
    /// Deletes a delivery whose outcome the sender's side knows.
    pub fn delete(workspace: WorkspaceId, id: EnvelopeId) =
        "DELETE FROM local_deliveries WHERE workspace_id = :workspace AND id = :id";
    /// Returns deliveries whose job is dead.
    pub fn dead(limit: u32; kind = JobKind::LocalDelivery) -> Vec<DeadLocalDelivery> =
        "SELECT l.workspace_id, l.id, j.attempt, j.why FROM jobs j CROSS JOIN local_deliveries l
        WHERE j.kind = :kind AND j.state = 'dead' AND l.workspace_id = j.workspace_id AND l.id = j.subject_id
        AND NOT EXISTS (SELECT 1 FROM jobs o WHERE o.kind = :kind AND o.subject_id = l.id AND o.state <> 'dead') LIMIT :limit";
}

/// Records the outcome. The row must be locked and pending.
pub fn settle(tx: &mut Tx, delivery: &LocalDelivery, outcome: &LocalOutcome) -> Result<()> {
    match outcome {
        LocalOutcome::Stored { missing } => write_outcome(tx, delivery, LocalDeliveryState::Stored, missing, None),
        LocalOutcome::Failed(detail) => write_outcome(tx, delivery, LocalDeliveryState::Failed, &[], Some(detail)),
    }
}

crate::row_struct!(
    /// A delivery that won't be tried again, and why the last attempt failed.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub DeadLocalDelivery { workspace = workspace_id: WorkspaceId, id: EnvelopeId, attempts = attempt: u32, why: String }
);
