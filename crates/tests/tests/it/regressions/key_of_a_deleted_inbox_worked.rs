//! A key of a deleted inbox opened streams, listed events and changed contacts.

use posthouse_domain::{auth::Scope, id::InboxId, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn a_key_ends_with_its_inbox_or_identity() {
    for (kind, ending) in [("inbox", "deleted"), ("identity", "deleted"), ("inbox", "expired")] {
        let server = TestServer::plain().await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let made = match (kind, ending) {
            ("identity", _) => api.post("/v1/identities", json!({ "username": "nora" })).await.expect(201),
            (_, "expired") => api.post("/v1/inboxes", json!({ "ttl_seconds": 3_600 })).await.expect(201),
            _ => api.post("/v1/inboxes", json!({ "username": "nora" })).await.expect(201),
        };
        let id: InboxId = made.text("id").parse().unwrap();
        let own = server.key(&key, "full", Scope::Inbox(id)).await;
        let mut stream = server.stream(&own).await;
        let agent = server.api(&own);
        agent.get("/v1/events").await.expect(200);
        match (kind, ending) {
            ("identity", _) => drop(api.delete(&format!("/v1/identities/{id}")).await.expect(204)),
            (_, "expired") => {
                server.advance(25 * 3_600_000).await;
                server.settle().await;
            }
            _ => drop(api.delete(&format!("/v1/inboxes/{id}")).await.expect(204)),
        }
        let code = stream.end().await;
        // The clock of an expiry also ends idle streams.
        assert!(code == Some(4001) || ending == "expired", "{kind} {ending}: {code:?}");
        for path in ["/v1/events", "/v1/account", "/v1/contacts", "/v1/threads"] {
            agent.get(path).await.error("unauthorized");
        }
        agent.post("/v1/stream/token", json!({})).await.error("unauthorized");
        agent.post("/v1/suppressions", json!({ "address": "a@b.example" })).await.error("unauthorized");
        api.get("/v1/events").await.expect(200);
        server.finish().await;
    }
}
