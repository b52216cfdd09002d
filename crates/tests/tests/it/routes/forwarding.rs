//! `/v1/inboxes/{id}/forwarding` and `/confirm/forwarding/{token}`. Forwarding itself is tested in
//! `scenarios/forwarding`.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{auth::Scope, plan::Plan, time::DAY_MS};
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
    server::ServerOptions,
};
use reqwest::Method;
use serde_json::{Value, json};

struct Fixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    path: String,
}

impl Fixture {
    /// Captures outbound messages, so that the test can read the link in them.
    async fn open() -> Self {
        let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
        let server = TestServer::start(capture).await;
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox_with(&key, json!({ "username": "sam" })).await);
        let path = format!("/v1/inboxes/{}/forwarding", inbox.id);
        Self { server, key, api, inbox, path }
    }

    async fn add(&self, address: &str) -> Value {
        self.server.clock.advance(1);
        self.api.post(&self.path, json!({ "address": address })).await.expect(201).json
    }

    async fn all(&self) -> Vec<Value> {
        self.api.get(&self.path).await.expect(200).data().to_vec()
    }

    /// Returns the path of the link in the newest captured mail.
    async fn link(&self) -> String {
        self.server.service_link(&self.api, "/confirm/forwarding/").await
    }

    /// Returns the number of confirmation mails.
    async fn asked(&self) -> usize {
        self.server.service_mails(&self.api).await.len()
    }

    async fn close(self) {
        self.server.settle().await;
        self.server.finish().await;
    }
}

#[tokio::test]
async fn an_address_is_pending_until_its_owner_confirms() {
    let fixture = Fixture::open().await;
    let added = fixture.add("Dana@X.example").await;
    let now = "2026-09-15T12:00:00.001Z";
    let expected = json!({
        "id": added["id"], "inbox_id": fixture.inbox.id.to_string(), "address": "dana@x.example", "status": "pending",
        "skip_flagged": true, "confirmed_at": null, "confirmation_sent_at": now, "last_forwarded_at": null,
        "forwarded_count": 0, "error": null, "created_at": now,
    });
    assert_eq!(added, expected);
    assert_eq!(fixture.all().await, std::slice::from_ref(&added));
    let (link, anybody) = (fixture.link().await, fixture.server.anonymous());
    for _ in 0..2 {
        let page = anybody.get(&link).await.expect(200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        let text = String::from_utf8(page.bytes.clone()).unwrap();
        assert!(text.contains("<form method=\"post\">") && text.contains("dana@x.example"), "{text}");
    }
    assert_eq!(fixture.all().await[0]["status"], "pending", "viewing the page does not confirm");
    fixture.server.clock.advance(1_000);
    let pressed = anybody.raw(Method::POST, &link, "application/x-www-form-urlencoded", "").await.expect(200);
    assert!(String::from_utf8(pressed.bytes.clone()).unwrap().contains("is forwarded to"));
    let confirmed = &fixture.all().await[0];
    assert_eq!(
        (&confirmed["status"], &confirmed["confirmed_at"]),
        (&json!("confirmed"), &json!("2026-09-15T12:00:01.001Z"))
    );
    anybody.post_empty(&link).await.error("invalid_token");
    anybody.get(&link).await.error("invalid_token");
    fixture.api.delete(&format!("{}/{}", fixture.path, added["id"].as_str().unwrap())).await.expect(204);
    assert_eq!(fixture.all().await, [] as [Value; 0]);
    anybody.get(&link).await.error("invalid_token");
    fixture.close().await;
}

#[tokio::test]
async fn a_link_works_for_seven_days_or_until_a_new_one() {
    let fixture = Fixture::open().await;
    let added = fixture.add("dana@x.example").await;
    let resend = format!("{}/{}/resend", fixture.path, added["id"].as_str().unwrap());
    let first = fixture.link().await;
    fixture.server.clock.advance(7 * DAY_MS);
    fixture.server.anonymous().get(&first).await.error("invalid_token");
    fixture.server.anonymous().post_empty(&first).await.error("invalid_token");
    let again = fixture.api.post_empty(&resend).await.expect(200);
    assert_eq!((again.text("status"), again.text("confirmation_sent_at")), ("pending", "2026-09-22T12:00:00.001Z"));
    let second = fixture.link().await;
    fixture.server.clock.advance(1);
    fixture.api.post_empty(&resend).await.expect(200);
    let third = fixture.link().await;
    assert_ne!(second, third);
    fixture.server.anonymous().post_empty(&second).await.error("invalid_token");
    fixture.server.anonymous().post_empty(&third).await.expect(200);
    let resent = fixture.api.post_empty(&resend).await.expect(200);
    assert_eq!(resent.text("status"), "confirmed");
    assert_eq!(fixture.asked().await, 3, "no further request is sent");
    for wrong in ["/confirm/forwarding/x", "/confirm/forwarding/00000000000000000000000000000000"] {
        fixture.server.anonymous().get(wrong).await.error("invalid_token");
        fixture.server.anonymous().post_empty(wrong).await.error("invalid_token");
    }
    fixture.close().await;
}

#[tokio::test]
async fn an_inbox_has_at_most_three_different_addresses() {
    let fixture = Fixture::open().await;
    let first = fixture.add("a@x.example").await;
    fixture.add("b@x.example").await;
    let body = json!({ "address": "A@x.example", "skip_flagged": false });
    let known = fixture.api.post(&fixture.path, body).await.expect(200);
    assert_eq!((&known["id"], &known["skip_flagged"]), (&first["id"], &json!(false)));
    assert_eq!(fixture.asked().await, 2, "no second message");
    fixture.add("c@x.example").await;
    fixture.api.post(&fixture.path, json!({ "address": "d@x.example" })).await.invalid_fields(&["address"]);
    let addresses: Vec<Value> = fixture.all().await.iter().map(|one| one["address"].clone()).collect();
    assert_eq!(addresses, ["a@x.example", "b@x.example", "c@x.example"]);
    fixture.api.delete(&format!("{}/{}", fixture.path, first["id"].as_str().unwrap())).await.expect(204);
    fixture.add("d@x.example").await;
    fixture.close().await;
}

#[tokio::test]
async fn invalid_requests_are_rejected() {
    let fixture = Fixture::open().await;
    for address in [json!("nobody"), json!(1), json!(fixture.inbox.address), json!("sam+tag@agents.localhost")] {
        fixture.api.post(&fixture.path, json!({ "address": address })).await.invalid_fields(&["address"]);
    }
    fixture.api.post(&fixture.path, json!({})).await.invalid_fields(&["address"]);
    let body = json!({ "address": "a@x.example", "skip_flaged": 1 });
    fixture.api.post(&fixture.path, body).await.invalid_fields(&["skip_flaged"]);
    let unknown = "0192f0c1-2345-7000-8000-0123456789ab";
    for id in [unknown, "x"] {
        fixture.api.delete(&format!("{}/{id}", fixture.path)).await.error("not_found");
        fixture.api.post_empty(&format!("{}/{id}/resend", fixture.path)).await.error("not_found");
        fixture.api.get(&format!("/v1/inboxes/{id}/forwarding")).await.error("not_found");
    }
    let temporary = fixture.server.inbox_with(&fixture.key, json!({ "ttl_seconds": 600 })).await;
    let path = format!("/v1/inboxes/{}/forwarding", temporary.id);
    fixture.api.post(&path, json!({ "address": "a@x.example" })).await.error("temporary_inbox_receive_only");
    assert_eq!(fixture.all().await, [] as [Value; 0], "rejected addresses are not stored");
    fixture.close().await;
}

#[tokio::test]
async fn addresses_belong_to_their_inbox_and_need_both_permissions() {
    let fixture = Fixture::open().await;
    let added = fixture.add("a@x.example").await;
    let id = added["id"].as_str().unwrap();
    let other = fixture.server.inbox(&fixture.key).await;
    let elsewhere = format!("/v1/inboxes/{}/forwarding", other.id);
    fixture.api.delete(&format!("{elsewhere}/{id}")).await.error("not_found");
    fixture.api.post_empty(&format!("{elsewhere}/{id}/resend")).await.error("not_found");
    let narrow = fixture.server.api(&fixture.server.key(&fixture.key, "full", Scope::Inbox(other.id)).await);
    narrow.get(&fixture.path).await.error("not_found");
    narrow.post(&fixture.path, json!({ "address": "b@x.example" })).await.error("not_found");
    narrow.get(&elsewhere).await.expect(200);
    let stranger = fixture.server.workspace(Plan::Team).await;
    fixture.server.api(&stranger).get(&fixture.path).await.error("not_found");
    let cannot_send =
        fixture.server.api(&fixture.server.key(&fixture.key, "inboxes:read,inboxes:write", Scope::Workspace).await);
    cannot_send.post(&fixture.path, json!({ "address": "b@x.example" })).await.error("insufficient_permissions");
    cannot_send.post_empty(&format!("{}/{id}/resend", fixture.path)).await.error("insufficient_permissions");
    cannot_send.delete(&format!("{}/{id}", fixture.path)).await.expect(204);
    fixture.close().await;
}

#[tokio::test]
async fn deleting_an_inbox_removes_its_addresses_and_links() {
    let fixture = Fixture::open().await;
    fixture.add("a@x.example").await;
    let link = fixture.link().await;
    fixture.api.delete(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(204);
    fixture.api.get(&fixture.path).await.error("not_found");
    fixture.server.anonymous().post_empty(&link).await.error("invalid_token");
    fixture.close().await;
}

#[tokio::test]
async fn confirmation_mails_are_limited_per_address_and_workspace() {
    let fixture = Fixture::open().await;
    let added = fixture.add("dana@x.example").await;
    let resend = format!("{}/{}/resend", fixture.path, added["id"].as_str().unwrap());
    for _ in 0..4 {
        fixture.server.clock.advance(1);
        fixture.api.post_empty(&resend).await.expect(200);
    }
    let refused = fixture.api.post_empty(&resend).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "confirmations_per_address");
    assert!(refused.header("retry-after").is_some());
    // Another workspace can't send more to the address either.
    let other = fixture.server.workspace(Plan::Team).await;
    let elsewhere = fixture.server.inbox(&other).await;
    let path = format!("/v1/inboxes/{}/forwarding", elsewhere.id);
    fixture.server.api(&other).post(&path, json!({ "address": "dana@x.example" })).await.error("rate_limited");
    // Contacts on call count too.
    for at in 0..3 {
        let contacts: Vec<String> = (0..5).map(|n| format!("p{at}{n}@x.example")).collect();
        fixture.api.put("/v1/escalation", json!({ "contacts": contacts })).await.expect(200);
    }
    let refused = fixture.api.post(&fixture.path, json!({ "address": "eve@x.example" })).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "confirmations_per_workspace");
    fixture.server.clock.advance(DAY_MS);
    fixture.api.post_empty(&resend).await.expect(200);
    fixture.close().await;
}
