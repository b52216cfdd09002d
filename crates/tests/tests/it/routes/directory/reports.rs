//! Reports: what the owner hears, the quota of a workspace, and the threshold that hides a listing.

use posthouse_domain::{plan::Plan, time::DAY_MS};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, p, statements};
use serde_json::{Value, json};

use super::{Agent, open};

const PATH: &str = "/v1/directory/reports";

statements! {
    SET_OWNER = "UPDATE workspaces SET owner_email = $2 WHERE id = $1";
}

fn report(agent: &Agent) -> Value {
    json!({ "address": agent.address, "reason": "impersonation" })
}

#[tokio::test]
async fn the_owner_learns_the_reason_only() {
    let server = open().await;
    let (agent, other) = (Agent::open(&server, "bot").await, Agent::open(&server, "other").await);
    let body = json!({ "address": agent.address.to_uppercase(), "reason": "impersonation", "details": "It says it is my bank." });
    assert_eq!(other.api.post(PATH, body).await.expect(202).json, json!({ "received": true }));
    let events = agent.api.get("/v1/events?types=agent.reported").await.expect(200);
    let [event] = events.data() else { panic!("{events:?}") };
    let data = event["data"].as_object().unwrap();
    assert_eq!(data.keys().collect::<Vec<_>>(), ["inbox", "reason"]);
    assert_eq!((&data["reason"], &data["inbox"]["address"]), (&json!("impersonation"), &json!(agent.address)));
    assert!(!event.to_string().contains("my bank"));
    assert_eq!(other.api.get("/v1/events?types=agent.reported").await.expect(200).data(), [] as [Value; 0]);
    server.finish().await;
}

#[tokio::test]
async fn a_wrong_report_is_refused() {
    let server = open().await;
    let (agent, other) = (Agent::open(&server, "bot").await, Agent::open(&server, "other").await);
    let with = |name: &str, value: Value| {
        let mut body = report(&agent);
        body[name] = value;
        body
    };
    for (body, field) in [
        (with("reason", json!("rude")), "reason"),
        (with("address", json!("x")), "address"),
        (with("details", json!("x".repeat(2_001))), "details"),
        (with("details", json!("a\u{7}b")), "details"),
        (with("message_id", json!("x")), "message_id"),
        (with("why", json!("x")), "why"),
    ] {
        other.api.post(PATH, body).await.invalid_fields(&[field]);
    }
    other.api.post(PATH, json!({})).await.invalid_fields(&["address", "reason"]);
    other.api.post(PATH, with("address", json!("dana@example.com"))).await.error("agent_not_found");
    let message = json!("01946000-0000-7000-8000-000000000001");
    other.api.post(PATH, with("message_id", message)).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn a_flood_costs_the_reporter_its_quota_and_never_the_listing() {
    let server = open().await;
    let (agent, other) = (Agent::open(&server, "bot").await, Agent::open(&server, "other").await);
    agent.list(&server, "Sales bot").await;
    server.clock.advance(2 * DAY_MS);
    for _ in 0..10 {
        other.api.post(PATH, report(&agent)).await.expect(202);
    }
    let refused = other.api.post(PATH, report(&agent)).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "reports_per_day");
    let bundle = agent.api.get(&agent.path()).await.expect(200);
    assert_eq!(bundle["card"]["listing"]["state"], "listed");
    server.clock.advance(DAY_MS);
    other.api.post(PATH, report(&agent)).await.expect(202);
    server.finish().await;
}

#[tokio::test]
async fn several_owners_hide_a_listing_until_the_operator_decides() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.list(&server, "Sales bot").await;
    let mut reporters = Vec::new();
    for n in 0..10 {
        let key = server.workspace(Plan::Team).await;
        let (workspace, owner) = (key.workspace, format!("owner@company{n}.example"));
        server.store().write(move |tx: &mut Tx| tx.exec(&SET_OWNER, p![workspace, owner])).await.unwrap();
        reporters.push(Agent::of(server.api(&key), &format!("r{n}")).await);
    }
    let state = async || agent.api.get(&agent.path()).await.expect(200)["card"]["listing"].clone();
    // New workspaces are cheap, so their reports don't count.
    for reporter in &reporters {
        reporter.api.post(PATH, report(&agent)).await.expect(202);
    }
    assert_eq!(state().await["state"], "listed");
    server.clock.advance(2 * DAY_MS);
    for (n, reporter) in reporters.iter().enumerate() {
        assert_eq!(state().await["state"], "listed", "{n} reports");
        if n == 9 {
            // Ten reports of one day are no consensus.
            server.clock.advance(4 * DAY_MS);
        }
        reporter.api.post(PATH, report(&agent)).await.expect(202);
    }
    let hidden = state().await;
    assert_eq!((&hidden["state"], &hidden["reason"]), (&json!("hidden"), &json!("reports")));
    server.anonymous().get(&format!("/v1/public/agents/{}", agent.address)).await.error("agent_not_found");
    let bundle = agent.api.get(&agent.path()).await.expect(200);
    assert_eq!(bundle["status"], "active", "the agent itself is not suspended");
    // A change of the card doesn't list it again.
    agent.list(&server, "Other bot").await;
    assert_eq!(state().await["reason"], "reports");
    let app = &server.service();
    let listed = posthouse_app::agents::operator::list(app).await.unwrap();
    assert_eq!((listed.len(), listed[0].reports.len()), (1, 20));
    assert!(listed[0].reports.iter().all(|report| report.workspace != listed[0].agent.workspace));
    assert_eq!(listed[0].reports.iter().filter(|report| report.counts).count(), 10);
    posthouse_app::agents::operator::restore(app, &Address::parse(&agent.address).unwrap()).await.unwrap();
    assert_eq!(state().await["state"], "listed");
    reporters[0].api.post(PATH, report(&agent)).await.expect(202);
    assert_eq!(state().await["state"], "listed", "settled reports count no more");
    server.finish().await;
}
