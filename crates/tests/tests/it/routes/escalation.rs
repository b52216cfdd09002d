//! `/v1/escalation`, `/v1/inboxes/{id}/escalation` and `/confirm/on-call/{token}`. Escalation itself is tested in
//! `scenarios/escalation`.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{auth::Scope, plan::Plan, time::DAY_MS};
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
    mail::CapturedMail,
    server::ServerOptions,
};
use reqwest::Method;
use serde_json::{Value, json};

/// Path of the settings of the workspace.
const PATH: &str = "/v1/escalation";

struct Fixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl Fixture {
    /// Captures outbound messages, so that the test can read the link in them.
    async fn open() -> Self {
        let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
        let server = TestServer::start(capture).await;
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox_named(&key, "sam").await);
        Self { server, key, api, inbox }
    }

    async fn contacts(&self, addresses: &[&str]) -> ApiResponse {
        let changed = self.api.put(PATH, json!({ "contacts": addresses })).await.expect(200);
        self.server.settle().await;
        changed
    }

    /// Returns the mail of the service, newest first.
    async fn sent(&self) -> Vec<CapturedMail> {
        self.server.service_mails(&self.api).await
    }

    /// Returns the path of the link in the newest mail.
    async fn link(&self) -> String {
        self.server.service_link(&self.api, "/confirm/on-call/").await
    }

    /// Returns a client that asks for pages, as browsers do.
    fn browser(&self) -> Api {
        self.server.anonymous().with_header("Accept", "text/html,*/*;q=0.8")
    }

    async fn press(&self, link: &str) -> ApiResponse {
        let form = "application/x-www-form-urlencoded";
        self.browser().raw(Method::POST, link, form, "").await
    }

    async fn close(self) {
        self.server.settle().await;
        self.server.finish().await;
    }
}

fn page(reply: &ApiResponse) -> String {
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    String::from_utf8(reply.bytes.clone()).unwrap()
}

#[tokio::test]
async fn settings_have_defaults_and_keep_what_a_request_leaves_out() {
    let fixture = Fixture::open().await;
    let mut expected = json!({
        "contacts": [],
        "triggers": {
            "needs_human": true, "phishing": true, "blocked": false, "draft_failed": true, "emergency_stop": true,
            "held": true, "draft_created": false,
        },
        "delivery": "immediate", "max_per_hour": 10, "quiet_hours": null, "include_excerpt": false,
    });
    assert_eq!(fixture.api.get(PATH).await.expect(200).json, expected);
    assert_eq!(fixture.api.put(PATH, json!({})).await.expect(200).json, expected);
    for (change, member, value) in [
        (json!({ "triggers": { "blocked": true } }), "/triggers/blocked", json!(true)),
        (json!({ "triggers": { "phishing": false } }), "/triggers/phishing", json!(false)),
        (json!({ "delivery": "digest" }), "/delivery", json!("digest")),
        (json!({ "max_per_hour": 60 }), "/max_per_hour", json!(60)),
        (json!({ "include_excerpt": true }), "/include_excerpt", json!(true)),
        (
            json!({ "quiet_hours": { "start": "22:00", "end": "07:30", "timezone": "europe/berlin" } }),
            "/quiet_hours",
            json!({ "start": "22:00", "end": "07:30", "timezone": "Europe/Berlin" }),
        ),
        (json!({ "max_per_hour": 1 }), "/max_per_hour", json!(1)),
        (json!({ "quiet_hours": null }), "/quiet_hours", Value::Null),
    ] {
        *expected.pointer_mut(member).unwrap() = value;
        assert_eq!(fixture.api.put(PATH, change).await.expect(200).json, expected);
        assert_eq!(fixture.api.get(PATH).await.expect(200).json, expected);
    }
    let inbox = format!("/v1/inboxes/{}/escalation", fixture.inbox.id);
    let unchanged = json!({ "override": false, "contacts": [], "triggers": null });
    assert_eq!(fixture.api.get(&inbox).await.expect(200).json, unchanged);
    let own = fixture.api.put(&inbox, json!({ "override": true, "triggers": { "held": false } })).await.expect(200);
    let mut triggers = expected["triggers"].clone();
    triggers["held"] = json!(false);
    assert_eq!(own.json, json!({ "override": true, "contacts": [], "triggers": triggers }));
    let cleared = fixture.api.put(&inbox, json!({ "triggers": null })).await.expect(200);
    assert_eq!(cleared.json, json!({ "override": true, "contacts": [], "triggers": null }));
    fixture.close().await;
}

#[tokio::test]
async fn invalid_settings_are_refused() {
    let fixture = Fixture::open().await;
    let quiet =
        |start: &str, end: &str, zone: &str| json!({ "quiet_hours": { "start": start, "end": end, "timezone": zone } });
    let six: Vec<String> = (0..6).map(|number| format!("p{number}@x.example")).collect();
    for (body, fields) in [
        (quiet("22:00", "07:00", "Europe/Posthouse"), &["quiet_hours.timezone"][..]),
        (quiet("7:00", "24:00", "+02:00"), &["quiet_hours.start", "quiet_hours.end", "quiet_hours.timezone"]),
        (quiet("07:00", "07:00", "UTC"), &["quiet_hours.end"]),
        (json!({ "quiet_hours": { "start": "07:00", "end": "08:00" } }), &["quiet_hours.timezone"]),
        (json!({ "contacts": six }), &["contacts"]),
        (json!({ "contacts": ["nobody", { "email": "a@x.example" }] }), &["contacts[0]", "contacts[1]"]),
        (
            json!({ "contacts": ["a@x.example", fixture.inbox.address, "sam+x@agents.localhost"] }),
            &["contacts[1]", "contacts[2]"],
        ),
        (json!({ "contacts": ["postmaster@agents.localhost"] }), &["contacts[0]"]),
        (json!({ "triggers": { "needs_humans": true } }), &["triggers.needs_humans"]),
        (json!({ "triggers": { "held": 1 } }), &["triggers.held"]),
        (json!({ "max_per_hour": 0 }), &["max_per_hour"]),
        (json!({ "max_per_hour": 61 }), &["max_per_hour"]),
        (json!({ "delivery": "weekly" }), &["delivery"]),
        (json!({ "override": true }), &["override"]),
    ] {
        fixture.api.put(PATH, body).await.invalid_fields(fields);
    }
    let inbox = format!("/v1/inboxes/{}/escalation", fixture.inbox.id);
    for name in ["delivery", "max_per_hour", "quiet_hours", "include_excerpt"] {
        fixture.api.put(&inbox, json!({ name: null })).await.invalid_fields(&[name]);
    }
    fixture.api.post("/v1/suppressions", json!({ "address": "gone@x.example" })).await.expect(201);
    fixture.api.put(PATH, json!({ "contacts": ["gone@x.example"] })).await.error("recipient_suppressed");
    assert_eq!(fixture.api.get(PATH).await.expect(200)["contacts"], json!([]), "nothing was stored");
    fixture.close().await;
}

#[tokio::test]
async fn a_contact_confirms_by_a_button_on_the_page_of_the_link() {
    let fixture = Fixture::open().await;
    let added = fixture.contacts(&["Pat@X.example", "kim@x.example", "pat@x.example"]).await;
    let pending = |email: &str| json!({ "email": email, "status": "pending", "confirmed_at": null, "error": null });
    assert_eq!(added["contacts"], json!([pending("pat@x.example"), pending("kim@x.example")]));
    assert_eq!(fixture.sent().await.len(), 2);
    let link = fixture.link().await;
    for _ in 0..2 {
        let shown = fixture.server.anonymous().get(&link).await.expect(200);
        assert_eq!(shown.header("cache-control"), Some("no-store"));
        assert!(page(&shown).contains("<form method=\"post\">"), "{}", page(&shown));
    }
    assert_eq!(fixture.api.get(PATH).await.expect(200).json, added.json, "viewing the page does not confirm");
    fixture.server.clock.advance(1_000);
    assert!(page(&fixture.press(&link).await.expect(200)).contains("is on call for the workspace"));
    fixture.server.settle().await;
    let sent = fixture.sent().await;
    assert_eq!((sent.len(), &sent[0].to[..]), (3, &["owner@example.org".to_owned()][..]), "the owner is told");
    let told = &sent[0].raw;
    assert!(told.contains("/settings/on-call") && !told.contains("/v1/"), "{told}");
    let settings = fixture.api.get(PATH).await.expect(200);
    let states: Vec<&Value> = settings["contacts"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert_eq!(states.iter().filter(|state| **state == "confirmed").count(), 1, "{settings}");
    let used = page(&fixture.press(&link).await.expect(400));
    assert!(used.contains("This link does not work") && !used.contains("<form"), "{used}");
    assert_eq!(page(&fixture.browser().get(&link).await.expect(400)), used);
    for wrong in ["x", "00000000000000000000000000000000", "hidden-until-the-service-message-is-sent"] {
        let path = format!("/confirm/on-call/{wrong}");
        assert_eq!(page(&fixture.browser().get(&path).await.expect(400)), used, "{wrong}");
        assert_eq!(page(&fixture.press(&path).await.expect(400)), used, "{wrong}");
        fixture.server.anonymous().get(&path).await.error("invalid_token");
    }
    // A contact that stays keeps its confirmation, in any place; one that was removed starts again.
    let kept = fixture.contacts(&["kim@x.example", "new@x.example", "pat@x.example"]).await;
    let confirmed = kept["contacts"].as_array().unwrap().iter().filter(|one| one["status"] == "confirmed");
    assert_eq!((confirmed.count(), kept["contacts"][1]["email"].as_str()), (1, Some("new@x.example")));
    fixture.contacts(&[]).await;
    assert_eq!(page(&fixture.browser().get(&link).await.expect(400)), used);
    let again = fixture.contacts(&["pat@x.example"]).await;
    assert_eq!(again["contacts"], json!([pending("pat@x.example")]));
    fixture.close().await;
}

#[tokio::test]
async fn an_expired_link_is_replaced_when_the_contact_is_named_again() {
    let fixture = Fixture::open().await;
    fixture.contacts(&["pat@x.example"]).await;
    let first = fixture.link().await;
    fixture.contacts(&["pat@x.example"]).await;
    assert_eq!(fixture.sent().await.len(), 1, "a link that works is not replaced");
    fixture.server.advance(7 * DAY_MS).await;
    fixture.press(&first).await.expect(400);
    fixture.contacts(&["pat@x.example"]).await;
    assert_eq!(fixture.sent().await.len(), 2);
    fixture.press(&first).await.expect(400);
    fixture.press(&fixture.link().await).await.expect(200);
    fixture.close().await;
}

#[tokio::test]
async fn confirmation_mails_are_limited_by_address_and_by_workspace() {
    let fixture = Fixture::open().await;
    let other = fixture.server.workspace(Plan::Team).await;
    let (theirs, _) = (fixture.server.api(&other), fixture.server.inbox(&other).await);
    for _ in 0..4 {
        fixture.contacts(&["pat@x.example"]).await;
        fixture.contacts(&[]).await;
    }
    theirs.put(PATH, json!({ "contacts": ["pat@x.example"] })).await.expect(200);
    let refused = fixture.api.put(PATH, json!({ "contacts": ["PAT@x.example"] })).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "confirmations_per_address");
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((86_000..=86_401).contains(&wait), "{wait}");
    for number in 0..16 {
        fixture.contacts(&[&format!("p{number}@x.example")]).await;
    }
    let refused = fixture.api.put(PATH, json!({ "contacts": ["last@x.example"] })).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "confirmations_per_workspace");
    let metrics = fixture.server.anonymous().get("/metrics").await.expect(200);
    let metrics = String::from_utf8(metrics.bytes.clone()).unwrap();
    assert!(metrics.contains("posthouse_limit_refusals_total{limit=\"confirmations_per_workspace\"} 1"), "{metrics}");
    fixture.server.advance(wait * 1_000).await;
    fixture.contacts(&["pat@x.example"]).await;
    fixture.close().await;
}

#[tokio::test]
async fn an_inbox_key_manages_its_own_inbox_only() {
    let fixture = Fixture::open().await;
    let key = fixture.server.key(&fixture.key, "escalation:manage", Scope::Inbox(fixture.inbox.id)).await;
    let (narrow, other) = (fixture.server.api(&key), fixture.server.inbox(&fixture.key).await);
    narrow.get(PATH).await.error("forbidden");
    narrow.put(PATH, json!({})).await.error("forbidden");
    let own = format!("/v1/inboxes/{}/escalation", fixture.inbox.id);
    narrow.put(&own, json!({ "override": true, "contacts": ["pat@x.example"] })).await.expect(200);
    narrow.get(&own).await.expect(200);
    for id in [other.id.to_string(), "x".to_owned()] {
        narrow.get(&format!("/v1/inboxes/{id}/escalation")).await.error("not_found");
        narrow.put(&format!("/v1/inboxes/{id}/escalation"), json!({})).await.error("not_found");
    }
    let agent = fixture.server.key(&fixture.key, "agent", Scope::Workspace).await;
    fixture.server.api(&agent).get(&own).await.error("insufficient_permissions");
    let stranger = fixture.server.workspace(Plan::Team).await;
    fixture.server.api(&stranger).get(&own).await.error("not_found");
    fixture.server.settle().await;
    // The page names the inbox; a deleted inbox ends the link.
    let link = fixture.link().await;
    let shown = fixture.server.anonymous().get(&link).await.expect(200);
    assert!(page(&shown).contains(&format!("<b>{}</b>", fixture.inbox.address)), "{}", page(&shown));
    fixture.api.delete(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(204);
    fixture.browser().get(&link).await.expect(400);
    fixture.close().await;
}

#[tokio::test]
async fn every_owner_is_told_about_a_confirmation() {
    let fixture = Fixture::open().await;
    let owner = fixture.server.owner_session(&fixture.key).await;
    for (email, role) in [("ann@x.example", "owner"), ("ben@x.example", "member"), ("eve@x.example", "owner")] {
        owner.post("/platform/members", json!({ "email": email, "role": role })).await.expect(202);
    }
    let workspace = fixture.key.workspace;
    let now = fixture.server.service().clock.now();
    let join = move |tx: &mut posthouse_store::Tx| {
        for member in posthouse_store::users::of_workspace(tx, workspace)? {
            if member.user.email != "eve@x.example" {
                for invitation in posthouse_store::users::invitations(tx, member.user.id, now)? {
                    posthouse_store::users::join(tx, member.user.id, &invitation, now)?;
                }
            }
        }
        Ok::<_, posthouse_store::Error>(())
    };
    fixture.server.store().write(join).await.unwrap();
    fixture.contacts(&["pat@x.example"]).await;
    fixture.press(&fixture.link().await).await.expect(200);
    fixture.server.settle().await;
    let sent = fixture.sent().await;
    let mut told: Vec<&str> = sent[0].to.iter().map(String::as_str).collect();
    told.sort_unstable();
    assert_eq!(told, ["ann@x.example", "owner@example.org"], "no member and nobody who was only invited");
    fixture.close().await;
}
