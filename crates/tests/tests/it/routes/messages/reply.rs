//! `POST /v1/inboxes/{id}/messages/{message_id}/reply`.

use serde_json::json;

use super::{InboxFixture, inbox, mail};

#[tokio::test]
async fn a_reply_stays_in_its_thread_and_goes_to_the_author() {
    let fixture = InboxFixture::open().await;
    let original = fixture.receive_at(&fixture.inbox, &mail("")).await;
    let shown = fixture.message(&original).await;
    let sent = fixture.post(&format!("/{original}/reply"), json!({ "text": "Yes." })).await.expect(202);
    assert_eq!(sent["subject"], "Re: Offer");
    assert_eq!(sent["to"], json!(["Dana <dana@elsewhere.example>"]));
    assert_eq!(sent["cc"], json!([]));
    assert_eq!(sent["in_reply_to"], "<one@elsewhere.example>");
    assert_eq!(sent["references"], json!(["<zero@elsewhere.example>", "<one@elsewhere.example>"]));
    assert_eq!(sent["thread_id"], shown["thread_id"]);
    let all = json!({ "text": "Yes.", "reply_all": true });
    let sent = fixture.post(&format!("/{original}/reply"), all).await.expect(202);
    assert_eq!(sent["to"], json!(["Dana <dana@elsewhere.example>"]));
    assert_eq!(sent["cc"], json!(["eve@b.example", "fay@c.example"]), "without the inbox itself");
    let again = fixture.post(&format!("/{}/reply", sent.text("id")), json!({ "text": "And more." })).await.expect(202);
    assert_eq!(again["subject"], "Re: Offer", "one prefix");
    assert_eq!(
        again["to"],
        json!(["Dana <dana@elsewhere.example>"]),
        "a reply to an own message goes to its recipients"
    );
    assert_eq!(again["thread_id"], shown["thread_id"]);
    fixture.close_queued().await;
}

#[tokio::test]
async fn a_signed_reply_to_is_respected() {
    let fixture = InboxFixture::open().await;
    let raw = mail("Reply-To: desk@elsewhere.example, \"Q, R\" <q@b.example>\n").replace('\n', "\r\n");
    let signed = fixture.server.signed("elsewhere.example", &raw).replace("\r\n", "\n");
    let original = fixture.receive_at(&fixture.inbox, &signed).await;
    assert_eq!(fixture.message(&original).await["reply_to_unproven"], false);
    let sent = fixture.post(&format!("/{original}/reply"), json!({ "html": "<p>Yes.</p>" })).await.expect(202);
    assert_eq!(sent["to"], json!(["desk@elsewhere.example", "\"Q, R\" <q@b.example>"]));
    fixture.close_queued().await;
}

/// Anybody registers a name below `uk.com` or `github.io`, and such names counted as one party.
#[tokio::test]
async fn a_reply_to_below_the_same_private_suffix_is_unproven() {
    let fixture = InboxFixture::open().await;
    for (author, reply_to, is_unproven) in [
        ("al@acme.uk.com", "x@evil.uk.com", true),
        ("al@acme.uk.com", "desk@support.acme.uk.com", false),
        ("al@good.github.io", "x@evil.github.io", true),
        ("al@good.github.io", "x@github.io", true),
        ("al@acme.com", "desk@support.acme.com", false),
        ("al@gmail.com", "x@gmail.com", true),
        ("al@gmail.com", "a.l+x@gmail.com", false),
    ] {
        let raw = mail(&format!("Reply-To: {reply_to}\n")).replace("dana@elsewhere.example", author);
        let original = fixture.receive_at(&fixture.inbox, &raw).await;
        let shown = fixture.message(&original).await;
        assert_eq!(shown["reply_to_unproven"], is_unproven, "{author} {reply_to}");
        let sent = fixture.post(&format!("/{original}/reply"), json!({ "text": "Yes." })).await.expect(202);
        assert_eq!(sent["to"].to_string().contains(author), is_unproven, "{sent}");
    }
    fixture.close_queued().await;
}

/// A mail that was put in front of a signed one, with a `Reply-To` of its own, directed the reply elsewhere.
#[tokio::test]
async fn an_unproven_reply_to_is_shown_but_not_used() {
    let fixture = InboxFixture::open().await;
    fixture.server.dns.txt("elsewhere.example", "v=spf1 ip4:127.0.0.1 -all");
    let dana = json!(["Dana <dana@elsewhere.example>"]);
    for (reply_to, is_unproven) in [
        ("x@evil.example", true),
        ("desk@elsewhere.example, x@evil.example", true),
        ("desk@elsewhere.example", false),
        // Nobody knows who registers names below `.example`.
        ("desk@support.elsewhere.example", true),
    ] {
        let raw = mail(&format!("Reply-To: {reply_to}\n"));
        let original = fixture.receive_at(&fixture.inbox, &raw).await;
        let shown = fixture.message(&original).await;
        assert_eq!((&shown["reply_to"], &shown["reply_to_unproven"]), (&json!(reply_to), &json!(is_unproven)));
        let path = format!("/{original}/reply");
        let sent = fixture.post(&path, json!({ "text": "Yes." })).await.expect(202);
        assert_eq!(sent["to"], if is_unproven { dana.clone() } else { json!([reply_to]) }, "{reply_to}");
        let all = fixture.post(&path, json!({ "text": "Yes.", "reply_all": true })).await.expect(202);
        assert!(!all["cc"].to_string().contains("evil"), "{all}");
        let draft = json!({ "reply_to_message_id": original, "text": "Yes." });
        let draft = fixture.api.post(&format!("/v1/inboxes/{}/drafts", fixture.inbox.id), draft).await.expect(201);
        assert_eq!(draft["to"], sent["to"]);
        let named = fixture.post(&path, json!({ "text": "Yes.", "to": "x@evil.example" })).await.expect(202);
        assert_eq!((&named["to"], &named["in_reply_to"]), (&json!(["x@evil.example"]), &sent["in_reply_to"]));
    }
    fixture.close_queued().await;
}

#[tokio::test]
async fn two_local_inboxes_converse_in_one_thread_each() {
    let fixture = InboxFixture::open().await;
    let friend = inbox(&fixture.server, &fixture.key, "friend").await;
    let sent = fixture.post("", super::send_body(&friend.address)).await.expect(202);
    let copy = fixture.newest_message(&friend).await;
    let path = format!("/v1/inboxes/{}/messages/{}/reply", friend.id, copy["id"].as_str().unwrap());
    let answer = fixture.api.post(&path, json!({ "text": "Thanks." })).await.expect(202);
    assert_eq!(answer["thread_id"], copy["thread_id"]);
    let back = fixture.newest_message(&fixture.inbox).await;
    assert_eq!(back["thread_id"], sent["thread_id"], "the reply joins the thread of the original");
    assert_eq!(back["extracted_text"], "Thanks.");
    fixture.server.finish().await;
}

#[tokio::test]
async fn only_messages_of_the_inbox_can_be_replied_to() {
    let fixture = InboxFixture::open().await;
    let other = inbox(&fixture.server, &fixture.key, "other").await;
    let original = fixture.receive_at(&other, &mail("")).await;
    let yes = || json!({ "text": "Yes." });
    fixture.post(&format!("/{original}/reply"), yes()).await.error("not_found");
    fixture.post(&format!("/{original}/forward"), json!({ "to": "a@b.example" })).await.error("not_found");
    fixture.post("/0192f0c1-2345-7000-8000-0123456789ab/reply", yes()).await.error("not_found");
    fixture.post("/x/reply", yes()).await.error("not_found");
    let own = fixture.receive_at(&fixture.inbox, &mail("")).await;
    fixture.post(&format!("/{own}/reply"), json!({ "reply_all": true })).await.invalid_fields(&["text"]);
    fixture.post(&format!("/{own}/reply"), json!({ "text": "a", "subject": "b" })).await.invalid_fields(&["subject"]);
    fixture.server.finish().await;
}
