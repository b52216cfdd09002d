//! The WebSocket of a stream: hello, subscriptions, events, heartbeats and the close (`docs/reference/stream.md`, RFC
//! 6455).
//!
//! An idle stream holds one read buffer and nothing else. A client that does not read for too long
//! (`limits.response_write_timeout`) is disconnected, and resumes with the last event it received.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::{SinkExt, StreamExt};
use posthouse_app::events::log::EventFilter;
use posthouse_app::events::stream::{self, SubscriptionRequest};
use posthouse_app::events::subscriptions;
use posthouse_app::memory::streams::{StreamBatch, StreamSubscription, event_frame};
use posthouse_app::ports::BoxFuture;
use posthouse_domain::stream::{ERRORS_MAX, FRAME_BYTES_MAX, HEARTBEAT_S};
use posthouse_domain::{Caller, Credential, ErrorCode, EventPayload, LimitName, Principal, Refusal, StreamClose, Time};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::broadcast::error::RecvError;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};

use crate::Api;
use crate::connection::limited_reads::{self, LimitedReads};
use crate::stream::frames::{ClientFrame, FrameCount, read};
use crate::stream::handshake::HandshakeOutcome;

/// Time between two heartbeats, in milliseconds.
const HEARTBEAT_MS: i64 = 1_000 * HEARTBEAT_S.cast_signed();
/// How long a closed stream waits for the client's close frame, in milliseconds.
const LINGER_MS: i64 = 1_000;
/// Size of the read buffer of an idle stream.
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// Events that a replay loads and renders at once.
const REPLAY_STEP: usize = 100;

/// Serves a stream to its end. `early` is what the client sent together with its handshake.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    api: &Arc<Api>,
    handshake: HandshakeOutcome,
    io: S,
    early: Vec<u8>,
) {
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_message_size(Some(FRAME_BYTES_MAX))
        .max_frame_size(Some(FRAME_BYTES_MAX));
    let frames_max = api.service.config.limits.stream_frames_per_minute;
    let bytes_max = frames_max.map(|max| max.saturating_mul(FRAME_BYTES_MAX as u64));
    let io = LimitedReads::new(io, Arc::clone(&api.service.clock), bytes_max);
    let mut wire = WebSocketStream::from_partially_read(io, early, Role::Server, Some(config)).await;
    let ending = match &handshake {
        HandshakeOutcome::Refused(ending) => Some(*ending),
        HandshakeOutcome::Admitted(caller, _) => match subscriptions::join(&api.service, caller).await {
            Ok(subscription) => StreamSession::new(api, **caller, &mut wire).run(subscription).await.err(),
            Err(_) => Some(StreamClose::Restarting),
        },
    };
    if let Some(ending) = ending {
        tracing::debug!(code = ending.code(), "stream.ended");
        let linger = api.service.clock.sleep_until(api.service.clock.now().plus_ms(LINGER_MS));
        tokio::select! {
            // The close frame is sent first, however little time remains.
            biased;
            () = close(&mut wire, ending) => {}
            () = linger => {}
        }
    }
}

/// Sends a close frame, and reads until the client has closed too.
async fn close<S: AsyncRead + AsyncWrite + Unpin>(wire: &mut WebSocketStream<S>, ending: StreamClose) {
    let frame = (ending != StreamClose::Normal)
        .then(|| CloseFrame { code: CloseCode::from(ending.code()), reason: ending.text().into() });
    let _ = wire.close(frame).await;
    while let Some(Ok(_)) = wire.next().await {}
}

/// A subscription, and its position in the event log.
struct ActiveSubscription {
    filter: EventFilter,
    form: EventPayload,
    /// Every event up to this sequence number was sent or does not match.
    last_seq: i64,
}

struct StreamSession<'a, S> {
    api: &'a Arc<Api>,
    caller: Caller,
    wire: &'a mut WebSocketStream<S>,
    subscription: Option<ActiveSubscription>,
    errors: u32,
    frames: FrameCount,
    last_received_at: Time,
}

/// What woke a session.
enum Wakeup {
    Frame(Option<Result<Message, Error>>),
    Batch(Result<Arc<StreamBatch>, RecvError>),
    Heartbeat,
    Drained,
}

impl<'a, S: AsyncRead + AsyncWrite + Unpin> StreamSession<'a, S> {
    fn new(api: &'a Arc<Api>, caller: Caller, wire: &'a mut WebSocketStream<S>) -> Self {
        let now = api.service.clock.now();
        Self { api, caller, wire, subscription: None, errors: 0, frames: FrameCount::new(now), last_received_at: now }
    }

    /// Runs until the stream ends.
    async fn run(mut self, mut events: StreamSubscription) -> Result<(), StreamClose> {
        let api = self.api;
        let mut drained: BoxFuture<'_, ()> = Box::pin(api.service.lifecycle.drained());
        let mut heartbeat = api.service.clock.sleep_until(self.last_received_at.plus_ms(HEARTBEAT_MS));
        self.send(&json!({ "type": "hello", "heartbeat_seconds": HEARTBEAT_S })).await?;
        loop {
            let wakeup = tokio::select! {
                () = &mut drained => Wakeup::Drained,
                frame = self.wire.next() => Wakeup::Frame(frame),
                batch = events.batches.recv() => Wakeup::Batch(batch),
                () = &mut heartbeat => Wakeup::Heartbeat,
            };
            match wakeup {
                Wakeup::Drained => return Err(StreamClose::Restarting),
                Wakeup::Frame(frame) => {
                    self.last_received_at = api.service.clock.now();
                    if self.handle_input(frame).await? {
                        return Ok(());
                    }
                }
                Wakeup::Batch(batch) => self.deliver(batch).await?,
                Wakeup::Heartbeat => {
                    let now = api.service.clock.now();
                    if now.since_ms(self.last_received_at) >= 2 * HEARTBEAT_MS {
                        return Err(StreamClose::Idle);
                    }
                    heartbeat = api.service.clock.sleep_until(now.plus_ms(HEARTBEAT_MS));
                    self.write(Message::Ping(Bytes::new())).await?;
                }
            }
        }
    }

    /// Handles input from the client. Returns whether the connection has ended.
    async fn handle_input(&mut self, frame: Option<Result<Message, Error>>) -> Result<bool, StreamClose> {
        if let Some(Ok(Message::Text(_) | Message::Binary(_) | Message::Ping(_))) = &frame {
            self.count_frame().await?;
        }
        match frame {
            Some(Ok(Message::Text(text))) => self.handle_frame(text.as_str()).await?,
            Some(Ok(Message::Binary(_))) => {
                self.send_error(&Refusal::new(ErrorCode::InvalidRequest, "A frame must be JSON text.")).await?;
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            // The reply to the close frame is queued; reading on sends it.
            Some(Ok(Message::Close(_))) => return Err(StreamClose::Normal),
            Some(Err(Error::Capacity(_))) => return Err(StreamClose::TooLarge),
            Some(Err(Error::Protocol(_))) => return Err(StreamClose::Protocol),
            Some(Err(Error::Utf8(_))) => return Err(StreamClose::Encoding),
            Some(Err(Error::Io(error))) if limited_reads::is_limit(&error) => {
                self.api.service.metrics.limit_refused(LimitName::StreamFramesPerMinute);
                return Err(StreamClose::TooMany);
            }
            Some(Err(_)) | None => return Ok(true),
        }
        Ok(false)
    }

    async fn count_frame(&mut self) -> Result<(), StreamClose> {
        let limit = self.api.service.config.limits.stream_frames_per_minute;
        let Err(refusal) = self.frames.count(limit, self.last_received_at) else { return Ok(()) };
        self.api.service.metrics.limit_refused(LimitName::StreamFramesPerMinute);
        self.send_error(&refusal).await?;
        Err(StreamClose::TooMany)
    }

    async fn handle_frame(&mut self, text: &str) -> Result<(), StreamClose> {
        match read(text, self.api.json_limits()) {
            Ok(ClientFrame::Ping) => self.send(&json!({ "type": "pong" })).await,
            Ok(ClientFrame::Pong) => Ok(()),
            Ok(ClientFrame::Subscribe(wanted, form)) => self.subscribe(wanted, form).await,
            Err(refusal) => self.send_error(&refusal).await,
        }
    }

    async fn send_error(&mut self, refusal: &Refusal) -> Result<(), StreamClose> {
        self.errors += 1;
        if self.errors > ERRORS_MAX {
            return Err(StreamClose::Refused);
        }
        let code = if refusal.code == ErrorCode::NotFound { "inbox_not_found" } else { refusal.code.text() };
        let mut frame = json!({ "type": "error", "code": code, "message": refusal.message });
        if !refusal.details.is_empty() {
            frame["details"] = Value::Object(refusal.wire_details());
        }
        self.send(&frame).await
    }

    /// Starts a subscription, replacing the previous one, and sends the events that the client missed.
    async fn subscribe(&mut self, wanted: SubscriptionRequest, form: EventPayload) -> Result<(), StreamClose> {
        let begun = match stream::subscribe(&self.api.service, self.caller, wanted).await {
            Ok(begun) => begun,
            Err(refusal) => return self.send_error(&refusal).await,
        };
        let mut frame = json!({ "type": "subscribed", "replayed": begun.replay.len() });
        if begun.is_truncated {
            frame["replay_truncated"] = true.into();
        }
        self.subscription = Some(ActiveSubscription { filter: begun.filter, form, last_seq: begun.seen });
        self.send(&frame).await?;
        let mut rest = begun.replay.as_slice();
        while !rest.is_empty() {
            let some = rest[..rest.len().min(REPLAY_STEP)].to_vec();
            // The store is unavailable. The client receives the rest when it resumes.
            let rendered = stream::render_events(&self.api.service, self.caller.workspace, some, form).await;
            let rendered = rendered.map_err(|_| StreamClose::Restarting)?;
            if rendered.is_empty() {
                break;
            }
            rest = &rest[rendered.len()..];
            for event in rendered {
                self.write(Message::Text(event_frame(&event))).await?;
            }
        }
        Ok(())
    }

    async fn deliver(&mut self, batch: Result<Arc<StreamBatch>, RecvError>) -> Result<(), StreamClose> {
        let batch = match batch {
            Ok(batch) => batch,
            Err(RecvError::Closed) => return Err(StreamClose::Restarting),
            // A client without a subscription has missed nothing.
            Err(RecvError::Lagged(_)) if self.subscription.is_none() => return Ok(()),
            Err(RecvError::Lagged(_)) => return Err(StreamClose::Slow),
        };
        let is_revoked = match self.caller.principal {
            Principal::Key(key) => batch.revoked.contains(&Credential::Key(key.id)),
            Principal::User(user) => batch.revoked.contains(&Credential::Session(user.session)),
            Principal::Connector(connector) => batch.revoked.contains(&Credential::Connector(connector.id)),
            // Neither can open a stream.
            Principal::Operator | Principal::Service { .. } => true,
        };
        if is_revoked {
            return Err(StreamClose::Credential);
        }
        for item in &batch.events {
            let Some(subscribed) = &mut self.subscription else { return Ok(()) };
            let event = item.loaded.event();
            if event.seq <= subscribed.last_seq {
                continue;
            }
            subscribed.last_seq = event.seq;
            if subscribed.filter.matches(event) {
                let frame = item.frame(subscribed.form);
                self.write(Message::Text(frame)).await?;
            }
        }
        Ok(())
    }

    async fn send(&mut self, frame: &Value) -> Result<(), StreamClose> {
        self.write(Message::Text(frame.to_string().into())).await
    }

    /// Writes a frame. A client that does not read it within `limits.response_write_timeout` is too slow.
    async fn write(&mut self, message: Message) -> Result<(), StreamClose> {
        let api = self.api;
        let mut writing = pin!(self.wire.send(message));
        // Usually the write completes at once, without a timer.
        let at_once = poll_fn(|context: &mut Context<'_>| match writing.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => Poll::Ready(None),
        });
        let done = match at_once.await {
            Some(done) => done,
            None => tokio::select! {
                done = writing => done,
                () = api.service.lifecycle.drained() => return Err(StreamClose::Restarting),
                () = api.service.clock.sleep_until(api.service.clock.now().plus_ms(api.service.config.limits.response_write_timeout_ms)) => {
                    api.service.metrics.limit_refused(LimitName::ResponseWriteTimeout);
                    return Err(StreamClose::Slow);
                }
            },
        };
        // A lost connection needs no close frame.
        done.map_err(|_| StreamClose::Normal)
    }
}
