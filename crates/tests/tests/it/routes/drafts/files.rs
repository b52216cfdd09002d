//! Attachments of drafts: kept by id, replaced, sent and deleted.

use posthouse_domain::auth::Scope;
use serde_json::{Value, json};

use super::InboxFixture;

/// "hello" in base64, and its SHA-256 digest.
const HELLO: (&str, &str) = ("aGVsbG8=", "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");

fn file(name: &str, content: &str) -> Value {
    json!({ "filename": name, "content_type": "text/plain", "content_base64": content })
}

#[tokio::test]
async fn attachments_are_kept_by_id_and_replaced_by_the_list() {
    let fixture = InboxFixture::open().await;
    let mut body = fixture.complete_body();
    body["attachments"] = json!([file("a.txt", HELLO.0), file("b.txt", "Yg==")]);
    let made = fixture.draft(body).await;
    let (id, files) = (made.text("id").to_owned(), made["attachments"].clone());
    let known = json!({ "id": files[0]["id"], "filename": "a.txt", "content_type": "text/plain", "size_bytes": 5, "sha256": HELLO.1 });
    assert_eq!(files[0], known);
    let beside = fixture.patch(&id, json!({ "text": "Other." })).await.expect(200);
    assert_eq!(beside["attachments"], files, "an omitted field is unchanged");
    let content = format!("/v1/attachments/{}", files[0]["id"].as_str().unwrap());
    assert_eq!(fixture.api.get(&content).await.expect(200).bytes, b"hello", "a reviewer sees what would be sent");
    for permissions in ["messages:read", "drafts:read"] {
        let key = fixture.server.key(&fixture.key, permissions, Scope::Org).await;
        let refused = fixture.server.api(&key).get(&content).await;
        assert!(matches!(refused.status, 403 | 404), "{permissions}: {refused}");
    }
    let other = fixture.server.inbox_with(&fixture.key, json!({ "username": "other" })).await;
    let narrow = fixture.server.key(&fixture.key, "full", Scope::Inbox(other.id)).await;
    fixture.server.api(&narrow).get(&content).await.error("not_found");
    let swap = json!({ "attachments": [{ "id": files[1]["id"] }, file("c.txt", "Yw=="), { "id": files[0]["id"] }] });
    let after = fixture.patch(&id, swap).await.expect(200);
    let names = |reply: &Value| {
        let files = reply["attachments"].as_array().unwrap();
        files.iter().map(|file| file["filename"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&after.json), ["b.txt", "c.txt", "a.txt"]);
    assert_eq!(names(&fixture.get(&id).await.json), ["b.txt", "c.txt", "a.txt"]);
    let fewer = fixture.patch(&id, json!({ "attachments": [{ "id": files[0]["id"] }] })).await.expect(200);
    assert_eq!(names(&fewer.json), ["a.txt"]);
    let gone = json!({ "attachments": [{ "id": files[0]["id"] }, { "id": files[1]["id"] }, { "id": files[0]["id"] }] });
    fixture.patch(&id, gone).await.invalid_fields(&["attachments[1].id", "attachments[2].id"]);
    let mixed = json!({ "attachments": [{ "id": files[0]["id"], "filename": "x" }] });
    fixture.patch(&id, mixed).await.invalid_fields(&["attachments[0].filename"]);
    let sent = fixture.send(&id).await.expect(202);
    assert_eq!(sent["draft"]["attachments"], json!([]));
    let message = &sent["message"]["attachments"];
    assert_eq!((&message[0]["filename"], &message[0]["sha256"]), (&json!("a.txt"), &json!(HELLO.1)));
    let bytes = fixture.api.get(&format!("/v1/attachments/{}", message[0]["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(bytes.bytes, b"hello");
    assert_eq!(fixture.get(&id).await["attachments"], json!([]));
    fixture.close().await;
}

/// Returns incompressible bytes in base64.
fn noise(blocks: u64) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(ALPHABET[(state >> 58) as usize])
    };
    (0..blocks * 4).map(|_| next()).collect()
}

#[tokio::test]
async fn large_attachments_stay_in_the_blob_store_until_sent() {
    let fixture = InboxFixture::open().await;
    let mut body = fixture.complete_body();
    body["attachments"] = json!([file("large.bin", &noise(150_000))]);
    let made = fixture.draft(body).await;
    let known = made["attachments"][0].clone();
    assert_eq!(known["size_bytes"], 450_000);
    // The sweep checks one of 256 shards a minute and deletes unreferenced blobs older than a day.
    fixture.server.clock.advance(2 * posthouse_domain::time::DAY_MS);
    for _ in 0..256 {
        posthouse_app::jobs::reconcile::run(fixture.server.service()).await.unwrap();
        fixture.server.clock.advance(posthouse_domain::time::MINUTE_MS);
    }
    let sent = fixture.send(made.text("id")).await.expect(202);
    assert_eq!(sent["message"]["attachments"][0]["sha256"], known["sha256"]);
    fixture.close().await;
}

#[tokio::test]
async fn attachments_together_are_limited_to_the_message_size() {
    let fixture = InboxFixture::with(posthouse_tests::server::ServerOptions::default().configure(|config| {
        config.message_bytes_max = 10_000;
    }))
    .await;
    let mut body = fixture.complete_body();
    body["attachments"] = json!([file("a.bin", &noise(2_000))]);
    let made = fixture.draft(body.clone()).await;
    let kept = made["attachments"][0]["id"].clone();
    let more = json!({ "attachments": [{ "id": kept }, file("b.bin", &noise(2_000))] });
    fixture.patch(made.text("id"), more).await.error("message_too_large");
    body["attachments"] = json!([file("a.bin", &noise(3_000))]);
    let near = fixture.draft(body).await.text("id").to_owned();
    let refused = fixture.send(&near).await.error("message_too_large");
    let error = fixture.get(&near).await["error"].clone();
    assert_eq!((&error["code"], &error["message"]), (&json!("message_too_large"), &refused["error"]["message"]));
    fixture.close().await;
}
