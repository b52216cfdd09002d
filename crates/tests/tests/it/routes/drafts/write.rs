//! Creating and changing drafts.

use posthouse_domain::{auth::Scope, plan::Plan, time::HOUR_MS};
use serde_json::json;

use super::InboxFixture;

#[tokio::test]
async fn a_draft_has_every_member_and_may_be_empty() {
    let fixture = InboxFixture::open().await;
    let empty = fixture.api.post(&fixture.path(""), json!({})).await.expect(201).json;
    let now = "2026-09-15T12:00:00.000Z";
    let expected = json!({
        "id": empty["id"], "inbox_id": fixture.inbox.id.to_string(), "status": "draft", "reply_to_message_id": null,
        "thread_id": null, "reply_all": false, "to": [], "cc": [], "bcc": [], "subject": null, "text": null, "html": null,
        "attachments": [], "metadata": {}, "labels": [], "source": "api", "type": "message", "data": null, "send_at": null,
        "sent_at": null, "sent_message_id": null, "approved_by": null, "approved_at": null,
        "approved_content_sha256": null, "content_sha256": empty["content_sha256"], "sent_back": null, "recipients": [],
        "hold": null, "error": null, "created_at": now, "updated_at": now,
    });
    assert_eq!(empty, expected);
    fixture.api.post_empty(&fixture.path("")).await.expect(201);
    let full = json!({
        "to": ["Ada <ada@x.example>", "bob@x.example"], "cc": "cay@x.example", "bcc": "dan@x.example", "subject": "Plan",
        "text": "Here.", "html": "<p>Here.</p>", "labels": ["a", "b"], "metadata": { "n": 1, "s": "x", "gone": null },
        "data": { "qty": 4 }, "type": "task", "reply_all": true,
    });
    let made = fixture.draft(full.clone()).await.json;
    assert_eq!(made["to"], json!(["Ada <ada@x.example>", "bob@x.example"]));
    assert_eq!((&made["cc"], &made["bcc"]), (&json!(["cay@x.example"]), &json!(["dan@x.example"])));
    for name in ["subject", "text", "html", "labels", "data", "type", "reply_all"] {
        assert_eq!(made[name], full[name], "{name}");
    }
    assert_eq!(made["metadata"], json!({ "n": 1, "s": "x" }));
    assert_eq!(fixture.get(made["id"].as_str().unwrap()).await.json, made);
    let inbox = fixture.api.get(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(200);
    assert_eq!(inbox["pending_draft_count"], 3);
    let list = fixture.api.get("/v1/inboxes").await.expect(200);
    assert_eq!(list.data()[0]["pending_draft_count"], 3);
    fixture.close().await;
}

#[tokio::test]
async fn all_invalid_fields_are_reported_at_once() {
    let fixture = InboxFixture::open().await;
    let wrong = json!({
        "to": ["not an address"], "subject": "x".repeat(999), "labels": ["ai:sales"], "metadata": { "a b": 1 },
        "attachments": [{ "filename": "a", "content_type": "x", "content_base64": "%" }], "send_at": "soon", "typ": "task",
    });
    let paths = [
        "to[0]",
        "subject",
        "labels[0]",
        "metadata.a b",
        "attachments[0].content_type",
        "attachments[0].content_base64",
        "send_at",
        "typ",
    ];
    fixture.api.post(&fixture.path(""), wrong).await.invalid_fields(&paths);
    fixture.api.post(&fixture.path(""), json!({ "labels": ["ai:sales"] })).await.invalid_fields(&["labels[0]"]);
    let many: Vec<String> = (0..30).map(|n| format!("a{n}@x.example")).collect();
    fixture.api.post(&fixture.path(""), json!({ "to": many, "cc": many })).await.invalid_fields(&["to"]);
    fixture
        .api
        .post(&fixture.path(""), json!({ "attachments": [{ "id": fixture.inbox.id.to_string() }] }))
        .await
        .invalid_fields(&[
            "attachments[0].id",
            "attachments[0].filename",
            "attachments[0].content_type",
            "attachments[0].content_base64",
        ]);
    let unknown = "0199f0c1-2345-7000-8000-0123456789ab";
    fixture.api.post(&fixture.path(""), json!({ "reply_to_message_id": unknown })).await.error("not_found");
    fixture.api.post(&fixture.path(""), json!({ "thread_id": unknown })).await.error("not_found");
    assert_eq!(fixture.event_types().await, Vec::<String>::new());
    fixture.close().await;
}

#[tokio::test]
async fn a_change_only_affects_the_named_fields() {
    let fixture = InboxFixture::open().await;
    let made = fixture
        .draft(json!({ "to": "ada@x.example", "subject": "A", "text": "t", "metadata": { "a": 1, "b": 2 } }))
        .await;
    let id = made.text("id").to_owned();
    fixture.server.clock.advance(1_000);
    let same = fixture.patch(&id, json!({})).await.expect(200);
    assert_eq!(same.json, made.json, "an empty change changes nothing");
    let body = json!({
        "cc": ["cay@x.example"], "bcc": ["dan@x.example"], "subject": null, "html": "<p>h</p>", "text": null,
        "metadata": { "a": null, "c": "x" }, "labels": ["l"], "data": [1], "type": "event",
    });
    let after = fixture.patch(&id, body).await.expect(200).json;
    let mut expected = made.json.clone();
    let by_caller = |address: &str| json!({ "address": address, "origin": "caller", "message_id": null });
    let recipients = json!(["ada@x.example", "cay@x.example", "dan@x.example"].map(by_caller));
    for (name, value) in [
        ("cc", json!(["cay@x.example"])),
        ("bcc", json!(["dan@x.example"])),
        ("subject", json!(null)),
        ("html", json!("<p>h</p>")),
        ("text", json!(null)),
        ("metadata", json!({ "b": 2, "c": "x" })),
        ("labels", json!(["l"])),
        ("data", json!([1])),
        ("type", json!("event")),
        ("recipients", recipients),
        ("updated_at", json!("2026-09-15T12:00:01.000Z")),
    ] {
        expected[name] = value;
    }
    assert_ne!(after["content_sha256"], made["content_sha256"]);
    expected["content_sha256"] = after["content_sha256"].clone();
    assert_eq!(after, expected);
    assert_eq!(fixture.get(&id).await.json, expected);
    let cleared = fixture.patch(&id, json!({ "to": [], "data": null, "html": "" })).await.expect(200);
    assert_eq!((&cleared["to"], &cleared["data"], &cleared["html"]), (&json!([]), &json!(null), &json!(null)));
    let too_many: serde_json::Map<_, _> = (0..50).map(|n| (format!("k{n}"), json!(n))).collect();
    fixture.patch(&id, json!({ "metadata": too_many })).await.invalid_fields(&["metadata"]);
    fixture.close().await;
}

#[tokio::test]
async fn drafts_of_other_inboxes_and_workspaces_are_not_found() {
    let fixture = InboxFixture::open().await;
    let id = fixture.complete().await;
    let other = fixture.server.inbox(&fixture.key).await;
    let narrow = fixture.server.api(&fixture.server.key(&fixture.key, "full", Scope::Inbox(other.id)).await);
    let stranger = fixture.server.api(&fixture.server.workspace(Plan::Team).await);
    let here = fixture.path(&format!("/{id}"));
    let elsewhere = format!("/v1/inboxes/{}/drafts/{id}", other.id);
    for (api, path) in [(&narrow, &here), (&stranger, &here), (&fixture.api, &elsewhere)] {
        api.get(path).await.error("not_found");
        api.patch(path, json!({ "text": "x" })).await.error("not_found");
        api.delete(path).await.error("not_found");
        for verb in ["send", "cancel"] {
            api.post_empty(&format!("{path}/{verb}")).await.error("not_found");
        }
        api.post(&format!("{path}/schedule"), json!({ "send_at": fixture.ahead(HOUR_MS) })).await.error("not_found");
    }
    narrow.post(&fixture.path(""), json!({})).await.error("not_found");
    fixture.api.get(&fixture.path("/not-an-id")).await.error("not_found");
    assert_eq!(fixture.get(&id).await["status"], "draft");
    fixture.close().await;
}

#[tokio::test]
async fn a_repeated_create_creates_one_draft() {
    let fixture = InboxFixture::open().await;
    let api = fixture.api.idempotent("d-1");
    let first = api.post(&fixture.path(""), fixture.complete_body()).await.expect(201);
    let again = api.post(&fixture.path(""), fixture.complete_body()).await.expect(201);
    assert_eq!((again.bytes, again.headers.get("idempotent-replayed").is_some()), (first.bytes, true));
    api.post(&fixture.path(""), json!({})).await.error("idempotency_key_reused");
    assert_eq!(fixture.api.get("/v1/drafts").await.expect(200).data().len(), 1);
    assert_eq!(fixture.event_types().await, ["draft.created"]);
    fixture.close().await;
}

#[tokio::test]
async fn a_key_without_send_permission_can_neither_send_nor_schedule() {
    let fixture = InboxFixture::open().await;
    let writer =
        fixture.server.api(&fixture.server.key(&fixture.key, "drafts:write,drafts:read", Scope::Workspace).await);
    let id = writer.post(&fixture.path(""), fixture.complete_body()).await.expect(201).text("id").to_owned();
    let at = fixture.ahead(HOUR_MS);
    let mut timed = fixture.complete_body();
    timed["send_at"] = json!(at);
    let one = fixture.path(&format!("/{id}"));
    for reply in [
        writer.post_empty(&format!("{one}/send")).await,
        writer.post(&format!("{one}/schedule"), json!({ "send_at": at })).await,
        writer.patch(&one, json!({ "send_at": at })).await,
        writer.post(&fixture.path(""), timed).await,
    ] {
        let reply = reply.error("insufficient_permissions");
        assert_eq!(reply["error"]["details"]["permission"], "messages:send");
    }
    fixture.act(&id, "schedule", json!({ "send_at": at })).await.expect(200);
    let after = writer.patch(&one, json!({ "text": "Other words." })).await.expect(200);
    assert_eq!(
        (&after["status"], &after["approved_by"]),
        (&json!("draft"), &json!(null)),
        "new content is not approved"
    );
    fixture.server.advance(2 * HOUR_MS).await;
    assert_eq!(fixture.sent().await, 0);
    fixture.close().await;
}

#[tokio::test]
async fn deleting_a_thread_or_an_inbox_deletes_its_drafts() {
    let fixture = InboxFixture::open().await;
    let received = fixture.receive_mail(posthouse_tests::TestMessage::new("Offer", "Do you want it?")).await;
    let (message, thread) = (received["id"].as_str().unwrap(), received["thread_id"].as_str().unwrap());
    let body = json!({ "reply_to_message_id": message, "text": "Yes.", "send_at": fixture.ahead(HOUR_MS) });
    let reply = fixture.draft(body).await.text("id").to_owned();
    let other = fixture.draft(json!({ "to": "ada@x.example", "text": "t", "send_at": fixture.ahead(HOUR_MS) })).await;
    fixture.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    fixture.api.get(&fixture.path(&format!("/{reply}"))).await.error("not_found");
    fixture.get(other.text("id")).await;
    let log = fixture.log().await;
    assert_eq!(log[0]["data"]["draft"], json!(null), "the log doesn't keep it either: {log:?}");
    assert_eq!(log[1]["data"]["draft"]["id"], other["id"]);
    fixture.api.delete(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(204);
    assert_eq!(fixture.api.get("/v1/drafts").await.expect(200).data().len(), 0);
    fixture.server.advance(2 * HOUR_MS).await;
    fixture.close().await;
}
