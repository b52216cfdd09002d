//! Direct delivery to the mail exchangers of the destination.

use std::net::IpAddr;

use posthouse_app::{
    domains::dkim,
    inbound::{
        authenticate::{SmtpClientFacts, authenticate},
        recipient,
    },
    settings::DeliveryMode,
    tls,
};
use posthouse_mail::address::Address;
use posthouse_tests::smtp_sink::{END_OF_DATA, GREETING, HANG_UP, SmtpSink};
use serde_json::json;

use super::DeliveryFixture;

#[tokio::test]
async fn a_message_is_signed_and_delivered() {
    let fixture = DeliveryFixture::direct().await;
    let id = fixture.send(&["dana@b.example", "Eve <eve@B.example>"]).await;
    fixture.deliver().await;
    let received = fixture.sink.received();
    assert_eq!(received.len(), 2, "one transaction per recipient");
    for mail in &received {
        let path = mail.mail.strip_prefix("MAIL FROM:<bounces+").expect("a return path per recipient");
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
    for record in dkim::prepare(fixture.server.service()).await.unwrap() {
        fixture.server.dns.txt(&record.name, &record.text);
    }
    let from = Address::parse(&fixture.inbox.address).unwrap();
    let client_ip = IpAddr::from([192, 0, 2, 1]);
    let handover = SmtpClientFacts { client_ip, helo: "localhost", mail_from: Some(&from) };
    let raw = mail.data.as_bytes();
    let digest = posthouse_mail::auth::AuthDigest::of(raw, fixture.server.service().clock.now().seconds());
    let results = authenticate(fixture.server.service(), raw, digest, handover).await;
    let passes = results.dkim.iter().filter(|verdict| format!("{:?}", verdict.result) == "Pass").count();
    assert_eq!(passes, 2, "{:?}", results.dkim);

    let message = fixture.message(&id).await;
    assert_eq!(message["status"], "delivered", "{message}");
    assert!(message["sent_at"].is_string());
    let entry = fixture.entry(&id, "eve@b.example").await;
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&250.into(), &"2.0.0".into()));
    assert_eq!((&entry["remote"], &entry["attempts"]), (&"mx1.b.example [127.0.0.1]".into(), &1.into()));
    assert_eq!(fixture.events().await, ["message.sent", "message.delivered", "message.delivered"]);
    fixture.close().await;
}

#[tokio::test]
async fn a_greylisted_message_is_delivered_on_schedule() {
    let fixture = DeliveryFixture::direct().await;
    fixture.sink.script("RCPT TO:<dana@", "450 4.2.0 greylisted, come back", 1);
    let id = fixture.send(&["dana@b.example", "eve@b.example"]).await;
    fixture.deliver().await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["smtp_code"]), (&"queued".into(), &450.into()));
    assert_eq!(entry["class"], "greylisted");
    assert_eq!(entry["detail"], "4.2.0 greylisted, come back".trim_start_matches("4.2.0 "), "{entry}");
    assert_eq!(fixture.entry(&id, "eve@b.example").await["status"], "delivered");
    assert_eq!(fixture.message(&id).await["status"], "queued", "the worse of both statuses");
    fixture.advance(59_999).await;
    assert_eq!(fixture.sink.received().len(), 1, "not before it is due");
    fixture.advance(1).await;
    let received = fixture.sink.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[1].recipients, ["dana@b.example"], "a recipient that has it does not get it again");
    assert_eq!(fixture.message(&id).await["status"], "delivered");
    assert_eq!(fixture.entry(&id, "dana@b.example").await["attempts"], 2);
    assert_eq!(fixture.events().await, ["message.sent", "message.delivered", "message.delivered"]);
    fixture.close().await;
}

#[tokio::test]
async fn every_attempt_is_listed_with_its_answer() {
    let fixture = DeliveryFixture::direct().await;
    fixture.sink.script("RCPT TO:<dana@", "450 4.2.0 greylisted, come back", 1);
    let id = fixture.send(&["dana@b.example", "eve@b.example"]).await;
    let path = format!("/v1/messages/{id}/delivery-attempts");
    assert_eq!(fixture.api.get(&path).await.expect(200).data().len(), 0);
    fixture.deliver().await;
    let first = fixture.api.get(&path).await.expect(200);
    let waiting = &first.data()[0];
    assert_eq!((&waiting["address"], &waiting["outcome"]), (&"dana@b.example".into(), &"retried".into()));
    assert_eq!((&waiting["smtp_code"], &waiting["class"]), (&450.into(), &"greylisted".into()));
    assert_eq!(waiting["detail"], "greylisted, come back");
    assert_eq!(waiting["remote"], "mx1.b.example [127.0.0.1]");
    let due = waiting["next_attempt_at"].as_str().expect("it is tried again");
    assert_eq!(due, fixture.server.service().clock.now().plus_ms(60_000).to_string());
    fixture.advance(60_000).await;
    let all = fixture.api.get(&path).await.expect(200);
    let shown: Vec<_> =
        all.data().iter().map(|one| (one["address"].clone(), one["attempt"].clone(), one["outcome"].clone())).collect();
    let expected = [("dana", 2, "delivered"), ("dana", 1, "retried"), ("eve", 1, "delivered")]
        .map(|(name, attempt, outcome)| (format!("{name}@b.example").into(), attempt.into(), outcome.into()));
    assert_eq!(shown, expected);
    assert_eq!(all.data()[0]["next_attempt_at"], serde_json::Value::Null);
    let page = fixture.api.get(&format!("{path}?limit=2")).await.expect(200);
    let rest = fixture.api.get(&format!("{path}?limit=2&cursor={}", page.text("next_cursor"))).await.expect(200);
    assert_eq!([page.data(), rest.data()].concat(), all.data());
    let stranger = fixture.server.api(&fixture.server.workspace(posthouse_domain::plan::Plan::Team).await);
    stranger.get(&path).await.error("not_found");
    fixture.close().await;
}

#[tokio::test]
async fn messages_to_one_host_share_a_connection() {
    let fixture = DeliveryFixture::direct().await;
    for _ in 0..5 {
        fixture.send(&["dana@b.example"]).await;
        fixture.deliver().await;
    }
    assert_eq!((fixture.sink.received().len(), fixture.sink.connections()), (5, 1));
    for _ in 0..30 {
        fixture.send(&["dana@b.example"]).await;
    }
    fixture.deliver().await;
    assert_eq!(fixture.sink.received().len(), 35);
    assert!(fixture.sink.connections() <= 10, "{}", fixture.sink.connections());
    fixture.close().await;
}

#[tokio::test]
async fn a_dead_pooled_connection_is_replaced_without_counting_an_attempt() {
    let fixture = DeliveryFixture::direct().await;
    fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    for ending in ["421 4.4.2 idle for too long", HANG_UP] {
        fixture.sink.script("MAIL", ending, 1);
        let id = fixture.send(&["dana@b.example"]).await;
        fixture.deliver().await;
        let entry = fixture.entry(&id, "dana@b.example").await;
        assert_eq!((&entry["status"], &entry["attempts"]), (&"delivered".into(), &1.into()), "{ending}");
    }
    assert_eq!(fixture.sink.connections(), 3);
    fixture.close().await;
}

#[tokio::test]
async fn the_next_exchanger_is_used_if_the_first_fails() {
    let fixture = DeliveryFixture::direct().await;
    let second = SmtpSink::at(SmtpSink::SECOND, fixture.sink.address.port()).await;
    fixture.add_exchanger("b.example", 20, "mx2.b.example", second.address.ip());
    for (prefix, reply) in [
        (GREETING, "554 5.7.1 not today"),
        (GREETING, HANG_UP),
        (GREETING, "421 4.3.2 too busy"),
        (END_OF_DATA, "421 4.3.0 out of disk"),
    ] {
        fixture.sink.script(prefix, reply, 1);
        let before = second.received().len();
        let id = fixture.send(&["dana@b.example"]).await;
        fixture.deliver().await;
        assert_eq!(second.received().len(), before + 1, "{prefix}: {reply}");
        assert_eq!(fixture.entry(&id, "dana@b.example").await["remote"], "mx2.b.example [127.0.0.2]");
    }
    fixture.close().await;
}

/// RFC 5321 §5.1. The next exchanger isn't tried at once, because the first may have accepted the message.
#[tokio::test]
async fn after_a_disconnect_during_data_the_next_attempt_uses_the_next_exchanger() {
    let fixture = DeliveryFixture::direct().await;
    let second = SmtpSink::at(SmtpSink::SECOND, fixture.sink.address.port()).await;
    fixture.add_exchanger("b.example", 20, "mx2.b.example", second.address.ip());
    fixture.sink.always(END_OF_DATA, HANG_UP);
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    assert_eq!((fixture.message(&id).await["status"].clone(), second.connections()), (json!("queued"), 0));
    fixture.advance(60_000).await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!(
        (&entry["status"], &entry["remote"]),
        (&json!("delivered"), &json!("mx2.b.example [127.0.0.2]")),
        "{entry}"
    );
    assert_eq!(fixture.sink.connections(), 1);
    fixture.close().await;
}

#[tokio::test]
async fn a_refused_connection_falls_back_to_the_next_exchanger() {
    let fixture = DeliveryFixture::direct().await;
    fixture.add_exchanger("c.example", 10, "dead.c.example", IpAddr::from([127, 0, 0, 77]));
    fixture.add_exchanger("c.example", 20, "mx.c.example", fixture.sink.address.ip());
    let id = fixture.send(&["dana@c.example"]).await;
    fixture.deliver().await;
    assert_eq!(fixture.message(&id).await["status"], "delivered");
    fixture.close().await;
}

#[tokio::test]
async fn without_mx_records_the_domains_own_address_is_used() {
    let fixture = DeliveryFixture::direct().await;
    fixture.server.dns.address("plain.example", fixture.sink.address.ip());
    let id = fixture.send(&["dana@plain.example"]).await;
    fixture.deliver().await;
    assert_eq!(fixture.entry(&id, "dana@plain.example").await["remote"], "plain.example [127.0.0.1]");
    fixture.close().await;
}

#[tokio::test]
async fn tls_is_used_if_offered_with_any_certificate() {
    let fixture = DeliveryFixture::direct().await;
    fixture.sink.offer_tls(Some(tls::server_config(fixture.server.config()).unwrap()));
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    assert!(fixture.sink.received()[0].encrypted);
    let tls = &fixture.entry(&id, "dana@b.example").await["tls"];
    assert_eq!(tls["version"], "TLSv1.3", "{tls}");
    assert!(tls["cipher"].as_str().unwrap().starts_with("TLS_AES_"), "{tls}");
    assert_eq!(tls["verified"], false, "the certificate is self-signed: {tls}");
    fixture.close().await;
}

#[tokio::test]
async fn a_failed_tls_handshake_falls_back_to_plaintext() {
    let fixture = DeliveryFixture::direct().await;
    fixture.sink.offer_tls(None);
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    assert_eq!(fixture.message(&id).await["status"], "delivered");
    assert!(!fixture.sink.received()[0].encrypted);
    assert_eq!(fixture.entry(&id, "dana@b.example").await["tls"], serde_json::Value::Null);
    assert_eq!(fixture.sink.connections(), 2);
    fixture.close().await;
}

#[tokio::test]
async fn an_undelivered_message_expires_at_the_end_of_the_schedule() {
    let fixture = DeliveryFixture::direct().await;
    fixture.sink.always("RCPT", "451 4.7.1 try later");
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    fixture.advance(60_000).await;
    assert_eq!(fixture.entry(&id, "dana@b.example").await["status"], "queued");
    fixture.advance(120_000).await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&"bounced".into(), &"5.4.7".into()), "{entry}");
    assert_eq!((&entry["smtp_code"], &entry["attempts"]), (&451.into(), &3.into()));
    assert_eq!(entry["class"], "expired");
    assert!(entry["detail"].as_str().unwrap().starts_with("expired: not delivered after 3 attempts"), "{entry}");
    assert_eq!(fixture.message(&id).await["status"], "bounced");
    let log = fixture.log().await;
    assert_eq!(log.len(), 1);
    assert_eq!(log[0]["data"]["bounce"]["type"], "soft", "{}", log[0]);
    let again = fixture.send(&["dana@b.example"]).await;
    assert_eq!(fixture.message(&again).await["status"], "queued", "an unreachable address is not suppressed");
    fixture.advance(0).await;
    fixture.advance(180_000).await;
    fixture.advance(180_000).await;
    fixture.close().await;
}

#[tokio::test]
async fn a_send_only_domain_uses_return_paths_of_the_default_domain() {
    for (default, receiving, expected) in [
        ("agents.post.example", true, "acme.example"),
        ("agents.post.example", false, "agents.post.example"),
        // This domain is not reachable from outside.
        ("agents.localhost", false, "acme.example"),
    ] {
        let sink = SmtpSink::start().await;
        let port = sink.address.port();
        let fixture = DeliveryFixture::with(sink, move |config| {
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = port;
            config.hostname = "mx.post.example".to_owned();
            config.mail.default_domain = default.to_owned();
        })
        .await;
        fixture.add_exchanger("b.example", 10, "mx1.b.example", fixture.sink.address.ip());
        let body = json!({ "domain": "acme.example", "receiving": receiving });
        let domain = fixture.api.post("/v1/domains", body).await.expect(201);
        let path = format!("/v1/domains/{}", domain.text("id"));
        fixture.server.dns.import_zone(fixture.api.get(&format!("{path}/zone-file")).await.expect(200).text("content"));
        fixture.api.post_empty(&format!("{path}/verify")).await.expect(200);
        let inbox = fixture.api.post("/v1/inboxes", json!({ "username": "desk", "domain": "acme.example" })).await;
        let path = format!("/v1/inboxes/{}/messages", inbox.expect(201).text("id"));
        let body = json!({ "to": "dana@b.example", "subject": "Hello", "text": "Hello." });
        let id = fixture.api.post(&path, body).await.expect(202).text("id").to_owned();
        fixture.deliver().await;
        let mail = fixture.sink.received()[0].mail.clone();
        assert!(mail.contains(&format!("@{expected}>")), "{mail}");

        let (_, return_path) = mail.split_once('<').and_then(|(a, rest)| Some((a, rest.split_once('>')?.0))).unwrap();
        let verdict =
            recipient::recipient(fixture.server.service(), &Address::parse(return_path).unwrap(), None).await.unwrap();
        let is_accepted = matches!(verdict, recipient::RecipientVerdict::Accept(_));
        assert!(is_accepted, "the service accepts it: {return_path}");
        assert_eq!(fixture.message(&id).await["status"], "delivered");
        fixture.close().await;
    }
}
