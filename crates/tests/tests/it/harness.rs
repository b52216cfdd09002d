//! The harness itself: that its faults are faults, and that it finds at the end of a test what must not be there.

use posthouse_domain::{
    id::{Ids, JobId},
    plan::Plan,
};
use posthouse_server::ports::Clock;
use posthouse_store::{DatabaseUrl, Engine, Error, jobs};
use posthouse_tests::{
    Options, TestServer,
    fault::{HeldLock, Proxy},
    postgres::Cluster,
    smtp::SmtpClient,
};

/// What a test that ends wrongly says.
async fn end_of(server: TestServer) -> String {
    let ended = tokio::spawn(server.finish()).await;
    let panic = ended.expect_err("the end must complain").into_panic();
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

async fn enqueue(server: &TestServer, attempt_max: u32) {
    let key = server.workspace(Plan::Team).await;
    let (ids, now) = (Ids::new(server.clock.now(), [1; 8]), server.clock.now());
    let id: JobId = ids.next();
    let job = jobs::NewJob {
        id,
        kind: "of_nobody",
        workspace: key.workspace,
        subject: ids.next(),
        lane: String::new(),
        run_at: now,
        attempt_max,
        why: "test",
        created_at: now,
    };
    server.store().write(move |tx| -> Result<(), Error> { jobs::enqueue(tx, &job) }).await.unwrap();
}

#[tokio::test]
async fn a_due_job_at_the_end_is_told_unless_declared() {
    let server = TestServer::plain().await;
    enqueue(&server, 1).await;
    let said = end_of(server).await;
    assert!(said.contains("of_nobody"), "{said}");

    let mut server = TestServer::plain().await;
    enqueue(&server, 1).await;
    server.allow().due("of_nobody");
    server.finish().await;
}

#[tokio::test]
async fn a_log_line_of_level_error_is_told_unless_declared() {
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
            let said = end_of(server).await;
            assert!(said.contains("the unit is broken"), "{said}");
        }
    }
}

#[tokio::test]
#[should_panic(expected = "must end with server.finish()")]
async fn a_test_that_forgets_the_end_fails() {
    drop(TestServer::plain().await);
}

#[tokio::test]
async fn the_mail_exchanger_answers_and_follows_the_manual_clock() {
    let server = TestServer::plain().await;
    let mut client = server.smtp().await;
    client.line("MAIL FROM:<a@remote.example>").await.says(250, "2.1.0");
    client.line("RCPT TO:<nobody@agents.localhost>").await.says(550, "5.1.1");
    client.quit().await;

    let mut client = server.smtp().await.starttls().await;
    let began = server.clock.now();
    let idle_ms = server.config().smtp.idle_timeout_ms;
    server.clock.go_on(2 * idle_ms, client.reply()).await.expect(421);
    assert!(server.clock.now().since_ms(began) >= idle_ms, "it was sent away early");
    assert_eq!(client.reply_or_end().await, None);
    server.finish().await;
}

#[tokio::test]
async fn a_crash_ends_every_connection_and_the_store_is_there_again() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let mut client = SmtpClient::greeted(server.smtp_address()).await;
    server.crash().await;
    assert_eq!(client.reply_or_end().await, None);
    server.api(&key).get("/v1/account").await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn a_database_that_goes_away_is_503_and_comes_back() {
    let proxy = Proxy::before(&Cluster::shared().create_database()).await;
    let mut server = TestServer::start(Options::default().database(proxy.url())).await;
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
    let unready = server.anonymous().get("/readyz").await.error("unavailable");
    assert_eq!(unready["error"]["details"]["reason"], "store");
    server.anonymous().get("/healthz").await.expect(200);
    proxy.mend();
    server.until_ready().await;
    api.get("/v1/account").await.expect(200);
    smtp.line("RSET").await.expect(250);
    smtp.mail("a@remote.example", &[&inbox.address], raw).await.expect(250);
    let list = api.get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
    assert_eq!(list.data().len(), 2, "what was put off is not there");
    server.finish().await;
}

#[tokio::test]
async fn a_held_lock_is_503_for_writers_while_readers_go_on() {
    let mut server = TestServer::start(Options::default().on(Engine::Sqlite)).await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    api.get("/v1/account").await.expect(200);
    let lock = HeldLock::on(&DatabaseUrl::Sqlite(server.data_dir().join("posthouse.db"))).await;
    let reply = server.anonymous().get("/readyz").await.error("unavailable");
    assert_eq!(reply["error"]["details"]["reason"], "store");
    api.get("/v1/account").await.expect(200);
    lock.release().await;
    server.clock.advance(1_000);
    server.anonymous().get("/readyz").await.expect(200);
    server.allow().log_error("store.writes_fail");
    server.finish().await;
}
