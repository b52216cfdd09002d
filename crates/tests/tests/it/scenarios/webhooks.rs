//! Webhook delivery: retries, ordering, isolation, crashes, and disabling a dead webhook.

use posthouse_app::{ports::Clock, service::Service};
use posthouse_domain::time::{DAY_MS, Time};
use posthouse_tests::{ServerOptions, TestMessage, TestServer, WebhookReply, WebhookSink};
use serde_json::{Value, json};

use crate::routes::webhooks::WebhookFixture;

/// A number of requests that takes long enough for a due attempt to be made.
const REQUESTS_TO_WAIT: usize = 500;

/// Returns the subjects of the messages that arrived, in order.
fn subjects(sink: &WebhookSink) -> Vec<String> {
    let subject = |event: Value| event["data"]["message"]["subject"].as_str().unwrap_or("-").to_owned();
    sink.posts().iter().map(|post| subject(post.json())).collect()
}

#[tokio::test]
async fn a_failed_event_is_tried_nine_times_with_exponential_backoff() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    fixture.sink.always(WebhookReply::Status(503, String::new()));
    let started = fixture.server.clock.now();
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    let mut times = vec![fixture.server.clock.now()];
    while let Some(next) = fixture.attempts(&made).await[0]["next_attempt_at"].as_str() {
        let next = Time::parse(next).unwrap();
        let before = fixture.sink.posts().len();
        fixture.server.clock.set(next.plus_ms(-1));
        fixture.server.settle().await;
        assert_eq!(fixture.sink.posts().len(), before, "not before it is due");
        fixture.server.clock.set(next);
        fixture.server.settle().await;
        times.push(next);
    }
    assert_eq!((times.len(), fixture.sink.posts().len()), (9, 9));
    for (k, pair) in times.windows(2).enumerate() {
        let exact = 680_000.0 * 1.778_f64.powi(k as i32);
        let gap = pair[1].since_ms(pair[0]) as f64;
        assert!((gap - exact).abs() <= exact * 0.05, "gap {k}: {gap} against {exact}");
    }
    let hours = fixture.server.clock.now().since_ms(started) as f64 / 3_600_000.0;
    assert!((22.8..25.2).contains(&hours), "{hours}");
    fixture.server.advance(10 * DAY_MS).await;
    assert_eq!(fixture.sink.posts().len(), 9, "no further attempt");
    let signatures: Vec<_> =
        fixture.sink.posts().iter().map(|post| post.header("x-service-timestamp").map(str::to_owned)).collect();
    assert!(signatures.windows(2).all(|pair| pair[0] < pair[1]), "each attempt is signed at its time");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_response_that_exceeds_the_timeout_is_a_failure() {
    for reply in [WebhookReply::Silence, WebhookReply::Drip] {
        let fixture = WebhookFixture::new().await;
        let made = fixture.webhook(json!({})).await;
        fixture.sink.next(reply);
        fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
        let started = fixture.server.clock.now();
        let (server, sink) = (&fixture.server, &fixture.sink);
        let timeout = async {
            sink.wait_for_requests(1).await;
            let until = server.clock.wait_for_deadline(started.plus_ms(60_000)).await;
            assert_eq!(until.since_ms(started), 10_000, "the limit is ten seconds in all");
            server.clock.set(until);
        };
        tokio::join!(fixture.server.settle(), timeout);
        let attempt = fixture.attempts(&made).await[0].clone();
        assert_eq!((&attempt["status"], &attempt["duration_ms"]), (&json!("failed"), &json!(10_000)));
        assert!(attempt["error"].as_str().is_some_and(|error| error.contains("10000 ms")), "{attempt}");
        fixture.server.advance(720_000).await;
        assert_eq!(fixture.attempts(&made).await[0]["status"], "succeeded");
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn held_events_follow_the_resume_event_in_order() {
    let fixture = WebhookFixture::new().await;
    fixture.webhook(json!({ "events": ["message.received", "inbox.paused", "inbox.resumed"] })).await;
    let path = format!("/v1/inboxes/{}", fixture.inbox.id);
    fixture.api.post_empty(&format!("{path}/pause")).await.expect(200);
    let sent: Vec<String> = (0..40).map(|n| format!("number {n}")).collect();
    for subject in &sent {
        fixture.server.deliver(&TestMessage::new(subject, "text"), &fixture.inbox.address).await;
    }
    fixture.server.settle().await;
    assert_eq!(fixture.sink.kinds(), ["inbox.paused"], "no events of a paused inbox");
    fixture.server.advance(1_000).await;
    fixture.api.post_empty(&format!("{path}/resume")).await.expect(200);
    fixture.server.settle().await;
    assert_eq!(fixture.sink.kinds()[1], "inbox.resumed");
    assert_eq!(subjects(&fixture.sink)[2..], sent);
    fixture.server.finish().await;
}

#[tokio::test]
async fn events_of_a_thread_stay_in_order() {
    let fixture = WebhookFixture::new().await;
    fixture.webhook(json!({ "events": ["message.sent", "message.delivered"] })).await;
    let other = fixture.server.inbox(&fixture.key).await;
    for n in 0..10 {
        fixture.server.clock.advance(1);
        let body = json!({ "to": other.address, "subject": format!("{n}"), "text": "text" });
        fixture.api.post(&format!("/v1/inboxes/{}/messages", fixture.inbox.id), body).await.expect(202);
    }
    fixture.server.settle().await;
    let posts: Vec<Value> = fixture.sink.posts().iter().map(|post| post.json()).collect();
    assert_eq!(posts.len(), 20);
    for n in 0..10 {
        let of = posts.iter().filter(|event| event["data"]["message"]["subject"] == format!("{n}"));
        let kinds: Vec<&Value> = of.map(|event| &event["type"]).collect();
        assert_eq!(kinds, ["message.sent", "message.delivered"], "{n}");
    }
    fixture.server.finish().await;
}

/// Each run has its own memory, like separate processes.
#[tokio::test]
async fn events_of_a_thread_stay_in_order_with_two_workers_and_after_a_crash() {
    let fixture = WebhookFixture::new().await;
    fixture.webhook(json!({ "events": ["message.received"] })).await;
    let (app, to) = (fixture.server.service().clone(), &fixture.inbox.address);
    let delay = async || {
        for _ in 0..REQUESTS_TO_WAIT {
            fixture.api.get("/v1/account").await.expect(200);
        }
    };
    fixture.sink.next(WebhookReply::Silence);
    fixture.server.deliver(&TestMessage::new("1", "text").with("Message-ID", "<1@x.example>"), to).await;
    let first = tokio::spawn({
        let app = app.clone();
        async move { posthouse_app::webhooks::dispatch::run_due(&app).await }
    });
    fixture.sink.wait_for_requests(1).await;
    fixture.server.deliver(&TestMessage::new("2", "text").with("In-Reply-To", "<1@x.example>"), to).await;
    posthouse_app::webhooks::dispatch::run_due(&app).await.unwrap();
    assert_eq!(subjects(&fixture.sink), ["1"], "another worker waits for it");
    first.abort();
    fixture.server.clock.advance(59_000);
    posthouse_app::webhooks::dispatch::run_due(&app).await.unwrap();
    assert_eq!(subjects(&fixture.sink), ["1"], "its lease has not expired");
    fixture.sink.next(WebhookReply::Silence);
    fixture.server.clock.advance(1_000);
    let started = fixture.server.clock.now();
    let second_timeout = async {
        fixture.sink.wait_for_requests(2).await;
        delay().await;
        assert_eq!(subjects(&fixture.sink), ["1", "1"], "the interrupted attempt is repeated first, and alone");
        let until = fixture.server.clock.wait_for_deadline(started.plus_ms(60_000)).await;
        fixture.server.clock.set(until);
    };
    tokio::join!(fixture.server.settle(), second_timeout);
    assert_eq!(subjects(&fixture.sink), ["1", "1", "2"]);
    fixture.server.advance(720_000).await;
    assert_eq!(subjects(&fixture.sink), ["1", "1", "2", "1"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_dead_receiver_delays_neither_others_nor_receiving() {
    let fixture = WebhookFixture::new().await;
    let (dead, slow) = (WebhookSink::start().await, WebhookSink::start().await);
    dead.always(WebhookReply::Status(500, String::new()));
    slow.always(WebhookReply::Silence);
    for sink in [&dead, &slow, &fixture.sink] {
        fixture.api.post("/v1/webhooks", json!({ "url": sink.url() })).await.expect(201);
    }
    for n in 0..30 {
        fixture.server.deliver(&TestMessage::new(&format!("{n}"), "text"), &fixture.inbox.address).await;
    }
    let (server, sink) = (&fixture.server, &fixture.sink);
    let deadline = server.clock.now().plus_ms(10_000);
    let all_arrived = async {
        sink.wait_for_requests(30).await;
        assert!(server.clock.now() < deadline, "it needs no clock time");
        server.deliver(&TestMessage::new("still accepted", "text"), &fixture.inbox.address).await;
    };
    let app: &std::sync::Arc<Service> = server.service();
    tokio::select! {
        () = all_arrived => {}
        _ = posthouse_app::webhooks::dispatch::run_due(app) => panic!("the slow receiver must only delay its own queue"),
    }
    assert_eq!(sink.posts().len(), 30);
    assert!(slow.posts().len() <= 16, "concurrent requests: {}", slow.posts().len());
    drop(slow);
    fixture.server.clock.advance(120_000);
    fixture.server.settle().await;
    // The worker of this test was aborted, so its unfinished attempts are repeated.
    let mut arrived = subjects(sink);
    arrived.sort();
    arrived.dedup();
    assert_eq!((arrived.len(), arrived.last().map(String::as_str)), (31, Some("still accepted")));
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_interrupted_attempt_is_repeated_with_the_same_id() {
    let mut fixture = WebhookFixture::new().await;
    fixture.webhook(json!({})).await;
    fixture.sink.next(WebhookReply::Silence);
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    tokio::select! {
        () = fixture.sink.wait_for_requests(1) => {}
        () = fixture.server.settle() => panic!("it must wait for the response"),
    }
    fixture.server.crash().await;
    fixture.server.advance(60_000).await;
    let posts = fixture.sink.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!(posts[0].header("webhook-id"), posts[1].header("webhook-id"));
    assert_eq!(posts[0].body, posts[1].body);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_webhook_that_fails_for_five_days_is_disabled() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    let is_enabled = async || fixture.api.get(&path).await.expect(200)["enabled"].clone();
    fixture.sink.always(WebhookReply::Status(500, String::new()));
    let fail_for = async |days: i64| {
        for _ in 0..days {
            fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
            fixture.server.advance(DAY_MS).await;
        }
    };
    fail_for(4).await;
    fixture.sink.next(WebhookReply::Status(200, String::new()));
    fixture.api.post_empty(&format!("{path}/test")).await.expect(202);
    fixture.server.settle().await;
    fail_for(4).await;
    assert_eq!(is_enabled().await, true, "a success restarts the five days");
    fail_for(2).await;
    assert_eq!(is_enabled().await, false);
    let sent =
        fixture.api.get(&format!("/v1/inboxes/{}/messages?direction=outbound", fixture.inbox.id)).await.expect(200);
    let [notice] = sent.data() else { panic!("the owner gets one notice: {sent}") };
    assert_eq!((&notice["to"], &notice["subject"]), (&json!(["owner@example.org"]), &json!("A webhook was disabled")));
    assert_eq!(notice["headers"]["auto-submitted"], "auto-generated");
    assert!(notice["text"].as_str().is_some_and(|text| text.contains(&fixture.sink.url())), "{notice}");
    let before = fixture.sink.posts().len();
    fixture.server.deliver(&TestMessage::new("b", "text"), &fixture.inbox.address).await;
    fixture.server.advance(DAY_MS).await;
    assert_eq!(fixture.sink.posts().len(), before, "no further attempt");
    fixture.sink.always(WebhookReply::Status(200, String::new()));
    fixture.api.patch(&path, json!({ "enabled": true })).await.expect(200);
    fixture.server.deliver(&TestMessage::new("c", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    assert_eq!(subjects(&fixture.sink).last().map(String::as_str), Some("c"));
    fixture.server.finish().await;
}

#[tokio::test]
async fn inbox_and_type_filters_select_the_events() {
    let fixture = WebhookFixture::new().await;
    let other = fixture.server.inbox(&fixture.key).await;
    let body = json!({ "inbox_ids": [other.id.to_string()], "events": ["message.received", "inbox.paused"] });
    fixture.webhook(body).await;
    for inbox in [&fixture.inbox, &other] {
        fixture.server.deliver(&TestMessage::new(&inbox.address, "text"), &inbox.address).await;
        fixture.api.post_empty(&format!("/v1/inboxes/{}/pause", inbox.id)).await.expect(200);
        fixture.api.post_empty(&format!("/v1/inboxes/{}/resume", inbox.id)).await.expect(200);
    }
    fixture.server.settle().await;
    let mut kinds = fixture.sink.kinds();
    kinds.sort();
    assert_eq!(kinds, ["inbox.paused", "message.received"]);
    assert!(fixture.sink.posts().iter().all(|post| post.json()["data"]["inbox"]["id"] == other.id.to_string()));
    fixture.server.finish().await;
}

#[tokio::test]
async fn connections_are_reused_for_the_next_event() {
    let fixture = WebhookFixture::new().await;
    fixture.webhook(json!({})).await;
    for n in 0..20 {
        fixture.server.deliver(&TestMessage::new(&format!("{n}"), "text"), &fixture.inbox.address).await;
        fixture.server.settle().await;
    }
    assert_eq!((fixture.sink.posts().len(), fixture.sink.connections()), (20, 1));
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_next_attempt_does_not_wait_for_the_next_poll() {
    let options = ServerOptions::default().configure(|config| config.webhooks.backoff_start_ms = 1_000);
    let fixture = WebhookFixture::on(TestServer::start(options).await).await;
    let made = fixture.webhook(json!({})).await;
    let clock = &fixture.server.clock;
    let worker = tokio::spawn(posthouse_app::webhooks::dispatch::run(fixture.server.service().clone()));
    fixture.sink.next(WebhookReply::Status(500, String::new()));
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    clock.advance_until(100, fixture.sink.wait_for_requests(1)).await;
    let failed = async {
        loop {
            if let Some(next) = fixture.attempts(&made).await[0]["next_attempt_at"].as_str() {
                return Time::parse(next).unwrap();
            }
        }
    };
    clock.set(clock.advance_until(100, failed).await);
    // Enough requests for the attempt to arrive.
    for _ in 0..REQUESTS_TO_WAIT {
        if fixture.attempts(&made).await[0]["status"] == "succeeded" {
            break;
        }
    }
    assert_eq!(fixture.sink.posts().len(), 2, "the second attempt is made when it is due");
    worker.abort();
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_first_backoff_and_the_timeout_are_configurable() {
    let options = ServerOptions::default().configure(|config| {
        config.webhooks.backoff_start_ms = 1_000;
        config.webhooks.timeout_ms = 500;
    });
    let fixture = WebhookFixture::on(TestServer::start(options).await).await;
    let made = fixture.webhook(json!({})).await;
    fixture.sink.next(WebhookReply::Status(500, String::new()));
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    fixture.server.advance(949).await;
    assert_eq!(fixture.sink.posts().len(), 1);
    fixture.server.advance(102).await;
    assert_eq!(fixture.sink.posts().len(), 2);
    assert_eq!(fixture.attempts(&made).await[0]["status"], "succeeded");
    fixture.server.finish().await;
}
