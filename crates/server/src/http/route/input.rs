//! What a handler gets: the request decoded, after everything that the router checks.

use std::net::IpAddr;

use bytes::Bytes;
use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    time::Time,
};
use serde_json::Value;

use crate::{
    config::SecretText,
    http::wire::{self, Empty, Problems, Query, Wire},
};

/// A request that passed authentication, as it comes from the router.
pub struct Parts {
    /// Who asks; absent on public routes.
    pub caller: Option<Caller>,
    /// Facts about the request.
    pub request: RequestInfo,
    /// Path parameters, percent-decoded.
    pub path: PathParams,
    /// The raw query.
    pub query: Option<String>,
    /// The body.
    pub body: Bytes,
    /// What is wrong with the request so far.
    pub problems: Problems,
}

/// Facts about a request that answers, logs and records need.
#[derive(Clone, Debug)]
pub struct RequestInfo {
    /// `X-Request-Id`.
    pub id: String,
    /// The route's name.
    pub route: &'static str,
    /// When its head had been read.
    pub arrived_at: Time,
    /// The client, as far as trusted proxies tell.
    pub client_ip: IpAddr,
    /// The `Idempotency-Key`, on routes that honour it.
    pub idempotency_key: Option<String>,
    /// With an `Idempotency-Key`: SHA-256 of path parameters, query and body, by which a repeated request is known.
    pub fingerprint: Option<[u8; 32]>,
    /// The secret in `Authorization: Bearer`, for public routes with a token of their own.
    pub bearer: Option<SecretText>,
    /// Whether the client is on this machine, for certain.
    pub on_loopback: bool,
    /// The accept key of a request that asks for a WebSocket.
    pub handshake: Option<String>,
}

/// Path parameters.
#[derive(Clone, Debug, Default)]
pub struct PathParams(pub Vec<(String, String)>);

impl PathParams {
    /// The text of a parameter.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value)
    }

    /// An id; a malformed one is as unknown as any other (decision 2).
    ///
    /// # Errors
    /// `not_found`.
    pub fn id<T: std::str::FromStr>(&self, name: &str, what: &str) -> Result<T, Refusal> {
        self.text(name).parse().map_err(|_| Refusal::not_found(what))
    }
}

/// What a handler of a route with a key gets.
pub struct Input<Q = Empty, B = Empty> {
    /// Who asks.
    pub caller: Caller,
    /// Facts about the request.
    pub request: RequestInfo,
    /// Path parameters.
    pub path: PathParams,
    /// The decoded query.
    pub query: Q,
    /// The decoded body.
    pub body: B,
}

/// What a handler of a public route gets.
pub struct PublicInput<Q = Empty, B = Empty> {
    /// Facts about the request.
    pub request: RequestInfo,
    /// Path parameters.
    pub path: PathParams,
    /// The decoded query.
    pub query: Q,
    /// The decoded body.
    pub body: B,
}

/// A body that is taken as bytes.
pub struct Raw(pub Bytes);

/// What can be read from a body.
pub trait FromBody: Sized {
    /// Reads the body, or says every problem.
    fn read(bytes: Bytes, problems: &mut Problems) -> Option<Self>;
    /// The schema for the OpenAPI document.
    fn body_schema() -> Value;
}

impl<T: Wire> FromBody for T {
    fn read(bytes: Bytes, problems: &mut Problems) -> Option<Self> {
        wire::decode_json(&bytes, problems)
    }
    fn body_schema() -> Value {
        T::schema()
    }
}

impl FromBody for Raw {
    fn read(bytes: Bytes, _: &mut Problems) -> Option<Self> {
        Some(Self(bytes))
    }
    fn body_schema() -> Value {
        serde_json::json!({ "type": "string", "contentMediaType": "message/rfc822" })
    }
}

/// What a handler can ask for.
pub trait FromParts: Sized {
    /// What its query is decoded as.
    type Query: Query;
    /// What its body is decoded as.
    type Body: FromBody;
    /// Decodes the request.
    ///
    /// # Errors
    /// `invalid_request` with every problem of query and body, and `unauthorized` where a caller is asked for and there is none.
    fn from_parts(parts: Parts) -> Result<Self, Refusal>;
}

impl<Q: Query, B: FromBody> FromParts for Input<Q, B> {
    type Query = Q;
    type Body = B;

    fn from_parts(parts: Parts) -> Result<Self, Refusal> {
        let caller = parts.caller.ok_or_else(|| Refusal::new(Code::Unauthorized, "The request has no API key."))?;
        let (query, body) = decode(parts.query.as_deref(), parts.body, parts.problems)?;
        Ok(Self { caller, request: parts.request, path: parts.path, query, body })
    }
}

impl<Q: Query, B: FromBody> FromParts for PublicInput<Q, B> {
    type Query = Q;
    type Body = B;

    fn from_parts(parts: Parts) -> Result<Self, Refusal> {
        let (query, body) = decode(parts.query.as_deref(), parts.body, parts.problems)?;
        Ok(Self { request: parts.request, path: parts.path, query, body })
    }
}

/// Reads query and body together, so that the problems of both are said at once.
fn decode<Q: Query, B: FromBody>(query: Option<&str>, body: Bytes, mut problems: Problems) -> Result<(Q, B), Refusal> {
    let query = wire::decode_query(query, &mut problems);
    let body = B::read(body, &mut problems);
    problems.finish(query.zip(body))
}
