//! Tests of the harness itself: its faults take effect, and it reports leftovers at the end of a test.

use posthouse_app::ports::Clock;
use posthouse_domain::{
    id::{IdGenerator, JobId},
    plan::Plan,
};
use posthouse_store::{DatabaseUrl, Engine, Error, Tx, p, statements};
use posthouse_tests::{
    ServerOptions, TestServer,
    fault::{HeldLock, Proxy},
    postgres::Cluster,
    smtp::TestSmtpClient,
};
use uuid::Uuid;

statements! {
    ADD_JOB = "INSERT INTO jobs (id, kind, workspace_id, subject_id, job_group, run_at, attempt, attempt_max, state, why, created_at)
        VALUES ($1, $2, $3, $4, '', $5, 0, $6, 'ready', 'test', $5)";
}

/// Finishes a server that must fail its final checks, and returns the failure message.
async fn failure_of(server: TestServer) -> String {
    let ended = tokio::spawn(server.finish()).await;
    let panic = ended.expect_err("the final checks must fail").into_panic();
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

async fn enqueue(server: &TestServer, attempt_max: u32) {
    let key = server.workspace(Plan::Team).await;
    let (ids, now) = (IdGenerator::new(server.clock.now(), [1; 8]), server.clock.now());
    let (id, subject): (JobId, Uuid) = (ids.next(), ids.next());
    let add = move |tx: &mut Tx| -> Result<u64, Error> {
        tx.exec(&ADD_JOB, p![id, "unknown_kind", key.workspace, subject, now, attempt_max])
    };
    server.store().write(add).await.unwrap();
}

#[tokio::test]
async fn a_due_job_at_the_end_fails_the_test_unless_declared() {
    let server = TestServer::plain().await;
    enqueue(&server, 1).await;
    let failure = failure_of(server).await;
    assert!(failure.contains("unknown_kind"), "{failure}");

    let mut server = TestServer::plain().await;
    enqueue(&server, 1).await;
    server.allow().due("unknown_kind");
    server.finish().await;
}

#[tokio::test]
async fn an_error_log_line_fails_the_test_unless_declared() {
    for declared in [false, true] {
        let mut server = TestServer::plain().await;
        let outcome: Result<(), Error> = server
            .store()
            .write(|_| {
                tracing::error!("the unit is broken");
                Ok(())
            })
            .await;
        outcome.unwrap();
        if declared {
            server.allow().log_error("the unit is broken");
            server.finish().await;
        } else {
            let failure = failure_of(server).await;
            assert!(failure.contains("the unit is broken"), "{failure}");
        }
    }
}

#[tokio::test]
#[should_panic(expected = "must end with server.finish()")]
async fn a_test_that_does_not_finish_its_server_fails() {
    drop(TestServer::plain().await);
}

#[tokio::test]
async fn the_smtp_listener_replies_and_follows_the_manual_clock() {
    let server = TestServer::plain().await;
    let mut client = server.smtp().await;
    client.line("MAIL FROM:<a@remote.example>").await.expect_enhanced(250, "2.1.0");
    client.line("RCPT TO:<nobody@agents.localhost>").await.expect_enhanced(550, "5.1.1");
    client.quit().await;

    let mut client = server.smtp().await.starttls().await;
    let started = server.clock.now();
    let idle_ms = server.config().smtp.idle_timeout_ms;
    server.clock.advance_until(2 * idle_ms, client.reply()).await.expect(421);
    assert!(server.clock.now().since_ms(started) >= idle_ms, "the session timed out early");
    assert_eq!(client.reply_or_end().await, None);
    server.finish().await;
}

#[tokio::test]
async fn a_crash_ends_every_connection_and_keeps_the_store() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let mut client = TestSmtpClient::connect_with_ehlo(server.smtp_address()).await;
    server.crash().await;
    assert_eq!(client.reply_or_end().await, None);
    server.api(&key).get("/v1/account").await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn an_unreachable_database_returns_503_until_it_is_back() {
    let proxy = Proxy::in_front_of(&Cluster::shared().create_database()).await;
    let mut server = TestServer::start(ServerOptions::default().database(proxy.url())).await;
    server.allow().log_error("store.writes_fail").log_error("store.reads_fail");
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    api.get("/v1/account").await.expect(200);
    let inbox = server.inbox(&key).await;
    let mut smtp = server.smtp().await;
    let raw = b"From: a@b.example\r\nSubject: x\r\n\r\ny\r\n";
    smtp.mail("a@remote.example", &[&inbox.address], raw).await.expect(250);
    proxy.cut();
    api.get("/v1/account").await.error("unavailable");
    api.post("/v1/inboxes", serde_json::json!({})).await.error("unavailable");
    assert_eq!(smtp.mail("a@remote.example", &[&inbox.address], raw).await.code, 451);
    let not_ready = server.anonymous().get("/readyz").await.error("unavailable");
    assert_eq!(not_ready["error"]["details"]["reason"], "store");
    server.anonymous().get("/healthz").await.expect(200);
    proxy.restore();
    server.until_ready().await;
    api.get("/v1/account").await.expect(200);
    smtp.line("RSET").await.expect(250);
    smtp.mail("a@remote.example", &[&inbox.address], raw).await.expect(250);
    let list = api.get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
    assert_eq!(list.data().len(), 2, "the message refused with 451 was stored");
    server.finish().await;
}

#[tokio::test]
async fn a_held_write_lock_returns_503_to_writers_but_not_to_readers() {
    let mut server = TestServer::start(ServerOptions::default().on(Engine::Sqlite)).await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    api.get("/v1/account").await.expect(200);
    let lock = HeldLock::acquire(&DatabaseUrl::Sqlite(server.data_dir().join("posthouse.db"))).await;
    let reply = server.anonymous().get("/readyz").await.error("unavailable");
    assert_eq!(reply["error"]["details"]["reason"], "store");
    api.get("/v1/account").await.expect(200);
    lock.release().await;
    server.clock.advance(1_000);
    server.anonymous().get("/readyz").await.expect(200);
    server.allow().log_error("store.writes_fail");
    server.finish().await;
}
