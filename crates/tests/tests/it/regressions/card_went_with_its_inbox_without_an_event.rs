//! Deleting an inbox or identity deleted its card, too, without the event `agent.deleted`. So did the end of a temporary
//! inbox.

use serde_json::{Value, json};

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn every_way_to_lose_a_card_has_its_event() {
    let server = open().await;
    let api = Agent::open(&server, "first").await.api;
    let deleted = async || {
        let events = api.get("/v1/events?types=agent.deleted").await.expect(200);
        let ids: Vec<Value> = events.data().iter().map(|event| event["data"]["inbox"]["id"].clone()).collect();
        ids
    };
    let mut expected = Vec::new();
    let temporary = json!({ "ttl_seconds": 60 });
    for (path, body, is_deleted) in [
        ("/v1/inboxes", json!({}), true),
        ("/v1/identities", json!({}), true),
        ("/v1/inboxes", temporary.clone(), true),
        ("/v1/inboxes", temporary, false),
    ] {
        let created = api.post(path, body).await.expect(201);
        let id = created.text("id");
        api.patch(&format!("/v1/inboxes/{id}/agent"), json!({ "name": "Bot" })).await.expect(200);
        if is_deleted {
            api.delete(&format!("{path}/{id}")).await.expect(204);
        } else {
            server.clock.advance(61_000);
            server.settle().await;
        }
        expected.push(json!(id));
        assert_eq!(deleted().await, expected, "{path}");
    }
    let plain = api.post("/v1/inboxes", json!({})).await.expect(201);
    api.delete(&format!("/v1/inboxes/{}", plain.text("id"))).await.expect(204);
    assert_eq!(deleted().await, expected, "it had no card");
    server.finish().await;
}
