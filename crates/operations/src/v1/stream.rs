//! `/v1/stream/token`: tokens of the stream. See `docs/reference/stream.md`; the handshake is in the crate of pages.

use posthouse_api::views::TimestampView;
use posthouse_app::events::stream;
use posthouse_call::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Post, "/v1/stream/token", "createStreamToken", Permission::MessagesRead)
            .summary("Creates a token that opens one stream within a minute, for clients that cannot send headers.")
            .responds::<TokenView>(201)
            .handle(token),
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

async fn token(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let issued = stream::issue(&service, input.caller).await?;
    let token = issued.token.reveal().to_owned();
    // http becomes ws, and https becomes wss.
    let base = service.config.base_url.trim_end_matches('/').trim_start_matches("http");
    let url = format!("ws{base}/v1/stream?token={token}");
    Outcome::json(201, &TokenView { token, expires_at: issued.expires_at.into(), url })
}
