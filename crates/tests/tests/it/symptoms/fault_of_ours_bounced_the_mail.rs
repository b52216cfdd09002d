//! A relay that refused our login, or name servers of ours that were dead, bounced everybody's mail at the end of the schedule
//! and suspended the workspace. Such mail has failed: nothing is known against its recipients (decision 19).

use posthouse_server::config::{DeliveryMode, Relay};
use posthouse_tests::smtp_sink::{GREETING, HANG_UP, SmtpSink};
use serde_json::{Value, json};

use crate::journeys::delivery::Post;

/// Sends that are enough to be judged by (API document, States).
const JUDGED_SENDS: usize = 21;

/// Behind a relay that wants a login.
async fn behind(relay: SmtpSink) -> Post {
    relay.offer("AUTH PLAIN LOGIN");
    let port = relay.address.port();
    Post::with(relay, move |config| {
        let credentials = Some(("user".to_owned(), "secret".to_owned()));
        let relay = Relay { host: "127.0.0.1".to_owned(), port, credentials, implicit_tls: false };
        config.delivery.mode = DeliveryMode::Relay(relay);
        config.delivery.retry_schedule_ms = vec![60_000, 120_000];
    })
    .await
}

/// Sends, tries to the end of the schedule, and gives the entry of one.
async fn tried_to_the_end(post: &Post, count: usize) -> Value {
    let mut last = String::new();
    for _ in 0..count {
        last = post.send(&["dana@b.example"]).await;
    }
    post.deliver().await;
    for gap in [60_000, 120_000] {
        assert_eq!(post.message(&last).await["status"], "queued");
        post.advance(gap).await;
    }
    let entry = post.entry(&last, "dana@b.example").await;
    assert_eq!(post.message(&last).await["status"], entry["status"]);
    entry
}

/// The mail failed, and nothing followed from it for the recipient or the workspace.
async fn has_failed(post: &Post, entry: &Value, cause: &str) {
    assert_eq!(
        (&entry["status"], &entry["class"], &entry["attempts"]),
        (&json!("failed"), &json!("system"), &json!(3))
    );
    let detail = entry["detail"].as_str().unwrap();
    assert!(detail.starts_with("not sent: given up after 3 attempts") && detail.contains(cause), "{detail}");
    assert_eq!(post.events().await, Vec::<String>::new());
    assert_eq!(post.api.get("/v1/suppressions").await.expect(200).data().len(), 0);
    let metrics = post.api.get("/v1/metrics").await.expect(200);
    assert_eq!(metrics["totals"]["bounced"], 0, "{metrics}");
    assert_eq!(metrics["deliverability"]["bounce_classes"], json!([]));
    let account = post.api.get("/v1/account").await.expect(200);
    assert_eq!(account["workspace"]["status"], "active", "{account}");
    let prometheus = post.server.app().metrics.text();
    assert!(prometheus.contains("posthouse_deliveries_total{outcome=\"failed\"}"), "{prometheus}");
    assert!(!prometheus.contains("posthouse_deliveries_total{outcome=\"bounced\"}"), "{prometheus}");
}

#[tokio::test]
async fn a_relay_that_refuses_our_login_bounces_nobodys_mail() {
    let mut post = behind(SmtpSink::start().await).await;
    post.server.allow().log_error("delivery.relay_login_failed");
    post.sink.always("AUTH", "535 5.7.8 wrong password");
    let entry = tried_to_the_end(&post, JUDGED_SENDS).await;
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(535), &json!("5.7.8")));
    has_failed(&post, &entry, "login of delivery.relay_url: wrong password").await;
    post.close().await;
}

#[tokio::test]
async fn a_relay_that_is_not_there_or_lets_nobody_relay_bounces_nothing() {
    for (begins, reply, cause) in [
        (GREETING, HANG_UP, "closed the connection"),
        (GREETING, "421 4.3.2 not now", "not now"),
        ("RCPT", "554 5.7.1 Relay access denied", "the relay refuses this service, not the recipient"),
    ] {
        let mut post = behind(SmtpSink::start().await).await;
        post.server.allow().log_error("delivery.relay_refuses_us");
        post.sink.always(begins, reply);
        let entry = tried_to_the_end(&post, 1).await;
        has_failed(&post, &entry, cause).await;
        post.close().await;
    }
}

#[tokio::test]
async fn what_a_relay_says_of_a_recipient_to_the_end_is_a_bounce() {
    let post = behind(SmtpSink::start().await).await;
    post.sink.always("RCPT", "451 4.7.1 try again later");
    let entry = tried_to_the_end(&post, 1).await;
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&json!("bounced"), &json!("5.4.7")), "{entry}");
    assert_eq!(post.events().await, ["message.bounced"]);
    post.close().await;
}

#[tokio::test]
async fn name_servers_of_ours_that_are_dead_bounce_nobodys_mail() {
    let mut post = Post::direct().await;
    post.server.allow().log_error("delivery.no_name_server");
    post.server.dns.fail_all(true);
    let entry = tried_to_the_end(&post, JUDGED_SENDS).await;
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(null), &json!("4.4.3")));
    has_failed(&post, &entry, "the name servers of this service do not answer (dns.nameservers)").await;
    post.close().await;
}

#[tokio::test]
async fn a_domain_whose_own_name_servers_are_dead_bounces() {
    for broken in ["b.example", "mx1.b.example"] {
        let post = Post::direct().await;
        post.server.dns.fail(broken, true);
        let entry = tried_to_the_end(&post, 1).await;
        assert_eq!((&entry["status"], &entry["enhanced_code"]), (&json!("bounced"), &json!("5.4.7")), "{entry}");
        assert_eq!(post.events().await, ["message.bounced"]);
        post.close().await;
    }
}

#[tokio::test]
async fn an_address_of_ours_that_is_gone_bounces_nothing() {
    let post = Post::with(SmtpSink::start().await, |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.retry_schedule_ms = vec![60_000, 120_000];
        // An address of the documentation, which no machine has.
        let address = std::net::IpAddr::from([192, 0, 2, 9]);
        config.delivery.sources = vec![posthouse_server::config::Source { address, helo: None }];
    })
    .await;
    post.exchanger("b.example", 10, "mx1.b.example", post.sink.address.ip());
    let entry = tried_to_the_end(&post, 1).await;
    has_failed(&post, &entry, "delivery.source_addresses").await;
    post.close().await;
}
