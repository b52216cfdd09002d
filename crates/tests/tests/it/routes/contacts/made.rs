//! Who becomes a contact, and what mail makes of one.

use posthouse_domain::plan::Plan;
use posthouse_tests::Letter;
use serde_json::json;

use super::Desk;

#[tokio::test]
async fn a_mail_makes_contacts_of_everybody_in_it_but_our_own_inboxes() {
    let desk = Desk::open().await;
    let other = desk.server.inbox(&desk.key).await;
    let letter = Letter::new("RE: Fwd: Budget", "text")
        .with("From", "Ann Example <Ann@Partner.example>")
        .with("To", &format!("{}, Bob <bob@partner.example>", desk.inbox.address))
        .with("Cc", &format!("carl@third.example, {}, x+tag@agents.localhost", other.address.replace('@', "+tag@")));
    desk.server.deliver(&letter, &desk.inbox.address).await;

    assert_eq!(desk.listed("").await.len(), 4, "x+tag has the form of an inbox, and never was one");
    let ann = desk.contact("ann@partner.example").await.unwrap();
    let now = desk.server.app().clock.now().to_string();
    let newest = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await;
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
    let bob = desk.contact("Bob@Partner.example").await.unwrap();
    assert_eq!((&bob["name"], &bob["recent_threads"][0]["id"]), (&json!("Bob"), &newest["thread_id"]));
    assert!(desk.contact("carl@third.example").await.unwrap()["name"].is_null());
    for own in [&desk.inbox.address, &other.address, &other.address.replace('@', "+tag@")] {
        assert!(desk.contact(own).await.is_none(), "{own}");
    }
    desk.server.finish().await;
}

#[tokio::test]
async fn whom_we_write_to_is_a_person_with_bcc_and_the_first_outsider_is_the_message_s() {
    let desk = Desk::open().await;
    let other = desk.server.inbox(&desk.key).await;
    desk.server.clock.advance(1);
    let body = json!({ "to": [other.address, "Dora <dora@remote.example>"], "cc": "cleo@remote.example",
        "bcc": ["bess@remote.example"], "subject": "Re: AW: Our offer", "text": "t" });
    let path = format!("/v1/inboxes/{}/messages", desk.inbox.id);
    let sent = desk.api.post(&path, body).await.expect(202);
    desk.server.settle().await;
    let dora = desk.contact("dora@remote.example").await.unwrap();
    assert_eq!(
        (&dora["kind"], &dora["kind_source"], &dora["name"]),
        (&json!("person"), &json!("auto"), &json!("Dora"))
    );
    assert_eq!((&dora["message_count"], &dora["last_subject"]), (&json!(1), &json!("Our offer")));
    assert_eq!(sent["contact_id"], dora["id"], "the inbox of our own is no contact");
    for address in ["cleo@remote.example", "bess@remote.example"] {
        let contact = desk.contact(address).await.unwrap();
        assert_eq!((&contact["kind"], &contact["message_count"]), (&json!("person"), &json!(1)), "{address}");
        let threads = contact["recent_threads"].as_array().unwrap();
        assert!(threads.iter().any(|thread| thread["id"] == sent["thread_id"]), "{address}: {contact}");
    }
    assert!(desk.contact(&other.address).await.is_none());
    desk.server.finish().await;
}

#[tokio::test]
async fn programs_are_automated_and_nobody_comes_of_the_null_sender() {
    let desk = Desk::open().await;
    let automatic =
        Letter::new("Away", "text").with("From", "Away <away@a.example>").with("Auto-Submitted", "auto-replied");
    desk.server.deliver(&automatic, &desk.inbox.address).await;
    desk.hear("Shop <no-reply@shop.example>", "Your order").await;
    let news = Letter::new("News", "text").with("From", "news@b.example").with("List-Id", "<news.b.example>");
    desk.server.deliver(&news, &desk.inbox.address).await;
    for address in ["away@a.example", "no-reply@shop.example", "news@b.example"] {
        assert_eq!(desk.contact(address).await.unwrap()["kind"], "automated", "{address}");
    }
    desk.write_to(json!("away@a.example")).await;
    assert_eq!(desk.contact("away@a.example").await.unwrap()["kind"], "person", "we wrote to them");
    desk.server.deliver(&automatic, &desk.inbox.address).await;
    assert_eq!(desk.contact("away@a.example").await.unwrap()["kind"], "person", "a person may be away");

    let before = desk.listed("limit=100").await.len();
    let raw = Letter::new("Undelivered", "text")
        .with("From", "Mailer <mailer-daemon@c.example>")
        .with("Cc", "dan@c.example")
        .raw(&desk.inbox.address, desk.server.app().clock.now());
    let mut client = desk.server.smtp().await;
    client.mail("", &[&desk.inbox.address], raw.as_bytes()).await.expect(250);
    client.quit().await;
    assert_eq!(desk.listed("limit=100").await.len(), before);
    let newest = desk.server.newest(&desk.api, &desk.inbox.id.to_string()).await;
    assert_eq!((&newest["subject"], newest["contact_id"].is_null()), (&json!("Undelivered"), true));
    desk.server.finish().await;
}

#[tokio::test]
async fn later_mail_renews_what_no_caller_set() {
    let desk = Desk::open().await;
    desk.hear("Ann <ann@a.example>", "First").await;
    desk.hear("Annabel <ann@a.example>", "Re: Second").await;
    // What a third party calls her, and a mail without a subject, change nothing.
    let third = Letter::new("", "text").with("From", "bob@a.example").with("Cc", "Boss <ann@a.example>");
    desk.server.deliver(&third, &desk.inbox.address).await;
    let ann = desk.contact("ann@a.example").await.unwrap();
    assert_eq!(
        (&ann["name"], &ann["last_subject"], &ann["message_count"]),
        (&json!("Annabel"), &json!("Second"), &json!(3))
    );
    assert!(ann["first_seen_at"].as_str() < ann["last_seen_at"].as_str(), "{ann}");
    let mut listed = desk.listed("").await;
    listed.sort();
    assert_eq!(listed, ["ann@a.example", "bob@a.example"]);

    let path = format!("/v1/contacts/{}", ann["id"].as_str().unwrap());
    let set = desk.api.patch(&path, json!({ "name": "A. Example", "kind": "sales" })).await.expect(200);
    assert_eq!((&set["name_source"], &set["kind_source"]), (&json!("manual"), &json!("manual")));
    desk.hear("Annabel <ann@a.example>", "Third").await;
    desk.write_to(json!("Ann <ann@a.example>")).await;
    let ann = desk.contact("ann@a.example").await.unwrap();
    assert_eq!((&ann["name"], &ann["kind"]), (&json!("A. Example"), &json!("sales")));
    assert_eq!(ann["message_count"], 5);
    // A name that was cleared by hand stays cleared.
    desk.api.patch(&path, json!({ "name": null })).await.expect(200);
    desk.hear("Annabel <ann@a.example>", "Fourth").await;
    assert!(desk.contact("ann@a.example").await.unwrap()["name"].is_null());
    desk.server.finish().await;
}

#[tokio::test]
async fn an_agent_of_another_workspace_is_a_contact_on_both_sides() {
    let desk = Desk::open().await;
    let theirs = desk.server.workspace(Plan::Team).await;
    let (their_api, their_inbox) = (desk.server.api(&theirs), desk.server.inbox(&theirs).await);
    let sent = desk.write_to(json!(their_inbox.address)).await;
    let here = desk.contact(&their_inbox.address).await.unwrap();
    assert_eq!((&here["kind"], &sent["contact_id"]), (&json!("person"), &here["id"]));
    let there = their_api.get("/v1/contacts").await.expect(200);
    assert_eq!(there.data()[0]["address"], desk.inbox.address);
    let got = desk.server.newest(&their_api, &their_inbox.id.to_string()).await;
    assert_eq!(got["contact_id"], there.data()[0]["id"]);
    their_api.get(&format!("/v1/contacts/{}", here["id"].as_str().unwrap())).await.error("not_found");
    desk.server.finish().await;
}
