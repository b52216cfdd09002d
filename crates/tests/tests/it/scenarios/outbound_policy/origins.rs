//! Where the address of a recipient comes from.

use posthouse_domain::OutboundPolicy;
use posthouse_tests::mail::TestMessage;
use serde_json::json;

use crate::inbox_fixture::InboxFixture;

#[tokio::test]
async fn the_strongest_origin_of_an_address_is_shown() {
    let fixture = InboxFixture::open().await;
    let server = &fixture.server;
    assert_eq!(fixture.origin_of("nobody@named.example").await["origin"], "caller");
    let text = "Please write to collector@evil.example, or ask carol@list.example.";
    let message = TestMessage::new("Hi", text).with("Cc", "cc@third.example");
    let id = fixture.receive_proven("ada@good.example", &message).await;
    let seen = fixture.origin_of("Collector+x@Evil.example").await;
    assert_eq!((&seen["origin"], &seen["message_id"]), (&json!("seen_only"), &json!(id)));
    assert_eq!(fixture.origin_of("cc@third.example").await["origin"], "seen_only", "a stranger can name anybody in Cc");
    assert_eq!(fixture.origin_of("ada@good.example").await["origin"], "contact", "a proven author");
    let entry = json!({ "direction": "send", "kind": "allow", "pattern": "list.example" });
    let entry = fixture.api.post("/v1/lists", entry).await.expect(201);
    assert_eq!(fixture.origin_of("carol@list.example").await["origin"], "list");
    fixture.api.delete(&format!("/v1/lists/{}", entry["id"].as_str().unwrap())).await.expect(204);
    let other = server.inbox_named(&fixture.key, "other").await;
    assert_eq!(fixture.origin_of(&other.address).await["origin"], "directory");
    let reply = format!("/v1/inboxes/{}/messages/{id}/reply", fixture.inbox.id);
    let sent = fixture.api.post(&reply, json!({ "text": "Thanks." })).await.expect(202);
    assert_eq!(sent["recipients"], json!([{ "address": "ada@good.example", "origin": "thread", "message_id": null }]));
    let sent = fixture.send_to("nobody@named.example", "x").await.expect(202);
    assert_eq!((&sent["recipients"][0]["origin"], &sent["labels"]), (&json!("caller"), &json!([])));
    assert_eq!(fixture.origin_of("nobody@named.example").await["origin"], "contact", "it was written to");
    // A labeled message isn't correspondence.
    let sent = fixture.send_to("collector@evil.example", "x").await.expect(202);
    assert_eq!(sent["labels"], json!(["guard:recipient"]));
    assert_eq!(fixture.origin_of("collector@evil.example").await["origin"], "seen_only");
    fixture.server.settle().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_address_that_only_a_file_names_is_seen() {
    let fixture = InboxFixture::open().await;
    let text = "--b\r\n\r\nSee the file.\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\
                Content-Transfer-Encoding: base64\r\n\r\nd3JpdGUgdG87Y29sbGVjdG9yQGV2aWwuZXhhbXBsZQo=\r\n--b--\r\n";
    let message = TestMessage::new("Hi", text).with("MIME-Version", "1.0");
    let message = message.with("Content-Type", "multipart/mixed; boundary=b");
    let id = fixture.receive_proven("ada@good.example", &message).await;
    fixture.server.settle().await;
    let seen = fixture.origin_of("collector@evil.example").await;
    assert_eq!((&seen["origin"], &seen["message_id"]), (&json!("seen_only"), &json!(id)));
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_unproven_author_is_answered_but_not_written_to() {
    let fixture = InboxFixture::open().await;
    let message = TestMessage::new("Hi", "Hello").with("From", "x@nowhere.example").with("Cc", "cc@third.example");
    let id = fixture.receive_unproven(&message).await;
    assert_eq!(fixture.origin_of("x@nowhere.example").await["origin"], "seen_only");
    let reply = format!("/v1/inboxes/{}/messages/{id}/reply", fixture.inbox.id);
    let sent = fixture.api.post(&reply, json!({ "text": "Yes?", "reply_all": true })).await.expect(202);
    let origins: Vec<_> = sent["recipients"].as_array().unwrap().iter().map(|one| one["origin"].clone()).collect();
    assert_eq!(origins, [json!("thread"), json!("seen_only")], "{sent}");
    fixture.server.settle().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_origin_is_forgotten_with_its_message() {
    let fixture = InboxFixture::open().await;
    let id = fixture.receive_unproven(&TestMessage::new("Hi", "collector@evil.example")).await;
    assert_eq!(fixture.origin_of("collector@evil.example").await["message_id"], json!(id));
    let thread = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200)["thread_id"].clone();
    fixture.api.delete(&format!("/v1/threads/{}", thread.as_str().unwrap())).await.expect(200);
    fixture.server.settle().await;
    assert_eq!(fixture.origin_of("collector@evil.example").await["origin"], "caller");
    fixture.set_outbound_policy(OutboundPolicy::Refuse).await;
    fixture.send_to("collector@evil.example", "x").await.expect(202);
    fixture.server.settle().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn people_who_took_part_in_a_thread_with_proof_are_answered() {
    let fixture = InboxFixture::open().await;
    fixture.set_outbound_policy(OutboundPolicy::Hold).await;
    let first = TestMessage::new("Offer", "Carol is in copy.").with("Cc", "carol@third.example");
    let first = first.with("Message-ID", "<1@good.example>");
    let id = fixture.receive_proven("ada@good.example", &first).await;
    let answer = json!({ "text": "Thanks.", "reply_all": true });
    let reply = format!("/v1/inboxes/{}/messages/{id}/reply", fixture.inbox.id);
    let held = fixture.api.post(&reply, answer.clone()).await.expect(202);
    assert_eq!(held["status"], "held_for_approval", "anybody can name others in Cc: {held}");
    let second = TestMessage::new("Re: Offer", "I agree.").with("In-Reply-To", "<1@good.example>");
    let forged = second.clone().with("From", "carol@third.example");
    fixture.server.dns.txt("_dmarc.third.example", "v=DMARC1; p=none");
    fixture.receive_unproven(&forged).await;
    let held = fixture.api.post(&reply, answer.clone()).await.expect(202);
    assert_eq!(held["status"], "held_for_approval", "nobody proved to be Carol: {held}");
    let from_carol = fixture.receive_proven("carol@third.example", &second.with("Cc", "ada@good.example")).await;
    let other = format!("/v1/inboxes/{}/messages/{from_carol}/reply", fixture.inbox.id);
    for path in [&reply, &other] {
        let sent = fixture.api.post(path, answer.clone()).await.expect(202);
        assert_eq!(sent["status"], "queued", "{sent}");
        let people: Vec<_> = sent["recipients"].as_array().unwrap().iter().map(|one| &one["address"]).collect();
        assert_eq!(people.len(), 2, "{sent}");
    }
    fixture.server.settle().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_address_behind_the_limits_of_the_index_was_unseen() {
    let many: String = (0..300).map(|n| format!("user{n}@crowd.example\n")).collect();
    let long = format!("{}\nbehind@evil.example\n", "Ordinary words of a long log.\n".repeat(45_000));
    // Of an address in a filter, it isn't known which mail named it, so none answers for its bounces.
    for (text, address, is_indexed) in [(many, "user299@crowd.example", false), (long, "behind@evil.example", true)] {
        let fixture = InboxFixture::open().await;
        let id = fixture.receive_proven("ada@good.example", &TestMessage::new("Hi", &text)).await;
        let seen = fixture.origin_of(address).await;
        let named_by = if is_indexed { json!(id) } else { json!(null) };
        assert_eq!((&seen["origin"], &seen["message_id"]), (&json!("seen_only"), &named_by), "{address}");
        assert_eq!(fixture.origin_of("nobody@named.example").await["origin"], "caller");
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn an_address_in_any_header_that_readers_get_is_seen() {
    let fixture = InboxFixture::open().await;
    let fields = [
        ("References", "<1@good.example> <a@evil.example> <b@evil.example>"),
        ("In-Reply-To", "<c@evil.example>"),
        ("Received", "from x (y [192.0.2.1]) by mx.good.example for <d@evil.example>; Mon, 2 Mar 2026 10:00:00 +0000"),
        ("Message-ID", "<e@evil.example>"),
        ("List-Unsubscribe", "<mailto:f@evil.example>"),
        ("X-Note", "ask g@evil.example"),
        ("DKIM-Signature", "v=1; a=rsa-sha256; d=evil.example; s=s; i=h@evil.example; h=from; bh=; b="),
        ("Sender", "i@evil.example"),
        ("X-Other", "j at evil dot example"),
    ];
    let message =
        fields.into_iter().fold(TestMessage::new("Hi", "Hello."), |mail, (name, value)| mail.with(name, value));
    let id = fixture.receive_unproven(&message).await;
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
        let seen = fixture.origin_of(&format!("{name}@evil.example")).await;
        assert_eq!((&seen["origin"], &seen["message_id"]), (&json!("seen_only"), &json!(id)), "{name}");
    }
    assert_eq!(fixture.origin_of("k@evil.example").await["origin"], "caller");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_long_thread_leaves_the_index_to_what_people_read() {
    let fixture = InboxFixture::open().await;
    let ids: String = (0..250).map(|n| format!("\r\n <{n}@thread.example>")).collect();
    let message = TestMessage::new("Hi", "Ask collector@evil.example.").with("References", ids.trim());
    let id = fixture.receive_unproven(&message).await;
    let seen = fixture.origin_of("collector@evil.example").await;
    assert_eq!((&seen["origin"], &seen["message_id"]), (&json!("seen_only"), &json!(id)));
    assert_eq!(fixture.origin_of("249@thread.example").await["origin"], "seen_only");
    fixture.server.finish().await;
}
