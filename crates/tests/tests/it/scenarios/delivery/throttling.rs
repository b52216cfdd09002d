//! Throttling per destination, source addresses and IP versions.

use std::net::{IpAddr, Ipv6Addr};

use posthouse_app::settings::{DeliveryMode, SourceAddress};
use posthouse_domain::{delivery::IpPreference, time::SECOND_MS};
use posthouse_tests::smtp_sink::{GREETING, SmtpSink};

use super::DeliveryFixture;

/// A server with a retry schedule of seconds and these changes.
async fn with_short_schedule(
    change: impl FnOnce(&mut posthouse_app::settings::DeliveryConfig) + 'static,
) -> DeliveryFixture {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let fixture = DeliveryFixture::with(sink, move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
        config.delivery.retry_schedule_ms = vec![SECOND_MS; 600];
        change(&mut config.delivery);
    })
    .await;
    fixture.add_exchanger("b.example", 10, "mx1.b.example", fixture.sink.address.ip());
    fixture
}

#[tokio::test]
async fn a_server_that_defers_everything_gets_fewer_attempts_and_later_all_messages() {
    let fixture = with_short_schedule(|_| {}).await;
    fixture.sink.always(GREETING, "421 4.7.0 too many connections from you");
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let mut seen = vec![fixture.sink.connections()];
    for _ in 0..60 {
        fixture.advance(SECOND_MS).await;
        seen.push(fixture.sink.connections());
    }
    assert_eq!(seen[..4], [1, 2, 3, 4], "first attempts follow the schedule");
    let last = *seen.last().unwrap();
    assert!((7..=11).contains(&last), "of sixty due attempts, these were made: {seen:?}");
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["attempts"]), (&"queued".into(), &last.into()), "{entry}");
    assert_eq!(entry["detail"], "too many connections from you", "the last reply of the server is kept");

    let waits = fixture.send(&["eve@b.example"]).await;
    fixture.deliver().await;
    let entry = fixture.entry(&waits, "eve@b.example").await;
    assert_eq!((&entry["status"], &entry["attempts"]), (&"queued".into(), &0.into()), "{entry}");
    assert!(entry["detail"].as_str().unwrap().starts_with("waiting: mx1.b.example"), "{entry}");
    let metrics = fixture.server.service().metrics.text();
    assert!(metrics.contains("posthouse_destination_attempts_total{provider=\"other\",outcome=\"pushed_back\"}"));

    fixture.sink.clear_script();
    for _ in 0..300 {
        fixture.advance(SECOND_MS).await;
    }
    for id in [&id, &waits] {
        assert_eq!(fixture.message(id).await["status"], "delivered");
    }
    fixture.close().await;
}

#[tokio::test]
async fn a_message_to_a_throttled_server_still_expires_on_schedule() {
    let fixture = with_short_schedule(|delivery| delivery.retry_schedule_ms = vec![SECOND_MS; 12]).await;
    fixture.sink.always(GREETING, "421 4.3.2 not now");
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    for _ in 0..12 {
        fixture.advance(SECOND_MS).await;
    }
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["smtp_code"]), (&"bounced".into(), &421.into()), "{entry}");
    assert!(entry["detail"].as_str().unwrap().starts_with("expired: not delivered after"), "{entry}");
    fixture.close().await;
}

#[tokio::test]
async fn a_throttled_exchanger_is_skipped_for_the_next() {
    let fixture = with_short_schedule(|_| {}).await;
    let second = SmtpSink::at(SmtpSink::SECOND, fixture.sink.address.port()).await;
    fixture.add_exchanger("b.example", 20, "mx2.b.example", second.address.ip());
    fixture.sink.always(GREETING, "421 4.3.2 not now");
    for _ in 0..10 {
        let id = fixture.send(&["dana@b.example"]).await;
        fixture.advance(100).await;
        assert_eq!(fixture.message(&id).await["status"], "delivered");
    }
    assert!(fixture.sink.connections() < 10 && second.received().len() == 10);
    fixture.close().await;
}

#[tokio::test]
async fn greylisting_has_its_own_schedule_and_retries_the_same_server() {
    let fixture = with_short_schedule(|delivery| {
        delivery.retry_schedule_ms = vec![3_600_000, 7_200_000];
        delivery.greylist_schedule_ms = vec![60_000, 120_000];
    })
    .await;
    let second = SmtpSink::at(SmtpSink::SECOND, fixture.sink.address.port()).await;
    fixture.add_exchanger("b.example", 10, "mx2.b.example", second.address.ip());
    for sink in [&fixture.sink, &second] {
        sink.script("RCPT", "451 4.7.1 Greylisting in action, please come back later", 2);
    }
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let first = fixture.entry(&id, "dana@b.example").await["remote"].clone();
    for (wait, attempts) in [(59_999, 1), (1, 2), (119_999, 2)] {
        fixture.advance(wait).await;
        let entry = fixture.entry(&id, "dana@b.example").await;
        assert_eq!((&entry["attempts"], &entry["remote"]), (&attempts.into(), &first), "{entry}");
    }
    fixture.advance(1).await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["remote"]), (&"delivered".into(), &first), "{entry}");
    fixture.close().await;
}

#[tokio::test]
async fn a_retry_delay_named_by_the_server_is_respected() {
    let fixture = with_short_schedule(|delivery| delivery.retry_schedule_ms = vec![3_600_000]).await;
    fixture.sink.script("RCPT", "450 4.2.0 Greylisted, try again in 20 seconds", 1);
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    fixture.advance(19_999).await;
    assert_eq!(fixture.message(&id).await["status"], "queued");
    fixture.advance(1).await;
    assert_eq!(fixture.message(&id).await["status"], "delivered");
    fixture.close().await;
}

#[tokio::test]
async fn connections_use_the_configured_source_addresses_and_helo_names() {
    let fixture = with_short_schedule(|delivery| {
        let address = |last| IpAddr::from([127, 0, 0, last]);
        delivery.helo_name = Some("out.example.net".to_owned());
        delivery.sources = vec![
            SourceAddress { address: address(21), helo: None },
            SourceAddress { address: address(22), helo: Some("out22.example.net".to_owned()) },
        ];
    })
    .await;
    for domain in ["b.example", "c.example", "d.example", "e.example"] {
        fixture.add_exchanger(domain, 10, "mx1.b.example", fixture.sink.address.ip());
        for _ in 0..2 {
            fixture.send(&[&format!("dana@{domain}")]).await;
        }
    }
    fixture.deliver().await;
    let received = fixture.sink.received();
    assert_eq!(received.len(), 8);
    let mut used = Vec::new();
    for mail in &received {
        let expected = if mail.from == IpAddr::from([127, 0, 0, 22]) { "out22.example.net" } else { "out.example.net" };
        assert_eq!(mail.hello, expected);
        used.push((mail.recipients[0].clone(), mail.from));
    }
    used.sort();
    used.dedup();
    assert_eq!(used.len(), 4, "each destination sees one address, so that greylisting recognizes it: {used:?}");
    let both = |last| used.iter().any(|(_, from)| *from == IpAddr::from([127, 0, 0, last]));
    assert!(both(21) && both(22), "{used:?}");
    fixture.close().await;
}

#[tokio::test]
async fn the_other_ip_version_is_a_fallback_and_can_be_disabled() {
    // No server listens there.
    let nowhere = IpAddr::from(Ipv6Addr::LOCALHOST);
    for (choice, delivered) in
        [(IpPreference::PreferV4, true), (IpPreference::PreferV6, true), (IpPreference::OnlyV6, false)]
    {
        let mut fixture = with_short_schedule(move |delivery| delivery.ip_choice = choice).await;
        fixture.server.dns.address("mx1.b.example", nowhere);
        let id = fixture.send(&["dana@b.example"]).await;
        fixture.deliver().await;
        let status = fixture.message(&id).await["status"].clone();
        assert_eq!(status == "delivered", delivered, "{choice:?}: {status}");
        if !delivered {
            fixture.server.allow().queued();
        }
        fixture.close().await;
    }
    let mut fixture = with_short_schedule(|delivery| delivery.ip_choice = IpPreference::OnlyV6).await;
    fixture.server.allow().queued();
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&"queued".into(), &"4.4.1".into()), "{entry}");
    assert!(entry["detail"].as_str().unwrap().contains("delivery.ip_preference"), "{entry}");
    fixture.close().await;
}
