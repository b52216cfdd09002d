//! A workspace renamed its handle 60 times in a row, and each old one was kept from everybody else forever.

use posthouse_domain::time::DAY_MS;
use serde_json::json;

use crate::routes::directory::{Agent, open};

const PATH: &str = "/v1/directory/handle";

#[tokio::test]
async fn a_workspace_takes_three_new_handles_in_90_days_and_ten_in_all() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let other = Agent::open(&server, "other").await;
    let mut taken = 0;
    let mut limited = None;
    for at in 0..60 {
        let reply = agent.api.put(PATH, json!({ "handle": format!("name-{at}-x") })).await;
        match reply.status {
            200 => taken += 1,
            _ => limited = Some(reply.error("rate_limited")),
        }
        server.clock.advance(1_000);
    }
    assert_eq!(taken, 4, "the first one and three renames");
    let limited = limited.unwrap();
    let details = &limited["error"]["details"];
    assert_eq!((&details["limit"], &details["max"]), (&json!("handle_renames"), &json!(3)));
    let wait = details["retry_after_seconds"].as_i64().unwrap();
    assert!((89 * 86_400..=90 * 86_400).contains(&wait), "{wait}");
    assert_eq!(limited.header("retry-after"), Some(wait.to_string().as_str()));
    // What was refused is free for others, and a handle of one's own can be taken back.
    other.api.put(PATH, json!({ "handle": "name-59-x" })).await.expect(200);
    other.api.put(PATH, json!({ "handle": "name-1-x" })).await.error("handle_taken");
    for back in [1, 0, 2, 3] {
        agent.api.put(PATH, json!({ "handle": format!("name-{back}-x") })).await.expect(200);
    }
    // Releasing a handle gives none of it back.
    agent.api.delete(PATH).await.expect(200);
    agent.api.put(PATH, json!({ "handle": "fresh" })).await.error("rate_limited");
    for at in 0..6 {
        if at % 3 == 0 {
            server.clock.advance(91 * DAY_MS);
        }
        agent.api.put(PATH, json!({ "handle": format!("later-{at}-x") })).await.expect(200);
    }
    server.clock.advance(91 * DAY_MS);
    let full = agent.api.put(PATH, json!({ "handle": "one-more" })).await.error("handle_limit");
    assert_eq!(full["error"]["details"]["max"], 10);
    agent.api.put(PATH, json!({ "handle": "later-2-x" })).await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn agents_change_their_handles_a_hundred_times_a_day() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.handle("acme", "p0").await;
    let change = async |part: &str| agent.api.patch(&agent.path(), json!({ "handle": part })).await;
    for at in 1..100 {
        change(&format!("p{at}")).await.expect(200);
    }
    let limited = change("p100").await.error("rate_limited");
    assert_eq!(limited["error"]["details"]["limit"], "agent_handles_per_day");
    // Another workspace, and other changes of the card, aren't limited.
    agent.card(json!({ "name": "Bot", "handle": null })).await;
    let other = Agent::open(&server, "other").await;
    other.handle("other", "p100").await;
    server.clock.advance(DAY_MS);
    change("p100").await.expect(200);
    server.finish().await;
}
