//! An unclaimed workspace can write to a limited number of different recipients a day.

use posthouse_app::{ports::Clock as _, settings::DeliveryMode};
use posthouse_domain::{plan::Plan, time::DAY_MS};
use posthouse_store::{p, statements};
use posthouse_tests::{
    TestMessage, TestServer,
    fixtures::TestInbox,
    http::{Api, ApiResponse},
    mail::SENDER,
    server::ServerOptions,
    smtp::TestSmtpClient,
};
use serde_json::{Value, json};

statements! {
    UNCLAIM = "UPDATE workspaces SET claim_status = 'unclaimed', claimed_at = NULL WHERE id = $1";
}

struct Fixture {
    server: TestServer,
    api: Api,
    inbox: TestInbox,
    secret: String,
}

impl Fixture {
    async fn open(plan: Plan) -> Self {
        let capture = ServerOptions::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
        let server = TestServer::start(capture).await;
        let key = server.workspace(plan).await;
        let (api, inbox) = (server.api(&key), server.inbox_with(&key, json!({ "username": "sam" })).await);
        let id = key.workspace;
        server.store().write(move |tx| tx.exec(&UNCLAIM, p![id]).map(|_| ())).await.unwrap();
        Self { server, api, inbox, secret: key.secret }
    }

    async fn post(&self, below: &str, body: Value) -> ApiResponse {
        self.api.post(&format!("/v1/inboxes/{}{below}", self.inbox.id), body).await
    }

    async fn send(&self, to: &[String]) -> ApiResponse {
        self.post("/messages", json!({ "to": to, "subject": "Plan", "text": "Here." })).await
    }

    /// Writes to this many different recipients.
    async fn send_to_people(&self, count: usize) {
        let people: Vec<String> = (0..count).map(|n| format!("p{n}@x.example")).collect();
        for chunk in people.chunks(7) {
            self.send(chunk).await.expect(202);
        }
    }

    async fn restrictions(&self) -> Value {
        self.api.get("/v1/account").await.expect(200)["restrictions"].clone()
    }

    async fn close(self) {
        self.server.settle().await;
        self.server.finish().await;
    }
}

fn one(address: &str) -> [String; 1] {
    [address.to_owned()]
}

#[tokio::test]
async fn twenty_different_recipients_a_day_are_allowed() {
    let fixture = Fixture::open(Plan::Team).await;
    fixture.send_to_people(19).await;
    fixture.send(&["P3@x.example".to_owned(), "p4@x.example".to_owned()]).await.expect(202);
    assert_eq!(fixture.restrictions().await["recipients_today"], 19, "repeated recipients don't count");
    let two = ["new@x.example".to_owned(), "newer@x.example".to_owned()];
    let refused = fixture.send(&two).await.error("unclaimed_recipient_limit");
    let details = &refused["error"]["details"];
    assert_eq!((&details["limit"], &details["max"]), (&json!("recipients_per_day"), &json!(20)));
    assert_eq!((&details["used"], &details["addresses"]), (&json!(19), &json!(two)));
    assert_eq!(refused.header("retry-after"), Some("43201"));
    fixture.send(&one("new@x.example")).await.expect(202);
    fixture.send(&one("newer@x.example")).await.error("unclaimed_recipient_limit");
    fixture.send(&one("p0@x.example")).await.expect(202);
    assert_eq!(fixture.restrictions().await["recipients_today"], 20, "rejected sends don't count");
    fixture.server.clock.advance(DAY_MS / 2);
    assert_eq!(fixture.restrictions().await["recipients_today"], 0);
    fixture.send(&one("newer@x.example")).await.expect(202);
    fixture.close().await;
}

#[tokio::test]
async fn every_sending_route_enforces_the_limit() {
    let fixture = Fixture::open(Plan::Team).await;
    fixture.server.deliver(&TestMessage::new("Offer", "Do you want it?"), &fixture.inbox.address).await;
    let message = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    fixture.send_to_people(20).await;
    let body = json!({ "to": "new@x.example", "subject": "Plan", "text": "Here." });
    let decision = fixture.post("/messages?dry_run=true", body.clone()).await.expect(200);
    assert_eq!(decision["refusal"]["code"], "unclaimed_recipient_limit");
    fixture.post("/messages/send", body.clone()).await.error("unclaimed_recipient_limit");
    let forward = json!({ "to": "new@x.example" });
    fixture.post(&format!("/messages/{message}/forward"), forward).await.error("unclaimed_recipient_limit");
    let draft = fixture.post("/drafts", body).await.expect(201);
    let path = format!("/drafts/{}", draft.text("id"));
    fixture.post(&format!("{path}/send"), json!({})).await.error("unclaimed_recipient_limit");
    let at = fixture.server.clock.now().plus_ms(3_600_000).to_string();
    fixture.post(&format!("{path}/schedule"), json!({ "send_at": at })).await.expect(200);
    fixture.server.advance(3_600_000).await;
    let found = fixture.api.get(&format!("/v1/inboxes/{}{path}", fixture.inbox.id)).await.expect(200);
    assert_eq!((&found["status"], &found["error"]["code"]), (&json!("failed"), &json!("unclaimed_recipient_limit")));
    let mut session = TestSmtpClient::connect_with_ehlo(fixture.server.submission_address()).await;
    session.log_in(&fixture.inbox.address, &fixture.secret).await.expect_enhanced(235, "2.7.0");
    let raw = format!("From: {}\r\nTo: new@x.example\r\nSubject: Plan\r\n\r\nHere.\r\n", fixture.inbox.address);
    let reply = session.mail(&fixture.inbox.address, &["new@x.example"], raw.as_bytes()).await;
    session.quit().await;
    assert!(reply.lines[0].contains("unclaimed_recipient_limit"), "{reply:?}");
    fixture.close().await;
}

/// The people whom a proven author named were known, too: four mails opened 196 strangers.
#[tokio::test]
async fn replies_to_people_who_wrote_do_not_count() {
    let fixture = Fixture::open(Plan::Team).await;
    let receive = async |from: &str, cc: &str| {
        let message = TestMessage::new("Offer", "text").with("From", from).with("Cc", cc);
        fixture.server.deliver_from(&message, from, &fixture.inbox.address).await;
        let message = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
        format!("/messages/{}/reply", message["id"].as_str().unwrap())
    };
    let all = json!({ "text": "Yes.", "reply_all": true });
    receive("writer@other.example", "x@x.example").await;
    let reply = receive(SENDER, "writer@other.example, colleague@remote.example").await;
    let named = receive(SENDER, "eve@x.example, writer@other.example").await;
    fixture.send_to_people(20).await;
    fixture.post(&reply, json!({ "text": "Yes." })).await.expect(202);
    fixture.post(&reply, all.clone()).await.expect(202);
    assert_eq!(fixture.restrictions().await["recipients_today"], 20);
    let refused = fixture.post(&named, all).await.error("unclaimed_recipient_limit");
    assert_eq!(refused["error"]["details"]["addresses"], json!(["eve@x.example"]));
    // A new message to the same people is not part of that thread.
    fixture.send(&one(SENDER)).await.error("unclaimed_recipient_limit");
    fixture.close().await;
}

/// Anybody could name strangers in forged mail, and a reply to all of them was free.
#[tokio::test]
async fn replies_to_people_of_unproven_mail_count() {
    let fixture = Fixture::open(Plan::Team).await;
    for batch in 0..2 {
        let people: Vec<String> = (0..15).map(|n| format!("s{batch}-{n}@x.example")).collect();
        let forged = TestMessage::new("Offer", "text").with("Cc", &people.join(", "));
        fixture.server.deliver(&forged, &fixture.inbox.address).await;
        let message = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
        let reply = format!("/messages/{}/reply", message["id"].as_str().unwrap());
        let sent = fixture.post(&reply, json!({ "text": "Yes.", "reply_all": true })).await;
        if batch == 0 {
            sent.expect(202);
            assert_eq!(fixture.restrictions().await["recipients_today"], 16);
        } else {
            sent.error("unclaimed_recipient_limit");
        }
    }
    fixture.close().await;
}

#[tokio::test]
async fn the_limit_is_checked_after_suppressions_and_before_the_plan() {
    let fixture = Fixture::open(Plan::Free).await;
    fixture.api.post("/v1/suppressions", json!({ "address": "s@x.example" })).await.expect(201);
    fixture.send_to_people(20).await;
    fixture.send(&["s@x.example".to_owned(), "new@x.example".to_owned()]).await.error("recipient_suppressed");
    for n in 0..17 {
        fixture.send(&one(&format!("p{n}@x.example"))).await.expect(202);
    }
    fixture.send(&one("p0@x.example")).await.error("rate_limited");
    fixture.send(&one("new@x.example")).await.error("unclaimed_recipient_limit");
    fixture.close().await;
}

#[tokio::test]
async fn a_claimed_workspace_has_no_such_limit() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    assert_eq!(server.api(&key).get("/v1/account").await.expect(200)["restrictions"], json!(null));
    server.finish().await;
}

#[tokio::test]
async fn an_unclaimed_workspace_has_no_people_on_call() {
    let fixture = Fixture::open(Plan::Free).await;
    let own = format!("/v1/inboxes/{}/escalation", fixture.inbox.id);
    for path in ["/v1/escalation", own.as_str()] {
        fixture.api.get(path).await.expect(200);
        let refused =
            fixture.api.put(path, json!({ "contacts": ["pat@x.example"] })).await.error("unclaimed_workspace");
        let fix = refused["error"]["fix"].as_str().unwrap();
        assert!(fix.contains("/v1/signup/claim"), "{refused}");
    }
    fixture.close().await;
}
