//! Tests of drafts: `/v1/drafts` and `/v1/inboxes/{id}/drafts` with what is below.

mod answers;
mod events;
mod files;
mod lists;
mod schedule;
mod send;
mod states;
mod write;

use posthouse_server::ports::Clock as _;
use posthouse_tests::{Letter, http::Reply};
use serde_json::{Value, json};

use crate::desk::Desk;

impl Desk {
    /// The path of the drafts of the inbox, or below it.
    fn path(&self, below: &str) -> String {
        format!("/v1/inboxes/{}/drafts{below}", self.inbox.id)
    }

    /// Makes a draft; the answer.
    async fn draft(&self, body: Value) -> Reply {
        self.api.post(&self.path(""), body).await.expect(201)
    }

    /// Makes a complete draft to the inbox itself; its id.
    async fn complete(&self) -> String {
        self.draft(self.letter()).await.text("id").to_owned()
    }

    /// A body that can be sent, to the inbox itself: nothing of it waits for a network.
    fn letter(&self) -> Value {
        json!({ "to": self.inbox.address, "subject": "Plan", "text": "Here it is." })
    }

    async fn get(&self, id: &str) -> Reply {
        self.api.get(&self.path(&format!("/{id}"))).await.expect(200)
    }

    async fn patch(&self, id: &str, body: Value) -> Reply {
        self.api.patch(&self.path(&format!("/{id}")), body).await
    }

    /// POST below a draft.
    async fn act(&self, id: &str, verb: &str, body: Value) -> Reply {
        self.api.post(&self.path(&format!("/{id}/{verb}")), body).await
    }

    async fn send(&self, id: &str) -> Reply {
        self.api.post_empty(&self.path(&format!("/{id}/send"))).await
    }

    /// A time so many milliseconds from now.
    fn ahead(&self, millis: i64) -> String {
        self.server.clock.now().plus_ms(millis).to_string()
    }

    /// How many messages were sent.
    async fn sent(&self) -> usize {
        let path = format!("/v1/inboxes/{}/messages?direction=outbound", self.inbox.id);
        self.api.get(&path).await.expect(200).data().len()
    }

    /// The types of the events about drafts, oldest first.
    async fn told(&self) -> Vec<String> {
        let log = self.log().await;
        log.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    async fn log(&self) -> Vec<Value> {
        let types = "draft.created,draft.updated,draft.sent,draft.cancelled,draft.failed";
        self.api.get(&format!("/v1/events?types={types}")).await.expect(200).data().to_vec()
    }

    /// A mail from elsewhere arrives; it as the list shows it.
    async fn arrives(&self, letter: Letter) -> Value {
        self.server.deliver(&letter, &self.inbox.address).await;
        self.server.newest(&self.api, &self.inbox.id.to_string()).await
    }

    async fn pause(&self) {
        self.api.post_empty(&format!("/v1/inboxes/{}/pause", self.inbox.id)).await.expect(200);
    }

    async fn resume(&self) {
        self.api.post_empty(&format!("/v1/inboxes/{}/resume", self.inbox.id)).await.expect(200);
    }
}
