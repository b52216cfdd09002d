//! Domain types as request values.

use posthouse_domain::{
    escalation::ClockTime,
    inbox::Username,
    list::PATTERN_CHARS_MAX,
    metrics::{MetricsBound, MetricsBucket},
    search::QUERY_CHARS_MAX,
    secret::SecretText,
    time::Time,
    time_zone::NamedTimeZone,
};
use serde_json::{Value, json};

use super::{BodyValue, Problems, QueryValue, expected, kinds};

/// The longest URL of a webhook, in characters.
const WEBHOOK_URL_CHARS_MAX: usize = 2_048;

/// The time in examples of [`FutureTime`]. The document of a running service has a time that is still to come instead.
pub const FUTURE_EXAMPLE: &str = "2030-01-01T00:00:00.000Z";

/// A time that must be in the future.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FutureTime(pub Time);

impl BodyValue for FutureTime {
    fn schema() -> Value {
        let mut schema = <Time as BodyValue>::schema();
        schema["examples"] = json!([FUTURE_EXAMPLE]);
        schema
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        Time::decode(value, path, problems).map(Self)
    }
}

/// Defines one line of text whose form the domain checks where it is used, because it depends on other members. A
/// format in the schema names that form, which no pattern can describe.
macro_rules! lines {
    ($($(#[$about:meta])* $name:ident = $format:literal up to $max:expr;)*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $name(pub String);

        impl BodyValue for $name {
            fn schema() -> Value {
                json!({ "type": "string", "format": $format, "minLength": 1, "maxLength": $max })
            }
            fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
                kinds::string(value, path, problems, <Self as QueryValue>::read)
            }
        }

        impl QueryValue for $name {
            fn schema() -> Value {
                <Self as BodyValue>::schema()
            }
            fn read(text: &str) -> Result<Self, String> {
                kinds::check_line(text, 1, $max).map(|()| Self(text.to_owned()))
            }
        }
    )*};
}

lines! {
    /// A domain name (RFC 1035 §2.3.4).
    DomainName = "domain-name" up to 253;
    /// A search query ([`ParsedQuery`](posthouse_domain::search::ParsedQuery)).
    SearchText = "search-query" up to QUERY_CHARS_MAX;
    /// The URL of a webhook.
    WebhookUrl = "webhook-url" up to WEBHOOK_URL_CHARS_MAX;
    /// The pattern of a list entry ([`ListPattern`](posthouse_domain::list::ListPattern)).
    ListPatternText = "list-pattern" up to PATTERN_CHARS_MAX;
}

impl BodyValue for Username {
    fn schema() -> Value {
        json!({
            "type": "string", "minLength": 1, "maxLength": 64,
            "pattern": r"^[a-z0-9](?:(?:\.?[a-z0-9_-])*\.?[a-z0-9])?$",
            "not": { "enum": Username::RESERVED },
        })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.as_str() else { return expected("a string", value, path, problems) };
        Username::parse(text).map_err(|problem| problems.add::<()>(path, problem)).ok()
    }
}

impl QueryValue for MetricsBound {
    fn schema() -> Value {
        json!({ "type": "string", "format": "time-or-date" })
    }
    fn read(text: &str) -> Result<Self, String> {
        // An unencoded '+' of a UTC offset arrives as a space.
        MetricsBound::parse(&text.replace(' ', "+"))
    }
}

impl QueryValue for MetricsBucket {
    fn schema() -> Value {
        json!({ "type": "string", "enum": ["hour", "day"], "default": "day" })
    }
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "hour" => Ok(MetricsBucket::Hour),
            "day" => Ok(MetricsBucket::Day),
            _ => Err("must be `hour` or `day`".to_owned()),
        }
    }
}

impl QueryValue for SecretText {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }
}

/// A SHA-256 in hex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sha256Hex(pub [u8; 32]);

impl BodyValue for Sha256Hex {
    fn schema() -> Value {
        json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let parse = |text: &str| {
            let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
            let mut bytes = [0; 32];
            let pairs = text.as_bytes().chunks(2);
            let is_hex = text.len() == 64
                && bytes.iter_mut().zip(pairs).all(|(byte, pair)| {
                    let both = digit(pair[0]).zip(digit(pair[1]));
                    *byte = both.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()).unwrap_or_default();
                    both.is_some()
                });
            is_hex.then_some(Self(bytes)).ok_or_else(|| "must be 64 lower-case hex digits".to_owned())
        };
        kinds::string(value, path, problems, parse)
    }
}

impl BodyValue for ClockTime {
    fn schema() -> Value {
        json!({ "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$" })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        kinds::string(value, path, problems, ClockTime::parse)
    }
}

impl BodyValue for NamedTimeZone {
    fn schema() -> Value {
        json!({ "type": "string", "format": "iana-time-zone", "examples": ["Europe/Berlin"] })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        kinds::string(value, path, problems, NamedTimeZone::parse)
    }
}

impl QueryValue for NamedTimeZone {
    fn schema() -> Value {
        json!({ "type": "string", "format": "iana-time-zone", "default": "UTC", "examples": ["Europe/Berlin"] })
    }

    fn read(text: &str) -> Result<Self, String> {
        NamedTimeZone::parse(text)
    }
}
