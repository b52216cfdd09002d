//! Which addresses become contacts, and what a message sets on them.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestMessage;
use serde_json::json;

use super::InboxFixture;

#[tokio::test]
async fn a_message_creates_contacts_for_all_its_addresses_except_local_inboxes() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    let message = TestMessage::new("RE: Fwd: Budget", "text")
        .with("From", "Ann Example <Ann@Partner.example>")
        .with("To", &format!("{}, Bob <bob@partner.example>", fixture.inbox.address))
        .with("Cc", &format!("carl@third.example, {}, x+tag@agents.localhost", other.address.replace('@', "+tag@")));
    fixture.server.deliver(&message, &fixture.inbox.address).await;

    assert_eq!(fixture.listed("").await.len(), 4, "x+tag looks like an inbox address but no inbox exists");
    let ann = fixture.contact("ann@partner.example").await.unwrap();
    let now = fixture.server.service().clock.now().to_string();
    let newest = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    assert_eq!(newest["contact_id"], ann["id"]);
    let mut expected = json!({
        "id": ann["id"], "address": "ann@partner.example", "domain": "partner.example", "name": "Ann Example",
        "name_source": "auto", "kind": "unknown", "kind_source": "auto", "notes": null, "metadata": {}, "labels": [],
        "message_count": 1, "last_subject": "Budget", "first_seen_at": newest["created_at"],
        "last_seen_at": newest["created_at"], "created_at": now,
    });
    expected["recent_threads"] = ann["recent_threads"].clone();
    assert_eq!(ann, expected);
    assert_eq!(ann["recent_threads"][0]["id"], newest["thread_id"]);
    let bob = fixture.contact("Bob@Partner.example").await.unwrap();
    assert_eq!((&bob["name"], &bob["recent_threads"][0]["id"]), (&json!("Bob"), &newest["thread_id"]));
    assert!(fixture.contact("carl@third.example").await.unwrap()["name"].is_null());
    for own in [&fixture.inbox.address, &other.address, &other.address.replace('@', "+tag@")] {
        assert!(fixture.contact(own).await.is_none(), "{own}");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn recipients_become_persons_and_the_first_external_one_is_the_contact_of_the_message() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    fixture.server.clock.advance(1);
    let body = json!({ "to": [other.address, "Dora <dora@remote.example>"], "cc": "cleo@remote.example",
        "bcc": ["bess@remote.example"], "subject": "Re: AW: Our offer", "text": "t" });
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    let sent = fixture.api.post(&path, body).await.expect(202);
    fixture.server.settle().await;
    let dora = fixture.contact("dora@remote.example").await.unwrap();
    assert_eq!(
        (&dora["kind"], &dora["kind_source"], &dora["name"]),
        (&json!("person"), &json!("auto"), &json!("Dora"))
    );
    assert_eq!((&dora["message_count"], &dora["last_subject"]), (&json!(1), &json!("Our offer")));
    assert_eq!(sent["contact_id"], dora["id"], "a local inbox is not a contact");
    for address in ["cleo@remote.example", "bess@remote.example"] {
        let contact = fixture.contact(address).await.unwrap();
        assert_eq!((&contact["kind"], &contact["message_count"]), (&json!("person"), &json!(1)), "{address}");
        let threads = contact["recent_threads"].as_array().unwrap();
        assert!(threads.iter().any(|thread| thread["id"] == sent["thread_id"]), "{address}: {contact}");
    }
    assert!(fixture.contact(&other.address).await.is_none());
    fixture.server.finish().await;
}

#[tokio::test]
async fn automatic_senders_are_marked_and_bounces_create_no_contact() {
    let fixture = InboxFixture::open().await;
    let automatic =
        TestMessage::new("Away", "text").with("From", "Away <away@a.example>").with("Auto-Submitted", "auto-replied");
    fixture.server.deliver(&automatic, &fixture.inbox.address).await;
    fixture.receive_with_subject("Shop <no-reply@shop.example>", "Your order").await;
    let news = TestMessage::new("News", "text").with("From", "news@b.example").with("List-Id", "<news.b.example>");
    fixture.server.deliver(&news, &fixture.inbox.address).await;
    for address in ["away@a.example", "no-reply@shop.example", "news@b.example"] {
        assert_eq!(fixture.contact(address).await.unwrap()["kind"], "automated", "{address}");
    }
    fixture.write_to(json!("away@a.example")).await;
    assert_eq!(fixture.contact("away@a.example").await.unwrap()["kind"], "person", "an agent wrote to it");
    fixture.server.deliver(&automatic, &fixture.inbox.address).await;
    assert_eq!(
        fixture.contact("away@a.example").await.unwrap()["kind"],
        "person",
        "a person can send an automatic reply"
    );

    let before = fixture.listed("limit=100").await.len();
    let raw = TestMessage::new("Undelivered", "text")
        .with("From", "Mailer <mailer-daemon@c.example>")
        .with("Cc", "dan@c.example")
        .raw(&fixture.inbox.address, fixture.server.service().clock.now());
    let mut client = fixture.server.smtp().await;
    client.mail("", &[&fixture.inbox.address], raw.as_bytes()).await.expect(250);
    client.quit().await;
    assert_eq!(fixture.listed("limit=100").await.len(), before);
    let newest = fixture.server.newest_message(&fixture.api, &fixture.inbox.id.to_string()).await;
    assert_eq!((&newest["subject"], newest["contact_id"].is_null()), (&json!("Undelivered"), true));
    fixture.server.finish().await;
}

#[tokio::test]
async fn later_messages_update_fields_that_no_caller_set() {
    let fixture = InboxFixture::open().await;
    fixture.receive_with_subject("Ann <ann@a.example>", "First").await;
    fixture.receive_with_subject("Annabel <ann@a.example>", "Re: Second").await;
    // A name from another sender and a message without a subject change nothing.
    let third = TestMessage::new("", "text").with("From", "bob@a.example").with("Cc", "Boss <ann@a.example>");
    fixture.server.deliver(&third, &fixture.inbox.address).await;
    let ann = fixture.contact("ann@a.example").await.unwrap();
    assert_eq!(
        (&ann["name"], &ann["last_subject"], &ann["message_count"]),
        (&json!("Annabel"), &json!("Second"), &json!(3))
    );
    assert!(ann["first_seen_at"].as_str() < ann["last_seen_at"].as_str(), "{ann}");
    let mut listed = fixture.listed("").await;
    listed.sort();
    assert_eq!(listed, ["ann@a.example", "bob@a.example"]);

    let path = format!("/v1/contacts/{}", ann["id"].as_str().unwrap());
    let set = fixture.api.patch(&path, json!({ "name": "A. Example", "kind": "sales" })).await.expect(200);
    assert_eq!((&set["name_source"], &set["kind_source"]), (&json!("manual"), &json!("manual")));
    fixture.receive_with_subject("Annabel <ann@a.example>", "Third").await;
    fixture.write_to(json!("Ann <ann@a.example>")).await;
    let ann = fixture.contact("ann@a.example").await.unwrap();
    assert_eq!((&ann["name"], &ann["kind"]), (&json!("A. Example"), &json!("sales")));
    assert_eq!(ann["message_count"], 5);
    // A name that a caller cleared stays cleared.
    fixture.api.patch(&path, json!({ "name": null })).await.expect(200);
    fixture.receive_with_subject("Annabel <ann@a.example>", "Fourth").await;
    assert!(fixture.contact("ann@a.example").await.unwrap()["name"].is_null());
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_agent_of_another_workspace_is_a_contact_on_both_sides() {
    let fixture = InboxFixture::open().await;
    let theirs = fixture.server.workspace(Plan::Team).await;
    let (their_api, their_inbox) = (fixture.server.api(&theirs), fixture.server.inbox(&theirs).await);
    let sent = fixture.write_to(json!(their_inbox.address)).await;
    let here = fixture.contact(&their_inbox.address).await.unwrap();
    assert_eq!((&here["kind"], &sent["contact_id"]), (&json!("person"), &here["id"]));
    let there = their_api.get("/v1/contacts").await.expect(200);
    assert_eq!(there.data()[0]["address"], fixture.inbox.address);
    let got = fixture.server.newest_message(&their_api, &their_inbox.id.to_string()).await;
    assert_eq!(got["contact_id"], there.data()[0]["id"]);
    their_api.get(&format!("/v1/contacts/{}", here["id"].as_str().unwrap())).await.error("not_found");
    fixture.server.finish().await;
}
