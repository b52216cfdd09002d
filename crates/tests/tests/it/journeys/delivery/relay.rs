//! By one relay.

use posthouse_server::{
    config::{DeliveryMode, Relay},
    tls,
};
use posthouse_tests::smtp_sink::SmtpSink;

use super::Post;

/// A server behind a relay that wants a login.
async fn behind_relay() -> Post {
    let sink = SmtpSink::start().await;
    sink.offer("AUTH PLAIN LOGIN");
    let port = sink.address.port();
    Post::with(sink, move |config| {
        let credentials = Some(("user".to_owned(), "p@ss".to_owned()));
        let relay = Relay { host: "127.0.0.1".to_owned(), port, credentials, implicit_tls: false };
        config.delivery.mode = DeliveryMode::Relay(relay);
        config.delivery.retry_schedule_ms = vec![60_000, 120_000];
    })
    .await
}

#[tokio::test]
async fn a_relay_gets_the_login_and_its_250_is_no_delivery() {
    let post = behind_relay().await;
    let id = post.send(&["dana@b.example", "eve@c.example"]).await;
    post.deliver().await;
    let received = post.sink.received();
    assert_eq!(received.len(), 2, "one envelope a destination");
    assert_eq!(received[0].auth.as_deref(), Some("AHVzZXIAcEBzcw=="));
    assert_eq!(post.message(&id).await["status"], "sent");
    assert_eq!(post.events().await, ["message.sent"]);
    post.close().await;
}

#[tokio::test]
async fn a_relay_that_offers_tls_gets_the_password_over_tls() {
    let post = behind_relay().await;
    post.sink.offer_tls(Some(tls::server_config(post.server.config()).unwrap()));
    post.send(&["dana@b.example"]).await;
    post.deliver().await;
    let received = post.sink.received();
    assert!(received[0].encrypted && received[0].auth.is_some(), "{received:?}");
    post.close().await;
}

#[tokio::test]
async fn a_relay_that_refuses_us_bounces_nothing() {
    let mut post = behind_relay().await;
    post.server.allow().log_error("delivery.relay_login_failed").log_error("delivery.relay_refuses_us");
    post.sink.script("AUTH", "535 5.7.8 wrong password", 1);
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["smtp_code"]), (&"queued".into(), &535.into()), "{entry}");
    assert!(entry["detail"].as_str().unwrap().contains("login of delivery.relay_url"), "{entry}");
    post.sink.script("RCPT", "554 5.7.1 Relay access denied", 1);
    post.advance(60_000).await;
    assert_eq!(post.entry(&id, "dana@b.example").await["status"], "queued");
    post.advance(120_000).await;
    assert_eq!(post.message(&id).await["status"], "sent");
    post.close().await;
}

#[tokio::test]
async fn mail_to_a_relay_that_signs_can_leave_unsigned() {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let post = Post::with(sink, move |config| {
        let relay = Relay { host: "127.0.0.1".to_owned(), port, credentials: None, implicit_tls: false };
        config.delivery.mode = DeliveryMode::Relay(relay);
        config.delivery.sign = false;
    })
    .await;
    post.send(&["dana@b.example"]).await;
    post.deliver().await;
    let received = post.sink.received();
    assert!(!received[0].data.contains("DKIM-Signature"), "{}", received[0].data);
    post.close().await;
}
