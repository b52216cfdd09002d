//! One delivery attempt: check the URL, sign, POST, classify the response.

use std::sync::Arc;

use bytes::Bytes;
use posthouse_domain::webhook::{EXCERPT_BYTES_MAX, HIDDEN_VALUE, excerpt, kept_headers};
use posthouse_domain::{Time, Webhook, WebhookDelivery, WebhookDeliveryStatus, WebhookExchange};
use sha2::{Digest, Sha256};

use super::subscriptions::delivery;
use super::{LeasedAttempt, USER_AGENT, seal, sign, sign::SigningSecrets, url};
use crate::ports::{HttpHeader, HttpLimits, HttpMethod, HttpRequest, HttpResponse};
use crate::service::Service;

/// A finished attempt.
#[derive(Clone, Debug)]
pub struct FinishedAttempt {
    pub leased_attempt: LeasedAttempt,
    /// The result; the next attempt is not decided yet.
    pub delivery: WebhookDelivery,
    /// What was sent; `None` if nothing was.
    pub exchange: Option<WebhookExchange>,
    /// When the attempt began.
    pub began_at: Time,
    /// When the attempt ended.
    pub at: Time,
    /// A random number from 0 to 1, for the jitter before the next attempt.
    pub chance: f64,
}

/// Makes the attempt within the time limit. Without a body, the event is no longer in the log and the attempt fails.
pub async fn attempt(
    service: Arc<Service>,
    webhook: Arc<Webhook>,
    leased: LeasedAttempt,
    body: Option<Bytes>,
) -> FinishedAttempt {
    let began_at = service.clock.now();
    let mut exchange = None;
    let answered = match body {
        None => Err("the event is no longer in the log".to_owned()),
        Some(body) => post(&service, &webhook, &leased, body, &mut exchange).await,
    };
    let at = service.clock.now();
    let mut random = [0; 4];
    service.clock.random(&mut random);
    let chance = f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX);
    FinishedAttempt {
        delivery: delivery_record(&leased, answered, at.since_ms(began_at)),
        exchange,
        leased_attempt: leased,
        began_at,
        at,
        chance,
    }
}

/// Sends the request, and notes in `exchange` what was sent and which header fields came back.
async fn post(
    service: &Service,
    webhook: &Webhook,
    leased: &LeasedAttempt,
    body: Bytes,
    exchange: &mut Option<WebhookExchange>,
) -> Result<HttpResponse, String> {
    let url = url::target(service, &webhook.url)?;
    let opened = seal::open(service, webhook).map_err(|error| {
        tracing::error!(webhook_id = %webhook.id, cause = %error, "webhook.not_opened");
        "the webhook's secret cannot be read".to_owned()
    })?;
    let now = service.clock.now();
    let old =
        webhook.old_secret_until.is_some_and(|until| now < until).then_some(opened.old_secret.as_deref()).flatten();
    let secrets = SigningSecrets { current: &opened.secret, old };
    let (body, mut headers) = match webhook.subscription {
        Some(_) => {
            let body = delivery::body(service, webhook, leased, &body).await;
            let id = delivery::message_id(service, leased);
            let headers = delivery::header_fields(webhook.id, &id, secrets, now.seconds(), &body);
            (body, headers)
        }
        None => {
            let headers = header_fields(secrets, &leased.event.to_string(), now.seconds(), &body);
            (body, headers)
        }
    };
    let shown = headers.iter().map(|field| (field.name.clone(), field.value.clone()));
    let hidden = opened.headers.iter().map(|(name, _)| (name.clone(), HIDDEN_VALUE.to_owned()));
    let mut sent = WebhookExchange {
        url: webhook.url.clone(),
        request_headers: shown.chain(hidden).collect(),
        body_sha256: Sha256::digest(&body).into(),
        response_headers: Vec::new(),
    };
    headers.extend(opened.headers.into_iter().map(|(name, value)| HttpHeader { name, value }));
    let request = HttpRequest {
        method: HttpMethod::Post,
        url,
        headers,
        body,
        networks: url::networks(service),
        roots: None,
        // Receivers recognize a repeated event by `webhook-id`.
        repeatable: true,
        limits: HttpLimits { timeout_ms: service.config.webhooks.timeout_ms, response_bytes_max: EXCERPT_BYTES_MAX },
    };
    let answered = service.http_out.send(request).await.map_err(|error| error.to_string());
    if let Ok(answer) = &answered {
        sent.response_headers =
            kept_headers(answer.headers.iter().map(|field| (field.name.clone(), field.value.clone())));
    }
    *exchange = Some(sent);
    answered
}

/// Returns the header fields of a request to a webhook, without those of its owner.
fn header_fields(secrets: SigningSecrets<'_>, id: &str, seconds: i64, body: &[u8]) -> Vec<HttpHeader> {
    let mut headers =
        vec![HttpHeader::new("Content-Type", "application/json"), HttpHeader::new("User-Agent", USER_AGENT)];
    let signed = sign::fields(secrets, id, seconds, body);
    headers.extend(signed.into_iter().map(|(name, value)| HttpHeader::new(name, value)));
    headers
}

/// Returns the delivery record to store. Any status but 2xx is a failure; redirects are not followed.
fn delivery_record(
    leased: &LeasedAttempt,
    answered: Result<HttpResponse, String>,
    duration_ms: i64,
) -> WebhookDelivery {
    let (status, error) = match &answered {
        Ok(answer) if (200..300).contains(&answer.status) => (WebhookDeliveryStatus::Succeeded, None),
        Ok(answer) if (300..400).contains(&answer.status) => {
            (WebhookDeliveryStatus::Failed, Some(format!("answered {}; redirects are not followed", answer.status)))
        }
        Ok(answer) => (WebhookDeliveryStatus::Failed, Some(format!("answered {}", answer.status))),
        Err(why) => (WebhookDeliveryStatus::Failed, Some(why.clone())),
    };
    let answer = answered.ok();
    WebhookDelivery {
        id: leased.delivery,
        webhook: leased.webhook,
        event: leased.event,
        kind: leased.kind,
        attempt: leased.attempt,
        status,
        response_status: answer.as_ref().map(|answer| answer.status),
        response_excerpt: answer.map(|answer| excerpt(&answer.body)),
        error,
        duration_ms: Some(duration_ms),
        created_at: leased.created_at,
        next_attempt_at: None,
    }
}
