//! The recovery of jobs: lost jobs are recreated, and jobs of kinds that this version doesn't know stay.

use posthouse_app::{jobs::reconcile, ports::Clock as _};
use posthouse_domain::{
    id::{IdGenerator, JobId},
    job::JobKind,
    plan::Plan,
    time::HOUR_MS,
};
use posthouse_store::{Error, Tx, jobs, p, statements};
use posthouse_tests::{ServerOptions, TestServer, smtp::TestSmtpClient};
use uuid::Uuid;

statements! {
    ADD_JOB = "INSERT INTO jobs (id, kind, workspace_id, subject_id, job_group, run_at, attempt, attempt_max, state, why, created_at)
        VALUES ($1, $2, $3, $4, '', $5, 0, 1, 'ready', $6, $5)";
    FORGET_JOBS = "DELETE FROM jobs WHERE kind = $1";
}

#[tokio::test]
async fn a_job_of_an_unknown_kind_waits_for_a_version_that_knows_it() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let ids = IdGenerator::new(server.clock.now(), [1; 8]);
    let (id, subject, now): (JobId, Uuid, _) = (ids.next(), ids.next(), server.clock.now());
    let add = move |tx: &mut Tx| -> Result<u64, Error> {
        tx.exec(&ADD_JOB, p![id, "later_kind", key.workspace, subject, now, "later_reason"])
    };
    server.store().write(add).await.unwrap();
    server.settle().await;
    reconcile::run(server.service()).await.unwrap();
    let counts = server.store().read(jobs::counts).await.unwrap();
    let expected = jobs::JobStateCount { kind: "later_kind".to_owned(), state: "ready".to_owned(), jobs: 1 };
    assert_eq!(counts, [expected]);
    server.allow().due("later_kind");
    server.finish().await;
}

#[tokio::test]
async fn a_lost_notice_about_role_mail_is_recreated() {
    let options =
        ServerOptions::default().configure(|config| config.mail.postmaster = Some("olga@ops.example".to_owned()));
    let server = TestServer::start(options).await;
    let api = server.api(&server.workspace(Plan::Team).await);
    let mut smtp = TestSmtpClient::connect_with_ehlo(server.smtp_address()).await;
    let mail = b"From: ada@far.example\r\nSubject: Hi\r\n\r\nHi\r\n";
    smtp.mail("ada@far.example", &["postmaster@agents.localhost"], mail).await.expect(250);
    smtp.quit().await;
    let lose = |tx: &mut Tx| -> Result<u64, Error> { tx.exec(&FORGET_JOBS, p![JobKind::RoleNotice]) };
    assert_eq!(server.store().write(lose).await.unwrap(), 1);
    assert_eq!(reconcile::run(server.service()).await.unwrap(), 1);
    assert_eq!(reconcile::run(server.service()).await.unwrap(), 0);
    server.settle().await;
    let outbox = api.get("/dev/outbox").await.expect(200);
    assert_eq!(outbox.data()[0]["envelope"]["to"], serde_json::json!(["olga@ops.example"]));
    server.advance(HOUR_MS).await;
    server.finish().await;
}
