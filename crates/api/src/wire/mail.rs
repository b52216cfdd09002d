//! Value types for mail: addresses, recipients, file names and media types.

use posthouse_domain::{agent::handle::FullHandle, send::NamedRecipient, sender::SenderFilter};
use posthouse_mail::address::{Address, Mailbox};
use serde_json::{Value, json};

use super::{BodyValue, BoundedLine, Problems, QueryValue, expected, kinds};

/// The maximum length of a file name, in characters.
const FILE_NAME_CHARS_MAX: usize = 255;
/// The maximum length of an author filter, in characters.
const SENDER_CHARS_MAX: usize = 500;

/// An address without a display name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressText(pub Address);

/// A recipient: `addr`, `Name <addr>`, or the handle of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipient(pub NamedRecipient);

/// A filter by author.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuthorFilter(pub SenderFilter);

/// One value, or an array of up to `MAX`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OneOrMany<T, const MAX: usize>(pub Vec<T>);

/// The name of an attached file: one line, without a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileName(pub String);

/// The media type of a file, such as `application/pdf`, with optional parameters, but not `multipart`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MimeType(pub String);

impl BodyValue for AddressText {
    fn schema() -> Value {
        json!({ "type": "string", "format": "email", "minLength": 3, "maxLength": 320 })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        kinds::string(value, path, problems, |text| {
            Address::parse(text).map(Self).map_err(|e| format!("is not an address: {e}"))
        })
    }
}

impl QueryValue for AuthorFilter {
    fn schema() -> Value {
        json!({ "type": "string", "format": "author-filter" })
    }
    fn read(text: &str) -> Result<Self, String> {
        let line = <BoundedLine<1, SENDER_CHARS_MAX> as QueryValue>::read(text)?;
        SenderFilter::parse(&line.0).map(Self)
    }
}

impl BodyValue for Recipient {
    fn schema() -> Value {
        let what = "`addr`, `Name <addr>`, or the handle of an agent, `@workspace/agent`";
        json!({ "type": "string", "title": "Recipient", "format": "mailbox", "minLength": 3, "description": what })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        kinds::string(value, path, problems, |text| {
            // Blanks around an address are ignored, too.
            let text = text.trim();
            if FullHandle::is_handle(text) {
                let handle = FullHandle::parse(text)
                    .map_err(|refusal| format!("is not a handle: {}", refusal.message.trim_end_matches('.')))?;
                if handle.agent.is_none() {
                    return Err("must name an agent of the workspace: `@workspace/agent`".to_owned());
                }
                return Ok(Self(NamedRecipient::Handle(text.to_owned())));
            }
            Mailbox::parse(text)
                .map(|mailbox| Self(NamedRecipient::Mailbox(mailbox)))
                .map_err(|e| format!("is not an address: {e}"))
        })
    }
}

impl<T: BodyValue, const MAX: usize> BodyValue for OneOrMany<T, MAX> {
    fn schema() -> Value {
        let one = T::schema();
        let name = one["title"].as_str().unwrap_or("Value").to_owned();
        let many = json!({ "title": format!("{name}List"), "type": "array", "items": one, "maxItems": MAX });
        json!({ "title": format!("{name}s"), "anyOf": [one, many] })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        match value {
            Value::Array(items) if items.len() > MAX => {
                problems.add(path, format!("must have at most {MAX} items, not {}", items.len()))
            }
            Value::Array(items) => {
                let decoded: Vec<Option<T>> = items
                    .iter()
                    .enumerate()
                    .map(|(i, item)| T::decode(item, &format!("{path}[{i}]"), problems))
                    .collect();
                decoded.into_iter().collect::<Option<Vec<T>>>().map(Self)
            }
            Value::String(_) => T::decode(value, path, problems).map(|one| Self(vec![one])),
            _ => expected("a string or an array of strings", value, path, problems),
        }
    }
}

impl BodyValue for FileName {
    fn schema() -> Value {
        let mut schema = kinds::line_schema(1, FILE_NAME_CHARS_MAX);
        schema["not"] = json!({ "pattern": r"[/\\]" });
        schema
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        kinds::string(value, path, problems, |text| {
            kinds::check_line(text, 1, FILE_NAME_CHARS_MAX)?;
            if text.contains(['/', '\\']) {
                return Err("must be a file name without a path".to_owned());
            }
            Ok(Self(text.to_owned()))
        })
    }
}

impl BodyValue for MimeType {
    fn schema() -> Value {
        const PATTERN: &str = r"^ *[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+ *(?:;[ -~]*)?$";
        json!({
            "type": "string", "maxLength": 255, "pattern": PATTERN,
            "not": { "pattern": "^ *[Mm][Uu][Ll][Tt][Ii][Pp][Aa][Rr][Tt]/" },
        })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        kinds::string(value, path, problems, |text| {
            kinds::check_line(text, 1, 255)?;
            let token = |part: &str| {
                !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
            };
            let essence = text.split(';').next().unwrap_or_default().trim();
            match essence.split_once('/') {
                Some((kind, _)) if kind.eq_ignore_ascii_case("multipart") => {
                    Err("must not be a multipart type".to_owned())
                }
                Some((kind, sub)) if token(kind) && token(sub) && text.is_ascii() => Ok(Self(text.to_owned())),
                _ => Err("must be a media type such as `application/pdf`".to_owned()),
            }
        })
    }
}
