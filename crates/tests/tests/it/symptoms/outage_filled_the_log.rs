//! While writes failed, each of them was a line in the log, and each try of the dispatcher and of the job runner another:
//! 1,343 in a minute of a full disk.

use posthouse_domain::time::{HOUR_MS, MINUTE_MS, SECOND_MS};
use posthouse_server::{
    jobs::{runner, webhooks},
    ports::Clock as _,
};
use posthouse_store::WritePoint;
use posthouse_tests::{Letter, Options, TestServer, fault::FailingWrites, log::Line};
use serde_json::json;

use crate::routes::webhooks::World;

/// Writes of clients in the outage.
const WRITES: u64 = 50;

/// Writes that may be made until the end of the outage is told.
const TRIES_MAX: usize = 20;

/// The lines that are no request's.
fn lines(server: &TestServer) -> Vec<String> {
    let told = |line: &Line| !line.text.starts_with("http.request");
    server.log.lines().iter().filter(|line| told(line)).map(|line| line.to_string()).collect()
}

#[tokio::test]
async fn an_outage_is_told_when_it_begins_and_when_it_is_over() {
    let writes = FailingWrites::default();
    let mut world = World::on(TestServer::start(Options::default().failing_writes(&writes)).await).await;
    world.server.allow().log_error("store.writes_fail");
    world.webhook(json!({})).await;
    world.server.deliver(&Letter::new("before", "text"), &world.inbox.address).await;
    let before = lines(&world.server).len();
    writes.all(WritePoint::Commit);
    let (clock, app) = (world.server.clock.clone(), world.server.app().clone());
    let running = (tokio::spawn(runner::run(app.clone())), tokio::spawn(webhooks::run(app.clone())));
    for n in 0..WRITES {
        let refused = world.api.post("/v1/inboxes", json!({ "username": format!("refused{n}") })).await;
        refused.error("unavailable");
    }
    let fails = async |count: u64| {
        while writes.failed() < count {
            world.api.get("/healthz").await.expect(200);
        }
    };
    // Those of the dispatcher; what shared a commit with a client's is counted with that.
    let more = writes.failed() + 2;
    clock.go_on(HOUR_MS, fails(more)).await;
    clock.go_on(MINUTE_MS, clock.sleep_until(clock.now().plus_ms(MINUTE_MS))).await;
    let told = lines(&world.server)[before..].to_vec();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].starts_with("ERROR") && told[0].contains("store.writes_fail cause="), "{told:?}");

    running.0.abort();
    running.1.abort();
    let failed = writes.end();
    // A write that was under way when the outage ended may still fail: then it is over a while after that one.
    let mut told = Vec::new();
    for _ in 0..TRIES_MAX {
        clock.advance(6 * SECOND_MS);
        world.api.post("/v1/inboxes", json!({})).await.expect(201);
        told = lines(&world.server)[before..].to_vec();
        if told.len() > 1 {
            break;
        }
    }
    assert_eq!(told.len(), 2, "{told:#?}");
    let counted =
        told[1].split_once("store.writes_work_again failed=").and_then(|(_, count)| count.parse::<u64>().ok());
    assert!(told[1].starts_with("INFO") && counted.is_some_and(|count| count >= failed), "{failed}: {told:?}");
    drop(app);
    world.server.advance(MINUTE_MS).await;
    assert_eq!(world.sink.kinds(), ["message.received"], "what waited comes");
    world.server.finish().await;
}
