//! What a client states about itself, in its metadata document or at its registration (RFC 7591 §2).

use posthouse_api::wire::{BodyValue, Problems, ShownName};
use posthouse_domain::connector::client::{NAME_CHARS_MAX, REDIRECT_URIS_MAX, redirect_uri_problem};
use posthouse_domain::{OAuthError, OAuthErrorCode, identity::app_url};
use serde_json::{Map, Value};

/// Ways to authenticate at the token endpoint that a client may state. It is treated as public in any case, and proves
/// itself with PKCE; a client that relies on a shared secret would not work.
const AUTH_METHODS: [&str; 2] = ["none", "private_key_jwt"];

/// What a client states about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ClientMetadata {
    pub name: Option<String>,
    pub uri: Option<String>,
    pub redirect_uris: Vec<String>,
}

impl ClientMetadata {
    /// Reads the metadata.
    ///
    /// # Errors
    /// Returns `invalid_redirect_uri` or `invalid_client_metadata`.
    pub(super) fn read(document: &Map<String, Value>) -> Result<Self, OAuthError> {
        lists(document, "grant_types", "authorization_code")?;
        lists(document, "response_types", "code")?;
        Ok(Self {
            name: name(document)?,
            uri: document.get("client_uri").and_then(Value::as_str).filter(|uri| is_home_page(uri)).map(str::to_owned),
            redirect_uris: redirect_uris(document)?,
        })
    }

    /// Checks how the client of a document authenticates. At a registration the server chooses.
    ///
    /// # Errors
    /// Returns `invalid_client_metadata`.
    pub(super) fn check_auth_method(document: &Map<String, Value>) -> Result<(), OAuthError> {
        match document.get("token_endpoint_auth_method") {
            None | Some(Value::Null) => Ok(()),
            Some(Value::String(method)) if AUTH_METHODS.contains(&method.as_str()) => Ok(()),
            Some(_) => Err(invalid("token_endpoint_auth_method must be none.")),
        }
    }
}

fn is_home_page(uri: &str) -> bool {
    app_url::homepage_problem(uri).is_none()
}

fn invalid(description: impl Into<String>) -> OAuthError {
    OAuthError::new(OAuthErrorCode::InvalidClientMetadata, description)
}

fn name(document: &Map<String, Value>) -> Result<Option<String>, OAuthError> {
    let Some(value) = document.get("client_name").filter(|value| !value.is_null()) else { return Ok(None) };
    let mut problems = Problems::default();
    let name = <ShownName<NAME_CHARS_MAX> as BodyValue>::decode(value, "client_name", &mut problems);
    let read = problems.finish(name).map_err(|_| {
        let text = "client_name must be a line of 1 to 100 characters, without characters that are invisible or turn \
                    the text around.";
        invalid(text)
    })?;
    Ok(Some(read.0))
}

/// Checks that a list of the metadata, if there is one, has an entry.
fn lists(document: &Map<String, Value>, member: &str, wanted: &str) -> Result<(), OAuthError> {
    match document.get(member) {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Array(all)) if all.iter().any(|one| one == wanted) => Ok(()),
        Some(_) => Err(invalid(format!("{member} must contain {wanted}."))),
    }
}

fn redirect_uris(document: &Map<String, Value>) -> Result<Vec<String>, OAuthError> {
    let refuse = |text: String| OAuthError::new(OAuthErrorCode::InvalidRedirectUri, text);
    let all = document.get("redirect_uris").and_then(Value::as_array).filter(|all| !all.is_empty());
    let all = all.ok_or_else(|| refuse("redirect_uris must be an array of URIs.".to_owned()))?;
    if all.len() > REDIRECT_URIS_MAX {
        return Err(refuse(format!("redirect_uris must have at most {REDIRECT_URIS_MAX} URIs.")));
    }
    let read = |(at, uri): (usize, &Value)| {
        let text = uri.as_str().ok_or_else(|| refuse(format!("redirect_uris[{at}] must be a text.")))?;
        match redirect_uri_problem(text) {
            None => Ok(text.to_owned()),
            Some(problem) => Err(refuse(format!("redirect_uris[{at}] {problem}."))),
        }
    };
    all.iter().enumerate().map(read).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(document: Value) -> Result<ClientMetadata, OAuthError> {
        ClientMetadata::read(document.as_object().unwrap())
    }

    #[test]
    fn metadata_is_read_and_wrong_metadata_is_named() {
        let fine = json!({ "client_name": "App", "redirect_uris": ["https://app.example/cb"], "client_uri": "https://app.example" });
        let metadata = read(fine.clone()).unwrap();
        assert_eq!((metadata.name.as_deref(), metadata.redirect_uris.len()), (Some("App"), 1));
        for (member, value, code) in [
            ("redirect_uris", json!([]), OAuthErrorCode::InvalidRedirectUri),
            ("redirect_uris", json!(null), OAuthErrorCode::InvalidRedirectUri),
            ("redirect_uris", json!(["javascript:alert(1)"]), OAuthErrorCode::InvalidRedirectUri),
            ("redirect_uris", json!([1]), OAuthErrorCode::InvalidRedirectUri),
            ("redirect_uris", json!(vec!["https://app.example/cb"; 21]), OAuthErrorCode::InvalidRedirectUri),
            ("client_name", json!(""), OAuthErrorCode::InvalidClientMetadata),
            ("client_name", json!("a\u{202e}b"), OAuthErrorCode::InvalidClientMetadata),
            ("client_name", json!("x".repeat(101)), OAuthErrorCode::InvalidClientMetadata),
            ("client_name", json!(["App"]), OAuthErrorCode::InvalidClientMetadata),
            ("grant_types", json!(["client_credentials"]), OAuthErrorCode::InvalidClientMetadata),
            ("response_types", json!(["token"]), OAuthErrorCode::InvalidClientMetadata),
        ] {
            let mut wrong = fine.clone();
            wrong[member] = value.clone();
            assert_eq!(read(wrong).unwrap_err().code, code, "{member} {value}");
        }
        let mut unnamed = fine;
        unnamed["client_uri"] = json!("javascript:alert(1)");
        unnamed["client_name"] = json!(null);
        let metadata = read(unnamed).unwrap();
        assert_eq!((metadata.name, metadata.uri), (None, None));
    }
}
