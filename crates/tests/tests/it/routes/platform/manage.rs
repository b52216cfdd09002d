//! API keys, usage and settings.

use posthouse_app::ports::Clock as _;
use posthouse_domain::{
    plan::Plan,
    suspension::{Suspension, SuspensionReason},
    time::DAY_MS,
    workspace::WorkspaceNotice,
};
use posthouse_store::{Tx, workspaces};
use posthouse_tests::TestMessage;
use serde_json::{Value, json};

use super::{OWNER, capturing};

#[tokio::test]
async fn people_create_list_and_revoke_keys() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let browser = server.sign_in(&key, OWNER).await;
    let inbox = server.inbox(&key).await;
    for (body, scope, permissions) in [
        (json!({ "name": "plain" }), "workspace", None),
        (json!({ "name": "org", "scope": "org" }), "org", None),
        (json!({ "name": "agent", "preset": "agent", "inbox_id": inbox.id.to_string() }), "inbox", None),
        (json!({ "name": "one", "permissions": ["messages:read"] }), "workspace", Some(json!(["messages:read"]))),
    ] {
        let made = browser.post("/platform/api-keys", body).await.expect(201);
        assert_eq!(made["api_key"]["scope"], scope, "{made}");
        if let Some(permissions) = permissions {
            assert_eq!(made["api_key"]["permissions"], permissions);
        }
        let secret = made["key"].as_str().unwrap();
        let prefix = made["api_key"]["prefix"].as_str().unwrap();
        assert!(secret.starts_with(prefix) && secret.len() == 43, "{made}");
        server.anonymous().with_key(secret).get("/v1/threads").await.expect(200);
        let id = made["api_key"]["id"].as_str().unwrap();
        browser.delete(&format!("/platform/api-keys/{id}")).await.expect(204);
        browser.delete(&format!("/platform/api-keys/{id}")).await.expect(204);
        server.anonymous().with_key(secret).get("/v1/threads").await.error("unauthorized");
    }
    let list = browser.get("/platform/api-keys").await.expect(200);
    assert_eq!(list.data().len(), 5, "revoked keys stay listed");
    assert!(list.data().iter().all(|key| key.get("key").is_none()));
    for (body, field) in [
        (json!({}), "name"),
        (json!({ "name": "x", "preset": "boss" }), "preset"),
        (json!({ "name": "x", "permissions": ["all:things"] }), "permissions[0]"),
        (json!({ "name": "x", "permissions": ["full"] }), "permissions[0]"),
        (json!({ "name": "x", "permissions": ["inboxes:read,messages:read"] }), "permissions[0]"),
        (json!({ "name": "x", "permissions": ["inboxes:read"], "preset": "agent" }), "permissions"),
        (json!({ "name": "x", "scope": "planet" }), "scope"),
        (json!({ "name": "x", "scope": "inbox" }), "inbox_id"),
        (json!({ "name": "x", "scope": "org", "inbox_id": inbox.id.to_string() }), "inbox_id"),
    ] {
        browser.post("/platform/api-keys", body).await.invalid_fields(&[field]);
    }
    let all = json!({ "name": "", "permissions": ["a:b", "inboxes:read", "c:d"], "scope": "planet", "inbox_id": "x" });
    let fields = ["inbox_id", "name", "permissions[0]", "permissions[2]", "scope"];
    browser.post("/platform/api-keys", all).await.invalid_fields(&fields);
    let other = server.workspace(Plan::Team).await;
    let foreign = server.inbox(&other).await;
    let body = json!({ "name": "x", "inbox_id": foreign.id.to_string() });
    browser.post("/platform/api-keys", body).await.error("not_found");
    browser.delete(&format!("/platform/api-keys/{}", other.id)).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn owners_set_how_long_mail_is_kept() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let browser = server.sign_in(&key, OWNER).await;
    assert_eq!(browser.get("/platform/me").await.expect(200)["org"]["retention_days"], Value::Null);
    for wrong in [json!(0), json!(36_501), json!("30"), json!(1.5)] {
        browser.patch("/platform/org", json!({ "retention_days": wrong })).await.invalid_fields(&["retention_days"]);
    }
    let set = browser.patch("/platform/org", json!({ "retention_days": 30 })).await.expect(200);
    assert_eq!(set["org"]["retention_days"], 30);
    let kept = browser.patch("/platform/org", json!({ "name": "Renamed" })).await.expect(200);
    assert_eq!(kept["org"]["retention_days"], 30);
    let inbox = server.inbox(&key).await;
    server.deliver(&TestMessage::new("Old", "text"), &inbox.address).await;
    server.clock.advance(31 * DAY_MS);
    posthouse_app::jobs::reconcile::run(server.service()).await.unwrap();
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    assert_eq!(server.api(&key).get(&path).await.expect(200).data().len(), 0);
    let browser = server.sign_in(&key, OWNER).await;
    let for_ever = browser.patch("/platform/org", json!({ "retention_days": null })).await.expect(200);
    assert_eq!(for_ever["org"]["retention_days"], Value::Null);
    server.finish().await;
}

#[tokio::test]
async fn usage_counts_the_mail_of_each_day() {
    let server = capturing().await;
    let key = server.workspace(Plan::Free).await;
    let browser = server.sign_in(&key, OWNER).await;
    let inbox = server.inbox(&key).await;
    server.deliver(&TestMessage::new("one", "text"), &inbox.address).await;
    let body = json!({ "to": "bob@remote.example", "subject": "s", "text": "t" });
    server.api(&key).post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    let usage = browser.get("/platform/usage?days=3").await.expect(200);
    assert_eq!(usage["today"], json!({ "sent": 1, "received": 1 }));
    assert_eq!((usage["inboxes"].clone(), usage["limits"]["inboxes"].clone()), (json!(1), json!(3)));
    let series = usage["series"].as_array().unwrap();
    let last = &series[2];
    assert_eq!((series.len(), &last["sent"], &last["received"]), (3, &json!(1), &json!(1)));
    assert_eq!(series[0]["sent"], 0);
    assert_eq!(browser.get("/platform/usage").await.expect(200)["series"].as_array().unwrap().len(), 30);
    for days in ["0", "91", "x"] {
        browser.get(&format!("/platform/usage?days={days}")).await.invalid_fields(&["days"]);
    }
    server.finish().await;
}

#[tokio::test]
async fn owners_change_settings() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let browser = server.sign_in(&key, OWNER).await;
    let body = json!({ "name": "Acme", "ai_processing": "off", "screening": false,
        "ai_disclosure": { "visible_line": "text", "text": "Written by an agent.", "share_workspace_name": true } });
    let changed = browser.patch("/platform/org", body).await.expect(200);
    let account = server.api(&key).get("/v1/account").await.expect(200);
    assert_eq!(changed["org"], account["workspace"]);
    assert_eq!(account["workspace"]["name"], "Acme");
    assert_eq!(
        account["workspace"]["ai_disclosure"],
        json!({ "visible_line": "text", "text": "Written by an agent.", "share_workspace_name": true })
    );
    let same = browser.patch("/platform/org", json!({})).await.expect(200);
    assert_eq!(same["org"], changed["org"]);
    for default in [json!(""), Value::Null] {
        browser.patch("/platform/org", json!({ "ai_disclosure": { "text": "By an agent." } })).await.expect(200);
        let cleared = browser.patch("/platform/org", json!({ "ai_disclosure": { "text": default } })).await.expect(200);
        assert_eq!(cleared["org"]["ai_disclosure"]["text"], Value::Null);
    }
    browser.patch("/platform/org", json!({ "name": " \u{2003} " })).await.invalid_fields(&["name"]);
    browser.patch("/platform/org", json!({ "ai_processing": "some" })).await.invalid_fields(&["ai_processing"]);
    server.finish().await;
}

#[tokio::test]
async fn a_key_can_be_limited_to_an_identity() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let browser = server.sign_in(&key, OWNER).await;
    let identity = server.api(&key).post("/v1/identities", json!({})).await.expect(201);
    let new = json!({ "name": "agent", "scope": "inbox", "inbox_id": identity["id"] });
    let created = browser.post("/platform/api-keys", new).await.expect(201);
    let agent = server.anonymous().with_key(created["key"].as_str().unwrap());
    agent.get(&format!("/v1/inboxes/{}", identity.text("id"))).await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn usage_shows_what_counts_towards_the_limits() {
    let server = capturing().await;
    let key = server.workspace(Plan::Free).await;
    let browser = server.sign_in(&key, OWNER).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let body = json!({ "to": "bob@remote.example", "subject": "s", "text": "t" });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    // Mail of the service, such as a confirmation, doesn't count.
    api.put("/v1/escalation", json!({ "contacts": ["dana@x.example"] })).await.expect(200);
    server.settle().await;
    let usage = browser.get("/platform/usage").await.expect(200);
    assert_eq!((&usage["used"]["daily_sends"], &usage["used"]["emails_per_month"]), (&json!(1), &json!(1)), "{usage}");
    assert!(usage["used"]["storage_bytes"].as_u64().unwrap() > 100, "{usage}");
    server.finish().await;
}

#[tokio::test]
async fn a_refused_change_carries_the_notice_of_the_workspace() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let browser = server.sign_in(&key, OWNER).await;
    server.request_link(OWNER).await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    let again = browser.post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
    let (id, created_at) = (key.workspace, posthouse_app::ports::Clock::now(&server.clock));
    let set = move |tx: &mut posthouse_store::Tx| -> posthouse_store::Result<()> {
        let mut workspace = posthouse_store::workspaces::get(tx, id)?.expect("the workspace");
        workspace.notice = Some(WorkspaceNotice { message: "Pay the bill.".into(), created_at });
        posthouse_store::workspaces::update(tx, &workspace)
    };
    server.store().write(set).await.unwrap();
    let without_header = server.anonymous().with_header("Cookie", &posthouse_tests::browser::cookie(&again));
    let refused = without_header.post("/v1/inboxes", json!({})).await.error("csrf");
    assert_eq!(refused.header("service-notice"), Some("Pay%20the%20bill%2E"));
    for path in ["/v1/webhooks/events", "/v1/nowhere", "/platform/nowhere"] {
        let reply = without_header.get(path).await;
        assert_eq!(reply.header("service-notice"), Some("Pay%20the%20bill%2E"), "{path}");
    }
    // Routes that don't act on the session need no header.
    without_header.post("/platform/auth/magic-link", json!({ "email": OWNER })).await.expect(204);
    server.finish().await;
}

#[tokio::test]
async fn an_owner_asks_once_for_a_review_of_the_suspension() {
    const PATH: &str = "/platform/org/suspension/review";
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let browser = server.sign_in(&key, OWNER).await;
    browser.post(PATH, json!({})).await.error("not_suspended");
    let id = key.workspace;
    let suspension = Suspension::new(SuspensionReason::Complaints, server.clock.now(), vec!["x.example".to_owned()]);
    server.store().write(move |tx: &mut Tx| workspaces::suspend(tx, id, &suspension)).await.unwrap();
    let shown = browser.get("/platform/me").await.expect(200)["org"]["suspension"].clone();
    assert_eq!((&shown["reason"], &shown["review_requested_at"]), (&json!("complaints"), &Value::Null), "{shown}");
    browser.post(PATH, json!({ "note": "" })).await.invalid_fields(&["note"]);
    let asked = browser.post(PATH, json!({ "note": "These people subscribed." })).await.expect(202);
    let at = asked["suspension"]["review_requested_at"].clone();
    assert!(at.is_string(), "{asked}");
    server.clock.advance(1_000);
    let again = browser.post(PATH, json!({ "note": "Please." })).await.expect(202);
    assert_eq!(again["suspension"]["review_requested_at"], at, "the first request stays");
    let stored = server.store().read(move |tx| workspaces::get(tx, id)).await.unwrap().unwrap();
    assert_eq!(stored.suspension.unwrap().review_note.as_deref(), Some("These people subscribed."));
    let account = server.api(&key).get("/v1/account").await.expect(200);
    assert_eq!(account["workspace"]["suspension"]["parties"], json!(["x.example"]));
    server.finish().await;
}

#[tokio::test]
async fn the_plan_limits_active_keys_and_all_are_listed_in_pages() {
    let change = |config: &mut posthouse_server::config::Configuration| {
        config.delivery.mode = posthouse_app::settings::DeliveryMode::Capture;
        config.plans.free.api_keys = Some(30);
    };
    let server = posthouse_tests::TestServer::start(posthouse_tests::ServerOptions::default().configure(change)).await;
    let key = server.workspace(Plan::Free).await;
    let browser = server.owner_session(&key).await;
    let mut last = String::new();
    for at in 0..29 {
        let made = browser.post("/platform/api-keys", json!({ "name": format!("key {at}") })).await.expect(201);
        last = made["api_key"]["id"].as_str().unwrap().to_owned();
    }
    let more = json!({ "name": "one more" });
    let refused = browser.post("/platform/api-keys", more.clone()).await.error("plan_limit_api_keys");
    assert_eq!(refused["error"]["details"]["max"], 30);
    assert_eq!(browser.get("/v1/account").await.expect(200)["limits"]["api_keys"], 30);
    let (mut names, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = browser.get(&format!("/platform/api-keys?limit=12{cursor}")).await.expect(200);
        names.extend(page.data().iter().map(|key| key["name"].as_str().unwrap().to_owned()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 30, "{names:?}");
    browser.delete(&format!("/platform/api-keys/{last}")).await.expect(204);
    browser.post("/platform/api-keys", more.clone()).await.expect(201);
    browser.post("/platform/api-keys", more).await.error("plan_limit_api_keys");
    server.finish().await;
}
