//! Internationalized domains and addresses, inbound and outbound (RFC 5890, RFC 6531, RFC 6532): both spellings of a
//! domain are equal, and recipients that require SMTPUTF8 fail clearly without it.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, fixtures::TestInbox, http::Api, smtp_sink::SmtpSink};
use serde_json::{Value, json};

const U_LABEL: &str = "bücher.example";
const A_LABEL: &str = "xn--bcher-kva.example";

struct Fixture {
    server: TestServer,
    api: Api,
    inbox: TestInbox,
    sink: SmtpSink,
}

impl Fixture {
    /// Uses direct delivery. The sink is the mail exchanger of the internationalized domain.
    async fn new(offers: &[&str]) -> Self {
        let sink = SmtpSink::start().await;
        offers.iter().for_each(|extension| sink.offer(extension));
        let port = sink.address.port();
        let options = ServerOptions::default().configure(move |config| {
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = port;
        });
        let server = TestServer::start(options).await;
        server.dns.mx(A_LABEL, 10, "mx.far.example");
        server.dns.address("mx.far.example", sink.address.ip());
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox_named(&key, "desk").await;
        Self { server, api, inbox, sink }
    }

    async fn send(&self, to: Value) -> String {
        let path = format!("/v1/inboxes/{}/messages", self.inbox.id);
        let sent = self.api.post(&path, json!({ "to": to, "subject": "Grüße", "text": "Hallo." })).await.expect(202);
        self.server.settle().await;
        sent.text("id").to_owned()
    }

    async fn delivery(&self, id: &str) -> Vec<Value> {
        let message = self.api.get(&format!("/v1/messages/{id}")).await.expect(200);
        message["delivery"].as_array().unwrap().clone()
    }
}

#[tokio::test]
async fn both_spellings_of_a_domain_are_equal_and_need_no_smtputf8() {
    let fixture = Fixture::new(&[]).await;
    let id =
        fixture.send(json!([format!("Dana <dana@{U_LABEL}>"), format!("Dana@{A_LABEL}"), "dana@BÜCHER.example"])).await;
    let entries = fixture.delivery(&id).await;
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!((&entries[0]["status"], &entries[0]["class"]), (&json!("delivered"), &json!(null)), "{entries:?}");
    let mail = &fixture.sink.received()[0];
    assert_eq!(mail.recipients, [format!("dana@{A_LABEL}")]);
    assert!(!mail.mail.contains("SMTPUTF8") && mail.data.is_ascii(), "{}", mail.data);
    let contacts = fixture.api.get(&format!("/v1/contacts?q=dana@{U_LABEL}")).await.expect(200);
    assert_eq!(contacts.data().len(), 1, "{contacts}");
    for domain in [U_LABEL, A_LABEL] {
        assert_eq!(fixture.api.get(&format!("/v1/contacts?domain={domain}")).await.expect(200).data().len(), 1);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn lists_and_suppressions_match_both_spellings() {
    let fixture = Fixture::new(&[]).await;
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    let mail = |to: &str| json!({ "to": to, "subject": "x", "text": "x" });
    let made = fixture.api.post("/v1/suppressions", json!({ "address": format!("Eve@{U_LABEL}") })).await.expect(201);
    assert_eq!(made.text("address"), format!("eve@{A_LABEL}"));
    fixture.api.post("/v1/suppressions", json!({ "address": format!("eve@{A_LABEL}") })).await.expect(200);
    assert_eq!(fixture.api.get(&format!("/v1/suppressions?q=@{U_LABEL}")).await.expect(200).data().len(), 1);
    fixture.api.post(&path, mail(&format!("eve@{A_LABEL}"))).await.error("recipient_suppressed");
    fixture.api.delete(&format!("/v1/suppressions/eve@{U_LABEL}")).await.expect(204);
    let entry = json!({ "direction": "send", "kind": "block", "pattern": U_LABEL });
    assert_eq!(fixture.api.post("/v1/lists", entry).await.expect(201).text("pattern"), A_LABEL);
    fixture.api.post(&path, mail(&format!("bob@mail.{A_LABEL}"))).await.error("recipient_blocked");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_non_ascii_mailbox_is_reached_if_the_peer_supports_smtputf8() {
    let fixture = Fixture::new(&["SMTPUTF8"]).await;
    let id = fixture.send(json!(format!("Jörg <jörg@{U_LABEL}>"))).await;
    assert_eq!(fixture.delivery(&id).await[0]["status"], "delivered");
    let mail = &fixture.sink.received()[0];
    assert!(mail.mail.ends_with(" SMTPUTF8"), "{}", mail.mail);
    assert_eq!(mail.recipients, [format!("jörg@{A_LABEL}")]);
    assert!(mail.data.contains(&format!("<jörg@{A_LABEL}>")), "{}", mail.data);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_non_ascii_mailbox_fails_clearly_without_smtputf8() {
    let fixture = Fixture::new(&[]).await;
    let id = fixture.send(json!(format!("jörg@{U_LABEL}"))).await;
    let entry = &fixture.delivery(&id).await[0];
    assert_eq!((&entry["status"], &entry["class"]), (&json!("bounced"), &json!("smtputf8")), "{entry}");
    assert_eq!((&entry["enhanced_code"], &entry["smtp_code"]), (&json!("5.6.7"), &json!(null)), "{entry}");
    assert!(entry["detail"].as_str().unwrap().contains("does not support non-ASCII addresses (SMTPUTF8)"), "{entry}");
    let events = fixture.api.get("/v1/events?types=message.bounced").await.expect(200);
    let bounce = &events.data()[0]["data"]["bounce"];
    assert_eq!((&bounce["type"], &bounce["recipients"][0]["class"]), (&json!("hard"), &json!("smtputf8")), "{bounce}");
    assert!(fixture.sink.received().is_empty());
    // The address itself is valid.
    assert!(fixture.api.get("/v1/suppressions").await.expect(200).data().is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_message_from_a_non_ascii_sender_is_received_and_parsed() {
    let fixture = Fixture::new(&[]).await;
    let mut smtp = fixture.server.smtp().await;
    smtp.line(&format!("MAIL FROM:<用户@{U_LABEL}>")).await.expect_enhanced(553, "5.6.7");
    smtp.line(&format!("MAIL FROM:<用户@{U_LABEL}> SMTPUTF8 BODY=8BITMIME")).await.expect(250);
    smtp.line(&format!("RCPT TO:<{}>", fixture.inbox.address)).await.expect(250);
    let raw = format!(
        "From: 用户 <用户@{U_LABEL}>\r\nTo: {}\r\nSubject: Grüße aus 例子\r\nMessage-ID: <ä@{U_LABEL}>\r\n\
         Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nHällo.\r\n",
        fixture.inbox.address
    );
    let reply = smtp.data(raw.as_bytes()).await;
    smtp.quit().await;
    let message = fixture.api.get(&format!("/v1/messages/{}", reply.id())).await.expect(200);
    assert_eq!(message.text("from"), format!("用户 <用户@{U_LABEL}>"));
    assert_eq!((message.text("subject"), message.text("text").trim()), ("Grüße aus 例子", "Hällo."));
    let contact = fixture.api.get(&format!("/v1/contacts/by-address/用户@{A_LABEL}")).await.expect(200);
    assert_eq!(contact["id"], message["contact_id"], "{contact}");
    let path = format!("/v1/messages/{}/raw", reply.id());
    let raw = String::from_utf8(fixture.api.get(&path).await.expect(200).bytes).unwrap();
    assert!(raw.contains("with UTF8SMTP") && raw.contains("Subject: Grüße aus 例子\r\n"), "{raw}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn both_spellings_of_a_customer_domain_work() {
    let options = ServerOptions::default().configure(|config| config.hostname = "mx.post.example".to_owned());
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let domain = api.post("/v1/domains", json!({ "domain": format!("Mail.{U_LABEL}") })).await.expect(201);
    assert_eq!(domain.text("domain"), format!("mail.{A_LABEL}"));
    for record in domain["records"].as_array().unwrap() {
        let (name, value) = (record["name"].as_str().unwrap(), record["value"].as_str().unwrap());
        assert!(name.is_ascii() && value.is_ascii(), "{record}");
        match value.split_once(' ').filter(|_| record["type"] == "MX") {
            Some((preference, host)) => server.dns.mx(name, preference.parse().unwrap(), host),
            None => server.dns.txt(name, value),
        }
    }
    let verified = api.post_empty(&format!("/v1/domains/{}/verify", domain.text("id"))).await.expect(200);
    assert_eq!(verified["status"], "verified", "{verified}");
    let inbox =
        api.post("/v1/inboxes", json!({ "username": "desk", "domain": format!("mail.{U_LABEL}") })).await.expect(201);
    assert_eq!(inbox.text("address"), format!("desk@mail.{A_LABEL}"));
    let mut smtp = server.smtp().await;
    smtp.line("MAIL FROM:<a@b.example> SMTPUTF8").await.expect(250);
    smtp.line(&format!("RCPT TO:<desk@MAIL.{U_LABEL}>")).await.expect(250);
    smtp.line(&format!("RCPT TO:<desk@mail.{A_LABEL}>")).await.expect(250);
    smtp.line(&format!("RCPT TO:<postmaster@mail.{U_LABEL}>")).await.expect(250);
    smtp.data("From: a@b.example\r\nSubject: x\r\n\r\nx\r\n").await.expect(250);
    smtp.quit().await;
    let path = format!("/v1/inboxes/{}/messages", inbox.text("id"));
    assert_eq!(api.get(&path).await.expect(200).data().len(), 1, "one copy for one inbox");
    server.settle().await;
    server.finish().await;
}
