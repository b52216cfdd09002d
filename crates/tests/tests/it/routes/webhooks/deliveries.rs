//! `/v1/webhooks/{id}/test`, `/deliveries` and `/redeliver`.

use posthouse_tests::{TestMessage, WebhookReply};
use serde_json::{Value, json};

use super::WebhookFixture;

#[tokio::test]
async fn a_test_event_goes_only_to_its_webhook_and_is_listed() {
    let fixture = WebhookFixture::new().await;
    let (made, other) =
        (fixture.webhook(json!({})).await, fixture.webhook(json!({ "events": ["webhook.test"] })).await);
    let tested = fixture.api.post_empty(&format!("/v1/webhooks/{}/test", made.text("id"))).await.expect(202);
    let pending = fixture.attempts(&made).await;
    assert_eq!(pending.len(), 1);
    assert_eq!((&pending[0]["id"], &pending[0]["status"]), (&tested["delivery_id"], &json!("pending")));
    assert_eq!(pending[0]["response_status"], json!(null));
    fixture.sink.next(WebhookReply::Status(201, "thanks".to_owned()));
    fixture.server.settle().await;
    let posts = fixture.sink.posts();
    assert_eq!(posts.len(), 1);
    let event = posts[0].json();
    assert_eq!((&event["id"], &event["type"]), (&tested["event_id"], &json!("webhook.test")));
    assert_eq!(event["data"]["webhook"]["id"], made["id"]);
    let attempts = fixture.attempts(&made).await;
    let expected = json!([{
        "id": tested["delivery_id"], "event_id": tested["event_id"], "event_type": "webhook.test", "attempt": 1,
        "status": "succeeded", "response_status": 201, "response_excerpt": "thanks", "error": null, "duration_ms": 0,
        "created_at": "2026-09-15T12:00:00.000Z", "next_attempt_at": null,
    }]);
    assert_eq!(json!(attempts), expected);
    assert_eq!(fixture.attempts(&other).await.len(), 0);
    let log = fixture.api.get("/v1/events").await.expect(200);
    assert_eq!(log.data()[0]["id"], tested["event_id"], "the log has it too");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_attempt_shows_its_request_and_response() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({ "headers": { "X-Token": "secret value" } })).await;
    fixture.sink.next(WebhookReply::Field(302, "Location: http://127.0.0.1:9/".to_owned()));
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    let attempt = fixture.attempts(&made).await[0].clone();
    let path = format!("/v1/webhooks/{}/deliveries/{}", made.text("id"), attempt["id"].as_str().unwrap());
    let shown = fixture.api.get(&path).await.expect(200);
    for (name, value) in attempt.as_object().unwrap() {
        assert_eq!(shown[name.as_str()], *value, "{name}");
    }
    let (request, post) = (&shown["request"], &fixture.sink.posts()[0]);
    assert_eq!((&request["method"], &request["url"]), (&json!("POST"), &made["url"]));
    for name in ["X-Service-Signature", "X-Service-Timestamp", "webhook-id", "webhook-signature"] {
        assert_eq!(request["headers"][name].as_str(), post.header(&name.to_lowercase()), "{name}");
    }
    assert_eq!(request["headers"]["X-Token"], "(hidden)");
    assert!(!format!("{shown}").contains("secret value"));
    assert_eq!(request["body"].as_str().map(str::as_bytes), Some(&*post.body));
    assert_eq!(request["body_as_sent"], true);
    assert_eq!((&shown["response"]["status"], &shown["response"]["excerpt"]), (&json!(302), &json!("")));
    assert_eq!(shown["response"]["headers"]["location"], "http://127.0.0.1:9/");
    // The event shows the message as it is now.
    let list = fixture.api.get(&format!("/v1/inboxes/{}/messages", fixture.inbox.id)).await.expect(200);
    let message = list.data()[0]["id"].as_str().unwrap().to_owned();
    fixture.api.patch(&format!("/v1/messages/{message}"), json!({ "is_read": true })).await.expect(200);
    assert_eq!(fixture.api.get(&path).await.expect(200)["request"]["body_as_sent"], false);
    let other = fixture.webhook(json!({})).await;
    let foreign = format!("/v1/webhooks/{}/deliveries/{}", other.text("id"), attempt["id"].as_str().unwrap());
    fixture.api.get(&foreign).await.error("not_found");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_attempt_that_was_not_made_has_no_request() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    let tested = fixture.api.post_empty(&format!("/v1/webhooks/{}/test", made.text("id"))).await.expect(202);
    let path = format!("/v1/webhooks/{}/deliveries/{}", made.text("id"), tested.text("delivery_id"));
    let shown = fixture.api.get(&path).await.expect(200);
    assert_eq!(
        (&shown["status"], &shown["request"], &shown["response"]),
        (&json!("pending"), &json!(null), &json!(null))
    );
    fixture.server.settle().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn every_attempt_is_listed_newest_first_with_its_response() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    fixture.sink.next(WebhookReply::Status(500, "x".repeat(600)));
    fixture.sink.next(WebhookReply::Field(302, "Location: http://127.0.0.1:9/".to_owned()));
    fixture.sink.next(WebhookReply::HangUp);
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    for _ in 0..3 {
        let next =
            fixture.attempts(&made).await[0]["next_attempt_at"].as_str().expect("there is a next one").to_owned();
        fixture.server.clock.set(posthouse_domain::time::Time::parse(&next).unwrap());
        fixture.server.settle().await;
    }
    let attempts = fixture.attempts(&made).await;
    let column = |name: &str| attempts.iter().map(|one| one[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("attempt"), [4, 3, 2, 1]);
    assert_eq!(column("status"), ["succeeded", "failed", "failed", "failed"]);
    assert_eq!(column("response_status"), [json!(200), json!(null), json!(302), json!(500)]);
    assert_eq!(attempts[3]["response_excerpt"].as_str().map(str::len), Some(500));
    assert!(attempts[2]["error"].as_str().is_some_and(|error| error.contains("redirects are not followed")));
    assert!(attempts[1]["error"].as_str().is_some_and(|error| !error.is_empty()));
    assert_eq!(attempts[0]["error"], json!(null));
    let event = &attempts[0]["event_id"];
    assert!(attempts.iter().all(|one| one["event_id"] == *event && one["event_type"] == "message.received"));
    let ids: Vec<_> = fixture.sink.posts().iter().map(|post| post.header("webhook-id").map(str::to_owned)).collect();
    assert!(ids.iter().all(|id| id.as_deref() == event.as_str()), "one id for every attempt: {ids:?}");
    let shown = fixture.api.get(&format!("/v1/webhooks/{}", made.text("id"))).await.expect(200);
    assert_eq!((&shown["stats"]["deliveries_24h"], &shown["stats"]["failed_24h"]), (&json!(4), &json!(3)));
    assert_eq!(shown["stats"]["error_rate_24h"], 0.75);
    assert!(shown["stats"]["last_success_at"].is_string() && shown["stats"]["last_failure_at"].is_string());
    fixture.server.advance(25 * 3_600_000).await;
    let later = fixture.api.get(&format!("/v1/webhooks/{}", made.text("id"))).await.expect(200);
    assert_eq!((&later["stats"]["deliveries_24h"], &later["stats"]["error_rate_24h"]), (&json!(0), &json!(0.0)));
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_event_can_be_redelivered() {
    let fixture = WebhookFixture::new().await;
    let made = fixture.webhook(json!({})).await;
    fixture.server.deliver(&TestMessage::new("a", "text"), &fixture.inbox.address).await;
    fixture.server.settle().await;
    let first = fixture.attempts(&made).await[0].clone();
    let path = format!("/v1/webhooks/{}/deliveries", made.text("id"));
    fixture.server.clock.advance(1);
    let again =
        fixture.api.post_empty(&format!("{path}/{}/redeliver", first["id"].as_str().unwrap())).await.expect(202);
    assert_eq!(again["event_id"], first["event_id"]);
    fixture.server.settle().await;
    let attempts = fixture.attempts(&made).await;
    assert_eq!((attempts.len(), &attempts[0]["id"]), (2, &again["delivery_id"]));
    assert_eq!((&attempts[0]["attempt"], &attempts[0]["status"]), (&json!(1), &json!("succeeded")));
    let posts = fixture.sink.posts();
    assert_eq!(posts[0].body, posts[1].body, "the same event, byte for byte");
    let thread = fixture.api.get("/v1/threads").await.expect(200).data()[0]["id"].as_str().unwrap().to_owned();
    fixture.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    fixture.api.post_empty(&format!("{path}/{}/redeliver", first["id"].as_str().unwrap())).await.expect(202);
    fixture.server.settle().await;
    let last: Value = serde_json::from_slice(&fixture.sink.posts()[2].body).unwrap();
    assert_eq!(
        (&last["data"]["message"], &last["data"]["gone"]),
        (&json!(null), &json!(true)),
        "it was deleted meanwhile"
    );
    fixture.api.post_empty(&format!("{path}/{}/redeliver", made.text("id"))).await.error("not_found");
    fixture.api.post_empty(&format!("{path}/nonsense/redeliver")).await.error("not_found");
    fixture.server.finish().await;
}
