//! The schedule was counted in time alone: where the first attempt took longer than all of it, the mail bounced after one
//! attempt. Now every gap has its attempt (operations, `delivery.retry_schedule`).

use posthouse_domain::time::MINUTE_MS;
use posthouse_tests::smtp_sink::END_OF_DATA;
use serde_json::json;

use crate::journeys::delivery::Post;

/// Longer than the schedule of the tests, one minute and two.
const SLOW_MS: i64 = 10 * MINUTE_MS;

#[tokio::test]
async fn every_gap_has_its_attempt_however_long_they_take() {
    let post = Post::direct().await;
    let clock = post.server.clock.clone();
    post.sink.slow(&clock, SLOW_MS);
    post.sink.always(END_OF_DATA, "451 4.3.0 later");
    let id = post.send(&["dana@b.example"]).await;
    for (attempt, gap) in [(1, MINUTE_MS), (2, 2 * MINUTE_MS)] {
        clock.go_on(SLOW_MS, post.deliver()).await;
        let entry = post.entry(&id, "dana@b.example").await;
        assert_eq!((&entry["status"], &entry["attempts"]), (&json!("queued"), &json!(attempt)), "{entry}");
        clock.advance(gap - 1);
        post.deliver().await;
        assert_eq!(post.entry(&id, "dana@b.example").await["attempts"], attempt, "not before its time");
        clock.advance(1);
    }
    clock.go_on(SLOW_MS, post.deliver()).await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["attempts"]), (&json!("bounced"), &json!(3)), "{entry}");
    assert_eq!(entry["detail"], "expired: not delivered in 3 attempts; the last one: later");
    post.close().await;
}

#[tokio::test]
async fn mail_that_was_held_past_its_time_is_tried_more_than_once() {
    let post = Post::direct().await;
    let id = post.send(&["dana@b.example"]).await;
    let inbox = format!("/v1/inboxes/{}", post.inbox.id);
    post.api.post(&format!("{inbox}/pause"), json!({})).await.expect(200);
    post.advance(20 * MINUTE_MS).await;
    post.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
    post.sink.script("RCPT", "450 4.2.0 greylisted, come back", 1);
    post.deliver().await;
    assert_eq!(post.message(&id).await["status"], "queued");
    post.advance(MINUTE_MS).await;
    assert_eq!(post.message(&id).await["status"], "delivered");
    post.close().await;
}

#[tokio::test]
async fn mail_that_comes_far_too_late_is_not_tried_for_ever() {
    let post = Post::direct().await;
    post.sink.always("RCPT", "451 4.3.0 later");
    let id = post.send(&["dana@b.example"]).await;
    post.advance(60 * MINUTE_MS).await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["attempts"]), (&json!("bounced"), &json!(1)), "{entry}");
    assert_eq!(entry["detail"], "expired: not delivered in 1 attempt; the last one: later");
    post.close().await;
}
