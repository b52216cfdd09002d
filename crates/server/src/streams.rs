//! Who hears the events of which workspace. One reader a workspace follows the log and hands each stretch to every stream
//! of it; an event is read once and written out once in each form, however many listen.
//!
//! All readers live in one task, [`run`]. A stream that falls too far behind is told so and has to resume: nobody waits for
//! it, and nothing is kept for it. The streams themselves decide what they pass on.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use posthouse_domain::{
    error::Refusal,
    event::Payload,
    id::{KeyId, WorkspaceId},
    stream::HEARTBEAT_S,
};
use posthouse_store::{Result as Stored, Tx, events, keys};
use tokio::sync::{broadcast, mpsc};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::{
    app::{
        App,
        read_events::{self, Bounds, Filter},
        stream::written,
    },
    telemetry,
    views::event::{self as view, EventView, Shown},
};

/// Stretches that a stream may be behind before it is dropped.
const BEHIND_MAX: usize = 256;
/// How much of the log is read at once.
const STRETCH: Bounds = Bounds { events: 100, looked_through: 200 };
/// How soon a reader looks again after the store failed, in milliseconds.
const LOOK_AGAIN_MS: i64 = 1_000;
/// How long a reader sleeps without a wake, in milliseconds: then keys are looked at again.
const LOOK_MS: i64 = 1_000 * HEARTBEAT_S.cast_signed();

/// The streams of this process.
#[derive(Clone)]
pub struct Streams(Arc<Shared>);

struct Shared {
    rooms: Mutex<Rooms>,
    /// Rooms that want a reader.
    opened: mpsc::UnboundedSender<Opened>,
    /// Taken by the task that reads.
    to_read: Mutex<Option<mpsc::UnboundedReceiver<Opened>>>,
}

#[derive(Default)]
struct Rooms {
    made: u64,
    is_closed: bool,
    of: HashMap<WorkspaceId, Room>,
}

/// The streams of one workspace.
struct Room {
    number: u64,
    news: broadcast::Sender<Arc<News>>,
    /// How many streams each key has.
    keys: HashMap<KeyId, usize>,
}

struct Opened {
    workspace: WorkspaceId,
    room: u64,
    seq: i64,
}

/// A stretch of the log, and the keys that are revoked.
#[derive(Default)]
pub struct News {
    /// The events, oldest first.
    pub events: Vec<Item>,
    /// Keys of streams that may not go on.
    pub revoked: Vec<KeyId>,
}

/// An event that is written out when the first stream wants it.
pub struct Item {
    /// The event.
    pub shown: Shown,
    full: OnceLock<Utf8Bytes>,
    envelope: OnceLock<Utf8Bytes>,
}

impl Item {
    /// The frame in that form; the text is shared.
    #[must_use]
    pub fn frame(&self, form: Payload) -> Utf8Bytes {
        let kept = match form {
            Payload::Full => &self.full,
            Payload::Envelope => &self.envelope,
        };
        kept.get_or_init(|| event_frame(&written(&EventView::in_form(&self.shown, form)))).clone()
    }
}

/// The frame around an event's JSON.
#[must_use]
pub fn event_frame(event: &str) -> Utf8Bytes {
    format!(r#"{{"type":"event","event":{event}}}"#).into()
}

/// A place of a stream; given back when dropped.
pub struct Seat {
    streams: Streams,
    workspace: WorkspaceId,
    key: KeyId,
    room: u64,
    /// What happens; a stream that is too far behind hears that it is.
    pub news: broadcast::Receiver<Arc<News>>,
}

impl Default for Streams {
    fn default() -> Self {
        let (opened, to_read) = mpsc::unbounded_channel();
        Self(Arc::new(Shared { rooms: Mutex::default(), opened, to_read: Mutex::new(Some(to_read)) }))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Streams {
    /// Takes a seat: everything that is appended to the log from now on will be heard. What is heard may also be older.
    ///
    /// # Errors
    /// The store's own.
    pub async fn join(&self, app: &App, workspace: WorkspaceId, key: KeyId) -> Result<Seat, Refusal> {
        if let Some(seat) = self.sit(workspace, key, None) {
            return Ok(seat);
        }
        let seq = app.store.glance(move |tx| events::head(tx, workspace)).await?;
        let closed = || Refusal::new(posthouse_domain::error::Code::Unavailable, "The server stops.");
        self.sit(workspace, key, Some(seq)).ok_or_else(closed)
    }

    /// A seat in the room there is, or in a new one whose reader begins behind `seq`.
    fn sit(&self, workspace: WorkspaceId, key: KeyId, seq: Option<i64>) -> Option<Seat> {
        let mut rooms = locked(&self.0.rooms);
        if rooms.is_closed {
            return None;
        }
        if !rooms.of.contains_key(&workspace) {
            rooms.made += 1;
            let opened = Opened { workspace, room: rooms.made, seq: seq? };
            let room = Room { number: opened.room, news: broadcast::Sender::new(BEHIND_MAX), keys: HashMap::new() };
            rooms.of.insert(workspace, room);
            // The receiver is gone only when the process ends.
            let _ = self.0.opened.send(opened);
        }
        let room = rooms.of.get_mut(&workspace)?;
        *room.keys.entry(key).or_insert(0) += 1;
        let (room, news) = (room.number, room.news.subscribe());
        Some(Seat { streams: self.clone(), workspace, key, room, news })
    }

    /// How many streams there are.
    #[must_use]
    pub fn count(&self) -> usize {
        locked(&self.0.rooms).of.values().map(|room| room.news.receiver_count()).sum()
    }

    /// The keys of a room; none when it is empty and gone.
    fn keys(&self, workspace: WorkspaceId, number: u64) -> Option<Vec<KeyId>> {
        let rooms = locked(&self.0.rooms);
        let room = rooms.of.get(&workspace).filter(|room| room.number == number)?;
        Some(room.keys.keys().copied().collect())
    }

    fn tell(&self, workspace: WorkspaceId, number: u64, news: News) {
        if let Some(room) = locked(&self.0.rooms).of.get(&workspace).filter(|room| room.number == number) {
            // Without a listener there is nobody to tell.
            let _ = room.news.send(Arc::new(news));
        }
    }

    fn close(&self) {
        let mut rooms = locked(&self.0.rooms);
        rooms.is_closed = true;
        rooms.of.clear();
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut rooms = locked(&self.streams.0.rooms);
        let Some(room) = rooms.of.get_mut(&self.workspace).filter(|room| room.number == self.room) else { return };
        if let Some(count) = room.keys.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                room.keys.remove(&self.key);
            }
        }
        if room.keys.is_empty() {
            rooms.of.remove(&self.workspace);
        }
    }
}

/// Reads for every room until the process drains.
pub async fn run(app: Arc<App>) {
    let Some(mut opened) = locked(&app.streams.0.to_read).take() else { return };
    let mut readers = FuturesUnordered::new();
    let drained = app.life.drained();
    tokio::pin!(drained);
    loop {
        tokio::select! {
            () = &mut drained => break,
            Some(room) = opened.recv() => readers.push(follow(&app, room)),
            Some(()) = readers.next(), if !readers.is_empty() => {}
        }
    }
    app.streams.close();
}

/// Follows the log of one workspace as long as somebody listens.
async fn follow(app: &App, Opened { workspace, room, mut seq }: Opened) {
    let mut wakes = app.store.subscribe(workspace.0);
    while let Some(keys) = app.streams.keys(workspace, room) {
        let (mut is_end, mut sleep_ms) = (true, LOOK_MS);
        match look(app, workspace, keys, seq).await {
            Ok((news, seen, end)) => {
                (seq, is_end) = (seen, end);
                if !news.events.is_empty() || !news.revoked.is_empty() {
                    app.streams.tell(workspace, room, news);
                }
            }
            Err(error) => {
                telemetry::put_off("stream", &error);
                sleep_ms = LOOK_AGAIN_MS;
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

/// The next stretch: what is new, up to where it was looked, and whether that is the end.
async fn look(app: &App, workspace: WorkspaceId, keys: Vec<KeyId>, seq: i64) -> Stored<(News, i64, bool)> {
    let (plans, now) = (app.config.plans, app.clock.now());
    let work = move |tx: &mut Tx| -> Stored<(News, i64, bool)> {
        let stretch = read_events::after(tx, workspace, &Filter::default(), seq, STRETCH)?;
        let shown = view::load(tx, workspace, stretch.events, (&plans, now))?;
        let item = |shown| Item { shown, full: OnceLock::new(), envelope: OnceLock::new() };
        let mut news = News { events: shown.into_iter().map(item).collect(), revoked: Vec::new() };
        for key in &keys {
            if keys::standing(tx, workspace, *key)?.is_none() {
                news.revoked.push(*key);
            }
        }
        Ok((news, stretch.seen, stretch.is_end))
    };
    app.store.read(work).await
}
