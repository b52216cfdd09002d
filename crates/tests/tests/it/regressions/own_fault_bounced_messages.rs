//! A relay that rejected the login, or dead nameservers of this service, bounced all messages at the end of the
//! schedule and suspended the workspace. Such messages fail without any effect on their recipients.

use posthouse_app::settings::{DeliveryMode, Relay};
use posthouse_tests::smtp_sink::{GREETING, HANG_UP, SmtpSink};
use serde_json::{Value, json};

use crate::scenarios::delivery::DeliveryFixture;

/// Number of sends after which bounces can suspend a workspace.
const JUDGED_SENDS: usize = 21;

/// Starts a fixture behind a relay that requires authentication.
async fn behind_relay(relay: SmtpSink) -> DeliveryFixture {
    relay.offer("AUTH PLAIN LOGIN");
    let port = relay.address.port();
    DeliveryFixture::with(relay, move |config| {
        let credentials = Some(("user".to_owned(), "secret".to_owned()));
        let relay = Relay { host: "127.0.0.1".to_owned(), port, credentials, implicit_tls: false };
        config.delivery.mode = DeliveryMode::Relay(relay);
        config.delivery.retry_schedule_ms = vec![60_000, 120_000];
    })
    .await
}

/// Sends messages, retries to the end of the schedule, and returns one delivery entry.
async fn send_and_exhaust_retries(fixture: &DeliveryFixture, count: usize) -> Value {
    let mut last = String::new();
    for _ in 0..count {
        last = fixture.send(&["dana@b.example"]).await;
    }
    fixture.deliver().await;
    for gap in [60_000, 120_000] {
        assert_eq!(fixture.message(&last).await["status"], "queued");
        fixture.advance(gap).await;
    }
    let entry = fixture.entry(&last, "dana@b.example").await;
    assert_eq!(fixture.message(&last).await["status"], entry["status"]);
    entry
}

/// Asserts that the message failed without any effect on the recipient or the workspace.
async fn assert_failed(fixture: &DeliveryFixture, entry: &Value, cause: &str) {
    assert_eq!(
        (&entry["status"], &entry["class"], &entry["attempts"]),
        (&json!("failed"), &json!("system"), &json!(3))
    );
    let detail = entry["detail"].as_str().unwrap();
    assert!(detail.starts_with("not sent: given up after 3 attempts") && detail.contains(cause), "{detail}");
    assert_eq!(fixture.events().await, Vec::<String>::new());
    assert_eq!(fixture.api.get("/v1/suppressions").await.expect(200).data().len(), 0);
    let metrics = fixture.api.get("/v1/metrics").await.expect(200);
    assert_eq!(metrics["totals"]["bounced"], 0, "{metrics}");
    assert_eq!(metrics["deliverability"]["bounce_classes"], json!([]));
    let account = fixture.api.get("/v1/account").await.expect(200);
    assert_eq!(account["workspace"]["status"], "active", "{account}");
    let prometheus = fixture.server.service().metrics.text();
    assert!(prometheus.contains("posthouse_deliveries_total{outcome=\"failed\"}"), "{prometheus}");
    assert!(!prometheus.contains("posthouse_deliveries_total{outcome=\"bounced\"}"), "{prometheus}");
}

#[tokio::test]
async fn a_relay_that_rejects_the_login_bounces_nothing() {
    let mut fixture = behind_relay(SmtpSink::start().await).await;
    fixture.server.allow().log_error("delivery.relay_login_failed");
    fixture.sink.always("AUTH", "535 5.7.8 wrong password");
    let entry = send_and_exhaust_retries(&fixture, JUDGED_SENDS).await;
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(535), &json!("5.7.8")));
    assert_failed(&fixture, &entry, "login of delivery.relay_url: wrong password").await;
    fixture.close().await;
}

#[tokio::test]
async fn an_unreachable_or_denying_relay_bounces_nothing() {
    for (prefix, reply, cause) in [
        (GREETING, HANG_UP, "closed the connection"),
        (GREETING, "421 4.3.2 not now", "not now"),
        ("RCPT", "554 5.7.1 Relay access denied", "the relay refuses this service, not the recipient"),
    ] {
        let mut fixture = behind_relay(SmtpSink::start().await).await;
        fixture.server.allow().log_error("delivery.relay_refused");
        fixture.sink.always(prefix, reply);
        let entry = send_and_exhaust_retries(&fixture, 1).await;
        assert_failed(&fixture, &entry, cause).await;
        fixture.close().await;
    }
}

#[tokio::test]
async fn a_relays_rejection_of_a_recipient_is_a_bounce_after_the_schedule() {
    let fixture = behind_relay(SmtpSink::start().await).await;
    fixture.sink.always("RCPT", "451 4.7.1 try again later");
    let entry = send_and_exhaust_retries(&fixture, 1).await;
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&json!("bounced"), &json!("5.4.7")), "{entry}");
    assert_eq!(fixture.events().await, ["message.bounced"]);
    fixture.close().await;
}

#[tokio::test]
async fn dead_name_servers_of_this_service_bounce_nothing() {
    let mut fixture = DeliveryFixture::direct().await;
    fixture.server.allow().log_error("delivery.no_nameserver");
    fixture.server.dns.fail_all(true);
    let entry = send_and_exhaust_retries(&fixture, JUDGED_SENDS).await;
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(null), &json!("4.4.3")));
    assert_failed(&fixture, &entry, "the nameservers of this service don't answer (dns.nameservers)").await;
    fixture.close().await;
}

#[tokio::test]
async fn a_domain_with_dead_name_servers_bounces() {
    for broken in ["b.example", "mx1.b.example"] {
        let fixture = DeliveryFixture::direct().await;
        fixture.server.dns.fail(broken, true);
        let entry = send_and_exhaust_retries(&fixture, 1).await;
        assert_eq!((&entry["status"], &entry["enhanced_code"]), (&json!("bounced"), &json!("5.4.7")), "{entry}");
        assert_eq!(fixture.events().await, ["message.bounced"]);
        fixture.close().await;
    }
}

#[tokio::test]
async fn an_unavailable_source_address_bounces_nothing() {
    let fixture = DeliveryFixture::with(SmtpSink::start().await, |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.retry_schedule_ms = vec![60_000, 120_000];
        // A documentation address (RFC 5737), which no machine has.
        let address = std::net::IpAddr::from([192, 0, 2, 9]);
        config.delivery.sources = vec![posthouse_app::settings::SourceAddress { address, helo: None }];
    })
    .await;
    fixture.add_exchanger("b.example", 10, "mx1.b.example", fixture.sink.address.ip());
    let entry = send_and_exhaust_retries(&fixture, 1).await;
    assert_failed(&fixture, &entry, "delivery.source_addresses").await;
    fixture.close().await;
}
