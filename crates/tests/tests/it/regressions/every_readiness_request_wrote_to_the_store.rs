//! Every readiness request wrote to the store: frequent requests slowed down mail, and all of them hit a failing store.

use futures_util::future::join_all;
use posthouse_store::{DatabaseUrl, Engine};
use posthouse_tests::{TestServer, fault::HeldLock, server::ServerOptions};

/// Number of concurrent requests.
const REQUESTS: usize = 30;

#[tokio::test(flavor = "multi_thread")]
async fn one_readiness_check_serves_all_requests_for_a_second() {
    let mut server = TestServer::start(ServerOptions::default().on(Engine::Sqlite)).await;
    server.allow().log_error("store.writes_fail");
    let api = server.anonymous();
    api.get("/readyz").await.expect(200);
    let lock = HeldLock::acquire(&DatabaseUrl::Sqlite(server.data_dir().join("posthouse.db"))).await;
    for reply in join_all((0..REQUESTS).map(|_| api.get("/readyz"))).await {
        reply.expect(200);
    }
    server.clock.advance(999);
    api.get("/readyz").await.expect(200);
    assert!(server.log.errors().is_empty(), "the store was not queried");

    server.clock.advance(1);
    for reply in join_all((0..REQUESTS).map(|_| api.get("/readyz"))).await {
        assert_eq!(reply.error("unavailable")["error"]["details"]["reason"], "store");
    }
    assert_eq!(server.log.errors().len(), 1, "one check for all requests");
    lock.release().await;
    server.clock.advance(1_000);
    api.get("/readyz").await.expect(200);
    server.finish().await;
}
