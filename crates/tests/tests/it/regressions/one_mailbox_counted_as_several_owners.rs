//! Workspaces of one person counted as several owners if their addresses had different tags (`name+tag@domain`), so one
//! person with five workspaces could hide the listing of another agent.

use posthouse_domain::{plan::Plan, time::DAY_MS};
use posthouse_store::{Tx, p, statements};
use serde_json::json;

use crate::routes::directory::{Agent, open};

statements! {
    SET_OWNER = "UPDATE workspaces SET owner_email = $2 WHERE id = $1";
}

#[tokio::test]
async fn tags_of_an_address_make_no_further_owners() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.list(&server, "Sales bot").await;
    let mut reporters = Vec::new();
    let others = ["Evil@mailer.example", "ann@mailer.example", "ben@mailer.example", "cleo@mailer.example"];
    let tagged = (0..6).map(|n| format!("evil+{n}@MAILER.example"));
    for (n, owner) in tagged.chain(others.map(str::to_owned)).enumerate() {
        let key = server.workspace(Plan::Team).await;
        let workspace = key.workspace;
        server.store().write(move |tx: &mut Tx| tx.exec(&SET_OWNER, p![workspace, owner])).await.unwrap();
        reporters.push(Agent::of(server.api(&key), &format!("r{n}")).await);
    }
    server.clock.advance(2 * DAY_MS);
    let state = async || agent.api.get(&agent.path()).await.expect(200)["card"]["listing"]["state"].clone();
    for reporter in &reporters {
        assert_eq!(state().await, "listed");
        let report = json!({ "address": agent.address, "reason": "spam" });
        reporter.api.post("/v1/directory/reports", report).await.expect(202);
    }
    assert_eq!(state().await, "listed", "these are four people");
    let key = server.workspace(Plan::Team).await;
    let workspace = key.workspace;
    server.store().write(move |tx: &mut Tx| tx.exec(&SET_OWNER, p![workspace, "dan@mailer.example"])).await.unwrap();
    let fifth = Agent::of(server.api(&key), "fifth").await;
    server.clock.advance(2 * DAY_MS);
    fifth.api.post("/v1/directory/reports", json!({ "address": agent.address, "reason": "spam" })).await.expect(202);
    assert_eq!(state().await, "hidden");
    server.finish().await;
}
