//! Delivery through a relay.

use posthouse_app::{
    settings::{DeliveryMode, Relay},
    tls,
};
use posthouse_tests::smtp_sink::SmtpSink;

use super::DeliveryFixture;

/// A server that delivers through a relay with authentication.
async fn behind_relay() -> DeliveryFixture {
    let sink = SmtpSink::start().await;
    sink.offer("AUTH PLAIN LOGIN");
    let port = sink.address.port();
    DeliveryFixture::with(sink, move |config| {
        let credentials = Some(("user".to_owned(), "p@ss".to_owned()));
        let relay = Relay { host: "127.0.0.1".to_owned(), port, credentials, implicit_tls: false };
        config.delivery.mode = DeliveryMode::Relay(relay);
        config.delivery.retry_schedule_ms = vec![60_000, 120_000];
    })
    .await
}

#[tokio::test]
async fn a_relay_gets_the_credentials_and_its_250_is_not_a_delivery() {
    let fixture = behind_relay().await;
    let id = fixture.send(&["dana@b.example", "eve@c.example"]).await;
    fixture.deliver().await;
    let received = fixture.sink.received();
    assert_eq!(received.len(), 2, "one envelope per destination");
    assert_eq!(received[0].auth.as_deref(), Some("AHVzZXIAcEBzcw=="));
    assert_eq!(fixture.message(&id).await["status"], "sent");
    assert_eq!(fixture.events().await, ["message.sent"]);
    fixture.close().await;
}

#[tokio::test]
async fn a_relay_that_offers_tls_gets_the_password_over_tls() {
    let fixture = behind_relay().await;
    fixture.sink.offer_tls(Some(tls::server_config(fixture.server.config()).unwrap()));
    fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let received = fixture.sink.received();
    assert!(received[0].encrypted && received[0].auth.is_some(), "{received:?}");
    fixture.close().await;
}

#[tokio::test]
async fn a_relay_that_rejects_this_server_causes_no_bounce() {
    let mut fixture = behind_relay().await;
    fixture.server.allow().log_error("delivery.relay_login_failed").log_error("delivery.relay_refused");
    fixture.sink.script("AUTH", "535 5.7.8 wrong password", 1);
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["smtp_code"]), (&"queued".into(), &535.into()), "{entry}");
    assert!(entry["detail"].as_str().unwrap().contains("login of delivery.relay_url"), "{entry}");
    fixture.sink.script("RCPT", "554 5.7.1 Relay access denied", 1);
    fixture.advance(60_000).await;
    assert_eq!(fixture.entry(&id, "dana@b.example").await["status"], "queued");
    fixture.advance(120_000).await;
    assert_eq!(fixture.message(&id).await["status"], "sent");
    fixture.close().await;
}

#[tokio::test]
async fn messages_to_a_signing_relay_can_be_unsigned() {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let fixture = DeliveryFixture::with(sink, move |config| {
        let relay = Relay { host: "127.0.0.1".to_owned(), port, credentials: None, implicit_tls: false };
        config.delivery.mode = DeliveryMode::Relay(relay);
        config.delivery.sign = false;
    })
    .await;
    fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let received = fixture.sink.received();
    assert!(!received[0].data.contains("DKIM-Signature"), "{}", received[0].data);
    fixture.close().await;
}
