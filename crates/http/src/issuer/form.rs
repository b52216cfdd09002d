//! Parameters of OAuth requests: any names, in the query or in a form. Unknown ones are ignored (RFC 6749 §3.1).

use bytes::Bytes;
use posthouse_api::wire::{JsonLimits, Problems, QueryParameters, decode_query};
use posthouse_domain::identity::oauth::OAuthParameters;
use serde_json::{Value, json};

use crate::route::FromBody;

/// Content type of a form.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";
/// Largest form, in bytes.
pub(super) const FORM_BYTES_MAX: usize = 64 * 1024;

/// The parameters of a query.
#[derive(Debug)]
pub(super) struct OAuthQuery(pub OAuthParameters);

impl QueryParameters for OAuthQuery {
    fn parameters() -> Vec<Value> {
        // The endpoint ignores unknown parameters, and answers problems with a page or a redirect.
        Vec::new()
    }

    fn decode(pairs: &[(String, String)], _: &mut Problems) -> Option<Self> {
        Some(Self(OAuthParameters(pairs.to_vec())))
    }
}

/// The parameters of a form.
#[derive(Debug)]
pub(super) struct OAuthForm(pub OAuthParameters);

impl FromBody for OAuthForm {
    fn read(bytes: Bytes, _: JsonLimits, problems: &mut Problems) -> Option<Self> {
        let text = String::from_utf8_lossy(&bytes);
        decode_query::<OAuthQuery>(Some(text.trim_ascii()), problems).map(|query| Self(query.0))
    }

    fn body_schema() -> Value {
        json!({ "type": "string" })
    }
}
