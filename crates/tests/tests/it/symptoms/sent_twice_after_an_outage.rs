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

/// How long the server elsewhere takes for the text, in milliseconds: the claim is committed by then.
const TAKING_MS: i64 = 5 * SECOND_MS;

/// Writes that fail at least.
const TRIES_MIN: u64 = 4;

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
    post.sink.slow(&post.server.clock, TAKING_MS);
    post
}

async fn is_sent_once_and_settled(point: WritePoint, outage_ms: i64) {
    let writes = FailingWrites::default();
    let mut post = start(&writes).await;
    let clock = post.server.clock.clone();
    let id = post.send(&["dana@b.example"]).await;
    let running = tokio::spawn(runner::run(post.server.app().clone()));
    clock.go_on(SECOND_MS, post.sink.connected(1)).await;
    writes.all(point);
    clock.go_on(2 * TAKING_MS, post.sink.taken(1)).await;
    let again_and_again = async {
        while writes.failed() < TRIES_MIN {
            post.api.get("/healthz").await.expect(200);
        }
    };
    clock.go_on(10 * MINUTE_MS, again_and_again).await;
    clock.go_on(outage_ms, clock.sleep_until(clock.now().plus_ms(outage_ms))).await;
    assert_eq!(post.message(&id).await["status"], "queued", "{point:?}");
    writes.end();

    // Time cannot pass the bound: were the mail settled later, this would not end.
    let settled = async { while post.message(&id).await["status"] != "delivered" {} };
    clock.go_on(LEASE_MS - SECOND_MS, settled).await;
    let later = clock.now().plus_ms(3 * LEASE_MS);
    clock.go_on(3 * LEASE_MS, clock.sleep_until(later)).await;
    assert_eq!(post.sink.received().len(), 1, "{point:?}");
    assert_eq!(post.events().await, ["message.sent", "message.delivered"], "{point:?}");
    post.server.app().life.drain();
    clock.go_on(MINUTE_MS, running).await.expect("the runner ends");
    post.server.restart().await;
    post.close().await;
}

#[tokio::test]
async fn a_short_outage_sends_once_and_is_over_within_a_lease() {
    is_sent_once_and_settled(WritePoint::Begin, 5 * SECOND_MS).await;
    is_sent_once_and_settled(WritePoint::Commit, 5 * SECOND_MS).await;
    is_sent_once_and_settled(WritePoint::Committed, 5 * SECOND_MS).await;
}

#[tokio::test]
async fn one_that_outlasts_the_lease_does_too() {
    is_sent_once_and_settled(WritePoint::Commit, 3 * MINUTE_MS).await;
}
