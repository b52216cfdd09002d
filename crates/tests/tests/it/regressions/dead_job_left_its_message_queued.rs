//! A dead job, after a panic or repeated store failures, left its message `queued` forever.

use posthouse_app::jobs::reconcile;
use posthouse_domain::{
    id::JobId,
    job::{JobKind, JobReason},
    plan::Plan,
};
use posthouse_store::{
    Error,
    jobs::{self, JobLease, JobOutcome},
    p, statements,
};
use posthouse_tests::TestServer;
use serde_json::json;
use uuid::Uuid;

statements! {
    JOBS = "SELECT id FROM jobs WHERE kind = $1 ORDER BY id";
}

#[tokio::test]
async fn a_dead_job_fails_its_message_with_an_event() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let body = json!({ "to": "dana@b.example", "subject": "Plan", "text": "Here." });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), body).await.expect(202);
    let now = server.service().clock.now();
    let die = move |tx: &mut posthouse_store::Tx| -> Result<(), Error> {
        let ids: Vec<JobId> = tx.rows::<(JobId,)>(&JOBS, p![JobKind::Outbound])?.into_iter().map(|(id,)| id).collect();
        let lease = JobLease { token: Uuid::from_u128(1), now, until: now.plus_ms(60_000) };
        for job in jobs::claim(tx, JobKind::Outbound, &ids, lease)? {
            assert!(jobs::settle(tx, &job, &JobOutcome::Dead { why: JobReason::Panicked })?);
        }
        Ok(())
    };
    server.store().write(die).await.unwrap();
    reconcile::run(server.service()).await.unwrap();
    let path = format!("/v1/messages/{}", sent.text("id"));
    let after = api.get(&path).await.expect(200);
    let entry = &after["delivery"][0];
    assert_eq!((&after["status"], &entry["status"]), (&json!("failed"), &json!("failed")));
    assert_eq!(entry["detail"], "not sent: given up after 1 attempts (panicked)");
    let events = api.get("/v1/events").await.expect(200);
    assert_eq!(events.data().len(), 1, "{}", events.json);
    let event = &events.data()[0];
    assert_eq!((&event["type"], &event["data"]["bounce"]["type"]), (&json!("message.bounced"), &json!("soft")));
    assert_eq!(event["data"]["bounce"]["recipients"][0]["address"], "dana@b.example");
    reconcile::run(server.service()).await.unwrap();
    assert_eq!(api.get("/v1/events").await.data().len(), 1, "announced once");
    server.allow().dead(JobKind::Outbound.text()).log_error("delivery.attempts_used_up");
    server.finish().await;
}
