//! `/v1/inboxes/{id}/forwarding` and `/confirm/forwarding/{token}`. What is forwarded, and how, is in `journeys/forwarding`.

use posthouse_domain::{auth::Scope, plan::Plan, time::DAY_MS};
use posthouse_server::config::DeliveryMode;
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
    server::Options,
};
use reqwest::Method;
use serde_json::{Value, json};

struct Desk {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    path: String,
}

impl Desk {
    /// Nothing leaves, so the link can be read in the captured mail.
    async fn open() -> Self {
        let capture = Options::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
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

    /// The path of the link in the newest captured mail.
    async fn link(&self) -> String {
        let sent = self.server.newest(&self.api, &self.inbox.id.to_string()).await;
        let text = sent["text"].as_str().unwrap();
        let at = text.find("/confirm/forwarding/").unwrap_or_else(|| panic!("no link in {text}"));
        text[at..].lines().next().unwrap().to_owned()
    }

    async fn close(self) {
        self.server.settle().await;
        self.server.finish().await;
    }
}

#[tokio::test]
async fn an_address_is_pending_until_its_owner_presses_the_button() {
    let desk = Desk::open().await;
    let added = desk.add("Dana@X.example").await;
    let now = "2026-09-15T12:00:00.001Z";
    let expected = json!({
        "id": added["id"], "inbox_id": desk.inbox.id.to_string(), "address": "dana@x.example", "status": "pending",
        "skip_flagged": true, "confirmed_at": null, "confirmation_sent_at": now, "last_forwarded_at": null,
        "forwarded_count": 0, "error": null, "created_at": now,
    });
    assert_eq!(added, expected);
    assert_eq!(desk.all().await, std::slice::from_ref(&added));
    let (link, anybody) = (desk.link().await, desk.server.anonymous());
    for _ in 0..2 {
        let page = anybody.get(&link).await.expect(200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        let text = String::from_utf8(page.bytes.clone()).unwrap();
        assert!(text.contains("<form method=\"post\">") && text.contains("dana@x.example"), "{text}");
    }
    assert_eq!(desk.all().await[0]["status"], "pending", "looking at the page uses nothing up");
    desk.server.clock.advance(1_000);
    let pressed = anybody.raw(Method::POST, &link, "application/x-www-form-urlencoded", "").await.expect(200);
    assert!(String::from_utf8(pressed.bytes.clone()).unwrap().contains("is forwarded to"));
    let confirmed = &desk.all().await[0];
    assert_eq!(
        (&confirmed["status"], &confirmed["confirmed_at"]),
        (&json!("confirmed"), &json!("2026-09-15T12:00:01.001Z"))
    );
    anybody.post_empty(&link).await.error("invalid_token");
    let page = anybody.get(&link).await.expect(200);
    assert!(!String::from_utf8(page.bytes.clone()).unwrap().contains("<form"), "there is nothing left to press");
    desk.api.delete(&format!("{}/{}", desk.path, added["id"].as_str().unwrap())).await.expect(204);
    assert_eq!(desk.all().await, [] as [Value; 0]);
    anybody.get(&link).await.error("invalid_token");
    desk.close().await;
}

#[tokio::test]
async fn a_link_works_for_seven_days_and_a_new_one_ends_it() {
    let desk = Desk::open().await;
    let added = desk.add("dana@x.example").await;
    let resend = format!("{}/{}/resend", desk.path, added["id"].as_str().unwrap());
    let first = desk.link().await;
    desk.server.clock.advance(7 * DAY_MS);
    desk.server.anonymous().get(&first).await.error("invalid_token");
    desk.server.anonymous().post_empty(&first).await.error("invalid_token");
    let again = desk.api.post_empty(&resend).await.expect(200);
    assert_eq!((again.text("status"), again.text("confirmation_sent_at")), ("pending", "2026-09-22T12:00:00.001Z"));
    let second = desk.link().await;
    desk.server.clock.advance(1);
    desk.api.post_empty(&resend).await.expect(200);
    let third = desk.link().await;
    assert_ne!(second, third);
    desk.server.anonymous().post_empty(&second).await.error("invalid_token");
    desk.server.anonymous().post_empty(&third).await.expect(200);
    let sent = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await;
    let asked = desk.api.post_empty(&resend).await.expect(200);
    assert_eq!(asked.text("status"), "confirmed");
    assert_eq!(
        desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await["id"],
        sent["id"],
        "nobody is asked twice"
    );
    for wrong in ["/confirm/forwarding/x", "/confirm/forwarding/00000000000000000000000000000000"] {
        desk.server.anonymous().get(wrong).await.error("invalid_token");
        desk.server.anonymous().post_empty(wrong).await.error("invalid_token");
    }
    desk.close().await;
}

#[tokio::test]
async fn an_inbox_has_three_addresses_each_once() {
    let desk = Desk::open().await;
    let first = desk.add("a@x.example").await;
    desk.add("b@x.example").await;
    let before = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await;
    let body = json!({ "address": "A@x.example", "skip_flagged": false });
    let known = desk.api.post(&desk.path, body).await.expect(200);
    assert_eq!((&known["id"], &known["skip_flagged"]), (&first["id"], &json!(false)));
    assert_eq!(desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await["id"], before["id"], "no second mail");
    desk.add("c@x.example").await;
    desk.api.post(&desk.path, json!({ "address": "d@x.example" })).await.invalid_fields(&["address"]);
    let addresses: Vec<Value> = desk.all().await.iter().map(|one| one["address"].clone()).collect();
    assert_eq!(addresses, ["a@x.example", "b@x.example", "c@x.example"]);
    desk.api.delete(&format!("{}/{}", desk.path, first["id"].as_str().unwrap())).await.expect(204);
    desk.add("d@x.example").await;
    desk.close().await;
}

#[tokio::test]
async fn requests_that_cannot_be() {
    let desk = Desk::open().await;
    for address in [json!("nobody"), json!(1), json!(desk.inbox.address), json!("sam+tag@agents.localhost")] {
        desk.api.post(&desk.path, json!({ "address": address })).await.invalid_fields(&["address"]);
    }
    desk.api.post(&desk.path, json!({})).await.invalid_fields(&["address"]);
    let body = json!({ "address": "a@x.example", "skip_flaged": 1 });
    desk.api.post(&desk.path, body).await.invalid_fields(&["skip_flaged"]);
    let unknown = "0192f0c1-2345-7000-8000-0123456789ab";
    for id in [unknown, "x"] {
        desk.api.delete(&format!("{}/{id}", desk.path)).await.error("not_found");
        desk.api.post_empty(&format!("{}/{id}/resend", desk.path)).await.error("not_found");
        desk.api.get(&format!("/v1/inboxes/{id}/forwarding")).await.error("not_found");
    }
    let temporary = desk.server.inbox_with(&desk.key, json!({ "ttl_seconds": 600 })).await;
    let path = format!("/v1/inboxes/{}/forwarding", temporary.id);
    desk.api.post(&path, json!({ "address": "a@x.example" })).await.error("temporary_inbox_receive_only");
    assert_eq!(desk.all().await, [] as [Value; 0], "what is refused is not stored");
    desk.close().await;
}

#[tokio::test]
async fn addresses_belong_to_their_inbox_and_need_both_permissions() {
    let desk = Desk::open().await;
    let added = desk.add("a@x.example").await;
    let id = added["id"].as_str().unwrap();
    let other = desk.server.inbox(&desk.key).await;
    let elsewhere = format!("/v1/inboxes/{}/forwarding", other.id);
    desk.api.delete(&format!("{elsewhere}/{id}")).await.error("not_found");
    desk.api.post_empty(&format!("{elsewhere}/{id}/resend")).await.error("not_found");
    let narrow = desk.server.api(&desk.server.key(&desk.key, "full", Scope::Inbox(other.id)).await);
    narrow.get(&desk.path).await.error("not_found");
    narrow.post(&desk.path, json!({ "address": "b@x.example" })).await.error("not_found");
    narrow.get(&elsewhere).await.expect(200);
    let stranger = desk.server.workspace(Plan::Team).await;
    desk.server.api(&stranger).get(&desk.path).await.error("not_found");
    let cannot_send =
        desk.server.api(&desk.server.key(&desk.key, "inboxes:read,inboxes:write", Scope::Workspace).await);
    cannot_send.post(&desk.path, json!({ "address": "b@x.example" })).await.error("insufficient_permissions");
    cannot_send.post_empty(&format!("{}/{id}/resend", desk.path)).await.error("insufficient_permissions");
    cannot_send.delete(&format!("{}/{id}", desk.path)).await.expect(204);
    desk.close().await;
}

#[tokio::test]
async fn a_deleted_inbox_has_no_addresses_and_its_links_lead_nowhere() {
    let desk = Desk::open().await;
    desk.add("a@x.example").await;
    let link = desk.link().await;
    desk.api.delete(&format!("/v1/inboxes/{}", desk.inbox.id)).await.expect(204);
    desk.api.get(&desk.path).await.error("not_found");
    desk.server.anonymous().post_empty(&link).await.error("invalid_token");
    desk.close().await;
}
