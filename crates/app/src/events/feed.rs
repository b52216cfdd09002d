//! The events of one subscription over an open connection of an MCP client (`docs/reference/mcp-events.md#push`).
//!
//! A feed follows the log from a cursor. It reads the events that it missed from the log, and then gets those that the
//! readers of the streams distribute. A feed that falls behind them reads the log again, so it never skips an event.

use std::{collections::VecDeque, sync::Arc};

use posthouse_domain::{Caller, EventId, EventPayload, Refusal, SECOND_MS, Time, WorkspaceId};
use posthouse_store::Tx;
use tokio::sync::broadcast::error::RecvError;

use super::cursor::{EventCursor, resume};
use super::occurrences::{Occurrence, OccurrencePage, OccurrenceReader, OccurrenceRequest};
use super::{log::EventFilter, subscriptions};
use crate::limits::shared_budget::BudgetShare;
use crate::memory::streams::{StreamBatch, StreamSubscription};
use crate::service::Service;

/// Time between two heartbeats, in milliseconds. Clients expect one at least every 30 seconds.
pub const FEED_HEARTBEAT_MS: i64 = 15 * SECOND_MS;
/// Events read at once from the log.
const STEP: usize = 50;

/// What a feed yields next.
#[derive(Clone, PartialEq, Debug)]
pub enum FeedItem {
    /// The feed begins; always the first.
    Active {
        /// The position at which it begins.
        cursor: EventCursor,
        /// Whether events after the client's cursor are left out.
        is_truncated: bool,
    },
    /// An event.
    Event(Occurrence),
    /// Nothing happened for some time.
    Heartbeat {
        /// The position up to which the log was read.
        cursor: EventCursor,
    },
    /// The log can't be read at the moment. The feed goes on.
    Unavailable(Refusal),
    /// The credential was revoked. The last item.
    Revoked,
    /// The server stops. The last item.
    Closed,
}

/// The events of one subscription.
pub struct EventFeed {
    service: Arc<Service>,
    filter: EventFilter,
    form: EventPayload,
    live: StreamSubscription,
    /// Events to yield before anything else.
    ready: VecDeque<FeedItem>,
    /// Every event up to this position was yielded, is ready or doesn't match.
    seq: i64,
    cursor: EventCursor,
    /// Whether the log has events after `seq` that won't be distributed again.
    is_behind: bool,
    heartbeat_at: Time,
    is_over: bool,
    /// The feed in the count of streams of its workspace.
    _share: BudgetShare<WorkspaceId>,
}

impl EventFeed {
    /// Opens a feed.
    ///
    /// # Errors
    /// Returns `not_found` for an inbox that the caller can't see, or `unavailable`.
    pub async fn open(
        service: Arc<Service>,
        caller: Caller,
        request: OccurrenceRequest,
        share: BudgetShare<WorkspaceId>,
    ) -> Result<Self, Refusal> {
        // Before the log is read, so that no event falls between the two.
        let live = subscriptions::join(&service, &caller).await?;
        let work = move |tx: &mut Tx| {
            let filter = request.filter(tx, &caller)?;
            let point = resume(tx, caller.workspace, request.from)?;
            let cursor = match request.from.cursor {
                Some(cursor) if !point.is_truncated => cursor,
                _ => EventCursor::at(tx, caller.workspace, point.seq)?,
            };
            Ok::<_, Refusal>((filter, point, cursor))
        };
        let (filter, point, cursor) = service.read(caller.workspace, work).await?;
        let active = FeedItem::Active { cursor, is_truncated: point.is_truncated };
        Ok(Self {
            heartbeat_at: service.clock.now().plus_ms(FEED_HEARTBEAT_MS),
            service,
            filter,
            form: request.form(),
            live,
            ready: VecDeque::from([active]),
            seq: point.seq,
            cursor,
            is_behind: true,
            is_over: false,
            _share: share,
        })
    }

    /// Waits for the next item. Returns `None` after the last.
    pub async fn next(&mut self) -> Option<FeedItem> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                self.heartbeat_at = self.service.clock.now().plus_ms(FEED_HEARTBEAT_MS);
                return Some(item);
            }
            if self.is_over {
                return None;
            }
            if self.is_behind && !self.service.lifecycle.is_draining() {
                // Boxed, because every feed that waits would otherwise keep space for a read.
                Box::pin(self.read_on()).await;
            } else {
                self.wait().await;
            }
        }
    }

    async fn read_on(&mut self) {
        match self.read().await {
            Ok(page) => self.take(page),
            Err(refusal) => self.wait_after(refusal).await,
        }
    }

    async fn read(&self) -> Result<OccurrencePage, Refusal> {
        let reader = OccurrenceReader::of(&self.service);
        let (workspace, form, seq, filter) = (self.live.workspace, self.form, self.seq, self.filter.clone());
        self.service.read(workspace, move |tx| Ok(reader.page(tx, &filter, form, workspace, seq, STEP)?)).await
    }

    fn take(&mut self, page: OccurrencePage) {
        (self.seq, self.cursor, self.is_behind) = (page.seq, page.cursor, page.has_more);
        self.ready.extend(page.occurrences.into_iter().map(FeedItem::Event));
    }

    /// Reports that the log couldn't be read, and waits before the next read.
    async fn wait_after(&mut self, refusal: Refusal) {
        self.ready.push_back(FeedItem::Unavailable(refusal));
        let again = self.service.clock.now().plus_ms(SECOND_MS);
        tokio::select! {
            () = self.service.clock.sleep_until(again) => {}
            () = self.service.lifecycle.drained() => {}
        }
    }

    /// Waits until there is something to yield.
    async fn wait(&mut self) {
        let service = Arc::clone(&self.service);
        tokio::select! {
            biased;
            () = service.lifecycle.drained() => self.end(FeedItem::Closed),
            batch = self.live.batches.recv() => match batch {
                Ok(batch) => self.receive(&batch),
                Err(RecvError::Lagged(_)) => self.is_behind = true,
                Err(RecvError::Closed) => self.end(FeedItem::Closed),
            },
            () = service.clock.sleep_until(self.heartbeat_at) => {
                self.ready.push_back(FeedItem::Heartbeat { cursor: self.cursor });
            }
        }
    }

    fn end(&mut self, last: FeedItem) {
        self.is_over = true;
        self.ready.push_back(last);
    }

    fn receive(&mut self, batch: &StreamBatch) {
        if batch.revoked.contains(&self.live.credential) {
            return self.end(FeedItem::Revoked);
        }
        for item in &batch.events {
            let event = item.loaded.event();
            if event.seq <= self.seq {
                continue;
            }
            let id: EventId = event.event.id;
            if self.filter.matches(event) {
                // An event that is too large is read from the log, which renders it smaller.
                let Some(json) = item.occurrence(self.form) else {
                    self.is_behind = true;
                    return;
                };
                self.ready.push_back(FeedItem::Event(Occurrence { id, json: json.to_owned() }));
            }
            (self.seq, self.cursor) = (event.seq, EventCursor::of(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the size of the future of a method, in bytes.
    fn future_bytes<F: Future>(_: fn(&'static mut EventFeed) -> F) -> usize {
        size_of::<F>()
    }

    /// Thousands of feeds wait for events.
    #[test]
    fn a_feed_that_waits_is_small() {
        let sizes = [size_of::<EventFeed>(), future_bytes(EventFeed::next)];
        assert!(sizes[0] <= 264 && sizes[1] <= 336, "{sizes:?} bytes");
    }
}
