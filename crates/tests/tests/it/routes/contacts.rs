//! `/v1/contacts` (API document, Contacts; contract §8; decision 22).

mod change;
mod made;
mod read;

use posthouse_tests::Letter;
use serde_json::{Value, json};

use crate::desk::Desk;

impl Desk {
    /// Receives a mail with that subject from a `From` value.
    async fn hear(&self, from: &str, subject: &str) {
        self.server.deliver(&Letter::new(subject, "text").with("From", from), &self.inbox.address).await;
    }

    async fn write_to(&self, to: Value) -> Value {
        self.server.clock.advance(1);
        let body = json!({ "to": to, "subject": "Re: AW: Our offer", "text": "text" });
        let sent = self.api.post(&format!("/v1/inboxes/{}/messages", self.inbox.id), body).await.expect(202);
        self.server.settle().await;
        sent.json
    }

    /// The contact of an address, if there is one.
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

    /// The addresses that a list shows.
    async fn listed(&self, query: &str) -> Vec<String> {
        let page = self.api.get(&format!("/v1/contacts?{query}")).await.expect(200);
        page.data().iter().map(|contact| contact["address"].as_str().unwrap().to_owned()).collect()
    }
}
