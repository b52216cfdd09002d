//! Answers that are streams: server-sent events (WHATWG HTML §9.2), one for each message.

use axum::http::HeaderMap;
use bytes::Bytes;
use futures_util::stream;
use posthouse_call::OutcomeStream;
use posthouse_http::prelude::*;
use posthouse_http::route::ResponseBody;
use posthouse_mcp::{Failure, FailureKind, MessageStream};

/// The content type of a stream.
const EVENT_STREAM: &str = "text/event-stream";
/// Memory that producing a message takes, in bytes: its events are in memory for all streams of a workspace.
const STEP_BYTES: u64 = 0;

/// Checks that the client can read a stream.
///
/// # Errors
/// Returns `InvalidRequest` if it doesn't accept one.
pub(super) fn check_accept(fields: &HeaderMap) -> Result<(), Failure> {
    let accepts = |value: &HeaderValue| {
        value.to_str().is_ok_and(|text| [EVENT_STREAM, "text/*", "*/*"].iter().any(|name| text.contains(name)))
    };
    let mut values = fields.get_all(header::ACCEPT).iter().peekable();
    if values.peek().is_none() || values.any(accepts) {
        return Ok(());
    }
    let failure = Failure::new(FailureKind::InvalidRequest, "This method is answered with a stream.");
    Err(failure.with_fix("Send `Accept: application/json, text/event-stream`."))
}

/// Returns the response with the messages of a stream.
pub(super) async fn response(mut messages: MessageStream) -> RouteResponse {
    let first = messages.next().await.map(|message| frame(&message)).unwrap_or_default();
    let rest = stream::unfold(messages, |mut messages| async move {
        let message = messages.next().await?;
        Some((Ok::<_, Refusal>(frame(&message)), messages))
    });
    opened(OutcomeStream::new(None, rest).with_steps(first, STEP_BYTES))
}

fn opened(body: OutcomeStream) -> RouteResponse {
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let (headers, body) = (fields.to_vec(), ResponseBody::Stream(body));
    RouteResponse { status: StatusCode::OK, headers, body, ..RouteResponse::empty() }
}

/// Returns a message as an event of the stream. JSON has no line breaks outside of texts, where they are escaped.
fn frame(message: &str) -> Bytes {
    format!("event: message\ndata: {message}\n\n").into()
}
