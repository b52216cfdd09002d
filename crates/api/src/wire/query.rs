//! Query parameters. Repeated and unknown parameters are refused.

use posthouse_domain::{
    page::{self, PageParameters},
    text,
    time::Time,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{BoundedInt, BoundedLine, CommaList, Label, Problems, json::is_metadata_key, kinds, labels};

/// A set of query parameters.
pub trait QueryParameters: Sized {
    /// Returns the parameter objects for the OpenAPI description.
    fn parameters() -> Vec<Value>;

    /// Returns the names of the parameters.
    fn names() -> Vec<&'static str>;

    /// Returns whether a parameter is accepted because of a prefix of its name.
    #[must_use]
    fn takes_prefix(_name: &str) -> bool {
        false
    }

    /// Decodes the parameters of these names, or records their problems.
    fn take(pairs: &[(String, String)], problems: &mut Problems) -> Option<Self>;

    /// Decodes a query, or records its problems. Unknown parameters are problems.
    fn decode(pairs: &[(String, String)], problems: &mut Problems) -> Option<Self> {
        let (taken, known) = (Self::take(pairs, problems), Self::names());
        let is_unknown = |name: &&String| !known.contains(&name.as_str()) && !Self::takes_prefix(name);
        for name in pairs.iter().map(|(name, _)| name).filter(is_unknown) {
            super::unknown(name, name, known.iter().copied(), problems);
        }
        taken
    }
}

/// The type of a query parameter.
pub trait QueryValue: Sized {
    /// How an array or an object is written, as OpenAPI's `explode` for the style `form`: false for values separated by
    /// commas, true for one parameter per member. `None` for other types.
    const EXPLODE: Option<bool> = None;

    /// Returns the JSON Schema of the parameter.
    fn schema() -> Value;

    /// Parses the text of the parameter.
    ///
    /// # Errors
    /// Returns the problem if the text is not valid.
    fn read(text: &str) -> Result<Self, String>;

    /// Returns the value of an absent parameter, or `None` if the parameter is required.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// Returns whether the type accepts this parameter because of a prefix of its name.
    #[must_use]
    fn takes_prefix(_name: &str) -> bool {
        false
    }

    /// Decodes the parameter with the given name.
    fn take(name: &str, pairs: &[(String, String)], problems: &mut Problems) -> Option<Self> {
        let mut values = pairs.iter().filter(|(n, _)| n == name).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (None, _) => Self::absent().or_else(|| problems.add(name, "is required")),
            (Some(_), Some(_)) => problems.add(name, "must not be repeated"),
            (Some(text), None) => Self::read(text).map_err(|problem| problems.add::<()>(name, problem)).ok(),
        }
    }
}

/// No query parameters, or an empty body object.
#[derive(Clone, Copy, Debug)]
pub struct EmptyInput;

impl QueryParameters for EmptyInput {
    fn parameters() -> Vec<Value> {
        Vec::new()
    }
    fn names() -> Vec<&'static str> {
        Vec::new()
    }
    fn take(_: &[(String, String)], _: &mut Problems) -> Option<Self> {
        Some(Self)
    }
}

impl super::BodyValue for EmptyInput {
    fn schema() -> Value {
        json!({ "type": "object", "additionalProperties": false, "properties": {} })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(object) = value.as_object() else { return super::expected("an object", value, path, problems) };
        for name in object.keys() {
            super::unknown(name, name, std::iter::empty(), problems);
        }
        Some(Self)
    }
}

/// Decodes the raw query of a URI.
pub fn decode_query<Q: QueryParameters>(raw: Option<&str>, problems: &mut Problems) -> Option<Q> {
    let pairs: Vec<(String, String)> = raw
        .unwrap_or_default()
        .split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode_part(name), decode_part(value))
        })
        .collect();
    Q::decode(&pairs, problems)
}

fn decode_part(part: &str) -> String {
    let spaced = part.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

impl<T: QueryValue> QueryValue for Option<T> {
    const EXPLODE: Option<bool> = T::EXPLODE;

    fn schema() -> Value {
        T::schema()
    }
    fn read(text: &str) -> Result<Self, String> {
        T::read(text).map(Some)
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A field of a form on a page. A browser sends an empty one as an empty text, which is the same as none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormField<T>(pub Option<T>);

impl<T: QueryValue> QueryValue for FormField<T> {
    fn schema() -> Value {
        json!({ "anyOf": [T::schema(), { "type": "string", "pattern": r"^\s*$" }] })
    }
    fn read(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() { Ok(Self(None)) } else { T::read(text).map(|value| Self(Some(value))) }
    }
    fn absent() -> Option<Self> {
        Some(Self(None))
    }
}

/// A flag; false if absent.
impl QueryValue for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "must be `true` or `false`".to_owned())
    }
    fn absent() -> Option<Self> {
        Some(false)
    }
}

impl QueryValue for Time {
    fn schema() -> Value {
        json!({ "type": "string", "format": "date-time" })
    }
    fn read(text: &str) -> Result<Self, String> {
        // An unencoded '+' of a UTC offset arrives as a space.
        Time::parse(&text.replace(' ', "+"))
    }
}

impl QueryValue for Uuid {
    fn schema() -> Value {
        json!({ "type": "string", "format": "uuid" })
    }
    fn read(text: &str) -> Result<Self, String> {
        Uuid::try_parse(text).map_err(|_| "must be a UUID".to_owned())
    }
}

impl<const MIN: usize, const MAX: usize> QueryValue for BoundedLine<MIN, MAX> {
    fn schema() -> Value {
        kinds::line_schema(MIN, MAX)
    }
    fn read(text: &str) -> Result<Self, String> {
        kinds::check_line(text, MIN, MAX).map(|()| Self(text.to_owned()))
    }
}

impl QueryValue for Label {
    fn schema() -> Value {
        <Self as super::BodyValue>::schema()
    }
    fn read(text: &str) -> Result<Self, String> {
        labels::check_label(text).map(|()| Self(text.to_owned()))
    }
}

impl<const LOW: i64, const HIGH: i64> QueryValue for BoundedInt<LOW, HIGH> {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
    fn read(text: &str) -> Result<Self, String> {
        let number: i64 = text.parse().map_err(|_| format!("must be a whole number between {LOW} and {HIGH}"))?;
        Self::checked(number)
    }
}

impl<T: QueryValue, const MAX: usize> QueryValue for CommaList<T, MAX> {
    const EXPLODE: Option<bool> = Some(false);

    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema(), "maxItems": MAX })
    }
    fn read(text: &str) -> Result<Self, String> {
        let items: Vec<&str> = text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
        if items.len() > MAX {
            return Err(format!("must have at most {MAX} values, not {}", items.len()));
        }
        items.into_iter().map(T::read).collect::<Result<Vec<T>, String>>().map(Self)
    }
    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
}

/// A number of seconds from `LOW` to `HIGH`, with fractions, stored in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seconds<const LOW: i64, const HIGH: i64, const DEFAULT: i64> {
    /// The duration in milliseconds.
    pub ms: i64,
}

impl<const LOW: i64, const HIGH: i64, const DEFAULT: i64> Seconds<LOW, HIGH, DEFAULT> {
    fn checked(number: Option<f64>) -> Result<Self, String> {
        let seconds = number
            .filter(|s: &f64| s.is_finite())
            .ok_or_else(|| format!("must be a number of seconds between {LOW} and {HIGH}"))?;
        if seconds < LOW as f64 || seconds > HIGH as f64 {
            return Err(format!("must be a number of seconds between {LOW} and {HIGH}"));
        }
        Ok(Self { ms: (seconds * 1_000.0).round() as i64 })
    }
}

impl<const LOW: i64, const HIGH: i64, const DEFAULT: i64> super::BodyValue for Seconds<LOW, HIGH, DEFAULT> {
    fn schema() -> Value {
        <Self as QueryValue>::schema()
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        Self::checked(value.as_f64()).map_err(|problem| problems.add::<()>(path, problem)).ok()
    }
}

impl<const LOW: i64, const HIGH: i64, const DEFAULT: i64> QueryValue for Seconds<LOW, HIGH, DEFAULT> {
    fn schema() -> Value {
        json!({ "type": "number", "minimum": LOW, "maximum": HIGH, "default": DEFAULT })
    }
    fn read(text: &str) -> Result<Self, String> {
        Self::checked(text.parse().ok())
    }
    fn absent() -> Option<Self> {
        Some(Self { ms: DEFAULT * 1_000 })
    }
}

/// Filters of the form `metadata.<key>=<value>`, which must all match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MetadataFilters(pub Vec<(String, String)>);

impl MetadataFilters {
    const PREFIX: &str = "metadata.";
    /// The maximum number of metadata filters of one request.
    const MAX: usize = 10;
}

impl QueryValue for MetadataFilters {
    const EXPLODE: Option<bool> = Some(true);

    fn schema() -> Value {
        json!({
            "type": "object", "maxProperties": Self::MAX,
            "propertyNames": { "pattern": r"^metadata\.[a-zA-Z0-9_.-]{1,64}$" },
            "additionalProperties": { "type": "string" },
        })
    }
    fn read(_text: &str) -> Result<Self, String> {
        Err("must name a key: metadata.<key>=<value>".to_owned())
    }
    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
    fn takes_prefix(name: &str) -> bool {
        name.starts_with(Self::PREFIX)
    }
    fn take(name: &str, pairs: &[(String, String)], problems: &mut Problems) -> Option<Self> {
        if pairs.iter().any(|(n, _)| n == name) {
            return problems.add(name, "must name a key: metadata.<key>=<value>");
        }
        let mut filters: Vec<(String, String)> = Vec::new();
        for (name, value) in pairs {
            let Some(key) = name.strip_prefix(Self::PREFIX) else { continue };
            if !is_metadata_key(key) {
                problems.add::<()>(name, "the key must be 1 to 64 letters, digits, '_', '.' or '-'");
            } else if filters.iter().any(|(k, v)| k == key && *v != text::indexed(value.clone())) {
                problems.add::<()>(name, "must not be repeated");
            } else {
                filters.push((key.to_owned(), text::indexed(value.clone())));
            }
        }
        if filters.len() > Self::MAX {
            return problems.add(name, format!("must have at most {} keys, not {}", Self::MAX, filters.len()));
        }
        Some(Self(filters))
    }
}

/// The number of items per page, from 1 to `MAX`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageLimit<const MAX: u32, const DEFAULT: u32>(pub u32);

impl<const MAX: u32, const DEFAULT: u32> QueryValue for PageLimit<MAX, DEFAULT> {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": 1, "maximum": MAX, "default": DEFAULT })
    }
    fn read(text: &str) -> Result<Self, String> {
        let number = text.parse::<u32>().ok().filter(|number| (1..=MAX).contains(number));
        number.map(Self).ok_or_else(|| format!("must be a whole number between 1 and {MAX}"))
    }
    fn absent() -> Option<Self> {
        Some(Self(DEFAULT))
    }
}

/// The number of items per page of most lists.
pub type Limit = PageLimit<{ page::LIMIT_MAX }, { page::LIMIT_DEFAULT }>;

/// A cursor. Any text is valid here; the list checks it and returns `invalid_cursor`
/// (`docs/decisions/api.md#0007-opaque-cursors`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cursor(pub String);

impl QueryValue for Cursor {
    fn schema() -> Value {
        json!({ "type": "string", "format": "cursor", "minLength": 1 })
    }
    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }
}

/// Returns the page that the parameters of a list select.
pub fn paging<const MAX: u32, const DEFAULT: u32>(
    cursor: Option<Cursor>,
    limit: PageLimit<MAX, DEFAULT>,
) -> PageParameters {
    PageParameters { cursor: cursor.map(|cursor| cursor.0), limit: limit.0 }
}
