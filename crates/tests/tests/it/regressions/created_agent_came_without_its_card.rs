//! The response to the creation of an inbox or identity with a card didn't have the card.

use serde_json::{Value, json};

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn a_creation_with_a_card_returns_the_card() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    for path in ["/v1/inboxes", "/v1/identities"] {
        let card = json!({ "name": "Sales desk", "visibility": "workspace" });
        let body = json!({ "client_id": path, "card": card });
        let created = agent.api.post(path, body.clone()).await.expect(201).json;
        let bundle = format!("/v1/inboxes/{}/agent", created["id"].as_str().unwrap());
        assert_eq!(created["card"], agent.api.get(&bundle).await.expect(200)["card"], "{path}");
        assert_eq!((&created["card"]["name"], &created["card"]["minimal"]), (&json!("Sales desk"), &json!(false)));
        // A repeated request returns the card that is there.
        agent.api.patch(&bundle, json!({ "name": "Service desk" })).await.expect(200);
        let again = agent.api.post(path, body).await.expect(200).json;
        assert_eq!((&again["id"], &again["card"]["name"]), (&created["id"], &json!("Service desk")));
        // Only a creation that had one does.
        let plain = json!({ "client_id": path });
        for other in [agent.api.post(path, plain).await.expect(200).json, agent.api.post(path, json!({})).await.json] {
            assert_eq!(other.get("card"), None::<&Value>, "{path}");
        }
    }
    server.finish().await;
}
