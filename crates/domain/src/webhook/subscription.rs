//! Event subscriptions of MCP clients: webhooks that belong to a credential and end at a time
//! (`docs/reference/mcp-events.md`).

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use super::{SECRET_PREFIX, Webhook};
use crate::{
    auth::Credential,
    event::{EventKind, EventPayload},
    id::{InboxId, WebhookId},
    time::{DAY_MS, MINUTE_MS, Time},
};

/// The maximum number of event subscriptions of a workspace.
pub const SUBSCRIPTIONS_MAX: u64 = 200;
/// The maximum size of the body of a delivery, in bytes (SEP-3415, "Delivery profile").
pub const OCCURRENCE_BYTES_MAX: usize = 256 * 1024;
/// How long a subscription lives if the client suggests nothing, in milliseconds.
pub const TTL_DEFAULT_MS: i64 = DAY_MS;
/// The shortest life of a subscription, in milliseconds.
pub const TTL_MS_MIN: i64 = MINUTE_MS;
/// The longest life of a subscription, in milliseconds. Far below the retention of the log, so that a live subscription never
/// has a gap.
pub const TTL_MS_MAX: i64 = 7 * DAY_MS;
/// How long the previous secret still signs after a rotation, in milliseconds.
pub const REPLACED_SECRET_VALID_MS: i64 = 5 * MINUTE_MS;
/// The fewest and most bytes of a secret (Standard Webhooks).
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// The prefix of the id that clients see.
const ID_PREFIX: &str = "sub_";

/// Who a subscription belongs to, and when it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventSubscription {
    /// The credential that subscribed. If it is revoked, the subscription ends.
    pub subscriber: Credential,
    /// When the subscription ends, unless the client renews it.
    pub expires_at: Time,
}

/// What determines a subscription: equal keys are one subscription (SEP-3415, "Subscription Identity").
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubscriptionKey {
    /// The credential that subscribes.
    pub subscriber: Credential,
    /// The URL, as the client sent it.
    pub url: String,
    /// The event type.
    pub kind: EventKind,
    pub arguments: SubscriptionArguments,
}

/// The arguments of a subscription; `None` if one wasn't sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SubscriptionArguments {
    /// Only events of this inbox.
    pub inbox: Option<InboxId>,
    /// How much of an event is included.
    pub payload: Option<EventPayload>,
}

impl SubscriptionKey {
    /// Returns the id of the subscription: the start of a SHA-256 over the parts, as a UUID (RFC 9562 §5.8).
    #[must_use]
    pub fn id(&self) -> WebhookId {
        let (kind, id) = match self.subscriber {
            Credential::Key(id) => ("key", *id.as_uuid()),
            Credential::Session(id) => ("session", *id.as_uuid()),
            Credential::Connector(id) => ("connector", *id.as_uuid()),
        };
        let inbox = self.arguments.inbox.map(|inbox| inbox.to_string()).unwrap_or_default();
        let payload = self.arguments.payload.map_or("", EventPayload::text);
        let mut digest = Sha256::new();
        for part in [kind, &id.to_string(), &self.url, self.kind.text(), &inbox, payload] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part.as_bytes());
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest.finalize()[..16]);
        WebhookId(Builder::from_custom_bytes(bytes).into_uuid())
    }
}

impl Webhook {
    /// Returns whether it is a subscription whose time has passed.
    #[must_use]
    pub fn is_expired(&self, now: Time) -> bool {
        self.subscription.is_some_and(|subscription| subscription.expires_at <= now)
    }
}

/// Returns the id of a subscription as clients see it.
#[must_use]
pub fn subscription_id(id: WebhookId) -> String {
    format!("{ID_PREFIX}{}", Uuid::from(id).simple())
}

/// Returns when a subscription ends: after the suggested life, within its bounds. A client that suggests no end gets the
/// longest life.
#[must_use]
pub fn expiry(now: Time, ttl: SuggestedTtl) -> Time {
    let ms = match ttl {
        SuggestedTtl::Default => TTL_DEFAULT_MS,
        SuggestedTtl::Endless => TTL_MS_MAX,
        SuggestedTtl::Ms(ms) => ms.clamp(TTL_MS_MIN, TTL_MS_MAX),
    };
    now.plus_ms(ms)
}

/// The life of a subscription that a client suggests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SuggestedTtl {
    /// The client leaves it to the server.
    #[default]
    Default,
    /// The client wants no end.
    Endless,
    /// Milliseconds.
    Ms(i64),
}

/// Checks a secret of a client, and returns it with its base64 in the standard form: `whsec_` and 24 to 64 bytes.
#[must_use]
pub fn checked_secret(text: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let lenient = GeneralPurpose::new(&alphabet::STANDARD, config);
    let bytes = lenient.decode(text.strip_prefix(SECRET_PREFIX)?).ok()?;
    SECRET_BYTES.contains(&bytes.len()).then(|| format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{KeyId, SessionId};

    fn key(url: &str, arguments: SubscriptionArguments) -> SubscriptionKey {
        let subscriber = Credential::Key(KeyId(Uuid::from_u128(1)));
        SubscriptionKey { subscriber, url: url.to_owned(), kind: EventKind::MessageReceived, arguments }
    }

    #[test]
    fn each_part_of_the_key_changes_the_id_and_nothing_else_does() {
        let base = key("https://example.com/a", SubscriptionArguments::default());
        assert_eq!(base.id(), base.clone().id());
        let inbox = Some(InboxId(Uuid::from_u128(7)));
        let others = [
            key("https://example.com/b", SubscriptionArguments::default()),
            key("https://example.com/a", SubscriptionArguments { inbox, payload: None }),
            key("https://example.com/a", SubscriptionArguments { inbox: None, payload: Some(EventPayload::Full) }),
            SubscriptionKey { kind: EventKind::MessageSent, ..base.clone() },
            SubscriptionKey { subscriber: Credential::Key(KeyId(Uuid::from_u128(2))), ..base.clone() },
            SubscriptionKey { subscriber: Credential::Session(SessionId(Uuid::from_u128(1))), ..base.clone() },
        ];
        for other in others {
            assert_ne!(other.id(), base.id(), "{other:?}");
        }
        let shown = subscription_id(base.id());
        assert!(shown.len() == 36 && shown.starts_with("sub_"), "{shown}");
    }

    #[test]
    fn secrets_have_24_to_64_bytes_of_base64() {
        let secret = |bytes: usize| format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
        for bytes in [24, 25, 32, 64] {
            assert_eq!(checked_secret(&secret(bytes)), Some(secret(bytes)), "{bytes}");
            assert_eq!(checked_secret(secret(bytes).trim_end_matches('=')), Some(secret(bytes)), "{bytes}");
        }
        for text in [&secret(23), &secret(65), "whsec_", "whsec_***", "plain", &STANDARD.encode([7; 32])] {
            assert_eq!(checked_secret(text), None, "{text}");
        }
    }

    #[test]
    fn the_life_of_a_subscription_is_bounded() {
        let now = Time::from_millis(0);
        for (ttl, ms) in [
            (SuggestedTtl::Default, TTL_DEFAULT_MS),
            (SuggestedTtl::Endless, TTL_MS_MAX),
            (SuggestedTtl::Ms(1), TTL_MS_MIN),
            (SuggestedTtl::Ms(3_600_000), 3_600_000),
            (SuggestedTtl::Ms(i64::MAX), TTL_MS_MAX),
        ] {
            assert_eq!(expiry(now, ttl).millis(), ms, "{ttl:?}");
        }
    }
}
