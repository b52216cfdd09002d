//! How fast, from where and by which kind of address mail goes to a destination.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use posthouse_domain::{delivery::IpChoice, time::SECOND_MS};
use posthouse_server::config::{DeliveryMode, Source};
use posthouse_tests::smtp_sink::{GREETING, SmtpSink};

use super::Post;

/// A schedule of seconds, and whatever else.
async fn impatient(change: impl FnOnce(&mut posthouse_server::config::Delivery) + 'static) -> Post {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let post = Post::with(sink, move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
        config.delivery.retry_schedule_ms = vec![SECOND_MS; 600];
        change(&mut config.delivery);
    })
    .await;
    post.exchanger("b.example", 10, "mx1.b.example", post.sink.address.ip());
    post
}

#[tokio::test]
async fn a_server_that_always_pushes_back_is_left_alone_longer_and_longer_and_then_gets_everything() {
    let post = impatient(|_| {}).await;
    post.sink.always(GREETING, "421 4.7.0 too many connections from you");
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    let mut seen = vec![post.sink.connections()];
    for _ in 0..60 {
        post.advance(SECOND_MS).await;
        seen.push(post.sink.connections());
    }
    assert_eq!(seen[..4], [1, 2, 3, 4], "at first by the schedule");
    let last = *seen.last().unwrap();
    assert!((7..=11).contains(&last), "sixty attempts were due, these were made: {seen:?}");
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["attempts"]), (&"queued".into(), &last.into()), "{entry}");
    assert_eq!(entry["detail"], "too many connections from you", "the last words of the server stay");

    let waits = post.send(&["eve@b.example"]).await;
    post.deliver().await;
    let entry = post.entry(&waits, "eve@b.example").await;
    assert_eq!((&entry["status"], &entry["attempts"]), (&"queued".into(), &0.into()), "{entry}");
    assert!(entry["detail"].as_str().unwrap().starts_with("waits: mx1.b.example"), "{entry}");
    let metrics = post.server.app().metrics.text();
    assert!(metrics.contains("posthouse_destination_attempts_total{provider=\"other\",outcome=\"pushed_back\"}"));

    post.sink.forget_script();
    for _ in 0..300 {
        post.advance(SECOND_MS).await;
    }
    for id in [&id, &waits] {
        assert_eq!(post.message(id).await["status"], "delivered");
    }
    post.close().await;
}

#[tokio::test]
async fn mail_to_a_server_that_rests_still_ends_with_its_schedule() {
    let post = impatient(|delivery| delivery.retry_schedule_ms = vec![SECOND_MS; 12]).await;
    post.sink.always(GREETING, "421 4.3.2 not now");
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    for _ in 0..12 {
        post.advance(SECOND_MS).await;
    }
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["smtp_code"]), (&"bounced".into(), &421.into()), "{entry}");
    assert!(entry["detail"].as_str().unwrap().starts_with("expired: not delivered in"), "{entry}");
    post.close().await;
}

#[tokio::test]
async fn the_next_exchanger_gets_what_one_that_rests_does_not() {
    let post = impatient(|_| {}).await;
    let second = SmtpSink::at(Ipv4Addr::new(127, 0, 0, 2), post.sink.address.port()).await;
    post.exchanger("b.example", 20, "mx2.b.example", second.address.ip());
    post.sink.always(GREETING, "421 4.3.2 not now");
    for _ in 0..10 {
        let id = post.send(&["dana@b.example"]).await;
        post.advance(100).await;
        assert_eq!(post.message(&id).await["status"], "delivered");
    }
    assert!(post.sink.connections() < 10 && second.received().len() == 10);
    post.close().await;
}

#[tokio::test]
async fn greylisting_has_a_schedule_of_its_own_and_asks_the_same_server_again() {
    let post = impatient(|delivery| {
        delivery.retry_schedule_ms = vec![3_600_000, 7_200_000];
        delivery.greylist_schedule_ms = vec![60_000, 120_000];
    })
    .await;
    let second = SmtpSink::at(Ipv4Addr::new(127, 0, 0, 2), post.sink.address.port()).await;
    post.exchanger("b.example", 10, "mx2.b.example", second.address.ip());
    for sink in [&post.sink, &second] {
        sink.script("RCPT", "451 4.7.1 Greylisting in action, please come back later", 2);
    }
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    let first = post.entry(&id, "dana@b.example").await["remote"].clone();
    for (wait, attempts) in [(59_999, 1), (1, 2), (119_999, 2)] {
        post.advance(wait).await;
        let entry = post.entry(&id, "dana@b.example").await;
        assert_eq!((&entry["attempts"], &entry["remote"]), (&attempts.into(), &first), "{entry}");
    }
    post.advance(1).await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["remote"]), (&"delivered".into(), &first), "{entry}");
    post.close().await;
}

#[tokio::test]
async fn a_server_that_names_its_wait_is_asked_again_then() {
    let post = impatient(|delivery| delivery.retry_schedule_ms = vec![3_600_000]).await;
    post.sink.script("RCPT", "450 4.2.0 Greylisted, try again in 20 seconds", 1);
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    post.advance(19_999).await;
    assert_eq!(post.message(&id).await["status"], "queued");
    post.advance(1).await;
    assert_eq!(post.message(&id).await["status"], "delivered");
    post.close().await;
}

#[tokio::test]
async fn mail_leaves_from_the_address_and_with_the_name_of_the_configuration() {
    let post = impatient(|delivery| {
        let address = |last| IpAddr::from([127, 0, 0, last]);
        delivery.helo_name = Some("out.example.net".to_owned());
        delivery.sources = vec![
            Source { address: address(21), helo: None },
            Source { address: address(22), helo: Some("out22.example.net".to_owned()) },
        ];
    })
    .await;
    for domain in ["b.example", "c.example", "d.example", "e.example"] {
        post.exchanger(domain, 10, "mx1.b.example", post.sink.address.ip());
        for _ in 0..2 {
            post.send(&[&format!("dana@{domain}")]).await;
        }
    }
    post.deliver().await;
    let received = post.sink.received();
    assert_eq!(received.len(), 8);
    let mut used = Vec::new();
    for mail in &received {
        let expected = if mail.from == IpAddr::from([127, 0, 0, 22]) { "out22.example.net" } else { "out.example.net" };
        assert_eq!(mail.hello, expected);
        used.push((mail.recipients[0].clone(), mail.from));
    }
    used.sort();
    used.dedup();
    assert_eq!(used.len(), 4, "a destination sees one address, whoever greylists knows us again: {used:?}");
    let both = |last| used.iter().any(|(_, from)| *from == IpAddr::from([127, 0, 0, last]));
    assert!(both(21) && both(22), "{used:?}");
    post.close().await;
}

#[tokio::test]
async fn the_other_kind_of_address_is_a_fall_back_and_can_be_shut_out() {
    // Nobody listens there.
    let nowhere = IpAddr::from(Ipv6Addr::LOCALHOST);
    for (choice, delivered) in [(IpChoice::PreferV4, true), (IpChoice::PreferV6, true), (IpChoice::OnlyV6, false)] {
        let mut post = impatient(move |delivery| delivery.ip_choice = choice).await;
        post.server.dns.address("mx1.b.example", nowhere);
        let id = post.send(&["dana@b.example"]).await;
        post.deliver().await;
        let status = post.message(&id).await["status"].clone();
        assert_eq!(status == "delivered", delivered, "{choice:?}: {status}");
        if !delivered {
            post.server.allow().queued();
        }
        post.close().await;
    }
    let mut post = impatient(|delivery| delivery.ip_choice = IpChoice::OnlyV6).await;
    post.server.allow().queued();
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&"queued".into(), &"4.4.1".into()), "{entry}");
    assert!(entry["detail"].as_str().unwrap().contains("delivery.ip_preference"), "{entry}");
    post.close().await;
}
