//! `POST /v1/inboxes`.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::{Value, json};

#[tokio::test]
async fn a_new_inbox_has_every_field() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let body = json!({
        "username": "support", "display_name": "Support", "client_id": "c-1",
        "metadata": { "team": "a", "n": 1.5, "ok": true, "gone": null }, "domain": "agents.localhost",
    });
    let made = server.api(&key).post("/v1/inboxes", body).await.expect(201).json;
    let id = made["id"].as_str().expect("an id").to_owned();
    let expected = json!({
        "id": id, "kind": "mailbox", "address": "support@agents.localhost", "username": "support",
        "display_name": "Support", "client_id": "c-1", "domain": "agents.localhost", "daily_send_limit": 100,
        "metadata": { "team": "a", "n": 1.5, "ok": true }, "temporary": false, "expires_at": null,
        "status": "active", "paused_at": null, "paused_reason": null, "promotions_filter": true, "screening": null,
        "held_count": 0, "pending_draft_count": 0, "needs_human_count": 0, "recent_bounce_count": 0,
        "created_at": posthouse_tests::clock::START,
    });
    assert_eq!(made, expected);
    assert_eq!(server.api(&key).get(&format!("/v1/inboxes/{id}")).await.expect(200).json, expected);
    server.finish().await;
}

#[tokio::test]
async fn a_generated_username_is_readable() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let first = server.api(&key).post_empty("/v1/inboxes").await.expect(201).json;
    let second = server.api(&key).post("/v1/inboxes", json!({})).await.expect(201).json;
    for made in [&first, &second] {
        let username = made["username"].as_str().expect("text");
        assert_eq!(username.split('-').count(), 3, "{username}");
        assert_eq!(made["address"], format!("{username}@agents.localhost"));
        assert_eq!(made["promotions_filter"], false);
    }
    assert_ne!(first["address"], second["address"]);
    server.finish().await;
}

#[tokio::test]
async fn all_invalid_fields_are_reported() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let long = "x".repeat(1_001);
    let many: Value = (0..51).map(|n| (format!("k{n}"), json!(n))).collect::<serde_json::Map<_, _>>().into();
    let table: &[(Value, &[&str])] = &[
        (json!({ "username": "Upper" }), &["username"]),
        (json!({ "username": "a..b", "display_name": "a\nb" }), &["username", "display_name"]),
        (json!({ "username": 5, "client_id": "" }), &["username", "client_id"]),
        (json!({ "usrname": "a" }), &["usrname"]),
        (json!({ "card": [] }), &["card"]),
        (json!({ "domain": "other.example" }), &["domain"]),
        (json!({ "metadata": [] }), &["metadata"]),
        (
            json!({ "metadata": { "a b": 1, "list": [], "long": long } }),
            &["metadata.a b", "metadata.list", "metadata.long"],
        ),
        (json!({ "metadata": many }), &["metadata"]),
        (json!({ "ttl_seconds": 59 }), &["ttl_seconds"]),
        (json!({ "ttl_seconds": 86_401 }), &["ttl_seconds"]),
        (json!({ "ttl_seconds": "60" }), &["ttl_seconds"]),
        (
            json!({ "ttl_seconds": 60, "username": "a", "domain": "agents.localhost", "client_id": "c" }),
            &["username", "domain", "client_id"],
        ),
        (json!([]), &["body"]),
    ];
    for (body, fields) in table {
        let reply = server.api(&key).post("/v1/inboxes", body.clone()).await;
        if *fields == ["body"] {
            reply.error("invalid_request");
        } else {
            reply.invalid_fields(fields);
        }
    }
    assert_eq!(server.api(&key).get("/v1/inboxes?include_temporary=true").await.expect(200)["data"], json!([]));
    server.finish().await;
}

#[tokio::test]
async fn an_address_is_never_used_twice() {
    let server = TestServer::plain().await;
    let (one, other) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let body = json!({ "username": "taken" });
    let made = server.api(&one).post("/v1/inboxes", body.clone()).await.expect(201);
    server.api(&one).post("/v1/inboxes", body.clone()).await.error("address_taken");
    server.api(&other).post("/v1/inboxes", body.clone()).await.error("address_taken");
    server.api(&one).delete(&format!("/v1/inboxes/{}", made.text("id"))).await.expect(204);
    server.api(&other).post("/v1/inboxes", body).await.error("address_taken");
    server.finish().await;
}

#[tokio::test]
async fn a_repeated_client_id_returns_the_existing_inbox() {
    let server = TestServer::plain().await;
    let (key, other) = (server.workspace(Plan::Free).await, server.workspace(Plan::Free).await);
    let api = server.api(&key);
    let made = api.post("/v1/inboxes", json!({ "client_id": "c", "username": "one" })).await.expect(201).json;
    let again = api.post("/v1/inboxes", json!({ "client_id": "c", "username": "two" })).await.expect(200).json;
    assert_eq!(made, again);
    server.api(&other).post("/v1/inboxes", json!({ "client_id": "c" })).await.expect(201);
    api.delete(&format!("/v1/inboxes/{}", made["id"].as_str().expect("text"))).await.expect(204);
    let recreated = api.post("/v1/inboxes", json!({ "client_id": "c" })).await.expect(201).json;
    assert_ne!(recreated["id"], made["id"]);
    server.finish().await;
}

#[tokio::test]
async fn concurrent_creates_with_one_client_id_create_one_inbox() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let mut creates = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let api = server.api(&key);
        creates.spawn(async move { api.post("/v1/inboxes", json!({ "client_id": "race" })).await });
    }
    let replies = creates.join_all().await;
    let made = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(made, 1, "{replies:?}");
    assert!(replies.iter().all(|reply| reply.json["id"] == replies[0].json["id"]), "{replies:?}");
    assert_eq!(server.api(&key).get("/v1/inboxes").await.expect(200)["data"].as_array().map(Vec::len), Some(1));
    server.finish().await;
}

#[tokio::test]
async fn the_plan_limit_does_not_count_temporary_inboxes() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    let first = api.post("/v1/inboxes", json!({})).await.expect(201);
    api.post("/v1/inboxes", json!({})).await.expect(201);
    api.post("/v1/inboxes", json!({ "ttl_seconds": 60 })).await.expect(201);
    api.post("/v1/inboxes", json!({})).await.expect(201);
    let refused = api.post("/v1/inboxes", json!({})).await.error("plan_limit_inboxes");
    assert_eq!(refused.json["error"]["details"]["limit"], 3);
    api.post("/v1/inboxes", json!({ "ttl_seconds": 60 })).await.expect(201);
    api.delete(&format!("/v1/inboxes/{}", first.text("id"))).await.expect(204);
    api.post("/v1/inboxes", json!({})).await.expect(201);
    server.finish().await;
}

#[tokio::test]
async fn concurrent_creates_respect_the_plan_limit() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Free).await;
    let mut creates = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let api = server.api(&key);
        creates.spawn(async move { api.post("/v1/inboxes", json!({})).await.status });
    }
    let statuses = creates.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 3, "{statuses:?}");
    server.finish().await;
}

#[tokio::test]
async fn keys_without_permission_or_scope_are_rejected() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let made = server.inbox(&key).await;
    server.anonymous().post("/v1/inboxes", json!({})).await.error("unauthorized");
    let reader = server.key(&key, "read_only", Scope::Org).await;
    server.api(&reader).post("/v1/inboxes", json!({})).await.error("insufficient_permissions");
    let narrow = server.key(&key, "full", Scope::Inbox(made.id)).await;
    server.api(&narrow).post("/v1/inboxes", json!({})).await.error("forbidden");
    server.finish().await;
}

/// Otherwise any tenant could receive a certificate authority's validation messages and the complaints about other
/// tenants.
#[tokio::test]
async fn role_addresses_of_the_shared_domain_are_reserved_for_the_first_workspace() {
    let server = TestServer::plain().await;
    let first = server.workspace(Plan::Team).await;
    server.clock.advance(1);
    let second = server.workspace(Plan::Team).await;
    for name in ["postmaster", "abuse", "admin", "hostmaster"] {
        let refused = server.api(&second).post("/v1/inboxes", json!({ "username": name })).await;
        refused.invalid_fields(&["username"]);
        server.api(&first).post("/v1/inboxes", json!({ "username": name })).await.expect(201);
    }
    server.finish().await;
}

/// Messages to such an inbox could not be told apart from reports about sent messages.
#[tokio::test]
async fn the_local_part_of_return_paths_can_not_be_an_inbox() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    for name in ["bounces", "Bounces", "BOUNCES", "bounces+a", "mailer-daemon"] {
        api.post("/v1/inboxes", json!({ "username": name })).await.invalid_fields(&["username"]);
    }
    let domain = api.post("/v1/domains", json!({ "domain": "acme.example", "receiving": true })).await.expect(201);
    let path = format!("/v1/domains/{}", domain.text("id"));
    server.dns.import_zone(api.get(&format!("{path}/zone-file")).await.expect(200).text("content"));
    api.post_empty(&format!("{path}/verify")).await.expect(200);
    api.post("/v1/inboxes", json!({ "username": "bounces", "domain": "acme.example" }))
        .await
        .invalid_fields(&["username"]);
    let mut smtp = server.smtp().await;
    smtp.line("MAIL FROM:<>").await.expect(250);
    for address in ["bounces", "Bounces", "bounces+", "bounces+x", "bounces+0123456789abcdef", "\"bounces\""] {
        smtp.line(&format!("RCPT TO:<{address}@agents.localhost>")).await.expect_enhanced(550, "5.1.1");
    }
    let mut smtp = server.smtp().await;
    smtp.line("MAIL FROM:<>").await.expect(250);
    smtp.line("RCPT TO:<bounces@acme.example>").await.expect_enhanced(550, "5.1.1");
    smtp.line("RCPT TO:<bounces+x@acme.example>").await.expect_enhanced(550, "5.1.1");
    server.finish().await;
}
