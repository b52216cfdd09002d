//! Distributes the events of each workspace to its streams. One reader per workspace follows the log and broadcasts
//! each batch; an event is read once and serialized once per payload form, however many streams there are.
//!
//! All readers run in one task, [`run`]. A stream that falls too far behind gets a lag error and has to resume: the
//! reader doesn't wait for it and buffers nothing for it. Each stream applies its own filter.

use std::sync::Arc;

use futures_util::{StreamExt, stream::FuturesUnordered};
use posthouse_domain::{Caller, Credential, ErrorCode, Refusal, WorkspaceId, stream::HEARTBEAT_S};
use posthouse_store::{Result as StoreResult, Tx, events};

use crate::access::authenticate::is_active;
use crate::events::log::{self, EventFilter, EventReadLimits};
use crate::events::render::{self, EventDetail};
use crate::memory::streams::{OpenedTopic, StreamBatch, StreamEvent, StreamSubscription};
use crate::service::{ReadScope, Service};

/// Limits of one read of the log.
const READ_BOUNDS: EventReadLimits = EventReadLimits { events: 100, scanned: 200 };
/// Delay before a reader retries after a failed read, in milliseconds.
const RETRY_MS: i64 = 1_000;
/// Time between reads without a wakeup, in milliseconds. A read also checks for revoked
/// keys and ended sessions.
const POLL_MS: i64 = 1_000 * HEARTBEAT_S.cast_signed();

/// Subscribes a stream: it receives every event appended from now on, and possibly older ones.
///
/// # Errors
/// Returns `forbidden` for the operator and the service or `unavailable` if the server is stopping.
pub async fn join(service: &Service, caller: &Caller) -> Result<StreamSubscription, Refusal> {
    let workspace = caller.workspace;
    let credential = caller.credential()?;
    if let Some(subscription) = service.subscriptions.subscribe(workspace, credential, None) {
        return Ok(subscription);
    }
    let seq = service.read(ReadScope::Lookup, move |tx| events::head(tx, workspace)).await?;
    let closed = || Refusal::new(ErrorCode::Unavailable, "The server is shutting down.");
    service.subscriptions.subscribe(workspace, credential, Some(seq)).ok_or_else(closed)
}

/// Runs the readers of all topics until the process drains.
pub async fn run(service: Arc<Service>) {
    let streams = &service.subscriptions;
    let Some(mut opened) = streams.take_opened() else { return };
    let mut readers = FuturesUnordered::new();
    let drained = service.lifecycle.drained();
    tokio::pin!(drained);
    loop {
        tokio::select! {
            () = &mut drained => break,
            Some(topic) = opened.recv() => readers.push(follow(&service, topic)),
            Some(()) = readers.next(), if !readers.is_empty() => {}
        }
    }
    streams.close();
}

/// Follows the log of one workspace until its topic is removed.
async fn follow(service: &Service, opened: OpenedTopic) {
    let streams = &service.subscriptions;
    let OpenedTopic { workspace, topic, mut seq } = opened;
    let mut wakes = service.store.subscribe(workspace.0);
    while let Some(credentials) = streams.credentials(workspace, topic) {
        let (mut is_end, mut sleep_ms) = (true, POLL_MS);
        match read(service, workspace, credentials, seq).await {
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
            let again = service.clock.sleep_until(service.clock.now().plus_ms(sleep_ms));
            tokio::select! {
                () = wakes.changed() => {}
                () = again => {}
            }
        }
    }
}

/// Reads the next batch. Returns it, the position up to which the log was scanned, and whether that is the end.
async fn read(
    service: &Service,
    workspace: WorkspaceId,
    credentials: Vec<Credential>,
    seq: i64,
) -> StoreResult<(StreamBatch, i64, bool)> {
    let (plans, now, bytes_max) = (service.config.plans, service.clock.now(), service.config.limits.page_bytes);
    let work = move |tx: &mut Tx| -> StoreResult<(StreamBatch, i64, bool)> {
        let batch = log::after(tx, workspace, &EventFilter::default(), seq, READ_BOUNDS)?;
        let count = batch.events.len();
        let loaded = render::load(tx, workspace, batch.events, &plans, now, EventDetail::full(bytes_max))?;
        // Events that didn't fit are read again, in the next batch.
        let (seen, is_end) = match loaded.last() {
            Some(last) if loaded.len() < count => (last.event().seq, false),
            _ => (batch.seen, batch.is_end),
        };
        let mut stream_batch =
            StreamBatch { events: loaded.into_iter().map(StreamEvent::new).collect(), revoked: Vec::new() };
        for credential in &credentials {
            if !is_active(tx, workspace, *credential)? {
                stream_batch.revoked.push(*credential);
            }
        }
        Ok((stream_batch, seen, is_end))
    };
    service.read(ReadScope::Service, work).await
}
