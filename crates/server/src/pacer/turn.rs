//! A turn: the right to speak to a destination about one message.

use std::{sync::Arc, time::Duration};

use posthouse_domain::{
    pacing::{Limits, News},
    time::Time,
};
use tokio::sync::oneshot;

use super::{
    Shared, WAIT_MS_MAX,
    state::{Entry, Given},
};

/// What came of asking for a turn.
pub enum Entered {
    /// It is there.
    Turn(Turn),
    /// Not before that time: the destination is left alone, has had its messages of this minute, or others are before us
    /// for too long.
    NotBefore(Time),
}

/// The right to speak to a destination about one message. It ends with [`Turn::end`]; dropped, nothing is learnt of it.
pub struct Turn {
    shared: Arc<Shared>,
    id: u64,
    began: Time,
    limits: Limits,
    has_ended: bool,
}

/// A place in the queue for a turn. Dropped, it gives back a turn that came too late.
struct Waiting {
    shared: Arc<Shared>,
    receiver: oneshot::Receiver<u64>,
}

pub(super) async fn enter(shared: &Arc<Shared>, entry: &Entry<'_>, now: Time) -> Entered {
    let given = shared.lock().enter(&shared.rules, entry, now);
    let id = match given {
        Given::NotBefore(time) => return Entered::NotBefore(time),
        Given::Turn(id) => id,
        Given::Wait(receiver) => {
            let mut waiting = Waiting { shared: shared.clone(), receiver };
            match tokio::time::timeout(Duration::from_millis(WAIT_MS_MAX), &mut waiting.receiver).await {
                Ok(Ok(id)) => id,
                // Let go, or too long: the job goes back, and comes again when there is room.
                Ok(Err(_)) | Err(_) => return Entered::NotBefore(now),
            }
        }
    };
    let Some((began, limits)) = shared.lock().begun(id) else { return Entered::NotBefore(now) };
    Entered::Turn(Turn { shared: shared.clone(), id, began, limits, has_ended: false })
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.receiver.close();
        if let Ok(id) = self.receiver.try_recv() {
            let mut state = self.shared.lock();
            let began = state.begun(id).map_or(Time::from_millis(0), |(began, _)| began);
            state.end(&self.shared.rules, id, None, began);
        }
    }
}

impl Turn {
    /// The bounds of the destination.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Ends it with what was heard.
    pub fn end(mut self, news: News, now: Time) {
        self.has_ended = true;
        self.shared.lock().end(&self.shared.rules, self.id, Some(news), now);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.has_ended {
            self.shared.lock().end(&self.shared.rules, self.id, None, self.began);
        }
    }
}
