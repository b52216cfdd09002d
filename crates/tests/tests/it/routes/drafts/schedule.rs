//! Scheduled drafts: sent on time, held, failed, rescheduled, and recovered after a lost job.

use posthouse_domain::job::JobKind;
use posthouse_domain::time::{DAY_MS, HOUR_MS, MINUTE_MS};
use posthouse_store::{Error, p, statements};
use posthouse_tests::server::ServerOptions;
use serde_json::{Value, json};

use super::InboxFixture;

statements! {
    FORGET_JOBS = "DELETE FROM jobs WHERE kind = $1";
}

async fn scheduled(fixture: &InboxFixture) -> String {
    let mut body = fixture.complete_body();
    body["send_at"] = json!(fixture.ahead(HOUR_MS));
    let made = fixture.draft(body).await;
    assert_eq!((&made["status"], &made["approved_by"]["label"]), (&json!("scheduled"), &json!("first key")));
    made.text("id").to_owned()
}

#[tokio::test]
async fn a_scheduled_draft_is_sent_exactly_on_time() {
    let fixture = InboxFixture::open().await;
    let id = scheduled(&fixture).await;
    let before = fixture.get(&id).await;
    fixture.server.advance(HOUR_MS - 1).await;
    assert_eq!((fixture.sent().await, fixture.get(&id).await.json), (0, before.json.clone()));
    fixture.server.advance(1).await;
    let after = fixture.get(&id).await;
    assert_eq!((fixture.sent().await, &after["status"], &after["send_at"]), (1, &json!("sent"), &json!(null)));
    for name in ["approved_by", "approved_at", "approved_content_sha256"] {
        assert_eq!(after[name], before[name], "{name} belongs to the scheduling key");
    }
    let message = fixture.api.get(&format!("/v1/messages/{}", after.text("sent_message_id"))).await.expect(200);
    assert_eq!((&message["approval"]["at"], &message["text"]), (&before["approved_at"], &json!("Here it is.")));
    assert_eq!(fixture.event_types().await, ["draft.created", "draft.sent"]);
    fixture.close().await;
}

#[tokio::test]
async fn send_times_are_one_minute_to_thirty_days_ahead() {
    let fixture = InboxFixture::open().await;
    let id = fixture.complete().await;
    for ahead in [-HOUR_MS, 0, MINUTE_MS / 2, 30 * DAY_MS + 1] {
        let at = json!({ "send_at": fixture.ahead(ahead) });
        let refused = fixture.act(&id, "schedule", at.clone()).await.error("invalid_send_at");
        assert_eq!(refused.status, 400);
        fixture.patch(&id, at.clone()).await.error("invalid_send_at");
        fixture.api.post(&fixture.path(""), at).await.error("invalid_send_at");
    }
    fixture.act(&id, "schedule", json!({})).await.invalid_fields(&["send_at"]);
    fixture.act(&id, "schedule", json!({ "send_at": "tomorrow" })).await.invalid_fields(&["send_at"]);
    for ahead in [MINUTE_MS, 30 * DAY_MS] {
        let at = fixture.ahead(ahead);
        let moved = fixture.act(&id, "schedule", json!({ "send_at": at })).await.expect(200);
        assert_eq!((&moved["status"], &moved["send_at"]), (&json!("scheduled"), &json!(at)));
    }
    fixture.server.advance(30 * DAY_MS - 1).await;
    assert_eq!(fixture.sent().await, 0, "the later time counts");
    fixture.server.advance(1).await;
    assert_eq!(fixture.sent().await, 1);
    fixture.close().await;
}

#[tokio::test]
async fn new_content_ends_the_schedule_and_the_approval() {
    let fixture = InboxFixture::open().await;
    let id = scheduled(&fixture).await;
    let same =
        fixture.patch(&id, json!({ "labels": ["x"], "metadata": { "a": 1 }, "text": "Here it is." })).await.expect(200);
    assert_eq!(same["status"], "scheduled", "the sent content is the same");
    for change in [
        json!({ "text": "Other." }),
        json!({ "bcc": "eve@x.example" }),
        json!({ "subject": "Other" }),
        json!({ "attachments": [{ "filename": "a", "content_type": "text/plain", "content_base64": "" }] }),
        json!({ "send_at": null }),
    ] {
        let id = scheduled(&fixture).await;
        let after = fixture.patch(&id, change.clone()).await.expect(200);
        assert_eq!((&after["status"], &after["send_at"]), (&json!("draft"), &json!(null)), "{change}");
        for name in ["approved_by", "approved_at", "approved_content_sha256"] {
            assert_eq!(after[name], json!(null), "{name} after {change}");
        }
    }
    let both = json!({ "text": "Other.", "send_at": fixture.ahead(2 * HOUR_MS) });
    let after = fixture.patch(&id, both).await.expect(200);
    assert_eq!((&after["status"], &after["approved_by"]["type"]), (&json!("scheduled"), &json!("api_key")));
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.sent().await, 0);
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.sent().await, 1);
    fixture.close().await;
}

#[tokio::test]
async fn a_scheduled_draft_waits_while_the_inbox_is_paused() {
    let fixture = InboxFixture::open().await;
    let id = scheduled(&fixture).await;
    fixture.pause().await;
    fixture.server.advance(3 * HOUR_MS).await;
    let waits = fixture.get(&id).await;
    assert_eq!((&waits["status"], &waits["error"]), (&json!("scheduled"), &json!(null)));
    fixture.resume().await;
    fixture.server.settle().await;
    assert_eq!((fixture.get(&id).await["status"].clone(), fixture.sent().await), (json!("sent"), 1));
    fixture.close().await;
}

async fn failed(fixture: &InboxFixture) -> (String, Value) {
    let id = scheduled(fixture).await;
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    fixture.server.advance(HOUR_MS - MINUTE_MS).await;
    fixture.api.post(&path, fixture.complete_body()).await.expect(202);
    fixture.server.advance(MINUTE_MS).await;
    (id.clone(), fixture.get(&id).await.json)
}

#[tokio::test]
async fn a_draft_rejected_when_due_fails_and_can_be_retried() {
    let burst = ServerOptions::default().configure(|config| config.plans.team.sends_per_5_minutes = Some(1));
    let fixture = InboxFixture::with(burst).await;
    let (id, draft) = failed(&fixture).await;
    assert_eq!((&draft["status"], &draft["error"]["code"]), (&json!("failed"), &json!("rate_limited")));
    assert!(draft["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    let inbox = fixture.api.get(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(200);
    assert_eq!(inbox["pending_draft_count"], 1, "it needs attention");
    assert_eq!(fixture.event_types().await, ["draft.created", "draft.failed"]);
    fixture.send(&id).await.error("rate_limited");
    assert_eq!(fixture.get(&id).await["status"], "failed");
    let again = fixture.act(&id, "schedule", json!({ "send_at": fixture.ahead(HOUR_MS) })).await.expect(200);
    assert_eq!((&again["status"], &again["error"]), (&json!("scheduled"), &json!(null)));
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.get(&id).await["status"], "sent");
    fixture.close().await;
}

#[tokio::test]
async fn an_incomplete_draft_fails_when_due() {
    let fixture = InboxFixture::open().await;
    let body = json!({ "subject": "Plan", "send_at": fixture.ahead(HOUR_MS) });
    let id = fixture.draft(body).await.text("id").to_owned();
    fixture.server.advance(HOUR_MS).await;
    let after = fixture.get(&id).await;
    assert_eq!((&after["status"], &after["error"]["code"]), (&json!("failed"), &json!("invalid_request")));
    fixture.close().await;
}

#[tokio::test]
async fn cancelled_and_deleted_drafts_are_not_sent() {
    let fixture = InboxFixture::open().await;
    let (one, two) = (scheduled(&fixture).await, scheduled(&fixture).await);
    let cancelled = fixture.api.post_empty(&fixture.path(&format!("/{one}/cancel"))).await.expect(200);
    assert_eq!((&cancelled["status"], &cancelled["send_at"]), (&json!("cancelled"), &json!(null)));
    fixture.api.delete(&fixture.path(&format!("/{two}"))).await.expect(204);
    fixture.server.advance(2 * HOUR_MS).await;
    assert_eq!(fixture.sent().await, 0);
    fixture.close().await;
}

#[tokio::test]
async fn the_sweep_recreates_a_lost_job() {
    let fixture = InboxFixture::open().await;
    let id = scheduled(&fixture).await;
    let lose =
        |tx: &mut posthouse_store::Tx| -> Result<u64, Error> { tx.exec(&FORGET_JOBS, p![JobKind::ScheduledDraft]) };
    assert_eq!(fixture.server.store().write(lose).await.unwrap(), 1);
    assert_eq!(posthouse_app::jobs::reconcile::run(fixture.server.service()).await.unwrap(), 1);
    assert_eq!(posthouse_app::jobs::reconcile::run(fixture.server.service()).await.unwrap(), 0);
    fixture.server.advance(HOUR_MS).await;
    assert_eq!(fixture.get(&id).await["status"], "sent");
    fixture.close().await;
}

#[tokio::test]
async fn a_schedule_survives_a_crash() {
    let mut fixture = InboxFixture::open().await;
    let id = scheduled(&fixture).await;
    fixture.server.crash().await;
    fixture.server.advance(HOUR_MS).await;
    fixture.api = fixture.server.api(&fixture.key);
    assert_eq!((fixture.get(&id).await["status"].clone(), fixture.sent().await), (json!("sent"), 1));
    fixture.close().await;
}
