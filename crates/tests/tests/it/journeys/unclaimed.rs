//! A workspace that no person has claimed writes to so many different people a day (contract §18.3; decision 14).

use posthouse_domain::{plan::Plan, time::DAY_MS};
use posthouse_server::{config::DeliveryMode, ports::Clock as _};
use posthouse_store::{p, statements};
use posthouse_tests::{
    Letter, TestServer,
    fixtures::TestInbox,
    http::{Api, Reply},
    mail::SENDER,
    server::Options,
    smtp::SmtpClient,
};
use serde_json::{Value, json};

statements! {
    UNCLAIM = "UPDATE workspaces SET claim_status = 'unclaimed', claimed_at = NULL WHERE id = $1";
}

struct Desk {
    server: TestServer,
    api: Api,
    inbox: TestInbox,
    secret: String,
}

impl Desk {
    async fn open(plan: Plan) -> Self {
        let capture = Options::default().configure(|config| config.delivery.mode = DeliveryMode::Capture);
        let server = TestServer::start(capture).await;
        let key = server.workspace(plan).await;
        let (api, inbox) = (server.api(&key), server.inbox_with(&key, json!({ "username": "sam" })).await);
        let id = key.workspace;
        server.store().write(move |tx| tx.exec(&UNCLAIM, p![id]).map(|_| ())).await.unwrap();
        Self { server, api, inbox, secret: key.secret }
    }

    async fn post(&self, below: &str, body: Value) -> Reply {
        self.api.post(&format!("/v1/inboxes/{}{below}", self.inbox.id), body).await
    }

    async fn send(&self, to: &[String]) -> Reply {
        self.post("/messages", json!({ "to": to, "subject": "Plan", "text": "Here." })).await
    }

    /// Writes to so many different people.
    async fn write_to(&self, count: usize) {
        let people: Vec<String> = (0..count).map(|n| format!("p{n}@x.example")).collect();
        for some in people.chunks(7) {
            self.send(some).await.expect(202);
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
async fn twenty_different_people_a_day() {
    let desk = Desk::open(Plan::Team).await;
    desk.write_to(19).await;
    desk.send(&["P3@x.example".to_owned(), "p4@x.example".to_owned()]).await.expect(202);
    assert_eq!(desk.restrictions().await["recipients_today"], 19, "the same people again do not count");
    let two = ["new@x.example".to_owned(), "newer@x.example".to_owned()];
    let refused = desk.send(&two).await.error("unclaimed_recipient_limit");
    let details = &refused["error"]["details"];
    assert_eq!((&details["limit"], &details["max"]), (&json!("recipients_per_day"), &json!(20)));
    assert_eq!((&details["used"], &details["addresses"]), (&json!(19), &json!(two)));
    assert_eq!(refused.header("retry-after"), Some("43201"));
    desk.send(&one("new@x.example")).await.expect(202);
    desk.send(&one("newer@x.example")).await.error("unclaimed_recipient_limit");
    desk.send(&one("p0@x.example")).await.expect(202);
    assert_eq!(desk.restrictions().await["recipients_today"], 20, "what was refused does not count");
    desk.server.clock.advance(DAY_MS / 2);
    assert_eq!(desk.restrictions().await["recipients_today"], 0);
    desk.send(&one("newer@x.example")).await.expect(202);
    desk.close().await;
}

#[tokio::test]
async fn every_way_of_sending_asks() {
    let desk = Desk::open(Plan::Team).await;
    desk.server.deliver(&Letter::new("Offer", "Do you want it?"), &desk.inbox.address).await;
    let message = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await["id"].as_str().unwrap().to_owned();
    desk.write_to(20).await;
    let letter = json!({ "to": "new@x.example", "subject": "Plan", "text": "Here." });
    let asked = desk.post("/messages?dry_run=true", letter.clone()).await.expect(200);
    assert_eq!(asked["refusal"]["code"], "unclaimed_recipient_limit");
    desk.post("/messages/send", letter.clone()).await.error("unclaimed_recipient_limit");
    let forward = json!({ "to": "new@x.example" });
    desk.post(&format!("/messages/{message}/forward"), forward).await.error("unclaimed_recipient_limit");
    desk.post("/forwarding", json!({ "address": "new@x.example" })).await.error("unclaimed_recipient_limit");
    let draft = desk.post("/drafts", letter).await.expect(201);
    let path = format!("/drafts/{}", draft.text("id"));
    desk.post(&format!("{path}/send"), json!({})).await.error("unclaimed_recipient_limit");
    let at = desk.server.clock.now().plus_ms(3_600_000).to_string();
    desk.post(&format!("{path}/schedule"), json!({ "send_at": at })).await.expect(200);
    desk.server.advance(3_600_000).await;
    let found = desk.api.get(&format!("/v1/inboxes/{}{path}", desk.inbox.id)).await.expect(200);
    assert_eq!((&found["status"], &found["error"]["code"]), (&json!("failed"), &json!("unclaimed_recipient_limit")));
    let mut session = SmtpClient::greeted(desk.server.submission_address()).await;
    session.log_in(&desk.inbox.address, &desk.secret).await.says(235, "2.7.0");
    let raw = format!("From: {}\r\nTo: new@x.example\r\nSubject: Plan\r\n\r\nHere.\r\n", desk.inbox.address);
    let reply = session.mail(&desk.inbox.address, &["new@x.example"], raw.as_bytes()).await;
    session.quit().await;
    assert!(reply.lines[0].contains("unclaimed_recipient_limit"), "{reply:?}");
    desk.close().await;
}

#[tokio::test]
async fn who_is_answered_where_others_began_does_not_count() {
    let desk = Desk::open(Plan::Team).await;
    desk.server.deliver(&Letter::new("Offer", "text").with("Cc", "eve@x.example"), &desk.inbox.address).await;
    let message = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await["id"].as_str().unwrap().to_owned();
    desk.write_to(20).await;
    let reply = format!("/messages/{message}/reply");
    desk.post(&reply, json!({ "text": "Yes.", "reply_all": true })).await.expect(202);
    assert_eq!(desk.restrictions().await["recipients_today"], 20);
    // A message by itself to the same people is none of that conversation.
    desk.send(&one(SENDER)).await.error("unclaimed_recipient_limit");
    desk.close().await;
}

#[tokio::test]
async fn it_comes_before_the_plan_and_after_suppressions() {
    let desk = Desk::open(Plan::Free).await;
    desk.api.post("/v1/suppressions", json!({ "address": "s@x.example" })).await.expect(201);
    desk.write_to(20).await;
    desk.send(&["s@x.example".to_owned(), "new@x.example".to_owned()]).await.error("recipient_suppressed");
    for n in 0..17 {
        desk.send(&one(&format!("p{n}@x.example"))).await.expect(202);
    }
    desk.send(&one("p0@x.example")).await.error("rate_limited");
    desk.send(&one("new@x.example")).await.error("unclaimed_recipient_limit");
    desk.close().await;
}

#[tokio::test]
async fn a_claimed_workspace_has_no_such_limit() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    assert_eq!(server.api(&key).get("/v1/account").await.expect(200)["restrictions"], json!(null));
    server.finish().await;
}
