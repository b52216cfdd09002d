//! Webhooks: where events are POSTed, signed and again until they are taken (API document, Events; contract §11;
//! decisions 9 to 11).
//!
//! Rules only: who gets which event, when the next attempt is due, what URL and which header fields are fine.

mod headers;
mod url;

pub use headers::{HEADERS_MAX, header_problem};
pub use url::{Host, Target, UrlRules, parse_url};

use crate::{
    event::{Event, EventKind, Payload},
    id::{EventId, InboxId, WebhookDeliveryId, WebhookId, WorkspaceId},
    time::{DAY_MS, Time},
};

/// Attempts of one event at one webhook: the first and eight more (decision 9).
pub const ATTEMPTS_MAX: u32 = 9;
/// Each gap is so many times the one before it (decision 9).
const FACTOR: f64 = 1.778;
/// How far a gap may differ from its length, each way. Decision 9 allows 5 %; the rest is for the way.
const JITTER: f64 = 0.03;
/// A webhook whose every attempt failed for so long is disabled, in milliseconds (decision 9).
pub const FAILING_MS_MAX: i64 = 5 * DAY_MS;
/// How long the secret before a rotation still signs, in milliseconds (decision 10).
pub const ROTATION_MS: i64 = DAY_MS;
/// Bytes of an answer that are kept (decision 11).
pub const EXCERPT_BYTES_MAX: usize = 500;
/// Most webhooks of a workspace.
pub const WEBHOOKS_MAX: u64 = 200;
/// What generated secrets begin with.
pub const SECRET_PREFIX: &str = "whsec_";
/// A secret shorter than this shows nothing of itself in its hint.
const HINTED_CHARS_MIN: usize = 12;
/// Characters that a hint shows.
const HINT_CHARS: usize = 4;

/// A webhook as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Webhook {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: WebhookId,
    /// Where it goes, as its owner wrote it.
    pub url: String,
    /// The kinds of events it takes.
    pub kinds: Vec<EventKind>,
    /// The inboxes whose events it takes; none: every inbox.
    pub inboxes: Option<Vec<InboxId>>,
    /// Whether new events go to it.
    pub enabled: bool,
    /// How much of an event it gets.
    pub payload: Payload,
    /// The owner's header fields: a JSON object, sealed.
    pub headers: Vec<u8>,
    /// The secret, sealed.
    pub secret: Vec<u8>,
    /// The end of the secret, for telling secrets apart.
    pub secret_hint: String,
    /// The secret before the last rotation, sealed.
    pub old_secret: Option<Vec<u8>>,
    /// Until when that one signs too.
    pub old_secret_until: Option<Time>,
    /// The place in the log up to which its events are fanned out.
    pub cursor: i64,
    /// Since when every attempt has failed.
    pub failing_since: Option<Time>,
    /// When an attempt last succeeded.
    pub last_success_at: Option<Time>,
    /// When an attempt last failed.
    pub last_failure_at: Option<Time>,
    /// When it was made.
    pub created_at: Time,
}

impl Webhook {
    /// Whether the event goes to it. An event of no inbox concerns them all, whichever are chosen. What tries out one webhook
    /// goes to that one by another way.
    #[must_use]
    pub fn takes(&self, event: &Event) -> bool {
        let event = &event.event;
        let of_inbox = match (&self.inboxes, event.inbox) {
            (Some(wanted), Some(inbox)) => wanted.contains(&inbox),
            _ => true,
        };
        of_inbox && event.kind != EventKind::WebhookTest && self.kinds.contains(&event.kind)
    }

    /// Whether its every attempt has failed for so long that it is disabled.
    #[must_use]
    pub fn is_given_up(&self, now: Time) -> bool {
        self.failing_since.is_some_and(|since| now.since_ms(since) >= FAILING_MS_MAX)
    }
}

named! {
    /// How an attempt stands.
    DeliveryStatus {
        /// It has not ended.
        Pending = "pending",
        /// The receiver said 2xx.
        Succeeded = "succeeded",
        /// It did not.
        Failed = "failed",
    }
}

/// One attempt to hand one event to one webhook (decision 11).
#[derive(Clone, PartialEq, Debug)]
pub struct Delivery {
    /// Its id.
    pub id: WebhookDeliveryId,
    /// The webhook.
    pub webhook: WebhookId,
    /// The event.
    pub event: EventId,
    /// The event's kind.
    pub kind: EventKind,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// How it stands.
    pub status: DeliveryStatus,
    /// The receiver's status.
    pub response_status: Option<u16>,
    /// The beginning of its answer.
    pub response_excerpt: Option<String>,
    /// Why it failed, for people.
    pub error: Option<String>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// When it was made.
    pub created_at: Time,
    /// When the next attempt is due, after a failed one.
    pub next_attempt_at: Option<Time>,
}

/// The gap behind a failed attempt, in milliseconds: `start` × 1.778^k for the attempt k + 1; none behind the last.
/// `chance` from 0 to 1 spreads it by a few percent.
#[must_use]
pub fn gap_ms(start_ms: i64, attempt: u32, chance: f64) -> Option<i64> {
    let k = i32::try_from(attempt.checked_sub(1)?).ok()?;
    if attempt >= ATTEMPTS_MAX {
        return None;
    }
    let spread = 1.0 + JITTER * (2.0 * chance.clamp(0.0, 1.0) - 1.0);
    Some((start_ms as f64 * FACTOR.powi(k) * spread).round() as i64)
}

/// What is shown of a secret: its end, unless that would be too much of it.
#[must_use]
pub fn secret_hint(secret: &str) -> String {
    let count = secret.chars().count();
    let shown = if count >= HINTED_CHARS_MIN { HINT_CHARS } else { 0 };
    let end: String = secret.chars().skip(count - shown).collect();
    let prefix = if count >= HINTED_CHARS_MIN && secret.starts_with(SECRET_PREFIX) { SECRET_PREFIX } else { "" };
    format!("{prefix}…{end}")
}

/// The beginning of an answer as text: at most [`EXCERPT_BYTES_MAX`] bytes, what is no UTF-8 replaced.
#[must_use]
pub fn excerpt(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT_BYTES_MAX)]).replace('\0', "\u{fffd}");
    while text.len() > EXCERPT_BYTES_MAX {
        text.pop();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gaps_are_those_of_decision_9() {
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
    fn hints_and_excerpts_show_little() {
        assert_eq!(secret_hint("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "whsec_…LaSw");
        assert_eq!((secret_hint("topsecret").as_str(), secret_hint("twelve chars").as_str()), ("…", "…hars"));
        assert_eq!(excerpt(b"ok"), "ok");
        assert_eq!(excerpt(&[b'x'; 600]).len(), 500);
        assert!(excerpt("é".repeat(300).as_bytes()).len() <= 500);
        assert!(excerpt(&[0xff; 600]).len() <= 500);
        assert_eq!(excerpt(b"a\0b"), "a\u{fffd}b");
    }
}
