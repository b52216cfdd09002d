//! Each restriction of an unclaimed workspace, with every way to break it. A claim lifts all of them.

use posthouse_tests::http::ApiResponse;
use serde_json::{Value, json};

use crate::routes::signup::{Agent, SignupFixture};

/// A way to break a restriction: the method, the path, the body, the refusal, and the status after a claim.
type Attempt = (&'static str, &'static str, Value, &'static str, u16);

/// Returns every restriction with the ways to break it. `{inbox}` is the agent's inbox.
fn attempts() -> Vec<Attempt> {
    vec![
        // Inboxes: 1.
        ("POST", "/v1/inboxes", json!({}), "plan_limit_inboxes", 201),
        ("POST", "/v1/inboxes", json!({ "username": "second" }), "plan_limit_inboxes", 201),
        ("POST", "/v1/inboxes", json!({ "client_id": "c" }), "plan_limit_inboxes", 403),
        // Identities: 1; the first one was created before.
        ("POST", "/v1/identities", json!({}), "plan_limit_identities", 201),
        ("POST", "/v1/identities", json!({ "username": "third" }), "plan_limit_identities", 201),
        // Agents: 3.
        ("POST", "/v1/signup/agents", json!({}), "unclaimed_workspace", 409),
        ("POST", "/v1/signup/agents", json!({ "kind": "identity" }), "unclaimed_workspace", 409),
        // Webhooks.
        ("POST", "/v1/webhooks", json!({ "url": "https://hooks.example.com/in" }), "unclaimed_workspace", 201),
        // Custom domains.
        ("POST", "/v1/domains", json!({ "domain": "mail.acme.example" }), "unclaimed_workspace", 201),
        ("POST", "/v1/domains", json!({ "domain": "acme.example", "receiving": false }), "unclaimed_workspace", 403),
        ("POST", "/v1/inboxes", json!({ "domain": "mail.acme.example" }), "invalid_request", 403),
    ]
}

async fn send(agent: &Agent, attempt: &Attempt) -> ApiResponse {
    let path = attempt.1.replace("{inbox}", &agent.id);
    agent.api.send(attempt.0.parse().unwrap(), &path, Some(attempt.2.clone())).await
}

async fn write(agent: &Agent, below: &str, to: Value) -> ApiResponse {
    let body = json!({ "to": to, "subject": "Plan", "text": "Here." });
    agent.api.post(&format!("/v1/inboxes/{}{below}", agent.id), body).await
}

#[tokio::test]
async fn signup_restrictions_hold_until_the_claim() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({})).await;
    agent.api.post("/v1/identities", json!({})).await.expect(201);
    for _ in 0..2 {
        agent.api.post_empty("/v1/signup/agents").await.expect(201);
    }
    for attempt in attempts() {
        let refused = send(&agent, &attempt).await.error(attempt.3);
        assert!(refused["error"]["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{refused}");
    }
    // The event stream and temporary inboxes are allowed.
    agent.api.post_empty("/v1/stream/token").await.expect(201);
    agent.api.post("/v1/inboxes", json!({ "ttl_seconds": 600 })).await.expect(201);
    // Recipients: 20 a day; the ways to send are a table of their own in `scenarios/unclaimed`.
    let people: Vec<String> = (0..20).map(|n| format!("p{n}@x.example")).collect();
    write(&agent, "/messages", json!(people)).await.expect(202);
    write(&agent, "/messages", json!("new@x.example")).await.error("unclaimed_recipient_limit");
    let restrictions = agent.api.get("/v1/account").await.expect(200)["restrictions"].clone();
    assert_eq!(restrictions["recipients_today"], 20);
    // The workspace can still ask for an owner.
    fixture.claim(&agent, "owner@x.example").await;
    write(&agent, "/messages", json!("new@x.example")).await.expect(202);
    for attempt in attempts() {
        let reply = send(&agent, &attempt).await;
        assert_eq!(reply.status, attempt.4, "{} {}: {reply}", attempt.0, attempt.1);
    }
    fixture.server.settle().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn signup_restrictions_hold_after_the_only_inbox_is_deleted() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({})).await;
    write(&agent, "/messages", json!(["a@x.example", "b@x.example"])).await.expect(202);
    agent.api.delete(&format!("/v1/inboxes/{}", agent.id)).await.expect(204);
    agent.api.post("/v1/inboxes", json!({})).await.expect(201);
    agent.api.post("/v1/inboxes", json!({})).await.error("plan_limit_inboxes");
    let account = agent.api.get("/v1/account").await.expect(200);
    assert_eq!(account["restrictions"]["recipients_today"], 2, "deleting an inbox doesn't reset the count");
    fixture.close().await;
}
