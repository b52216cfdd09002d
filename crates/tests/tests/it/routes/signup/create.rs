//! Signups and further agents: shapes, accounts, limits.

use posthouse_domain::{
    plan::Plan,
    time::{DAY_MS, Time},
};
use serde_json::{Value, json};

use super::SignupFixture;

#[tokio::test]
async fn signup_creates_a_restricted_workspace_with_an_inbox() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "agent_name": "Ann \"the\" bot" })).await;
    let created = &agent.created;
    let expected = json!({
        "id": created["workspace"]["id"], "name": "Ann \"the\" bot's workspace", "status": "unclaimed",
        "created_at": posthouse_tests::clock::START, "claimed_at": null,
    });
    assert_eq!(created["workspace"], expected);
    assert_eq!((&created["kind"], &created["identity"]), (&json!("mailbox"), &Value::Null));
    assert_eq!(created["inbox"]["kind"], "mailbox");
    assert_eq!(created["inbox"]["display_name"], Value::Null, "the name is never used in mail");
    assert_eq!(created["claim"], json!({ "status": "not_requested", "email": null }));
    let restrictions = json!({
        "recipients_per_day": 20, "recipients_today": 0, "replies_to_inbound_threads": "unlimited", "inboxes": 1,
        "identities": 1, "identity_tokens": false, "webhooks": false, "custom_domains": false, "event_stream": true,
        "expires_after_inactive_days": 30,
    });
    assert_eq!(created["restrictions"], restrictions);
    assert!(created["docs_url"].as_str().unwrap().ends_with("/docs"));
    assert!(!created["next_steps"].as_array().unwrap().is_empty());
    let account = agent.api.get("/v1/account").await.expect(200);
    assert_eq!(account["restrictions"], restrictions);
    assert_eq!((account["workspace"]["plan"].as_str(), account["key"]["scope"].as_str()), (Some("free"), Some("org")));
    let claim = json!({
        "status": "unclaimed", "claimed_at": null, "pending_email": null, "expires_at": "2026-10-15T12:00:00.000Z"
    });
    assert_eq!(account["claim"], claim);
    let limits = &account["limits"];
    assert_eq!(
        (&limits["inboxes"], &limits["identities"], &limits["custom_domains"]),
        (&json!(1), &json!(1), &json!(0))
    );
    let events = agent.api.get("/v1/events?types=signup.created").await.expect(200);
    let data = &events.data()[0]["data"];
    assert_eq!((&data["workspace"], &data["claim_requested"]), (&expected, &json!(false)));
    assert_eq!(data["inbox"]["id"], agent.id);
    fixture.close().await;
}

#[tokio::test]
async fn signup_of_an_identity_creates_no_inbox() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "kind": "identity", "agent_name": null })).await;
    assert_eq!((&agent.created["kind"], &agent.created["inbox"]), (&json!("identity"), &Value::Null));
    assert_eq!(agent.created["workspace"]["name"], "Agent workspace");
    let identity = agent.api.get(&format!("/v1/identities/{}", agent.id)).await.expect(200);
    assert_eq!(identity.json, agent.created["identity"]);
    assert_eq!(agent.api.get("/v1/inboxes").await.expect(200).data(), [] as [Value; 0]);
    let events = agent.api.get("/v1/events").await.expect(200);
    assert_eq!(events.data()[0]["data"]["inbox"], Value::Null);
    fixture.close().await;
}

#[tokio::test]
async fn signup_checks_its_members() {
    let fixture = SignupFixture::open().await;
    let long = "x".repeat(81);
    for (member, value) in [
        ("agent_name", json!("")),
        ("agent_name", json!(long)),
        ("agent_name", json!("two\nlines")),
        ("owner_email", json!("nobody")),
        ("owner_email", json!("sam@agents.localhost")),
        ("owner_email", json!("sam@tmp.agents.localhost")),
        ("kind", json!("robot")),
        ("plan", json!("team")),
    ] {
        fixture.post(json!({ member: value })).await.invalid_fields(&[member]);
    }
    fixture.close().await;
}

#[tokio::test]
async fn signup_is_limited_per_address_and_day() {
    let fixture = SignupFixture::open_with(|config| {
        config.http.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        config.app.signup.per_address_per_day = Some(2);
    })
    .await;
    let from = async |address: &str| {
        let body = fixture.solved().await;
        fixture.server.anonymous().with_header("X-Forwarded-For", address).post("/v1/signup", body).await
    };
    from("192.0.2.1").await.expect(201);
    from("192.0.2.1").await.expect(201);
    let refused = from("192.0.2.1").await.error("signup_rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "signups_per_day");
    assert_eq!((refused["error"]["details"]["max"].as_u64(), refused.header("retry-after")), (Some(2), Some("43201")));
    from("192.0.2.2").await.expect(201);
    // One /56 is one client.
    from("2001:db8::1").await.expect(201);
    from("2001:db8:0:ff::2").await.expect(201);
    from("2001:db8:0:1::3").await.error("signup_rate_limited");
    from("2001:db8:0:100::1").await.expect(201);
    let metrics = fixture.server.service().metrics.text();
    assert!(metrics.contains("posthouse_limit_refusals_total{limit=\"signups_per_day\"} 2"), "{metrics}");
    // Midnight (UTC) begins a new day.
    fixture.server.clock.advance(DAY_MS / 2);
    from("192.0.2.1").await.expect(201);
    fixture.close().await;
}

#[tokio::test]
async fn a_refused_signup_leaves_the_solution_usable() {
    let fixture = SignupFixture::open_with(|config| config.app.signup.per_address_per_day = Some(1)).await;
    fixture.server.clock.set(Time::parse("2026-09-15T23:59:00Z").unwrap());
    fixture.sign_up(json!({})).await;
    let solved = fixture.solved().await;
    fixture.server.anonymous().post("/v1/signup", solved.clone()).await.error("signup_rate_limited");
    fixture.server.clock.advance(60_000);
    fixture.server.anonymous().post("/v1/signup", solved).await.expect(201);
    fixture.close().await;
}

#[tokio::test]
async fn signup_agents_have_keys_of_their_own() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({})).await;
    let add = async |body: Value| agent.api.post("/v1/signup/agents", body).await;
    let second = add(json!({ "kind": "identity" })).await.expect(201);
    assert_eq!((&second["kind"], &second["inbox"]), (&json!("identity"), &Value::Null));
    assert_eq!(second["workspace"], agent.created["workspace"]);
    // The workspace has its one inbox already, so the third agent shares it.
    let third = agent.api.post_empty("/v1/signup/agents").await.expect(201);
    assert_eq!((&third["kind"], &third["inbox"]["id"]), (&json!("mailbox"), &json!(agent.id)));
    let refused = add(json!({})).await.error("unclaimed_workspace");
    assert_eq!(refused["error"]["details"]["max"], 3);
    let secrets = [&agent.created["api_key"], &second["api_key"], &third["api_key"]];
    assert!(secrets[0] != secrets[1] && secrets[1] != secrets[2] && secrets[0] != secrets[2]);
    // A further key reaches only its own inbox or identity.
    let [second_api, third_api] =
        [&second, &third].map(|added| fixture.server.anonymous().with_key(added.text("api_key")));
    let identity = format!("/v1/identities/{}", second["identity"]["id"].as_str().unwrap());
    second_api.get(&identity).await.expect(200);
    second_api.get(&format!("/v1/inboxes/{}", agent.id)).await.error("not_found");
    third_api.get(&format!("/v1/inboxes/{}/messages", agent.id)).await.expect(200);
    third_api.get(&identity).await.error("not_found");
    for api in [&second_api, &third_api] {
        api.post("/v1/signup/agents", json!({})).await.error("forbidden");
        api.post("/v1/signup/claim", json!({ "email": "owner@x.example" })).await.error("forbidden");
    }
    fixture.close().await;
}

#[tokio::test]
async fn signup_agents_belong_to_unclaimed_workspaces_only() {
    let fixture = SignupFixture::open().await;
    let operator = fixture.server.workspace(Plan::Team).await;
    fixture.server.api(&operator).post("/v1/signup/agents", json!({})).await.error("not_claimable");
    let agent = fixture.sign_up(json!({})).await;
    fixture.claim(&agent, "owner@x.example").await;
    agent.api.post("/v1/signup/agents", json!({})).await.error("already_claimed");
    fixture.close().await;
}
