//! `/v1/identities`: agents without mail.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{TestMessage, TestServer, http::Api, server::ServerOptions, smtp::TestSmtpClient};
use serde_json::{Value, json};

async fn open() -> (TestServer, Api) {
    let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
    let server = TestServer::start(capture).await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    (server, api)
}

fn path(identity: &Value) -> String {
    format!("/v1/identities/{}", identity["id"].as_str().unwrap())
}

#[tokio::test]
async fn an_identity_is_created_read_updated_and_deleted() {
    let (server, api) = open().await;
    let body = json!({ "username": "ann", "display_name": "Ann", "client_id": "a-1", "metadata": { "team": "red" } });
    let created = api.post("/v1/identities", body.clone()).await.expect(201).json;
    let expected = json!({
        "id": created["id"], "kind": "identity", "address": "ann@agents.localhost", "username": "ann",
        "display_name": "Ann", "client_id": "a-1", "metadata": { "team": "red" }, "identity_enabled": true,
        "status": "active", "paused_at": null, "paused_reason": null, "created_at": posthouse_tests::clock::START,
    });
    assert_eq!(created, expected);
    assert_eq!(api.post("/v1/identities", body).await.expect(200).json, expected, "the client id is known");
    assert_eq!(api.get(&path(&created)).await.expect(200).json, expected);
    let change = json!({ "display_name": null, "metadata": { "team": null, "env": "prod" } });
    let changed = api.patch(&path(&created), change).await.expect(200);
    assert_eq!((&changed["display_name"], &changed["metadata"]), (&Value::Null, &json!({ "env": "prod" })));
    api.delete(&path(&created)).await.expect(204);
    api.get(&path(&created)).await.error("not_found");
    api.patch(&path(&created), json!({})).await.error("not_found");
    api.delete(&path(&created)).await.error("not_found");
    api.post("/v1/identities", json!({ "username": "ann" })).await.error("address_taken");
    api.post("/v1/inboxes", json!({ "username": "ann" })).await.error("address_taken");
    server.finish().await;
}

#[tokio::test]
async fn identities_have_a_list_and_a_limit_of_their_own() {
    let (server, api) = open().await;
    let mut ids = Vec::new();
    for (n, team) in ["red", "blue", "red"].iter().enumerate() {
        server.clock.advance(1);
        let body = json!({ "metadata": { "team": team }, "client_id": format!("c{n}") });
        ids.push(api.post("/v1/identities", body).await.expect(201).text("id").to_owned());
        // The same client id may name an inbox.
        api.post("/v1/inboxes", json!({ "client_id": format!("c{n}") })).await.expect(201);
    }
    let refused = api.post("/v1/identities", json!({})).await.error("plan_limit_identities");
    assert_eq!(refused["error"]["details"]["max"], 3);
    ids.reverse();
    let listed = |reply: &posthouse_tests::http::ApiResponse| -> Vec<String> {
        reply.data().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&api.get("/v1/identities").await.expect(200)), ids);
    let first = api.get("/v1/identities?limit=2").await.expect(200);
    let cursor = first.text("next_cursor");
    let second = api.get(&format!("/v1/identities?limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!([listed(&first), listed(&second)].concat(), ids);
    let red = api.get("/v1/identities?metadata.team=red").await.expect(200);
    assert_eq!(listed(&red), [ids[0].clone(), ids[2].clone()]);
    let two = api.get("/v1/identities?metadata.team=red&metadata.env=prod").await.expect(200);
    assert_eq!(listed(&two), [] as [String; 0]);
    let inboxes = api.get("/v1/inboxes?include_temporary=true").await.expect(200);
    assert!(inboxes.data().len() == 3 && inboxes.data().iter().all(|inbox| inbox["kind"] == "mailbox"));
    api.get(&format!("/v1/inboxes?cursor={cursor}")).await.error("invalid_cursor");
    server.finish().await;
}

#[tokio::test]
async fn an_identity_works_on_routes_of_one_inbox_but_has_no_mail() {
    let (server, api) = open().await;
    let identity = api.post("/v1/identities", json!({ "username": "ann" })).await.expect(201).json;
    let id = identity["id"].as_str().unwrap();
    let as_inbox = format!("/v1/inboxes/{id}");
    let shown = api.get(&as_inbox).await.expect(200);
    assert_eq!((&shown["kind"], &shown["daily_send_limit"]), (&json!("identity"), &json!(0)));
    let paused = api.post(&format!("{as_inbox}/pause"), json!({ "reason": "Break." })).await.expect(200);
    assert_eq!((&paused["kind"], &paused["status"]), (&json!("identity"), &json!("paused")));
    assert_eq!(api.get(&path(&identity)).await.expect(200)["paused_reason"], "Break.");
    api.post_empty(&format!("{as_inbox}/resume")).await.expect(200);
    // No mail reaches it, and it sends none.
    let mut smtp = TestSmtpClient::connect_with_ehlo(server.smtp_address()).await;
    smtp.line("MAIL FROM:<dana@example.com>").await.expect(250);
    smtp.line("RCPT TO:<ann@agents.localhost>").await.expect(550);
    smtp.quit().await;
    let message = json!({ "to": "dana@example.com", "subject": "Hello", "text": "Hi." });
    api.post(&format!("{as_inbox}/messages"), message.clone()).await.error("not_found");
    api.post(&format!("{as_inbox}/drafts"), message).await.error("not_found");
    api.get(&format!("{as_inbox}/messages")).await.error("not_found");
    api.post(&format!("{as_inbox}/messages/claim"), json!({})).await.error("not_found");
    api.post(&format!("{as_inbox}/forwarding"), json!({ "address": "a@x.example" })).await.error("not_found");
    api.get(&format!("{as_inbox}/verification")).await.error("not_found");
    // The routes of identities know no inboxes.
    let inbox = api.post("/v1/inboxes", json!({})).await.expect(201).json;
    api.get(&path(&inbox)).await.error("not_found");
    api.patch(&path(&inbox), json!({})).await.error("not_found");
    api.delete(&path(&inbox)).await.error("not_found");
    api.delete(&as_inbox).await.expect(204);
    api.get(&path(&identity)).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn a_key_of_one_identity_sees_only_that_identity() {
    let server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let api = server.api(&owner);
    let own = api.post("/v1/identities", json!({})).await.expect(201).json;
    let other = api.post("/v1/identities", json!({})).await.expect(201).json;
    let inbox = server.inbox(&owner).await;
    let scoped = server.key(&owner, "full", Scope::Inbox(own["id"].as_str().unwrap().parse().unwrap())).await;
    let scoped = server.api(&scoped);
    assert_eq!(scoped.get("/v1/identities").await.expect(200).data(), std::slice::from_ref(&own));
    assert_eq!(scoped.get("/v1/identities?metadata.a=b").await.expect(200).data(), [] as [Value; 0]);
    assert_eq!(scoped.get("/v1/inboxes").await.expect(200).data(), [] as [Value; 0]);
    scoped.get(&path(&own)).await.expect(200);
    for method in [reqwest::Method::GET, reqwest::Method::PATCH, reqwest::Method::DELETE] {
        scoped.send(method, &path(&other), Some(json!({}))).await.error("not_found");
    }
    scoped.post("/v1/identities", json!({})).await.error("forbidden");
    let of_inbox = server.key(&owner, "full", Scope::Inbox(inbox.id)).await;
    assert_eq!(server.api(&of_inbox).get("/v1/identities").await.expect(200).data(), [] as [Value; 0]);
    let stranger = server.api(&server.workspace(Plan::Team).await);
    stranger.get(&path(&own)).await.error("not_found");
    assert_eq!(stranger.get("/v1/identities").await.expect(200).data(), [] as [Value; 0]);
    server.finish().await;
}

#[tokio::test]
async fn mail_between_inboxes_does_not_reach_an_identity() {
    let (server, api) = open().await;
    api.post("/v1/identities", json!({ "username": "ann" })).await.expect(201);
    let inbox = api.post("/v1/inboxes", json!({ "username": "bob" })).await.expect(201).json;
    let id = inbox["id"].as_str().unwrap();
    let message = json!({ "to": "ann@agents.localhost", "subject": "Hello", "text": "Hi." });
    api.post(&format!("/v1/inboxes/{id}/messages"), message).await.expect(202);
    server.settle().await;
    let sent = server.newest_message(&api, id).await;
    assert_eq!(sent["status"], "bounced", "{sent}");
    server.deliver(&TestMessage::new("Other", "Mail still arrives."), "bob@agents.localhost").await;
    server.settle().await;
    server.finish().await;
}
