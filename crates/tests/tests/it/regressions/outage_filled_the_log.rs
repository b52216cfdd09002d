//! While writes failed, each failure and each retry of the dispatcher and the job runner was logged: 1,343 lines in one
//! minute with a full disk.

use posthouse_app::{jobs::runner, ports::Clock as _, webhooks::dispatch};
use posthouse_domain::time::{HOUR_MS, MINUTE_MS, SECOND_MS};
use posthouse_store::WritePoint;
use posthouse_tests::{ServerOptions, TestMessage, TestServer, fault::FailingWrites, log::LogLine};
use serde_json::json;

use crate::routes::webhooks::WebhookFixture;

/// Number of client writes during the outage.
const WRITES: u64 = 50;

/// Maximum number of writes until the end of the outage is logged.
const TRIES_MAX: usize = 20;

/// Returns the log lines except those about requests.
fn lines(server: &TestServer) -> Vec<String> {
    let logged = |line: &LogLine| !line.text.starts_with("http.request");
    server.log.lines().iter().filter(|line| logged(line)).map(|line| line.to_string()).collect()
}

#[tokio::test]
async fn an_outage_is_logged_when_it_begins_and_when_it_ends() {
    let writes = FailingWrites::default();
    let mut fixture =
        WebhookFixture::on(TestServer::start(ServerOptions::default().failing_writes(&writes)).await).await;
    fixture.server.allow().log_error("store.writes_fail");
    fixture.webhook(json!({})).await;
    fixture.server.deliver(&TestMessage::new("before", "text"), &fixture.inbox.address).await;
    let before = lines(&fixture.server).len();
    writes.fail_every(WritePoint::Commit);
    let (clock, app) = (fixture.server.clock.clone(), fixture.server.service().clone());
    let running = (tokio::spawn(runner::run(app.clone())), tokio::spawn(dispatch::run(app.clone())));
    for n in 0..WRITES {
        let refused = fixture.api.post("/v1/inboxes", json!({ "username": format!("refused{n}") })).await;
        refused.error("unavailable");
    }
    let fails = async |count: u64| {
        while writes.failed() < count {
            fixture.api.get("/healthz").await.expect(200);
        }
    };
    // The writes of the dispatcher. A write that shared a commit with a client's is counted with it.
    let more = writes.failed() + 2;
    clock.advance_until(HOUR_MS, fails(more)).await;
    clock.advance_until(MINUTE_MS, clock.sleep_until(clock.now().plus_ms(MINUTE_MS))).await;
    let logged = lines(&fixture.server)[before..].to_vec();
    assert_eq!(logged.len(), 1, "{logged:#?}");
    assert!(logged[0].starts_with("ERROR") && logged[0].contains("store.writes_fail cause="), "{logged:?}");

    running.0.abort();
    running.1.abort();
    let failed = writes.stop();
    // A write in progress at the end of the outage may still fail: before the end is looked for, none is.
    fixture.server.settle().await;
    let mut logged = Vec::new();
    for _ in 0..TRIES_MAX {
        clock.advance(6 * SECOND_MS);
        fixture.api.post("/v1/inboxes", json!({})).await.expect(201);
        logged = lines(&fixture.server)[before..].to_vec();
        if logged.len() > 1 {
            break;
        }
    }
    assert_eq!(logged.len(), 2, "{logged:#?}");
    let counted =
        logged[1].split_once("store.writes_work_again failed=").and_then(|(_, count)| count.parse::<u64>().ok());
    assert!(logged[1].starts_with("INFO") && counted.is_some_and(|count| count >= failed), "{failed}: {logged:?}");
    drop(app);
    fixture.server.advance(MINUTE_MS).await;
    assert_eq!(fixture.sink.kinds(), ["message.received"], "the waiting event arrives");
    fixture.server.finish().await;
}
