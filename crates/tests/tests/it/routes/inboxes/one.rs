//! `GET`, `PATCH` and `DELETE /v1/inboxes/{id}`.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{TestServer, fixtures::TestKey, http::Api};
use serde_json::{Value, json};

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
    for api in [server.api(&key), server.api(&narrow)] {
        api.get(&path).await.error("not_found");
        api.patch(&path, json!({})).await.error("not_found");
        api.delete(&path).await.error("not_found");
        api.post_empty(&format!("{path}/pause")).await.error("not_found");
        api.post_empty(&format!("{path}/resume")).await.error("not_found");
        api.get(&format!("{path}/messages")).await.error("not_found");
        assert_eq!(api.get("/v1/inboxes?include_temporary=true").await.expect(200)["data"], json!([]));
    }
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
