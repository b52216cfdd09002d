//! Facts about a request that only HTTP has.

use std::net::IpAddr;

use axum::http::HeaderMap;
use posthouse_app::settings::SecretText;
use posthouse_domain::SessionSecret;

use crate::connection::connections::ConnectionSlot;

/// Facts about a request that only HTTP has.
#[derive(Clone, Debug)]
pub struct RequestInfo {
    /// Whether the method is `HEAD`, which must change nothing (RFC 9110 §9.2.1).
    pub is_head: bool,
    /// The client's address, as far as trusted proxies report it.
    pub client_ip: IpAddr,
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
    /// All header fields, for a protocol of its own; empty on other routes.
    pub fields: HeaderMap,
}
