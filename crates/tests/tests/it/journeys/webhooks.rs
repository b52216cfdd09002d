//! Events on their way to receivers: retries, order, isolation, crashes, the end of a dead webhook (contract §11.3;
//! decision 9).

use posthouse_domain::time::{DAY_MS, Time};
use posthouse_server::{app::App, ports::Clock};
use posthouse_tests::{Letter, Options, Say, TestServer, WebhookSink};
use serde_json::{Value, json};

use crate::routes::webhooks::World;

/// Requests in whose time an attempt that is due is made.
const ENOUGH: usize = 500;

/// The subjects of the messages that arrived, in order.
fn subjects(sink: &WebhookSink) -> Vec<String> {
    let subject = |event: Value| event["data"]["message"]["subject"].as_str().unwrap_or("-").to_owned();
    sink.posts().iter().map(|post| subject(post.json())).collect()
}

#[tokio::test]
async fn a_failed_event_is_tried_nine_times_with_the_gaps_of_the_decision() {
    let world = World::new().await;
    let made = world.webhook(json!({})).await;
    world.sink.always(Say::Status(503, String::new()));
    let began = world.server.clock.now();
    world.server.deliver(&Letter::new("a", "text"), &world.inbox.address).await;
    world.server.settle().await;
    let mut times = vec![world.server.clock.now()];
    while let Some(next) = world.attempts(&made).await[0]["next_attempt_at"].as_str() {
        let next = Time::parse(next).unwrap();
        let before = world.sink.posts().len();
        world.server.clock.set(next.plus_ms(-1));
        world.server.settle().await;
        assert_eq!(world.sink.posts().len(), before, "not before its time");
        world.server.clock.set(next);
        world.server.settle().await;
        times.push(next);
    }
    assert_eq!((times.len(), world.sink.posts().len()), (9, 9));
    for (k, pair) in times.windows(2).enumerate() {
        let exact = 680_000.0 * 1.778_f64.powi(k as i32);
        let gap = pair[1].since_ms(pair[0]) as f64;
        assert!((gap - exact).abs() <= exact * 0.05, "gap {k}: {gap} against {exact}");
    }
    let hours = world.server.clock.now().since_ms(began) as f64 / 3_600_000.0;
    assert!((22.8..25.2).contains(&hours), "{hours}");
    world.server.advance(10 * DAY_MS).await;
    assert_eq!(world.sink.posts().len(), 9, "that was the last");
    let signatures: Vec<_> =
        world.sink.posts().iter().map(|post| post.header("x-service-timestamp").map(str::to_owned)).collect();
    assert!(signatures.windows(2).all(|pair| pair[0] < pair[1]), "each attempt is signed at its time");
    world.server.finish().await;
}

#[tokio::test]
async fn no_answer_in_time_is_a_failure_however_slowly_it_drips() {
    for say in [Say::Silence, Say::Drip] {
        let world = World::new().await;
        let made = world.webhook(json!({})).await;
        world.sink.next(say);
        world.server.deliver(&Letter::new("a", "text"), &world.inbox.address).await;
        let began = world.server.clock.now();
        let (server, sink) = (&world.server, &world.sink);
        let gives_up = async {
            sink.arrived(1).await;
            let until = server.clock.waiting_until(began.plus_ms(60_000)).await;
            assert_eq!(until.since_ms(began), 10_000, "the limit is ten seconds in all");
            server.clock.set(until);
        };
        tokio::join!(world.server.settle(), gives_up);
        let attempt = world.attempts(&made).await[0].clone();
        assert_eq!((&attempt["status"], &attempt["duration_ms"]), (&json!("failed"), &json!(10_000)));
        assert!(attempt["error"].as_str().is_some_and(|error| error.contains("10000 ms")), "{attempt}");
        world.server.advance(720_000).await;
        assert_eq!(world.attempts(&made).await[0]["status"], "succeeded");
        world.server.finish().await;
    }
}

#[tokio::test]
async fn held_events_follow_the_resume_in_the_order_of_arrival() {
    let world = World::new().await;
    world.webhook(json!({ "events": ["message.received", "inbox.paused", "inbox.resumed"] })).await;
    let path = format!("/v1/inboxes/{}", world.inbox.id);
    world.api.post_empty(&format!("{path}/pause")).await.expect(200);
    let sent: Vec<String> = (0..40).map(|n| format!("number {n}")).collect();
    for subject in &sent {
        world.server.deliver(&Letter::new(subject, "text"), &world.inbox.address).await;
    }
    world.server.settle().await;
    assert_eq!(world.sink.kinds(), ["inbox.paused"], "nothing of a paused inbox");
    world.server.advance(1_000).await;
    world.api.post_empty(&format!("{path}/resume")).await.expect(200);
    world.server.settle().await;
    assert_eq!(world.sink.kinds()[1], "inbox.resumed");
    assert_eq!(subjects(&world.sink)[2..], sent);
    world.server.finish().await;
}

#[tokio::test]
async fn an_event_of_a_conversation_never_overtakes_another() {
    let world = World::new().await;
    world.webhook(json!({ "events": ["message.sent", "message.delivered"] })).await;
    let other = world.server.inbox(&world.key).await;
    for n in 0..10 {
        world.server.clock.advance(1);
        let body = json!({ "to": other.address, "subject": format!("{n}"), "text": "text" });
        world.api.post(&format!("/v1/inboxes/{}/messages", world.inbox.id), body).await.expect(202);
    }
    world.server.settle().await;
    let posts: Vec<Value> = world.sink.posts().iter().map(|post| post.json()).collect();
    assert_eq!(posts.len(), 20);
    for n in 0..10 {
        let of = posts.iter().filter(|event| event["data"]["message"]["subject"] == format!("{n}"));
        let kinds: Vec<&Value> = of.map(|event| &event["type"]).collect();
        assert_eq!(kinds, ["message.sent", "message.delivered"], "{n}");
    }
    world.server.finish().await;
}

#[tokio::test]
async fn a_dead_receiver_delays_neither_another_nor_mail() {
    let world = World::new().await;
    let (dead, slow) = (WebhookSink::start().await, WebhookSink::start().await);
    dead.always(Say::Status(500, String::new()));
    slow.always(Say::Silence);
    for sink in [&dead, &slow, &world.sink] {
        world.api.post("/v1/webhooks", json!({ "url": sink.url() })).await.expect(201);
    }
    for n in 0..30 {
        world.server.deliver(&Letter::new(&format!("{n}"), "text"), &world.inbox.address).await;
    }
    let (server, sink) = (&world.server, &world.sink);
    let deadline = server.clock.now().plus_ms(10_000);
    let all_there = async {
        sink.arrived(30).await;
        assert!(server.clock.now() < deadline, "no time had to pass for it");
        server.deliver(&Letter::new("still taken", "text"), &world.inbox.address).await;
    };
    let app: &std::sync::Arc<App> = server.app();
    tokio::select! {
        () = all_there => {}
        _ = posthouse_server::jobs::webhooks::run_due(app) => panic!("the slow one is waited for by nobody but its own queue"),
    }
    assert_eq!(sink.posts().len(), 30);
    assert!(slow.posts().len() <= 16, "so many at once: {}", slow.posts().len());
    drop(slow);
    world.server.clock.advance(120_000);
    world.server.settle().await;
    // The worker of this test was cut off, so what it had not settled came once more.
    let mut arrived = subjects(sink);
    arrived.sort();
    arrived.dedup();
    assert_eq!((arrived.len(), arrived.last().map(String::as_str)), (31, Some("still taken")));
    world.server.finish().await;
}

#[tokio::test]
async fn what_was_not_settled_is_sent_again_with_the_same_id() {
    let mut world = World::new().await;
    world.webhook(json!({})).await;
    world.sink.next(Say::Silence);
    world.server.deliver(&Letter::new("a", "text"), &world.inbox.address).await;
    tokio::select! {
        () = world.sink.arrived(1) => {}
        () = world.server.settle() => panic!("it waits for the answer"),
    }
    world.server.crash().await;
    world.server.advance(60_000).await;
    let posts = world.sink.posts();
    assert_eq!(posts.len(), 2);
    assert_eq!(posts[0].header("webhook-id"), posts[1].header("webhook-id"));
    assert_eq!(posts[0].body, posts[1].body);
    world.server.finish().await;
}

#[tokio::test]
async fn a_webhook_that_fails_for_five_days_is_disabled() {
    let world = World::new().await;
    let made = world.webhook(json!({})).await;
    let path = format!("/v1/webhooks/{}", made.text("id"));
    let is_enabled = async || world.api.get(&path).await.expect(200)["enabled"].clone();
    world.sink.always(Say::Status(500, String::new()));
    let fail_for = async |days: i64| {
        for _ in 0..days {
            world.server.deliver(&Letter::new("a", "text"), &world.inbox.address).await;
            world.server.advance(DAY_MS).await;
        }
    };
    fail_for(4).await;
    world.sink.next(Say::Status(200, String::new()));
    world.api.post_empty(&format!("{path}/test")).await.expect(202);
    world.server.settle().await;
    fail_for(4).await;
    assert_eq!(is_enabled().await, true, "one that succeeded begins the five days anew");
    fail_for(2).await;
    assert_eq!(is_enabled().await, false);
    let sent = world.api.get(&format!("/v1/inboxes/{}/messages?direction=outbound", world.inbox.id)).await.expect(200);
    let [notice] = sent.data() else { panic!("the owner is told once: {sent}") };
    assert_eq!((&notice["to"], &notice["subject"]), (&json!(["owner@example.org"]), &json!("A webhook was disabled")));
    assert_eq!(notice["headers"]["auto-submitted"], "auto-generated");
    assert!(notice["text"].as_str().is_some_and(|text| text.contains(&world.sink.url())), "{notice}");
    let before = world.sink.posts().len();
    world.server.deliver(&Letter::new("b", "text"), &world.inbox.address).await;
    world.server.advance(DAY_MS).await;
    assert_eq!(world.sink.posts().len(), before, "nothing more is tried");
    world.sink.always(Say::Status(200, String::new()));
    world.api.patch(&path, json!({ "enabled": true })).await.expect(200);
    world.server.deliver(&Letter::new("c", "text"), &world.inbox.address).await;
    world.server.settle().await;
    assert_eq!(subjects(&world.sink).last().map(String::as_str), Some("c"));
    world.server.finish().await;
}

#[tokio::test]
async fn inboxes_and_types_choose_what_comes() {
    let world = World::new().await;
    let other = world.server.inbox(&world.key).await;
    let body = json!({ "inbox_ids": [other.id.to_string()], "events": ["message.received", "inbox.paused"] });
    world.webhook(body).await;
    for inbox in [&world.inbox, &other] {
        world.server.deliver(&Letter::new(&inbox.address, "text"), &inbox.address).await;
        world.api.post_empty(&format!("/v1/inboxes/{}/pause", inbox.id)).await.expect(200);
        world.api.post_empty(&format!("/v1/inboxes/{}/resume", inbox.id)).await.expect(200);
    }
    world.server.settle().await;
    let mut kinds = world.sink.kinds();
    kinds.sort();
    assert_eq!(kinds, ["inbox.paused", "message.received"]);
    assert!(world.sink.posts().iter().all(|post| post.json()["data"]["inbox"]["id"] == other.id.to_string()));
    world.server.finish().await;
}

#[tokio::test]
async fn connections_are_kept_for_the_next_event() {
    let world = World::new().await;
    world.webhook(json!({})).await;
    for n in 0..20 {
        world.server.deliver(&Letter::new(&format!("{n}"), "text"), &world.inbox.address).await;
        world.server.settle().await;
    }
    assert_eq!((world.sink.posts().len(), world.sink.connections()), (20, 1));
    world.server.finish().await;
}

#[tokio::test]
async fn the_next_attempt_does_not_wait_for_the_next_look_at_the_store() {
    let options = Options::default().configure(|config| config.webhooks.backoff_start_ms = 1_000);
    let world = World::on(TestServer::start(options).await).await;
    let made = world.webhook(json!({})).await;
    let clock = &world.server.clock;
    let carrying = tokio::spawn(posthouse_server::jobs::webhooks::run(world.server.app().clone()));
    world.sink.next(Say::Status(500, String::new()));
    world.server.deliver(&Letter::new("a", "text"), &world.inbox.address).await;
    clock.go_on(100, world.sink.arrived(1)).await;
    let failed = async {
        loop {
            if let Some(next) = world.attempts(&made).await[0]["next_attempt_at"].as_str() {
                return Time::parse(next).unwrap();
            }
        }
    };
    clock.set(clock.go_on(100, failed).await);
    // As many requests as give the attempt time enough to arrive.
    for _ in 0..ENOUGH {
        if world.attempts(&made).await[0]["status"] == "succeeded" {
            break;
        }
    }
    assert_eq!(world.sink.posts().len(), 2, "the second attempt was not made when it was due");
    carrying.abort();
    world.server.finish().await;
}

#[tokio::test]
async fn the_first_gap_and_the_time_limit_are_settings() {
    let options = Options::default().configure(|config| {
        config.webhooks.backoff_start_ms = 1_000;
        config.webhooks.timeout_ms = 500;
    });
    let world = World::on(TestServer::start(options).await).await;
    let made = world.webhook(json!({})).await;
    world.sink.next(Say::Status(500, String::new()));
    world.server.deliver(&Letter::new("a", "text"), &world.inbox.address).await;
    world.server.settle().await;
    world.server.advance(949).await;
    assert_eq!(world.sink.posts().len(), 1);
    world.server.advance(102).await;
    assert_eq!(world.sink.posts().len(), 2);
    assert_eq!(world.attempts(&made).await[0]["status"], "succeeded");
    world.server.finish().await;
}
