//! Verifies that a receiver wants the deliveries of a subscription: it must return the challenge of a signed request.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use posthouse_domain::{ErrorCode, Refusal, WebhookDelivery, WebhookId};
use serde_json::{Value, json};

use super::delivery::{Envelope, header_fields};
use crate::ports::{HttpLimits, HttpMethod, HttpRequest, HttpResponse, OutboundHttpError};
use crate::service::Service;
use crate::webhooks::{sign::SigningSecrets, url};

/// Random bytes of a challenge.
const CHALLENGE_BYTES: usize = 24;
/// Longest response to a challenge, in bytes.
const RESPONSE_BYTES_MAX: usize = 4 * 1024;

/// Why a receiver didn't confirm its URL, or failed. Its name says no more, so that a client learns nothing about networks
/// that only the server reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallbackProblem {
    /// No connection.
    ConnectionRefused,
    /// No complete response in time.
    Timeout,
    /// The TLS handshake failed.
    Tls,
    /// A 4xx status.
    ClientError,
    /// A 5xx status.
    ServerError,
    /// A response without the challenge.
    ChallengeFailed,
}

impl CallbackProblem {
    /// Returns the name on the wire (SEP-3415, "Webhook Delivery Status").
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::ConnectionRefused => "connection_refused",
            Self::Timeout => "timeout",
            Self::Tls => "tls_error",
            Self::ClientError => "http_4xx",
            Self::ServerError => "http_5xx",
            Self::ChallengeFailed => "challenge_failed",
        }
    }

    /// Describes the problem and the next step.
    #[must_use]
    pub const fn fix(self) -> &'static str {
        match self {
            Self::ConnectionRefused => {
                "Check that `delivery.url` can be reached from the internet, then subscribe again."
            }
            Self::Timeout => "Answer the verification request within the time limit, then subscribe again.",
            Self::Tls => "Use a certificate that is valid for the host of `delivery.url`, then subscribe again.",
            Self::ClientError | Self::ServerError | Self::ChallengeFailed => {
                "Answer a signed `{\"type\": \"verification\", \"challenge\": …}` with 200 and \
                 `{\"challenge\": …}`, then subscribe again."
            }
        }
    }

    /// Returns the problem of a failed attempt.
    #[must_use]
    pub fn of_attempt(delivery: &WebhookDelivery) -> Self {
        match (delivery.response_status, delivery.error.as_deref()) {
            (Some(400..=499), _) => Self::ClientError,
            (Some(_), _) => Self::ServerError,
            (None, Some(error)) if error.starts_with("TLS:") => Self::Tls,
            (None, Some(error)) if error.starts_with("no complete response") => Self::Timeout,
            (None, _) => Self::ConnectionRefused,
        }
    }
}

impl From<OutboundHttpError> for CallbackProblem {
    fn from(error: OutboundHttpError) -> Self {
        match error {
            OutboundHttpError::TimedOut { .. } => Self::Timeout,
            OutboundHttpError::Tls(_) => Self::Tls,
            _ => Self::ConnectionRefused,
        }
    }
}

/// The receiver of a subscription.
#[derive(Clone, Copy)]
pub(super) struct Receiver<'a> {
    /// The subscription.
    pub(super) id: WebhookId,
    /// The URL, as it is requested.
    pub(super) url: &'a str,
    /// The secret that signs.
    pub(super) secret: &'a str,
}

/// Asks a receiver to confirm its URL.
///
/// # Errors
/// Returns why it didn't.
pub(super) async fn verify(service: &Service, receiver: Receiver<'_>) -> Result<(), CallbackProblem> {
    let mut random = [0; CHALLENGE_BYTES];
    service.clock.random(&mut random);
    let challenge = URL_SAFE_NO_PAD.encode(random);
    let body = json!({ "type": "verification", "challenge": challenge }).to_string();
    let answer = post(service, receiver, Envelope::new(service, "verification"), body.into()).await?;
    match answer.status {
        200..=299 if echoes(&answer, &challenge) => Ok(()),
        400..=499 => Err(CallbackProblem::ClientError),
        500..=599 => Err(CallbackProblem::ServerError),
        _ => Err(CallbackProblem::ChallengeFailed),
    }
}

/// Sends an envelope that is no event.
pub(super) async fn post(
    service: &Service,
    receiver: Receiver<'_>,
    envelope: Envelope,
    body: Bytes,
) -> Result<HttpResponse, OutboundHttpError> {
    let secrets = SigningSecrets { current: receiver.secret, old: None };
    let seconds = service.clock.now().seconds();
    let request = HttpRequest {
        method: HttpMethod::Post,
        url: receiver.url.to_owned(),
        headers: header_fields(receiver.id, &envelope.message_id, secrets, seconds, &body),
        body,
        networks: url::networks(service),
        roots: None,
        // Receivers recognize a repeated message by `webhook-id`.
        repeatable: true,
        limits: HttpLimits { timeout_ms: service.config.webhooks.timeout_ms, response_bytes_max: RESPONSE_BYTES_MAX },
    };
    service.http_out.send(request).await
}

fn echoes(answer: &HttpResponse, challenge: &str) -> bool {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let echoed = body.get("challenge").and_then(Value::as_str).unwrap_or_default();
    verify_slices_are_equal(echoed.as_bytes(), challenge.as_bytes()).is_ok()
}

/// Returns the refusal of a URL that can't be posted to.
pub(super) fn unusable_url(problem: &str) -> Refusal {
    Refusal::new(ErrorCode::InvalidWebhookUrl, format!("The URL can't be used: {problem}."))
}
