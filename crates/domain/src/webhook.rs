//! Webhooks: event filters, retry times, and the rules for URLs and header fields.
//!
//! Pure: signing and delivery are done elsewhere.

mod headers;
pub mod subscription;
mod url;

pub use headers::{HEADERS_MAX, header_problem, reserved_pattern};
pub use subscription::EventSubscription;
pub use url::{WebhookHost, WebhookTarget, WebhookUrlRules, parse_url};

use crate::{
    event::{Event, EventKind, EventPayload},
    id::{EventId, InboxId, WebhookDeliveryId, WebhookId, WorkspaceId},
    time::{DAY_MS, Time},
};

/// The maximum number of delivery attempts of one event to one webhook: the first attempt and eight retries.
pub const ATTEMPTS_MAX: u32 = 9;
/// The factor between one retry interval and the next.
const FACTOR: f64 = 1.778;
/// The relative jitter of a retry interval, in each direction.
const JITTER: f64 = 0.03;
/// A webhook is disabled if all attempts failed for this long, in milliseconds.
pub const FAILING_MS_MAX: i64 = 5 * DAY_MS;
/// How long the previous secret still signs after a rotation, in milliseconds.
pub const OLD_SECRET_VALID_MS: i64 = DAY_MS;
/// The maximum number of bytes of a response body that are stored.
pub const EXCERPT_BYTES_MAX: usize = 500;
/// The maximum number of bytes of a response's header fields that are stored.
pub const RESPONSE_HEADER_BYTES_MAX: usize = 4_096;
/// What is stored in place of the value of a header field that the owner of the webhook chose.
pub const HIDDEN_VALUE: &str = "(hidden)";
/// The maximum number of webhooks of a workspace, without event subscriptions.
pub const WEBHOOKS_MAX: u64 = 200;
/// The maximum number of webhooks and event subscriptions of a workspace.
pub const RECEIVERS_MAX: u64 = WEBHOOKS_MAX + subscription::SUBSCRIPTIONS_MAX;
/// The prefix of generated secrets.
pub const SECRET_PREFIX: &str = "whsec_";
/// The hint of a shorter secret doesn't contain any of its characters.
const HINTED_CHARS_MIN: usize = 12;
/// The number of characters shown in a hint.
const HINT_CHARS: usize = 4;

/// A webhook as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Webhook {
    pub workspace: WorkspaceId,
    pub id: WebhookId,
    /// The URL, as its owner entered it.
    pub url: String,
    /// The kinds of events it subscribes to.
    pub kinds: Vec<EventKind>,
    /// The inboxes whose events it subscribes to; `None` means all.
    pub inboxes: Option<Vec<InboxId>>,
    /// Whether it receives new events.
    pub enabled: bool,
    /// How much of an event is included.
    pub payload: EventPayload,
    /// The owner's header fields: a sealed JSON object.
    pub headers: Vec<u8>,
    /// The sealed secret.
    pub secret: Vec<u8>,
    /// The last characters of the secret, to tell secrets apart.
    pub secret_hint: String,
    /// The sealed secret before the last rotation.
    pub old_secret: Option<Vec<u8>>,
    /// Until when `old_secret` also signs.
    pub old_secret_until: Option<Time>,
    /// The sequence number in the event log up to which its events were dispatched.
    pub cursor: i64,
    /// Since when all attempts have failed.
    pub failing_since: Option<Time>,
    /// When an attempt last succeeded.
    pub last_success_at: Option<Time>,
    /// When an attempt last failed.
    pub last_failure_at: Option<Time>,
    pub created_at: Time,
    /// Set if it is the subscription of an MCP client.
    pub subscription: Option<EventSubscription>,
}

impl Webhook {
    /// Returns whether the event is delivered to this webhook. Events without an inbox match every inbox filter of a webhook,
    /// and none of a subscription, which gets what its subscriber sees in the log. Test events don't match, because they are
    /// sent to a single webhook directly.
    #[must_use]
    pub fn accepts(&self, event: &Event) -> bool {
        let event = &event.event;
        let of_inbox = match (&self.inboxes, event.inbox) {
            (Some(wanted), Some(inbox)) => wanted.contains(&inbox),
            (Some(_), None) => self.subscription.is_none(),
            (None, _) => true,
        };
        of_inbox && event.kind != EventKind::WebhookTest && self.kinds.contains(&event.kind)
    }

    /// Returns whether all attempts have failed for so long that the webhook must be disabled.
    #[must_use]
    pub fn is_failing_too_long(&self, now: Time) -> bool {
        self.failing_since.is_some_and(|since| now.since_ms(since) >= FAILING_MS_MAX)
    }
}

named! {
    /// The status of a delivery attempt.
    WebhookDeliveryStatus {
        /// Not finished.
        Pending = "pending",
        /// The receiver returned a 2xx status.
        Succeeded = "succeeded",
        /// The receiver returned another status or didn't respond.
        Failed = "failed",
    }
}

/// One attempt to deliver one event to one webhook.
#[derive(Clone, PartialEq, Debug)]
pub struct WebhookDelivery {
    pub id: WebhookDeliveryId,
    pub webhook: WebhookId,
    pub event: EventId,
    pub kind: EventKind,
    /// The number of the attempt, starting at 1.
    pub attempt: u32,
    pub status: WebhookDeliveryStatus,
    /// The HTTP status of the response.
    pub response_status: Option<u16>,
    /// The first bytes of the response body.
    pub response_excerpt: Option<String>,
    /// Why it failed, as a readable sentence.
    pub error: Option<String>,
    /// The duration, in milliseconds.
    pub duration_ms: Option<i64>,
    pub created_at: Time,
    /// When the next attempt is due, if this one failed.
    pub next_attempt_at: Option<Time>,
}

/// What an attempt sent, and the header fields of the response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebhookExchange {
    /// The URL of the request.
    pub url: String,
    /// The header fields of the request, with [`HIDDEN_VALUE`] for those that the owner chose.
    pub request_headers: Vec<(String, String)>,
    /// SHA-256 of the body.
    pub body_sha256: [u8; 32],
    /// The first header fields of the response; empty if there was none.
    pub response_headers: Vec<(String, String)>,
}

/// An attempt with what it sent and received.
#[derive(Clone, PartialEq, Debug)]
pub struct AttemptDetails {
    /// The attempt.
    pub delivery: WebhookDelivery,
    /// What was sent; `None` if nothing was sent yet.
    pub exchange: Option<WebhookExchange>,
    /// The event as it is rendered now; `None` if it is no longer in the log.
    pub body: Option<Vec<u8>>,
    /// Whether that is byte for byte what was sent.
    pub body_as_sent: bool,
}

/// Returns the first header fields of a response, up to [`RESPONSE_HEADER_BYTES_MAX`] together, without characters that
/// can't be stored.
#[must_use]
pub fn kept_headers(fields: impl IntoIterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut bytes = 0;
    let fits = |(name, value): &(String, String)| {
        bytes += name.len() + value.len();
        bytes <= RESPONSE_HEADER_BYTES_MAX
    };
    fields.into_iter().take_while(fits).map(|(name, value)| (name, value.replace('\0', "\u{fffd}"))).collect()
}

/// Returns the interval after a failed attempt, in milliseconds: `start_ms` × 1.778^(attempt − 1), or `None` after the
/// last attempt. `chance`, from 0 to 1, adds a jitter of a few percent.
#[must_use]
pub fn gap_ms(start_ms: i64, attempt: u32, chance: f64) -> Option<i64> {
    let k = i32::try_from(attempt.checked_sub(1)?).ok()?;
    if attempt >= ATTEMPTS_MAX {
        return None;
    }
    let spread = 1.0 + JITTER * (2.0 * chance.clamp(0.0, 1.0) - 1.0);
    Some((start_ms as f64 * FACTOR.powi(k) * spread).round() as i64)
}

/// Returns the displayed form of a secret: its last characters, unless it is too short to show any.
#[must_use]
pub fn secret_hint(secret: &str) -> String {
    let count = secret.chars().count();
    let shown = if count >= HINTED_CHARS_MIN { HINT_CHARS } else { 0 };
    let end: String = secret.chars().skip(count - shown).collect();
    let prefix = if count >= HINTED_CHARS_MIN && secret.starts_with(SECRET_PREFIX) { SECRET_PREFIX } else { "" };
    format!("{prefix}…{end}")
}

/// Returns the first [`EXCERPT_BYTES_MAX`] bytes of a response as text, with invalid UTF-8 replaced.
#[must_use]
pub fn excerpt(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT_BYTES_MAX)]).replace('\0', "\u{fffd}");
    while text.len() > EXCERPT_BYTES_MAX {
        text.pop();
    }
    text
}

/// The number of attempts that ended in the last 24 hours, with ten-minute resolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AttemptCounts {
    /// All attempts.
    pub deliveries: u64,
    /// Failed attempts.
    pub failed: u64,
}

/// A webhook with the details that the API shows.
#[derive(Clone)]
pub struct WebhookDetails {
    pub webhook: Webhook,
    /// The owner's header fields.
    pub headers: Vec<(String, String)>,
    /// The secret; present only in the response that creates it.
    pub secret: Option<String>,
    /// The results of its recent attempts.
    pub counts: AttemptCounts,
}

/// The attempt that a test or a redelivery started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartedAttempt {
    pub event: EventId,
    /// The attempt.
    pub delivery: WebhookDeliveryId,
}

/// An attempt that needs action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingAttempt {
    pub id: WebhookDeliveryId,
    pub event: EventId,
    /// The event type.
    pub kind: EventKind,
    /// The number of the attempt, starting at 1.
    pub attempt: u32,
    /// Pending: make this attempt. Failed: create the next attempt.
    pub status: WebhookDeliveryStatus,
    /// When the action is due.
    pub run_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_intervals_grow_to_24_hours_in_total() {
        let hours = |ms: i64| ms as f64 / 3_600_000.0;
        let gaps: Vec<i64> = (1..ATTEMPTS_MAX).filter_map(|attempt| gap_ms(680_000, attempt, 0.5)).collect();
        assert_eq!(gaps.len(), 8);
        assert_eq!(gaps[..3], [680_000, 1_209_040, 2_149_673]);
        assert!((hours(gaps.iter().sum()) - 24.0).abs() < 0.1, "{gaps:?}");
        for (attempt, exact) in (1..ATTEMPTS_MAX).zip(&gaps) {
            for chance in [0.0, 0.25, 1.0] {
                let gap = gap_ms(680_000, attempt, chance).unwrap_or(0);
                assert!((gap - exact).abs() as f64 <= *exact as f64 * 0.05, "{attempt} {chance} {gap}");
            }
        }
        assert_eq!((gap_ms(680_000, 0, 0.5), gap_ms(680_000, ATTEMPTS_MAX, 0.5)), (None, None));
    }

    #[test]
    fn hints_and_excerpts_are_short() {
        assert_eq!(secret_hint("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "whsec_…LaSw");
        assert_eq!((secret_hint("topsecret").as_str(), secret_hint("twelve chars").as_str()), ("…", "…hars"));
        assert_eq!(excerpt(b"ok"), "ok");
        assert_eq!(excerpt(&[b'x'; 600]).len(), 500);
        assert!(excerpt("é".repeat(300).as_bytes()).len() <= 500);
        assert!(excerpt(&[0xff; 600]).len() <= 500);
        assert_eq!(excerpt(b"a\0b"), "a\u{fffd}b");
    }
}
