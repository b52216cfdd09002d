//! Handler input: the decoded request, after all checks of the router.

use std::net::IpAddr;

use bytes::Bytes;
use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    time::Time,
    user::SessionSecret,
};
use serde_json::Value;

use posthouse_api::wire::{self, BodyValue, EmptyInput, JsonLimits, Problems, QueryParameters};
use posthouse_app::settings::SecretText;

use crate::connections::ConnectionSlot;

/// A request that passed authentication, before decoding.
pub struct RequestParts {
    /// The caller; `None` on public routes.
    pub caller: Option<Caller>,
    /// Facts about the request.
    pub request: RequestInfo,
    /// Path parameters, percent-decoded.
    pub path: PathParams,
    /// The raw query.
    pub query: Option<String>,
    /// The body.
    pub body: Bytes,
    /// Limits of a JSON body.
    pub json: JsonLimits,
    /// Problems found so far.
    pub problems: Problems,
}

/// Facts about a request, for responses, logs and records.
#[derive(Clone, Debug)]
pub struct RequestInfo {
    /// `X-Request-Id`.
    pub id: String,
    /// The route's name.
    pub route: &'static str,
    /// Whether the method is `HEAD`, which must change nothing (RFC 9110 §9.2.1).
    pub is_head: bool,
    /// When the head was complete.
    pub arrived_at: Time,
    /// The client's address, as far as trusted proxies report it.
    pub client_ip: IpAddr,
    /// The `Idempotency-Key`, on routes that support it.
    pub idempotency_key: Option<String>,
    /// With an `Idempotency-Key`: SHA-256 of path parameters, query and body, which identifies a repeated request.
    pub fingerprint: Option<[u8; 32]>,
    /// The secret in `Authorization: Bearer`, for public routes with a token of their own.
    pub bearer: Option<SecretText>,
    /// What follows `Basic` in `Authorization`, for public routes with clients of their own (RFC 7617).
    pub basic: Option<SecretText>,
    /// The session cookie.
    pub session: Option<SessionSecret>,
    /// Whether the client asks for HTML, as browsers do.
    pub wants_html: bool,
    /// Whether a page embeds the response in a frame, as browsers state (`Sec-Fetch-Dest`).
    pub is_framed: bool,
    /// The `User-Agent`.
    pub user_agent: Option<String>,
    /// The `If-None-Match` header, which conditional requests carry.
    pub if_none_match: Option<String>,
    /// Whether the client is known to be on this machine.
    pub on_loopback: bool,
    /// The connection, in the count of open connections; `None` without a listener.
    pub connection: Option<ConnectionSlot>,
    /// The accept key, if the request asks for a WebSocket.
    pub handshake: Option<String>,
}

/// Path parameters.
#[derive(Clone, Debug, Default)]
pub struct PathParams(pub Vec<(String, String)>);

impl PathParams {
    /// Returns the parameters. One with U+0000 counts as empty: nothing has such an id, and PostgreSQL refuses to look for it.
    pub(crate) fn of<'a>(raw: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
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

/// Input of a handler on a route that needs a key.
pub struct RouteInput<Q = EmptyInput, B = EmptyInput> {
    /// The caller.
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

/// Input of a handler on a public route.
pub struct PublicInput<Q = EmptyInput, B = EmptyInput> {
    /// Facts about the request.
    pub request: RequestInfo,
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
pub trait FromRequestParts: Sized {
    /// The type of the query.
    type Query: QueryParameters;
    /// The type of the body.
    type Body: FromBody;
    /// Decodes the request.
    ///
    /// # Errors
    /// Returns `invalid_request` with every problem of query and body, or `unauthorized` if the input needs a caller
    /// and the request has none.
    fn from_parts(parts: RequestParts) -> Result<Self, Refusal>;
}

impl<Q: QueryParameters, B: FromBody> FromRequestParts for RouteInput<Q, B> {
    type Query = Q;
    type Body = B;

    fn from_parts(parts: RequestParts) -> Result<Self, Refusal> {
        let caller =
            parts.caller.ok_or_else(|| Refusal::new(ErrorCode::Unauthorized, "The request has no API key."))?;
        let (query, body) = decode(parts.query.as_deref(), parts.body, parts.json, parts.problems)?;
        Ok(Self { caller, request: parts.request, path: parts.path, query, body })
    }
}

impl<Q: QueryParameters, B: FromBody> FromRequestParts for PublicInput<Q, B> {
    type Query = Q;
    type Body = B;

    fn from_parts(parts: RequestParts) -> Result<Self, Refusal> {
        let (query, body) = decode(parts.query.as_deref(), parts.body, parts.json, parts.problems)?;
        Ok(Self { request: parts.request, path: parts.path, query, body })
    }
}

/// Decodes query and body together, so that the problems of both are reported at once.
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
