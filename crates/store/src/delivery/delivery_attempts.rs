//! The newest delivery attempts of each recipient of a sent message.

use posthouse_domain::{
    delivery::{ATTEMPTS_KEPT_MAX, KeptAttempt},
    id::{MessageId, WorkspaceId},
    message::TlsParameters,
    page::PageRange,
};
use posthouse_mail::bounce::BounceClass;

use crate::{Result, Tx, p, statements};

statements! {
    INSERT = "INSERT INTO delivery_attempts (workspace_id, message_id, position, attempt, outcome, smtp_code, enhanced_code, remote,
        detail, class, tls, next_attempt_at, created_at) VALUES ({PARAMETERS})
        ON CONFLICT DO NOTHING";
    DELETE = "DELETE FROM delivery_attempts WHERE workspace_id = $1 AND message_id = $2 AND position = $3 AND attempt = $4";
    PAGE = "SELECT a.position, r.address, a.attempt, a.outcome, a.smtp_code, a.enhanced_code, a.remote, a.detail, a.class, a.tls,
        a.next_attempt_at, a.created_at FROM delivery_attempts a
        JOIN recipients r ON r.workspace_id = a.workspace_id AND r.message_id = a.message_id AND r.position = a.position
        WHERE a.workspace_id = $1 AND a.message_id = $2 AND (a.position > $3 OR (a.position = $3 AND a.attempt < $4))
        ORDER BY a.position, a.attempt DESC LIMIT $5";
}

/// Stores an attempt, and deletes the one that is now too many for its recipient.
pub fn insert(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, attempt: &KeptAttempt) -> Result<()> {
    let a = attempt;
    tx.exec(
        &INSERT,
        p![
            workspace,
            message,
            a.position,
            a.attempt,
            a.outcome.text(),
            a.smtp_code,
            a.enhanced_code,
            a.remote,
            a.detail,
            a.class.map(BounceClass::text),
            a.tls.as_ref().map(TlsParameters::text),
            a.next_at,
            a.at
        ],
    )?;
    if let Some(too_many) = a.attempt.checked_sub(ATTEMPTS_KEPT_MAX).filter(|too_many| *too_many > 0) {
        tx.exec(&DELETE, p![workspace, message, a.position, too_many])?;
    }
    Ok(())
}

/// Returns a page of the attempts of a message: recipient by recipient, the newest attempt of each first.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, message: MessageId, page: PageRange) -> Result<Vec<KeptAttempt>> {
    let (position, before) =
        page.after.map_or((-1, i64::MAX), |after| (after.sort, i64::try_from(after.id.as_u128()).unwrap_or(i64::MAX)));
    tx.rows(&PAGE, p![workspace, message, position, before, page.limit])
}

crate::from_row!(KeptAttempt {
    position,
    address,
    attempt,
    outcome,
    smtp_code,
    enhanced_code,
    remote,
    detail,
    class: Option<String>,
    tls: Option<String>,
    next_at = next_attempt_at,
    at = created_at,
} => Self {
    position,
    address,
    attempt,
    outcome,
    smtp_code,
    enhanced_code,
    remote,
    detail,
    class: class.as_deref().and_then(BounceClass::parse),
    tls: tls.and_then(|text| TlsParameters::parse(&text)),
    next_at,
    at,
});
