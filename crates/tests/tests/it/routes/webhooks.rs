//! `/v1/webhooks`.

mod catalog;
mod change;
mod create;
mod deliveries;
mod secrets;
mod signed;

pub(crate) use signed::standard as standard_signature;

use posthouse_domain::plan::Plan;
use posthouse_tests::{
    TestServer, WebhookSink,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
};
use serde_json::{Value, json};

/// A server with an inbox and a webhook receiver.
pub(crate) struct WebhookFixture {
    pub(crate) server: TestServer,
    pub(crate) key: TestKey,
    pub(crate) api: Api,
    pub(crate) inbox: TestInbox,
    pub(crate) sink: WebhookSink,
}

impl WebhookFixture {
    pub(crate) async fn new() -> Self {
        Self::on(TestServer::plain().await).await
    }

    pub(crate) async fn on(server: TestServer) -> Self {
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox(&key).await);
        Self { server, key, api, inbox, sink: WebhookSink::start().await }
    }

    /// Creates a webhook to the receiver with more members.
    pub(crate) async fn webhook(&self, more: Value) -> ApiResponse {
        let mut body = json!({ "url": self.sink.url() });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        self.api.post("/v1/webhooks", body).await.expect(201)
    }

    /// Returns the attempts of a webhook, newest first.
    pub(crate) async fn attempts(&self, webhook: &ApiResponse) -> Vec<Value> {
        let path = format!("/v1/webhooks/{}/deliveries?limit=100", webhook.text("id"));
        self.api.get(&path).await.expect(200).data().to_vec()
    }
}
