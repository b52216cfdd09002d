//! The listing check and reports changed whether a card is listed, and its owner got no event. A revoked card read as
//! listed.

use posthouse_domain::{plan::Plan, time::DAY_MS};
use posthouse_store::{Tx, p, statements};
use serde_json::{Value, json};

use crate::routes::directory::{Agent, open};

statements! {
    SET_OWNER = "UPDATE workspaces SET owner_email = $2 WHERE id = $1";
}

#[tokio::test]
async fn every_change_of_a_listing_has_its_event() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let states = async || {
        let events = agent.api.get("/v1/events?types=agent.updated,agent.revoked").await.expect(200);
        let listing = |event: &Value| {
            let listing = &event["data"]["card"]["listing"];
            (listing["state"].as_str().unwrap().to_owned(), listing["reason"].as_str().map(str::to_owned))
        };
        let states: Vec<_> = events.data().iter().map(listing).collect();
        states
    };
    let state = |state: &str, reason: Option<&str>| (state.to_owned(), reason.map(str::to_owned));
    agent.list(&server, "Support").await;
    let mut expected = vec![state("pending", None), state("hidden", Some("listing_check"))];
    assert_eq!(states().await, expected);
    agent.list(&server, "Sales bot").await;
    expected.extend([state("pending", None), state("listed", None)]);
    assert_eq!(states().await, expected);
    agent.api.post(&format!("{}/revoke", agent.path()), json!({})).await.expect(200);
    let listing = agent.api.get(&agent.path()).await.expect(200)["card"]["listing"].clone();
    assert_eq!((&listing["state"], &listing["reason"]), (&json!("hidden"), &json!("revoked")));
    agent.api.post_empty(&format!("{}/restore", agent.path())).await.expect(200);
    expected.extend([state("hidden", Some("revoked")), state("listed", None)]);
    assert_eq!(states().await, expected);
    let mut reporters = Vec::new();
    for n in 0..10 {
        let key = server.workspace(Plan::Team).await;
        let (workspace, owner) = (key.workspace, format!("owner@company{n}.example"));
        server.store().write(move |tx: &mut Tx| tx.exec(&SET_OWNER, p![workspace, owner])).await.unwrap();
        reporters.push(server.api(&key));
    }
    server.clock.advance(2 * DAY_MS);
    for (n, reporter) in reporters.iter().enumerate() {
        if n == 9 {
            server.clock.advance(4 * DAY_MS);
        }
        let report = json!({ "address": agent.address, "reason": "spam" });
        reporter.post("/v1/directory/reports", report).await.expect(202);
    }
    expected.push(state("hidden", Some("reports")));
    assert_eq!(states().await, expected);
    server.finish().await;
}
