//! Refusals as errors of the extension (SEP-3415, "Error Codes").

use posthouse_app::webhooks::subscriptions::{CallbackProblem, subscribe::SubscribeError};
use posthouse_domain::{ErrorCode, Refusal, webhook::subscription::SUBSCRIPTIONS_MAX};
use serde_json::json;

use crate::protocol::{Failure, FailureKind};

/// Returns the error for a refusal.
pub(super) fn of(refusal: &Refusal) -> Failure {
    let (kind, data) = match refusal.code {
        ErrorCode::NotFound => (FailureKind::EventNotFound, json!({ "kind": "inbox" })),
        ErrorCode::InsufficientPermissions | ErrorCode::Forbidden | ErrorCode::UnclaimedWorkspace => {
            (FailureKind::EventForbidden, json!({ "reason": refusal.code.text() }))
        }
        ErrorCode::PlanLimitWebhooks => {
            (FailureKind::EventLimit, json!({ "limit": "subscriptions", "max": SUBSCRIPTIONS_MAX }))
        }
        ErrorCode::RateLimited => {
            let limit = refusal.limit().map_or("requests", |limit| limit.text());
            (FailureKind::EventLimit, json!({ "limit": limit, "max": refusal.max() }))
        }
        code if matches!(code.status(), 400 | 422) => return Failure::of(FailureKind::InvalidParams, refusal),
        code if code.status() >= 500 => (FailureKind::Internal, json!({ "code": code.text() })),
        code => (FailureKind::Refused, json!({ "code": code.text() })),
    };
    Failure::of(kind, refusal).with_data(data)
}

/// Returns the error for a client that isn't subscribed.
pub(super) fn of_subscribe(error: &SubscribeError) -> Failure {
    match error {
        SubscribeError::Refused(refusal) => of(refusal),
        SubscribeError::Callback(problem) => of_callback(*problem),
    }
}

fn of_callback(problem: CallbackProblem) -> Failure {
    let message = format!("The receiver didn't confirm `delivery.url`: {}.", problem.text());
    Failure::new(FailureKind::CallbackEndpoint, message)
        .with_data(json!({ "reason": problem.text() }))
        .with_fix(problem.fix())
}

/// Returns the error for an event type that doesn't exist.
pub(super) fn unknown_event(problem: &str) -> Failure {
    let end = if problem.ends_with('?') { "" } else { "." };
    Failure::new(FailureKind::EventNotFound, format!("`params.name`: {problem}{end}"))
        .with_data(json!({ "kind": "event" }))
        .with_fix("Use one of the types that `events/list` lists.")
}

/// Returns the error for a way of delivery that `events/subscribe` doesn't have.
pub(super) fn unsupported_mode(mode: &str) -> Failure {
    let data = json!({ "feature": "deliveryMode", "value": mode });
    Failure::new(FailureKind::UnsupportedFeature, "`params.delivery.mode` must be `webhook`.")
        .with_data(data)
        .with_fix("Use `events/stream` for push and `events/poll` for poll.")
}
