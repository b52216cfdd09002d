//! The start of tests with one inbox. Test files add their own steps in an `impl InboxFixture`.

use posthouse_domain::plan::Plan;
use posthouse_tests::{
    fixtures::{TestInbox, TestKey},
    http::Api,
    server::{ServerOptions, TestServer},
};
use serde_json::{Value, json};

/// A server, a workspace on the plan `team` with its org-wide key, and one inbox in it.
pub(crate) struct InboxFixture {
    pub(crate) server: TestServer,
    pub(crate) key: TestKey,
    pub(crate) api: Api,
    pub(crate) inbox: TestInbox,
}

impl InboxFixture {
    pub(crate) async fn open() -> Self {
        Self::with(ServerOptions::default()).await
    }

    pub(crate) async fn with(options: ServerOptions) -> Self {
        Self::with_inbox(options, json!({ "username": "sender", "display_name": "The sender" })).await
    }

    /// Starts a server with the inbox that this request body creates.
    pub(crate) async fn with_inbox(options: ServerOptions, inbox: Value) -> Self {
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox_with(&key, inbox).await;
        Self { api: server.api(&key), key, inbox, server }
    }

    pub(crate) async fn close(self) {
        self.server.finish().await;
    }
}
