//! `events/subscribe`: verification, deliveries, renewal and rotation.

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_app::ports::Clock as _;
use posthouse_domain::time::{DAY_MS, HOUR_MS, MINUTE_MS, Time};
use posthouse_tests::{ServerOptions, WebhookReply, webhook_sink::WebhookRequest};
use serde_json::{Value, json};

use super::{EventsFixture, OTHER_SECRET, SECRET, data_without_fix, polled};
use crate::routes::webhooks::standard_signature;

/// How long both secrets sign after a rotation, in milliseconds.
const ROTATION_MS: i64 = 5 * MINUTE_MS;

/// Returns when the client must have renewed a subscription.
fn end(granted: &Value) -> Time {
    Time::parse(granted["refreshBefore"].as_str().unwrap()).unwrap()
}

fn is_signed(post: &WebhookRequest, secrets: &[&str]) -> bool {
    let signatures: Vec<String> = secrets.iter().map(|secret| standard_signature(secret, post)).collect();
    post.header("webhook-signature") == Some(signatures.join(" ").as_str())
}

#[tokio::test]
async fn the_receiver_confirms_its_url_with_a_signed_challenge() {
    let fixture = EventsFixture::new().await;
    let granted = fixture.subscribe(json!({})).await;
    let posts = fixture.sink.posts();
    let [post] = &posts[..] else { panic!("one request: {posts:?}") };
    assert_eq!(
        (post.json()["type"].as_str(), post.header("content-type")),
        (Some("verification"), Some("application/json"))
    );
    assert_eq!(post.header("x-mcp-subscription-id"), granted["id"].as_str());
    assert!(post.header("webhook-id").is_some_and(|id| id.starts_with("msg_verification_")));
    assert!(is_signed(post, &[SECRET]));
    assert_eq!((&granted["truncated"], granted.get("deliveryStatus")), (&json!(false), None));
    assert!(granted["cursor"].is_string());
    // The same URL isn't asked again, whatever the arguments.
    fixture.subscribe(json!({ "arguments": { "payload": "envelope" } })).await;
    assert_eq!(fixture.sink.posts().len(), 1);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_receiver_that_does_not_confirm_gets_no_subscription() {
    let fixture = EventsFixture::new().await;
    let table = [
        (WebhookReply::Status(200, "ok".to_owned()), "challenge_failed"),
        (WebhookReply::Status(200, r#"{"challenge":"other"}"#.to_owned()), "challenge_failed"),
        (WebhookReply::Status(302, String::new()), "challenge_failed"),
        (WebhookReply::Status(404, String::new()), "http_4xx"),
        (WebhookReply::Status(503, String::new()), "http_5xx"),
        (WebhookReply::HangUp, "connection_refused"),
    ];
    for (reply, reason) in table {
        fixture.sink.verifies_with(reply);
        let error = fixture.mcp.error("events/subscribe", fixture.webhook(json!({})), -32015).await;
        assert_eq!(data_without_fix(&error), json!({ "reason": reason }), "{error}");
    }
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = json!({ "mode": "webhook", "url": format!("http://{closed}/hook"), "secret": SECRET });
    let error = fixture.mcp.error("events/subscribe", fixture.webhook(json!({ "delivery": nobody })), -32015).await;
    assert_eq!(error["data"]["reason"], "connection_refused");
    let before = fixture.sink.posts().len();
    fixture.mail("unwanted").await;
    fixture.server.settle().await;
    assert_eq!(fixture.sink.posts().len(), before, "nothing is delivered");
    fixture.server.finish().await;
}

#[tokio::test]
async fn urls_inside_the_network_are_refused_without_a_request() {
    let options = ServerOptions::default().configure(|config| {
        config.webhooks.allow_private_networks = false;
        config.webhooks.allow_http = false;
    });
    let fixture = EventsFixture::with(options).await;
    fixture.server.dns.address("inside.example", "10.0.0.7".parse().unwrap());
    for url in [
        "http://example.com/hook",
        "https://127.0.0.1/hook",
        "https://2130706433/hook",
        "https://[::1]/hook",
        "https://169.254.169.254/latest",
        "https://inside.example/hook",
        "https://user:pass@example.com/hook",
        "https://localhost/hook",
        "ftp://example.com/hook",
        "hook",
    ] {
        let delivery = json!({ "mode": "webhook", "url": url, "secret": SECRET });
        let error =
            fixture.mcp.error("events/subscribe", fixture.webhook(json!({ "delivery": delivery })), -32602).await;
        assert!(error["message"].as_str().is_some_and(|text| text.contains("URL")), "{url}: {error}");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_delivery_has_the_headers_of_standard_webhooks_and_a_cursor() {
    let fixture = EventsFixture::new().await;
    let granted = fixture.subscribe(json!({})).await;
    fixture.mail("one").await;
    fixture.server.settle().await;
    let posts = fixture.sink.occurrences();
    let [post] = &posts[..] else { panic!("one event: {posts:?}") };
    let event = post.json();
    assert_eq!(post.header("webhook-id"), event["eventId"].as_str());
    assert_eq!(post.header("x-mcp-subscription-id"), granted["id"].as_str());
    assert_eq!(post.header("webhook-timestamp"), Some(&*fixture.server.clock.now().seconds().to_string()));
    assert!(is_signed(post, &[SECRET]));
    assert_eq!(post.header("x-service-signature"), None, "a header of other webhooks");
    assert_eq!(event["cursor"], event["eventId"], "everything before it is delivered");
    let page = fixture.poll(&event["cursor"]).await;
    assert_eq!(page["events"], json!([]), "the cursor is that of the other ways");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_failed_event_is_repeated_with_its_id_and_the_cursor_waits_for_it() {
    let fixture = EventsFixture::new().await;
    fixture.subscribe(json!({})).await;
    fixture.mail("before").await;
    fixture.server.settle().await;
    fixture.sink.next(WebhookReply::Status(503, String::new()));
    fixture.mail("failing").await;
    fixture.server.settle().await;
    let renewed = fixture.subscribe(json!({})).await;
    assert_eq!(
        (&renewed["deliveryStatus"]["lastError"], &renewed["deliveryStatus"]["active"]),
        (&json!("http_5xx"), &json!(true))
    );
    fixture.mail("after").await;
    fixture.server.settle().await;
    let posts: Vec<Value> = fixture.sink.occurrences().iter().map(WebhookRequest::json).collect();
    let [before, failing, after] = &posts[..] else { panic!("three: {posts:?}") };
    assert_eq!(renewed["cursor"], before["eventId"]);
    assert_eq!(after["cursor"], before["eventId"], "not past the event that is unsettled");
    fixture.server.advance(12 * MINUTE_MS).await;
    let posts = fixture.sink.occurrences();
    let again = posts.last().unwrap();
    assert_eq!(again.json()["eventId"], failing["eventId"]);
    assert_eq!(again.header("webhook-id"), failing["eventId"].as_str());
    assert!(is_signed(again, &[SECRET]), "signed at its time");
    assert_eq!(polled(&fixture.poll(&renewed["cursor"]).await), ["failing", "after"]);
    let renewed = fixture.subscribe(json!({})).await;
    assert_eq!(renewed["cursor"], after["eventId"]);
    assert_eq!(
        (&renewed["deliveryStatus"]["lastError"], renewed["deliveryStatus"].get("failedSince")),
        (&Value::Null, None)
    );
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_same_call_renews_a_subscription_and_another_is_another() {
    let fixture = EventsFixture::new().await;
    let first = fixture.subscribe(json!({ "ttlMs": HOUR_MS })).await;
    let now = fixture.server.clock.now();
    assert_eq!(end(&first).since_ms(now), HOUR_MS);
    fixture.mail("one").await;
    fixture.server.settle().await;
    fixture.server.clock.advance(30 * MINUTE_MS);
    let renewed = fixture.subscribe(json!({ "ttlMs": 2 * HOUR_MS, "cursor": first["cursor"] })).await;
    assert_eq!((&renewed["id"], end(&renewed).since_ms(fixture.server.clock.now())), (&first["id"], 2 * HOUR_MS));
    assert_eq!(renewed["deliveryStatus"]["lastDeliveryAt"], json!(now.plus_ms(1).to_string()));
    fixture.server.settle().await;
    assert_eq!(fixture.delivered(), ["one"], "a renewal replays nothing");
    let inbox = json!({ "inbox_id": fixture.inbox.id.to_string() });
    let other = fixture.subscribe(json!({ "arguments": inbox })).await;
    assert_ne!(other["id"], first["id"]);
    for (ttl, ms) in
        [(json!(1), MINUTE_MS), (json!(null), 7 * DAY_MS), (json!(1e18), 7 * DAY_MS), (json!(-5), MINUTE_MS)]
    {
        let granted = fixture.subscribe(json!({ "ttlMs": ttl })).await;
        assert_eq!(end(&granted).since_ms(fixture.server.clock.now()), ms, "{ttl}");
    }
    let granted = fixture.subscribe(json!({})).await;
    assert_eq!(end(&granted).since_ms(fixture.server.clock.now()), DAY_MS);
    fixture.mcp.error("events/subscribe", fixture.webhook(json!({ "ttlMs": "1" })), -32602).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn both_secrets_sign_for_five_minutes_after_a_rotation() {
    let fixture = EventsFixture::new().await;
    let first = fixture.subscribe(json!({})).await;
    let delivery = json!({ "mode": "webhook", "url": fixture.sink.url(), "secret": OTHER_SECRET });
    let rotated = fixture.subscribe(json!({ "delivery": delivery })).await;
    assert_eq!(rotated["id"], first["id"]);
    fixture.mail("during").await;
    fixture.server.settle().await;
    assert!(is_signed(fixture.sink.occurrences().last().unwrap(), &[OTHER_SECRET, SECRET]));
    fixture.server.clock.advance(ROTATION_MS);
    fixture.mail("after").await;
    fixture.server.settle().await;
    assert!(is_signed(fixture.sink.occurrences().last().unwrap(), &[OTHER_SECRET]));
    let stored = std::fs::read(fixture.server.data_dir().join("posthouse.db")).unwrap_or_default();
    let raw = STANDARD.decode(SECRET.trim_start_matches("whsec_")).unwrap();
    for secret in [SECRET.as_bytes(), raw.as_slice()] {
        assert!(!stored.windows(secret.len()).any(|bytes| bytes == secret), "secrets are sealed");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_new_subscription_begins_at_its_cursor() {
    let fixture = EventsFixture::new().await;
    let start = fixture.poll(&Value::Null).await["cursor"].clone();
    for subject in ["one", "two"] {
        fixture.mail(subject).await;
    }
    let first = fixture.poll(&start).await["events"][0]["eventId"].clone();
    let granted = fixture.subscribe(json!({ "cursor": first })).await;
    assert_eq!((&granted["cursor"], &granted["truncated"]), (&first, &json!(false)));
    fixture.server.settle().await;
    assert_eq!(fixture.delivered(), ["two"]);
    let lost = json!("0197f3c4-5b1e-7c3a-9d2f-1a2b3c4d5e6f");
    let arguments = json!({ "inbox_id": fixture.inbox.id.to_string() });
    let granted = fixture.subscribe(json!({ "cursor": lost, "arguments": arguments })).await;
    assert_eq!(granted["truncated"], true);
    fixture.server.settle().await;
    // Events of different conversations have no order.
    let mut delivered = fixture.delivered();
    delivered[1..].sort_unstable();
    assert_eq!(delivered, ["two", "one", "two"], "from the oldest kept event");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_webhook_id_can_be_that_of_the_attempt() {
    let options = ServerOptions::default().configure(|config| config.mcp.events_message_ids = true);
    let fixture = EventsFixture::with(options).await;
    fixture.subscribe(json!({})).await;
    fixture.sink.next(WebhookReply::Status(500, String::new()));
    fixture.mail("one").await;
    fixture.server.settle().await;
    fixture.server.advance(12 * MINUTE_MS).await;
    let posts = fixture.sink.occurrences();
    assert_eq!(posts.len(), 2);
    assert_eq!(posts[0].json()["eventId"], posts[1].json()["eventId"]);
    let ids: Vec<&str> = posts.iter().map(|post| post.header("webhook-id").unwrap()).collect();
    assert!(ids.iter().all(|id| id.starts_with("msg_")) && ids[0] != ids[1], "{ids:?}");
    assert!(posts.iter().all(|post| is_signed(post, &[SECRET])));
    fixture.server.finish().await;
}
