//! The event stream: a WebSocket that reconnects and continues where it was interrupted (`docs/reference/stream.md`).

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderValue},
};

use crate::{api::Api, entropy, error::ClientError, http::Wire};

/// How long the server may be silent: two of its heartbeats.
const SILENCE: Duration = Duration::from_secs(60);
/// How long the handshake may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest pause before a new connection, in seconds.
const PAUSE_S_MAX: u64 = 30;
/// Close codes after which another connection would end the same way, with the reason.
const FINAL_CODES: &[(u16, &str)] = &[
    (1002, "the server did not understand the client"),
    (1008, "the server refused the subscription"),
    (4001, "the key is wrong, expired or revoked; run posthouse login with another one"),
    (4003, "the key lacks the permission messages:read; use another key"),
];

/// What to subscribe to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subscription {
    /// Ids of inboxes; empty for every inbox of the key.
    pub(crate) inbox_ids: Vec<String>,
    /// Types of events; empty for all.
    pub(crate) event_types: Vec<String>,
    /// Whether to leave out the content of mail.
    pub(crate) envelope: bool,
    /// The last event that was processed.
    pub(crate) since: Option<String>,
}

/// A subscription that survives interruptions.
pub(crate) struct EventStream<'a> {
    api: &'a Api,
    wanted: Subscription,
    socket: Option<WebSocketStream<Wire>>,
    failures: u32,
    /// The time to wait before the next connection.
    pause: Option<Duration>,
    was_connected: bool,
}

/// What the stream returned.
pub(crate) enum StreamItem {
    /// An event: `id`, `type`, `created_at`, `data`.
    Event(Value),
    /// The stream is open; more was missed than the server repeats.
    Truncated,
    /// The connection ended for this reason, and is opened again.
    Interrupted(String),
}

impl<'a> EventStream<'a> {
    /// Creates the stream; the first call of [`EventStream::next`] opens it.
    pub(crate) fn new(api: &'a Api, wanted: Subscription) -> Self {
        Self { api, wanted, socket: None, failures: 0, pause: None, was_connected: false }
    }

    /// Opens the stream.
    ///
    /// # Errors
    /// Fails as [`EventStream::next`] does.
    pub(crate) async fn connect(&mut self) -> Result<(), ClientError> {
        self.open().await.map(drop)
    }

    /// Returns the next item.
    ///
    /// # Errors
    /// Fails if the server refuses the subscription, or if it can't be reached at the start.
    pub(crate) async fn next(&mut self) -> Result<StreamItem, ClientError> {
        loop {
            if let Some(pause) = self.pause.take() {
                sleep(pause).await;
            }
            if self.socket.is_none() {
                match self.open().await {
                    Ok(false) => {}
                    Ok(true) => return Ok(StreamItem::Truncated),
                    // A server that was there comes back.
                    Err(ClientError::Unreachable(why)) if self.was_connected => {
                        return self.interrupted(why);
                    }
                    Err(error) => return Err(error),
                }
            }
            match self.frame().await? {
                Frame::Json(frame) => match frame["type"].as_str() {
                    Some("event") => {
                        let event = frame["event"].clone();
                        self.wanted.since = event["id"].as_str().map(str::to_owned).or(self.wanted.since.take());
                        return Ok(StreamItem::Event(event));
                    }
                    Some("error") => return Err(refusal(&frame)),
                    _ => {}
                },
                Frame::End(why) => return self.interrupted(why),
            }
        }
    }

    /// Closes the connection; the next one is opened after a pause.
    fn interrupted(&mut self, why: String) -> Result<StreamItem, ClientError> {
        self.socket = None;
        self.failures = self.failures.saturating_add(1);
        let seconds = 2_u64.saturating_pow(self.failures.saturating_sub(1)).min(PAUSE_S_MAX);
        let [jitter] = entropy::bytes::<1>()?;
        let pause_ms = seconds * 500 + seconds * 500 * u64::from(jitter) / 255;
        self.pause = Some(Duration::from_millis(pause_ms));
        Ok(StreamItem::Interrupted(why))
    }

    /// Connects and subscribes. Returns whether events were missed that the server doesn't repeat.
    async fn open(&mut self) -> Result<bool, ClientError> {
        let http = self.api.http();
        let base = http.base().clone();
        let url = format!("ws{}/v1/stream", self.api.base().strip_prefix("http").unwrap_or_default());
        let mut request = url.into_client_request().map_err(|error| http.unreachable(&error.to_string()))?;
        if let Some(authorization) = self.api.authorization() {
            let value = HeaderValue::from_str(&authorization)
                .map_err(|_| ClientError::Usage("the API key has characters that no key can have".to_owned()))?;
            request.headers_mut().insert("authorization", value);
        }
        let host = base.host_str().unwrap_or_default().to_owned();
        let port = base.port_or_known_default().unwrap_or(443);
        let opened = async {
            let wire = http.connector().connect(host, port).await.map_err(|error| error.to_string())?;
            client_async(request, wire).await.map(|(socket, _)| socket).map_err(|error| error.to_string())
        };
        let socket = timeout(HANDSHAKE_TIMEOUT, opened).await.unwrap_or_else(|_| Err("no response within 30 s".into()));
        let mut socket = socket.map_err(|why| http.unreachable(&why))?;
        let frame = self.subscribe_frame();
        socket.send(Message::text(frame.to_string())).await.map_err(|error| http.unreachable(&error.to_string()))?;
        self.socket = Some(socket);
        loop {
            match self.frame().await? {
                Frame::Json(frame) if frame["type"] == "subscribed" => {
                    (self.failures, self.was_connected) = (0, true);
                    return Ok(frame["replay_truncated"].as_bool() == Some(true));
                }
                Frame::Json(frame) if frame["type"] == "error" => return Err(refusal(&frame)),
                Frame::Json(_) => {}
                Frame::End(why) => return Err(self.api.http().unreachable(&why)),
            }
        }
    }

    fn subscribe_frame(&self) -> Value {
        let mut frame = json!({ "type": "subscribe" });
        let wanted = &self.wanted;
        if !wanted.inbox_ids.is_empty() {
            frame["inbox_ids"] = json!(wanted.inbox_ids);
        }
        if !wanted.event_types.is_empty() {
            frame["event_types"] = json!(wanted.event_types);
        }
        if wanted.envelope {
            frame["payload"] = "envelope".into();
        }
        if let Some(since) = &wanted.since {
            frame["since"] = since.as_str().into();
        }
        frame
    }

    /// Reads the next frame. Pings count as a sign of life; the library answers them.
    async fn frame(&mut self) -> Result<Frame, ClientError> {
        let Some(socket) = &mut self.socket else { return Ok(Frame::End("it is not open".to_owned())) };
        loop {
            let Ok(next) = timeout(SILENCE, socket.next()).await else {
                return Ok(Frame::End("the server was silent for 60 s".to_owned()));
            };
            match next {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(frame) = serde_json::from_str(text.as_str()) {
                        return Ok(Frame::Json(frame));
                    }
                }
                Some(Ok(Message::Close(close))) => {
                    let code = close.map_or(1005, |close| u16::from(close.code));
                    if let Some((_, why)) = FINAL_CODES.iter().find(|(known, _)| *known == code) {
                        return Err(ClientError::Failed(format!("the stream ended with code {code}: {why}")));
                    }
                    return Ok(Frame::End(format!("the server closed the stream with code {code}")));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Ok(Frame::End(error.to_string())),
                None => return Ok(Frame::End("the connection ended".to_owned())),
            }
        }
    }
}

enum Frame {
    Json(Value),
    End(String),
}

/// Returns the error of an `error` frame.
fn refusal(frame: &Value) -> ClientError {
    let mut error = frame.clone();
    if let Some(members) = error.as_object_mut() {
        members.shift_remove("type");
    }
    ClientError::Api(Box::new(crate::error::ApiError::of(0, &error, "the server refused the subscription")))
}
