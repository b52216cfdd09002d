//! Automatic forwarding of received messages, from the confirmation request to the forwarded copy.

use posthouse_app::{
    domains::dkim,
    inbound::authenticate::{SmtpClientFacts, authenticate},
    ports::Clock as _,
    settings::DeliveryMode,
};
use posthouse_domain::{
    link_token,
    plan::Plan,
    time::{DAY_MS, HOUR_MS},
};
use posthouse_mail::address::Address;
use posthouse_store::{Error, Tx, workspaces};
use posthouse_tests::{
    TestMessage, TestServer,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
    server::ServerOptions,
    smtp_sink::{SinkMessage, SmtpSink},
};
use serde_json::{Value, json};

struct Fixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    sink: SmtpSink,
    path: String,
}

impl Fixture {
    /// Uses direct delivery. The sink is the mail exchanger of `b.example`.
    async fn open() -> Self {
        let sink = SmtpSink::start().await;
        let port = sink.address.port();
        let server = TestServer::start(ServerOptions::default().configure(move |config| {
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

    /// Adds a confirmed forwarding address and returns its id.
    async fn confirmed(&self, address: &str) -> String {
        let added = self.api.post(&self.path, json!({ "address": address })).await.expect(201);
        self.server.settle().await;
        let request = self.sink.received().pop().expect("the confirmation request arrived");
        self.server.anonymous().post_empty(&link(&request.data)).await.expect(200);
        added.text("id").to_owned()
    }

    /// Returns what the sink received, without confirmation requests.
    fn forwarded(&self) -> Vec<SinkMessage> {
        let all = self.sink.received();
        all.into_iter().filter(|mail| !mail.data.contains("/confirm/forwarding/")).collect()
    }

    async fn receive(&self, message: &TestMessage) {
        self.server.deliver(message, &self.inbox.address).await;
        self.server.settle().await;
    }

    async fn address_state(&self) -> Value {
        self.api.get(&self.path).await.expect(200).data()[0].clone()
    }

    async fn post(&self, below: &str, body: Value) -> ApiResponse {
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

/// Returns a header field of a message.
fn field<'a>(mail: &'a str, name: &str) -> Option<&'a str> {
    let head = mail.split("\r\n\r\n").next().unwrap();
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[tokio::test]
async fn only_the_owner_of_the_address_sees_the_confirmation_link() {
    let fixture = Fixture::open().await;
    fixture.api.post(&fixture.path, json!({ "address": "dana@b.example" })).await.expect(201);
    fixture.server.settle().await;
    let request = fixture.sink.received().pop().unwrap();
    assert_eq!(request.recipients, ["dana@b.example"]);
    assert_eq!(field(&request.data, "Auto-Submitted"), Some("auto-generated"));
    let token = link(&request.data).rsplit('/').next().unwrap().to_owned();
    assert!(link_token::is_token(&token), "{token}");
    assert!(field(&request.data, "From").unwrap().ends_with("<no-reply@agents.localhost>"), "{}", request.data);
    let listed = fixture.api.get(&format!("/v1/inboxes/{}/messages", fixture.inbox.id)).await.expect(200);
    assert_eq!(listed.data(), [] as [Value; 0], "the service writes it, not the inbox");
    let events = fixture.api.get("/v1/events").await.expect(200).json.to_string();
    assert!(!events.contains(&token), "an agent could confirm by itself: {events}");
    fixture.receive(&TestMessage::new("Offer", "Before anybody agreed.")).await;
    assert_eq!(fixture.forwarded().len(), 0);
    let hidden = format!("/confirm/forwarding/{}", "hidden-until-the-service-message-is-sent");
    fixture.server.anonymous().post_empty(&hidden).await.error("invalid_token");
    fixture.close().await;
}

#[tokio::test]
async fn a_forwarded_message_is_complete_and_passes_spf_and_dmarc() {
    let fixture = Fixture::open().await;
    fixture.confirmed("dana@b.example").await;
    let parts = "See the file.\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=o.pdf\r\n\
        Content-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQKAAEC/w==\r\n--b--";
    let body = format!("--b\r\nContent-Type: text/plain\r\n\r\n{parts}");
    let message = TestMessage::new("Offer", &body)
        .with("MIME-Version", "1.0")
        .with("Content-Type", "multipart/mixed; boundary=b")
        .with("DKIM-Signature", "v=1; d=remote.example; b=broken")
        .with("References", "<0@remote.example>");
    fixture.receive(&message).await;
    let received = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    assert_eq!(received["direction"], "outbound");
    let inbound = fixture.post("/messages/claim", json!({})).await;
    assert_eq!(inbound.status, 200);
    let forwarded = fixture.forwarded();
    assert_eq!(forwarded.len(), 1);
    let mail = &forwarded[0];
    assert!(mail.mail.starts_with("MAIL FROM:<bounces+") && mail.mail.contains("@agents.localhost>"), "{}", mail.mail);
    assert_eq!(mail.recipients, ["dana@b.example"]);
    assert!(mail.data.contains(&format!("\r\n\r\n{body}\r\n")), "the body is unchanged: {}", mail.data);
    assert_eq!(field(&mail.data, "Subject"), Some("Offer"));
    assert_eq!(field(&mail.data, "From"), Some("\"Alice via Sam\" <sam@agents.localhost>"));
    assert_eq!(field(&mail.data, "Reply-To"), Some("\"Alice\" <alice@remote.example>"));
    assert_eq!(field(&mail.data, "To"), Some("sam@agents.localhost"));
    assert_eq!(field(&mail.data, "Delivered-To"), Some("sam@agents.localhost"));
    assert!(field(&mail.data, "References").unwrap().starts_with("<0@remote.example> <"), "{}", mail.data);
    assert!(field(&mail.data, "Authentication-Results").unwrap().contains("spf="), "{}", mail.data);
    assert!(!mail.data.contains("d=remote.example"), "signatures over changed parts are removed");
    // Its receiver finds our signature and our envelope aligned with the author.
    for record in dkim::prepare(fixture.server.service()).await.unwrap() {
        fixture.server.dns.txt(&record.name, &record.text);
    }
    fixture.server.dns.txt("agents.localhost", "v=spf1 ip4:192.0.2.1 -all");
    fixture.server.dns.txt("_dmarc.agents.localhost", "v=DMARC1; p=reject");
    let path = mail.mail.trim_start_matches("MAIL FROM:<").split('>').next().unwrap();
    let path = Address::parse(path).unwrap();
    let handover = SmtpClientFacts {
        client_ip: "192.0.2.1".parse().unwrap(),
        helo: "mx.agents.localhost",
        mail_from: Some(&path),
    };
    let raw = mail.data.as_bytes();
    let digest = posthouse_mail::auth::AuthDigest::of(raw, fixture.server.service().clock.now().seconds());
    let results = authenticate(fixture.server.service(), raw, digest, handover).await;
    assert_eq!(format!("{:?} {:?}", results.spf.result, results.dmarc.result), "Pass Pass", "{results:?}");
    let address_state = fixture.address_state().await;
    assert_eq!((&address_state["forwarded_count"], &address_state["error"]), (&json!(1), &json!(null)));
    assert!(address_state["last_forwarded_at"].is_string(), "{address_state}");
    fixture.close().await;
}

#[tokio::test]
async fn the_forwarded_copy_is_a_regular_message_in_its_own_thread() {
    let fixture = Fixture::open().await;
    fixture.confirmed("dana@b.example").await;
    fixture.receive(&TestMessage::new("Offer", "Do you want it?")).await;
    let list = fixture.api.get(&format!("/v1/inboxes/{}/messages?limit=2", fixture.inbox.id)).await.expect(200);
    let (sent, received) = (&list.data()[0], &list.data()[1]);
    assert_eq!((&sent["direction"], &sent["status"]), (&json!("outbound"), &json!("delivered")));
    assert_eq!((&sent["to"], &sent["subject"]), (&json!(["dana@b.example"]), &received["subject"]));
    assert_ne!(sent["thread_id"], received["thread_id"]);
    let events = fixture.api.get("/v1/events?types=message.sent,message.delivered,message.received").await.expect(200);
    let events: Vec<&str> = events.data().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(
        events,
        ["message.received", "message.sent", "message.delivered"],
        "the confirmation request is no message of the inbox"
    );
    // The agent can still reply to the received message.
    let reply = format!("/messages/{}/reply", received["id"].as_str().unwrap());
    fixture.post(&reply, json!({ "text": "Yes.", "reply_all": false })).await.expect(202);
    fixture.server.settle().await;
    let mut fixture = fixture;
    fixture.server.allow().queued();
    fixture.close().await;
}

#[tokio::test]
async fn flagged_and_blocked_messages_and_reports_are_not_forwarded() {
    let fixture = Fixture::open().await;
    let id = fixture.confirmed("dana@b.example").await;
    fixture.server.dns.txt("_dmarc.strict.example", "v=DMARC1; p=none");
    let forged = TestMessage::new("Bank", "Log in here.").with("From", "bank@strict.example");
    fixture.receive(&forged).await;
    let newest = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    assert!(newest["labels"].as_array().unwrap().contains(&json!("dmarc-fail")), "{newest}");
    assert_eq!(fixture.forwarded().len(), 0, "flagged");
    fixture.api.post(&fixture.path, json!({ "address": "dana@b.example", "skip_flagged": false })).await.expect(200);
    fixture.receive(&forged).await;
    assert_eq!(fixture.forwarded().len(), 1, "flagged, with skip_flagged off");
    let entry = json!({ "direction": "receive", "kind": "block", "pattern": "strict.example" });
    fixture.api.post("/v1/lists", entry).await.expect(201);
    fixture.receive(&forged).await;
    assert_eq!(fixture.forwarded().len(), 1, "blocked");
    let report = TestMessage::new("Undelivered", "Sorry.")
        .with("From", "MAILER-DAEMON@x.example")
        .raw(&fixture.inbox.address, fixture.server.clock.now());
    let mut client = fixture.server.smtp().await;
    client.mail("", &[&fixture.inbox.address], report.as_bytes()).await.expect(250);
    client.quit().await;
    fixture.server.settle().await;
    assert_eq!(fixture.forwarded().len(), 1, "a report");
    fixture.api.delete(&format!("{}/{id}", fixture.path)).await.expect(204);
    fixture.receive(&TestMessage::new("Offer", "text")).await;
    assert_eq!(fixture.forwarded().len(), 1, "no address is left");
    fixture.close().await;
}

#[tokio::test]
async fn a_message_that_comes_back_is_not_forwarded_again() {
    let fixture = Fixture::open().await;
    fixture.confirmed("dana@b.example").await;
    fixture.receive(&TestMessage::new("Offer", "text")).await;
    let forwarded = fixture.forwarded().pop().unwrap();
    // The address returns everything unchanged.
    fixture.server.deliver_raw(forwarded.data.as_bytes(), &[&fixture.inbox.address]).await.expect(250);
    fixture.server.settle().await;
    assert_eq!(fixture.forwarded().len(), 1, "its own Message-ID");
    let renamed = forwarded.data.replace("Message-ID: <", "Message-ID: <other");
    fixture.server.deliver_raw(renamed.as_bytes(), &[&fixture.inbox.address]).await.expect(250);
    fixture.server.settle().await;
    assert_eq!(fixture.forwarded().len(), 1, "its own Delivered-To");
    // It also sends a vacation reply, from the same or another address of the same person.
    let id = field(&forwarded.data, "Message-ID").unwrap();
    for from in ["dana@b.example", "dana@other.example"] {
        let notice = TestMessage::new("Out of office", "I am away.")
            .with("From", from)
            .with("Auto-Submitted", "auto-replied")
            .with("In-Reply-To", id);
        fixture.receive(&notice).await;
        assert_eq!(fixture.forwarded().len(), 1, "{from}");
    }
    fixture.receive(&TestMessage::new("Your ticket", "We got it.").with("Auto-Submitted", "auto-generated")).await;
    assert_eq!(fixture.forwarded().len(), 2, "other automatic messages are forwarded");
    fixture.close().await;
}

#[tokio::test]
async fn held_messages_are_forwarded_when_the_pause_ends() {
    let fixture = Fixture::open().await;
    fixture.confirmed("dana@b.example").await;
    fixture.post("/pause", json!({})).await.expect(200);
    fixture.receive(&TestMessage::new("One", "text")).await;
    fixture.server.advance(6 * DAY_MS).await;
    assert_eq!(fixture.forwarded().len(), 0);
    fixture.api.post_empty(&format!("/v1/inboxes/{}/resume", fixture.inbox.id)).await.expect(200);
    fixture.server.settle().await;
    assert_eq!(fixture.forwarded().len(), 1);
    fixture.post("/pause", json!({})).await.expect(200);
    fixture.receive(&TestMessage::new("Two", "text")).await;
    let id = fixture.address_state().await["id"].as_str().unwrap().to_owned();
    fixture.api.delete(&format!("{}/{id}", fixture.path)).await.expect(204);
    fixture.api.post_empty(&format!("/v1/inboxes/{}/resume", fixture.inbox.id)).await.expect(200);
    fixture.server.settle().await;
    assert_eq!(fixture.forwarded().len(), 1, "a removed address gets nothing more");
    fixture.close().await;
}

#[tokio::test]
async fn limits_delay_forwarding_and_a_bounce_ends_it() {
    let fixture = Fixture::open().await;
    fixture.confirmed("dana@b.example").await;
    let id = fixture.key.workspace;
    let limit = move |tx: &mut Tx| -> Result<(), Error> {
        let mut workspace = workspaces::get(tx, id)?.unwrap();
        workspace.daily_send_limit = Some(1);
        workspaces::update(tx, &workspace)
    };
    fixture.server.store().write(limit).await.unwrap();
    fixture.receive(&TestMessage::new("One", "text")).await;
    fixture.receive(&TestMessage::new("Two", "text")).await;
    assert_eq!(fixture.forwarded().len(), 1, "one message; the confirmation request doesn't count");
    let address_state = fixture.address_state().await;
    assert_eq!(address_state["error"]["code"], "org_daily_limit_exceeded", "{address_state}");
    fixture.server.advance(12 * HOUR_MS + 2_000).await;
    assert_eq!(fixture.forwarded().len(), 2, "the next day");
    assert_eq!(fixture.address_state().await["error"], json!(null));
    fixture.sink.script("RCPT TO:<dana@", "550 5.1.1 no such user", 1);
    fixture.server.advance(DAY_MS).await;
    fixture.receive(&TestMessage::new("Three", "text")).await;
    let bounced = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    assert_eq!(bounced["status"], "bounced", "{bounced}");
    fixture.server.advance(DAY_MS).await;
    fixture.receive(&TestMessage::new("Four", "text")).await;
    let address_state = fixture.address_state().await;
    assert_eq!(
        (&address_state["error"]["code"], &address_state["forwarded_count"]),
        (&json!("recipient_suppressed"), &json!(3)),
        "{address_state}"
    );
    fixture.close().await;
}

#[tokio::test]
async fn two_inboxes_of_this_server_that_forward_to_each_other_do_not_loop() {
    let fixture = Fixture::open().await;
    let other = fixture.server.inbox_with(&fixture.key, json!({ "username": "max" })).await;
    let newest_of = async |inbox: &TestInbox| fixture.server.newest_message(&fixture.api, &inbox.id.to_string()).await;
    for (from, to) in [(&fixture.inbox, &other), (&other, &fixture.inbox)] {
        let path = format!("/v1/inboxes/{}/forwarding", from.id);
        fixture.api.post(&path, json!({ "address": to.address })).await.expect(201);
        fixture.server.settle().await;
        let path = format!("/v1/inboxes/{}/messages?direction=inbound&limit=1", to.id);
        let request = fixture.api.get(&path).await.expect(200).data()[0].clone();
        let text = request["text"].as_str().unwrap();
        fixture.server.anonymous().post_empty(&link(text)).await.expect(200);
        fixture.server.clock.advance(1);
    }
    fixture.receive(&TestMessage::new("Offer", "Do you want it?")).await;
    let copy = newest_of(&other).await;
    assert_eq!((&copy["direction"], &copy["subject"]), (&json!("inbound"), &json!("Offer")));
    assert_eq!(copy["from"], "Alice via Sam <sam@agents.localhost>");
    let count = async |inbox: &TestInbox| {
        let list = fixture.api.get(&format!("/v1/inboxes/{}/messages?limit=100", inbox.id)).await.expect(200);
        list.data().iter().filter(|message| message["subject"] == "Offer").count()
    };
    assert_eq!(
        (count(&fixture.inbox).await, count(&other).await),
        (2, 1),
        "it was received, forwarded and not returned"
    );
    fixture.close().await;
}
