//! The dispatcher saved its position in the log before the attempts: when the write of the attempts failed, the events
//! were never delivered.

use posthouse_store::WritePoint;
use posthouse_tests::{ServerOptions, TestMessage, TestServer, fault::FailingWrites};
use serde_json::json;

use crate::routes::webhooks::WebhookFixture;

#[tokio::test]
async fn events_arrive_although_the_write_of_their_attempts_failed() {
    for point in [WritePoint::Begin, WritePoint::Commit, WritePoint::AfterCommit] {
        let writes = FailingWrites::default();
        let mut fixture =
            WebhookFixture::on(TestServer::start(ServerOptions::default().failing_writes(&writes)).await).await;
        fixture.server.allow().log_error("store.writes_fail");
        let made = fixture.webhook(json!({})).await;
        for subject in ["one", "two", "three"] {
            fixture.server.deliver(&TestMessage::new(subject, "text"), &fixture.inbox.address).await;
        }
        // The first write of the dispatcher stores the attempts, the second their outcomes.
        for n in 1..=2 {
            writes.fail_nth(point, n);
            fixture.server.settle_with_failing_writes().await;
            assert_eq!(writes.stop(), 1, "{point:?} {n}");
            fixture.server.deliver(&TestMessage::new("more", "text"), &fixture.inbox.address).await;
        }
        fixture.server.settle().await;
        let events = fixture.api.get("/v1/events").await.expect(200);
        let logged: Vec<_> = events.data().iter().map(|event| event["id"].clone()).collect();
        let mut arrived: Vec<_> = fixture.sink.posts().iter().map(|post| post.json()["id"].clone()).collect();
        arrived.sort_by_key(|id| logged.iter().position(|logged| logged == id));
        assert_eq!(arrived, logged, "{point:?}");
        let attempts = fixture.attempts(&made).await;
        assert!(attempts.iter().all(|attempt| attempt["status"] == "succeeded"), "{point:?}: {attempts:?}");
        fixture.server.finish().await;
    }
}
