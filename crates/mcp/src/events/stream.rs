//! `events/stream`: the messages of a stream, without its transport.

use std::sync::Arc;

use posthouse_api::views::event::occurrence::{revoked, with_meta};
use posthouse_app::Service;
use posthouse_app::events::feed::{EventFeed, FeedItem};
use posthouse_app::events::stream::{check_can_subscribe, share};
use serde_json::{Value, json};

use super::{failure, params};
use crate::client::Client;
use crate::protocol::{Failure, Request, Revision};

/// The member of `_meta` with the id of the request that opened the stream.
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// A stream of messages to a client, which ends with the result of its request.
pub struct EventStream {
    feed: EventFeed,
    id: Value,
    revision: Revision,
    is_over: bool,
    /// A message after the one that was returned.
    last: Option<String>,
}

/// Opens a stream for a client.
///
/// # Errors
/// Returns what `events/poll` does, or that the workspace has too many streams.
pub(crate) async fn open(
    service: &Arc<Service>,
    client: &Client<'_>,
    request: &Request,
    revision: Revision,
) -> Result<EventStream, Failure> {
    let wanted = params::read(service, &request.params)?.request;
    let refused = |refusal| failure::of(&refusal);
    check_can_subscribe(&client.caller.caller).map_err(refused)?;
    let share = share(service, &client.caller.workspace).map_err(refused)?;
    let feed = EventFeed::open(Arc::clone(service), client.caller.caller, wanted, share).await.map_err(refused)?;
    Ok(EventStream { feed, id: request.id.clone(), revision, is_over: false, last: None })
}

impl EventStream {
    /// Waits for the next message, a JSON text. Returns `None` after the last. Dropping the stream ends it.
    pub async fn next(&mut self) -> Option<String> {
        if let Some(last) = self.last.take() {
            return Some(last);
        }
        if self.is_over {
            return None;
        }
        let item = self.feed.next().await?;
        Some(match item {
            FeedItem::Active { cursor, is_truncated } => {
                self.notification("active", json!({ "cursor": cursor.to_string(), "truncated": is_truncated }))
            }
            FeedItem::Event(event) => {
                let params = with_meta(&event.with_cursor(), &self.meta());
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/events/event","params":{params}}}"#)
            }
            FeedItem::Heartbeat { cursor } => self.notification("heartbeat", json!({ "cursor": cursor.to_string() })),
            FeedItem::Unavailable(refusal) => {
                let error = failure::of(&refusal).error(self.revision);
                self.notification("error", json!({ "error": error }))
            }
            FeedItem::Revoked => {
                self.is_over = true;
                self.last = Some(self.result());
                self.notification("terminated", json!({ "error": revoked() }))
            }
            FeedItem::Closed => {
                self.is_over = true;
                self.result()
            }
        })
    }

    fn meta(&self) -> Value {
        json!({ SUBSCRIPTION_ID: self.id })
    }

    fn notification(&self, name: &str, mut params: Value) -> String {
        params["_meta"] = self.meta();
        json!({ "jsonrpc": "2.0", "method": format!("notifications/events/{name}"), "params": params }).to_string()
    }

    fn result(&self) -> String {
        let mut result = json!({ "_meta": {} });
        if self.revision.is_stateless() {
            result["resultType"] = json!("complete");
        }
        json!({ "jsonrpc": "2.0", "id": self.id, "result": result }).to_string()
    }
}
