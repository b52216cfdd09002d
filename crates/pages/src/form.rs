//! Parameters of OAuth requests: any names, in the query or in a form. Unknown ones are ignored (RFC 6749 §3.1).

use std::marker::PhantomData;

use bytes::Bytes;
use posthouse_api::wire::{JsonLimits, QueryParameters, decode_query};
use posthouse_call::FromBody;
use posthouse_domain::OAuthParameters;
use posthouse_http::prelude::*;
use serde_json::{Map, Value, json};

/// Content type of a form.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";
/// Largest form, in bytes.
pub(crate) const FORM_BYTES_MAX: usize = 64 * 1024;

/// A parameter of an endpoint, for the OpenAPI description.
#[derive(Clone, Copy)]
pub(crate) struct OAuthParameterDoc {
    pub(crate) name: &'static str,
    pub(crate) is_required: bool,
    /// What it is, with the accepted values.
    pub(crate) text: &'static str,
}

/// Describes a parameter.
pub(crate) const fn parameter(name: &'static str, is_required: bool, text: &'static str) -> OAuthParameterDoc {
    OAuthParameterDoc { name, is_required, text }
}

/// An endpoint with its parameters. It ignores others, and answers problems with a page, a redirect or an error of OAuth.
pub(crate) trait OAuthEndpoint: Send + Sync + 'static {
    /// The parameters.
    const PARAMETERS: &'static [OAuthParameterDoc];
}

/// An endpoint without parameters.
#[derive(Debug)]
pub(crate) struct NoParameters;

impl OAuthEndpoint for NoParameters {
    const PARAMETERS: &'static [OAuthParameterDoc] = &[];
}

/// The parameters of a query.
#[derive(Debug)]
pub(crate) struct OAuthQuery<E = NoParameters>(pub OAuthParameters, PhantomData<E>);

impl<E: OAuthEndpoint> QueryParameters for OAuthQuery<E> {
    fn parameters() -> Vec<Value> {
        let parameter = |one: &OAuthParameterDoc| {
            json!({
                "name": one.name, "in": "query", "required": one.is_required, "description": one.text,
                "schema": { "type": "string" },
            })
        };
        E::PARAMETERS.iter().map(parameter).collect()
    }

    fn names() -> Vec<&'static str> {
        E::PARAMETERS.iter().map(|one| one.name).collect()
    }

    /// OAuth ignores other parameters (RFC 6749 §3.1).
    fn takes_prefix(_: &str) -> bool {
        true
    }

    fn take(pairs: &[(String, String)], _: &mut Problems) -> Option<Self> {
        Some(Self(OAuthParameters(pairs.to_vec()), PhantomData))
    }
}

/// The parameters of a form.
#[derive(Debug)]
pub(crate) struct OAuthForm<E>(pub OAuthParameters, PhantomData<E>);

impl<E: OAuthEndpoint> FromBody for OAuthForm<E> {
    fn read(bytes: Bytes, _: JsonLimits, problems: &mut Problems) -> Option<Self> {
        let text = String::from_utf8_lossy(&bytes);
        decode_query::<OAuthQuery>(Some(text.trim_ascii()), problems).map(|query| Self(query.0, PhantomData))
    }

    fn body_schema() -> Value {
        let member =
            |one: &OAuthParameterDoc| (one.name.to_owned(), json!({ "type": "string", "description": one.text }));
        let required: Vec<&str> = E::PARAMETERS.iter().filter(|one| one.is_required).map(|one| one.name).collect();
        let members: Map<String, Value> = E::PARAMETERS.iter().map(member).collect();
        json!({ "type": "object", "required": required, "properties": members })
    }
}
