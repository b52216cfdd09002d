//! Fields that several routes share.

use posthouse_api::wire::{BodyValue, BoundedLine, Problems, query};
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Detail, ErrorCode, Refusal},
    identity::scope::{IdentityScope, IdentityScopes},
    record::Record,
};
use serde_json::{Value, json};

/// Longest list of scopes in characters.
const SCOPE_CHARS_MAX: usize = 256;

/// A lease id in a request. Malformed ids count as expired leases.
pub(super) type LeaseIdText = BoundedLine<1, 100>;

query! {
    /// Whether the response includes content that screening withholds.
    pub(super) struct ScreeningQuery {
        /// Whether to include the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Whether to include the content of held mail. Requires `messages:release`.
        include_held: bool,
    }
}

impl ScreeningQuery {
    /// Includes nothing that is withheld.
    pub(super) fn none() -> Self {
        Self { include_unscreened: false, include_held: false }
    }

    /// Checks that a caller that requests held mail may release it.
    ///
    /// # Errors
    /// Returns `insufficient_permissions` if the caller lacks `messages:release`.
    pub(super) fn check(&self, caller: &Caller) -> Result<(), Refusal> {
        // No mail waits for screening yet; held mail was stopped by a list.
        let _ = self.include_unscreened;
        let name = Permission::MessagesRelease.text();
        if !self.include_held || caller.permissions().has(Permission::MessagesRelease) {
            return Ok(());
        }
        let refusal =
            Refusal::new(ErrorCode::InsufficientPermissions, format!("`include_held` needs the permission `{name}`."));
        Err(refusal
            .detail(Detail::Permission(Permission::MessagesRelease))
            .with_fix(format!("Use an API key with the permission `{name}`.")))
    }

    /// Reveals the content that the request includes.
    pub(super) fn open<'r>(&self, records: impl IntoIterator<Item = &'r mut Record>) {
        if self.include_held {
            records.into_iter().for_each(|record| record.withheld = false);
        }
    }
}

/// Scopes of an identity token: a list separated by spaces, or an array.
#[derive(Debug)]
pub(super) struct ScopeList(pub IdentityScopes);

/// [`ScopeList`] with `openid`.
#[derive(Debug)]
pub(super) struct AllowedScopeList(pub IdentityScopes);

/// Returns the schema of a list of scopes, as text and as an array.
fn scopes_schema() -> Value {
    let names: Vec<&str> = IdentityScope::ALL.iter().map(|scope| scope.text()).collect();
    let any = names.join("|");
    json!({ "anyOf": [
        { "type": "string", "pattern": format!("^({any})( ({any}))*$"), "maxLength": SCOPE_CHARS_MAX },
        { "type": "array", "items": { "type": "string", "enum": names }, "minItems": 1, "maxItems": names.len() },
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
        scopes_schema()
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        scopes(value, path, problems).map(Self)
    }
}

impl BodyValue for AllowedScopeList {
    fn schema() -> Value {
        let mut schema = scopes_schema();
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
