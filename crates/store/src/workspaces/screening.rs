//! Checks of received mail by day, and what people said about held mail.

use posthouse_domain::{DAY_MS, Feedback, HoldReason, Message, Time, WorkspaceId};

use crate::{Result, Tx, statements};

/// What a person said about a held message, beside what the categoriser said.
struct GivenFeedback<'a> {
    reason: HoldReason,
    feedback: Feedback,
    injection: Option<f64>,
    phishing: Option<f64>,
    model: Option<&'a str>,
    now: Time,
}

statements! {
    fn count(workspace: WorkspaceId, day: i64) -> Option<i64> =
        "INSERT INTO ai_checks (workspace_id, day, checks) VALUES (:workspace, :day, 1)
        ON CONFLICT (workspace_id, day) DO UPDATE SET checks = ai_checks.checks + 1 RETURNING checks";
    fn forget(workspace: WorkspaceId, day: i64) = "DELETE FROM ai_checks WHERE workspace_id = :workspace AND day < :day";
    fn put_feedback(
        message: &Message { workspace, id },
        said: GivenFeedback<'_> { reason, feedback, injection, phishing, model, now },
    ) =
        "INSERT INTO screening_feedback (workspace_id, message_id, reason, feedback, injection, phishing, model, created_at)
        VALUES (:workspace, :id, :reason, :feedback, :injection, :phishing, :model, :now)
        ON CONFLICT (workspace_id, message_id) DO UPDATE SET feedback = excluded.feedback";
    /// Returns how often people said what about mail that was held for which reason.
    pub fn agreement(
        workspace: WorkspaceId,
    ) -> Vec<(reason: HoldReason, feedback: Feedback, messages: u64)> =
        "SELECT reason, feedback, count(*) AS messages FROM screening_feedback WHERE workspace_id = :workspace
        GROUP BY reason, feedback ORDER BY reason, feedback";
}

/// Counts a check, unless the workspace had `max` today; returns whether it was counted.
pub fn take_check(tx: &mut Tx, workspace: WorkspaceId, max: Option<u64>, now: Time) -> Result<bool> {
    let Some(max) = max else { return Ok(true) };
    let day = now.millis().div_euclid(DAY_MS);
    let checks = count(tx, workspace, day)?.unwrap_or(0);
    if checks == 1 {
        forget(tx, workspace, day)?;
    }
    Ok(u64::try_from(checks).is_ok_and(|checks| checks <= max))
}

/// Keeps what a person said about a held message.
pub fn keep_feedback(tx: &mut Tx, message: &Message, feedback: Feedback, now: Time) -> Result<()> {
    let Some(reason) = message.held else { return Ok(()) };
    let verdict = message.analysis.as_ref().and_then(|analysis| analysis.verdict());
    let (injection, phishing) = (verdict.map(|v| v.injection), verdict.map(|v| v.phishing));
    let model = verdict.map(|v| v.model.as_str());
    put_feedback(tx, message, GivenFeedback { reason, feedback, injection, phishing, model, now })
}
