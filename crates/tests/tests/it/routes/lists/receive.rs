//! What the receive lists stop.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{Letter, fixtures::TestInbox, http::Api};
use serde_json::{Value, json};

use crate::desk::Desk;

impl Desk {
    async fn list(&self, kind: &str, pattern: &str, inbox: Option<&TestInbox>) -> String {
        let inbox = inbox.map(|inbox| inbox.id.to_string());
        let body = json!({ "direction": "receive", "kind": kind, "pattern": pattern, "inbox_id": inbox });
        self.api.post("/v1/lists", body).await.expect(201).text("id").to_owned()
    }

    /// Receives a mail and gives it with everything that may be seen of it.
    async fn hears(&self, from: &str) -> Value {
        self.hears_letter(Letter::new("Buy now", "Secret code 123456").with("From", from)).await
    }

    async fn hears_letter(&self, letter: Letter) -> Value {
        self.server.deliver(&letter, &self.inbox.address).await;
        let path = format!("/v1/inboxes/{}/messages?include_blocked=true&include_held=true&limit=1", self.inbox.id);
        self.api.get(&path).await.expect(200).data()[0].clone()
    }
}

fn is_blocked(message: &Value) -> bool {
    message["labels"].as_array().unwrap().contains(&json!("blocked"))
}

#[tokio::test]
async fn stopped_mail_is_stored_labelled_hidden_and_told_by_an_event_of_its_own() {
    let desk = Desk::open().await;
    desk.list("block", "spam.example", None).await;
    let message = desk.hears("Eve <eve@mail.spam.example>").await;
    assert!(is_blocked(&message), "{message}");
    assert_eq!(message["analysis"], json!({ "state": "skipped", "coverage": null, "reason": "blocked" }));
    assert_eq!(message["screening"], json!({ "state": "held", "reason": "blocked", "released_at": null }));
    assert_eq!(message["subject"], "Buy now");
    assert!(message.get("withheld").is_none());

    let (id, inbox) = (message["id"].as_str().unwrap(), desk.inbox.id);
    let list = async |query: &str| {
        desk.api.get(&format!("/v1/inboxes/{inbox}/messages?{query}")).await.expect(200).data().to_vec()
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
    let both = async { tokio::join!(desk.api.get(&wait), desk.api.get(&codes)) };
    let (waited, code) = desk.server.clock.go_on(10_000, both).await;
    assert!(waited.expect(200)["data"].is_null() && code.expect(200)["data"].is_null());
    assert!(desk.api.get("/v1/threads").await.expect(200).data().is_empty());
    let thread = desk.api.get(&format!("/v1/threads/{}", message["thread_id"].as_str().unwrap())).await.expect(200);
    assert_eq!((&thread["message_count"], &thread["messages"]), (&json!(0), &json!([])));
    assert!(thread["subject"].is_null(), "the subject is kept back with the mail: {thread}");
    assert!(desk.api.get("/v1/contacts").await.expect(200).data().is_empty(), "a stopped sender is no contact");

    let events = desk.api.get("/v1/events").await.expect(200);
    let types: Vec<&Value> = events.data().iter().map(|event| &event["type"]).collect();
    assert_eq!(types, ["message.received.blocked"]);
    assert_eq!(events.data()[0]["data"]["message"]["id"], message["id"]);
    assert!(events.data()[0]["data"]["message"]["subject"].is_null(), "content is kept back: {events}");
    desk.api.post_empty(&format!("/v1/messages/{id}/release")).await.error("message_blocked");
    desk.api
        .patch(&format!("/v1/messages/{id}"), json!({ "remove_labels": ["blocked"] }))
        .await
        .error("invalid_request");
    desk.server.finish().await;
}

#[tokio::test]
async fn the_content_of_stopped_mail_is_for_who_may_release() {
    let desk = Desk::open().await;
    desk.list("block", "eve@spam.example", Some(&desk.inbox)).await;
    let raw = "From: eve@spam.example\r\nTo: x@agents.example\r\nSubject: File\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nYour code is 482913.\r\n--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nfile\r\n--b--\r\n";
    desk.server.deliver_raw(raw.as_bytes(), &[&desk.inbox.address]).await.expect(250);
    let path = format!("/v1/inboxes/{}/messages?include_blocked=true", desk.inbox.id);
    let listed = desk.api.get(&path).await.expect(200).data()[0].clone();
    assert_eq!(listed["withheld"], json!({ "state": "held", "reason": "blocked", "attachments": 1 }));
    for member in ["subject", "text", "html", "extracted_text", "data"] {
        assert!(listed[member].is_null(), "{member}: {listed}");
    }
    assert_eq!((&listed["headers"], &listed["attachments"]), (&json!({}), &json!([])));
    assert!(listed["ai"]["verification"].is_null());
    assert_eq!(listed["from"], "eve@spam.example");

    let id = listed["id"].as_str().unwrap();
    let one = format!("/v1/messages/{id}");
    assert_eq!(desk.api.get(&one).await.expect(200).json, listed);
    let open = desk.api.get(&format!("{one}?include_held=true")).await.expect(200);
    assert_eq!((&open["subject"], open.json.get("withheld")), (&json!("File"), None));
    let batch = json!({ "ids": [id], "include_held": true });
    assert_eq!(desk.api.post("/v1/messages/batch-get", batch).await.expect(200).data()[0], open.json);
    let file = format!("/v1/attachments/{}", open["attachments"][0]["id"].as_str().unwrap());
    for path in [format!("{one}/raw"), file] {
        desk.api.get(&path).await.error("not_found");
        desk.api.get(&format!("{path}?include_held=true")).await.expect(200);
    }
    let forward = json!({ "to": "a@b.example" });
    desk.api.post(&format!("/v1/inboxes/{}/messages/{id}/forward", desk.inbox.id), forward).await.error("not_found");

    let reader = desk.server.api(&desk.server.key(&desk.key, "messages:read", Scope::Workspace).await);
    let agent = desk.server.api(&desk.server.key(&desk.key, "agent", Scope::Workspace).await);
    let inbox = format!("/v1/inboxes/{}", desk.inbox.id);
    agent.post(&format!("{inbox}/messages/{id}/reply"), json!({ "text": "x" })).await.error("not_found");
    agent.post(&format!("{inbox}/drafts"), json!({ "reply_to_message_id": id })).await.error("not_found");
    reader.get(&format!("{one}?include_held=true")).await.error("insufficient_permissions");
    assert_eq!(reader.get(&one).await.expect(200).json, listed);
    desk.api.post_empty(&format!("{one}/release")).await.error("message_blocked");
    desk.server.finish().await;
}

#[tokio::test]
async fn allow_closes_block_wins_and_entries_of_an_inbox_are_its_own() {
    let desk = Desk::open().await;
    let other = desk.server.inbox(&desk.key).await;
    assert!(!is_blocked(&desk.hears("ann@good.example").await));
    desk.list("block", "bad.good.example", None).await;
    desk.list("block", "Mean@Good.example", None).await;
    let other_allow = desk.list("allow", "elsewhere.example", Some(&other)).await;
    for (from, blocked) in [
        ("ann@good.example", false),
        ("ann@bad.good.example", true),
        ("ann@very.bad.good.example", true),
        ("ann@notbad.good.example", false),
        ("mean@good.example", true),
        ("mean+x@good.example", false),
    ] {
        assert_eq!(is_blocked(&desk.hears(from).await), blocked, "{from}");
    }
    desk.list("allow", "good.example", None).await;
    for (from, blocked) in [
        ("ann@good.example", false),
        ("ann@sub.good.example", false),
        ("ann@bad.good.example", true),
        ("stranger@third.example", true),
        ("ann@notgood.example", true),
    ] {
        assert_eq!(is_blocked(&desk.hears(from).await), blocked, "{from}");
    }
    // The workspace's allow entry lets through for the other inbox too; its own one only there.
    desk.server.deliver(&Letter::new("s", "t").with("From", "a@elsewhere.example"), &other.address).await;
    assert!(!is_blocked(&desk.server.newest(&desk.api, &other.id.to_string()).await));
    assert!(is_blocked(&desk.hears("a@elsewhere.example").await));
    desk.api.delete(&format!("/v1/lists/{other_allow}")).await.expect(204);
    // The envelope sender counts where it is blocked.
    desk.list("block", "remote.example", None).await;
    assert!(is_blocked(&desk.hears("ann@good.example").await), "alice@remote.example handed it over");
    desk.server.finish().await;
}

#[tokio::test]
async fn tokens_let_agents_through() {
    let desk = Desk::open().await;
    let colleague = desk.server.inbox(&desk.key).await;
    let stranger_key = desk.server.workspace(Plan::Team).await;
    let stranger = desk.server.inbox(&stranger_key).await;
    let write = async |api: &Api, from: &TestInbox| {
        desk.server.clock.advance(1);
        let body = json!({ "to": desk.inbox.address, "subject": "s", "text": "t" });
        api.post(&format!("/v1/inboxes/{}/messages", from.id), body).await.expect(202);
        let path = format!("/v1/inboxes/{}/messages?include_blocked=true&limit=1", desk.inbox.id);
        is_blocked(&desk.api.get(&path).await.expect(200).data()[0])
    };
    let stranger_api = desk.server.api(&stranger_key);
    let own = desk.list("allow", "workspace:self", None).await;
    assert!(!write(&desk.api, &colleague).await);
    assert!(write(&stranger_api, &stranger).await);
    assert!(is_blocked(&desk.hears(&stranger.address).await), "who comes by SMTP is no agent, whatever it says");
    desk.api.delete(&format!("/v1/lists/{own}")).await.expect(204);
    desk.list("allow", "agents:verified", None).await;
    assert!(write(&stranger_api, &stranger).await, "nobody has a card");
    desk.list("allow", "agents:any", None).await;
    assert!(!write(&stranger_api, &stranger).await);
    desk.list("block", "workspace:self", None).await;
    assert!(write(&desk.api, &colleague).await);
    desk.server.finish().await;
}

#[tokio::test]
async fn stopped_mail_joins_a_thread_without_a_trace() {
    let desk = Desk::open().await;
    let first = desk.hears_letter(Letter::new("Plan", "t").with("Message-ID", "<plan@good.example>")).await;
    desk.list("block", "spam.example", None).await;
    let reply =
        Letter::new("Re: Plan", "t").with("From", "eve@spam.example").with("In-Reply-To", "<plan@good.example>");
    let stopped = desk.hears_letter(reply).await;
    assert_eq!(stopped["thread_id"], first["thread_id"]);
    let thread = desk.api.get(&format!("/v1/threads/{}", first["thread_id"].as_str().unwrap())).await.expect(200);
    assert_eq!((&thread["message_count"], thread["messages"].as_array().unwrap().len()), (&json!(1), 1));
    assert_eq!(thread["last_message_at"], first["created_at"]);
    assert!(!thread["participants"].to_string().contains("spam"), "{thread}");
    let gone = desk.api.delete(&format!("/v1/threads/{}", first["thread_id"].as_str().unwrap())).await.expect(200);
    assert_eq!(gone["messages"], 2, "everything in it goes");
    desk.server.finish().await;
}

#[tokio::test]
async fn a_pause_keeps_the_event_back_and_metrics_count_it() {
    let desk = Desk::open().await;
    desk.list("block", "spam.example", None).await;
    desk.api.post_empty(&format!("/v1/inboxes/{}/pause", desk.inbox.id)).await.expect(200);
    desk.hears("eve@spam.example").await;
    let types = async || {
        let events = desk.api.get("/v1/events").await.expect(200);
        events.data().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!types().await.contains(&"message.received.blocked".to_owned()));
    desk.api.post_empty(&format!("/v1/inboxes/{}/resume", desk.inbox.id)).await.expect(200);
    assert!(types().await.contains(&"message.received.blocked".to_owned()));
    let metrics = desk.api.get("/v1/metrics").await.expect(200);
    assert_eq!(metrics["inbound"]["blocked"], 1, "{metrics}");
    let other = desk.hears("ann@good.example").await;
    desk.api.post_empty(&format!("/v1/messages/{}/release", other["id"].as_str().unwrap())).await.error("not_held");
    desk.server.finish().await;
}
