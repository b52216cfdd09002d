//! `/v1/stream`: the handshake. See `docs/reference/stream.md`.
//!
//! A handshake with a wrong credential succeeds, and the refusal is sent as a close code, because browsers never see the
//! status of a refused handshake (`docs/decisions/events.md#0036-streams-refuse-by-close-code`).

use posthouse_app::access::{authenticate::AuthenticatedCaller, credentials};
use posthouse_app::{events::stream, settings::SecretText};
use posthouse_domain::{ApiKeySecret, StreamClose};
use posthouse_http::prelude::*;
use posthouse_http::stream::handshake::HandshakeOutcome;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Operation::public(Method::Get, "/v1/stream", "openStream")
            .summary(
                "Opens the WebSocket of events, with a token or the Authorization header. Frames are JSON. The server \
                 sends hello; the client sends subscribe with inbox_ids, event_types, payload (full or envelope) and \
                 since, all optional; the server answers with subscribed, then sends events. It answers a ping with a \
                 pong. An invalid credential closes the stream with code 4001, a missing permission with 4003. Too many \
                 streams of one workspace are refused with 429.",
            )
            .responds_with(101, None)
            .errors(&[ErrorCode::InvalidRequest, ErrorCode::RateLimited])
            .page(open),
    ]
}

query! {
    /// Credential of a stream.
    struct StreamQuery {
        /// A token from `POST /v1/stream/token`. If omitted, the `Authorization` header is used.
        token: Option<SecretText>,
    }
}

async fn open(service: Arc<Service>, input: PageInput<StreamQuery>) -> Result<RouteResponse, Refusal> {
    let Some(accept) = &input.request.handshake else {
        let refusal =
            Refusal::invalid_field("Upgrade", "must be `websocket`: this route accepts only WebSocket handshakes");
        return Err(refusal.with_fix("Use a WebSocket client."));
    };
    let accept = HeaderValue::from_str(accept)
        .map_err(|_| Refusal::new(ErrorCode::Internal, "The handshake couldn't be completed."))?;
    let handshake = admit(&service, input.query.token, &input.request).await?;
    let response = RouteResponse::upgrade(handshake)
        .with(header::CONNECTION, HeaderValue::from_static("Upgrade"))
        .with(header::UPGRADE, HeaderValue::from_static("websocket"))
        .with(header::SEC_WEBSOCKET_ACCEPT, accept);
    Ok(response)
}

/// Resolves the caller of a stream and counts the stream. Refusals of the credential are sent as close codes; other
/// refusals are responses.
async fn admit(
    service: &Service,
    token: Option<SecretText>,
    request: &RequestInfo,
) -> Result<HandshakeOutcome, Refusal> {
    let found = match (token, &request.bearer) {
        (Some(token), _) => credentials::stream_token(service, &token, request.client_ip).await,
        (None, Some(SecretText(key))) => match ApiKeySecret::parse(key) {
            Some(key) => credentials::key(service, &key, request.client_ip, request.user_agent.as_deref()).await,
            None => return Ok(HandshakeOutcome::Refused(StreamClose::Credential)),
        },
        (None, None) => return Ok(HandshakeOutcome::Refused(StreamClose::Credential)),
    };
    match found {
        Ok(found) => count(service, &found, request),
        Err(refusal) if refusal.code == ErrorCode::Unauthorized => {
            Ok(HandshakeOutcome::Refused(StreamClose::Credential))
        }
        Err(refusal) => Err(refusal),
    }
}

/// Counts the stream and its connection.
fn count(service: &Service, found: &AuthenticatedCaller, request: &RequestInfo) -> Result<HandshakeOutcome, Refusal> {
    let AuthenticatedCaller { caller, workspace } = found;
    if stream::check_can_subscribe(caller).is_err() {
        return Ok(HandshakeOutcome::Refused(StreamClose::Permission));
    }
    if let Some(slot) = &request.connection {
        slot.authenticated(service, workspace)?;
    }
    let share = stream::share(service, workspace)?;
    Ok(HandshakeOutcome::Admitted(Box::new(*caller), Arc::new(share)))
}
