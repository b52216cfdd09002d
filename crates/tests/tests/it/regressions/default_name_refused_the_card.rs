//! A card without a name got the username of its inbox, and was refused if that looked like a web site: `name: must not
//! contain links`, although the request had no name.

use serde_json::json;

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn every_inbox_gets_a_card_without_naming_it() {
    let server = open().await;
    for (username, name) in [("acme.ai", "acme ai"), ("x1.co", "x1 co"), ("john.me", "john me"), ("team.x", "team.x")] {
        let agent = Agent::open(&server, username).await;
        assert_eq!(agent.card(json!({})).await["card"]["name"], name);
        let other = json!({ "username": format!("a.{username}"), "display_name": "acme.com", "card": {} });
        let created = agent.api.post("/v1/inboxes", other).await.expect(201);
        let bundle = agent.api.get(&format!("/v1/inboxes/{}/agent", created.text("id"))).await.expect(200);
        assert_eq!(bundle["card"]["name"], format!("a{}{name}", if username == "team.x" { "." } else { " " }));
    }
    server.finish().await;
}
