//! `/v1/stream`: tokens, the handshake and the frames of a client. See `docs/reference/stream.md`.
//!
//! Every valid WebSocket handshake succeeds, and refusals are sent as close codes, because browsers never see the
//! status of a refused handshake (`docs/decisions/0036-streams-refuse-by-close-code.md`).

use crate::Api;
use std::sync::Arc;

use axum::http::{HeaderValue, Method, header};
use posthouse_domain::{
    auth::{ApiKeySecret, Permission},
    error::{ErrorCode, Refusal},
    stream::StreamClose,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    route::{PublicInput, Route, RouteInput, RouteResponse},
    socket::HandshakeOutcome,
};
use posthouse_api::{views::TimestampView, wire::query};
use posthouse_app::{
    access::authenticate,
    app::App,
    events::stream::{self},
    settings::SecretText,
};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/v1/stream/token", "createStreamToken", Permission::MessagesRead)
            .summary("Creates a token that opens one stream within a minute, for clients that cannot send headers.")
            .answers::<TokenView>(201)
            .handle(token),
        Route::public(Method::GET, "/v1/stream", "openStream")
            .summary(
                "Opens the WebSocket of events, with a token or the Authorization header. Frames are JSON. The server \
                 sends hello; the client sends subscribe with inbox_ids, event_types, payload (full or envelope) and \
                 since, all optional; the server answers with subscribed, then sends events. It answers a ping with a \
                 pong. An invalid credential closes the stream with code 4001, a missing permission with 4003.",
            )
            .answers_with(101, None)
            .errors(&[ErrorCode::InvalidRequest])
            .handle(open),
    ]
}

/// A stream token, shown once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StreamToken")]
struct TokenView {
    token: String,
    expires_at: TimestampView,
    /// URL of the stream, including the token.
    url: String,
}

async fn token(app: Arc<Api>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    let issued = stream::issue(&app, input.caller).await?;
    let token = issued.token.reveal().to_owned();
    // http becomes ws, and https becomes wss.
    let base = app.config.base_url.trim_end_matches('/').trim_start_matches("http");
    let url = format!("ws{base}/v1/stream?token={token}");
    RouteResponse::json(201, &TokenView { token, expires_at: issued.expires_at.into(), url })
}

query! {
    /// Credential of a stream.
    struct StreamQuery {
        /// A token from `POST /v1/stream/token`. If omitted, the `Authorization` header is used.
        token: Option<SecretText>,
    }
}

async fn open(app: Arc<Api>, input: PublicInput<StreamQuery>) -> Result<RouteResponse, Refusal> {
    let Some(accept) = input.request.handshake else {
        let refusal =
            Refusal::invalid_field("Upgrade", "must be `websocket`: this route accepts only WebSocket handshakes");
        return Err(refusal.with_fix("Use a WebSocket client."));
    };
    let accept = HeaderValue::from_str(&accept)
        .map_err(|_| Refusal::new(ErrorCode::Internal, "The handshake couldn't be completed."))?;
    let handshake = authenticate_stream(&app, input.query.token, input.request.bearer).await?;
    let response = RouteResponse::upgrade(handshake)
        .with(header::CONNECTION, HeaderValue::from_static("Upgrade"))
        .with(header::UPGRADE, HeaderValue::from_static("websocket"))
        .with(header::SEC_WEBSOCKET_ACCEPT, accept);
    Ok(response)
}

/// Resolves the caller of a stream. Returns an error only for problems the client did not cause.
async fn authenticate_stream(
    app: &App,
    token: Option<SecretText>,
    bearer: Option<SecretText>,
) -> Result<HandshakeOutcome, Refusal> {
    let refused = |close| Ok(HandshakeOutcome::Refused(close));
    let caller = match (token, bearer) {
        (Some(SecretText(token)), _) => authenticate::authenticate_stream_token(app, &token).await,
        (None, Some(SecretText(key))) => match ApiKeySecret::parse(&key) {
            Some(key) => authenticate::authenticate(app, &key).await.map(|authenticated| authenticated.caller),
            None => return refused(StreamClose::Credential),
        },
        (None, None) => return refused(StreamClose::Credential),
    };
    match caller {
        Ok(caller) if stream::may_listen(&caller).is_ok() => Ok(HandshakeOutcome::Admitted(caller)),
        Ok(_) => refused(StreamClose::Permission),
        Err(refusal) if refusal.code == ErrorCode::Unauthorized => refused(StreamClose::Credential),
        Err(refusal) => Err(refusal),
    }
}
