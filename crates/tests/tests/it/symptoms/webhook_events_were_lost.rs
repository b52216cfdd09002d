//! The dispatcher noted how far it had read the log before the attempts were stored: when that write failed, the events had no
//! attempt and never came.

use posthouse_store::WritePoint;
use posthouse_tests::{Letter, Options, TestServer, fault::FailingWrites};
use serde_json::json;

use crate::routes::webhooks::World;

#[tokio::test]
async fn events_come_though_the_write_of_their_attempts_failed() {
    for point in [WritePoint::Begin, WritePoint::Commit, WritePoint::Committed] {
        let writes = FailingWrites::default();
        let mut world = World::on(TestServer::start(Options::default().failing_writes(&writes)).await).await;
        world.server.allow().log_error("store.writes_fail");
        let made = world.webhook(json!({})).await;
        for subject in ["one", "two", "three"] {
            world.server.deliver(&Letter::new(subject, "text"), &world.inbox.address).await;
        }
        // The first write of the dispatcher stores the attempts, the second settles them.
        for n in 1..=2 {
            writes.nth(point, n);
            world.server.settle_in_spite().await;
            assert_eq!(writes.end(), 1, "{point:?} {n}");
            world.server.deliver(&Letter::new("more", "text"), &world.inbox.address).await;
        }
        world.server.settle().await;
        let events = world.api.get("/v1/events").await.expect(200);
        let told: Vec<_> = events.data().iter().map(|event| event["id"].clone()).collect();
        let mut came: Vec<_> = world.sink.posts().iter().map(|post| post.json()["id"].clone()).collect();
        came.sort_by_key(|id| told.iter().position(|told| told == id));
        assert_eq!(came, told, "{point:?}");
        let attempts = world.attempts(&made).await;
        assert!(attempts.iter().all(|attempt| attempt["status"] == "succeeded"), "{point:?}: {attempts:?}");
        world.server.finish().await;
    }
}
