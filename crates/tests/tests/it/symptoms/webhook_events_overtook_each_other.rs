//! An event without a conversation (`draft.created`) went out beside one of a conversation of its inbox, and the next event of
//! that conversation behind the draft's: so it overtook the one before it, which was still under way.

use posthouse_domain::time::SECOND_MS;
use posthouse_server::jobs::webhooks;
use posthouse_tests::{Letter, Say};
use serde_json::json;

use crate::routes::webhooks::World;

/// Requests in whose time an attempt that may begin is made.
const ENOUGH: usize = 500;

#[tokio::test]
async fn a_later_event_of_a_conversation_waits_for_the_one_under_way() {
    let world = World::new().await;
    world.webhook(json!({ "events": ["message.received", "draft.created"] })).await;
    let first = Letter::new("one", "text").with("Message-ID", "<1@remote.example>");
    world.server.deliver(&first, &world.inbox.address).await;
    world.api.post(&format!("/v1/inboxes/{}/drafts", world.inbox.id), json!({ "subject": "draft" })).await.expect(201);
    let second = Letter::new("two", "text").with("In-Reply-To", "<1@remote.example>");
    world.server.deliver(&second, &world.inbox.address).await;
    world.sink.next(Say::Silence);
    let app = world.server.app().clone();
    let carrying = tokio::spawn(async move { webhooks::run_due(&app).await });
    world.sink.arrived(1).await;
    for _ in 0..ENOUGH {
        world.api.get("/v1/account").await.expect(200);
    }
    assert_eq!(world.sink.kinds(), ["message.received"], "nothing goes beside the first");
    world.server.clock.go_on(11 * SECOND_MS, carrying).await.unwrap().unwrap();
    assert_eq!(world.sink.kinds(), ["message.received", "draft.created", "message.received"]);
    world.server.finish().await;
}
