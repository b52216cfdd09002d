//! A submitted message: its bytes, recipients, thread and delivery.

use axum::http::Method;
use posthouse_app::{
    domains::dkim,
    inbound::authenticate::{SmtpClientFacts, authenticate},
    settings::DeliveryMode,
};
use posthouse_mail::auth::AuthDigest;
use posthouse_tests::{server::ServerOptions, smtp_sink::SmtpSink};
use serde_json::json;

use super::{InboxFixture, fixture, fixture_with, raw_message};

const RAW_MESSAGE: &str = "Message-ID: <one@program.example>\r\nBcc: Eve <eve@c.example>,\r\n\tfay@c.example\r\n\
    X-Mailer: Program 1.0\r\nFrom: \"Sam S.\" <Sam@agents.localhost>\r\nTo: Dana <dana@b.example>, Gil <gil@b.example>\r\n\
    Cc: eve@b.example\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nMIME-Version: 1.0\r\n\
    Content-Type: text/plain; charset=utf-8\r\n\r\nHi Dana.\r\n..two dots\r\n";

/// Starts a fixture whose messages to b.example go to a sink.
async fn sending_fixture() -> (InboxFixture, SmtpSink) {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let options = ServerOptions::default().configure(move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
    });
    let fixture = fixture_with(options).await;
    fixture.server.dns.mx("b.example", 10, "mx.b.example");
    fixture.server.dns.address("mx.b.example", sink.address.ip());
    (fixture, sink)
}

#[tokio::test]
async fn the_bytes_are_unchanged_except_for_bcc_and_missing_fields() {
    let fixture = fixture().await;
    let mut session = fixture.authenticated_session().await;
    let envelope = ["dana@b.example", "eve@b.example", "eve@c.example", "fay@c.example"];
    let reply = session.mail("sam@agents.localhost", &envelope, RAW_MESSAGE.as_bytes()).await;
    let id = reply.id();
    let message = fixture.submitted_message(&reply).await;
    assert_eq!(message["status"], "queued");
    assert_eq!(message["from"], "\"Sam S.\" <Sam@agents.localhost>");
    assert_eq!(message["to"], json!(["Dana <dana@b.example>", "Gil <gil@b.example>"]), "as in the header");
    assert_eq!(
        (&message["cc"], &message["bcc"]),
        (&json!(["eve@b.example"]), &json!(["eve@c.example", "fay@c.example"]))
    );
    assert_eq!((&message["subject"], &message["text"]), (&json!("Grüße"), &json!("Hi Dana.\n..two dots\n")));
    let entries = message["delivery"].as_array().unwrap();
    let addresses: Vec<&str> = entries.iter().map(|entry| entry["address"].as_str().unwrap()).collect();
    assert_eq!(addresses, envelope, "the envelope determines the recipients");
    let raw = fixture.api.get(&format!("/v1/messages/{id}/raw")).await.expect(200);
    let without = RAW_MESSAGE.replace("Bcc: Eve <eve@c.example>,\r\n\tfay@c.example\r\n", "");
    assert_eq!(
        String::from_utf8(raw.bytes.to_vec()).unwrap(),
        format!("Agent-Disclosure: agent=?1\r\nDate: Tue, 15 Sep 2026 12:00:00 +0000\r\n{without}")
    );
    fixture.server.settle().await;
    assert_eq!(fixture.submitted_message(&reply).await["status"], "sent", "captured");
    session.quit().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_message_without_an_id_gets_one_at_the_inbox_domain() {
    let fixture = fixture().await;
    let reply = fixture.submit("dana@b.example", "From: sam@agents.localhost\r\nSubject: x\r\n\r\n\r\n").await;
    let message = fixture.submitted_message(&reply).await;
    assert_eq!(message["headers"]["message-id"], format!("<{}@agents.localhost>", reply.id()));
    fixture.server.finish().await;
}

#[tokio::test]
async fn it_is_signed_and_delivered_like_any_message() {
    let (fixture, sink) = sending_fixture().await;
    let mut session = fixture.authenticated_session().await;
    let raw = raw_message("Signed").replace("Sam <sam@", "Sam <sam+shop@");
    let reply = session
        .mail("sam+shop@agents.localhost", &["dana@b.example"], raw.as_bytes())
        .await
        .expect_enhanced(250, "2.0.0");
    session.quit().await;
    fixture.server.settle().await;
    let transmitted = sink.received().remove(0);
    assert!(
        transmitted.data.starts_with("DKIM-Signature: ") && transmitted.data.ends_with(&raw),
        "{}",
        transmitted.data
    );
    assert!(transmitted.mail.starts_with("MAIL FROM:<bounces+"), "{}", transmitted.mail);
    assert_eq!(fixture.submitted_message(&reply).await["status"], "delivered");
    let log = fixture.api.get("/v1/events?types=message.sent,message.delivered").await.expect(200);
    assert_eq!(log.data().len(), 2);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_nul_byte_does_not_break_the_signature() {
    let (fixture, sink) = sending_fixture().await;
    let mut session = fixture.authenticated_session().await;
    let head_and_body = raw_message("Nothing");
    let raw = format!("{head_and_body}with\0out\r\n");
    let reply = session.mail("sam@agents.localhost", &["dana@b.example"], raw.as_bytes()).await;
    session.quit().await;
    fixture.server.settle().await;
    let transmitted = sink.received().remove(0).data;
    let shown = fixture.api.get(&format!("/v1/messages/{}/raw", reply.id())).await.expect(200).bytes;
    let shown = String::from_utf8(shown.to_vec()).unwrap();
    assert_eq!(shown, format!("Agent-Disclosure: agent=?1\r\n{head_and_body}without\r\n"));
    assert!(transmitted.ends_with(&shown), "{transmitted}");
    for record in dkim::prepare(fixture.server.service()).await.unwrap() {
        fixture.server.dns.txt(&record.name, &record.text);
    }
    let digest = AuthDigest::of(transmitted.as_bytes(), fixture.server.service().clock.now().seconds());
    let handover = SmtpClientFacts { client_ip: [192, 0, 2, 1].into(), helo: "localhost", mail_from: None };
    let results = authenticate(fixture.server.service(), transmitted.as_bytes(), digest, handover).await;
    let passes = results.dkim.iter().filter(|verdict| format!("{:?}", verdict.result) == "Pass").count();
    assert_eq!(passes, 2, "{:?}", results.dkim);
    fixture.server.finish().await;
}

#[tokio::test]
async fn local_inboxes_receive_it_at_once() {
    let fixture = fixture().await;
    let other = fixture.server.inbox_named(&fixture.key, "other").await;
    let raw = raw_message("Here").replace("dana@b.example", &other.address);
    let reply = fixture.submit("other+tag@agents.localhost", &raw).await;
    assert_eq!(fixture.submitted_message(&reply).await["status"], "delivered");
    let path = format!("/v1/inboxes/{}/messages", other.id);
    let received = fixture.api.get(&path).await.expect(200).data()[0].clone();
    assert_eq!((&received["subject"], &received["channel"]), (&json!("Here"), &json!("agent")));
    assert_eq!(received["from"], "Sam <sam@agents.localhost>");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_reply_joins_the_thread_of_the_original() {
    let fixture = fixture().await;
    let mail = "From: ada@remote.example\r\nTo: sam@agents.localhost\r\nSubject: Order\r\nMessage-ID: <q@remote.example>\r\n\
        \r\nWhere is it?\r\n";
    fixture.api.raw(Method::POST, "/dev/inbound", "message/rfc822", mail).await.expect(201);
    let inbound =
        fixture.api.get(&format!("/v1/inboxes/{}/messages", fixture.inbox.id)).await.expect(200).data()[0].clone();
    let answer = raw_message("Something else").replace("To: ", "In-Reply-To: <q@remote.example>\r\nTo: ");
    let first = fixture.submit("ada@remote.example", &answer).await;
    assert_eq!(fixture.submitted_message(&first).await["thread_id"], inbound["thread_id"]);
    let own_id = "<Something.else@program.example>";
    let more = raw_message("Third").replace("To: ", &format!("References: <q@remote.example> {own_id}\r\nTo: "));
    let second = fixture.submit("ada@remote.example", &more).await;
    assert_eq!(fixture.submitted_message(&second).await["thread_id"], inbound["thread_id"]);
    let alone = fixture.submitted_message(&fixture.submit("ada@remote.example", &raw_message("New")).await).await;
    assert_ne!(alone["thread_id"], inbound["thread_id"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn submission_supports_the_same_extensions_as_receiving() {
    let fixture = fixture().await;
    let mut session = fixture.session().await;
    let offered = session.line("EHLO client.example.net").await.expect(250);
    for keyword in ["PIPELINING", "SIZE", "8BITMIME", "SMTPUTF8", "CHUNKING", "ENHANCEDSTATUSCODES", "AUTH"] {
        assert!(offered.offers(keyword), "{keyword}: {offered}");
    }
    session.log_in(&fixture.inbox.address, &fixture.key.secret).await.expect(235);
    let raw = "From: Säm <sam@agents.localhost>\r\nTo: dänä@b.example\r\nSubject: Grüße\r\n\r\nÄ\r\n";
    let (first, second) = raw.split_at(60);
    let group = format!(
        "MAIL FROM:<sam@agents.localhost> SMTPUTF8 BODY=8BITMIME SIZE={}\r\nRCPT TO:<dänä@b.example>\r\n\
         BDAT {}\r\n{first}BDAT {} LAST\r\n{second}",
        raw.len(),
        first.len(),
        second.len()
    );
    session.send(group.as_bytes()).await;
    for _ in 0..3 {
        session.reply().await.expect(250);
    }
    let reply = session.reply().await;
    let message = fixture.submitted_message(&reply).await;
    assert_eq!((&message["subject"], &message["to"]), (&json!("Grüße"), &json!(["dänä@b.example"])));
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_accepted_message_survives_a_crash() {
    let mut fixture = fixture().await;
    let reply = fixture.submit("dana@b.example", &raw_message("Kept")).await;
    fixture.server.crash().await;
    fixture.api = fixture.server.api(&fixture.key);
    fixture.server.settle().await;
    assert_eq!(fixture.submitted_message(&reply).await["status"], "sent");
    fixture.server.finish().await;
}
