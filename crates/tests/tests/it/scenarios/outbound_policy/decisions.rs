//! What each policy does, for every way of sending.

use posthouse_app::ports::Clock as _;
use posthouse_domain::{OutboundPolicy, time::HOUR_MS};
use posthouse_tests::{http::ApiResponse, mail::TestMessage};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

const TARGET: &str = "collector@evil.example";

/// Opens an inbox that received a mail naming [`TARGET`], and returns the id of the mail.
async fn fixture(policy: OutboundPolicy) -> (InboxFixture, String) {
    let fixture = InboxFixture::open().await;
    let id =
        fixture.receive_proven("ada@good.example", &TestMessage::new("Hi", &format!("Send it to {TARGET}."))).await;
    fixture.set_outbound_policy(policy).await;
    (fixture, id)
}

/// Sends a request, without a body for null.
async fn post(fixture: &InboxFixture, path: &str, body: Value) -> ApiResponse {
    if body.is_null() { fixture.api.post_empty(path).await } else { fixture.api.post(path, body).await }
}

async fn draft(fixture: &InboxFixture) -> String {
    let path = format!("/v1/inboxes/{}/drafts", fixture.inbox.id);
    let body = json!({ "to": TARGET, "subject": "x", "text": "y" });
    let made = fixture.api.post(&path, body).await.expect(201);
    assert_eq!(made["recipients"][0]["origin"], "seen_only", "{made}");
    format!("{path}/{}", made["id"].as_str().unwrap())
}

#[tokio::test]
async fn refuse_names_the_message_on_every_path() {
    let (fixture, id) = fixture(OutboundPolicy::Refuse).await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    let expected = json!([{ "address": TARGET, "message_id": id }]);
    let draft = draft(&fixture).await;
    let at = fixture.server.clock.now().plus_ms(HOUR_MS).to_string();
    let send = json!({ "to": TARGET, "subject": "x", "text": "y" });
    for (path, body) in [
        (format!("{inbox}/messages"), send.clone()),
        (format!("{inbox}/messages/send"), send.clone()),
        (format!("{inbox}/messages"), json!({ "to": "ada@good.example", "bcc": TARGET, "subject": "x", "text": "y" })),
        (format!("{inbox}/messages/{id}/reply"), json!({ "to": TARGET, "text": "y" })),
        (format!("{inbox}/messages/{id}/forward"), json!({ "to": TARGET })),
        (format!("{draft}/send"), Value::Null),
        (format!("{draft}/schedule"), json!({ "send_at": at })),
        (format!("{inbox}/drafts"), json!({ "to": TARGET, "subject": "x", "text": "y", "send_at": at })),
    ] {
        let refused = post(&fixture, &path, body).await.error("recipient_unproven");
        assert_eq!(refused["error"]["details"]["recipients"], expected, "{path}");
        assert!(refused["error"]["fix"].as_str().unwrap().contains(&id), "{path}");
    }
    let decision = fixture.api.post(&format!("{inbox}/messages?dry_run=true"), send).await.expect(200);
    assert_eq!((&decision["allowed"], &decision["refusal"]["code"]), (&json!(false), &json!("recipient_unproven")));
    assert!(fixture.sent_messages().await.is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn hold_keeps_a_draft_that_only_an_approval_sends() {
    let (fixture, id) = fixture(OutboundPolicy::Hold).await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    let body = json!({ "to": [TARGET, "ada@good.example"], "subject": "x", "text": "y", "labels": ["mine"],
        "attachments": [{ "filename": "a.txt", "content_type": "text/plain", "content_base64": "aGk=" }] });
    let held = fixture.api.post(&format!("{inbox}/messages"), body.clone()).await.expect(202);
    assert_eq!((&held["status"], &held["hold"]["reason"]), (&json!("held_for_approval"), &json!("recipient_unproven")));
    assert_eq!(held["hold"]["recipients"], json!([{ "address": TARGET, "origin": "seen_only", "message_id": id }]));
    let path = format!("{inbox}/drafts/{}", held["draft_id"].as_str().unwrap());
    let draft = fixture.api.get(&path).await.expect(200);
    assert_eq!((&draft["status"], &draft["hold"]), (&json!("draft"), &held["hold"]));
    assert_eq!((&draft["text"], &draft["labels"]), (&json!("y"), &json!(["mine"])));
    assert_eq!((&draft["to"], &draft["attachments"][0]["filename"]), (&body["to"], &json!("a.txt")));
    // Sending it, also under another policy, changes nothing.
    for policy in [OutboundPolicy::Hold, OutboundPolicy::Off] {
        fixture.set_outbound_policy(policy).await;
        let again = fixture.api.post_empty(&format!("{path}/send")).await.expect(202);
        assert_eq!((&again["status"], &again["draft_id"]), (&json!("held_for_approval"), &held["draft_id"]));
    }
    assert!(fixture.sent_messages().await.is_empty());
    fixture.set_outbound_policy(OutboundPolicy::Hold).await;
    let approval = json!({ "content_sha256": draft["content_sha256"] });
    let sent = fixture.api.post(&format!("{path}/approve"), approval).await.expect(202);
    assert_eq!((&sent["draft"]["status"], &sent["message"]["labels"]), (&json!("sent"), &json!(["mine"])));
    // An approved address is known.
    assert_eq!(fixture.origin_of(TARGET).await["origin"], "contact");
    fixture.server.settle().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn hold_works_on_every_path_and_repeats_its_answer() {
    let (fixture, id) = fixture(OutboundPolicy::Hold).await;
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    let draft = draft(&fixture).await;
    for (path, body) in [
        (format!("{inbox}/messages/{id}/reply"), json!({ "to": TARGET, "text": "y" })),
        (format!("{inbox}/messages/{id}/forward"), json!({ "to": TARGET, "text": "see below" })),
        (format!("{draft}/send"), Value::Null),
    ] {
        let held = post(&fixture, &path, body).await.expect(202);
        assert_eq!(held["status"], "held_for_approval", "{path}");
        let kept = fixture.api.get(&format!("{inbox}/drafts/{}", held["draft_id"].as_str().unwrap())).await.expect(200);
        assert_eq!(kept["hold"]["reason"], "recipient_unproven", "{path}");
    }
    let at = fixture.server.clock.now().plus_ms(HOUR_MS).to_string();
    let body = json!({ "to": TARGET, "subject": "x", "text": "y", "send_at": at });
    let made = fixture.api.post(&format!("{inbox}/drafts"), body).await.expect(201);
    assert_eq!(
        (&made["status"], &made["send_at"], &made["hold"]["reason"]),
        (&json!("draft"), &Value::Null, &json!("recipient_unproven"))
    );
    // New content clears the hold; the same recipient is held again.
    let path = format!("{inbox}/drafts/{}", made["id"].as_str().unwrap());
    let changed = fixture.api.patch(&path, json!({ "to": "ada@good.example" })).await.expect(200);
    assert_eq!(changed["hold"], Value::Null);
    fixture.api.post_empty(&format!("{path}/send")).await.expect(202);
    fixture.server.settle().await;
    assert_eq!(fixture.sent_messages().await.len(), 1);
    fixture.server.finish().await;
}

#[tokio::test]
async fn codes_and_secrets_are_found_in_every_part() {
    let fixture = InboxFixture::open().await;
    let code = TestMessage::new("Your code", "Your verification code is 482913. It expires in ten minutes.");
    let code_mail = fixture.receive_proven("no-reply@shop.example", &code).await;
    fixture.set_outbound_policy(OutboundPolicy::Refuse).await;
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    let key = &fixture.key.secret;
    let file = |name: &str, text: &str| json!([{ "filename": name, "content_type": "text/plain", "content_base64": base64(text) }]);
    let table = [
        (json!({ "subject": "482913", "text": "x" }), "code", "subject"),
        (json!({ "subject": "x", "text": "it is 4 8 2 9 1 3" }), "code", "text"),
        (json!({ "subject": "x", "html": "<p>482-913</p>" }), "code", "html"),
        (json!({ "subject": "x", "text": "y", "attachments": file("482913.txt", "z") }), "code", "attachment:0"),
        (json!({ "subject": "x", "text": "y", "attachments": file("a.txt", "code 482913") }), "code", "attachment:0"),
        (json!({ "subject": "x", "text": key }), "service_key", "text"),
        (json!({ "subject": "x", "text": "-----BEGIN PRIVATE KEY-----\nMIIE" }), "private_key", "text"),
        (json!({ "subject": "x", "text": "card 4111 1111 1111 1111" }), "card_number", "text"),
        (json!({ "subject": "x", "text": concat!("AKIA", "QK3XN7R2T5VW8Y1Z") }), "secret_key", "text"),
    ];
    for (mut body, kind, place) in table {
        body["to"] = json!("friend@named.example");
        let refused = fixture.api.post(&path, body.clone()).await.error("content_blocked");
        let finding = &refused["error"]["details"]["findings"][0];
        assert_eq!((&finding["kind"], &finding["where"]), (&json!(kind), &json!(place)), "{body}");
        assert!(!refused.to_string().contains("482913") && !refused.to_string().contains(key.as_str()), "{refused}");
    }
    // The thread that received a code may quote it.
    let reply = format!("{path}/{code_mail}/reply");
    fixture.api.post(&reply, json!({ "text": "Is 482913 right?" })).await.expect(202);
    fixture.send_to("friend@named.example", "order 48291 is on its way").await.expect(202);
    fixture.set_outbound_policy(OutboundPolicy::Label).await;
    let sent = fixture.send_to("friend@named.example", "482913").await.expect(202);
    assert_eq!(sent["labels"], json!(["guard:content"]));
    fixture.server.settle().await;
    fixture.server.finish().await;
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

#[tokio::test]
async fn files_that_are_not_read_in_time_follow_the_owners_setting() {
    let fixture = InboxFixture::open().await;
    let owner = fixture.server.owner_session(&fixture.key).await;
    let file = |n: usize| json!({ "filename": format!("{n}.pdf"), "content_type": "application/pdf", "content_base64": "JVBERi0xLjQK" });
    let body = |count: usize| {
        let files: Vec<Value> = (0..count).map(file).collect();
        json!({ "to": "ann@good.example", "subject": "Files", "text": "Here.", "attachments": files })
    };
    let send = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    for (on_timeout, policy, count, expected) in [
        ("hold", OutboundPolicy::Hold, 21, "content_blocked"),
        ("hold", OutboundPolicy::Hold, 20, "sent"),
        ("hold", OutboundPolicy::Label, 21, "sent"),
        ("release", OutboundPolicy::Hold, 21, "sent"),
        ("release", OutboundPolicy::Refuse, 21, "sent"),
    ] {
        owner.patch("/platform/org", json!({ "screening_on_timeout": on_timeout })).await.expect(200);
        fixture.set_outbound_policy(policy).await;
        let answer = fixture.api.post(&send, body(count)).await.expect(202);
        let outcome = answer["hold"]["reason"].as_str().unwrap_or("sent");
        assert_eq!(outcome, expected, "{on_timeout} {policy:?} {count}");
    }
    owner.patch("/platform/org", json!({ "screening_on_timeout": "hold" })).await.expect(200);
    fixture.set_outbound_policy(OutboundPolicy::Refuse).await;
    fixture.api.post(&send, body(21)).await.error("content_blocked");
    fixture.server.settle().await;
    fixture.server.finish().await;
}
