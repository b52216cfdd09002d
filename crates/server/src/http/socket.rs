//! The WebSocket of one stream: hello, subscriptions, events, signs of life and the end (contract §12, RFC 6455).
//!
//! A stream holds one read buffer and nothing else while it is idle. It never waits for its client longer than a heartbeat:
//! who does not read is let go, and resumes with the last event it saw.

use std::{
    future::poll_fn,
    pin::pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::http::{HeaderMap, header};
use futures_util::{SinkExt, StreamExt};
use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    event::Payload,
    stream::{ERRORS_MAX, Ending, FRAME_BYTES_MAX, HEARTBEAT_S},
    time::Time,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::broadcast::error::RecvError,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Bytes, Error, Message,
        handshake::derive_accept_key,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};

use super::v1::stream::read;
use crate::{
    app::{
        App,
        read_events::Filter,
        stream::{self, Wanted},
    },
    ports::Pending,
    streams::{News, Seat, event_frame},
};

/// The time between two signs of life, in milliseconds.
const BEAT_MS: i64 = 1_000 * HEARTBEAT_S.cast_signed();
/// How long a closed stream is kept for the client's answer, in milliseconds.
const LINGER_MS: i64 = 1_000;
/// Bytes that an idle stream reads into.
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// Events that are read and shown at once in a replay.
const REPLAY_STEP: usize = 100;

/// Who comes in by a handshake.
#[derive(Clone, Copy, Debug)]
pub enum Entrance {
    /// May listen.
    Admitted(Caller),
    /// Is told why not.
    Refused(Ending),
}

/// What a client asks by a frame.
pub enum Asked {
    /// To hear events.
    Subscribe(Wanted, Payload),
    /// For a sign of life.
    Ping,
    /// Nothing.
    Nothing,
}

/// The accept key of a request that asks for a WebSocket (RFC 6455 §4.2).
#[must_use]
pub fn handshake(headers: &HeaderMap) -> Option<String> {
    let says = |name, word: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case(word))
    };
    let asks = says(header::UPGRADE, "websocket")
        && says(header::CONNECTION, "upgrade")
        && says(header::SEC_WEBSOCKET_VERSION, "13");
    headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| asks).map(|key| derive_accept_key(key.as_bytes()))
}

/// Serves a stream to its end. `early` is what the client sent behind its handshake.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(app: &Arc<App>, entrance: Entrance, io: S, early: Vec<u8>) {
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_message_size(Some(FRAME_BYTES_MAX))
        .max_frame_size(Some(FRAME_BYTES_MAX));
    let mut wire = WebSocketStream::from_partially_read(io, early, Role::Server, Some(config)).await;
    let ending = match entrance {
        Entrance::Refused(ending) => Some(ending),
        Entrance::Admitted(caller) => match app.streams.join(app, caller.workspace, caller.key).await {
            Ok(seat) => Session::new(app, caller, &mut wire).run(seat).await.err(),
            Err(_) => Some(Ending::Restarting),
        },
    };
    if let Some(ending) = ending {
        tracing::debug!(code = ending.code(), "stream.ended");
        let linger = app.clock.sleep_until(app.clock.now().plus_ms(LINGER_MS));
        tokio::select! {
            // However little time is left, the word is said first.
            biased;
            () = say_goodbye(&mut wire, ending) => {}
            () = linger => {}
        }
    }
}

/// Closes, and reads until the client has closed too.
async fn say_goodbye<S: AsyncRead + AsyncWrite + Unpin>(wire: &mut WebSocketStream<S>, ending: Ending) {
    let frame = (ending != Ending::Normal)
        .then(|| CloseFrame { code: CloseCode::from(ending.code()), reason: ending.text().into() });
    let _ = wire.close(frame).await;
    while let Some(Ok(_)) = wire.next().await {}
}

/// What a stream passes on.
struct Subscribed {
    filter: Filter,
    form: Payload,
    /// Everything up to this place is sent or not wanted.
    seen: i64,
}

struct Session<'a, S> {
    app: &'a Arc<App>,
    caller: Caller,
    wire: &'a mut WebSocketStream<S>,
    subscribed: Option<Subscribed>,
    errors: u32,
    heard_at: Time,
}

/// Why a session stops.
enum Woken {
    Frame(Option<Result<Message, Error>>),
    News(Result<Arc<News>, RecvError>),
    Beat,
    Drained,
}

impl<'a, S: AsyncRead + AsyncWrite + Unpin> Session<'a, S> {
    fn new(app: &'a Arc<App>, caller: Caller, wire: &'a mut WebSocketStream<S>) -> Self {
        Self { app, caller, wire, subscribed: None, errors: 0, heard_at: app.clock.now() }
    }

    /// Runs until there is a reason to end.
    async fn run(mut self, mut seat: Seat) -> Result<(), Ending> {
        let app = self.app;
        let mut drained: Pending<'_, ()> = Box::pin(app.life.drained());
        let mut beat = app.clock.sleep_until(self.heard_at.plus_ms(BEAT_MS));
        self.send(&json!({ "type": "hello", "heartbeat_seconds": HEARTBEAT_S })).await?;
        loop {
            let woken = tokio::select! {
                () = &mut drained => Woken::Drained,
                frame = self.wire.next() => Woken::Frame(frame),
                news = seat.news.recv() => Woken::News(news),
                () = &mut beat => Woken::Beat,
            };
            match woken {
                Woken::Drained => return Err(Ending::Restarting),
                Woken::Frame(frame) => {
                    self.heard_at = app.clock.now();
                    if self.take(frame).await? {
                        return Ok(());
                    }
                }
                Woken::News(news) => self.pass_on(news).await?,
                Woken::Beat => {
                    let now = app.clock.now();
                    if now.since_ms(self.heard_at) >= 2 * BEAT_MS {
                        return Err(Ending::Silent);
                    }
                    beat = app.clock.sleep_until(now.plus_ms(BEAT_MS));
                    self.write(Message::Ping(Bytes::new())).await?;
                }
            }
        }
    }

    /// Takes what came from the client; whether that was its end.
    async fn take(&mut self, frame: Option<Result<Message, Error>>) -> Result<bool, Ending> {
        match frame {
            Some(Ok(Message::Text(text))) => self.answer(text.as_str()).await?,
            Some(Ok(Message::Binary(_))) => {
                self.complain(&Refusal::new(Code::InvalidRequest, "A frame is JSON text.")).await?;
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            // The answer to a close is on its way; reading on sends it.
            Some(Ok(Message::Close(_))) => return Err(Ending::Normal),
            Some(Err(Error::Capacity(_))) => return Err(Ending::TooLarge),
            Some(Err(Error::Protocol(_))) => return Err(Ending::Protocol),
            Some(Err(Error::Utf8(_))) => return Err(Ending::Encoding),
            Some(Err(_)) | None => return Ok(true),
        }
        Ok(false)
    }

    async fn answer(&mut self, text: &str) -> Result<(), Ending> {
        match read(text) {
            Ok(Asked::Ping) => self.send(&json!({ "type": "pong" })).await,
            Ok(Asked::Nothing) => Ok(()),
            Ok(Asked::Subscribe(wanted, form)) => self.subscribe(wanted, form).await,
            Err(refusal) => self.complain(&refusal).await,
        }
    }

    async fn complain(&mut self, refusal: &Refusal) -> Result<(), Ending> {
        self.errors += 1;
        if self.errors > ERRORS_MAX {
            return Err(Ending::Refused);
        }
        let code = if refusal.code == Code::NotFound { "inbox_not_found" } else { refusal.code.text() };
        let mut frame = json!({ "type": "error", "code": code, "message": refusal.message });
        if !refusal.details.is_empty() {
            frame["details"] = Value::Object(refusal.details.clone());
        }
        self.send(&frame).await
    }

    /// Begins a subscription, in place of the one before, and sends what was missed.
    async fn subscribe(&mut self, wanted: Wanted, form: Payload) -> Result<(), Ending> {
        let begun = match stream::subscribe(self.app, self.caller, wanted).await {
            Ok(begun) => begun,
            Err(refusal) => return self.complain(&refusal).await,
        };
        let mut frame = json!({ "type": "subscribed", "replayed": begun.replay.len() });
        if begun.is_truncated {
            frame["replay_truncated"] = true.into();
        }
        self.subscribed = Some(Subscribed { filter: begun.filter, form, seen: begun.seen });
        self.send(&frame).await?;
        for some in begun.replay.chunks(REPLAY_STEP) {
            // The store is away: whoever resumes gets what was not sent.
            let shown = stream::show(self.app, self.caller.workspace, some.to_vec(), form).await;
            for event in shown.map_err(|_| Ending::Restarting)? {
                self.write(Message::Text(event_frame(&event))).await?;
            }
        }
        Ok(())
    }

    async fn pass_on(&mut self, news: Result<Arc<News>, RecvError>) -> Result<(), Ending> {
        let news = match news {
            Ok(news) => news,
            Err(RecvError::Closed) => return Err(Ending::Restarting),
            // Who has not subscribed has missed nothing.
            Err(RecvError::Lagged(_)) if self.subscribed.is_none() => return Ok(()),
            Err(RecvError::Lagged(_)) => return Err(Ending::Slow),
        };
        if news.revoked.contains(&self.caller.key) {
            return Err(Ending::Credential);
        }
        for item in &news.events {
            let Some(subscribed) = &mut self.subscribed else { return Ok(()) };
            let event = item.shown.event();
            if event.seq <= subscribed.seen {
                continue;
            }
            subscribed.seen = event.seq;
            if subscribed.filter.takes(event) {
                let frame = item.frame(subscribed.form);
                self.write(Message::Text(frame)).await?;
            }
        }
        Ok(())
    }

    async fn send(&mut self, frame: &Value) -> Result<(), Ending> {
        self.write(Message::Text(frame.to_string().into())).await
    }

    /// Writes a frame. A client that does not read for a whole heartbeat is too slow.
    async fn write(&mut self, message: Message) -> Result<(), Ending> {
        let app = self.app;
        let mut writing = pin!(self.wire.send(message));
        // Mostly there is room at once, and then no timer is needed.
        let at_once = poll_fn(|context: &mut Context<'_>| match writing.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => Poll::Ready(None),
        });
        let done = match at_once.await {
            Some(done) => done,
            None => tokio::select! {
                done = writing => done,
                () = app.life.drained() => return Err(Ending::Restarting),
                () = app.clock.sleep_until(app.clock.now().plus_ms(BEAT_MS)) => return Err(Ending::Slow),
            },
        };
        // A connection that is gone needs no goodbye, and gets none.
        done.map_err(|_| Ending::Normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    fn asked(fields: &[(HeaderName, &'static str)]) -> Option<String> {
        let fields = fields.iter().map(|(name, value)| (name.clone(), axum::http::HeaderValue::from_static(value)));
        handshake(&fields.collect())
    }

    #[test]
    fn a_handshake_has_all_its_fields() {
        let whole = [
            (header::UPGRADE, "WebSocket"),
            (header::CONNECTION, "keep-alive, Upgrade"),
            (header::SEC_WEBSOCKET_VERSION, "13"),
            (header::SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        assert_eq!(asked(&whole).as_deref(), Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "RFC 6455 §1.3");
        for at in 0..whole.len() {
            let mut less = whole.to_vec();
            less.remove(at);
            assert_eq!(asked(&less), None);
        }
    }
}
