//! The types of configuration values. Each describes the values that it accepts, and parses them.

mod list;
mod units;

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_app::settings::{Relay, SecretText, SourceAddress, network::Network};
use posthouse_domain::plan::Limit;
use posthouse_mail::address::Address;
use posthouse_store::DatabaseUrl;
use toml::Value;

pub(super) use self::list::{List, list_of};
use self::units::{duration_ms, size_bytes};
use super::{urls, value::ConfigValue};

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

    /// The origin of web pages (RFC 6454).
    WebOrigin -> String {
        "the origin of a page: `https://` or `http://`, a host and, if needed, a port",
        |value| {
            let url = value.text().and_then(|text| urls::http(&text)).ok_or(INVALID)?;
            let is_origin = url.splitn(4, '/').nth(3).is_none();
            if is_origin { Ok(url) } else { Err(INVALID) }
        }
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
