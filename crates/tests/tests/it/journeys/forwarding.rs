//! Mail of an inbox that is passed on by itself, from the question to the copy in somebody's hands (contract §3.3).

use posthouse_domain::{
    plan::Plan,
    time::{DAY_MS, HOUR_MS},
};
use posthouse_mail::address::Address;
use posthouse_server::{
    app::{
        authenticate::{Handover, authenticate},
        signing,
    },
    config::DeliveryMode,
    ports::Clock as _,
};
use posthouse_store::{Error, Tx, workspaces};
use posthouse_tests::{
    Letter, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, Reply},
    server::Options,
    smtp_sink::{Received, SmtpSink},
};
use serde_json::{Value, json};

struct Desk {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    sink: SmtpSink,
    path: String,
}

impl Desk {
    /// Direct delivery; the sink is the mail exchanger of `b.example`.
    async fn open() -> Self {
        let sink = SmtpSink::start().await;
        let port = sink.address.port();
        let server = TestServer::start(Options::default().configure(move |config| {
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = port;
        }))
        .await;
        server.dns.mx("b.example", 10, "mx1.b.example");
        server.dns.address("mx1.b.example", sink.address.ip());
        let key = server.workspace(Plan::Team).await;
        let body = json!({ "username": "sam", "display_name": "Sam" });
        let (api, inbox) = (server.api(&key), server.inbox_with(&key, body).await);
        let path = format!("/v1/inboxes/{}/forwarding", inbox.id);
        Self { server, key, api, inbox, sink, path }
    }

    /// An address that agreed; nothing of its question stays in the sink's list.
    async fn agreed(&self, address: &str) -> String {
        let added = self.api.post(&self.path, json!({ "address": address })).await.expect(201);
        self.server.settle().await;
        let asked = self.sink.received().pop().expect("the question arrived");
        self.server.anonymous().post_empty(&link(&asked.data)).await.expect(200);
        added.text("id").to_owned()
    }

    /// What the sink got that is no question.
    fn passed_on(&self) -> Vec<Received> {
        let all = self.sink.received();
        all.into_iter().filter(|mail| !mail.data.contains("/confirm/forwarding/")).collect()
    }

    async fn arrives(&self, letter: &Letter) {
        self.server.deliver(letter, &self.inbox.address).await;
        self.server.settle().await;
    }

    async fn shown(&self) -> Value {
        self.api.get(&self.path).await.expect(200).data()[0].clone()
    }

    async fn post(&self, below: &str, body: Value) -> Reply {
        self.api.post(&format!("/v1/inboxes/{}{below}", self.inbox.id), body).await
    }

    async fn close(self) {
        self.server.finish().await;
    }
}

fn link(mail: &str) -> String {
    let at = mail.find("/confirm/forwarding/").unwrap_or_else(|| panic!("no link in {mail}"));
    mail[at..].lines().next().unwrap().trim_end().to_owned()
}

/// A field of a mail.
fn field<'a>(mail: &'a str, name: &str) -> Option<&'a str> {
    let head = mail.split("\r\n\r\n").next().unwrap();
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[tokio::test]
async fn only_the_owner_of_the_address_sees_the_link() {
    let desk = Desk::open().await;
    desk.api.post(&desk.path, json!({ "address": "dana@b.example" })).await.expect(201);
    desk.server.settle().await;
    let asked = desk.sink.received().pop().unwrap();
    assert_eq!(asked.recipients, ["dana@b.example"]);
    assert_eq!(field(&asked.data, "Auto-Submitted"), Some("auto-generated"));
    let token = link(&asked.data).rsplit('/').next().unwrap().to_owned();
    assert_eq!(token.len(), 32);
    let sent = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await;
    assert!(sent["text"].as_str().unwrap().contains("/confirm/forwarding/hidden-"), "{sent}");
    let raw = desk.api.get(&format!("/v1/messages/{}/raw", sent["id"].as_str().unwrap())).await.expect(200);
    let events = desk.api.get("/v1/events").await.expect(200);
    for seen in [String::from_utf8(raw.bytes).unwrap(), sent.to_string(), events.json.to_string()] {
        assert!(!seen.contains(&token), "an agent could agree by itself: {seen}");
    }
    desk.arrives(&Letter::new("Offer", "Before anybody agreed.")).await;
    assert_eq!(desk.passed_on().len(), 0);
    let hidden = format!("/confirm/forwarding/{}", "hidden-until-it-leaves-the-house");
    desk.server.anonymous().post_empty(&hidden).await.error("invalid_token");
    desk.close().await;
}

#[tokio::test]
async fn a_mail_is_passed_on_whole_and_survives_spf_and_dmarc() {
    let desk = Desk::open().await;
    desk.agreed("dana@b.example").await;
    let parts = "See the file.\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=o.pdf\r\n\
        Content-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQKAAEC/w==\r\n--b--";
    let body = format!("--b\r\nContent-Type: text/plain\r\n\r\n{parts}");
    let letter = Letter::new("Offer", &body)
        .with("MIME-Version", "1.0")
        .with("Content-Type", "multipart/mixed; boundary=b")
        .with("DKIM-Signature", "v=1; d=remote.example; b=broken")
        .with("References", "<0@remote.example>");
    desk.arrives(&letter).await;
    let received = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await;
    assert_eq!(received["direction"], "outbound");
    let inbound = desk.post("/messages/claim", json!({})).await;
    assert_eq!(inbound.status, 200);
    let passed = desk.passed_on();
    assert_eq!(passed.len(), 1);
    let mail = &passed[0];
    assert!(mail.mail.starts_with("MAIL FROM:<bounces+") && mail.mail.contains("@agents.localhost>"), "{}", mail.mail);
    assert_eq!(mail.recipients, ["dana@b.example"]);
    assert!(mail.data.contains(&format!("\r\n\r\n{body}\r\n")), "the body is as it came: {}", mail.data);
    assert_eq!(field(&mail.data, "Subject"), Some("Offer"));
    assert_eq!(field(&mail.data, "From"), Some("\"Alice via Sam\" <sam@agents.localhost>"));
    assert_eq!(field(&mail.data, "Reply-To"), Some("\"Alice\" <alice@remote.example>"));
    assert_eq!(field(&mail.data, "To"), Some("sam@agents.localhost"));
    assert_eq!(field(&mail.data, "Delivered-To"), Some("sam@agents.localhost"));
    assert!(field(&mail.data, "References").unwrap().starts_with("<0@remote.example> <"), "{}", mail.data);
    assert!(field(&mail.data, "Authentication-Results").unwrap().contains("spf="), "{}", mail.data);
    assert!(!mail.data.contains("d=remote.example"), "a signature over what is changed goes");
    // What its receiver finds: our signature and our envelope, aligned with the author field.
    for record in signing::prepare(desk.server.app()).await.unwrap() {
        desk.server.dns.txt(&record.name, &record.text);
    }
    desk.server.dns.txt("agents.localhost", "v=spf1 ip4:192.0.2.1 -all");
    desk.server.dns.txt("_dmarc.agents.localhost", "v=DMARC1; p=reject");
    let path = mail.mail.trim_start_matches("MAIL FROM:<").split('>').next().unwrap();
    let path = Address::parse(path).unwrap();
    let handover =
        Handover { client_ip: "192.0.2.1".parse().unwrap(), helo: "mx.agents.localhost", mail_from: Some(&path) };
    let raw = mail.data.as_bytes();
    let digest = posthouse_mail::auth::Digest::of(raw, desk.server.app().clock.now().seconds());
    let results = authenticate(desk.server.app(), (raw, digest), handover).await;
    assert_eq!(format!("{:?} {:?}", results.spf.result, results.dmarc.result), "Pass Pass", "{results:?}");
    let shown = desk.shown().await;
    assert_eq!((&shown["forwarded_count"], &shown["error"]), (&json!(1), &json!(null)));
    assert!(shown["last_forwarded_at"].is_string(), "{shown}");
    desk.close().await;
}

#[tokio::test]
async fn the_sent_copy_is_a_message_like_any_other_in_a_thread_of_its_own() {
    let desk = Desk::open().await;
    desk.agreed("dana@b.example").await;
    desk.arrives(&Letter::new("Offer", "Do you want it?")).await;
    let list = desk.api.get(&format!("/v1/inboxes/{}/messages?limit=2", desk.inbox.id)).await.expect(200);
    let (sent, received) = (&list.data()[0], &list.data()[1]);
    assert_eq!((&sent["direction"], &sent["status"]), (&json!("outbound"), &json!("delivered")));
    assert_eq!((&sent["to"], &sent["subject"]), (&json!(["dana@b.example"]), &received["subject"]));
    assert_ne!(sent["thread_id"], received["thread_id"]);
    let told = desk.api.get("/v1/events?types=message.sent,message.delivered,message.received").await.expect(200);
    let told: Vec<&str> = told.data().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(told[2..], ["message.received", "message.sent", "message.delivered"], "the question comes before");
    // The agent can still answer what came.
    let reply = format!("/messages/{}/reply", received["id"].as_str().unwrap());
    desk.post(&reply, json!({ "text": "Yes.", "reply_all": false })).await.expect(202);
    desk.server.settle().await;
    let mut desk = desk;
    desk.server.allow().queued();
    desk.close().await;
}

#[tokio::test]
async fn flagged_and_blocked_mail_and_reports_stay() {
    let desk = Desk::open().await;
    let id = desk.agreed("dana@b.example").await;
    desk.server.dns.txt("_dmarc.strict.example", "v=DMARC1; p=none");
    let forged = Letter::new("Bank", "Log in here.").with("From", "bank@strict.example");
    desk.arrives(&forged).await;
    let newest = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await;
    assert!(newest["labels"].as_array().unwrap().contains(&json!("dmarc-fail")), "{newest}");
    assert_eq!(desk.passed_on().len(), 0, "flagged");
    desk.api.post(&desk.path, json!({ "address": "dana@b.example", "skip_flagged": false })).await.expect(200);
    desk.arrives(&forged).await;
    assert_eq!(desk.passed_on().len(), 1, "flagged, and wanted");
    let entry = json!({ "direction": "receive", "kind": "block", "pattern": "strict.example" });
    desk.api.post("/v1/lists", entry).await.expect(201);
    desk.arrives(&forged).await;
    assert_eq!(desk.passed_on().len(), 1, "blocked");
    let report = Letter::new("Undelivered", "Sorry.")
        .with("From", "MAILER-DAEMON@x.example")
        .raw(&desk.inbox.address, desk.server.clock.now());
    let mut client = desk.server.smtp().await;
    client.mail("", &[&desk.inbox.address], report.as_bytes()).await.expect(250);
    client.quit().await;
    desk.server.settle().await;
    assert_eq!(desk.passed_on().len(), 1, "a report");
    desk.api.delete(&format!("{}/{id}", desk.path)).await.expect(204);
    desk.arrives(&Letter::new("Offer", "text")).await;
    assert_eq!(desk.passed_on().len(), 1, "nobody is left");
    desk.close().await;
}

#[tokio::test]
async fn mail_goes_round_once() {
    let desk = Desk::open().await;
    desk.agreed("dana@b.example").await;
    desk.arrives(&Letter::new("Offer", "text")).await;
    let passed = desk.passed_on().pop().unwrap();
    // The address sends everything back as it came.
    desk.server.deliver_raw(passed.data.as_bytes(), &[&desk.inbox.address]).await.expect(250);
    desk.server.settle().await;
    assert_eq!(desk.passed_on().len(), 1, "its own Message-ID");
    let renamed = passed.data.replace("Message-ID: <", "Message-ID: <other");
    desk.server.deliver_raw(renamed.as_bytes(), &[&desk.inbox.address]).await.expect(250);
    desk.server.settle().await;
    assert_eq!(desk.passed_on().len(), 1, "its own Delivered-To");
    // Or answers it by a vacation notice, from there or from another address of the same person.
    let id = field(&passed.data, "Message-ID").unwrap();
    for from in ["dana@b.example", "dana@other.example"] {
        let notice = Letter::new("Out of office", "I am away.")
            .with("From", from)
            .with("Auto-Submitted", "auto-replied")
            .with("In-Reply-To", id);
        desk.arrives(&notice).await;
        assert_eq!(desk.passed_on().len(), 1, "{from}");
    }
    desk.arrives(&Letter::new("Your ticket", "We got it.").with("Auto-Submitted", "auto-generated")).await;
    assert_eq!(desk.passed_on().len(), 2, "other automatic mail is mail");
    desk.close().await;
}

#[tokio::test]
async fn what_is_held_leaves_when_the_pause_or_the_stop_ends() {
    let desk = Desk::open().await;
    desk.agreed("dana@b.example").await;
    desk.post("/pause", json!({})).await.expect(200);
    desk.arrives(&Letter::new("One", "text")).await;
    desk.server.advance(6 * DAY_MS).await;
    assert_eq!(desk.passed_on().len(), 0);
    desk.api.post_empty(&format!("/v1/inboxes/{}/resume", desk.inbox.id)).await.expect(200);
    desk.server.settle().await;
    assert_eq!(desk.passed_on().len(), 1);
    desk.post("/pause", json!({})).await.expect(200);
    desk.arrives(&Letter::new("Two", "text")).await;
    let id = desk.shown().await["id"].as_str().unwrap().to_owned();
    desk.api.delete(&format!("{}/{id}", desk.path)).await.expect(204);
    desk.api.post_empty(&format!("/v1/inboxes/{}/resume", desk.inbox.id)).await.expect(200);
    desk.server.settle().await;
    assert_eq!(desk.passed_on().len(), 1, "an address that was taken away gets nothing more");
    desk.close().await;
}

#[tokio::test]
async fn limits_make_it_wait_and_a_bounce_ends_it() {
    let desk = Desk::open().await;
    desk.agreed("dana@b.example").await;
    let id = desk.key.workspace;
    let limit = move |tx: &mut Tx| -> Result<(), Error> {
        let mut workspace = workspaces::get(tx, id)?.unwrap();
        workspace.daily_send_limit = Some(2);
        workspaces::update(tx, &workspace)
    };
    desk.server.store().write(limit).await.unwrap();
    desk.arrives(&Letter::new("One", "text")).await;
    desk.arrives(&Letter::new("Two", "text")).await;
    assert_eq!(desk.passed_on().len(), 1, "the question and one mail");
    let shown = desk.shown().await;
    assert_eq!(shown["error"]["code"], "org_daily_limit_exceeded", "{shown}");
    desk.server.advance(12 * HOUR_MS + 2_000).await;
    assert_eq!(desk.passed_on().len(), 2, "the next day");
    assert_eq!(desk.shown().await["error"], json!(null));
    desk.sink.script("RCPT TO:<dana@", "550 5.1.1 no such user", 1);
    desk.arrives(&Letter::new("Three", "text")).await;
    let bounced = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await;
    assert_eq!(bounced["status"], "bounced", "{bounced}");
    desk.server.advance(DAY_MS).await;
    desk.arrives(&Letter::new("Four", "text")).await;
    let shown = desk.shown().await;
    assert_eq!(
        (&shown["error"]["code"], &shown["forwarded_count"]),
        (&json!("recipient_suppressed"), &json!(3)),
        "{shown}"
    );
    desk.close().await;
}

#[tokio::test]
async fn an_inbox_of_this_server_can_be_the_address_and_two_of_them_make_no_loop() {
    let desk = Desk::open().await;
    let other = desk.server.inbox_with(&desk.key, json!({ "username": "max" })).await;
    let newest_of = async |inbox: &TestInbox| desk.server.newest(&desk.api, &inbox.id.to_string()).await;
    for (from, to) in [(&desk.inbox, &other), (&other, &desk.inbox)] {
        let path = format!("/v1/inboxes/{}/forwarding", from.id);
        desk.api.post(&path, json!({ "address": to.address })).await.expect(201);
        let asked = newest_of(to).await;
        let text = asked["text"].as_str().unwrap();
        assert!(newest_of(from).await["text"].as_str().unwrap().contains("hidden-"));
        desk.server.anonymous().post_empty(&link(text)).await.expect(200);
        desk.server.clock.advance(1);
    }
    desk.arrives(&Letter::new("Offer", "Do you want it?")).await;
    let copy = newest_of(&other).await;
    assert_eq!((&copy["direction"], &copy["subject"]), (&json!("inbound"), &json!("Offer")));
    assert_eq!(copy["from"], "Alice via Sam <sam@agents.localhost>");
    let count = async |inbox: &TestInbox| {
        let list = desk.api.get(&format!("/v1/inboxes/{}/messages?limit=100", inbox.id)).await.expect(200);
        list.data().iter().filter(|message| message["subject"] == "Offer").count()
    };
    assert_eq!((count(&desk.inbox).await, count(&other).await), (2, 1), "it came, went, and stayed");
    desk.close().await;
}
