//! Workspaces of one person counted as several owners if their addresses had different tags (`name+tag@domain`), so one
//! person with five workspaces could hide the listing of another agent. So could five accounts at one domain.

use posthouse_domain::{plan::Plan, time::DAY_MS};
use posthouse_store::{Tx, p, statements};
use serde_json::json;

use crate::routes::directory::{Agent, open};

statements! {
    SET_OWNER = "UPDATE workspaces SET owner_email = $2 WHERE id = $1";
}

#[tokio::test]
async fn tags_dots_and_addresses_of_a_domain_make_no_further_parties() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.list(&server, "Sales bot").await;
    let mut reporters = Vec::new();
    let tagged = (0..6).map(|n| format!("evil+{n}@MAILER.example"));
    let one_domain = (0..6).map(|n| format!("person{n}@desk{n}.mailer.example"));
    let others = (0..6).map(|n| format!("owner@company{n}.example"));
    for (n, owner) in tagged.chain(one_domain).chain(others).enumerate() {
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
    assert_eq!(state().await, "listed", "these are seven parties");
    server.clock.advance(4 * DAY_MS);
    for name in ["eve@outlook.com", "eve+2@outlook.com", "dan@gmail.com", "d.a.n@googlemail.com", "kim@other.example"] {
        let key = server.workspace(Plan::Team).await;
        let workspace = key.workspace;
        server.store().write(move |tx: &mut Tx| tx.exec(&SET_OWNER, p![workspace, name])).await.unwrap();
        let next = Agent::of(server.api(&key), &name.replace(['@', '.', '+'], "-")).await;
        server.clock.advance(2 * DAY_MS);
        assert_eq!(state().await, "listed", "{name}");
        next.api.post("/v1/directory/reports", json!({ "address": agent.address, "reason": "spam" })).await.expect(202);
    }
    assert_eq!(state().await, "hidden");
    server.finish().await;
}
