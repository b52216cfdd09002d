//! Lists of drafts: filters, scope, order. The rules of paging are in `contracts/pages`.

use posthouse_domain::auth::Scope;
use posthouse_tests::{TestMessage, http::Api};
use serde_json::json;

use super::InboxFixture;

async fn subjects(api: &Api, path: &str) -> Vec<String> {
    let reply = api.get(path).await.expect(200);
    reply.data().iter().map(|draft| draft["subject"].as_str().unwrap_or("-").to_owned()).collect()
}

#[tokio::test]
async fn lists_are_filtered_by_inbox_status_thread_metadata_and_key() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    let mail = fixture.receive_mail(TestMessage::new("Offer", "text")).await;
    let add = async |path: &str, body: serde_json::Value| {
        fixture.server.clock.advance(1);
        fixture.api.post(path, body).await.expect(201).text("id").to_owned()
    };
    let here = fixture.path("");
    add(&here, json!({ "subject": "one", "metadata": { "of": "a", "n": 1 } })).await;
    let two =
        add(&here, json!({ "subject": "two", "to": fixture.inbox.address, "text": "t", "metadata": { "of": "a" } }))
            .await;
    add(&here, json!({ "subject": "three", "thread_id": mail["thread_id"] })).await;
    let four = add(&format!("/v1/inboxes/{}/drafts", other.id), json!({ "subject": "four" })).await;
    fixture.send(&two).await.expect(202);
    fixture.api.post_empty(&format!("/v1/inboxes/{}/drafts/{four}/cancel", other.id)).await.expect(200);
    let all = ["four", "three", "two", "one"];
    assert_eq!(subjects(&fixture.api, "/v1/drafts").await, all);
    assert_eq!(subjects(&fixture.api, &here).await, ["three", "two", "one"]);
    let table: [(String, &[&str]); 9] = [
        (format!("inbox_id={}", other.id), &["four"]),
        ("status=sent,cancelled".to_owned(), &["four", "two"]),
        ("status=draft".to_owned(), &["three", "one"]),
        ("status=scheduled,sending,failed".to_owned(), &[]),
        (format!("thread_id={}", mail["thread_id"].as_str().unwrap()), &["three"]),
        ("metadata.of=a".to_owned(), &["two", "one"]),
        ("metadata.of=a&metadata.n=1".to_owned(), &["one"]),
        ("metadata.of=b".to_owned(), &[]),
        ("metadata.of=a&status=sent&limit=1".to_owned(), &["two"]),
    ];
    for (query, expected) in table {
        assert_eq!(subjects(&fixture.api, &format!("/v1/drafts?{query}")).await, expected, "{query}");
    }
    fixture.api.get("/v1/drafts?status=open").await.invalid_fields(&["status"]);
    fixture.api.get("/v1/drafts?inbox_id=x&thread_id=y").await.invalid_fields(&["inbox_id", "thread_id"]);
    let narrow = fixture.server.api(&fixture.server.key(&fixture.key, "drafts:read", Scope::Inbox(other.id)).await);
    assert_eq!(subjects(&narrow, "/v1/drafts").await, ["four"]);
    narrow.get(&format!("/v1/drafts?inbox_id={}", fixture.inbox.id)).await.error("not_found");
    narrow.get(&here).await.error("not_found");
    let stranger = fixture.server.api(&fixture.server.workspace(posthouse_domain::plan::Plan::Team).await);
    assert_eq!(subjects(&stranger, "/v1/drafts").await, Vec::<String>::new());
    fixture.api.delete(&format!("/v1/inboxes/{}", other.id)).await.expect(204);
    assert_eq!(subjects(&fixture.api, "/v1/drafts").await, &all[1..]);
    fixture.close().await;
}
