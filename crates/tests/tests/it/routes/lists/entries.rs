//! List entries.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::json;

const PATH: &str = "/v1/lists";

#[tokio::test]
async fn entries_are_created_listed_and_deleted() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let made = api
        .post(PATH, json!({ "direction": "receive", "kind": "block", "pattern": "@Spam.Example" }))
        .await
        .expect(201);
    let mut expected = json!({
        "inbox_id": null, "direction": "receive", "kind": "block", "pattern": "spam.example", "type": "domain",
        "require_auth": false,
    });
    (expected["id"], expected["created_at"]) = (made["id"].clone(), made["created_at"].clone());
    assert_eq!(made.json, expected);
    server.clock.advance(1);
    let of_inbox =
        json!({ "direction": "send", "kind": "allow", "pattern": "A@B.example", "inbox_id": inbox.id.to_string() });
    let second = api.post(PATH, of_inbox.clone()).await.expect(201);
    assert_eq!((&second["type"], &second["pattern"]), (&json!("address"), &json!("a@b.example")));
    assert_eq!(second["inbox_id"], inbox.id.to_string());
    server.clock.advance(1);
    let token =
        api.post(PATH, json!({ "direction": "receive", "kind": "allow", "pattern": "agents:any" })).await.expect(201);
    assert_eq!(token["type"], "token");

    for same in ["spam.example", "@spam.example", "SPAM.example."] {
        let body = json!({ "direction": "receive", "kind": "block", "pattern": same });
        api.post(PATH, body).await.error("list_entry_exists");
    }
    api.post(PATH, of_inbox).await.error("list_entry_exists");
    let all = api.get(PATH).await.expect(200);
    assert_eq!(all.json, json!({ "data": [made.json, second.json, token.json] }));
    for (query, count) in [
        ("direction=receive", 2),
        ("direction=reply", 0),
        ("kind=allow", 2),
        ("direction=receive&kind=allow", 1),
        (&*format!("inbox_id={}", inbox.id), 1),
    ] {
        assert_eq!(api.get(&format!("{PATH}?{query}")).await.expect(200).data().len(), count, "{query}");
    }
    api.delete(&format!("{PATH}/{}", made.text("id"))).await.expect(204);
    api.delete(&format!("{PATH}/{}", made.text("id"))).await.error("not_found");
    api.delete(&format!("/v1/inboxes/{}", inbox.id)).await.expect(204);
    assert_eq!(api.get(PATH).await.expect(200).data().len(), 1, "deleting the inbox deletes its entries");
    server.finish().await;
}

#[tokio::test]
async fn invalid_entries_are_rejected() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let entry = |direction, kind, pattern| json!({ "direction": direction, "kind": kind, "pattern": pattern });
    for (body, fields) in [
        (json!({}), &["direction", "kind", "pattern"][..]),
        (entry("in", "deny", "b.example"), &["direction", "kind"]),
        (entry("send", "block", ""), &["pattern"]),
        (entry("send", "block", "a b"), &["pattern"]),
        (entry("send", "block", "*.b.example"), &["pattern"]),
        (entry("send", "allow", "agents:any"), &["pattern"]),
        (entry("reply", "allow", "workspace:self"), &["pattern"]),
        (entry("receive", "allow", "agents:some"), &["pattern"]),
        (json!({ "direction": "send", "kind": "block", "pattern": "b.example", "type": "domain" }), &["type"]),
        (json!({ "direction": "send", "kind": "block", "pattern": "b.example", "inbox_id": "x" }), &["inbox_id"]),
    ] {
        api.post(PATH, body).await.invalid_fields(fields);
    }
    let unknown = json!({ "direction": "send", "kind": "block", "pattern": "b.example",
        "inbox_id": "01990000-0000-7000-8000-000000000000" });
    api.post(PATH, unknown).await.error("not_found");
    api.get(&format!("{PATH}?kind=deny")).await.invalid_fields(&["kind"]);
    api.get(&format!("{PATH}?limit=5")).await.invalid_fields(&["limit"]);
    server.finish().await;
}

#[tokio::test]
async fn an_inbox_key_manages_only_the_entries_of_its_inbox() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox, other) = (server.api(&key), server.inbox(&key).await, server.inbox(&key).await);
    let narrow = server.api(&server.key(&key, "lists:manage", Scope::Inbox(inbox.id)).await);
    let entry = |inbox: Option<String>| json!({ "direction": "send", "kind": "block", "pattern": "b.example", "inbox_id": inbox });
    let whole = api.post(PATH, entry(None)).await.expect(201);
    let foreign = api.post(PATH, entry(Some(other.id.to_string()))).await.expect(201);
    narrow.post(PATH, entry(None)).await.error("forbidden");
    narrow.post(PATH, entry(Some(other.id.to_string()))).await.error("not_found");
    let own = narrow.post(PATH, entry(Some(inbox.id.to_string()))).await.expect(201);
    narrow.get(PATH).await.error("forbidden");
    narrow.get(&format!("{PATH}?inbox_id={}", other.id)).await.error("not_found");
    assert_eq!(narrow.get(&format!("{PATH}?inbox_id={}", inbox.id)).await.expect(200).data()[0]["id"], own["id"]);
    for id in [whole.text("id"), foreign.text("id")] {
        narrow.delete(&format!("{PATH}/{id}")).await.error("not_found");
    }
    narrow.delete(&format!("{PATH}/{}", own.text("id"))).await.expect(204);
    let stranger = server.workspace(Plan::Team).await;
    server.api(&stranger).delete(&format!("{PATH}/{}", whole.text("id"))).await.error("not_found");
    server.finish().await;
}
