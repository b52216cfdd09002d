//! Who waits for mail in which inbox. A commit wakes one waiter of its workspace, the leader; it asks the store once
//! which of the watched inboxes have newer mail, and wakes those who wait there and nobody else.
//!
//! So 10,000 waiters cost one small read a wake, however often it happens: wakes during the read fall together. Nothing
//! here decides anything: the woken look for themselves. There is no task and no timer; when the leader leaves, the next
//! waiter leads.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use posthouse_domain::{
    error::Refusal,
    id::{InboxId, WorkspaceId},
    time::Time,
};
use posthouse_store::{Store, Waiter, arrivals, dialect::IDS_MAX, message_list::Place};
use tokio::sync::watch;

type Rooms = Arc<Mutex<HashMap<WorkspaceId, Arc<Room>>>>;

/// Everybody who waits in this process.
#[derive(Clone, Default)]
pub struct Arrivals(Rooms);

/// The waiters of one workspace.
struct Room {
    /// Taken by the one who leads; the others queue for it.
    lead: tokio::sync::Mutex<Lead>,
    /// What is known of each watched inbox. Gone with the last who watches it.
    inboxes: Mutex<HashMap<InboxId, watch::Sender<News>>>,
}

struct Lead {
    wakes: Waiter,
    /// There was a wake and nobody has asked the store since.
    is_behind: bool,
}

/// What is known of an inbox from afar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct News {
    /// `created_at` of its newest message.
    pub newest: Time,
    /// How often something in its work queue became claimable by other means than a new message.
    pub stirs: i64,
}

/// One who waits. Make it, look at the store, then sleep on [`Watch::newer`], look again.
pub struct Watch {
    rooms: Rooms,
    room: Arc<Room>,
    store: Store,
    place: Place,
    /// `None` only while being dropped.
    news: Option<watch::Receiver<News>>,
}

/// Of an inbox that nobody has asked the store about.
const NOTHING_KNOWN: News = News { newest: Time::from_millis(i64::MIN), stirs: i64::MIN };
/// What is told as the newest message of an inbox that was deleted.
const GONE: Time = Time::from_millis(i64::MAX);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Arrivals {
    /// Registers for the mail of an inbox from now on.
    #[must_use]
    pub fn watch(&self, store: &Store, place: Place) -> Watch {
        let mut rooms = locked(&self.0);
        let room = rooms.entry(place.workspace).or_insert_with(|| Arc::new(Room::new(store, place.workspace))).clone();
        let unknown = || watch::Sender::new(NOTHING_KNOWN);
        let news = Some(locked(&room.inboxes).entry(place.inbox).or_insert_with(unknown).subscribe());
        drop(rooms);
        Watch { rooms: self.0.clone(), room, store: store.clone(), place, news }
    }

    /// How many workspaces are waited in now.
    #[must_use]
    pub fn workspaces(&self) -> usize {
        locked(&self.0).len()
    }
}

impl Room {
    fn new(store: &Store, workspace: WorkspaceId) -> Self {
        let wakes = store.subscribe(workspace.0);
        Self { lead: tokio::sync::Mutex::new(Lead { wakes, is_behind: false }), inboxes: Mutex::default() }
    }

    /// Asks the store for the newest message of every watched inbox and tells those who wait there.
    async fn catch_up(&self, store: &Store, workspace: WorkspaceId) -> Result<(), Refusal> {
        let watched: Vec<InboxId> = locked(&self.inboxes).keys().copied().collect();
        let mut newest: HashMap<InboxId, (Time, i64)> = HashMap::with_capacity(watched.len());
        for some in watched.chunks(IDS_MAX) {
            let some = some.to_vec();
            let found = store.read_one(move |tx| arrivals::newest(tx, workspace, &some)).await?;
            newest.extend(found.into_iter().map(|(inbox, newest, stirs)| (inbox, (newest, stirs))));
        }
        let inboxes = locked(&self.inboxes);
        for inbox in watched {
            let (newest, stirs) = newest.get(&inbox).copied().unwrap_or((GONE, 0));
            if let Some(news) = inboxes.get(&inbox) {
                news.send_if_modified(|known| {
                    let now = News { newest: newest.max(known.newest), stirs: stirs.max(known.stirs) };
                    std::mem::replace(known, now) != now
                });
            }
        }
        Ok(())
    }
}

impl Watch {
    /// Comes back when the inbox is known to have a message behind `than`, with the time of its newest. Cancel-safe.
    ///
    /// # Errors
    /// `not_found` once the inbox is deleted; the store's own.
    pub async fn newer(&mut self, than: Time) -> Result<Time, Refusal> {
        Ok(self.until(|known| known.newest > than).await?.newest)
    }

    /// Comes back when more is known of the inbox than `than`. Cancel-safe.
    ///
    /// # Errors
    /// `not_found` once the inbox is deleted; the store's own.
    pub async fn other_than(&mut self, than: News) -> Result<News, Refusal> {
        self.until(|known| known.newest > than.newest || known.stirs > than.stirs).await
    }

    async fn until(&mut self, is_it: impl Fn(News) -> bool) -> Result<News, Refusal> {
        let news = self.news.as_mut().expect("it is there until the drop");
        loop {
            let known = *news.borrow_and_update();
            if known.newest == GONE {
                return Err(Refusal::not_found("inbox"));
            }
            if is_it(known) {
                return Ok(known);
            }
            let mut lead = tokio::select! {
                // The sender lives as long as somebody watches the inbox, so this cannot fail.
                _ = news.changed() => continue,
                lead = self.room.lead.lock() => lead,
            };
            if lead.is_behind {
                self.room.catch_up(&self.store, self.place.workspace).await?;
                lead.is_behind = false;
                continue;
            }
            tokio::select! {
                _ = news.changed() => {}
                // No await between the wake and the note of it, so that no wake is lost with a leader.
                () = lead.wakes.changed() => lead.is_behind = true,
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut rooms = locked(&self.rooms);
        self.news = None;
        let mut inboxes = locked(&self.room.inboxes);
        if inboxes.get(&self.place.inbox).is_some_and(|news| news.receiver_count() == 0) {
            inboxes.remove(&self.place.inbox);
        }
        if inboxes.is_empty() && rooms.get(&self.place.workspace).is_some_and(|room| Arc::ptr_eq(room, &self.room)) {
            rooms.remove(&self.place.workspace);
        }
    }
}
