//! Value types for agents: handles, the parts of cards, and what the directory is searched by. Handles are parsed where they
//! are used, because a wrong one has an error code of its own.

use posthouse_domain::agent::{
    card::{
        LANGUAGE_CHARS_MAX, OASF_CHARS_MAX, OasfClass, SKILL_ID_CHARS_MAX, URL_CHARS_MAX, check_documentation_url,
        is_language_tag, is_skill_id,
    },
    card_text,
    handle::{
        AGENT_CHARS_MAX, AGENT_CHARS_MIN, AgentHandle, FULL_CHARS_MAX, FULL_CHARS_MIN, HandleName, WORKSPACE_CHARS_MAX,
    },
    search::{CAPABILITY_CHARS_MAX, QUERY_CHARS_MAX},
};
use posthouse_mail::jose::jws::JWS_BYTES_MAX;
use serde_json::{Value, json};

use super::{BodyValue, BoundedText, Problems, QueryValue, expected, kinds};

/// The longest media type, in characters.
const MEDIA_TYPE_CHARS_MAX: usize = 100;

/// The shortest address that can be looked up, in characters.
const ADDRESS_CHARS_MIN: usize = 3;
/// The longest address that can be looked up, in characters.
const ADDRESS_CHARS_MAX: usize = 320;

/// Defines a text with a schema and a check.
macro_rules! texts {
    ($($(#[$about:meta])* $name:ident: $schema:expr, |$text:ident| $check:expr;)*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $name(pub String);

        impl $name {
            fn check($text: &str) -> Result<(), String> {
                $check
            }
        }

        impl BodyValue for $name {
            fn schema() -> Value {
                $schema
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
                Self::check(text).map(|()| Self(text.to_owned()))
            }
        }
    )*};
}

texts! {
    /// A handle with its `@`.
    FullHandleText: json!({
        "type": "string", "minLength": FULL_CHARS_MIN, "maxLength": FULL_CHARS_MAX, "examples": ["@acme/support"],
        "pattern": "^@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:/[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)?$",
    }), |text| kinds::check_text(text, FULL_CHARS_MIN, FULL_CHARS_MAX);

    /// The id of a skill.
    SkillId: json!({
        "type": "string", "maxLength": SKILL_ID_CHARS_MAX, "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$",
    }), |text| if is_skill_id(text) { Ok(()) } else {
        Err("must have 1 to 64 of a to z, 0 to 9, '.', '_' and '-', and begin with a letter or a digit".to_owned())
    };

    /// A language tag (BCP 47).
    LanguageTag: json!({
        "type": "string", "maxLength": LANGUAGE_CHARS_MAX, "pattern": "^(?:[A-Za-z]{2,8}|[XxIi]-[A-Za-z0-9]{1,8})(?:-[A-Za-z0-9]{1,8})*$", "examples": ["de-CH"],
    }), |text| if is_language_tag(text) { Ok(()) } else { Err("must be a language tag such as `en` or `de-CH`".to_owned()) };

    /// A media type without parameters, such as `text/plain`.
    MediaRange: json!({
        "type": "string", "maxLength": MEDIA_TYPE_CHARS_MAX, "pattern": "^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9*][a-z0-9!#$&^_.+-]*$",
    }), |text| if is_media_range(text) { Ok(()) } else { Err("must be a media type such as `text/plain`, in lower case".to_owned()) };

    /// An https URL.
    DocumentationUrl: json!({
        "type": "string", "format": "https-url", "minLength": 1, "maxLength": URL_CHARS_MAX,
        "examples": ["https://acme.example/docs"],
    }), |text| kinds::check_line(text, 1, URL_CHARS_MAX).and_then(|()| check_documentation_url(text));

    /// A part of a name, description, skill name or tag.
    CardQueryText: kinds::line_schema(1, QUERY_CHARS_MAX),
        |text| kinds::check_line(text, 1, QUERY_CHARS_MAX);

    /// A skill id, tag or OASF class.
    CapabilityText: kinds::line_schema(1, CAPABILITY_CHARS_MAX),
        |text| kinds::check_line(text, 1, CAPABILITY_CHARS_MAX);
}

/// Defines a handle or a part of one. A wrong form has an error code of its own.
macro_rules! handles {
    ($($(#[$about:meta])* $name:ident: $min:ident to $max:expr, $form:path;)*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct $name(pub String);

        impl BodyValue for $name {
            fn schema() -> Value {
                json!({
                    "type": "string", "minLength": $min, "maxLength": $max,
                    "pattern": "^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$",
                })
            }
            fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
                let text = kinds::string(value, path, problems, |text| {
                    kinds::check_text(text, $min, $max).map(|()| text.to_owned())
                })?;
                if let Err(refusal) = $form(&text) {
                    problems.also(path, refusal);
                }
                Some(Self(text))
            }
        }
    )*};
}

handles! {
    /// The handle of a workspace, without the `@`.
    HandleText: WORKSPACE_CHARS_MIN to WORKSPACE_CHARS_MAX, HandleName::parse;

    /// The agent part of a handle.
    HandlePartText: AGENT_CHARS_MIN to AGENT_CHARS_MAX, AgentHandle::parse;
}

/// The shortest handle of a workspace, in characters.
const WORKSPACE_CHARS_MIN: usize = 1;

/// A compact JSON Web Signature (RFC 7515 §3.1).
pub type SignatureText = BoundedText<1, JWS_BYTES_MAX>;

/// The longest reason of a revocation or suspension, in characters.
const REASON_CHARS_MAX: usize = 500;

/// Why an agent is revoked or suspended, for people.
pub type AgentRevocationReason = BoundedText<1, REASON_CHARS_MAX>;

/// Reads the reason of a suspension as the API reads that of a revocation.
///
/// # Errors
/// States what is allowed.
pub fn revocation_reason(text: &str) -> Result<AgentRevocationReason, String> {
    kinds::check_text(text, 1, REASON_CHARS_MAX).map(|()| BoundedText(text.to_owned()))
}

/// One line of a card, of up to `MAX` characters and not blank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CardLine<const MAX: usize>(pub String);

/// A text of a card, of up to `MAX` characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CardProse<const MAX: usize>(pub String);

/// Checks that a card can show a text.
fn check_shown(text: &str) -> Result<(), String> {
    card_text::check(text).map_err(|problem| problem.message().to_owned())
}

impl<const MAX: usize> BodyValue for CardLine<MAX> {
    fn schema() -> Value {
        kinds::line_schema(1, MAX)
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let check = |text: &str| kinds::check_line(text, 1, MAX).and_then(|()| check_shown(text));
        kinds::string(value, path, problems, |text| check(text).map(|()| Self(text.to_owned())))
    }
}

impl<const MAX: usize> BodyValue for CardProse<MAX> {
    fn schema() -> Value {
        <BoundedText<0, MAX> as BodyValue>::schema()
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let check = |text: &str| kinds::check_text(text, 0, MAX).and_then(|()| check_shown(text));
        kinds::string(value, path, problems, |text| check(text).map(|()| Self(text.to_owned())))
    }
}

fn is_media_range(text: &str) -> bool {
    let is_part = |part: &str| {
        part.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'*')
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"!#$&^_.+-*".contains(&b))
    };
    let halves = text.split_once('/');
    text.len() <= MEDIA_TYPE_CHARS_MAX
        && halves.is_some_and(|(kind, subtype)| !kind.contains('*') && is_part(kind) && is_part(subtype))
}

/// The text of an address as a query parameter. A text that is no address is the address of nobody.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressQuery(pub String);

impl QueryValue for AddressQuery {
    fn schema() -> Value {
        json!({ "type": "string", "format": "email", "minLength": ADDRESS_CHARS_MIN, "maxLength": ADDRESS_CHARS_MAX })
    }
    fn read(text: &str) -> Result<Self, String> {
        kinds::check_text(text, ADDRESS_CHARS_MIN, ADDRESS_CHARS_MAX).map(|()| Self(text.to_owned()))
    }
}

/// A class of the Open Agentic Schema Framework: a number, or a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OasfClassValue(pub OasfClass);

impl BodyValue for OasfClassValue {
    fn schema() -> Value {
        let name = json!({ "type": "string", "minLength": 1, "maxLength": OASF_CHARS_MAX, "pattern": "^[A-Za-z0-9][A-Za-z0-9 _./-]*$" });
        json!({ "title": "OasfClass", "anyOf": [{ "type": "integer", "minimum": 1, "maximum": u32::MAX }, name] })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let is_part = |b: u8| b.is_ascii_alphanumeric() || b" _./-".contains(&b);
        let is_name = |text: &str| {
            (1..=OASF_CHARS_MAX).contains(&text.len())
                && text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
                && text.bytes().all(is_part)
        };
        match value {
            Value::Number(number) => match number.as_u64().filter(|id| (1..=u64::from(u32::MAX)).contains(id)) {
                Some(id) => Some(Self(OasfClass::Id(id))),
                None => problems.add(path, "must be the number or the name of an OASF class"),
            },
            Value::String(text) if is_name(text) => Some(Self(OasfClass::Name(text.clone()))),
            Value::String(_) => problems.add(path, "must be the number or the name of an OASF class"),
            _ => expected("the number or the name of an OASF class", value, path, problems),
        }
    }
}
