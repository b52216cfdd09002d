//! Drafts that wait for their time: sent then, held, failed, moved, and found again when their job is lost.

use posthouse_domain::time::{DAY_MS, HOUR_MS, MINUTE_MS};
use posthouse_store::{Error, jobs, p, statements};
use posthouse_tests::server::Options;
use serde_json::{Value, json};

use super::Desk;

statements! {
    FORGET_JOBS = "DELETE FROM jobs WHERE kind = $1";
}

async fn scheduled(desk: &Desk) -> String {
    let mut body = desk.letter();
    body["send_at"] = json!(desk.ahead(HOUR_MS));
    let made = desk.draft(body).await;
    assert_eq!((&made["status"], &made["approved_by"]["label"]), (&json!("scheduled"), &json!("first key")));
    made.text("id").to_owned()
}

#[tokio::test]
async fn a_scheduled_draft_is_sent_at_its_time_and_not_before() {
    let desk = Desk::open().await;
    let id = scheduled(&desk).await;
    let before = desk.get(&id).await;
    desk.server.advance(HOUR_MS - 1).await;
    assert_eq!((desk.sent().await, desk.get(&id).await.json), (0, before.json.clone()));
    desk.server.advance(1).await;
    let after = desk.get(&id).await;
    assert_eq!((desk.sent().await, &after["status"], &after["send_at"]), (1, &json!("sent"), &json!(null)));
    for name in ["approved_by", "approved_at", "approved_content_sha256"] {
        assert_eq!(after[name], before[name], "{name} is of the one who scheduled it");
    }
    let message = desk.api.get(&format!("/v1/messages/{}", after.text("sent_message_id"))).await.expect(200);
    assert_eq!((&message["approval"]["at"], &message["text"]), (&before["approved_at"], &json!("Here it is.")));
    assert_eq!(desk.told().await, ["draft.created", "draft.sent"]);
    desk.close().await;
}

#[tokio::test]
async fn times_are_a_minute_to_thirty_days_ahead() {
    let desk = Desk::open().await;
    let id = desk.complete().await;
    for ahead in [-HOUR_MS, 0, MINUTE_MS / 2, 30 * DAY_MS + 1] {
        let at = json!({ "send_at": desk.ahead(ahead) });
        let refused = desk.act(&id, "schedule", at.clone()).await.error("invalid_send_at");
        assert_eq!(refused.status, 400);
        desk.patch(&id, at.clone()).await.error("invalid_send_at");
        desk.api.post(&desk.path(""), at).await.error("invalid_send_at");
    }
    desk.act(&id, "schedule", json!({})).await.invalid_fields(&["send_at"]);
    desk.act(&id, "schedule", json!({ "send_at": "tomorrow" })).await.invalid_fields(&["send_at"]);
    for ahead in [MINUTE_MS, 30 * DAY_MS] {
        let at = desk.ahead(ahead);
        let moved = desk.act(&id, "schedule", json!({ "send_at": at })).await.expect(200);
        assert_eq!((&moved["status"], &moved["send_at"]), (&json!("scheduled"), &json!(at)));
    }
    desk.server.advance(30 * DAY_MS - 1).await;
    assert_eq!(desk.sent().await, 0, "the later time counts");
    desk.server.advance(1).await;
    assert_eq!(desk.sent().await, 1);
    desk.close().await;
}

#[tokio::test]
async fn new_content_ends_the_schedule_and_the_approval() {
    let desk = Desk::open().await;
    let id = scheduled(&desk).await;
    let same =
        desk.patch(&id, json!({ "labels": ["x"], "metadata": { "a": 1 }, "text": "Here it is." })).await.expect(200);
    assert_eq!(same["status"], "scheduled", "what leaves is the same");
    for change in [
        json!({ "text": "Other." }),
        json!({ "bcc": "eve@x.example" }),
        json!({ "subject": "Other" }),
        json!({ "attachments": [{ "filename": "a", "content_type": "text/plain", "content_base64": "" }] }),
        json!({ "send_at": null }),
    ] {
        let id = scheduled(&desk).await;
        let after = desk.patch(&id, change.clone()).await.expect(200);
        assert_eq!((&after["status"], &after["send_at"]), (&json!("draft"), &json!(null)), "{change}");
        for name in ["approved_by", "approved_at", "approved_content_sha256"] {
            assert_eq!(after[name], json!(null), "{name} after {change}");
        }
    }
    let both = json!({ "text": "Other.", "send_at": desk.ahead(2 * HOUR_MS) });
    let after = desk.patch(&id, both).await.expect(200);
    assert_eq!((&after["status"], &after["approved_by"]["type"]), (&json!("scheduled"), &json!("api_key")));
    desk.server.advance(HOUR_MS).await;
    assert_eq!(desk.sent().await, 0);
    desk.server.advance(HOUR_MS).await;
    assert_eq!(desk.sent().await, 1);
    desk.close().await;
}

#[tokio::test]
async fn while_the_inbox_is_paused_it_waits() {
    let desk = Desk::open().await;
    let id = scheduled(&desk).await;
    desk.pause().await;
    desk.server.advance(3 * HOUR_MS).await;
    let waits = desk.get(&id).await;
    assert_eq!((&waits["status"], &waits["error"]), (&json!("scheduled"), &json!(null)));
    desk.resume().await;
    desk.server.settle().await;
    assert_eq!((desk.get(&id).await["status"].clone(), desk.sent().await), (json!("sent"), 1));
    desk.close().await;
}

async fn failed(desk: &Desk) -> (String, Value) {
    let id = scheduled(desk).await;
    let path = format!("/v1/inboxes/{}/messages", desk.inbox.id);
    desk.server.advance(HOUR_MS - MINUTE_MS).await;
    desk.api.post(&path, desk.letter()).await.expect(202);
    desk.server.advance(MINUTE_MS).await;
    (id.clone(), desk.get(&id).await.json)
}

#[tokio::test]
async fn what_a_check_refuses_at_its_time_has_failed_and_can_be_tried_again() {
    let burst = Options::default().configure(|config| config.plans.team.sends_per_5_minutes = Some(1));
    let desk = Desk::with(burst).await;
    let (id, draft) = failed(&desk).await;
    assert_eq!((&draft["status"], &draft["error"]["code"]), (&json!("failed"), &json!("rate_limited")));
    assert!(draft["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    let inbox = desk.api.get(&format!("/v1/inboxes/{}", desk.inbox.id)).await.expect(200);
    assert_eq!(inbox["pending_draft_count"], 1, "somebody has to look at it");
    assert_eq!(desk.told().await, ["draft.created", "draft.failed"]);
    desk.send(&id).await.error("rate_limited");
    assert_eq!(desk.get(&id).await["status"], "failed");
    let again = desk.act(&id, "schedule", json!({ "send_at": desk.ahead(HOUR_MS) })).await.expect(200);
    assert_eq!((&again["status"], &again["error"]), (&json!("scheduled"), &json!(null)));
    desk.server.advance(HOUR_MS).await;
    assert_eq!(desk.get(&id).await["status"], "sent");
    desk.close().await;
}

#[tokio::test]
async fn an_incomplete_draft_fails_at_its_time() {
    let desk = Desk::open().await;
    let body = json!({ "subject": "Plan", "send_at": desk.ahead(HOUR_MS) });
    let id = desk.draft(body).await.text("id").to_owned();
    desk.server.advance(HOUR_MS).await;
    let after = desk.get(&id).await;
    assert_eq!((&after["status"], &after["error"]["code"]), (&json!("failed"), &json!("invalid_request")));
    desk.close().await;
}

#[tokio::test]
async fn cancelled_and_deleted_ones_are_not_sent() {
    let desk = Desk::open().await;
    let (one, two) = (scheduled(&desk).await, scheduled(&desk).await);
    let cancelled = desk.api.post_empty(&desk.path(&format!("/{one}/cancel"))).await.expect(200);
    assert_eq!((&cancelled["status"], &cancelled["send_at"]), (&json!("cancelled"), &json!(null)));
    desk.api.delete(&desk.path(&format!("/{two}"))).await.expect(204);
    desk.server.advance(2 * HOUR_MS).await;
    assert_eq!(desk.sent().await, 0);
    desk.close().await;
}

#[tokio::test]
async fn a_lost_job_is_made_again() {
    let desk = Desk::open().await;
    let id = scheduled(&desk).await;
    let lose =
        |tx: &mut posthouse_store::Tx| -> Result<u64, Error> { tx.exec(&FORGET_JOBS, p![jobs::SCHEDULED_DRAFT]) };
    assert_eq!(desk.server.store().write(lose).await.unwrap(), 1);
    assert_eq!(posthouse_server::jobs::sweep::run(desk.server.app()).await.unwrap(), 1);
    assert_eq!(posthouse_server::jobs::sweep::run(desk.server.app()).await.unwrap(), 0);
    desk.server.advance(HOUR_MS).await;
    assert_eq!(desk.get(&id).await["status"], "sent");
    desk.close().await;
}

#[tokio::test]
async fn a_schedule_survives_a_crash() {
    let mut desk = Desk::open().await;
    let id = scheduled(&desk).await;
    desk.server.crash().await;
    desk.server.advance(HOUR_MS).await;
    desk.api = desk.server.api(&desk.key);
    assert_eq!((desk.get(&id).await["status"].clone(), desk.sent().await), (json!("sent"), 1));
    desk.close().await;
}
