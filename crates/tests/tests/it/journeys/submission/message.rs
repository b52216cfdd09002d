//! What becomes of a message that was handed in: its bytes, its recipients, its thread, its way.

use axum::http::Method;
use posthouse_mail::auth::Digest;
use posthouse_server::{
    app::{
        authenticate::{Handover, authenticate},
        signing,
    },
    config::DeliveryMode,
};
use posthouse_tests::{server::Options, smtp_sink::SmtpSink};
use serde_json::json;

use super::{Desk, letter, office, office_with};

const LETTER: &str = "Message-ID: <one@program.example>\r\nBcc: Eve <eve@c.example>,\r\n\tfay@c.example\r\n\
    X-Mailer: Program 1.0\r\nFrom: \"Sam S.\" <Sam@agents.localhost>\r\nTo: Dana <dana@b.example>, Gil <gil@b.example>\r\n\
    Cc: eve@b.example\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nMIME-Version: 1.0\r\n\
    Content-Type: text/plain; charset=utf-8\r\n\r\nHi Dana.\r\n..two dots\r\n";

/// An office whose mail for b.example goes to a sink.
async fn sending_office() -> (Desk, SmtpSink) {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let options = Options::default().configure(move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
    });
    let office = office_with(options).await;
    office.server.dns.mx("b.example", 10, "mx.b.example");
    office.server.dns.address("mx.b.example", sink.address.ip());
    (office, sink)
}

#[tokio::test]
async fn the_bytes_stay_but_for_hidden_recipients_and_what_is_missing() {
    let office = office().await;
    let mut session = office.logged_in().await;
    let envelope = ["dana@b.example", "eve@b.example", "eve@c.example", "fay@c.example"];
    let reply = session.mail("sam@agents.localhost", &envelope, LETTER.as_bytes()).await;
    let id = reply.id();
    let message = office.handed_in(&reply).await;
    assert_eq!(message["status"], "queued");
    assert_eq!(message["from"], "\"Sam S.\" <Sam@agents.localhost>");
    assert_eq!(message["to"], json!(["Dana <dana@b.example>", "Gil <gil@b.example>"]), "as the header says");
    assert_eq!(
        (&message["cc"], &message["bcc"]),
        (&json!(["eve@b.example"]), &json!(["eve@c.example", "fay@c.example"]))
    );
    assert_eq!((&message["subject"], &message["text"]), (&json!("Grüße"), &json!("Hi Dana.\n..two dots\n")));
    let entries = message["delivery"].as_array().unwrap();
    let addresses: Vec<&str> = entries.iter().map(|entry| entry["address"].as_str().unwrap()).collect();
    assert_eq!(addresses, envelope, "who gets it is the envelope's business");
    let raw = office.api.get(&format!("/v1/messages/{id}/raw")).await.expect(200);
    let without = LETTER.replace("Bcc: Eve <eve@c.example>,\r\n\tfay@c.example\r\n", "");
    assert_eq!(
        String::from_utf8(raw.bytes.to_vec()).unwrap(),
        format!("Date: Tue, 15 Sep 2026 12:00:00 +0000\r\n{without}")
    );
    office.server.settle().await;
    assert_eq!(office.handed_in(&reply).await["status"], "sent", "captured");
    session.quit().await;
    office.server.finish().await;
}

#[tokio::test]
async fn a_message_without_an_id_gets_one_at_the_inbox_domain() {
    let office = office().await;
    let reply = office.hand_in("dana@b.example", "From: sam@agents.localhost\r\nSubject: x\r\n\r\n\r\n").await;
    let message = office.handed_in(&reply).await;
    assert_eq!(message["headers"]["message-id"], format!("<{}@agents.localhost>", reply.id()));
    office.server.finish().await;
}

#[tokio::test]
async fn it_leaves_signed_and_settles_as_any_other() {
    let (office, sink) = sending_office().await;
    let mut session = office.logged_in().await;
    let raw = letter("Signed").replace("Sam <sam@", "Sam <sam+shop@");
    let reply = session.mail("sam+shop@agents.localhost", &["dana@b.example"], raw.as_bytes()).await.says(250, "2.0.0");
    session.quit().await;
    office.server.settle().await;
    let left = sink.received().remove(0);
    assert!(left.data.starts_with("DKIM-Signature: ") && left.data.ends_with(&raw), "{}", left.data);
    assert!(left.mail.starts_with("MAIL FROM:<bounces+"), "{}", left.mail);
    assert_eq!(office.handed_in(&reply).await["status"], "delivered");
    let log = office.api.get("/v1/events?types=message.sent,message.delivered").await.expect(200);
    assert_eq!(log.data().len(), 2);
    office.server.finish().await;
}

#[tokio::test]
async fn a_nul_byte_breaks_no_signature() {
    let (office, sink) = sending_office().await;
    let mut session = office.logged_in().await;
    let written = letter("Nothing");
    let raw = format!("{written}with\0out\r\n");
    let reply = session.mail("sam@agents.localhost", &["dana@b.example"], raw.as_bytes()).await;
    session.quit().await;
    office.server.settle().await;
    let left = sink.received().remove(0).data;
    let shown = office.api.get(&format!("/v1/messages/{}/raw", reply.id())).await.expect(200).bytes;
    let shown = String::from_utf8(shown.to_vec()).unwrap();
    assert_eq!(shown, format!("{written}without\r\n"));
    assert!(left.ends_with(&shown), "{left}");
    for record in signing::prepare(office.server.app()).await.unwrap() {
        office.server.dns.txt(&record.name, &record.text);
    }
    let digest = Digest::of(left.as_bytes(), office.server.app().clock.now().seconds());
    let handover = Handover { client_ip: [192, 0, 2, 1].into(), helo: "localhost", mail_from: None };
    let results = authenticate(office.server.app(), (left.as_bytes(), digest), handover).await;
    let passes = results.dkim.iter().filter(|verdict| format!("{:?}", verdict.result) == "Pass").count();
    assert_eq!(passes, 2, "{:?}", results.dkim);
    office.server.finish().await;
}

#[tokio::test]
async fn inboxes_of_this_service_get_it_at_once() {
    let office = office().await;
    let other = office.server.inbox_named(&office.key, "other").await;
    let raw = letter("Here").replace("dana@b.example", &other.address);
    let reply = office.hand_in("other+tag@agents.localhost", &raw).await;
    assert_eq!(office.handed_in(&reply).await["status"], "delivered");
    let path = format!("/v1/inboxes/{}/messages", other.id);
    let received = office.api.get(&path).await.expect(200).data()[0].clone();
    assert_eq!((&received["subject"], &received["channel"]), (&json!("Here"), &json!("agent")));
    assert_eq!(received["from"], "Sam <sam@agents.localhost>");
    office.server.finish().await;
}

#[tokio::test]
async fn an_answer_joins_the_thread_of_its_original() {
    let office = office().await;
    let mail = "From: ada@remote.example\r\nTo: sam@agents.localhost\r\nSubject: Order\r\nMessage-ID: <q@remote.example>\r\n\
        \r\nWhere is it?\r\n";
    office.api.raw(Method::POST, "/dev/inbound", "message/rfc822", mail).await.expect(201);
    let inbound =
        office.api.get(&format!("/v1/inboxes/{}/messages", office.inbox.id)).await.expect(200).data()[0].clone();
    let answer = letter("Something else").replace("To: ", "In-Reply-To: <q@remote.example>\r\nTo: ");
    let first = office.hand_in("ada@remote.example", &answer).await;
    assert_eq!(office.handed_in(&first).await["thread_id"], inbound["thread_id"]);
    let own_id = "<Something.else@program.example>";
    let more = letter("Third").replace("To: ", &format!("References: <q@remote.example> {own_id}\r\nTo: "));
    let second = office.hand_in("ada@remote.example", &more).await;
    assert_eq!(office.handed_in(&second).await["thread_id"], inbound["thread_id"]);
    let alone = office.handed_in(&office.hand_in("ada@remote.example", &letter("New")).await).await;
    assert_ne!(alone["thread_id"], inbound["thread_id"]);
    office.server.finish().await;
}

#[tokio::test]
async fn the_extensions_of_receipt_are_there() {
    let office = office().await;
    let mut session = office.session().await;
    let offered = session.line("EHLO client.example.net").await.expect(250);
    for keyword in ["PIPELINING", "SIZE", "8BITMIME", "SMTPUTF8", "CHUNKING", "ENHANCEDSTATUSCODES", "AUTH"] {
        assert!(offered.offers(keyword), "{keyword}: {offered}");
    }
    session.log_in(&office.inbox.address, &office.key.secret).await.expect(235);
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
    let message = office.handed_in(&reply).await;
    assert_eq!((&message["subject"], &message["to"]), (&json!("Grüße"), &json!(["dänä@b.example"])));
    office.server.finish().await;
}

#[tokio::test]
async fn what_a_250_named_outlasts_a_crash() {
    let mut office = office().await;
    let reply = office.hand_in("dana@b.example", &letter("Kept")).await;
    office.server.crash().await;
    office.api = office.server.api(&office.key);
    office.server.settle().await;
    assert_eq!(office.handed_in(&reply).await["status"], "sent");
    office.server.finish().await;
}
