//! What `posthouse workspace` prints.

use posthouse_domain::workspace::Workspace;
use serde_json::{Value, json};

use super::super::outcome::{CommandEffect, CommandError, OutputOptions, print};

pub(super) fn print_one(
    output: &OutputOptions,
    workspace: &Workspace,
    done: &CommandEffect,
) -> Result<(), CommandError> {
    print_view(output, &workspace_view(workspace), done)
}

pub(super) fn print_view(output: &OutputOptions, view: &Value, done: &CommandEffect) -> Result<(), CommandError> {
    let rows = view.as_object().into_iter().flatten();
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let text: Vec<String> = rows.map(|(name, value)| format!("{name:<22} {}", shown(value))).collect();
    print(output, view, &text.join("\n"), done)
}

fn status(workspace: &Workspace) -> &'static str {
    if workspace.suspended { "suspended" } else { "active" }
}

pub(super) fn line(workspace: &Workspace) -> String {
    format!("{}  {:<8} {:<10} {}", workspace.id, workspace.plan.text(), status(workspace), workspace.name)
}

pub(super) fn workspace_view(workspace: &Workspace) -> Value {
    let w = workspace;
    json!({
        "id": w.id.to_string(),
        "name": w.name,
        "owner": w.owner_email,
        "plan": w.plan.text(),
        "status": status(w),
        "suspension": w.suspension.as_ref().map(|suspension| json!({
            "reason": suspension.reason.text(),
            "since": suspension.since.to_string(),
            "parties": suspension.parties,
            "review_requested_at": suspension.review_requested_at.map(|at| at.to_string()),
            "review_note": suspension.review_note,
        })),
        "claim_status": w.claim.text(),
        "claimed_at": w.claimed_at.map(|at| at.to_string()),
        "notice": w.notice.as_ref().map(|notice| notice.message.as_str()),
        "emergency_stopped_at": w.stopped_at.map(|at| at.to_string()),
        "emergency_stop_reason": w.stop_reason,
        "ai_processing": w.ai_processing.text(),
        "screening": w.screening.mode.text(),
        "screening_deadline": w.screening.deadline_s,
        "screening_on_timeout": w.screening.on_timeout.text(),
        "outbound_policy": w.outbound_policy.text(),
        "daily_send_limit": w.daily_send_limit,
        "retention_days": w.retention_days,
        "created_at": w.created_at.to_string(),
    })
}
