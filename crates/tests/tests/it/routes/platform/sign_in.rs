//! Links, codes and sessions.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{
    ServerOptions, TestServer,
    browser::{FROM_DASHBOARD, cookie},
};
use serde_json::json;

use super::{OWNER, capturing};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

#[tokio::test]
async fn a_link_signs_a_member_in_once() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    server.request_link("Owner@Example.org").await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    assert!(mail.text.contains("Auto-Submitted: auto-generated"), "{}", mail.text);
    let anonymous = server.anonymous();
    let reply = anonymous.post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
    assert_eq!((reply["user"]["email"].as_str(), reply["user"]["role"].as_str()), (Some(OWNER), Some("owner")));
    assert_eq!(
        (reply["org"]["id"].as_str(), reply["org"]["status"].as_str()),
        (Some(key.workspace.to_string().as_str()), Some("active"))
    );
    assert_eq!(reply["org"]["ai_processing"], "categorize");
    let set = reply.header("set-cookie").unwrap();
    assert!(set.starts_with("service_session=") && set.contains("HttpOnly; SameSite=Lax"), "{set}");
    let browser = server.browser(&reply);
    let me = browser.get("/platform/me").await.expect(200);
    assert_eq!((&me["user"], &me["org"]), (&reply["user"], &reply["org"]));
    assert_eq!(browser.get("/v1/account").await.expect(200)["key"], serde_json::Value::Null);
    // The link is used up.
    anonymous.post("/platform/auth/verify", json!({ "token": mail.token })).await.error("invalid_token");
    anonymous.get("/platform/me").await.error("unauthorized");
    server.finish().await;
}

#[tokio::test]
async fn a_link_expires_and_a_code_has_five_tries() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let anonymous = server.anonymous();
    let verify = async |body| anonymous.post("/platform/auth/verify", body).await;
    server.request_link(OWNER).await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    server.advance(15 * MINUTE_MS).await;
    verify(json!({ "token": mail.token })).await.error("invalid_token");
    verify(json!({ "email": OWNER, "code": mail.code })).await.error("invalid_token");

    server.request_link(OWNER).await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    let wrong = if mail.code == "000000" { "000001" } else { "000000" };
    for _ in 0..4 {
        verify(json!({ "email": OWNER, "code": wrong })).await.error("invalid_token");
    }
    verify(json!({ "email": OWNER, "code": mail.code })).await.expect(200);
    verify(json!({ "email": OWNER, "code": mail.code })).await.error("invalid_token");

    server.request_link(OWNER).await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    for _ in 0..5 {
        verify(json!({ "email": OWNER, "code": wrong })).await.error("invalid_token");
    }
    verify(json!({ "email": OWNER, "code": mail.code })).await.error("invalid_token");
    // Wrong codes don't use up the link itself.
    verify(json!({ "token": mail.token })).await.expect(200);
    for bad in [json!({}), json!({ "email": OWNER }), json!({ "token": "x", "email": OWNER, "code": "1" })] {
        verify(bad).await.invalid_fields(&["token"]);
    }
    server.finish().await;
}

#[tokio::test]
async fn unknown_addresses_get_the_same_response_and_no_mail() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    server.request_link("stranger@example.org").await;
    assert!(server.find_sign_in_mail(&key, "stranger@example.org").await.is_none());
    let reply = server.anonymous().post("/platform/auth/magic-link", json!({ "email": "not an address" })).await;
    reply.invalid_fields(&["email"]);
    server.finish().await;
}

#[tokio::test]
async fn an_address_gets_five_links_in_a_quarter_of_an_hour() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    for _ in 0..7 {
        server.request_link(OWNER).await;
    }
    let outbox = server.api(&key).get("/dev/outbox").await.expect(200);
    assert_eq!(outbox.data().iter().filter(|entry| entry["envelope"]["to"][0] == OWNER).count(), 5);
    server.advance(15 * MINUTE_MS).await;
    server.request_link(OWNER).await;
    let outbox = server.api(&key).get("/dev/outbox").await.expect(200);
    assert_eq!(outbox.data().iter().filter(|entry| entry["envelope"]["to"][0] == OWNER).count(), 6);
    server.finish().await;
}

#[tokio::test]
async fn a_stopped_workspace_can_sign_in_and_its_owner_resumes_it() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    server.api(&key).post("/v1/emergency-stop", json!({ "reason": "test" })).await.expect(200);
    let browser = server.sign_in(&key, OWNER).await;
    let me = browser.get("/platform/me").await.expect(200);
    assert_eq!(me["org"]["emergency_stop_reason"], "test");
    let resumed = browser.post_empty("/platform/org/resume").await.expect(200);
    assert_eq!(resumed["org"]["emergency_stopped_at"], serde_json::Value::Null);
    let events = server.api(&key).get("/v1/events?types=workspace.resumed").await.expect(200);
    assert_eq!(events.data()[0]["data"]["actor"]["type"], "user");
    assert_eq!(events.data()[0]["data"]["actor"]["label"], OWNER);
    server.finish().await;
}

#[tokio::test]
async fn signing_in_again_ends_the_old_session() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let first = server.sign_in(&key, OWNER).await;
    server.request_link(OWNER).await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    let again = first.post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
    first.get("/platform/me").await.error("unauthorized");
    let second = server.browser(&again);
    let sessions = second.get("/platform/sessions").await.expect(200);
    assert_eq!((sessions.data().len(), &sessions.data()[0]["current"]), (1, &json!(true)));
    let without_header = server.anonymous().with_header("Cookie", &posthouse_tests::browser::cookie(&again));
    without_header.post_empty("/platform/auth/logout").await.error("csrf");
    second.post_empty("/platform/auth/logout").await.expect(204);
    second.get("/platform/me").await.error("unauthorized");
    server.finish().await;
}

#[tokio::test]
async fn a_person_ends_other_sessions_and_unused_ones_end_alone() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let (one, two) = (server.sign_in(&key, OWNER).await, server.sign_in(&key, OWNER).await);
    let sessions = two.get("/platform/sessions").await.expect(200);
    let other = sessions.data().iter().find(|session| session["current"] == false).unwrap()["id"].clone();
    let path = format!("/platform/sessions/{}", other.as_str().unwrap());
    two.delete(&path).await.expect(204);
    two.delete(&path).await.error("not_found");
    one.get("/platform/me").await.error("unauthorized");
    server.advance(29 * DAY_MS).await;
    two.get("/platform/me").await.expect(200);
    server.advance(29 * DAY_MS).await;
    two.get("/platform/me").await.expect(200);
    server.advance(30 * DAY_MS).await;
    two.get("/platform/me").await.error("unauthorized");
    server.finish().await;
}

#[tokio::test]
async fn changes_with_a_cookie_need_the_dashboard() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    server.request_link(OWNER).await;
    let mail = server.sign_in_mail(&key, OWNER).await;
    let anonymous = server.anonymous();
    let foreign = anonymous.with_header("Origin", "https://evil.example");
    foreign.post("/platform/auth/verify", json!({ "token": mail.token })).await.error("csrf");
    foreign.post("/platform/auth/magic-link", json!({ "email": OWNER })).await.error("csrf");
    let reply = anonymous.post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
    let bare = anonymous.with_header("Cookie", &cookie(&reply));
    bare.post("/v1/inboxes", json!({})).await.error("csrf");
    bare.get("/v1/inboxes").await.expect(200);
    let browser = bare.with_header(FROM_DASHBOARD.0, FROM_DASHBOARD.1);
    browser.with_header("Origin", "https://evil.example").post("/v1/inboxes", json!({})).await.error("csrf");
    browser.with_header("Sec-Fetch-Site", "cross-site").post("/v1/inboxes", json!({})).await.error("csrf");
    browser.with_header("Sec-Fetch-Site", "same-origin").post("/v1/inboxes", json!({})).await.expect(201);
    // A key needs no header, and a session opens no platform route beside a key.
    server.api(&key).post("/v1/inboxes", json!({})).await.expect(201);
    server.api(&key).get("/platform/me").await.error("unauthorized");
    // Sign-in with GitHub is disabled.
    anonymous.get("/platform/auth/github?next=/").await.expect(404);
    server.finish().await;
}

#[tokio::test]
async fn the_stored_sign_in_mail_hides_link_and_code() {
    let server = posthouse_tests::TestServer::plain().await;
    server.workspace(Plan::Team).await;
    server.request_link(OWNER).await;
    let stored = server
        .store()
        .read(|tx| {
            let service = posthouse_domain::id::WorkspaceId::SERVICE;
            let inbox = posthouse_store::inboxes::first_of(tx, service)?;
            Ok::<_, posthouse_store::Error>(inbox.map(|inbox| (inbox.address, inbox.workspace)))
        })
        .await
        .unwrap();
    assert_eq!(stored.map(|(address, _)| address), Some("no-reply@agents.localhost".to_owned()));
    server.finish().await;
}

posthouse_store::statements! {
    SIGN_INS = "SELECT count(*) FROM sign_ins";
    SESSIONS = "SELECT count(*) FROM sessions";
}

#[tokio::test]
async fn expired_links_and_sessions_are_deleted() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    server.sign_in(&key, OWNER).await;
    server.request_link(OWNER).await;
    let rows = async || {
        posthouse_app::jobs::reconcile::run(server.service()).await.unwrap();
        let count = |tx: &mut posthouse_store::Tx| {
            let links: Option<i64> = tx.value(&SIGN_INS, posthouse_store::p![])?;
            let sessions: Option<i64> = tx.value(&SESSIONS, posthouse_store::p![])?;
            Ok::<_, posthouse_store::Error>((links.unwrap(), sessions.unwrap()))
        };
        server.store().read(count).await.unwrap()
    };
    assert_eq!(rows().await, (1, 1));
    server.clock.advance(DAY_MS);
    assert_eq!(rows().await, (0, 1));
    server.clock.advance(180 * DAY_MS);
    assert_eq!(rows().await, (0, 0));
    server.finish().await;
}

#[tokio::test]
async fn the_sign_in_page_learns_the_first_owner_in_the_loopback_profile_only() {
    for (captures, first_owner) in [(true, json!(OWNER)), (false, json!(null))] {
        let mode = if captures { DeliveryMode::Capture } else { DeliveryMode::Direct };
        let options = ServerOptions::default().configure(move |config| config.app.delivery.mode = mode);
        let server = TestServer::start(options).await;
        let before = server.anonymous().get("/platform/auth/options").await.expect(200);
        assert_eq!(before["first_owner"], json!(null), "there is no workspace yet");
        server.workspace(Plan::Team).await;
        let shown = server.anonymous().get("/platform/auth/options").await.expect(200);
        assert_eq!(shown["first_owner"], first_owner, "captures: {captures}");
        assert_eq!(shown["captures_mail"], captures);
        server.finish().await;
    }
}
