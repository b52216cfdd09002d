//! `/v1/messages` and the messages of an inbox.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::TestServer;
use serde_json::{Value, json};

/// Returns a small message with this subject.
pub(in crate::routes) fn mail(subject: &str) -> String {
    format!(
        "From: Dana <dana@sender.example>\r\nTo: bot@agents.example\r\nSubject: {subject}\r\nMessage-ID: <{}@sender.example>\r\n\r\nHello there.\r\n",
        subject.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    )
}

const WITH_FILE: &str = "From: Dana <dana@sender.example>\r\nTo: bot@agents.example\r\nSubject: File\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\n\
    Content-Type: text/html; charset=utf-8\r\nContent-Disposition: attachment; filename=\"../e vil\\\".html\"\r\n\
    Content-Transfer-Encoding: base64\r\n\r\nPHNjcmlwdD4x\r\n--b--\r\n";

/// The members that every message has.
const MEMBERS: [&str; 40] = [
    "id",
    "inbox_id",
    "thread_id",
    "direction",
    "status",
    "channel",
    "type",
    "rfc_message_id",
    "in_reply_to",
    "references",
    "from",
    "to",
    "cc",
    "bcc",
    "reply_to",
    "subject",
    "text",
    "html",
    "extracted_text",
    "headers",
    "labels",
    "is_read",
    "provider_message_id",
    "size_bytes",
    "sent_at",
    "received_at",
    "created_at",
    "contact_id",
    "attachments",
    "ai",
    "data",
    "delivery",
    "agent",
    "author",
    "approval",
    "ai_disclosure",
    "analysis",
    "screening",
    "auto_reply",
    "id",
];

#[tokio::test]
async fn a_received_message_has_every_member() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let id = server.receive_message(&inbox, mail("Hello")).await;
    let message = api.get(&format!("/v1/messages/{id}")).await.expect(200);
    for member in MEMBERS {
        assert!(message.json.get(member).is_some(), "{member} in {message}");
    }
    assert_eq!(message["from"], "Dana <dana@sender.example>");
    assert_eq!(message["subject"], "Hello");
    assert_eq!(message["headers"]["subject"], "Hello");
    assert!(message["headers"]["authentication-results"].is_string(), "{message}");
    assert_eq!(message["received_at"], posthouse_tests::clock::START);
    assert_eq!(message["analysis"], json!({ "state": "skipped", "coverage": null, "reason": "not_available" }));
    assert_eq!(message["screening"], json!({ "state": "screened", "reason": "not_available", "released_at": null }));
    assert_eq!(message["ai"]["verification"], Value::Null);
    assert_eq!(message["ai"]["local_screen"]["score"], json!(0.0), "{message}");
    assert_eq!(message["delivery"], Value::Null);
    let list = api.get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
    assert_eq!(list.json, json!({ "data": [message.json], "next_cursor": null }));
    server.finish().await;
}

#[tokio::test]
async fn pages_are_newest_first_and_cursors_belong_to_their_filters() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(server.receive_message(&inbox, mail(&format!("Number {n}"))).await.to_string());
    }
    ids.reverse();
    let path = format!("/v1/inboxes/{}/messages", inbox.id);
    let (mut found, mut next) = (Vec::new(), String::new());
    loop {
        let page = api.get(&format!("{path}?limit=2{next}")).await.expect(200);
        assert!(page.data().len() <= 2);
        found.extend(page.data().iter().map(|m| m["id"].as_str().unwrap().to_owned()));
        // Inserts don't shift later pages.
        server.receive_message(&inbox, mail(&format!("Later {}", found.len()))).await;
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(found, ids);
    let cursor = api.get(&format!("{path}?limit=1")).await.text("next_cursor").to_owned();
    api.get(&format!("{path}?limit=1&cursor={cursor}")).await.expect(200);
    api.get(&format!("{path}?limit=1&is_read=true&cursor={cursor}")).await.error("invalid_cursor");
    api.get(&format!("{path}?cursor=made-up")).await.error("invalid_cursor");
    api.get(&format!("{path}?lables=a&limit=0")).await.invalid_fields(&["lables", "limit"]);
    server.finish().await;
}

#[tokio::test]
async fn labels_and_read_state_can_be_changed_except_system_labels() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let id = server.receive_message(&inbox, mail("Hello")).await;
    let other = server.receive_message(&inbox, mail("Other")).await;
    let path = format!("/v1/messages/{id}");
    let before = api.get(&path).await["labels"].as_array().unwrap().clone();
    let changed = api.patch(&path, json!({ "add_labels": ["b", "a", "b"], "is_read": true })).await.expect(200);
    let expected: Vec<Value> = before.iter().cloned().chain([json!("b"), json!("a")]).collect();
    assert_eq!(changed["labels"], Value::Array(expected));
    assert_eq!(changed["is_read"], true);
    for (query, count) in [
        ("labels=a,b", 1),
        ("labels=a,x", 0),
        ("is_read=false", 1),
        ("labels=a&is_read=false", 0),
        ("screening=held", 0),
        ("screening=screened", 2),
    ] {
        let list = api.get(&format!("/v1/inboxes/{}/messages?{query}", inbox.id)).await.expect(200);
        assert_eq!(list.data().len(), count, "{query}");
    }
    api.patch(&path, json!({ "add_labels": ["ai:sales"], "remove_labels": ["blocked"] }))
        .await
        .invalid_fields(&["add_labels[0]", "remove_labels[0]"]);
    api.patch(&path, json!({ "add_labels": ["a b"] })).await.invalid_fields(&["add_labels[0]"]);
    let many: Vec<String> = (0..50).map(|n| format!("l{n}")).collect();
    api.patch(&path, json!({ "add_labels": many })).await.invalid_fields(&["add_labels"]);
    let unknown = "01900000-0000-7000-8000-000000000000";
    let batch =
        json!({ "ids": [other.to_string(), unknown, id.to_string()], "remove_labels": ["a"], "is_read": false });
    let batch = api.post("/v1/messages/batch-update", batch).await.expect(200);
    assert_eq!(batch["missing"], json!([unknown]));
    let ids: Vec<&str> = batch.data().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [other.to_string(), id.to_string()]);
    assert_eq!(batch.data()[1]["is_read"], false);
    server.finish().await;
}

#[tokio::test]
async fn raw_messages_are_the_received_bytes_after_the_trace_and_attachments_are_only_downloaded() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let id = server.receive_message(&inbox, WITH_FILE).await;
    let raw = api.get(&format!("/v1/messages/{id}/raw")).await.expect(200);
    assert!(raw.bytes.ends_with(WITH_FILE.as_bytes()));
    assert!(raw.bytes.starts_with(b"Return-Path: <dana@sender.example>\r\n"), "{raw}");
    assert_eq!(raw.header("content-type"), Some("message/rfc822"));
    let message = api.get(&format!("/v1/messages/{id}")).await.expect(200);
    let file = &message["attachments"][0];
    assert_eq!(file["size_bytes"], 9);
    assert_eq!(file["available"], true);
    assert_eq!(file["extraction"]["status"], "pending");
    let bytes = api.get(&format!("/v1/attachments/{}", file["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(bytes.bytes, b"<script>1");
    for reply in [&raw, &bytes] {
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("content-security-policy"), Some("sandbox; default-src 'none'"));
        assert!(reply.header("content-disposition").unwrap().starts_with("attachment; "), "{reply}");
    }
    api.get("/v1/attachments/nonsense").await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn a_message_too_large_for_the_database_is_read_from_the_blob_store() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    // Letters that do not compress well, from a deterministic generator.
    let mut state = 1_u64;
    let mut digit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'A' + (state >> 33) as u8 % 26)
    };
    let line = |digit: &mut dyn FnMut() -> char| (0..76).map(|_| digit()).collect::<String>();
    let body: Vec<String> = (0..9_000).map(|_| line(&mut digit)).collect();
    let raw = WITH_FILE.replace("PHNjcmlwdD4x", &body.join("\r\n"));
    let id = server.receive_message(&inbox, raw.clone()).await;
    let blobs = server.data_dir().join("blobs");
    assert!(blobs.is_dir(), "the message is in the blob store");
    let found = api.get(&format!("/v1/messages/{id}/raw")).await.expect(200);
    assert!(found.bytes.ends_with(raw.as_bytes()));
    let message = api.get(&format!("/v1/messages/{id}")).await.expect(200);
    let file =
        api.get(&format!("/v1/attachments/{}", message["attachments"][0]["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(file.bytes.len(), 9_000 * 76 / 4 * 3);
    server.finish().await;
}

#[tokio::test]
async fn data_of_other_inboxes_and_workspaces_is_not_found() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (mine, other) = (server.inbox(&key).await, server.inbox(&key).await);
    let id = server.receive_message(&mine, WITH_FILE).await;
    let message = server.api(&key).get(&format!("/v1/messages/{id}")).await;
    let (thread, file) = (message.text("thread_id"), message["attachments"][0]["id"].as_str().unwrap());
    let narrow = server.key(&key, "full", Scope::Inbox(other.id)).await;
    let stranger = server.workspace(Plan::Team).await;
    for api in [server.api(&narrow), server.api(&stranger)] {
        for path in [
            format!("/v1/messages/{id}"),
            format!("/v1/messages/{id}/raw"),
            format!("/v1/attachments/{file}"),
            format!("/v1/threads/{thread}"),
            format!("/v1/inboxes/{}/messages", mine.id),
            format!("/v1/inboxes/{}/threads", mine.id),
            format!("/v1/inboxes/{}/messages/wait", mine.id),
            format!("/v1/inboxes/{}/verification", mine.id),
            format!("/v1/events?inbox_id={}", mine.id),
        ] {
            api.get(&path).await.error("not_found");
        }
        api.patch(&format!("/v1/messages/{id}"), json!({})).await.error("not_found");
        api.delete(&format!("/v1/threads/{thread}")).await.error("not_found");
        let batch = api.post("/v1/messages/batch-get", json!({ "ids": [id.to_string()] })).await.expect(200);
        assert_eq!(batch.json, json!({ "data": [], "missing": [id.to_string()] }));
        assert_eq!(api.get("/v1/threads").await.data().len(), 0);
        assert_eq!(api.get("/v1/events?types=message.received").await.data().len(), 0);
    }
    server.api(&key).delete(&format!("/v1/inboxes/{}", mine.id)).await.expect(204);
    server.api(&key).get(&format!("/v1/messages/{id}")).await.error("not_found");
    assert_eq!(server.api(&key).get("/v1/threads").await.data().len(), 0);
    let reader = server.key(&key, "agent", Scope::Workspace).await;
    let held = server.api(&reader).get(&format!("/v1/inboxes/{}/messages?include_held=true", other.id)).await;
    assert_eq!(held.error("insufficient_permissions")["error"]["details"]["permission"], "messages:release");
    server.finish().await;
}
