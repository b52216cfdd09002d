//! Permanent failures: by reply of the server, or by DNS.

use std::net::IpAddr;

use posthouse_mail::auth::{DnsAnswer, DnsRecordType, DnsRecords};
use serde_json::{Value, json};

use super::DeliveryFixture;

#[tokio::test]
async fn recipients_have_separate_outcomes_and_unknown_users_are_suppressed() {
    let fixture = DeliveryFixture::direct().await;
    fixture.sink.always("RCPT TO:<gone@", "550 5.1.1 no such user");
    fixture.sink.always("RCPT TO:<policy@", "550 5.7.1 we do not like you");
    let id = fixture.send(&["ok@b.example", "gone@b.example", "policy@b.example"]).await;
    fixture.deliver().await;
    assert_eq!(fixture.entry(&id, "ok@b.example").await["status"], "delivered");
    let gone = fixture.entry(&id, "gone@b.example").await;
    assert_eq!(
        (&gone["status"], &gone["smtp_code"], &gone["enhanced_code"]),
        (&"bounced".into(), &550.into(), &"5.1.1".into())
    );
    assert_eq!(fixture.message(&id).await["status"], "bounced");
    let mut types = fixture.events().await;
    types.sort_unstable();
    assert_eq!(types, ["message.bounced", "message.bounced", "message.delivered", "message.sent"]);
    let log = fixture.log().await;
    let bounce_of = |address: &str| {
        let of = |event: &&Value| event["data"]["bounce"]["recipients"][0]["address"] == address;
        log.iter().find(of).map(|event| event["data"]["bounce"].clone()).unwrap()
    };
    for (address, detail, class) in
        [("gone@b.example", "no such user", "unknown_user"), ("policy@b.example", "we do not like you", "policy")]
    {
        let bounce = bounce_of(address);
        assert_eq!((&bounce["type"], bounce["recipients"].as_array().unwrap().len()), (&json!("hard"), 1));
        let recipient = &bounce["recipients"][0];
        assert_eq!((&recipient["detail"], &recipient["class"]), (&json!(detail), &json!(class)), "{bounce}");
    }
    assert_eq!(
        (&gone["class"], &fixture.entry(&id, "ok@b.example").await["class"]),
        (&json!("unknown_user"), &json!(null))
    );
    let metrics = fixture.api.get("/v1/metrics").await.expect(200);
    let counted = &metrics["deliverability"]["bounce_classes"];
    assert_eq!(*counted, json!([{ "class": "policy", "count": 1 }, { "class": "unknown_user", "count": 1 }]));
    let prometheus = fixture.server.anonymous().get("/metrics").await.to_string();
    assert!(prometheus.contains("posthouse_bounces_total{class=\"unknown_user\"} 1"));
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    let refused = fixture.api.post(&path, json!({ "to": "gone@b.example", "subject": "x", "text": "x" })).await;
    refused.error("recipient_suppressed");
    let allowed = fixture.send(&["policy@b.example"]).await;
    fixture.deliver().await;
    assert_eq!(fixture.message(&allowed).await["status"], "bounced", "a policy rejection may be retried manually");
    fixture.close().await;
}

/// The text of a reply counts more than its code: only addresses that don't work are suppressed.
#[tokio::test]
async fn reply_texts_determine_the_bounce_class() {
    let fixture = DeliveryFixture::direct().await;
    for (name, reply, class, kind, suppressed) in [
        (
            "rate",
            "550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages",
            "rate_limited",
            "soft",
            false,
        ),
        ("full", "552 5.2.2 The recipient's inbox is out of storage space", "mailbox_full", "soft", false),
        ("edge", "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)", "unknown_user", "hard", true),
        (
            "listed",
            "550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus",
            "reputation",
            "hard",
            false,
        ),
        ("closed", "550 5.2.1 The email account that you tried to reach is disabled", "inactive_user", "hard", true),
        ("odd", "550 quota@b.example: your address is on our blocklist", "reputation", "hard", false),
    ] {
        let address = format!("{name}@b.example");
        fixture.sink.always(&format!("RCPT TO:<{name}@"), reply);
        let id = fixture.send(&[&address]).await;
        fixture.deliver().await;
        let entry = fixture.entry(&id, &address).await;
        assert_eq!((&entry["status"], &entry["class"]), (&json!("bounced"), &json!(class)), "{entry}");
        let bounce = &fixture.log().await.pop().unwrap()["data"]["bounce"];
        assert_eq!((&bounce["type"], &bounce["recipients"][0]["class"]), (&json!(kind), &json!(class)), "{bounce}");
        let path = format!("/v1/suppressions?q={address}");
        let found = fixture.api.get(&path).await.expect(200).data().len();
        assert_eq!(found == 1, suppressed, "{reply}");
    }
    fixture.close().await;
}

#[tokio::test]
async fn dns_can_fail_a_message_at_once() {
    let fixture = DeliveryFixture::direct().await;
    let dns = &fixture.server.dns;
    dns.set("null.example", DnsRecordType::Mx, DnsAnswer::Records(DnsRecords::Mx(vec![(0, String::new())])));
    dns.mx("loop.example", 10, "localhost");
    dns.mx("nohost.example", 10, "missing.nohost.example");
    dns.txt("empty.example", "no mail here");
    for (domain, code) in [
        ("null.example", "5.1.10"),
        ("nowhere.example", "5.1.2"),
        ("loop.example", "5.4.6"),
        ("nohost.example", "5.4.4"),
        ("empty.example", "5.4.4"),
    ] {
        let address = format!("dana@{domain}");
        let id = fixture.send(&[&address]).await;
        fixture.deliver().await;
        let entry = fixture.entry(&id, &address).await;
        assert_eq!((&entry["status"], &entry["enhanced_code"]), (&"bounced".into(), &code.into()), "{entry}");
        assert_eq!(entry["smtp_code"], json!(null));
    }
    fixture.close().await;
}

#[tokio::test]
async fn a_dns_failure_is_retried() {
    let fixture = DeliveryFixture::direct().await;
    fixture.server.dns.fail("b.example", true);
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&"queued".into(), &"4.4.3".into()));
    fixture.server.dns.fail("b.example", false);
    fixture.advance(60_000).await;
    assert_eq!(fixture.message(&id).await["status"], "delivered");
    fixture.close().await;
}

#[tokio::test]
async fn private_networks_are_rejected_unless_allowed() {
    let sink = posthouse_tests::smtp_sink::SmtpSink::start().await;
    let port = sink.address.port();
    let fixture = DeliveryFixture::with(sink, move |config| {
        config.delivery.mode = posthouse_app::settings::DeliveryMode::Direct;
        config.delivery.port = port;
        config.delivery.allow_private_networks = false;
    })
    .await;
    fixture.add_exchanger("b.example", 10, "mx.b.example", IpAddr::from([127, 0, 0, 1]));
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&"bounced".into(), &"5.4.4".into()));
    assert!(entry["detail"].as_str().unwrap().contains("delivery.allow_private_networks"), "{entry}");
    assert_eq!(fixture.sink.connections(), 0);
    fixture.close().await;
}
