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
    /// The newest known message of each watched inbox. Gone with the last who watches it.
    inboxes: Mutex<HashMap<InboxId, watch::Sender<Time>>>,
}

struct Lead {
    wakes: Waiter,
    /// There was a wake and nobody has asked the store since.
    is_behind: bool,
}

/// One who waits. Make it, look at the store, then sleep on [`Watch::newer`], look again.
pub struct Watch {
    rooms: Rooms,
    room: Arc<Room>,
    store: Store,
    place: Place,
    /// `None` only while being dropped.
    news: Option<watch::Receiver<Time>>,
}

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
        let unknown = || watch::Sender::new(Time::from_millis(i64::MIN));
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
        let mut newest: HashMap<InboxId, Time> = HashMap::with_capacity(watched.len());
        for some in watched.chunks(IDS_MAX) {
            let some = some.to_vec();
            newest.extend(store.read_one(move |tx| arrivals::newest(tx, workspace, &some)).await?);
        }
        let inboxes = locked(&self.inboxes);
        for inbox in watched {
            let at = newest.get(&inbox).copied().unwrap_or(GONE);
            if let Some(news) = inboxes.get(&inbox) {
                news.send_if_modified(|known| std::mem::replace(known, at.max(*known)) < at);
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
        let news = self.news.as_mut().expect("it is there until the drop");
        loop {
            let known = *news.borrow_and_update();
            if known == GONE {
                return Err(Refusal::not_found("inbox"));
            }
            if known > than {
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
