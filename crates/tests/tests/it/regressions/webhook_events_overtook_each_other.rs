//! An event without a thread (`draft.created`) was sent beside one of a thread of the same inbox, and the next event of
//! that thread after it. So the latter overtook the first one, which was still in progress.

use posthouse_app::webhooks::dispatch;
use posthouse_domain::time::SECOND_MS;
use posthouse_tests::{TestMessage, WebhookReply};
use serde_json::json;

use crate::routes::webhooks::WebhookFixture;

/// A number of requests that takes long enough for a possible attempt to be made.
const REQUESTS_TO_WAIT: usize = 500;

#[tokio::test]
async fn a_later_event_of_a_thread_waits_for_the_one_in_progress() {
    let fixture = WebhookFixture::new().await;
    fixture.webhook(json!({ "events": ["message.received", "draft.created"] })).await;
    let first = TestMessage::new("one", "text").with("Message-ID", "<1@remote.example>");
    fixture.server.deliver(&first, &fixture.inbox.address).await;
    fixture
        .api
        .post(&format!("/v1/inboxes/{}/drafts", fixture.inbox.id), json!({ "subject": "draft" }))
        .await
        .expect(201);
    let second = TestMessage::new("two", "text").with("In-Reply-To", "<1@remote.example>");
    fixture.server.deliver(&second, &fixture.inbox.address).await;
    fixture.sink.next(WebhookReply::Silence);
    let app = fixture.server.service().clone();
    let delivering = tokio::spawn(async move { dispatch::run_due(&app).await });
    fixture.sink.wait_for_requests(1).await;
    for _ in 0..REQUESTS_TO_WAIT {
        fixture.api.get("/v1/account").await.expect(200);
    }
    assert_eq!(fixture.sink.kinds(), ["message.received"], "nothing is sent beside the first");
    fixture.server.clock.advance_until(11 * SECOND_MS, delivering).await.unwrap().unwrap();
    assert_eq!(fixture.sink.kinds(), ["message.received", "draft.created", "message.received"]);
    fixture.server.finish().await;
}
