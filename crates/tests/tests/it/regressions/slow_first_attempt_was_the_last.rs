//! The retry schedule only counted time: if the first attempt took longer than the whole schedule, the message bounced
//! after one attempt. Now every gap has its attempt.

use posthouse_domain::time::MINUTE_MS;
use posthouse_tests::smtp_sink::END_OF_DATA;
use serde_json::json;

use crate::scenarios::delivery::DeliveryFixture;

/// More than the schedule of the tests, one minute and two minutes.
const SLOW_MS: i64 = 10 * MINUTE_MS;

#[tokio::test]
async fn every_gap_has_its_attempt_however_slow_attempts_are() {
    let fixture = DeliveryFixture::direct().await;
    let clock = fixture.server.clock.clone();
    fixture.sink.delay_replies(&clock, SLOW_MS);
    fixture.sink.always(END_OF_DATA, "451 4.3.0 later");
    let id = fixture.send(&["dana@b.example"]).await;
    for (attempt, gap) in [(1, MINUTE_MS), (2, 2 * MINUTE_MS)] {
        clock.advance_until(SLOW_MS, fixture.deliver()).await;
        let entry = fixture.entry(&id, "dana@b.example").await;
        assert_eq!((&entry["status"], &entry["attempts"]), (&json!("queued"), &json!(attempt)), "{entry}");
        clock.advance(gap - 1);
        fixture.deliver().await;
        assert_eq!(fixture.entry(&id, "dana@b.example").await["attempts"], attempt, "not before it is due");
        clock.advance(1);
    }
    clock.advance_until(SLOW_MS, fixture.deliver()).await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["attempts"]), (&json!("bounced"), &json!(3)), "{entry}");
    assert_eq!(entry["detail"], "expired: not delivered after 3 attempts; last error: later");
    fixture.close().await;
}

#[tokio::test]
async fn a_message_held_past_its_schedule_is_tried_more_than_once() {
    let fixture = DeliveryFixture::direct().await;
    let id = fixture.send(&["dana@b.example"]).await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    fixture.api.post(&format!("{inbox}/pause"), json!({})).await.expect(200);
    fixture.advance(20 * MINUTE_MS).await;
    fixture.api.post_empty(&format!("{inbox}/resume")).await.expect(200);
    fixture.sink.script("RCPT", "450 4.2.0 greylisted, come back", 1);
    fixture.deliver().await;
    assert_eq!(fixture.message(&id).await["status"], "queued");
    fixture.advance(MINUTE_MS).await;
    assert_eq!(fixture.message(&id).await["status"], "delivered");
    fixture.close().await;
}

#[tokio::test]
async fn a_message_far_past_its_schedule_is_not_retried_forever() {
    let fixture = DeliveryFixture::direct().await;
    fixture.sink.always("RCPT", "451 4.3.0 later");
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.advance(60 * MINUTE_MS).await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["status"], &entry["attempts"]), (&json!("bounced"), &json!(1)), "{entry}");
    assert_eq!(entry["detail"], "expired: not delivered after 1 attempt; last error: later");
    fixture.close().await;
}
