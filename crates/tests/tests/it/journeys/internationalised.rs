//! Domains and addresses beyond ASCII, in and out (RFC 5890, RFC 6531, RFC 6532): both spellings of a domain are one, and who
//! cannot be reached without SMTPUTF8 is told so.

use posthouse_domain::plan::Plan;
use posthouse_server::config::DeliveryMode;
use posthouse_tests::{Options, TestServer, fixtures::TestInbox, http::Api, smtp_sink::SmtpSink};
use serde_json::{Value, json};

const U_LABEL: &str = "bücher.example";
const A_LABEL: &str = "xn--bcher-kva.example";

struct World {
    server: TestServer,
    api: Api,
    inbox: TestInbox,
    sink: SmtpSink,
}

impl World {
    /// Direct delivery; the sink is the mail exchanger of the internationalised domain.
    async fn new(offers: &[&str]) -> Self {
        let sink = SmtpSink::start().await;
        offers.iter().for_each(|extension| sink.offer(extension));
        let port = sink.address.port();
        let options = Options::default().configure(move |config| {
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
async fn both_spellings_of_a_domain_are_one_and_need_nothing_of_the_peer() {
    let world = World::new(&[]).await;
    let id =
        world.send(json!([format!("Dana <dana@{U_LABEL}>"), format!("Dana@{A_LABEL}"), "dana@BÜCHER.example"])).await;
    let entries = world.delivery(&id).await;
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!((&entries[0]["status"], &entries[0]["class"]), (&json!("delivered"), &json!(null)), "{entries:?}");
    let mail = &world.sink.received()[0];
    assert_eq!(mail.recipients, [format!("dana@{A_LABEL}")]);
    assert!(!mail.mail.contains("SMTPUTF8") && mail.data.is_ascii(), "{}", mail.data);
    let contacts = world.api.get(&format!("/v1/contacts?q=dana@{U_LABEL}")).await.expect(200);
    assert_eq!(contacts.data().len(), 1, "{contacts}");
    for domain in [U_LABEL, A_LABEL] {
        assert_eq!(world.api.get(&format!("/v1/contacts?domain={domain}")).await.expect(200).data().len(), 1);
    }
    world.server.finish().await;
}

#[tokio::test]
async fn lists_and_suppressions_know_both_spellings() {
    let world = World::new(&[]).await;
    let path = format!("/v1/inboxes/{}/messages", world.inbox.id);
    let mail = |to: &str| json!({ "to": to, "subject": "x", "text": "x" });
    let made = world.api.post("/v1/suppressions", json!({ "address": format!("Eve@{U_LABEL}") })).await.expect(201);
    assert_eq!(made.text("address"), format!("eve@{A_LABEL}"));
    world.api.post("/v1/suppressions", json!({ "address": format!("eve@{A_LABEL}") })).await.expect(200);
    assert_eq!(world.api.get(&format!("/v1/suppressions?q=@{U_LABEL}")).await.expect(200).data().len(), 1);
    world.api.post(&path, mail(&format!("eve@{A_LABEL}"))).await.error("recipient_suppressed");
    world.api.delete(&format!("/v1/suppressions/eve@{U_LABEL}")).await.expect(204);
    let entry = json!({ "direction": "send", "kind": "block", "pattern": U_LABEL });
    assert_eq!(world.api.post("/v1/lists", entry).await.expect(201).text("pattern"), A_LABEL);
    world.api.post(&path, mail(&format!("bob@mail.{A_LABEL}"))).await.error("recipient_blocked");
    world.server.finish().await;
}

#[tokio::test]
async fn a_mailbox_beyond_ascii_is_reached_where_the_peer_takes_it() {
    let world = World::new(&["SMTPUTF8"]).await;
    let id = world.send(json!(format!("Jörg <jörg@{U_LABEL}>"))).await;
    assert_eq!(world.delivery(&id).await[0]["status"], "delivered");
    let mail = &world.sink.received()[0];
    assert!(mail.mail.ends_with(" SMTPUTF8"), "{}", mail.mail);
    assert_eq!(mail.recipients, [format!("jörg@{A_LABEL}")]);
    assert!(mail.data.contains(&format!("<jörg@{A_LABEL}>")), "{}", mail.data);
    world.server.finish().await;
}

#[tokio::test]
async fn a_mailbox_beyond_ascii_fails_clearly_where_the_peer_does_not_take_it() {
    let world = World::new(&[]).await;
    let id = world.send(json!(format!("jörg@{U_LABEL}"))).await;
    let entry = &world.delivery(&id).await[0];
    assert_eq!((&entry["status"], &entry["class"]), (&json!("bounced"), &json!("smtputf8")), "{entry}");
    assert_eq!((&entry["enhanced_code"], &entry["smtp_code"]), (&json!("5.6.7"), &json!(null)), "{entry}");
    assert!(entry["detail"].as_str().unwrap().contains("does not take addresses beyond ASCII (SMTPUTF8)"), "{entry}");
    let told = world.api.get("/v1/events?types=message.bounced").await.expect(200);
    let bounce = &told.data()[0]["data"]["bounce"];
    assert_eq!((&bounce["type"], &bounce["recipients"][0]["class"]), (&json!("hard"), &json!("smtputf8")), "{bounce}");
    assert!(world.sink.received().is_empty());
    // Nothing is wrong with the address.
    assert!(world.api.get("/v1/suppressions").await.expect(200).data().is_empty());
    world.server.finish().await;
}

#[tokio::test]
async fn mail_from_beyond_ascii_comes_in_and_is_read() {
    let world = World::new(&[]).await;
    let mut smtp = world.server.smtp().await;
    smtp.line(&format!("MAIL FROM:<用户@{U_LABEL}>")).await.says(553, "5.6.7");
    smtp.line(&format!("MAIL FROM:<用户@{U_LABEL}> SMTPUTF8 BODY=8BITMIME")).await.expect(250);
    smtp.line(&format!("RCPT TO:<{}>", world.inbox.address)).await.expect(250);
    let raw = format!(
        "From: 用户 <用户@{U_LABEL}>\r\nTo: {}\r\nSubject: Grüße aus 例子\r\nMessage-ID: <ä@{U_LABEL}>\r\n\
         Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nHällo.\r\n",
        world.inbox.address
    );
    let reply = smtp.data(raw.as_bytes()).await;
    smtp.quit().await;
    let message = world.api.get(&format!("/v1/messages/{}", reply.id())).await.expect(200);
    assert_eq!(message.text("from"), format!("用户 <用户@{U_LABEL}>"));
    assert_eq!((message.text("subject"), message.text("text").trim()), ("Grüße aus 例子", "Hällo."));
    let contact = world.api.get(&format!("/v1/contacts/by-address/用户@{A_LABEL}")).await.expect(200);
    assert_eq!(contact["id"], message["contact_id"], "{contact}");
    let path = format!("/v1/messages/{}/raw", reply.id());
    let raw = String::from_utf8(world.api.get(&path).await.expect(200).bytes).unwrap();
    assert!(raw.contains("with UTF8SMTP") && raw.contains("Subject: Grüße aus 例子\r\n"), "{raw}");
    world.server.finish().await;
}

#[tokio::test]
async fn a_domain_of_ones_own_has_both_spellings_too() {
    let options = Options::default().configure(|config| config.smtp.hostname = "mx.post.example".to_owned());
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
    assert_eq!(api.get(&path).await.expect(200).data().len(), 1, "one inbox gets one copy");
    server.settle().await;
    server.finish().await;
}
