//! What tests of one inbox begin with. Each file adds the words that its tests are written in, in an `impl Desk` of its own.

use posthouse_domain::plan::Plan;
use posthouse_tests::{
    fixtures::{TestInbox, TestKey},
    http::Api,
    server::{Options, TestServer},
};
use serde_json::{Value, json};

/// A server, a workspace on the plan `team` with its org-wide key, and one inbox of it.
pub(crate) struct Desk {
    pub(crate) server: TestServer,
    pub(crate) key: TestKey,
    pub(crate) api: Api,
    pub(crate) inbox: TestInbox,
}

impl Desk {
    pub(crate) async fn open() -> Self {
        Self::with(Options::default()).await
    }

    pub(crate) async fn with(options: Options) -> Self {
        Self::with_inbox(options, json!({ "username": "sender", "display_name": "The sender" })).await
    }

    /// With the inbox that this request makes.
    pub(crate) async fn with_inbox(options: Options, inbox: Value) -> Self {
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox_with(&key, inbox).await;
        Self { api: server.api(&key), key, inbox, server }
    }

    pub(crate) async fn close(self) {
        self.server.finish().await;
    }
}
