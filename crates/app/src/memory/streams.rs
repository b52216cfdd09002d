//! The streams of this process by workspace: who is subscribed, and the batches of events that they get. The readers are
//! in [`events::subscriptions`](crate::events::subscriptions).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use posthouse_api::views::event::{EventView, RenderableEvent, occurrence::occurrence};
use posthouse_domain::{Credential, EventPayload, WorkspaceId};
use tokio::sync::{broadcast, mpsc};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Batches that a stream may lag behind before it is closed.
const BEHIND_MAX: usize = 256;

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
pub(crate) struct OpenedTopic {
    pub(crate) workspace: WorkspaceId,
    pub(crate) topic: u64,
    pub(crate) seq: i64,
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
    pub loaded: RenderableEvent,
    full: OnceLock<Utf8Bytes>,
    envelope: OnceLock<Utf8Bytes>,
    full_occurrence: OnceLock<Option<String>>,
    envelope_occurrence: OnceLock<Option<String>>,
}

impl StreamEvent {
    /// Wraps an event that was read.
    #[must_use]
    pub fn new(loaded: RenderableEvent) -> Self {
        Self {
            loaded,
            full: OnceLock::new(),
            envelope: OnceLock::new(),
            full_occurrence: OnceLock::new(),
            envelope_occurrence: OnceLock::new(),
        }
    }

    /// Returns the event as MCP clients get it; `None` if it must be read again because it is too large.
    #[must_use]
    pub fn occurrence(&self, form: EventPayload) -> Option<&str> {
        let kept = match form {
            EventPayload::Full => &self.full_occurrence,
            EventPayload::Envelope => &self.envelope_occurrence,
        };
        kept.get_or_init(|| occurrence(&self.loaded, form)).as_deref()
    }

    /// Returns the event frame in a payload form; the text is shared.
    #[must_use]
    pub fn frame(&self, form: EventPayload) -> Utf8Bytes {
        let kept = match form {
            EventPayload::Full => &self.full,
            EventPayload::Envelope => &self.envelope,
        };
        kept.get_or_init(|| event_frame(&EventView::in_form(&self.loaded, form).to_json())).clone()
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
    /// The workspace whose events the stream gets.
    pub(crate) workspace: WorkspaceId,
    /// The credential of the stream's client.
    pub(crate) credential: Credential,
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
    /// Subscribes to the topic of the workspace. With `seq`, creates a missing topic whose reader starts after it.
    pub(crate) fn subscribe(
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
    pub(crate) fn credentials(&self, workspace: WorkspaceId, number: u64) -> Option<Vec<Credential>> {
        let topics = locked(&self.0.topics);
        let topic = topics.by_workspace.get(&workspace).filter(|topic| topic.number == number)?;
        Some(topic.credentials.keys().copied().collect())
    }

    pub(crate) fn publish(&self, workspace: WorkspaceId, number: u64, stream_batch: StreamBatch) {
        let topics = locked(&self.0.topics);
        if let Some(topic) = topics.by_workspace.get(&workspace).filter(|topic| topic.number == number) {
            // Sending fails if the last stream was just closed.
            let _ = topic.batches.send(Arc::new(stream_batch));
        }
    }

    /// Returns the topics that need a reader; once, to the task that reads them.
    pub(crate) fn take_opened(&self) -> Option<mpsc::UnboundedReceiver<OpenedTopic>> {
        locked(&self.0.to_read).take()
    }

    pub(crate) fn close(&self) {
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
