//! Drafts made and changed.

use posthouse_domain::{auth::Scope, plan::Plan, time::HOUR_MS};
use serde_json::json;

use super::Desk;

#[tokio::test]
async fn a_draft_has_every_member_and_may_be_empty() {
    let desk = Desk::open().await;
    let empty = desk.api.post(&desk.path(""), json!({})).await.expect(201).json;
    let now = "2026-09-15T12:00:00.000Z";
    let expected = json!({
        "id": empty["id"], "inbox_id": desk.inbox.id.to_string(), "status": "draft", "reply_to_message_id": null,
        "thread_id": null, "reply_all": false, "to": [], "cc": [], "bcc": [], "subject": null, "text": null, "html": null,
        "attachments": [], "metadata": {}, "labels": [], "source": "api", "type": "message", "data": null, "send_at": null,
        "sent_at": null, "sent_message_id": null, "approved_by": null, "approved_at": null,
        "approved_content_sha256": null, "error": null, "created_at": now, "updated_at": now,
    });
    assert_eq!(empty, expected);
    desk.api.post_empty(&desk.path("")).await.expect(201);
    let full = json!({
        "to": ["Ada <ada@x.example>", "bob@x.example"], "cc": "cay@x.example", "bcc": "dan@x.example", "subject": "Plan",
        "text": "Here.", "html": "<p>Here.</p>", "labels": ["a", "b"], "metadata": { "n": 1, "s": "x", "gone": null },
        "data": { "qty": 4 }, "type": "task", "reply_all": true,
    });
    let made = desk.draft(full.clone()).await.json;
    assert_eq!(made["to"], json!(["Ada <ada@x.example>", "bob@x.example"]));
    assert_eq!((&made["cc"], &made["bcc"]), (&json!(["cay@x.example"]), &json!(["dan@x.example"])));
    for name in ["subject", "text", "html", "labels", "data", "type", "reply_all"] {
        assert_eq!(made[name], full[name], "{name}");
    }
    assert_eq!(made["metadata"], json!({ "n": 1, "s": "x" }));
    assert_eq!(desk.get(made["id"].as_str().unwrap()).await.json, made);
    let inbox = desk.api.get(&format!("/v1/inboxes/{}", desk.inbox.id)).await.expect(200);
    assert_eq!(inbox["pending_draft_count"], 3);
    let list = desk.api.get("/v1/inboxes").await.expect(200);
    assert_eq!(list.data()[0]["pending_draft_count"], 3);
    desk.close().await;
}

#[tokio::test]
async fn what_is_wrong_is_said_all_at_once() {
    let desk = Desk::open().await;
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
    desk.api.post(&desk.path(""), wrong).await.invalid_fields(&paths);
    desk.api.post(&desk.path(""), json!({ "labels": ["ai:sales"] })).await.invalid_fields(&["labels[0]"]);
    let many: Vec<String> = (0..30).map(|n| format!("a{n}@x.example")).collect();
    desk.api.post(&desk.path(""), json!({ "to": many, "cc": many })).await.invalid_fields(&["to"]);
    desk.api
        .post(&desk.path(""), json!({ "attachments": [{ "id": desk.inbox.id.to_string() }] }))
        .await
        .invalid_fields(&[
            "attachments[0].id",
            "attachments[0].filename",
            "attachments[0].content_type",
            "attachments[0].content_base64",
        ]);
    let unknown = "0199f0c1-2345-7000-8000-0123456789ab";
    desk.api.post(&desk.path(""), json!({ "reply_to_message_id": unknown })).await.error("not_found");
    desk.api.post(&desk.path(""), json!({ "thread_id": unknown })).await.error("not_found");
    assert_eq!(desk.told().await, Vec::<String>::new());
    desk.close().await;
}

#[tokio::test]
async fn a_change_touches_what_it_names() {
    let desk = Desk::open().await;
    let made =
        desk.draft(json!({ "to": "ada@x.example", "subject": "A", "text": "t", "metadata": { "a": 1, "b": 2 } })).await;
    let id = made.text("id").to_owned();
    desk.server.clock.advance(1_000);
    let same = desk.patch(&id, json!({})).await.expect(200);
    assert_eq!(same.json, made.json, "an empty change changes nothing");
    let body = json!({
        "cc": ["cay@x.example"], "bcc": ["dan@x.example"], "subject": null, "html": "<p>h</p>", "text": null,
        "metadata": { "a": null, "c": "x" }, "labels": ["l"], "data": [1], "type": "event",
    });
    let after = desk.patch(&id, body).await.expect(200).json;
    let mut expected = made.json.clone();
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
        ("updated_at", json!("2026-09-15T12:00:01.000Z")),
    ] {
        expected[name] = value;
    }
    assert_eq!(after, expected);
    assert_eq!(desk.get(&id).await.json, expected);
    let cleared = desk.patch(&id, json!({ "to": [], "data": null, "html": "" })).await.expect(200);
    assert_eq!((&cleared["to"], &cleared["data"], &cleared["html"]), (&json!([]), &json!(null), &json!(null)));
    let too_many: serde_json::Map<_, _> = (0..50).map(|n| (format!("k{n}"), json!(n))).collect();
    desk.patch(&id, json!({ "metadata": too_many })).await.invalid_fields(&["metadata"]);
    desk.close().await;
}

#[tokio::test]
async fn drafts_of_others_are_not_found() {
    let desk = Desk::open().await;
    let id = desk.complete().await;
    let other = desk.server.inbox(&desk.key).await;
    let narrow = desk.server.api(&desk.server.key(&desk.key, "full", Scope::Inbox(other.id)).await);
    let stranger = desk.server.api(&desk.server.workspace(Plan::Team).await);
    let here = desk.path(&format!("/{id}"));
    let elsewhere = format!("/v1/inboxes/{}/drafts/{id}", other.id);
    for (api, path) in [(&narrow, &here), (&stranger, &here), (&desk.api, &elsewhere)] {
        api.get(path).await.error("not_found");
        api.patch(path, json!({ "text": "x" })).await.error("not_found");
        api.delete(path).await.error("not_found");
        for verb in ["send", "cancel"] {
            api.post_empty(&format!("{path}/{verb}")).await.error("not_found");
        }
        api.post(&format!("{path}/schedule"), json!({ "send_at": desk.ahead(HOUR_MS) })).await.error("not_found");
    }
    narrow.post(&desk.path(""), json!({})).await.error("not_found");
    desk.api.get(&desk.path("/not-an-id")).await.error("not_found");
    assert_eq!(desk.get(&id).await["status"], "draft");
    desk.close().await;
}

#[tokio::test]
async fn a_repeated_create_makes_one_draft() {
    let desk = Desk::open().await;
    let api = desk.api.idempotent("d-1");
    let first = api.post(&desk.path(""), desk.letter()).await.expect(201);
    let again = api.post(&desk.path(""), desk.letter()).await.expect(201);
    assert_eq!((again.bytes, again.headers.get("idempotent-replayed").is_some()), (first.bytes, true));
    api.post(&desk.path(""), json!({})).await.error("idempotency_key_reused");
    assert_eq!(desk.api.get("/v1/drafts").await.expect(200).data().len(), 1);
    assert_eq!(desk.told().await, ["draft.created"]);
    desk.close().await;
}

#[tokio::test]
async fn a_key_that_may_not_send_can_neither_send_nor_schedule() {
    let desk = Desk::open().await;
    let writer = desk.server.api(&desk.server.key(&desk.key, "drafts:write,drafts:read", Scope::Workspace).await);
    let id = writer.post(&desk.path(""), desk.letter()).await.expect(201).text("id").to_owned();
    let at = desk.ahead(HOUR_MS);
    let mut timed = desk.letter();
    timed["send_at"] = json!(at);
    let one = desk.path(&format!("/{id}"));
    for reply in [
        writer.post_empty(&format!("{one}/send")).await,
        writer.post(&format!("{one}/schedule"), json!({ "send_at": at })).await,
        writer.patch(&one, json!({ "send_at": at })).await,
        writer.post(&desk.path(""), timed).await,
    ] {
        let reply = reply.error("insufficient_permissions");
        assert_eq!(reply["error"]["details"]["permission"], "messages:send");
    }
    desk.act(&id, "schedule", json!({ "send_at": at })).await.expect(200);
    let after = writer.patch(&one, json!({ "text": "Other words." })).await.expect(200);
    assert_eq!(
        (&after["status"], &after["approved_by"]),
        (&json!("draft"), &json!(null)),
        "new words are not approved"
    );
    desk.server.advance(2 * HOUR_MS).await;
    assert_eq!(desk.sent().await, 0);
    desk.close().await;
}

#[tokio::test]
async fn what_ends_takes_its_drafts_with_it() {
    let desk = Desk::open().await;
    let mail = desk.arrives(posthouse_tests::Letter::new("Offer", "Do you want it?")).await;
    let (message, thread) = (mail["id"].as_str().unwrap(), mail["thread_id"].as_str().unwrap());
    let body = json!({ "reply_to_message_id": message, "text": "Yes.", "send_at": desk.ahead(HOUR_MS) });
    let reply = desk.draft(body).await.text("id").to_owned();
    let other = desk.draft(json!({ "to": "ada@x.example", "text": "t", "send_at": desk.ahead(HOUR_MS) })).await;
    desk.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    desk.api.get(&desk.path(&format!("/{reply}"))).await.error("not_found");
    desk.get(other.text("id")).await;
    let log = desk.log().await;
    assert_eq!(log[0]["data"]["draft"], json!(null), "nor does the log keep it: {log:?}");
    assert_eq!(log[1]["data"]["draft"]["id"], other["id"]);
    desk.api.delete(&format!("/v1/inboxes/{}", desk.inbox.id)).await.expect(204);
    assert_eq!(desk.api.get("/v1/drafts").await.expect(200).data().len(), 0);
    desk.server.advance(2 * HOUR_MS).await;
    desk.close().await;
}
