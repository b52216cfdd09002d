//! Every write of a busy hour fails once: the first in one run, the second in the next, until a run has fewer writes. Whatever
//! was answered with 250 or 2xx is there afterwards, every event reaches the webhook and the stream once and in the order of its
//! conversation, every mail that another server took is sent once and is known to be.
//!
//! Clients do what clients do: after a 451 or a 503 they try again.

mod run;

use posthouse_domain::time::MINUTE_MS;
use posthouse_server::config::DeliveryMode;
use posthouse_store::WritePoint;
use posthouse_tests::{Options, TestServer, fault::FailingWrites, smtp_sink::SmtpSink};

use self::run::Run;

/// What runs share.
struct World {
    server: TestServer,
    writes: FailingWrites,
    /// The mail exchanger of all domains elsewhere.
    exchanger: SmtpSink,
}

impl World {
    async fn new() -> Self {
        let (writes, exchanger) = (FailingWrites::default(), SmtpSink::start().await);
        let port = exchanger.address.port();
        let options = Options::default().failing_writes(&writes).configure(move |config| {
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
    let mut world = World::new().await;
    world.server.allow().log_error("store.writes_fail");
    let mut n = 0;
    loop {
        n += 1;
        let mut run = Run::prepare(&world, n).await;
        world.writes.nth(point, n);
        run.go(&world).await;
        let failed = world.writes.end();
        run.verify(&world, point).await;
        if failed == 0 {
            break;
        }
    }
    println!("{point:?}: {} writes, each failed once", n - 1);
    assert!(n > 30, "a run has only {n} writes");
    world.server.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_is_refused_loses_nothing() {
    each_write_fails_once(WritePoint::Begin).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_fails_at_its_commit_loses_nothing() {
    each_write_fails_once(WritePoint::Commit).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_is_committed_and_called_failed_loses_nothing() {
    each_write_fails_once(WritePoint::Committed).await;
}
