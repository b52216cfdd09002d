//! A message that a server had accepted was sent again when the write of the outcome failed, and stayed `queued` for
//! more than a lease after the outage.

use posthouse_app::{
    jobs::{definition::LEASE_MS, runner},
    ports::Clock as _,
    settings::DeliveryMode,
};
use posthouse_domain::time::{MINUTE_MS, SECOND_MS};
use posthouse_store::WritePoint;
use posthouse_tests::{ServerOptions, TestServer, fault::FailingWrites, smtp_sink::SmtpSink};

use crate::scenarios::delivery::DeliveryFixture;

/// How long the remote server needs for the message, in milliseconds: more than the runner's pauses and less than its
/// sleep.
const TRANSFER_MS: i64 = 3 * SECOND_MS;
/// Upper limit of the runner's pauses, in milliseconds.
const PAUSE_MS: i64 = 100;
/// The duration of the outage, in milliseconds. A lease is shorter.
const OUTAGE_MS: i64 = 3 * MINUTE_MS;
/// Number of consecutive writes that fail.
const FAILING: u64 = 8;

async fn start(writes: &FailingWrites) -> DeliveryFixture {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let options = ServerOptions::default().failing_writes(writes).configure(move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
    });
    let mut fixture = DeliveryFixture::on(TestServer::start(options).await, sink).await;
    fixture.server.allow().log_error("store.writes_fail");
    fixture.add_exchanger("b.example", 10, "mx1.b.example", fixture.sink.address.ip());
    fixture
}

#[tokio::test]
async fn a_message_is_sent_once_and_settled_within_a_lease() {
    for point in [WritePoint::Begin, WritePoint::Commit, WritePoint::AfterCommit] {
        let writes = FailingWrites::default();
        let fixture = start(&writes).await;
        let (clock, started) = (fixture.server.clock.clone(), fixture.server.clock.now());
        let id = fixture.send(&["dana@b.example"]).await;
        // The first write is the claim.
        writes.fail_range(point, 1, FAILING);
        clock.advance_until(LEASE_MS - SECOND_MS, fixture.deliver()).await;
        // A retry recognizes a committed write, so that it doesn't fail at a COMMIT of its own.
        assert!(writes.stop() >= 1, "{point:?}");
        assert!(clock.now() < started.plus_ms(LEASE_MS), "{point:?}");
        assert_eq!(fixture.message(&id).await["status"], "delivered", "{point:?}");
        assert_eq!(fixture.sink.received().len(), 1, "{point:?}");
        assert_eq!(fixture.events().await, ["message.sent", "message.delivered"], "{point:?}");
        fixture.close().await;
    }
}

#[tokio::test]
async fn a_message_is_sent_once_even_if_the_outage_outlasts_the_lease() {
    let writes = FailingWrites::default();
    let mut fixture = start(&writes).await;
    fixture.sink.delay_replies(&fixture.server.clock, TRANSFER_MS);
    let clock = fixture.server.clock.clone();
    let id = fixture.send(&["dana@b.example"]).await;
    let running = tokio::spawn(runner::run(fixture.server.service().clone()));
    let request = async || drop(fixture.api.get("/healthz").await.expect(200));
    clock.advance_until(SECOND_MS, fixture.sink.wait_for_connections(1)).await;
    writes.fail_every(WritePoint::Commit);
    // The clock only moves by pauses until the message is transferred.
    loop {
        let now = clock.now();
        match clock.next_deadline() {
            Some(next) if next <= now.plus_ms(PAUSE_MS) => clock.set(next),
            Some(next) if next <= now.plus_ms(TRANSFER_MS) => break,
            _ => {}
        }
        request().await;
    }
    clock.advance(TRANSFER_MS);
    fixture.sink.wait_for_messages(1).await;
    let fails = async {
        while writes.failed() < FAILING {
            request().await
        }
    };
    clock.advance_until(10 * MINUTE_MS, fails).await;
    clock.advance_until(OUTAGE_MS, clock.sleep_until(clock.now().plus_ms(OUTAGE_MS))).await;
    assert_eq!(fixture.message(&id).await["status"], "queued");
    writes.stop();

    // The clock can't pass the limit, so a later outcome would never arrive.
    let settled = async { while fixture.message(&id).await["status"] != "delivered" {} };
    clock.advance_until(LEASE_MS - SECOND_MS, settled).await;
    let later = clock.now().plus_ms(3 * LEASE_MS);
    clock.advance_until(3 * LEASE_MS, clock.sleep_until(later)).await;
    assert_eq!(fixture.sink.received().len(), 1);
    fixture.server.service().lifecycle.drain();
    clock.advance_until(MINUTE_MS, running).await.expect("the runner ends");
    fixture.server.restart().await;
    fixture.close().await;
}
