//! `/v1/contacts`.

mod change;
mod create;
mod read;

use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    /// Receives a message with this subject from a `From` value.
    async fn receive_with_subject(&self, from: &str, subject: &str) {
        self.server.deliver(&TestMessage::new(subject, "text").with("From", from), &self.inbox.address).await;
    }

    async fn write_to(&self, to: Value) -> Value {
        self.server.clock.advance(1);
        let body = json!({ "to": to, "subject": "Re: AW: Our offer", "text": "text" });
        let sent = self.api.post(&format!("/v1/inboxes/{}/messages", self.inbox.id), body).await.expect(202);
        self.server.settle().await;
        sent.json
    }

    /// Returns the contact of an address, if it exists.
    async fn contact(&self, address: &str) -> Option<Value> {
        let path = format!("/v1/contacts/by-address/{}", address.replace('@', "%40").replace('+', "%2B"));
        let reply = self.api.get(&path).await;
        if reply.status == 404 {
            reply.error("not_found");
            return None;
        }
        Some(reply.expect(200).json)
    }

    async fn id(&self, address: &str) -> String {
        let contact = self.contact(address).await.unwrap_or_else(|| panic!("no contact {address}"));
        contact["id"].as_str().unwrap().to_owned()
    }

    /// Returns the addresses in a list.
    async fn listed(&self, query: &str) -> Vec<String> {
        let page = self.api.get(&format!("/v1/contacts?{query}")).await.expect(200);
        page.data().iter().map(|contact| contact["address"].as_str().unwrap().to_owned()).collect()
    }
}
