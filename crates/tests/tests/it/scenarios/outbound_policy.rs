//! The outbound policy: where recipients come from, which secrets leave, and what an agent that obeys its mail can do.

mod decisions;
mod disguises;
mod obedient;
mod origins;
mod rules;
mod scheduled;
mod submission;

use posthouse_domain::OutboundPolicy;
use posthouse_store::{Error, Tx, workspaces};
use posthouse_tests::{http::ApiResponse, mail::TestMessage};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    /// Sets the policy of the workspace.
    pub(crate) async fn set_outbound_policy(&self, policy: OutboundPolicy) {
        let id = self.key.workspace;
        let work = move |tx: &mut Tx| -> Result<(), Error> {
            let mut workspace = workspaces::get(tx, id)?.expect("the workspace exists");
            workspace.outbound_policy = policy;
            workspaces::update(tx, &workspace)
        };
        self.server.store().write(work).await.unwrap();
    }

    /// Receives a mail whose author is proven, and returns its id.
    pub(crate) async fn receive_proven(&self, from: &str, message: &TestMessage) -> String {
        let message = message.clone().with("From", from);
        self.server.deliver_from(&message, from, &self.inbox.address).await;
        self.newest_id().await
    }

    /// Receives a mail without any authentication, and returns its id.
    pub(super) async fn receive_unproven(&self, message: &TestMessage) -> String {
        self.server.deliver(message, &self.inbox.address).await;
        self.newest_id().await
    }

    pub(super) async fn newest_id(&self) -> String {
        let path = format!("/v1/inboxes/{}/messages?direction=inbound&limit=1", self.inbox.id);
        let page = self.api.get(&path).await.expect(200);
        page["data"][0]["id"].as_str().expect("a message").to_owned()
    }

    /// Sends a new message.
    pub(crate) async fn send_to(&self, to: &str, text: &str) -> ApiResponse {
        let path = format!("/v1/inboxes/{}/messages", self.inbox.id);
        self.api.post(&path, json!({ "to": to, "subject": "Hello", "text": text })).await
    }

    /// Returns the origin of one recipient, by a dry run.
    pub(super) async fn origin_of(&self, to: &str) -> Value {
        let path = format!("/v1/inboxes/{}/messages?dry_run=true", self.inbox.id);
        let body = json!({ "to": to, "subject": "Hello", "text": "x" });
        let decision = self.api.post(&path, body).await.expect(200);
        decision["recipients"][0].clone()
    }

    /// Returns the sent messages, newest first.
    pub(super) async fn sent_messages(&self) -> Vec<Value> {
        let path = format!("/v1/inboxes/{}/messages?direction=outbound&limit=100", self.inbox.id);
        self.api.get(&path).await.expect(200)["data"].as_array().expect("a page").clone()
    }
}
