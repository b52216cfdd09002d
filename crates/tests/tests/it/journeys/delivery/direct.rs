//! To the mail exchangers of the destination.

use std::net::{IpAddr, Ipv4Addr};

use posthouse_mail::address::Address;
use posthouse_server::{
    app::{
        authenticate::{Handover, authenticate},
        receive, signing,
    },
    config::DeliveryMode,
    tls,
};
use posthouse_tests::smtp_sink::{END_OF_DATA, GREETING, HANG_UP, SmtpSink};
use serde_json::json;

use super::Post;

#[tokio::test]
async fn a_message_leaves_signed_and_is_delivered() {
    let post = Post::direct().await;
    let id = post.send(&["dana@b.example", "Eve <eve@B.example>"]).await;
    post.deliver().await;
    let received = post.sink.received();
    assert_eq!(received.len(), 2, "one transaction for each recipient");
    for mail in &received {
        let path = mail.mail.strip_prefix("MAIL FROM:<bounces+").expect("a return path of the recipient's own");
        assert!(path.contains("@agents.localhost> SIZE="), "{}", mail.mail);
    }
    assert_ne!(received[0].mail, received[1].mail);
    assert_eq!(received[0].data, received[1].data, "signed once");
    let mut recipients: Vec<&String> = received.iter().flat_map(|mail| &mail.recipients).collect();
    recipients.sort_unstable();
    assert_eq!(recipients, ["dana@b.example", "eve@b.example"]);
    let mail = &received[0];
    assert!(mail.data.starts_with("DKIM-Signature: v=1; a=rsa-sha256;"), "{}", mail.data);
    assert!(mail.data.contains("a=ed25519-sha256") && mail.data.contains("\r\n.\r\n..dots\r\n"), "{}", mail.data);
    for record in signing::prepare(post.server.app()).await.unwrap() {
        post.server.dns.txt(&record.name, &record.text);
    }
    let from = Address::parse(&post.inbox.address).unwrap();
    let client_ip = IpAddr::from([192, 0, 2, 1]);
    let handover = Handover { client_ip, helo: "localhost", mail_from: Some(&from) };
    let raw = mail.data.as_bytes();
    let digest = posthouse_mail::auth::Digest::of(raw, post.server.app().clock.now().seconds());
    let results = authenticate(post.server.app(), (raw, digest), handover).await;
    let passes = results.dkim.iter().filter(|verdict| format!("{:?}", verdict.result) == "Pass").count();
    assert_eq!(passes, 2, "{:?}", results.dkim);

    let message = post.message(&id).await;
    assert_eq!(message["status"], "delivered", "{message}");
    assert!(message["sent_at"].is_string());
    let entry = post.entry(&id, "eve@b.example").await;
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&250.into(), &"2.0.0".into()));
    assert_eq!((&entry["remote"], &entry["attempts"]), (&"mx1.b.example [127.0.0.1]".into(), &1.into()));
    assert_eq!(post.events().await, ["message.sent", "message.delivered", "message.delivered"]);
    post.close().await;
}

#[tokio::test]
async fn greylisted_mail_is_delivered_by_the_schedule() {
    let post = Post::direct().await;
    post.sink.script("RCPT TO:<dana@", "450 4.2.0 greylisted, come back", 1);
    let id = post.send(&["dana@b.example", "eve@b.example"]).await;
    post.deliver().await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["smtp_code"]), (&"queued".into(), &450.into()));
    assert_eq!(entry["class"], "greylisted");
    assert_eq!(entry["detail"], "4.2.0 greylisted, come back".trim_start_matches("4.2.0 "), "{entry}");
    assert_eq!(post.entry(&id, "eve@b.example").await["status"], "delivered");
    assert_eq!(post.message(&id).await["status"], "queued", "the worst of both");
    post.advance(59_999).await;
    assert_eq!(post.sink.received().len(), 1, "not before its time");
    post.advance(1).await;
    let received = post.sink.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[1].recipients, ["dana@b.example"], "who has it does not get it again");
    assert_eq!(post.message(&id).await["status"], "delivered");
    assert_eq!(post.entry(&id, "dana@b.example").await["attempts"], 2);
    assert_eq!(post.events().await, ["message.sent", "message.delivered", "message.delivered"]);
    post.close().await;
}

#[tokio::test]
async fn messages_to_one_host_share_a_connection() {
    let post = Post::direct().await;
    for _ in 0..5 {
        post.send(&["dana@b.example"]).await;
        post.deliver().await;
    }
    assert_eq!((post.sink.received().len(), post.sink.connections()), (5, 1));
    for _ in 0..30 {
        post.send(&["dana@b.example"]).await;
    }
    post.deliver().await;
    assert_eq!(post.sink.received().len(), 35);
    assert!(post.sink.connections() <= 10, "{}", post.sink.connections());
    post.close().await;
}

#[tokio::test]
async fn a_kept_connection_that_has_died_is_replaced_without_an_attempt_lost() {
    let post = Post::direct().await;
    post.send(&["dana@b.example"]).await;
    post.deliver().await;
    for ending in ["421 4.4.2 idle for too long", HANG_UP] {
        post.sink.script("MAIL", ending, 1);
        let id = post.send(&["dana@b.example"]).await;
        post.deliver().await;
        let entry = post.entry(&id, "dana@b.example").await;
        assert_eq!((&entry["status"], &entry["attempts"]), (&"delivered".into(), &1.into()), "{ending}");
    }
    assert_eq!(post.sink.connections(), 3);
    post.close().await;
}

#[tokio::test]
async fn the_next_exchanger_takes_what_the_first_cannot() {
    let post = Post::direct().await;
    let second = SmtpSink::at(Ipv4Addr::new(127, 0, 0, 2), post.sink.address.port()).await;
    post.exchanger("b.example", 20, "mx2.b.example", second.address.ip());
    for (begins, reply) in [
        (GREETING, "554 5.7.1 not today"),
        (GREETING, HANG_UP),
        (GREETING, "421 4.3.2 too busy"),
        (END_OF_DATA, "421 4.3.0 out of disk"),
    ] {
        post.sink.script(begins, reply, 1);
        let before = second.received().len();
        let id = post.send(&["dana@b.example"]).await;
        post.deliver().await;
        assert_eq!(second.received().len(), before + 1, "{begins}: {reply}");
        assert_eq!(post.entry(&id, "dana@b.example").await["remote"], "mx2.b.example [127.0.0.2]");
    }
    post.close().await;
}

/// RFC 5321 §5.1. Nobody else is asked at once: the server may have taken the message.
#[tokio::test]
async fn an_exchanger_that_breaks_off_within_the_text_lets_the_next_have_the_next_attempt() {
    let post = Post::direct().await;
    let second = SmtpSink::at(Ipv4Addr::new(127, 0, 0, 2), post.sink.address.port()).await;
    post.exchanger("b.example", 20, "mx2.b.example", second.address.ip());
    post.sink.always(END_OF_DATA, HANG_UP);
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    assert_eq!((post.message(&id).await["status"].clone(), second.connections()), (json!("queued"), 0));
    post.advance(60_000).await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!(
        (&entry["status"], &entry["remote"]),
        (&json!("delivered"), &json!("mx2.b.example [127.0.0.2]")),
        "{entry}"
    );
    assert_eq!(post.sink.connections(), 1);
    post.close().await;
}

#[tokio::test]
async fn a_refused_port_is_no_end() {
    let post = Post::direct().await;
    post.exchanger("c.example", 10, "dead.c.example", IpAddr::from([127, 0, 0, 77]));
    post.exchanger("c.example", 20, "mx.c.example", post.sink.address.ip());
    let id = post.send(&["dana@c.example"]).await;
    post.deliver().await;
    assert_eq!(post.message(&id).await["status"], "delivered");
    post.close().await;
}

#[tokio::test]
async fn without_mx_records_the_domains_own_address_is_used() {
    let post = Post::direct().await;
    post.server.dns.address("plain.example", post.sink.address.ip());
    let id = post.send(&["dana@plain.example"]).await;
    post.deliver().await;
    assert_eq!(post.entry(&id, "dana@plain.example").await["remote"], "plain.example [127.0.0.1]");
    post.close().await;
}

#[tokio::test]
async fn tls_is_used_where_it_is_offered_whatever_the_certificate() {
    let post = Post::direct().await;
    post.sink.offer_tls(Some(tls::server_config(post.server.config()).unwrap()));
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    assert!(post.sink.received()[0].encrypted);
    let tls = &post.entry(&id, "dana@b.example").await["tls"];
    assert_eq!(tls["version"], "TLSv1.3", "{tls}");
    assert!(tls["cipher"].as_str().unwrap().starts_with("TLS_AES_"), "{tls}");
    assert_eq!(tls["verified"], false, "the certificate is self-signed: {tls}");
    post.close().await;
}

#[tokio::test]
async fn a_broken_handshake_is_followed_by_plaintext() {
    let post = Post::direct().await;
    post.sink.offer_tls(None);
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    assert_eq!(post.message(&id).await["status"], "delivered");
    assert!(!post.sink.received()[0].encrypted);
    assert_eq!(post.entry(&id, "dana@b.example").await["tls"], serde_json::Value::Null);
    assert_eq!(post.sink.connections(), 2);
    post.close().await;
}

#[tokio::test]
async fn what_nobody_takes_expires_at_the_end_of_the_schedule() {
    let post = Post::direct().await;
    post.sink.always("RCPT", "451 4.7.1 try later");
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    post.advance(60_000).await;
    assert_eq!(post.entry(&id, "dana@b.example").await["status"], "queued");
    post.advance(120_000).await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&"bounced".into(), &"5.4.7".into()), "{entry}");
    assert_eq!((&entry["smtp_code"], &entry["attempts"]), (&451.into(), &3.into()));
    assert_eq!(entry["class"], "expired");
    assert!(entry["detail"].as_str().unwrap().starts_with("expired: not delivered in 3 attempts"), "{entry}");
    assert_eq!(post.message(&id).await["status"], "bounced");
    let log = post.log().await;
    assert_eq!(log.len(), 1);
    assert_eq!(log[0]["data"]["bounce"]["type"], "soft", "{}", log[0]);
    let again = post.send(&["dana@b.example"]).await;
    assert_eq!(post.message(&again).await["status"], "queued", "an address that was not reached is not suppressed");
    post.advance(0).await;
    post.advance(180_000).await;
    post.advance(180_000).await;
    post.close().await;
}

#[tokio::test]
async fn bounces_of_a_domain_that_only_sends_come_to_the_default_domain() {
    for (default, receiving, expected) in [
        ("agents.post.example", true, "acme.example"),
        ("agents.post.example", false, "agents.post.example"),
        // Nobody finds that one.
        ("agents.localhost", false, "acme.example"),
    ] {
        let sink = SmtpSink::start().await;
        let port = sink.address.port();
        let post = Post::with(sink, move |config| {
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = port;
            config.smtp.hostname = "mx.post.example".to_owned();
            config.mail.default_domain = default.to_owned();
        })
        .await;
        post.exchanger("b.example", 10, "mx1.b.example", post.sink.address.ip());
        let body = json!({ "domain": "acme.example", "receiving": receiving });
        let domain = post.api.post("/v1/domains", body).await.expect(201);
        let path = format!("/v1/domains/{}", domain.text("id"));
        post.server.dns.import(post.api.get(&format!("{path}/zone-file")).await.expect(200).text("content"));
        post.api.post_empty(&format!("{path}/verify")).await.expect(200);
        let inbox = post.api.post("/v1/inboxes", json!({ "username": "desk", "domain": "acme.example" })).await;
        let path = format!("/v1/inboxes/{}/messages", inbox.expect(201).text("id"));
        let letter = json!({ "to": "dana@b.example", "subject": "Hello", "text": "Hello." });
        let id = post.api.post(&path, letter).await.expect(202).text("id").to_owned();
        post.deliver().await;
        let mail = post.sink.received()[0].mail.clone();
        assert!(mail.contains(&format!("@{expected}>")), "{mail}");

        let (_, return_path) = mail.split_once('<').and_then(|(a, rest)| Some((a, rest.split_once('>')?.0))).unwrap();
        let verdict = receive::recipient(post.server.app(), &Address::parse(return_path).unwrap()).await.unwrap();
        assert_eq!(verdict, receive::RecipientVerdict::Accept, "it leads home: {return_path}");
        assert_eq!(post.message(&id).await["status"], "delivered");
        post.close().await;
    }
}
