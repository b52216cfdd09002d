//! Drafts: `/v1/drafts` and `/v1/inboxes/{id}/drafts`.

mod approve;
mod events;
mod files;
mod lists;
mod replies;
mod schedule;
mod send;
mod states;
mod write;

use posthouse_app::ports::Clock as _;
use posthouse_tests::{TestMessage, http::ApiResponse};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    /// Returns a path below the drafts of the inbox.
    fn path(&self, below: &str) -> String {
        format!("/v1/inboxes/{}/drafts{below}", self.inbox.id)
    }

    /// Creates a draft and returns the response.
    async fn draft(&self, body: Value) -> ApiResponse {
        self.api.post(&self.path(""), body).await.expect(201)
    }

    /// Creates a complete draft to the inbox itself and returns its id.
    async fn complete(&self) -> String {
        self.draft(self.complete_body()).await.text("id").to_owned()
    }

    /// Returns a body that can be sent to the inbox itself, without the network.
    fn complete_body(&self) -> Value {
        json!({ "to": self.inbox.address, "subject": "Plan", "text": "Here it is." })
    }

    async fn get(&self, id: &str) -> ApiResponse {
        self.api.get(&self.path(&format!("/{id}"))).await.expect(200)
    }

    async fn patch(&self, id: &str, body: Value) -> ApiResponse {
        self.api.patch(&self.path(&format!("/{id}")), body).await
    }

    /// Sends a POST request below a draft.
    async fn act(&self, id: &str, verb: &str, body: Value) -> ApiResponse {
        self.api.post(&self.path(&format!("/{id}/{verb}")), body).await
    }

    async fn send(&self, id: &str) -> ApiResponse {
        self.api.post_empty(&self.path(&format!("/{id}/send"))).await
    }

    /// Returns the time that many milliseconds from now.
    fn ahead(&self, millis: i64) -> String {
        self.server.clock.now().plus_ms(millis).to_string()
    }

    /// Returns the number of sent messages.
    async fn sent(&self) -> usize {
        let path = format!("/v1/inboxes/{}/messages?direction=outbound", self.inbox.id);
        self.api.get(&path).await.expect(200).data().len()
    }

    /// Returns the types of the events about drafts, oldest first.
    async fn event_types(&self) -> Vec<String> {
        let log = self.log().await;
        log.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    async fn log(&self) -> Vec<Value> {
        let types = "draft.created,draft.updated,draft.sent,draft.cancelled,draft.failed";
        self.api.get(&format!("/v1/events?types={types}")).await.expect(200).data().to_vec()
    }

    /// Receives a message and returns it as the list shows it.
    async fn receive_mail(&self, complete_body: TestMessage) -> Value {
        self.server.deliver(&complete_body, &self.inbox.address).await;
        self.server.newest_message(&self.api, &self.inbox.id.to_string()).await
    }

    async fn pause(&self) {
        self.api.post_empty(&format!("/v1/inboxes/{}/pause", self.inbox.id)).await.expect(200);
    }

    async fn resume(&self) {
        self.api.post_empty(&format!("/v1/inboxes/{}/resume", self.inbox.id)).await.expect(200);
    }
}
