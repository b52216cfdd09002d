//! Lists of scopes of identity tokens in requests.

use posthouse_api::wire::BodyValue;
use posthouse_call::prelude::*;
use posthouse_domain::{IdentityScope, IdentityScopes};
use serde_json::{Value, json};

/// Longest list of scopes in characters.
const SCOPE_CHARS_MAX: usize = 256;

/// Scopes of an identity token: a list separated by spaces, or an array.
#[derive(Debug)]
pub(super) struct ScopeList(pub IdentityScopes);

/// [`ScopeList`] with `openid`.
#[derive(Debug)]
pub(super) struct AllowedScopeList(pub IdentityScopes);

/// Returns the schema of scopes with this name, as text and as an array.
fn scopes_schema(name: &str) -> Value {
    let names: Vec<&str> = IdentityScope::ALL.iter().map(|scope| scope.text()).collect();
    let any = names.join("|");
    json!({ "title": name, "anyOf": [
        { "type": "string", "pattern": format!("^({any})( ({any}))*$"), "maxLength": SCOPE_CHARS_MAX },
        { "title": format!("{name}List"), "type": "array", "items": { "type": "string", "enum": names }, "minItems": 1, "maxItems": names.len() },
    ] })
}

fn scopes(value: &Value, path: &str, problems: &mut Problems) -> Option<IdentityScopes> {
    let names: Option<Vec<&str>> = match value {
        Value::String(text) if text.len() <= SCOPE_CHARS_MAX => Some(text.split(' ').collect()),
        Value::Array(names) if names.len() <= IdentityScope::ALL.len() => names.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let known = names.filter(|names| !names.is_empty()).and_then(|names| {
        names.into_iter().try_fold(IdentityScopes::default(), |set, name| Some(set.with(IdentityScope::parse(name)?)))
    });
    known.or_else(|| {
        let all: Vec<&str> = IdentityScope::ALL.iter().map(|scope| scope.text()).collect();
        problems.add(path, format!("must be one or more of {}, separated by spaces", all.join(", ")))
    })
}

impl BodyValue for ScopeList {
    fn schema() -> Value {
        scopes_schema("Scopes")
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        scopes(value, path, problems).map(Self)
    }
}

impl BodyValue for AllowedScopeList {
    fn schema() -> Value {
        let mut schema = scopes_schema("AllowedScopes");
        schema["anyOf"][0]["allOf"] = json!([{ "pattern": "(^| )openid( |$)" }]);
        schema["anyOf"][1]["contains"] = json!({ "const": "openid" });
        schema
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let scopes = scopes(value, path, problems)?;
        if scopes.has(IdentityScope::Openid) {
            return Some(Self(scopes));
        }
        problems.add(path, "must contain `openid`")
    }
}
