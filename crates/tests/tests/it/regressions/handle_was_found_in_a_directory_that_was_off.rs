//! After the operator switched the public directory off, other workspaces still found listed agents by their handles, and
//! owners still read that their cards were listed.

use posthouse_store::{Tx, p, statements};
use serde_json::json;

use crate::routes::directory::{Agent, open_with};

statements! {
    LIST = "UPDATE agent_cards SET visibility = 'public', listing = 'listed', listed_at = 0 WHERE inbox_id = $1";
}

#[tokio::test]
async fn a_directory_that_is_off_lists_nobody() {
    let server = open_with(|config| config.app.agents.public_directory = false).await;
    let (agent, other) = (Agent::open(&server, "bot").await, Agent::open(&server, "other").await);
    agent.handle("acme", "sales").await;
    let id = agent.id.parse::<uuid::Uuid>().unwrap();
    server.store().write(move |tx: &mut Tx| tx.exec(&LIST, p![id])).await.unwrap();
    let by_handle = "/v1/directory/resolve?handle=@acme/sales";
    agent.api.get(by_handle).await.expect(200);
    other.api.get(by_handle).await.error("agent_not_found");
    let send = json!({ "to": "@acme/sales", "subject": "Hello", "text": "Hi." });
    other.api.post(&format!("/v1/inboxes/{}/messages", other.id), send).await.error("agent_not_found");
    let listing = agent.api.get(&agent.path()).await.expect(200)["card"]["listing"].clone();
    assert_eq!((&listing["state"], &listing["reason"]), (&json!("hidden"), &json!("operator")));
    server.finish().await;
}
