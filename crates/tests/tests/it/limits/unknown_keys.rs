//! Unknown API keys of an address. Each costs a read of the database.

use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_store::keys;
use posthouse_tests::{ServerOptions, TestServer};

use super::{assert_at_limit, metric, unknown_key};

/// Unknown keys a minute.
const UNKNOWN: u64 = 5;

#[tokio::test]
async fn unknown_keys_are_refused_without_a_read_and_accepted_keys_still_work() {
    let options = ServerOptions::default().configure(|config| config.limits.unknown_keys_per_minute = Some(UNKNOWN));
    let server = TestServer::start(options).await;
    let (neighbor, newcomer) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    server.api(&neighbor).get("/v1/inboxes").await.expect(200);
    let guess = |at: u8| server.anonymous().with_key(&unknown_key(at));
    for at in 0..5 {
        guess(at).get("/v1/inboxes").await.error("unauthorized");
    }
    let before = server.units();
    for at in 0..20 {
        let refused = guess(at).get("/v1/inboxes").await;
        assert_at_limit(refused, "rate_limited", LimitName::UnknownKeysPerMinute, UNKNOWN);
    }
    assert_eq!(server.units(), before, "a refused key costs no read");
    assert_eq!(metric(&server, "limit_refusals_total", LimitName::UnknownKeysPerMinute).await, 20);
    server.api(&neighbor).get("/v1/inboxes").await.expect(200);
    server.api(&newcomer).get("/v1/inboxes").await.error("rate_limited");
    server.clock.advance(60_000);
    server.api(&newcomer).get("/v1/inboxes").await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn a_revoked_key_stops_at_once_and_counts_as_unknown() {
    let options = ServerOptions::default().configure(|config| config.limits.unknown_keys_per_minute = Some(2));
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    server.api(&key).get("/v1/inboxes").await.expect(200);
    let (id, now) = (key.id, posthouse_app::ports::Clock::now(&server.clock));
    assert!(server.store().write(move |tx| keys::revoke(tx, id, now)).await.unwrap());
    for _ in 0..3 {
        server.api(&key).get("/v1/inboxes").await.error("unauthorized");
    }
    server.api(&key).get("/v1/inboxes").await.error("rate_limited");
    server.finish().await;
}
