//! Webhooks and their attempts as they are shown (contract §11.1; decision 11). A secret is shown by the answer that made it
//! and never again.

use std::collections::BTreeMap;

use posthouse_domain::{
    event::Payload,
    webhook::{Delivery, DeliveryStatus},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{Moment, name_of};
use crate::app::webhooks::{read::Shown, trial::Tried};

/// A webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookView {
    id: Uuid,
    /// Where events are POSTed.
    url: String,
    /// The types of events it takes.
    events: Vec<&'static str>,
    /// The inboxes whose events it takes; null: every inbox. Events of no inbox come in any case.
    inbox_ids: Option<Vec<String>>,
    /// Whether new events go to it. A webhook whose every attempt failed for 5 days is disabled.
    enabled: bool,
    /// `full` or `envelope`.
    #[schemars(schema_with = "name_of::<Payload>")]
    payload: &'static str,
    /// The end of the secret, for telling secrets apart.
    secret_hint: String,
    /// How its attempts went in the last 24 hours.
    stats: StatsView,
    /// Header fields that are added to every request.
    headers: BTreeMap<String, String>,
    created_at: Moment,
}

/// A webhook with its secret: only in the answers that make one.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookWithSecret")]
pub struct SecretWebhookView {
    #[serde(flatten)]
    webhook: WebhookView,
    /// What requests are signed with. Keep it: it is not shown again.
    secret: String,
}

/// How the attempts of a webhook went.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookStats")]
pub struct StatsView {
    /// Attempts that ended in the last 24 hours.
    deliveries_24h: u64,
    /// Those of them that failed.
    failed_24h: u64,
    /// 0 to 1.
    error_rate_24h: f64,
    /// When one last succeeded, at any time.
    last_success_at: Option<Moment>,
    /// When one last failed, at any time.
    last_failure_at: Option<Moment>,
}

/// An attempt to hand an event to a webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookDelivery")]
pub struct WebhookDeliveryView {
    id: Uuid,
    event_id: Uuid,
    event_type: &'static str,
    /// 1 to 9.
    attempt: u32,
    /// `pending`, `succeeded` or `failed`.
    #[schemars(schema_with = "name_of::<DeliveryStatus>")]
    status: &'static str,
    /// What the receiver answered; null while it has not, or when it could not be reached.
    response_status: Option<u16>,
    /// The first 500 bytes of its answer.
    response_excerpt: Option<String>,
    /// Why it failed.
    error: Option<String>,
    duration_ms: Option<i64>,
    created_at: Moment,
    /// When the next attempt is due, behind a failed one.
    next_attempt_at: Option<Moment>,
}

/// An event that was set on its way.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookTry")]
pub struct TryView {
    event_id: Uuid,
    /// The attempt, as it is listed.
    delivery_id: Uuid,
}

impl WebhookView {
    /// Shows the webhook.
    #[must_use]
    pub fn of(shown: &Shown) -> Self {
        let (w, counts) = (&shown.webhook, shown.counts);
        let error_rate_24h = if counts.deliveries == 0 { 0.0 } else { counts.failed as f64 / counts.deliveries as f64 };
        Self {
            id: w.id.into(),
            url: w.url.clone(),
            events: w.kinds.iter().map(|kind| kind.text()).collect(),
            inbox_ids: w.inboxes.as_ref().map(|ids| ids.iter().map(ToString::to_string).collect()),
            enabled: w.enabled,
            payload: w.payload.text(),
            secret_hint: w.secret_hint.clone(),
            stats: StatsView {
                deliveries_24h: counts.deliveries,
                failed_24h: counts.failed,
                error_rate_24h,
                last_success_at: w.last_success_at.map(Into::into),
                last_failure_at: w.last_failure_at.map(Into::into),
            },
            headers: shown.headers.iter().cloned().collect(),
            created_at: w.created_at.into(),
        }
    }
}

impl SecretWebhookView {
    /// Shows the webhook with the secret that was made.
    #[must_use]
    pub fn of(shown: &Shown) -> Self {
        Self { webhook: WebhookView::of(shown), secret: shown.secret.clone().unwrap_or_default() }
    }
}

impl WebhookDeliveryView {
    /// Shows the attempt.
    #[must_use]
    pub fn of(delivery: &Delivery) -> Self {
        let d = delivery;
        Self {
            id: d.id.into(),
            event_id: d.event.into(),
            event_type: d.kind.text(),
            attempt: d.attempt,
            status: d.status.text(),
            response_status: d.response_status,
            response_excerpt: d.response_excerpt.clone(),
            error: d.error.clone(),
            duration_ms: d.duration_ms,
            created_at: d.created_at.into(),
            next_attempt_at: d.next_attempt_at.map(Into::into),
        }
    }
}

impl From<Tried> for TryView {
    fn from(tried: Tried) -> Self {
        Self { event_id: tried.event.into(), delivery_id: tried.delivery.into() }
    }
}
