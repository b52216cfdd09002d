//! The input of a handler: the decoded arguments of a call, after all checks.

use std::net::IpAddr;

use bytes::Bytes;
use posthouse_api::wire::{self, BodyValue, EmptyInput, JsonLimits, Problems, QueryParameters};
use posthouse_domain::{Caller, ErrorCode, Refusal, Time};
use serde_json::Value;

/// A call that passed all checks, before decoding. `R` are the facts about the call; a transport may have its own.
pub struct CallParts<R = CallInfo> {
    /// The caller; `None` for public operations.
    pub caller: Option<Caller>,
    /// Facts about the call.
    pub request: R,
    /// Path parameters.
    pub path: PathParams,
    /// The query, percent-encoded.
    pub query: Option<String>,
    pub body: Bytes,
    /// Limits of a JSON body.
    pub json: JsonLimits,
    /// Problems found so far.
    pub problems: Problems,
}

/// Facts about a call, for results, logs and records.
#[derive(Clone, Debug)]
pub struct CallInfo {
    /// The id of the request.
    pub id: String,
    /// The name of the operation.
    pub operation: &'static str,
    /// When the call arrived.
    pub arrived_at: Time,
    /// The address of the client.
    pub client_ip: IpAddr,
    /// The idempotency key, for operations that support it.
    pub idempotency_key: Option<String>,
    /// With a key: SHA-256 of path parameters, query and body, which identifies a repeated call.
    pub fingerprint: Option<[u8; 32]>,
}

/// Path parameters.
#[derive(Clone, Debug, Default)]
pub struct PathParams(pub Vec<(String, String)>);

impl PathParams {
    /// Returns the parameters. One with U+0000 counts as empty: nothing has such an id, and PostgreSQL refuses to look for it.
    pub fn of<'a>(raw: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let known = |value: &'a str| if value.contains('\0') { "" } else { value };
        Self(raw.map(|(name, value)| (name.to_owned(), known(value).to_owned())).collect())
    }

    /// Returns the text of a parameter, or an empty text.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value)
    }

    /// Parses an id. A malformed id is treated as unknown.
    ///
    /// # Errors
    /// Returns `not_found` if the id is malformed.
    pub fn id<T: std::str::FromStr>(&self, name: &str, what: &str) -> Result<T, Refusal> {
        self.text(name).parse().map_err(|_| Refusal::not_found(what))
    }
}

/// Input of a handler of an operation that needs a caller.
pub struct Input<Q = EmptyInput, B = EmptyInput, R = CallInfo> {
    pub caller: Caller,
    /// Facts about the call.
    pub request: R,
    /// Path parameters.
    pub path: PathParams,
    /// The decoded query.
    pub query: Q,
    /// The decoded body.
    pub body: B,
}

/// Input of a handler of a public operation.
pub struct PublicInput<Q = EmptyInput, B = EmptyInput, R = CallInfo> {
    /// Facts about the call.
    pub request: R,
    /// Path parameters.
    pub path: PathParams,
    /// The decoded query.
    pub query: Q,
    /// The decoded body.
    pub body: B,
}

/// A body as raw bytes.
pub struct RawBody(pub Bytes);

/// A type that a request body decodes into.
pub trait FromBody: Sized {
    /// Decodes the body, or reports every problem.
    fn read(bytes: Bytes, limits: JsonLimits, problems: &mut Problems) -> Option<Self>;
    /// Returns the schema for the OpenAPI description.
    fn body_schema() -> Value;
}

impl<T: BodyValue> FromBody for T {
    fn read(bytes: Bytes, limits: JsonLimits, problems: &mut Problems) -> Option<Self> {
        wire::decode_json(&bytes, limits, problems)
    }
    fn body_schema() -> Value {
        T::schema()
    }
}

impl FromBody for RawBody {
    fn read(bytes: Bytes, _: JsonLimits, _: &mut Problems) -> Option<Self> {
        Some(Self(bytes))
    }
    fn body_schema() -> Value {
        serde_json::json!({ "type": "string", "contentMediaType": "message/rfc822" })
    }
}

/// A type that a handler accepts as input.
pub trait FromCallParts<R = CallInfo>: Sized {
    /// The type of the query.
    type Query: QueryParameters;
    /// The type of the body.
    type Body: FromBody;
    /// Decodes the call.
    ///
    /// # Errors
    /// Returns `invalid_request` with every problem of query and body, or `unauthorized` if the input needs a caller
    /// and the request has none.
    fn from_parts(parts: CallParts<R>) -> Result<Self, Refusal>;
}

impl<Q: QueryParameters, B: FromBody, R> FromCallParts<R> for Input<Q, B, R> {
    type Query = Q;
    type Body = B;

    fn from_parts(parts: CallParts<R>) -> Result<Self, Refusal> {
        let caller = parts.caller.ok_or_else(no_caller)?;
        let (query, body) = decode(parts.query.as_deref(), parts.body, parts.json, parts.problems)?;
        Ok(Self { caller, request: parts.request, path: parts.path, query, body })
    }
}

impl<Q: QueryParameters, B: FromBody, R> FromCallParts<R> for PublicInput<Q, B, R> {
    type Query = Q;
    type Body = B;

    fn from_parts(parts: CallParts<R>) -> Result<Self, Refusal> {
        let (query, body) = decode(parts.query.as_deref(), parts.body, parts.json, parts.problems)?;
        Ok(Self { request: parts.request, path: parts.path, query, body })
    }
}

/// Decodes query and body together, so that the problems of both are reported at once.
///
/// # Errors
/// Returns `invalid_request` with every problem.
fn decode<Q: QueryParameters, B: FromBody>(
    query: Option<&str>,
    body: Bytes,
    limits: JsonLimits,
    mut problems: Problems,
) -> Result<(Q, B), Refusal> {
    let query = wire::decode_query(query, &mut problems);
    let body = B::read(body, limits, &mut problems);
    problems.finish(query.zip(body))
}

/// Returns the refusal of a call without a caller.
pub(crate) fn no_caller() -> Refusal {
    Refusal::new(ErrorCode::Unauthorized, "The request has no API key.")
}
