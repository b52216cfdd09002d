//! Distributes the events of each workspace to its streams. One reader per workspace follows the log and broadcasts
//! each batch; an event is read once and serialized once per payload form, however many streams there are.
//!
//! All readers run in one task, [`run`]. A stream that falls too far behind gets a lag error and has to resume: the
//! reader doesn't wait for it and buffers nothing for it. Each stream applies its own filter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::{StreamExt, stream::FuturesUnordered};
use posthouse_api::views::event::{EventView, RenderableEvent};
use posthouse_domain::{Caller, Credential, ErrorCode, EventPayload, Refusal, WorkspaceId, stream::HEARTBEAT_S};
use posthouse_store::{Result as StoreResult, Tx, events};
use tokio::sync::{broadcast, mpsc};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::events::{log, log::EventFilter, log::EventReadLimits, render, render::EventDetail, stream::written};
use crate::{access::authenticate::is_active, app::App};

/// Batches that a stream may lag behind before it is closed.
const BEHIND_MAX: usize = 256;
/// Limits of one read of the log.
const READ_BOUNDS: EventReadLimits = EventReadLimits { events: 100, scanned: 200 };
/// Delay before a reader retries after a failed read, in milliseconds.
const RETRY_MS: i64 = 1_000;
/// Time between reads without a wakeup, in milliseconds. A read also checks for revoked
/// keys and ended sessions.
const POLL_MS: i64 = 1_000 * HEARTBEAT_S.cast_signed();

/// The streams of this process.
#[derive(Clone)]
pub struct Streams(Arc<StreamTopics>);

struct StreamTopics {
    topics: Mutex<Topics>,
    /// Topics that need a reader.
    opened: mpsc::UnboundedSender<OpenedTopic>,
    /// Taken by the task that runs the readers.
    to_read: Mutex<Option<mpsc::UnboundedReceiver<OpenedTopic>>>,
}

#[derive(Default)]
struct Topics {
    created: u64,
    is_closed: bool,
    by_workspace: HashMap<WorkspaceId, Topic>,
}

/// The streams of one workspace.
struct Topic {
    number: u64,
    batches: broadcast::Sender<Arc<StreamBatch>>,
    /// The number of streams per credential.
    credentials: HashMap<Credential, usize>,
}

/// A topic that needs a reader, and the log position to read from.
struct OpenedTopic {
    workspace: WorkspaceId,
    topic: u64,
    seq: i64,
}

/// A batch of events, and the credentials that were revoked.
#[derive(Default)]
pub struct StreamBatch {
    /// The events, oldest first.
    pub events: Vec<StreamEvent>,
    /// Revoked keys and ended sessions; their streams must close.
    pub revoked: Vec<Credential>,
}

/// An event that is serialized when the first stream needs it.
pub struct StreamEvent {
    /// The event.
    pub loaded: RenderableEvent,
    full: OnceLock<Utf8Bytes>,
    envelope: OnceLock<Utf8Bytes>,
}

impl StreamEvent {
    /// Returns the event frame in a payload form; the text is shared.
    #[must_use]
    pub fn frame(&self, form: EventPayload) -> Utf8Bytes {
        let kept = match form {
            EventPayload::Full => &self.full,
            EventPayload::Envelope => &self.envelope,
        };
        kept.get_or_init(|| event_frame(&written(&EventView::in_form(&self.loaded, form)))).clone()
    }
}

/// Returns the frame for an event's JSON.
#[must_use]
pub fn event_frame(event: &str) -> Utf8Bytes {
    format!(r#"{{"type":"event","event":{event}}}"#).into()
}

/// The subscription of one stream, released on drop.
pub struct StreamSubscription {
    streams: Streams,
    workspace: WorkspaceId,
    credential: Credential,
    topic: u64,
    /// Receives batches; returns a lag error if the stream is too far behind.
    pub batches: broadcast::Receiver<Arc<StreamBatch>>,
}

impl Default for Streams {
    fn default() -> Self {
        let (opened, to_read) = mpsc::unbounded_channel();
        Self(Arc::new(StreamTopics { topics: Mutex::default(), opened, to_read: Mutex::new(Some(to_read)) }))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Streams {
    /// Subscribes a stream: it receives every event appended from now on, and possibly older ones.
    ///
    /// # Errors
    /// Returns `forbidden` for the operator and the service or `unavailable` if the server is stopping.
    pub async fn join(&self, app: &App, caller: &Caller) -> Result<StreamSubscription, Refusal> {
        let workspace = caller.workspace;
        let credential = caller.credential()?;
        if let Some(subscription) = self.subscribe(workspace, credential, None) {
            return Ok(subscription);
        }
        let seq = app.store.read_inline(move |tx| events::head(tx, workspace)).await?;
        let closed = || Refusal::new(ErrorCode::Unavailable, "The server is shutting down.");
        self.subscribe(workspace, credential, Some(seq)).ok_or_else(closed)
    }

    /// Subscribes to the topic of the workspace. With `seq`, creates a missing topic whose reader starts after it.
    fn subscribe(
        &self,
        workspace: WorkspaceId,
        credential: Credential,
        seq: Option<i64>,
    ) -> Option<StreamSubscription> {
        let mut topics = locked(&self.0.topics);
        if topics.is_closed {
            return None;
        }
        if !topics.by_workspace.contains_key(&workspace) {
            topics.created += 1;
            let opened = OpenedTopic { workspace, topic: topics.created, seq: seq? };
            let topic = Topic {
                number: opened.topic,
                batches: broadcast::Sender::new(BEHIND_MAX),
                credentials: HashMap::new(),
            };
            topics.by_workspace.insert(workspace, topic);
            // Sending fails only while the process ends, when the receiver is gone.
            let _ = self.0.opened.send(opened);
        }
        let topic = topics.by_workspace.get_mut(&workspace)?;
        *topic.credentials.entry(credential).or_insert(0) += 1;
        let (topic, batches) = (topic.number, topic.batches.subscribe());
        Some(StreamSubscription { streams: self.clone(), workspace, credential, topic, batches })
    }

    /// Returns the number of open streams.
    #[must_use]
    pub fn count(&self) -> usize {
        locked(&self.0.topics).by_workspace.values().map(|topic| topic.batches.receiver_count()).sum()
    }

    /// Returns the credentials of a topic, or `None` if the topic was removed.
    fn credentials(&self, workspace: WorkspaceId, number: u64) -> Option<Vec<Credential>> {
        let topics = locked(&self.0.topics);
        let topic = topics.by_workspace.get(&workspace).filter(|topic| topic.number == number)?;
        Some(topic.credentials.keys().copied().collect())
    }

    fn publish(&self, workspace: WorkspaceId, number: u64, stream_batch: StreamBatch) {
        let topics = locked(&self.0.topics);
        if let Some(topic) = topics.by_workspace.get(&workspace).filter(|topic| topic.number == number) {
            // Sending fails if the last stream was just closed.
            let _ = topic.batches.send(Arc::new(stream_batch));
        }
    }

    fn close(&self) {
        let mut topics = locked(&self.0.topics);
        topics.is_closed = true;
        topics.by_workspace.clear();
    }
}

impl Drop for StreamSubscription {
    fn drop(&mut self) {
        let mut topics = locked(&self.streams.0.topics);
        let topic = topics.by_workspace.get_mut(&self.workspace).filter(|topic| topic.number == self.topic);
        let Some(topic) = topic else { return };
        if let Some(count) = topic.credentials.get_mut(&self.credential) {
            *count -= 1;
            if *count == 0 {
                topic.credentials.remove(&self.credential);
            }
        }
        if topic.credentials.is_empty() {
            topics.by_workspace.remove(&self.workspace);
        }
    }
}

/// Runs the readers of all topics until the process drains.
pub async fn run(app: Arc<App>, streams: Streams) {
    let Some(mut opened) = locked(&streams.0.to_read).take() else { return };
    let mut readers = FuturesUnordered::new();
    let drained = app.lifecycle.drained();
    tokio::pin!(drained);
    loop {
        tokio::select! {
            () = &mut drained => break,
            Some(topic) = opened.recv() => readers.push(follow(&app, &streams, topic)),
            Some(()) = readers.next(), if !readers.is_empty() => {}
        }
    }
    streams.close();
}

/// Follows the log of one workspace until its topic is removed.
async fn follow(app: &App, streams: &Streams, opened: OpenedTopic) {
    let OpenedTopic { workspace, topic, mut seq } = opened;
    let mut wakes = app.store.subscribe(workspace.0);
    while let Some(credentials) = streams.credentials(workspace, topic) {
        let (mut is_end, mut sleep_ms) = (true, POLL_MS);
        match read(app, workspace, credentials, seq).await {
            Ok((stream_batch, seen, end)) => {
                (seq, is_end) = (seen, end);
                if !stream_batch.events.is_empty() || !stream_batch.revoked.is_empty() {
                    streams.publish(workspace, topic, stream_batch);
                }
            }
            Err(error) => {
                crate::telemetry::log_deferred("stream", &error);
                sleep_ms = RETRY_MS;
            }
        }
        if is_end {
            let again = app.clock.sleep_until(app.clock.now().plus_ms(sleep_ms));
            tokio::select! {
                () = wakes.changed() => {}
                () = again => {}
            }
        }
    }
}

/// Reads the next batch. Returns it, the position up to which the log was scanned, and whether that is the end.
async fn read(
    app: &App,
    workspace: WorkspaceId,
    credentials: Vec<Credential>,
    seq: i64,
) -> StoreResult<(StreamBatch, i64, bool)> {
    let (plans, now, bytes_max) = (app.config.plans, app.clock.now(), app.config.limits.page_bytes);
    let work = move |tx: &mut Tx| -> StoreResult<(StreamBatch, i64, bool)> {
        let batch = log::after(tx, workspace, &EventFilter::default(), seq, READ_BOUNDS)?;
        let count = batch.events.len();
        let loaded = render::load(tx, workspace, batch.events, &plans, now, EventDetail::full(bytes_max))?;
        // Events that didn't fit are read again, in the next batch.
        let (seen, is_end) = match loaded.last() {
            Some(last) if loaded.len() < count => (last.event().seq, false),
            _ => (batch.seen, batch.is_end),
        };
        let item = |loaded| StreamEvent { loaded, full: OnceLock::new(), envelope: OnceLock::new() };
        let mut stream_batch = StreamBatch { events: loaded.into_iter().map(item).collect(), revoked: Vec::new() };
        for credential in &credentials {
            if !is_active(tx, workspace, *credential)? {
                stream_batch.revoked.push(*credential);
            }
        }
        Ok((stream_batch, seen, is_end))
    };
    app.store.read(work).await
}
