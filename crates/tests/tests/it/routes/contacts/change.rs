//! Changing, deleting and forgetting contacts.

use posthouse_domain::auth::Scope;
use serde_json::json;

use super::InboxFixture;

#[tokio::test]
async fn a_change_is_merged_and_unknown_fields_are_rejected() {
    let fixture = InboxFixture::open().await;
    fixture.receive_with_subject("Ann <ann@one.example>", "s").await;
    let path = format!("/v1/contacts/{}", fixture.id("ann@one.example").await);
    let before = fixture.api.get(&path).await.expect(200);
    let same = fixture.api.patch(&path, json!({})).await.expect(200);
    assert_eq!((&same["name"], &same["name_source"]), (&before["name"], &json!("auto")));
    assert!(same.json.get("recent_threads").is_none());

    let change =
        json!({ "notes": "Likes\ntea", "metadata": { "a": 1, "b": "x", "c": null }, "add_labels": ["x", "ai:y", "x"] });
    let changed = fixture.api.patch(&path, change).await.expect(200);
    assert_eq!(
        (&changed["notes"], &changed["metadata"], &changed["labels"]),
        (&json!("Likes\ntea"), &json!({ "a": 1, "b": "x" }), &json!(["x", "ai:y"]))
    );
    let change = json!({ "notes": null, "metadata": { "a": null }, "remove_labels": ["x", "gone"], "name": "" });
    let changed = fixture.api.patch(&path, change).await.expect(200);
    assert_eq!(
        (&changed["notes"], &changed["metadata"], &changed["labels"]),
        (&json!(null), &json!({ "b": "x" }), &json!(["ai:y"]))
    );
    assert_eq!((&changed["name"], &changed["name_source"]), (&json!(null), &json!("manual")));

    let long = |n: usize| "x".repeat(n);
    fixture
        .api
        .patch(&path, json!({ "name": long(200), "notes": long(10_000), "metadata": { "k": long(1_000) } }))
        .await
        .expect(200);
    let many: Vec<String> = (0..51).map(|n| format!("l{n}")).collect();
    for (body, field) in [
        (json!({ "name": long(201) }), "name"),
        (json!({ "notes": long(10_001) }), "notes"),
        (json!({ "metadata": { "k": long(1_001) } }), "metadata.k"),
        (json!({ "metadata": { "a b": 1 } }), "metadata.a b"),
        (json!({ "metadata": { "k": [] } }), "metadata.k"),
        (json!({ "add_labels": many }), "add_labels"),
        (json!({ "remove_labels": many }), "remove_labels"),
        (json!({ "add_labels": ["a,b"] }), "add_labels[0]"),
        (json!({ "add_labels": [long(65)] }), "add_labels[0]"),
        (json!({ "add_labels": ["a"], "remove_labels": ["a"] }), "remove_labels[0]"),
        (json!({ "kind": "robot" }), "kind"),
        (json!({ "address": "b@c.example" }), "address"),
        (json!({ "message_count": 3 }), "message_count"),
    ] {
        fixture.api.patch(&path, body).await.invalid_fields(&[field]);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_deleted_contact_returns_with_a_message_and_a_forgotten_one_only_when_written_to() {
    let fixture = InboxFixture::open().await;
    fixture.receive_with_subject("Ann <ann@one.example>", "s").await;
    let first = fixture.id("ann@one.example").await;
    fixture
        .api
        .patch(&format!("/v1/contacts/{first}"), json!({ "notes": "n", "add_labels": ["vip"] }))
        .await
        .expect(200);
    fixture.api.delete(&format!("/v1/contacts/{first}")).await.expect(204);
    fixture.api.delete(&format!("/v1/contacts/{first}")).await.error("not_found");
    assert!(fixture.listed("label=vip").await.is_empty());
    let message = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    assert!(message["contact_id"].is_null(), "the message stays without its contact");
    fixture.receive_with_subject("Ann <ann@one.example>", "t").await;
    let second = fixture.contact("ann@one.example").await.unwrap();
    assert_ne!(second["id"], json!(first));
    assert_eq!((&second["notes"], &second["labels"], &second["message_count"]), (&json!(null), &json!([]), &json!(1)));

    fixture.api.delete(&format!("/v1/contacts/{}?forget=true", second["id"].as_str().unwrap())).await.expect(204);
    fixture.receive_with_subject("Ann <ann@one.example>", "u").await;
    assert!(fixture.contact("ann@one.example").await.is_none());
    assert!(fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await["contact_id"].is_null());
    fixture.write_to(json!("ann@one.example")).await;
    assert_eq!(fixture.contact("ann@one.example").await.unwrap()["kind"], "person");
    fixture.receive_with_subject("Ann <ann@one.example>", "v").await;
    assert_eq!(fixture.contact("ann@one.example").await.unwrap()["message_count"], 2);
    fixture.server.finish().await;
}

#[tokio::test]
async fn contacts_are_deleted_in_bulk_by_kind_and_domain() {
    let fixture = InboxFixture::open().await;
    for from in ["a@one.example", "b@one.example", "no-reply@one.example", "c@two.example"] {
        fixture.receive_with_subject(from, "s").await;
    }
    let call = async |body| fixture.api.post("/v1/contacts/delete", body).await.expect(200).json;
    let dry = call(json!({ "domain": "ONE.example", "dry_run": true, "forget": true })).await;
    assert_eq!(dry, json!({ "matched": 3, "deleted": 0, "forgotten": 0, "has_more": false, "dry_run": true }));
    let none = call(json!({ "kind": ["sales"], "domain": "one.example" })).await;
    assert_eq!(none, json!({ "matched": 0, "deleted": 0, "forgotten": 0, "has_more": false, "dry_run": false }));
    let some = call(json!({ "kind": ["automated", "person"] })).await;
    assert_eq!((&some["matched"], &some["deleted"], &some["forgotten"]), (&json!(1), &json!(1), &json!(0)));
    let rest = call(json!({ "domain": "one.example", "forget": true })).await;
    assert_eq!((&rest["deleted"], &rest["forgotten"]), (&json!(2), &json!(2)));
    assert_eq!(fixture.listed("").await, ["c@two.example"]);
    fixture.receive_with_subject("a@one.example", "s").await;
    fixture.receive_with_subject("no-reply@one.example", "s").await;
    assert_eq!(fixture.listed("").await, ["no-reply@one.example", "c@two.example"]);
    for (body, field) in [
        (json!({}), "kind"),
        (json!({ "dry_run": true }), "kind"),
        (json!({ "kind": [] }), "kind"),
        (json!({ "kind": "person" }), "kind"),
        (json!({ "kind": ["x"] }), "kind[0]"),
        (json!({ "domain": "" }), "domain"),
    ] {
        fixture.api.post("/v1/contacts/delete", body).await.invalid_fields(&[field]);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_inbox_key_can_read_and_change_but_not_delete_contacts() {
    let fixture = InboxFixture::open().await;
    fixture.receive_with_subject("ann@one.example", "s").await;
    let path = format!("/v1/contacts/{}", fixture.id("ann@one.example").await);
    let narrow = fixture.server.key(&fixture.key, "contacts:read,contacts:write", Scope::Inbox(fixture.inbox.id)).await;
    let narrow = fixture.server.api(&narrow);
    narrow.get(&path).await.expect(200);
    narrow.patch(&path, json!({ "notes": "n" })).await.expect(200);
    narrow.delete(&path).await.error("forbidden");
    narrow.post("/v1/contacts/delete", json!({ "kind": ["person"] })).await.error("forbidden");
    fixture.server.finish().await;
}

#[tokio::test]
async fn one_call_deletes_at_most_a_thousand_contacts() {
    let fixture = InboxFixture::open().await;
    let (workspace, inbox) = (fixture.key.workspace, fixture.inbox.id);
    fixture
        .server
        .store()
        .write(move |tx| {
            use posthouse_domain::{
                contact::{MessageParticipant, ParticipantRole},
                id::IdGenerator,
                time::Time,
            };
            use posthouse_mail::address::Mailbox;
            let (ids, at) = (IdGenerator::new(Time::from_millis(1), [7; 8]), Time::from_millis(1));
            for n in 0..1_003 {
                let mailbox = Mailbox::parse(&format!("p{n}@one.example")).unwrap();
                let occasion = posthouse_store::contacts::ContactActivity { workspace, inbox, subject: None, at };
                posthouse_store::contacts::upsert(
                    tx,
                    occasion,
                    ids.next(),
                    &MessageParticipant::of(&mailbox, ParticipantRole::CoRecipient),
                    b"none",
                )?;
            }
            Ok::<_, posthouse_store::Error>(())
        })
        .await
        .unwrap();
    let body = json!({ "kind": ["unknown"] });
    let dry =
        fixture.api.post("/v1/contacts/delete", json!({ "kind": ["unknown"], "dry_run": true })).await.expect(200);
    assert_eq!((&dry["matched"], &dry["has_more"]), (&json!(1_003), &json!(true)));
    let first = fixture.api.post("/v1/contacts/delete", body.clone()).await.expect(200);
    assert_eq!(
        (&first["matched"], &first["deleted"], &first["has_more"]),
        (&json!(1_003), &json!(1_000), &json!(true))
    );
    let last = fixture.api.post("/v1/contacts/delete", body).await.expect(200);
    assert_eq!((&last["matched"], &last["deleted"], &last["has_more"]), (&json!(3), &json!(3), &json!(false)));
    fixture.server.finish().await;
}
