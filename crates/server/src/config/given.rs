//! One value as it was given, and the readers for what a key can hold. Each says what is allowed when it refuses.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_domain::{
    plan::Limit,
    time::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS},
};
use posthouse_mail::address::Address;
use toml::Value;

use super::{Network, Source};

/// Longest duration that can be configured, in milliseconds: one year.
const DURATION_MS_MAX: i64 = 365 * DAY_MS;
/// Most items of a list.
const ITEMS_MAX: usize = 1_000;
/// Bytes of an instance key: of one made by hand, and of one that took the place of another.
const INSTANCE_KEY_BYTES: [usize; 2] = [32, 128];

/// A value from the file, or text from the environment.
#[derive(Clone, Debug)]
pub(super) struct Given {
    value: Value,
    /// Text that may stand for a number, a flag or a list.
    loose: bool,
}

impl Given {
    /// A value of the file.
    pub(super) fn typed(value: Value) -> Self {
        Self { value, loose: false }
    }

    /// Text of the environment or of a secret's file.
    pub(super) fn text_of(text: &str) -> Self {
        Self { value: Value::String(text.to_owned()), loose: true }
    }

    /// As an error shows it, without the passwords of URLs.
    pub(super) fn shown(&self) -> String {
        without_passwords(&self.value).to_string()
    }

    /// Text that is not empty.
    pub(super) fn text(&self) -> Result<String, String> {
        match &self.value {
            Value::String(text) if text.trim().is_empty() => Err("must not be empty".to_owned()),
            Value::String(text) => Ok(text.trim().to_owned()),
            _ => Err("must be text".to_owned()),
        }
    }

    /// A key for stored secrets, in base64.
    pub(super) fn instance_key(&self) -> Result<String, String> {
        let text = self.text()?;
        let bytes = STANDARD.decode(&text).map_or(0, |bytes| bytes.len());
        if INSTANCE_KEY_BYTES.contains(&bytes) {
            return Ok(text);
        }
        let how = "as `openssl rand -base64 32` makes them, or what `posthouse secret rotate` wrote";
        Err(format!("must be 32 bytes in base64, {how}"))
    }

    /// One of a few names.
    pub(super) fn one_of<T: Copy>(&self, table: &[(&str, T)]) -> Result<T, String> {
        let text = self.value.as_str().unwrap_or_default().trim();
        table.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
            format!("must be one of {}", names.join(", "))
        })
    }

    /// `true` or `false`.
    pub(super) fn flag(&self) -> Result<bool, String> {
        match &self.value {
            Value::Boolean(flag) => Ok(*flag),
            Value::String(text) if self.loose => text.trim().parse().map_err(|_| "must be true or false".to_owned()),
            _ => Err("must be true or false".to_owned()),
        }
    }

    /// A whole number in the range.
    pub(super) fn whole(&self, low: i64, high: i64) -> Result<i64, String> {
        let number = match &self.value {
            Value::Integer(number) => Some(*number),
            Value::String(text) if self.loose => text.trim().parse().ok(),
            _ => None,
        };
        number
            .filter(|number| (low..=high).contains(number))
            .ok_or_else(|| format!("must be a whole number from {low} to {high}"))
    }

    /// A count of things, at least one.
    pub(super) fn count(&self) -> Result<usize, String> {
        self.whole(1, 1_000_000).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// A port.
    pub(super) fn port(&self) -> Result<u16, String> {
        self.whole(1, 65_535).map(|port| u16::try_from(port).unwrap_or(u16::MAX))
    }

    /// A number, or `unlimited`.
    pub(super) fn limit(&self) -> Result<Limit, String> {
        if self.value.as_str().map(str::trim) == Some("unlimited") {
            return Ok(None);
        }
        let number = self.whole(0, i64::MAX).map_err(|_| "must be a whole number or \"unlimited\"".to_owned())?;
        Ok(u64::try_from(number).ok())
    }

    /// Milliseconds, written `500ms`, `10s`, `15m`, `24h` or `5d`; above zero.
    pub(super) fn duration_ms(&self) -> Result<i64, String> {
        self.value.as_str().and_then(duration_ms).ok_or_else(|| {
            "must be a duration above zero and up to 365d, such as \"500ms\", \"10s\", \"15m\", \"24h\" or \"5d\""
                .to_owned()
        })
    }

    /// Several durations.
    pub(super) fn durations_ms(&self) -> Result<Vec<i64>, String> {
        let wrong = || "must be a list of durations, such as [\"1m\", \"15m\", \"4h\"]".to_owned();
        let durations: Vec<i64> =
            self.texts()?.iter().map(|text| duration_ms(text).ok_or_else(wrong)).collect::<Result<_, _>>()?;
        if durations.is_empty() { Err(wrong()) } else { Ok(durations) }
    }

    /// Bytes in the range: a number, or text such as `25MiB`.
    pub(super) fn bytes(&self, low: u64, high: u64) -> Result<u64, String> {
        let bytes = match &self.value {
            Value::Integer(bytes) => u64::try_from(*bytes).ok(),
            Value::String(text) => size_bytes(text),
            _ => None,
        };
        bytes
            .filter(|bytes| (low..=high).contains(bytes))
            .ok_or_else(|| format!("must be a size from {low} to {high} bytes, a number or text such as \"25MiB\""))
    }

    /// A path.
    pub(super) fn path(&self) -> Result<PathBuf, String> {
        self.text().map(PathBuf::from)
    }

    /// The address of a person, as look-ups compare it.
    pub(super) fn mailbox(&self) -> Result<String, String> {
        let text = self.text()?;
        Address::parse(&text)
            .map(|address| address.canonical())
            .map_err(|error| format!("must be an address ({error})"))
    }

    /// A domain name in the form that DNS knows.
    pub(super) fn domain(&self) -> Result<String, String> {
        let text = self.text()?;
        Address::parse(&format!("postmaster@{text}"))
            .map(|address| address.domain().to_owned())
            .map_err(|error| format!("must be a domain name ({error})"))
    }

    /// Domain names in the form that DNS knows.
    pub(super) fn domains(&self) -> Result<Vec<String>, String> {
        let each = |text: String| {
            Given::text_of(&text).domain().map_err(|problem| format!("{}: {problem}", without_password(&text)))
        };
        self.texts()?.into_iter().map(each).collect()
    }

    /// Names of hosts in the form that DNS knows; inside of a network some have an underscore.
    pub(super) fn hosts(&self) -> Result<Vec<String>, String> {
        let each = |text: String| {
            let name = text.strip_suffix('.').unwrap_or(&text);
            Address::parse_smtp(&format!("postmaster@{name}")).map(|address| address.domain().to_owned()).map_err(
                |_| {
                    format!(
                        "each must be a host name without a port (IP addresses always count), not '{}'",
                        without_password(&text)
                    )
                },
            )
        };
        self.texts()?.into_iter().map(each).collect()
    }

    /// Domains and mail addresses, in the form that look-ups compare.
    pub(super) fn feedback_sources(&self) -> Result<Vec<String>, String> {
        let each = |text: String| {
            let given = Given::text_of(&text);
            let read = if text.contains('@') { given.mailbox() } else { given.domain() };
            read.map_err(|problem| format!("{text}: {problem}"))
        };
        self.texts()?.into_iter().map(each).collect()
    }

    /// One address to listen on.
    pub(super) fn socket(&self) -> Result<SocketAddr, String> {
        self.text()?.parse().map_err(|_| SOCKET_WRONG.to_owned())
    }

    /// Several addresses to listen on.
    pub(super) fn sockets(&self) -> Result<Vec<SocketAddr>, String> {
        let read = |text: &String| text.parse().map_err(|_| format!("each {SOCKET_WRONG}"));
        self.texts()?.iter().map(read).collect()
    }

    /// Name servers: an address, and a port when it is not 53.
    pub(super) fn nameservers(&self) -> Result<Vec<SocketAddr>, String> {
        let read = |text: &String| {
            let bare = text.parse::<IpAddr>().map(|address| SocketAddr::from((address, 53)));
            bare.or_else(|_| text.parse::<SocketAddr>())
                .map_err(|_| "each must be an IP address, with a port when it is not 53: \"127.0.0.1:5300\"".to_owned())
        };
        self.texts()?.iter().map(read).collect()
    }

    /// Addresses to send from, each with the name that belongs to it where there is one.
    pub(super) fn sources(&self) -> Result<Vec<Source>, String> {
        let wrong = || "each must be an IP address, and a host name behind it where it has one of its own".to_owned();
        let read = |text: &String| {
            let mut words = text.split_whitespace();
            let address: IpAddr = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
            let helo = words.next().map(|name| Given::text_of(name).domain()).transpose()?;
            let is_ours = !(address.is_unspecified() || address.is_multicast()) && words.next().is_none();
            if is_ours { Ok(Source { address, helo }) } else { Err(wrong()) }
        };
        self.texts()?.iter().map(read).collect()
    }

    /// IP networks.
    pub(super) fn networks(&self) -> Result<Vec<Network>, String> {
        let wrong = |()| "each must be an IP network or address, such as \"10.0.0.0/8\"".to_owned();
        self.texts()?.iter().map(|text| text.parse().map_err(wrong)).collect()
    }

    /// A list of texts. In the environment: a TOML array, or values joined by commas.
    fn texts(&self) -> Result<Vec<String>, String> {
        let wrong = || "must be a list of texts".to_owned();
        let items = match &self.value {
            Value::Array(items) => items.clone(),
            Value::String(text) if self.loose => loose_items(text),
            _ => return Err(wrong()),
        };
        if items.len() > ITEMS_MAX {
            return Err(format!("must have at most {ITEMS_MAX} items"));
        }
        items.iter().map(|item| item.as_str().map(|text| text.trim().to_owned()).ok_or_else(wrong)).collect()
    }
}

/// The value with every text as [`without_password`] shows it.
fn without_passwords(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_password(text)),
        Value::Array(items) => Value::Array(items.iter().map(without_passwords).collect()),
        other => other.clone(),
    }
}

/// A text as others may read it: of a URL, well formed or not, what is before its last `@` is left out.
pub(super) fn without_password(text: &str) -> String {
    let Some((before, place)) = text.rsplit_once('@') else { return text.to_owned() };
    // Without a colon it is the address of a person.
    let Some((scheme, rest)) = before.split_once(':') else { return text.to_owned() };
    let slashes = &rest[..rest.len() - rest.trim_start_matches('/').len()];
    format!("{scheme}:{slashes}***@{place}")
}

/// What an address to listen on is.
pub(crate) const SOCKET_WRONG: &str = "must be an IP address and a port, such as \"127.0.0.1:8080\" or \"[::]:25\"";

fn loose_items(text: &str) -> Vec<Value> {
    let array = format!("a = {text}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("a"));
    if let Some(Value::Array(items)) = array {
        return items;
    }
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| Value::String(part.to_owned())).collect()
}

/// A number and a unit, without anything between them.
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
    fn passwords_of_urls_are_not_shown() {
        let table = [
            ("https://u:sekrit@h/p", "https://***@h/p"),
            ("s3://user:sek@rit/x@bucket/p", "s3://***@bucket/p"),
            ("https:/u:sekrit@h", "https:/***@h"),
            ("u:sekrit@h", "u:***@h"),
            ("ops@example.com", "ops@example.com"),
            ("https://example.com:8080/", "https://example.com:8080/"),
        ];
        for (text, shown) in table {
            assert_eq!(without_password(text), shown);
            let list = Given::typed(Value::Array(vec![Value::String(text.to_owned())]));
            assert_eq!(list.shown(), format!("[\"{shown}\"]"));
        }
    }

    #[test]
    fn lists_of_the_environment() {
        for text in ["[\"127.0.0.1:1\", \"[::1]:2\"]", "127.0.0.1:1,[::1]:2", " 127.0.0.1:1 , [::1]:2 ,"] {
            let sockets = Given::text_of(text).sockets().map(|sockets| sockets.len());
            assert_eq!(sockets, Ok(2), "{text}");
        }
        assert_eq!(Given::text_of("").sockets(), Ok(Vec::new()));
        assert!(Given::typed(Value::String("127.0.0.1:1".into())).sockets().is_err());
    }
}
