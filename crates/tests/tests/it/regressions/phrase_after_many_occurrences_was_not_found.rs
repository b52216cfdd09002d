//! PostgreSQL stores at most 255 positions of a word: a phrase that began after them was not found, and not excluded by
//! a minus.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestMessage, TestServer};

#[tokio::test]
async fn a_phrase_after_many_occurrences_is_found_and_excluded() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    for (subject, times) in [("Few", 255), ("More", 256), ("Many", 700), ("Most", 1_300)] {
        let text = format!("{}the zebra ran to 的斑马。", "the cat 的 \r\n".repeat(times));
        let message = TestMessage::new(subject, &text).with("Content-Type", "text/plain; charset=utf-8");
        server.deliver(&message, &inbox.address).await;
    }
    for (query, expected) in [
        ("\"the zebra\"", 4),
        ("\"the zebra ran\"", 4),
        ("的斑马", 4),
        ("\"cat 的 the\"", 4),
        ("\"the ran\"", 0),
        ("\"zebra the\"", 0),
        ("cat -\"the zebra\"", 0),
        ("cat -\"zebra the\"", 4),
        ("th*", 4),
    ] {
        let query: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let found = api.get(&format!("/v1/search?q={query}")).await.expect(200);
        assert_eq!(found.data().len(), expected, "{query}");
    }
    server.finish().await;
}
