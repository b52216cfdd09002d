//! A mail that a server had taken was sent again when the write that notes it failed, and stayed `queued` for a lease and more
//! after the outage.

use posthouse_domain::time::{MINUTE_MS, SECOND_MS};
use posthouse_server::{
    config::DeliveryMode,
    jobs::{kind::LEASE_MS, runner},
    ports::Clock as _,
};
use posthouse_store::WritePoint;
use posthouse_tests::{Options, TestServer, fault::FailingWrites, smtp_sink::SmtpSink};

use crate::journeys::delivery::Post;

/// How long the server elsewhere takes for the text, in milliseconds: longer than the pauses of a runner, and less than its sleep.
const TAKING_MS: i64 = 3 * SECOND_MS;
/// The pauses of a runner are below this, in milliseconds.
const PAUSE_MS: i64 = 100;
/// An outage, in milliseconds; a lease is shorter.
const OUTAGE_MS: i64 = 3 * MINUTE_MS;
/// Writes that fail one after the other.
const FAILING: u64 = 8;

async fn start(writes: &FailingWrites) -> Post {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let options = Options::default().failing_writes(writes).configure(move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
    });
    let mut post = Post::on(TestServer::start(options).await, sink).await;
    post.server.allow().log_error("store.writes_fail");
    post.exchanger("b.example", 10, "mx1.b.example", post.sink.address.ip());
    post
}

#[tokio::test]
async fn it_is_sent_once_and_settled_within_a_lease() {
    for point in [WritePoint::Begin, WritePoint::Commit, WritePoint::Committed] {
        let writes = FailingWrites::default();
        let post = start(&writes).await;
        let (clock, began) = (post.server.clock.clone(), post.server.clock.now());
        let id = post.send(&["dana@b.example"]).await;
        // The first write is the claim.
        writes.some(point, 1, FAILING);
        clock.go_on(LEASE_MS - SECOND_MS, post.deliver()).await;
        // A write that was committed is found to be when it is tried again, and that one fails at no COMMIT of its own.
        assert!(writes.end() >= 1, "{point:?}");
        assert!(clock.now() < began.plus_ms(LEASE_MS), "{point:?}");
        assert_eq!(post.message(&id).await["status"], "delivered", "{point:?}");
        assert_eq!(post.sink.received().len(), 1, "{point:?}");
        assert_eq!(post.events().await, ["message.sent", "message.delivered"], "{point:?}");
        post.close().await;
    }
}

#[tokio::test]
async fn an_outage_that_outlasts_the_lease_sends_once_too() {
    let writes = FailingWrites::default();
    let mut post = start(&writes).await;
    post.sink.slow(&post.server.clock, TAKING_MS);
    let clock = post.server.clock.clone();
    let id = post.send(&["dana@b.example"]).await;
    let running = tokio::spawn(runner::run(post.server.app().clone()));
    let asked = async || drop(post.api.get("/healthz").await.expect(200));
    clock.go_on(SECOND_MS, post.sink.connected(1)).await;
    writes.all(WritePoint::Commit);
    // Time goes on by pauses alone until the text is there.
    loop {
        let now = clock.now();
        match clock.next_deadline() {
            Some(next) if next <= now.plus_ms(PAUSE_MS) => clock.set(next),
            Some(next) if next <= now.plus_ms(TAKING_MS) => break,
            _ => {}
        }
        asked().await;
    }
    clock.advance(TAKING_MS);
    post.sink.taken(1).await;
    let fails = async {
        while writes.failed() < FAILING {
            asked().await
        }
    };
    clock.go_on(10 * MINUTE_MS, fails).await;
    clock.go_on(OUTAGE_MS, clock.sleep_until(clock.now().plus_ms(OUTAGE_MS))).await;
    assert_eq!(post.message(&id).await["status"], "queued");
    writes.end();

    // Time cannot pass the bound: were the mail settled later, this would not end.
    let settled = async { while post.message(&id).await["status"] != "delivered" {} };
    clock.go_on(LEASE_MS - SECOND_MS, settled).await;
    let later = clock.now().plus_ms(3 * LEASE_MS);
    clock.go_on(3 * LEASE_MS, clock.sleep_until(later)).await;
    assert_eq!(post.sink.received().len(), 1);
    post.server.app().life.drain();
    clock.go_on(MINUTE_MS, running).await.expect("the runner ends");
    post.server.restart().await;
    post.close().await;
}
