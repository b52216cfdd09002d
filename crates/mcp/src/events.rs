//! MCP Events: the event log for clients that poll it, keep a stream open or get webhooks (SEP-3415;
//! `docs/reference/mcp-events.md`).

mod failure;
mod params;
mod stream;
mod webhook;

use std::sync::Arc;

use posthouse_api::views::event::occurrence;
use posthouse_app::Service;
use posthouse_app::events::{occurrences, stream::check_can_subscribe};
use posthouse_app::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use posthouse_domain::{ErrorCode, Refusal};
use serde_json::{Value, json};

use crate::client::Client;
use crate::protocol::{Failure, Request};

pub use stream::EventStream;
pub(crate) use stream::open;

/// The name of the extension.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/events";
/// The method that is answered with a stream.
pub(crate) const STREAM_METHOD: &str = "events/stream";
/// How long a client should wait before it polls again, in milliseconds.
const NEXT_POLL_MS: i64 = 5_000;

/// The event types, as the catalog lists them.
pub(crate) struct EventCatalogue(Vec<Value>);

impl EventCatalogue {
    /// Describes all event types.
    pub(crate) fn new() -> Self {
        Self(occurrence::subscribable().map(occurrence::definition).collect())
    }
}

/// Answers a method of the extension; `None` for another method, and for the one that is answered with a stream.
pub(crate) async fn answer(
    catalogue: &EventCatalogue,
    service: &Arc<Service>,
    client: &Client<'_>,
    request: &Request,
) -> Option<Result<Value, Failure>> {
    Some(match request.method.as_str() {
        "events/list" => list(catalogue, client, request),
        "events/poll" => poll(service, client, request).await,
        "events/subscribe" => webhook::subscribe(service, client, request).await,
        "events/unsubscribe" => webhook::unsubscribe(service, client, request).await,
        _ => return None,
    })
}

/// Lists the event types on one page; none for a client that can't read events.
fn list(catalogue: &EventCatalogue, client: &Client<'_>, request: &Request) -> Result<Value, Failure> {
    if request.params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(Failure::no_more_pages(&request.method));
    }
    let may_read = check_can_subscribe(&client.caller.caller).is_ok();
    let events = if may_read { catalogue.0.as_slice() } else { &[] };
    Ok(json!({ "events": events }))
}

async fn poll(service: &Arc<Service>, client: &Client<'_>, request: &Request) -> Result<Value, Failure> {
    let wanted = params::read(service, &request.params)?;
    let caller = client.caller.caller;
    check_can_subscribe(&caller).map_err(|refusal| failure::of(&refusal))?;
    let polled = occurrences::poll(service, caller, wanted.request, wanted.events_max).await;
    let (point, page) = polled.map_err(|refusal| failure::of(&refusal))?;
    let length = page.occurrences.iter().map(|one| one.json.len()).sum();
    let owner = WorkOwner { class: WorkClass::Respond, workspace: caller.workspace };
    let parse = move |_: &WorkStop| page.occurrences.iter().map(|one| serde_json::from_str(&one.json)).collect();
    let events: Result<Vec<Value>, serde_json::Error> =
        service.blocking_pool.run_for(owner, length, parse).await.map_err(|r| failure::of(&r))?;
    let unreadable = |_| failure::of(&Refusal::new(ErrorCode::Internal, "The events couldn't be read."));
    Ok(json!({
        "events": events.map_err(unreadable)?,
        "cursor": page.cursor.to_string(),
        "truncated": point.is_truncated,
        "hasMore": page.has_more,
        "nextPollMs": NEXT_POLL_MS,
    }))
}
