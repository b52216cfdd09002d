//! The types of configuration values. Each describes the values that it accepts, and parses them.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_app::settings::{Relay, SecretText, SourceAddress, network::Network};
use posthouse_domain::{
    plan::Limit,
    time::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS},
};
use posthouse_mail::address::Address;
use posthouse_store::DatabaseUrl;
use toml::Value;

use super::{
    urls,
    value::{ConfigValue, without_password},
};

/// Longest duration that can be configured: one year, in milliseconds.
const DURATION_MS_MAX: i64 = 365 * DAY_MS;
/// Maximum number of items in a list.
const ITEMS_MAX: usize = 1_000;
/// Lengths of an instance key in bytes: a new key, and a key after a rotation.
const INSTANCE_KEY_BYTES: [usize; 2] = [32, 128];

/// What makes a value invalid, in addition to what its type expects. `None` if there is nothing to add.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct InvalidValue(pub(super) Option<String>);

const INVALID: InvalidValue = InvalidValue(None);

impl InvalidValue {
    fn because(detail: impl Into<String>) -> Self {
        Self(Some(detail.into()))
    }
}

/// A type of values.
pub(super) trait ValueType {
    /// The parsed value.
    type Output;

    /// Describes the allowed values, completing "must be …".
    fn expected(&self) -> String;

    /// Parses a value.
    ///
    /// # Errors
    /// Returns what is wrong, if [`ValueType::expected`] alone doesn't explain it.
    fn parse(&self, value: &ConfigValue) -> Result<Self::Output, InvalidValue>;
}

/// Defines types of values without parameters.
macro_rules! value_types {
    ($($(#[$doc:meta])* $name:ident -> $output:ty { $expected:expr, |$value:ident| $parse:expr })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name;

        impl ValueType for $name {
            type Output = $output;

            fn expected(&self) -> String {
                $expected.to_owned()
            }

            fn parse(&self, $value: &ConfigValue) -> Result<$output, InvalidValue> {
                $parse
            }
        }
    )* };
}

value_types! {
    /// Any text that is not empty.
    Text -> String { "text that is not empty", |value| value.text().ok_or(INVALID) }

    /// Secret text.
    Secret -> SecretText { "text that is not empty", |value| value.text().map(SecretText).ok_or(INVALID) }

    /// A path.
    FilePath -> PathBuf { "a path", |value| value.text().map(PathBuf::from).ok_or(INVALID) }

    /// `true` or `false`.
    Flag -> bool { "`true` or `false`", |value| value.flag().ok_or(INVALID) }

    /// A port.
    Port -> u16 {
        "a whole number from 1 to 65535",
        |value| value.whole().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0).ok_or(INVALID)
    }

    /// A number or `unlimited`.
    Quota -> Limit {
        "a whole number from 0, or `\"unlimited\"`",
        |value| match value.text().as_deref() {
            Some("unlimited") => Ok(None),
            _ => value.whole().and_then(|number| u64::try_from(number).ok()).map(Some).ok_or(INVALID),
        }
    }

    /// A size in bytes, or `unlimited`.
    SizeQuota -> Limit {
        "a size in bytes, as a number or as text such as `\"10GiB\"`, or `\"unlimited\"`",
        |value| match value.toml() {
            Value::Integer(bytes) => u64::try_from(*bytes).map(Some).map_err(|_| INVALID),
            Value::String(text) if text == "unlimited" => Ok(None),
            Value::String(text) => size_bytes(text).map(Some).ok_or(INVALID),
            _ => Err(INVALID),
        }
    }

    /// A duration, in milliseconds.
    DurationMs -> i64 {
        "a duration from `1ms` to `365d`, in `ms`, `s`, `m`, `h` or `d`",
        |value| value.text().and_then(|text| duration_ms(&text)).ok_or(INVALID)
    }

    /// The URL of an HTTP server, without a trailing slash.
    HttpUrl -> String {
        "an http or https URL without a query",
        |value| value.text().and_then(|text| urls::http(&text)).ok_or(INVALID)
    }

    /// The URL of a blob store.
    BlobUrl -> String {
        "`s3://bucket/prefix` without credentials, or `file:///path`",
        |value| value.text().filter(|text| urls::is_blob_store(text)).ok_or(INVALID)
    }

    /// The URL of a relay.
    RelayUrl -> Relay {
        "`smtp://user:password@host:port`, or `smtps://` for implicit TLS",
        |value| value.text().and_then(|text| urls::relay(&text)).ok_or(INVALID)
    }

    /// The URL of a database.
    DatabaseLocation -> String {
        "`sqlite:PATH` or `postgres://user:password@host/name`",
        |value| {
            let text = value.text().ok_or(INVALID)?;
            let parsed = text.parse::<DatabaseUrl>().map_err(|error| {
                let detail = error.to_string();
                let detail = detail.trim_start_matches("database_url").trim_start_matches(": ").trim().to_owned();
                InvalidValue::because(detail)
            });
            parsed.map(|_| text)
        }
    }

    /// The URL of an ACME directory, or the name of a known one.
    AcmeDirectory -> String {
        "`letsencrypt`, `letsencrypt-staging` or an https URL",
        |value| value.text().and_then(|text| urls::acme_directory(&text)).ok_or(INVALID)
    }

    /// An instance key in base64.
    InstanceKeyText -> SecretText {
        "32 bytes in base64, from `openssl rand -base64 32`, or the output of `posthouse secret rotate`",
        |value| {
            let text = value.text().ok_or(INVALID)?;
            let bytes = STANDARD.decode(&text).map_or(0, |bytes| bytes.len());
            if INSTANCE_KEY_BYTES.contains(&bytes) { Ok(SecretText(text)) } else { Err(INVALID) }
        }
    }

    /// An email address in its canonical form.
    CanonicalAddress -> String { "an email address", |value| address(value).map(|address| address.canonical()) }

    /// An email address as it was written.
    ContactAddress -> String {
        "an email address",
        |value| address(value).and_then(|_| value.text().ok_or(INVALID))
    }

    /// A domain name, in A-labels.
    Domain -> String {
        "a domain name",
        |value| {
            let text = value.text().ok_or(INVALID)?;
            let parsed = Address::parse(&format!("postmaster@{text}"));
            parsed.map(|address| address.domain().to_owned()).map_err(|error| InvalidValue::because(error.to_string()))
        }
    }

    /// A domain or an email address, in its canonical form.
    DomainOrAddress -> String {
        "a domain name or an email address",
        |value| {
            let has_local_part = value.text().is_some_and(|text| text.contains('@'));
            if has_local_part { CanonicalAddress.parse(value) } else { Domain.parse(value) }
        }
    }

    /// A host name, in A-labels. Internal names may have an underscore.
    HostName -> String {
        "a host name without a port (IP addresses are always allowed)",
        |value| {
            let text = value.text().ok_or(INVALID)?;
            let name = text.strip_suffix('.').unwrap_or(&text);
            let parsed = Address::parse_smtp(&format!("postmaster@{name}"));
            parsed.map(|address| address.domain().to_owned()).map_err(|_| INVALID)
        }
    }

    /// A listener address.
    SocketAddress -> SocketAddr {
        "an IP address and a port",
        |value| value.text().and_then(|text| text.parse().ok()).ok_or(INVALID)
    }

    /// A nameserver.
    Nameserver -> SocketAddr {
        "an IP address, with a port unless it is 53",
        |value| {
            let text = value.text().ok_or(INVALID)?;
            let bare = text.parse::<IpAddr>().map(|address| SocketAddr::from((address, 53)));
            bare.or_else(|_| text.parse::<SocketAddr>()).map_err(|_| INVALID)
        }
    }

    /// A source address, optionally with its EHLO name.
    LocalAddress -> SourceAddress {
        "an IP address, optionally followed by its EHLO name",
        |value| {
            let text = value.text().ok_or(INVALID)?;
            let mut words = text.split_whitespace();
            let address: IpAddr = words.next().and_then(|word| word.parse().ok()).ok_or(INVALID)?;
            let helo = words.next().map(|name| Domain.parse(&ConfigValue::from_text(name))).transpose()?;
            let is_usable = !(address.is_unspecified() || address.is_multicast()) && words.next().is_none();
            if is_usable { Ok(SourceAddress { address, helo }) } else { Err(INVALID) }
        }
    }

    /// An IP network.
    IpNetwork -> Network {
        "an IP network or address",
        |value| value.text().and_then(|text| text.parse().ok()).ok_or(INVALID)
    }
}

fn address(value: &ConfigValue) -> Result<Address, InvalidValue> {
    let text = value.text().ok_or(INVALID)?;
    Address::parse(&text).map_err(|error| InvalidValue::because(error.to_string()))
}

/// A count in a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub(super) min: usize,
    pub(super) max: usize,
}

impl ValueType for Count {
    type Output = usize;

    fn expected(&self) -> String {
        format!("a whole number from {} to {}", self.min, self.max)
    }

    fn parse(&self, value: &ConfigValue) -> Result<usize, InvalidValue> {
        let count = value.whole().and_then(|number| usize::try_from(number).ok());
        count.filter(|count| (self.min..=self.max).contains(count)).ok_or(INVALID)
    }
}

/// A size in a range of bytes: a number of bytes, or text such as `25MiB`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) bytes_min: u64,
    pub(super) bytes_max: u64,
}

impl ValueType for Size {
    type Output = u64;

    fn expected(&self) -> String {
        format!(
            "a size from {} to {} bytes, as a number or as text such as `\"25MiB\"`",
            self.bytes_min, self.bytes_max
        )
    }

    fn parse(&self, value: &ConfigValue) -> Result<u64, InvalidValue> {
        let bytes = match value.toml() {
            Value::Integer(bytes) => u64::try_from(*bytes).ok(),
            Value::String(text) => size_bytes(text),
            _ => None,
        };
        bytes.filter(|bytes| (self.bytes_min..=self.bytes_max).contains(bytes)).ok_or(INVALID)
    }
}

/// One of several names, each with its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneOf<T: 'static>(pub(super) &'static [(&'static str, T)]);

impl<T: Copy> ValueType for OneOf<T> {
    type Output = T;

    fn expected(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| *name).collect();
        format!("one of {}", names.join(", "))
    }

    fn parse(&self, value: &ConfigValue) -> Result<T, InvalidValue> {
        let text = value.text().ok_or(INVALID)?;
        self.0.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or(INVALID)
    }
}

/// A list of texts. In the environment it is a TOML array, or values separated by commas.
#[derive(Clone, Copy, Debug)]
pub(super) struct List<K> {
    pub(super) of: K,
    pub(super) items_min: usize,
}

/// A list that may be empty.
pub(super) const fn list_of<K>(of: K) -> List<K> {
    List { of, items_min: 0 }
}

impl<K: ValueType> ValueType for List<K> {
    type Output = Vec<K::Output>;

    fn expected(&self) -> String {
        let size = if self.items_min > 0 { " that is not empty" } else { "" };
        format!("a list{size}, each item {}", self.of.expected())
    }

    fn parse(&self, value: &ConfigValue) -> Result<Vec<K::Output>, InvalidValue> {
        let items = value.items().ok_or(INVALID)?;
        if items.len() > ITEMS_MAX {
            return Err(InvalidValue::because(format!("with at most {ITEMS_MAX} items")));
        }
        if items.len() < self.items_min {
            return Err(INVALID);
        }
        let parse = |item: &Value| {
            self.of.parse(&ConfigValue::from_item(item.clone())).map_err(|InvalidValue(detail)| {
                let shown = item.as_str().map_or_else(|| item.to_string(), without_password);
                let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
                InvalidValue::because(format!("not '{shown}'{detail}"))
            })
        };
        items.iter().map(parse).collect()
    }
}

/// Splits text into a number and its unit.
fn scaled(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit.trim_start()))
}

fn duration_ms(text: &str) -> Option<i64> {
    let (number, unit) = scaled(text)?;
    let unit_ms = match unit {
        "ms" => 1,
        "s" => SECOND_MS,
        "m" => MINUTE_MS,
        "h" => HOUR_MS,
        "d" => DAY_MS,
        _ => return None,
    };
    i64::try_from(number).ok()?.checked_mul(unit_ms).filter(|ms| (1..=DURATION_MS_MAX).contains(ms))
}

fn size_bytes(text: &str) -> Option<u64> {
    let (number, unit) = scaled(text)?;
    let unit_bytes = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes() {
        let table = [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("15m", Some(900_000)),
            ("24h", Some(86_400_000)),
            ("5d", Some(432_000_000)),
            ("0s", None),
            ("10", None),
            ("s", None),
            ("-1s", None),
            ("366d", None),
            ("9999999999999999999d", None),
        ];
        for (text, expected) in table {
            assert_eq!(duration_ms(text), expected, "{text}");
        }
        let table = [
            ("26214400", Some(26_214_400)),
            ("25MiB", Some(26_214_400)),
            ("25 MB", Some(25_000_000)),
            ("25mb", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(size_bytes(text), expected, "{text}");
        }
    }

    #[test]
    fn lists_of_the_environment() {
        let sockets = list_of(SocketAddress);
        for text in ["[\"127.0.0.1:1\", \"[::1]:2\"]", "127.0.0.1:1,[::1]:2", " 127.0.0.1:1 , [::1]:2 ,"] {
            let count = sockets.parse(&ConfigValue::from_text(text)).map(|sockets| sockets.len());
            assert_eq!(count, Ok(2), "{text}");
        }
        assert_eq!(sockets.parse(&ConfigValue::from_text("")), Ok(Vec::new()));
        assert!(sockets.parse(&ConfigValue::from_item(Value::String("127.0.0.1:1".into()))).is_err());
    }
}
