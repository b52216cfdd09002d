//! The webhook and webhook delivery objects. Only the response that creates a secret contains it.

use std::collections::BTreeMap;

use posthouse_domain::{
    event::EventPayload,
    webhook::{AttemptDetails, StartedAttempt, WebhookDelivery, WebhookDeliveryStatus, WebhookDetails},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

/// A webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookView {
    id: Uuid,
    /// URL that receives events as POST requests.
    url: String,
    /// Event types to deliver.
    events: Vec<&'static str>,
    /// Inboxes whose events are delivered; null for every inbox. Events without an inbox are always delivered.
    inbox_ids: Option<Vec<String>>,
    /// Whether new events are delivered. A webhook is disabled after 5 days in which every attempt failed.
    enabled: bool,
    /// Payload form: `full` or `envelope`.
    #[schemars(schema_with = "name_of::<EventPayload>")]
    payload: &'static str,
    /// Last characters of the secret, to tell secrets apart.
    secret_hint: String,
    /// Results of recent attempts.
    stats: StatsView,
    /// Header fields added to every request.
    headers: BTreeMap<String, String>,
    created_at: TimestampView,
}

/// A webhook with its secret, only in responses that create the secret.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookWithSecret")]
pub struct SecretWebhookView {
    #[serde(flatten)]
    webhook: WebhookView,
    /// Secret that signs requests. It is not returned again.
    secret: String,
}

/// The results of a webhook's recent attempts.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookStats")]
pub struct StatsView {
    /// Number of attempts that ended in the last 24 hours.
    deliveries_24h: u64,
    /// Number of attempts that failed in the last 24 hours.
    failed_24h: u64,
    /// Failed share of these attempts, from 0 to 1.
    error_rate_24h: f64,
    /// Time of the last successful attempt.
    last_success_at: Option<TimestampView>,
    /// Time of the last failed attempt.
    last_failure_at: Option<TimestampView>,
}

view! {
    /// One attempt to deliver an event to a webhook.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "WebhookDelivery")]
    pub struct WebhookDeliveryView of d: &WebhookDelivery {
        id: Uuid = d.id.into(),
        /// Delivered event.
        event_id: Uuid = d.event.into(),
        /// Type of the event.
        event_type: &'static str = d.kind.text(),
        /// Number of the attempt, from 1 to 9.
        attempt: u32 = d.attempt,
        /// `pending`, `succeeded` or `failed`.
        #[schemars(schema_with = "name_of::<WebhookDeliveryStatus>")]
        status: &'static str = d.status.text(),
        /// HTTP status of the response; null if there is no response.
        response_status: Option<u16> = d.response_status,
        /// First 500 bytes of the response body.
        response_excerpt: Option<String> = d.response_excerpt.clone(),
        /// Reason for the failure.
        error: Option<String> = d.error.clone(),
        /// Duration of the attempt in milliseconds.
        duration_ms: Option<i64> = d.duration_ms,
        created_at: TimestampView = d.created_at.into(),
        /// Time of the next attempt; null unless this attempt failed and is retried.
        next_attempt_at: Option<TimestampView> = d.next_attempt_at.map(Into::into),
    }
}

/// One attempt with its request and response.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookExchange")]
pub struct AttemptDetailsView<'a> {
    #[serde(flatten)]
    delivery: WebhookDeliveryView,
    /// Request of the attempt; null if nothing was sent.
    request: Option<SentRequestView<'a>>,
    /// Response; null if there was none.
    response: Option<ResponseView<'a>>,
}

/// The request of an attempt.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookRequest")]
pub struct SentRequestView<'a> {
    /// Always `POST`.
    method: &'static str,
    /// URL at the time of the attempt.
    url: &'a str,
    /// Header fields; `(hidden)` in place of the values that the owner of the webhook chose.
    headers: BTreeMap<&'a str, String>,
    /// Event as it is rendered now; null if it is no longer in the log.
    body: Option<String>,
    /// Whether `body` is byte for byte what was sent. Events are rendered when they are read, so a changed or deleted
    /// message changes them.
    body_as_sent: bool,
}

/// The response to an attempt.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookResponse")]
pub struct ResponseView<'a> {
    /// HTTP status.
    status: u16,
    /// First header fields, up to 4 KiB; values of repeated fields are joined by commas.
    headers: BTreeMap<&'a str, String>,
    /// First 500 bytes of the body.
    excerpt: &'a str,
}

/// A delivery started by a test or a redelivery.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookTry")]
pub struct StartedAttemptView {
    /// Event to deliver.
    event_id: Uuid,
    /// Started attempt, as in the list of deliveries.
    delivery_id: Uuid,
}

impl WebhookView {
    /// Returns the view of a webhook.
    #[must_use]
    pub fn of(details: &WebhookDetails) -> Self {
        let (w, counts) = (&details.webhook, details.counts);
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
            headers: details.headers.iter().cloned().collect(),
            created_at: w.created_at.into(),
        }
    }
}

impl SecretWebhookView {
    /// Returns the view of a webhook and its new secret.
    #[must_use]
    pub fn of(details: &WebhookDetails) -> Self {
        Self { webhook: WebhookView::of(details), secret: details.secret.clone().unwrap_or_default() }
    }
}

impl<'a> AttemptDetailsView<'a> {
    /// Returns the view of an attempt with its request and response.
    #[must_use]
    pub fn of(details: &'a AttemptDetails) -> Self {
        let (delivery, exchange) = (&details.delivery, details.exchange.as_ref());
        let response = exchange.zip(delivery.response_status).map(|(exchange, status)| ResponseView {
            status,
            headers: fields(&exchange.response_headers),
            excerpt: delivery.response_excerpt.as_deref().unwrap_or_default(),
        });
        let body = details.body.as_deref();
        let request = exchange.map(|exchange| SentRequestView {
            method: "POST",
            url: &exchange.url,
            headers: fields(&exchange.request_headers),
            body: body.map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            body_as_sent: details.body_as_sent,
        });
        Self { delivery: WebhookDeliveryView::of(delivery), request, response }
    }
}

fn fields(list: &[(String, String)]) -> BTreeMap<&str, String> {
    let mut map: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in list {
        map.entry(name).and_modify(|values| values.extend([", ", value])).or_insert_with(|| value.clone());
    }
    map
}

impl From<StartedAttempt> for StartedAttemptView {
    fn from(started: StartedAttempt) -> Self {
        Self { event_id: started.event.into(), delivery_id: started.delivery.into() }
    }
}
