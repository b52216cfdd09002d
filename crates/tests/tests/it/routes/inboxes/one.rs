//! `GET`, `PATCH` and `DELETE /v1/inboxes/{id}`.

use posthouse_domain::{auth::Scope, message::HoldReason, plan::Plan};
use posthouse_tests::{TestMessage, TestServer, fixtures::TestKey, http::Api};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

async fn made(server: &TestServer, key: &TestKey, body: Value) -> (Api, String) {
    let api = server.api(key);
    let reply = api.post("/v1/inboxes", body).await.expect(201);
    let path = format!("/v1/inboxes/{}", reply.text("id"));
    (api, path)
}

#[tokio::test]
async fn a_change_keeps_omitted_fields() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let body = json!({ "username": "sales", "display_name": "Sales", "metadata": { "a": 1, "b": 2 } });
    let (api, path) = made(&server, &key, body).await;
    let table = [
        (json!({}), json!({ "display_name": "Sales", "metadata": { "a": 1, "b": 2 }, "promotions_filter": true })),
        (json!({ "display_name": null }), json!({ "display_name": null })),
        (json!({ "display_name": "New" }), json!({ "display_name": "New", "metadata": { "a": 1, "b": 2 } })),
        (
            json!({ "metadata": { "a": null, "c": "x" } }),
            json!({ "metadata": { "b": 2, "c": "x" }, "display_name": "New" }),
        ),
        (json!({ "promotions_filter": false }), json!({ "promotions_filter": false })),
        (json!({ "promotions_filter": null }), json!({ "promotions_filter": true })),
    ];
    for (change, expected) in table {
        let after = api.patch(&path, change.clone()).await.expect(200).json;
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(&after[name], value, "{name} after {change}");
        }
        assert_eq!(api.get(&path).await.expect(200).json, after);
    }
    server.finish().await;
}

#[tokio::test]
async fn an_inbox_counts_what_waits_for_a_person() {
    let fixture = InboxFixture::open().await;
    let held = TestMessage::new("Bill", "Pay.");
    let held = fixture.server.receive_held(&fixture.inbox, &held, HoldReason::Phishing).await.to_string();
    let mut marked = Vec::new();
    for subject in ["one", "two"] {
        fixture.server.deliver(&TestMessage::new(subject, "Help."), &fixture.inbox.address).await;
        let list = fixture.api.get(&format!("/v1/inboxes/{}/messages?limit=1", fixture.inbox.id)).await.expect(200);
        let id = list.data()[0]["id"].as_str().unwrap().to_owned();
        fixture.api.patch(&format!("/v1/messages/{id}"), json!({ "add_labels": ["ai:needs-human"] })).await.expect(200);
        marked.push(id);
    }
    let counts = async || {
        let inbox = fixture.api.get(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(200);
        let list = fixture.api.get("/v1/inboxes").await.expect(200);
        let counts = |of: &Value| (of["held_count"].clone(), of["needs_human_count"].clone());
        let listed = list.data().iter().find(|one| one["id"] == inbox["id"]).map(counts);
        assert_eq!(listed, Some(counts(&inbox.json)));
        counts(&inbox.json)
    };
    assert_eq!(counts().await, (json!(1), json!(2)));
    for id in [&held, &marked[0]] {
        fixture.api.patch(&format!("/v1/messages/{id}"), json!({ "is_read": true })).await.expect(200);
    }
    assert_eq!(counts().await, (json!(0), json!(1)));
    fixture.close().await;
}

#[tokio::test]
async fn an_invalid_change_is_rejected_entirely() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let full: Value = (0..50).map(|n| (format!("k{n}"), json!(n))).collect::<serde_json::Map<_, _>>().into();
    let (api, path) = made(&server, &key, json!({ "metadata": full })).await;
    let table: &[(Value, &[&str])] = &[
        (json!({ "ttl_seconds": 60 }), &["ttl_seconds"]),
        (json!({ "metadata": { "one_more": 1 } }), &["metadata"]),
        (json!({ "display_name": "", "promotions_filter": "yes" }), &["display_name", "promotions_filter"]),
        (json!({ "username": "other" }), &["username"]),
        (json!({ "metadata": { "k0": {} } }), &["metadata.k0"]),
    ];
    let before = api.get(&path).await.expect(200).json;
    for (change, fields) in table {
        api.patch(&path, change.clone()).await.invalid_fields(fields);
    }
    assert_eq!(api.get(&path).await.expect(200).json, before);
    api.patch(&path, json!({ "metadata": { "one_more": 1, "k0": null } })).await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn a_deleted_inbox_is_not_found_on_any_route_with_any_key() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.api(&key).post("/v1/inboxes", json!({})).await.expect(201);
    let path = format!("/v1/inboxes/{}", inbox.text("id"));
    let narrow = server.key(&key, "full", Scope::Inbox(inbox.text("id").parse().expect("an id"))).await;
    server.api(&narrow).get(&path).await.expect(200);
    server.api(&key).delete(&path).await.expect(204);
    // The key of the inbox ended with it.
    for (api, code) in [(server.api(&key), "not_found"), (server.api(&narrow), "unauthorized")] {
        api.get(&path).await.error(code);
        api.patch(&path, json!({})).await.error(code);
        api.delete(&path).await.error(code);
        api.post_empty(&format!("{path}/pause")).await.error(code);
        api.post_empty(&format!("{path}/resume")).await.error(code);
        api.get(&format!("{path}/messages")).await.error(code);
    }
    let all = server.api(&key).get("/v1/inboxes?include_temporary=true").await.expect(200);
    assert_eq!(all["data"], json!([]));
    server.finish().await;
}

#[tokio::test]
async fn inboxes_outside_the_scope_of_a_key_are_invisible() {
    let server = TestServer::plain().await;
    let (key, stranger) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let (api, path) = made(&server, &key, json!({})).await;
    let (_, sibling) = made(&server, &key, json!({})).await;
    let sibling_id = sibling.rsplit('/').next().expect("an id").parse().expect("an id");
    let narrow = server.key(&key, "full", Scope::Inbox(sibling_id)).await;
    for api in [server.api(&stranger), server.api(&narrow)] {
        api.get(&path).await.error("not_found");
        api.patch(&path, json!({ "display_name": "x" })).await.error("not_found");
        api.post_empty(&format!("{path}/pause")).await.error("not_found");
        api.delete(&path).await.error("not_found");
    }
    server.api(&narrow).patch(&sibling, json!({ "display_name": "own" })).await.expect(200);
    assert_eq!(api.get(&path).await.expect(200)["status"], "active");
    for unknown in ["01890000-0000-7000-8000-000000000000", "none", "a%2Fb"] {
        api.get(&format!("/v1/inboxes/{unknown}")).await.error("not_found");
    }
    server.finish().await;
}
