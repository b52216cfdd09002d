//! The routes that send: `/v1/inboxes/{id}/messages` and those below a message.

mod attachment_screen;
mod attachment_text;
mod draft_reply;
mod dry_run;
mod extract;
mod files;
mod forward;
mod held;
mod html;
mod idempotency;
mod invitation;
mod local_screen;
mod loops;
pub(super) mod read;
mod refusals;
mod reply;
mod send;

use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::ApiResponse,
};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    /// Sends a POST request below the messages of the inbox.
    async fn post(&self, below: &str, body: Value) -> ApiResponse {
        self.api.post(&self.messages(below), body).await
    }

    fn messages(&self, below: &str) -> String {
        format!("/v1/inboxes/{}/messages{below}", self.inbox.id)
    }

    async fn message(&self, id: &str) -> ApiResponse {
        self.api.get(&format!("/v1/messages/{id}")).await.expect(200)
    }

    /// Returns the newest message of an inbox.
    async fn newest_message(&self, inbox: &TestInbox) -> Value {
        let list = self.api.get(&format!("/v1/inboxes/{}/messages?limit=1", inbox.id)).await.expect(200);
        list.data().first().cloned().unwrap_or(Value::Null)
    }

    /// Receives a message and returns its id.
    async fn receive_at(&self, to: &TestInbox, mail: &str) -> String {
        self.server.receive_message(to, mail.replace('\n', "\r\n")).await.to_string()
    }

    /// Ends the test. Messages to other servers may remain queued.
    async fn close_queued(mut self) {
        self.server.allow().queued().due("outbound");
        self.server.finish().await;
    }
}

async fn inbox(server: &TestServer, key: &TestKey, name: &str) -> TestInbox {
    server.inbox_with(key, json!({ "username": name, "display_name": format!("The {name}") })).await
}

/// Returns a body for a send.
fn send_body(to: &str) -> Value {
    json!({ "to": to, "subject": "Plan", "text": "Here it is." })
}

/// Returns a message from an external sender.
fn mail(extra: &str) -> String {
    format!(
        "From: Dana <dana@elsewhere.example>\nTo: sender@agents.localhost, eve@b.example\nCc: fay@c.example\nSubject: Offer\n\
         Message-ID: <one@elsewhere.example>\nReferences: <zero@elsewhere.example>\n{extra}\nDo you want it?\n"
    )
}
