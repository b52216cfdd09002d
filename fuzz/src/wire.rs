//! Fuzzes the decoders of requests: what a type accepts matches the schema that the type returns, problems are bounded,
//! and repeated and unknown names are refused.
//!
//! An input is a JSON body, or the query of a URI.

use posthouse_api::wire::{
    AddressText, AuthorFilter, Base64, BodyValue, BoundedInt, BoundedJson, BoundedLine, BoundedList, BoundedText,
    CommaList, Cursor, DomainName, FileName, JsonLimits, Label, Limit, Metadata, MetadataFilters, MimeType, OneOrMany,
    Patch, Problems, QueryParameters, Recipient, Seconds, UserLabel, choice, decode_json, decode_query, object, query,
};
use posthouse_domain::{
    event::{EventKind, EventPayload},
    inbox::Username,
    message::{Channel, Direction},
    metrics::{MetricsBound, MetricsBucket},
    time::Time,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::json_schema::check;

/// The most problems in one error.
const PROBLEMS_MAX: usize = 50;

choice! {
    /// A choice.
    enum Mood {
        /// Good.
        Good = "good",
        /// Bad.
        Bad = "bad",
    }
}

object! {
    /// A file.
    struct FileBody {
        /// Its name.
        filename: FileName,
        /// Its media type.
        content_type: Option<MimeType>,
        /// Its content.
        content: Option<Base64>,
    }
}

object! {
    /// A body with a member of every type.
    struct EveryBody {
        /// Text.
        text: Option<BoundedText<1, 40>>,
        /// A line, which may be cleared.
        line: Patch<BoundedLine<0, 20>>,
        /// A number.
        number: Option<BoundedInt<-5, 70>>,
        /// A flag.
        flag: Option<bool>,
        /// An id.
        id: Option<Uuid>,
        /// A time, which may be cleared.
        at: Patch<Time>,
        /// Seconds.
        seconds: Option<Seconds<0, 30, 5>>,
        /// Labels.
        labels: Option<BoundedList<Label, 0, 5>>,
        /// Labels of callers.
        user_labels: Option<BoundedList<UserLabel, 1, 5>>,
        /// Recipients.
        to: Option<OneOrMany<Recipient, 5>>,
        /// An address.
        address: Option<AddressText>,
        /// A domain.
        domain: Option<DomainName>,
        /// A username.
        username: Option<Username>,
        /// Files.
        files: Option<BoundedList<FileBody, 0, 3>>,
        /// Structured data.
        data: Patch<BoundedJson<400>>,
        /// Metadata.
        metadata: Option<Metadata>,
        /// Events.
        events: Option<BoundedList<EventKind, 1, 3>>,
        /// The form of events.
        payload: Option<EventPayload>,
        /// A name of the domain.
        channel: Option<Channel>,
        /// A choice.
        mood = "type": Option<Mood>,
    }
}

query! {
    /// A query with a parameter of every type.
    struct EveryQuery {
        /// Text.
        q: Option<BoundedLine<1, 20>>,
        /// Labels.
        labels: CommaList<Label, 4>,
        /// Directions.
        direction: CommaList<Direction, 2>,
        /// A label.
        label: Option<Label>,
        /// An author.
        from: Option<AuthorFilter>,
        /// A domain.
        domain: Option<DomainName>,
        /// A time.
        after: Option<Time>,
        /// A time or a date.
        since: Option<MetricsBound>,
        /// A step.
        bucket: Option<MetricsBucket>,
        /// An id.
        id: Option<Uuid>,
        /// A flag.
        flag: bool,
        /// Seconds.
        timeout: Seconds<1, 60, 30>,
        /// A cursor.
        cursor: Option<Cursor>,
        /// Items per page.
        limit: Option<Limit>,
        /// An event type.
        event: Option<EventKind>,
        /// A choice.
        mood = "type": Option<Mood>,
        /// Metadata filters.
        metadata: MetadataFilters,
    }
}

/// Decodes the input as a body and as a query.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    check_body(data);
    check_query(&text);
}

fn check_body(data: &[u8]) {
    let Some(mut body) = accepted_body(data) else { return };
    let schema = EveryBody::schema();
    if let Err(problem) = check(&schema, &body) {
        panic!("the decoder accepts what the schema refuses: {problem}");
    }
    // Members in another order are the same body; an unknown one is refused.
    if let Some(members) = body.as_object_mut() {
        let turned: Map<String, Value> = members.clone().into_iter().rev().collect();
        assert!(accepted_body(json!(turned).to_string().as_bytes()).is_some(), "the order of members matters");
        members.insert("unknown_name".to_owned(), Value::Null);
        assert!(accepted_body(body.to_string().as_bytes()).is_none(), "an unknown member was accepted");
    }
    let repeated = format!("{{\"flag\":true,\"flag\":true,\"x\":{body}}}");
    assert!(accepted_body(repeated.as_bytes()).is_none(), "a repeated member was accepted");
}

/// The defaults of the configuration.
const LIMITS: JsonLimits = JsonLimits { values_max: 100_000, depth_max: 64 };

/// Returns the body as a value if the decoder accepts it.
fn accepted_body(data: &[u8]) -> Option<Value> {
    let mut problems = Problems::default();
    let decoded = decode_json::<EveryBody>(data, LIMITS, &mut problems);
    if decoded.is_none() {
        assert!(!problems.is_empty(), "a body was refused without a problem");
    }
    match problems.finish(decoded) {
        Ok(_) => Some(serde_json::from_slice(data).unwrap_or_else(|_| json!({}))),
        Err(refusal) => {
            let fields = refusal.wire_details()["fields"].as_array().map_or(0, Vec::len);
            assert!((1..=PROBLEMS_MAX).contains(&fields), "{fields} problems");
            None
        }
    }
}

fn check_query(text: &str) {
    let mut problems = Problems::default();
    let decoded = decode_query::<EveryQuery>(Some(text), &mut problems);
    if problems.finish(decoded).is_err() {
        return;
    }
    let again = |text: String| {
        let mut problems = Problems::default();
        let decoded = decode_query::<EveryQuery>(Some(&text), &mut problems);
        problems.finish(decoded).is_ok()
    };
    assert!(!again(format!("{text}&unknown_name=1")), "an unknown parameter was accepted");
    let pairs = url_pairs(text);
    for parameter in EveryQuery::parameters() {
        check_parameter(&parameter, &pairs);
        let name = parameter["name"].as_str().expect("every parameter has a name");
        if pairs.iter().any(|(seen, _)| seen == name) {
            let (first, _) =
                text.split('&').map(|part| (part, part.split('=').next())).find(|(_, n)| *n == Some(name)).unzip();
            assert!(first.is_none_or(|part| !again(format!("{text}&{part}"))), "{name} was accepted twice");
        }
    }
}

/// Checks the values of one parameter against its schema, read as OpenAPI says for its style.
fn check_parameter(parameter: &Value, pairs: &[(String, String)]) {
    let (name, schema) = (parameter["name"].as_str().expect("every parameter has a name"), &parameter["schema"]);
    let given = pairs.iter().find(|(seen, _)| seen == name).map(|(_, value)| value.trim());
    let value = match schema["type"].as_str() {
        Some("object") => {
            let prefix = format!("{name}.");
            let members = pairs.iter().filter(|(seen, _)| seen.starts_with(&prefix));
            json!(members.map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>())
        }
        Some("array") => {
            let items = given.unwrap_or_default().split(',').map(str::trim).filter(|item| !item.is_empty());
            json!(items.collect::<Vec<_>>())
        }
        kind => match (given, kind) {
            (None, _) => return,
            (Some(text), Some("integer" | "number")) => {
                json!(text.parse::<f64>().expect("the decoder accepted a number"))
            }
            (Some(text), Some("boolean")) => json!(text.parse::<bool>().expect("the decoder accepted a flag")),
            (Some(_), _) => json!(pairs.iter().find(|(seen, _)| seen == name).map(|(_, value)| value)),
        },
    };
    if let Err(problem) = check(schema, &value) {
        panic!("the decoder accepts what the schema of {name} refuses: {problem}");
    }
}

/// Splits a query into names and values, without percent-encoding and with spaces for `+`.
fn url_pairs(text: &str) -> Vec<(String, String)> {
    let decoded = |part: &str| {
        let bytes = part.replace('+', " ").into_bytes();
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let hex = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
            let is_hex = |two: &&str| two.bytes().all(|byte| byte.is_ascii_hexdigit());
            match hex.filter(is_hex).and_then(|two| u8::from_str_radix(two, 16).ok()) {
                Some(value) if *byte == b'%' => {
                    out.push(value);
                    at += 3;
                }
                _ => {
                    out.push(*byte);
                    at += 1;
                }
            }
        }
        String::from_utf8_lossy(&out).into_owned()
    };
    let parts = text.split('&').filter(|part| !part.is_empty());
    parts.map(|part| part.split_once('=').unwrap_or((part, ""))).map(|(n, v)| (decoded(n), decoded(v))).collect()
}
