//! Every write of a busy hour fails once: the first in one run, the second in the next, until a run has fewer writes.
//! Everything acknowledged with 250 or 2xx is stored, every event reaches the webhook and the stream once and in the
//! order of its thread, and every message that another server accepted is sent once and marked as sent.
//!
//! Clients behave as real ones: they retry after a 451 or a 503.

mod run;

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::time::MINUTE_MS;
use posthouse_store::WritePoint;
use posthouse_tests::{ServerOptions, TestServer, fault::FailingWrites, smtp_sink::SmtpSink};

use self::run::WorkloadRun;

/// The state that runs share.
struct Fixture {
    server: TestServer,
    writes: FailingWrites,
    /// The mail exchanger of all external domains.
    exchanger: SmtpSink,
}

impl Fixture {
    async fn new() -> Self {
        let (writes, exchanger) = (FailingWrites::default(), SmtpSink::start().await);
        let port = exchanger.address.port();
        let options = ServerOptions::default().failing_writes(&writes).configure(move |config| {
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = port;
            config.delivery.retry_schedule_ms = vec![MINUTE_MS, MINUTE_MS];
        });
        let server = TestServer::start(options).await;
        for domain in ["b.example", "c.example"] {
            server.dns.mx(domain, 10, "mx.b.example");
        }
        server.dns.address("mx.b.example", exchanger.address.ip());
        Self { server, writes, exchanger }
    }
}

async fn each_write_fails_once(point: WritePoint) {
    let mut fixture = Fixture::new().await;
    fixture.server.allow().log_error("store.writes_fail");
    let mut n = 0;
    loop {
        n += 1;
        let mut run = WorkloadRun::prepare(&fixture, n).await;
        fixture.writes.fail_nth(point, n);
        run.execute(&fixture).await;
        let failed = fixture.writes.stop();
        run.verify(&fixture, point).await;
        if failed == 0 {
            break;
        }
    }
    println!("{point:?}: {} writes, each failed once", n - 1);
    assert!(n > 30, "a run has only {n} writes");
    fixture.server.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_cannot_begin_loses_nothing() {
    each_write_fails_once(WritePoint::Begin).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_fails_at_its_commit_loses_nothing() {
    each_write_fails_once(WritePoint::Commit).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_committed_write_reported_as_failed_loses_nothing() {
    each_write_fails_once(WritePoint::AfterCommit).await;
}
