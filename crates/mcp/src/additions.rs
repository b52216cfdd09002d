//! Additions to the server: tools, resources and prompts that are not those of the service.
//!
//! The service has none. The official conformance suite wants some with certain names, which only a build of the tests adds.

use futures_util::{StreamExt as _, stream::BoxStream};
use serde_json::{Map, Value};

use crate::events::EventStream;
use crate::protocol::{Failure, Request, Revision};

/// What a build adds to the lists of the server, and how it answers requests about it.
pub trait Additions: Send + Sync {
    /// Returns the entries that are added to a list: `tools`, `resources`, `resourceTemplates` or `prompts`.
    fn entries(&self, list: &str) -> Vec<Value>;

    /// Returns the capabilities that are added in a revision. They replace those with the same name.
    fn capabilities(&self, revision: Revision) -> Map<String, Value>;

    /// Answers a request; `None` for one that isn't about an addition.
    fn answer(&self, request: &Request, revision: Revision) -> Option<Result<Value, Failure>>;

    /// Answers a request with a stream of messages, the last of which is the response; `None` for another request.
    fn stream(&self, request: &Request, revision: Revision) -> Option<BoxStream<'static, String>>;

    /// Takes the client's response to a request of one of these streams. Returns whether there was such a request.
    fn receive(&self, response: &Map<String, Value>) -> bool;
}

/// The messages of an answer that is a stream. Each is a JSON text.
pub enum MessageStream {
    /// Those of `events/stream`.
    Events(Box<EventStream>),
    /// Those of an addition.
    Added(BoxStream<'static, String>),
}

impl MessageStream {
    /// Waits for the next message. Returns `None` after the last. Dropping the stream ends it.
    pub async fn next(&mut self) -> Option<String> {
        match self {
            Self::Events(stream) => stream.next().await,
            Self::Added(stream) => stream.next().await,
        }
    }
}
