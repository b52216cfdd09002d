//! Crashes, lost and dead jobs, and changes of either side between the two transactions of a delivery.

use posthouse_app::jobs::{definition::LEASE_MS, reconcile};
use posthouse_domain::{
    id::JobId,
    job::{JobKind, JobReason},
    time::SECOND_MS,
};
use posthouse_store::{
    Error, Tx, WritePoint,
    jobs::{self, JobLease, JobOutcome},
    p, statements,
};
use posthouse_tests::{ServerOptions, fault::FailingWrites};
use serde_json::json;
use uuid::Uuid;

use super::{DELIVERIES, Fixture};

statements! {
    JOBS = "SELECT id FROM jobs WHERE kind = $1 ORDER BY id";
}

#[tokio::test]
async fn a_crash_after_any_unit_delivers_one_copy() {
    let mut fixture = Fixture::open().await;
    for unit in 1.. {
        let id = fixture.send(&format!("After unit {unit}")).await;
        let breakpoint = fixture.server.break_after(unit);
        let mut settling = Box::pin(fixture.server.settle());
        let paused = tokio::select! {
            biased;
            paused = breakpoint.hit() => Some(paused),
            () = &mut settling => None,
        };
        let is_over = paused.is_none();
        drop(settling);
        drop(paused);
        fixture.server.crash().await;
        // The lease of the killed worker expires.
        fixture.server.advance(LEASE_MS + SECOND_MS).await;
        fixture.server.advance(SECOND_MS).await;
        assert_eq!(fixture.alice.statuses(&id).await, ["delivered"], "after unit {unit}");
        let subjects: Vec<String> = (1..=unit).map(|n| format!("After unit {n}")).collect();
        assert_eq!(fixture.bob.subjects().await, subjects, "after unit {unit}");
        let sent = usize::try_from(unit).unwrap();
        assert_eq!(fixture.alice.events().await, ["message.sent", "message.delivered"].repeat(sent));
        assert_eq!(fixture.bob.events().await, vec!["message.received"; sent]);
        fixture.expect_nothing_left().await;
        if is_over {
            assert!(unit > 5, "a delivery has a unit for each step");
            break;
        }
    }
    fixture.server.finish().await;
}

async fn each_write_fails_once(point: WritePoint) {
    let writes = FailingWrites::default();
    let mut fixture = Fixture::with(ServerOptions::default().failing_writes(&writes)).await;
    fixture.server.allow().log_error("store.writes_fail");
    let path = format!("/v1/inboxes/{}/messages", fixture.alice.inbox.id);
    for n in 1usize.. {
        let body = json!({ "to": fixture.bob.inbox.address, "subject": format!("Write {n}"), "text": "Hello." });
        let api = fixture.alice.api.idempotent(&format!("write-{n}"));
        writes.fail_nth(point, u64::try_from(n).unwrap());
        let mut sent = api.post(&path, body.clone()).await;
        if sent.status == 503 {
            fixture.server.until_ready().await;
            sent = api.post(&path, body).await;
        }
        let id = sent.expect(202).text("id").to_owned();
        fixture.server.settle_with_failing_writes().await;
        fixture.server.advance(LEASE_MS + SECOND_MS).await;
        fixture.server.advance(SECOND_MS).await;
        let failed = writes.stop();
        assert_eq!(fixture.alice.statuses(&id).await, ["delivered"], "{point:?} {n}");
        let subjects: Vec<String> = (1..=n).map(|n| format!("Write {n}")).collect();
        assert_eq!(fixture.bob.subjects().await, subjects, "{point:?} {n}");
        assert_eq!(fixture.alice.events().await, ["message.sent", "message.delivered"].repeat(n), "{point:?} {n}");
        fixture.expect_nothing_left().await;
        if failed == 0 {
            assert!(n > 4, "a message has a write for each step");
            break;
        }
    }
    fixture.server.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_fails_loses_and_repeats_nothing() {
    for point in [WritePoint::Begin, WritePoint::Commit, WritePoint::AfterCommit] {
        each_write_fails_once(point).await;
    }
}

#[tokio::test]
async fn an_inbox_deleted_before_its_copy_is_stored_bounces() {
    let fixture = Fixture::open().await;
    let berta = fixture.server.inbox_named(&fixture.bob.key, "berta").await;
    let id = fixture.alice.send(&[&fixture.bob.inbox.address, &berta.address], "Plan").await;
    fixture.bob.api.delete(&format!("/v1/inboxes/{}", fixture.bob.inbox.id)).await.expect(204);
    fixture.server.settle().await;
    assert_eq!(fixture.alice.statuses(&id).await, ["bounced", "delivered"]);
    let message = fixture.alice.message(&id).await;
    let entry = &message["delivery"][0];
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(550), &json!("5.1.1")));
    assert_eq!(entry["detail"], "There is no such inbox on this server.");
    let suppressed = fixture.alice.api.get("/v1/suppressions").await.expect(200);
    assert_eq!(suppressed.data()[0]["address"], fixture.bob.inbox.address.as_str());
    let log = fixture.alice.log().await;
    let bounced = log.iter().find(|event| event["type"] == "message.bounced").expect("the bounce has an event");
    assert_eq!(bounced["data"]["bounce"]["type"], "hard");
    fixture.expect_nothing_left().await;

    // Without any inbox left, the content isn't kept.
    let other = fixture.alice.send(&[&berta.address], "Other").await;
    fixture.bob.api.delete(&format!("/v1/inboxes/{}", berta.id)).await.expect(204);
    fixture.server.settle().await;
    assert_eq!(fixture.alice.statuses(&other).await, ["bounced"]);
    fixture.expect_nothing_left().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_paused_inbox_gets_its_copy_and_the_event_after_the_pause() {
    let fixture = Fixture::open().await;
    let path = format!("/v1/inboxes/{}", fixture.bob.inbox.id);
    let id = fixture.send("Plan").await;
    fixture.bob.api.post(&format!("{path}/pause"), json!({})).await.expect(200);
    fixture.server.settle().await;
    assert_eq!(fixture.alice.statuses(&id).await, ["delivered"]);
    assert_eq!((fixture.bob.subjects().await, fixture.bob.events().await), (vec!["Plan".to_owned()], vec![]));
    fixture.bob.api.post_empty(&format!("{path}/resume")).await.expect(200);
    assert_eq!(fixture.bob.events().await, ["message.received"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_pause_of_the_sender_holds_what_is_not_delivered_yet() {
    let fixture = Fixture::open().await;
    let path = format!("/v1/inboxes/{}", fixture.alice.inbox.id);
    let id = fixture.send("Plan").await;
    fixture.alice.api.post(&format!("{path}/pause"), json!({})).await.expect(200);
    fixture.server.settle().await;
    fixture.server.advance(3_600 * SECOND_MS).await;
    assert_eq!((fixture.alice.statuses(&id).await, fixture.bob.subjects().await.len()), (vec!["queued".to_owned()], 0));
    fixture.alice.api.post_empty(&format!("{path}/resume")).await.expect(200);
    fixture.server.settle().await;
    assert_eq!(fixture.alice.statuses(&id).await, ["delivered"]);
    assert_eq!(fixture.bob.subjects().await, ["Plan"]);
    fixture.expect_nothing_left().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_message_deleted_by_its_sender_is_delivered_anyway() {
    let fixture = Fixture::open().await;
    let id = fixture.send("Plan").await;
    let thread = fixture.alice.message(&id).await.text("thread_id").to_owned();
    fixture.alice.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    fixture.server.settle().await;
    assert_eq!(fixture.bob.subjects().await, ["Plan"]);
    assert_eq!(fixture.alice.events().await, [""; 0]);

    let id = fixture.send("Last").await;
    fixture.alice.api.delete(&format!("/v1/inboxes/{}", fixture.alice.inbox.id)).await.expect(204);
    fixture.server.settle().await;
    assert_eq!(fixture.bob.subjects().await, ["Plan", "Last"]);
    fixture.alice.api.get(&format!("/v1/messages/{id}")).await.expect(404);
    fixture.expect_nothing_left().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_lost_job_is_recreated() {
    let fixture = Fixture::open().await;
    let id = fixture.send("Plan").await;
    let lose = |tx: &mut Tx| -> Result<(), Error> {
        let (first,) = tx.one::<(Uuid,)>(&super::FIRST_DELIVERY, p![])?.expect("a delivery waits");
        jobs::cancel(tx, JobKind::LocalDelivery, first)
    };
    fixture.server.store().write(lose).await.unwrap();
    fixture.server.settle().await;
    assert_eq!(fixture.alice.statuses(&id).await, ["queued"]);
    assert_eq!(reconcile::run(fixture.server.service()).await.unwrap(), 1);
    fixture.server.settle().await;
    assert_eq!(fixture.alice.statuses(&id).await, ["delivered"]);
    assert_eq!(reconcile::run(fixture.server.service()).await.unwrap(), 0);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_dead_job_fails_its_message_with_an_event() {
    let mut fixture = Fixture::open().await;
    let id = fixture.send("Plan").await;
    let now = fixture.server.service().clock.now();
    let die = move |tx: &mut Tx| -> Result<(), Error> {
        let kind = JobKind::LocalDelivery;
        let ids: Vec<JobId> = tx.rows::<(JobId,)>(&JOBS, p![kind])?.into_iter().map(|(id,)| id).collect();
        let lease = JobLease { token: Uuid::from_u128(1), now, until: now.plus_ms(60_000) };
        for job in jobs::claim(tx, kind, &ids, lease)? {
            assert!(jobs::settle(tx, &job, &JobOutcome::Dead { why: JobReason::Panicked })?);
        }
        Ok(())
    };
    fixture.server.store().write(die).await.unwrap();
    reconcile::run(fixture.server.service()).await.unwrap();
    let message = fixture.alice.message(&id).await;
    assert_eq!((&message["status"], &message["delivery"][0]["status"]), (&json!("failed"), &json!("failed")));
    assert_eq!(message["delivery"][0]["detail"], "not delivered: given up after 1 attempts (panicked)");
    assert_eq!(fixture.alice.events().await, ["message.bounced"]);
    assert_eq!((fixture.bob.subjects().await.len(), fixture.count(&DELIVERIES).await), (0, 0));
    assert_eq!(fixture.count(&super::LEFT_CONTENTS).await, 0);
    fixture.server.allow().dead(JobKind::LocalDelivery.text()).log_error("delivery.attempts_used_up");
    fixture.server.finish().await;
}
