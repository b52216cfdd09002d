//! The effect of receive lists.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{TestMessage, fixtures::TestInbox, http::Api};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    async fn list(&self, kind: &str, pattern: &str, inbox: Option<&TestInbox>) -> String {
        let inbox = inbox.map(|inbox| inbox.id.to_string());
        let body = json!({ "direction": "receive", "kind": kind, "pattern": pattern, "inbox_id": inbox });
        self.api.post("/v1/lists", body).await.expect(201).text("id").to_owned()
    }

    /// Receives a message from this sender and returns it with all visible members.
    async fn receive_from(&self, from: &str) -> Value {
        self.receive_message(TestMessage::new("Buy now", "Secret code 123456").with("From", from)).await
    }

    async fn receive_message(&self, message: TestMessage) -> Value {
        self.server.deliver(&message, &self.inbox.address).await;
        let path = format!("/v1/inboxes/{}/messages?include_blocked=true&include_held=true&limit=1", self.inbox.id);
        self.api.get(&path).await.expect(200).data()[0].clone()
    }
}

fn is_blocked(message: &Value) -> bool {
    message["labels"].as_array().unwrap().contains(&json!("blocked"))
}

#[tokio::test]
async fn a_blocked_message_is_stored_labeled_hidden_and_has_its_own_event() {
    let fixture = InboxFixture::open().await;
    fixture.list("block", "spam.example", None).await;
    let message = fixture.receive_from("Eve <eve@mail.spam.example>").await;
    assert!(is_blocked(&message), "{message}");
    assert_eq!(message["analysis"], json!({ "state": "skipped", "coverage": null, "reason": "blocked" }));
    assert_eq!(message["screening"], json!({ "state": "held", "reason": "blocked", "released_at": null }));
    assert_eq!(message["subject"], "Buy now");
    assert!(message.get("withheld").is_none());

    let (id, inbox) = (message["id"].as_str().unwrap(), fixture.inbox.id);
    let list = async |query: &str| {
        fixture.api.get(&format!("/v1/inboxes/{inbox}/messages?{query}")).await.expect(200).data().to_vec()
    };
    for query in
        ["", "screening=held", "labels=blocked", "include_held=true", "screening=screened&include_blocked=true"]
    {
        assert!(list(query).await.is_empty(), "{query}");
    }
    for query in ["include_blocked=true", "include_blocked=true&screening=held", "include_blocked=true&labels=blocked"]
    {
        assert_eq!(list(query).await.len(), 1, "{query}");
    }
    let since = "timeout=1&since=2020-01-01T00:00:00Z";
    let (wait, codes) = (
        format!("/v1/inboxes/{inbox}/messages/wait?{since}"),
        format!("/v1/inboxes/{inbox}/verification?{since}&include_unauthenticated=true"),
    );
    let both = async { tokio::join!(fixture.api.get(&wait), fixture.api.get(&codes)) };
    let (waited, code) = fixture.server.clock.advance_until(10_000, both).await;
    assert!(waited.expect(200)["data"].is_null() && code.expect(200)["data"].is_null());
    assert!(fixture.api.get("/v1/threads").await.expect(200).data().is_empty());
    let thread = fixture.api.get(&format!("/v1/threads/{}", message["thread_id"].as_str().unwrap())).await.expect(200);
    assert_eq!((&thread["message_count"], &thread["messages"]), (&json!(0), &json!([])));
    assert!(thread["subject"].is_null(), "the subject is withheld with the message: {thread}");
    assert!(
        fixture.api.get("/v1/contacts").await.expect(200).data().is_empty(),
        "a blocked sender does not become a contact"
    );

    let events = fixture.api.get("/v1/events").await.expect(200);
    let types: Vec<&Value> = events.data().iter().map(|event| &event["type"]).collect();
    assert_eq!(types, ["message.received.blocked"]);
    assert_eq!(events.data()[0]["data"]["message"]["id"], message["id"]);
    assert!(events.data()[0]["data"]["message"]["subject"].is_null(), "content is withheld: {events}");
    fixture.api.post_empty(&format!("/v1/messages/{id}/release")).await.error("message_blocked");
    fixture
        .api
        .patch(&format!("/v1/messages/{id}"), json!({ "remove_labels": ["blocked"] }))
        .await
        .error("invalid_request");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_content_of_a_blocked_message_requires_release_permission() {
    let fixture = InboxFixture::open().await;
    fixture.list("block", "eve@spam.example", Some(&fixture.inbox)).await;
    let raw = "From: eve@spam.example\r\nTo: x@agents.example\r\nSubject: File\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nYour code is 482913.\r\n--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nfile\r\n--b--\r\n";
    fixture.server.deliver_raw(raw.as_bytes(), &[&fixture.inbox.address]).await.expect(250);
    let path = format!("/v1/inboxes/{}/messages?include_blocked=true", fixture.inbox.id);
    let listed = fixture.api.get(&path).await.expect(200).data()[0].clone();
    assert_eq!(listed["withheld"], json!({ "state": "held", "reason": "blocked", "attachments": 1 }));
    for member in ["subject", "text", "html", "extracted_text", "data"] {
        assert!(listed[member].is_null(), "{member}: {listed}");
    }
    assert_eq!((&listed["headers"], &listed["attachments"]), (&json!({}), &json!([])));
    assert!(listed["ai"]["verification"].is_null());
    assert_eq!(listed["from"], "eve@spam.example");

    let id = listed["id"].as_str().unwrap();
    let one = format!("/v1/messages/{id}");
    assert_eq!(fixture.api.get(&one).await.expect(200).json, listed);
    let open = fixture.api.get(&format!("{one}?include_held=true")).await.expect(200);
    assert_eq!((&open["subject"], open.json.get("withheld")), (&json!("File"), None));
    let batch = json!({ "ids": [id], "include_held": true });
    assert_eq!(fixture.api.post("/v1/messages/batch-get", batch).await.expect(200).data()[0], open.json);
    let file = format!("/v1/attachments/{}", open["attachments"][0]["id"].as_str().unwrap());
    for path in [format!("{one}/raw"), file] {
        fixture.api.get(&path).await.error("message_withheld");
        fixture.api.get(&format!("{path}?include_held=true")).await.expect(200);
    }
    let forward = json!({ "to": "a@b.example" });
    fixture
        .api
        .post(&format!("/v1/inboxes/{}/messages/{id}/forward", fixture.inbox.id), forward)
        .await
        .error("message_withheld");

    let reader = fixture.server.api(&fixture.server.key(&fixture.key, "messages:read", Scope::Workspace).await);
    let agent = fixture.server.api(&fixture.server.key(&fixture.key, "agent", Scope::Workspace).await);
    let inbox = format!("/v1/inboxes/{}", fixture.inbox.id);
    agent.post(&format!("{inbox}/messages/{id}/reply"), json!({ "text": "x" })).await.error("message_withheld");
    agent.post(&format!("{inbox}/drafts"), json!({ "reply_to_message_id": id })).await.error("message_withheld");
    reader.get(&format!("{one}?include_held=true")).await.error("insufficient_permissions");
    assert_eq!(reader.get(&one).await.expect(200).json, listed);
    fixture.api.post_empty(&format!("{one}/release")).await.error("message_blocked");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_allow_entry_blocks_all_others_block_wins_and_inbox_entries_stay_local() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    assert!(!is_blocked(&fixture.receive_from("ann@good.example").await));
    fixture.list("block", "bad.good.example", None).await;
    fixture.list("block", "Mean@Good.example", None).await;
    let other_allow = fixture.list("allow", "elsewhere.example", Some(&other)).await;
    for (from, blocked) in [
        ("ann@good.example", false),
        ("ann@bad.good.example", true),
        ("ann@very.bad.good.example", true),
        ("ann@notbad.good.example", false),
        ("mean@good.example", true),
        ("mean+x@good.example", false),
    ] {
        assert_eq!(is_blocked(&fixture.receive_from(from).await), blocked, "{from}");
    }
    fixture.list("allow", "good.example", None).await;
    for (from, blocked) in [
        ("ann@good.example", false),
        ("ann@sub.good.example", false),
        ("ann@bad.good.example", true),
        ("stranger@third.example", true),
        ("ann@notgood.example", true),
    ] {
        assert_eq!(is_blocked(&fixture.receive_from(from).await), blocked, "{from}");
    }
    // The allow entry of the workspace applies to the other inbox too. The entry of the other inbox applies only there.
    fixture.server.deliver(&TestMessage::new("s", "t").with("From", "a@elsewhere.example"), &other.address).await;
    assert!(!is_blocked(&fixture.server.newest_message(&fixture.api, &other.id.to_string()).await));
    assert!(is_blocked(&fixture.receive_from("a@elsewhere.example").await));
    fixture.api.delete(&format!("/v1/lists/{other_allow}")).await.expect(204);
    // The envelope sender can be blocked too.
    fixture.list("block", "remote.example", None).await;
    assert!(is_blocked(&fixture.receive_from("ann@good.example").await), "alice@remote.example is the envelope sender");
    fixture.server.finish().await;
}

#[tokio::test]
async fn tokens_allow_agents() {
    let fixture = InboxFixture::open().await;
    let colleague = fixture.server.inbox(&fixture.key).await;
    let stranger_key = fixture.server.workspace(Plan::Team).await;
    let stranger = fixture.server.inbox(&stranger_key).await;
    let write = async |api: &Api, from: &TestInbox| {
        fixture.server.clock.advance(1);
        let body = json!({ "to": fixture.inbox.address, "subject": "s", "text": "t" });
        api.post(&format!("/v1/inboxes/{}/messages", from.id), body).await.expect(202);
        fixture.server.settle().await;
        let path = format!("/v1/inboxes/{}/messages?include_blocked=true&limit=1", fixture.inbox.id);
        is_blocked(&fixture.api.get(&path).await.expect(200).data()[0])
    };
    let stranger_api = fixture.server.api(&stranger_key);
    let own = fixture.list("allow", "workspace:self", None).await;
    assert!(!write(&fixture.api, &colleague).await);
    assert!(write(&stranger_api, &stranger).await);
    assert!(is_blocked(&fixture.receive_from(&stranger.address).await), "an SMTP sender is never an agent");
    fixture.api.delete(&format!("/v1/lists/{own}")).await.expect(204);
    fixture.list("allow", "agents:verified", None).await;
    assert!(write(&stranger_api, &stranger).await, "the agent has no card");
    fixture.list("allow", "agents:any", None).await;
    assert!(!write(&stranger_api, &stranger).await);
    fixture.list("block", "workspace:self", None).await;
    assert!(write(&fixture.api, &colleague).await);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_blocked_message_joins_a_thread_invisibly() {
    let fixture = InboxFixture::open().await;
    let first = fixture.receive_message(TestMessage::new("Plan", "t").with("Message-ID", "<plan@good.example>")).await;
    fixture.list("block", "spam.example", None).await;
    let reply =
        TestMessage::new("Re: Plan", "t").with("From", "eve@spam.example").with("In-Reply-To", "<plan@good.example>");
    let stopped = fixture.receive_message(reply).await;
    assert_eq!(stopped["thread_id"], first["thread_id"]);
    let thread = fixture.api.get(&format!("/v1/threads/{}", first["thread_id"].as_str().unwrap())).await.expect(200);
    assert_eq!((&thread["message_count"], thread["messages"].as_array().unwrap().len()), (&json!(1), 1));
    assert_eq!(thread["last_message_at"], first["created_at"]);
    assert!(!thread["participants"].to_string().contains("spam"), "{thread}");
    let gone = fixture.api.delete(&format!("/v1/threads/{}", first["thread_id"].as_str().unwrap())).await.expect(200);
    assert_eq!(gone["messages"], 2, "all messages in it are deleted");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_pause_holds_the_blocked_event_and_metrics_count_it() {
    let fixture = InboxFixture::open().await;
    fixture.list("block", "spam.example", None).await;
    fixture.api.post_empty(&format!("/v1/inboxes/{}/pause", fixture.inbox.id)).await.expect(200);
    fixture.receive_from("eve@spam.example").await;
    let types = async || {
        let events = fixture.api.get("/v1/events").await.expect(200);
        events.data().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!types().await.contains(&"message.received.blocked".to_owned()));
    fixture.api.post_empty(&format!("/v1/inboxes/{}/resume", fixture.inbox.id)).await.expect(200);
    assert!(types().await.contains(&"message.received.blocked".to_owned()));
    let metrics = fixture.api.get("/v1/metrics").await.expect(200);
    assert_eq!(metrics["inbound"]["blocked"], 1, "{metrics}");
    let other = fixture.receive_from("ann@good.example").await;
    fixture.api.post_empty(&format!("/v1/messages/{}/release", other["id"].as_str().unwrap())).await.error("not_held");
    fixture.server.finish().await;
}
