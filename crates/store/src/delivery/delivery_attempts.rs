//! The newest delivery attempts of each recipient of a sent message.

use posthouse_domain::{KeptAttempt, MessageId, PageRange, WorkspaceId, delivery::ATTEMPTS_KEPT_MAX};

use crate::{Result, Tx, statements};

statements! {
    fn insert_row(
        workspace: WorkspaceId,
        message: MessageId,
        attempt: &KeptAttempt {
            position, attempt, outcome, smtp_code, enhanced_code, remote, detail, class, tls, next_at, at,
        },
    ) =
        "INSERT INTO delivery_attempts (workspace_id, message_id, position, attempt, outcome, smtp_code, enhanced_code, remote,
        detail, class, tls, next_attempt_at, created_at) VALUES ({PARAMETERS}) ON CONFLICT DO NOTHING";
    fn delete(workspace: WorkspaceId, message: MessageId, position: u32, attempt: u32) =
        "DELETE FROM delivery_attempts WHERE workspace_id = :workspace AND message_id = :message AND position = :position AND attempt = :attempt";
    /// Returns a page of the attempts of a message: recipient by recipient, the newest attempt of each first.
    pub fn page(
        workspace: WorkspaceId,
        message: MessageId,
        page: PageRange { position: page.after.map_or(-1, |after| after.sort), before: attempt_before(page), limit },
    ) -> Vec<KeptAttempt> =
        "SELECT a.position, r.address, a.attempt, a.outcome, a.smtp_code, a.enhanced_code, a.remote, a.detail, a.class, a.tls,
    a.next_attempt_at, a.created_at FROM delivery_attempts a
    JOIN recipients r ON r.workspace_id = a.workspace_id AND r.message_id = a.message_id AND r.position = a.position
    WHERE a.workspace_id = :workspace AND a.message_id = :message AND (a.position > :position OR (a.position = :position AND a.attempt < :before))
    ORDER BY a.position, a.attempt DESC LIMIT :limit";
}

/// Returns the number before which the attempts of the first recipient of a page begin.
fn attempt_before(page: PageRange) -> i64 {
    page.after.and_then(|after| i64::try_from(after.id.as_u128()).ok()).unwrap_or(i64::MAX)
}

/// Stores an attempt, and deletes the one that is now too many for its recipient.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, attempt: &KeptAttempt) -> Result<()> {
    insert_row(tx, workspace, message, attempt)?;
    match attempt.attempt.checked_sub(ATTEMPTS_KEPT_MAX) {
        Some(too_many) if too_many > 0 => delete(tx, workspace, message, attempt.position, too_many),
        _ => Ok(()),
    }
}

crate::from_row!(KeptAttempt {
    position, address, attempt, outcome, smtp_code, enhanced_code, remote, detail, class, tls, next_at = next_attempt_at,
    at = created_at,
});
