//! The limit of stored bytes (`plans.*.storage_bytes`): it holds for received and sent mail and for drafts, deleting makes
//! room again, and another workspace isn't affected. Every test also compares the counter with the stored rows at its end.

use std::collections::BTreeSet;

use posthouse_domain::{plan::Plan, time::HOUR_MS};
use posthouse_store::storage;
use posthouse_tests::{
    ServerOptions, TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use serde_json::{Value, json};

/// The limit of the plan `free` in these tests, in bytes.
const MAX: u64 = 20_000;

struct Fixture {
    server: TestServer,
    full: Tenant,
    other: Tenant,
}

struct Tenant {
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl Fixture {
    async fn open() -> Self {
        let server =
            TestServer::start(ServerOptions::default().configure(|c| c.plans.free.storage_bytes = Some(MAX))).await;
        let mut tenants = Vec::new();
        for (plan, name) in [(Plan::Free, "full"), (Plan::Team, "other")] {
            let key = server.workspace(plan).await;
            let inbox = server.inbox_named(&key, name).await;
            tenants.push(Tenant { api: server.api(&key), key, inbox });
        }
        let other = tenants.pop().expect("two workspaces");
        let full = tenants.pop().expect("two workspaces");
        Self { server, full, other }
    }

    async fn stored_bytes(&self, of: &Tenant) -> u64 {
        let workspace = of.key.workspace;
        let usage = self.server.store().read(move |tx| storage::usage(tx, workspace)).await;
        usage.expect("the store works").expect("the workspace exists").bytes
    }

    /// Receives messages of a kilobyte until at most `left` bytes are left.
    async fn fill(&self, left: u64) {
        while MAX - self.stored_bytes(&self.full).await > left {
            self.server.receive_message(&self.full.inbox, mail("fill", 500)).await;
        }
    }

    /// Deletes the messages that filled the workspace.
    async fn empty(&self) {
        let listed = self.full.api.get(&format!("{}?limit=100", self.full.messages())).await.expect(200);
        let threads: BTreeSet<&str> =
            listed.data().iter().filter_map(|message| message["thread_id"].as_str()).collect();
        for thread in threads {
            self.full.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
        }
    }

    /// Lets hours pass, and runs what is due after each.
    async fn wait_hours(&self, hours: u32) {
        for _ in 0..hours {
            self.server.clock.advance(HOUR_MS);
            self.server.settle().await;
        }
    }
}

impl Tenant {
    fn messages(&self) -> String {
        format!("/v1/inboxes/{}/messages", self.inbox.id)
    }

    async fn count(&self) -> usize {
        self.api.get(&format!("{}?limit=100", self.messages())).await.expect(200).data().len()
    }

    /// Returns the subjects of received messages, oldest first.
    async fn subjects(&self) -> Vec<String> {
        let listed = self.api.get(&format!("{}?limit=100", self.messages())).await.expect(200);
        let subject = |message: &Value| message["subject"].as_str().unwrap_or_default().to_owned();
        listed.data().iter().rev().map(subject).collect()
    }
}

/// Returns a message with a body of this size.
fn mail(subject: &str, bytes: usize) -> String {
    let lines = format!("{}\r\n", "x".repeat(70)).repeat(bytes / 72);
    format!("From: a@b.example\r\nSubject: {subject}\r\nMessage-ID: <{subject}@b.example>\r\n\r\n{lines}")
}

#[tokio::test]
async fn a_full_workspace_refuses_mail_until_some_is_deleted() {
    let fixture = Fixture::open().await;
    let (full, other) = (&fixture.full, &fixture.other);
    fixture.fill(1_000).await;
    let mut smtp = fixture.server.smtp().await;
    smtp.line("MAIL FROM:<a@b.example> SIZE=2000").await.expect(250);
    let reply = smtp.line(&format!("RCPT TO:<{}>", full.inbox.address)).await.expect_enhanced(452, "4.2.2");
    assert!(reply.lines[0].contains("(plans.*.storage_bytes of the recipient is 20000)"), "{reply}");
    smtp.line(&format!("RCPT TO:<{}>", other.inbox.address)).await.expect(250);
    smtp.data(mail("shared", 1_500)).await.expect(250);
    // Without a declared size the message is refused after its content, and nothing of it is stored.
    let (before, count) = (fixture.stored_bytes(full).await, full.count().await);
    let reply = smtp.mail("a@b.example", &[&full.inbox.address], mail("large", 2_000).as_bytes()).await;
    reply.expect_enhanced(452, "4.2.2");
    assert_eq!((fixture.stored_bytes(full).await, full.count().await), (before, count));
    assert_eq!(other.count().await, 1);
    let metrics = fixture.server.anonymous().get("/metrics").await.to_string();
    assert!(metrics.contains("posthouse_limit_refusals_total{limit=\"storage_bytes\"} 2"), "{metrics}");

    fixture.empty().await;
    assert!(fixture.stored_bytes(full).await < before);
    let reply = smtp.mail("a@b.example", &[&full.inbox.address], mail("small", 100).as_bytes()).await;
    reply.expect(250);
    smtp.quit().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_message_to_a_nearly_full_workspace_and_others_is_sent_separately() {
    let fixture = Fixture::open().await;
    let recipients = [&fixture.full.inbox.address, &fixture.other.inbox.address];
    for first in [0, 1] {
        let mut smtp = fixture.server.smtp().await;
        smtp.envelope("a@b.example", &[recipients[first]]).await;
        let second = format!("RCPT TO:<{}>", recipients[1 - first]);
        smtp.line(&second).await.expect_enhanced(452, "4.5.3");
        smtp.line("RSET").await.expect(250);
        // A declared size answers whether the message fits.
        smtp.line("MAIL FROM:<a@b.example> SIZE=900").await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", recipients[first])).await.expect(250);
        smtp.line(&second).await.expect(250);
        smtp.data(mail(&format!("both{first}"), 500)).await.expect(250);
        smtp.quit().await;
    }
    assert_eq!((fixture.full.count().await, fixture.other.count().await), (2, 2));
    fixture.server.finish().await;
}

#[tokio::test]
async fn sends_and_drafts_over_the_limit_are_refused() {
    let fixture = Fixture::open().await;
    let full = &fixture.full;
    let body = |bytes: usize| json!({ "to": ["dana@b.example"], "subject": "x", "text": "x".repeat(bytes) });
    let drafts = format!("/v1/inboxes/{}/drafts", full.inbox.id);
    let draft = full.api.post(&drafts, body(15_000)).await.expect(201);
    let path = format!("{drafts}/{}", draft.text("id"));
    for (route, body) in [(full.messages(), body(6_000)), (drafts.clone(), body(6_000))] {
        let refused = full.api.post(&route, body).await.error("plan_limit_storage");
        let details = &refused["error"]["details"];
        let expected = json!({ "limit": "storage_bytes", "max": MAX, "used": 15_000 });
        assert_eq!((refused.status, details), (403, &expected));
    }
    let file = json!({ "filename": "a.txt", "content_type": "text/plain", "content_base64": "eHh4".repeat(2_000) });
    full.api.patch(&path, json!({ "attachments": [file] })).await.error("plan_limit_storage");
    full.api.patch(&path, json!({ "text": "x".repeat(21_000) })).await.error("plan_limit_storage");
    let dry = full.api.post(&format!("{}?dry_run=true", full.messages()), body(6_000)).await.expect(200);
    assert!(dry.json.to_string().contains("plan_limit_storage"), "{dry}");
    // Less is always allowed, and then there is room.
    full.api.patch(&path, json!({ "text": "x" })).await.expect(200);
    full.api.post(&full.messages(), body(6_000)).await.expect(202);
    let limits = full.api.get("/v1/account").await.expect(200)["limits"].clone();
    assert_eq!(limits["storage_bytes"], MAX);
    fixture.server.settle().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn mail_from_another_workspace_waits_while_the_recipient_is_full() {
    let fixture = Fixture::open().await;
    let (full, other) = (&fixture.full, &fixture.other);
    fixture.fill(1_000).await;
    let count = full.count().await;
    let body = json!({ "to": [full.inbox.address], "subject": "Hi", "text": "x".repeat(2_000) });
    let sent = other.api.post(&other.messages(), body).await.expect(202);
    fixture.server.settle().await;
    let message = other.api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200);
    let entry = &message["delivery"][0];
    let expected = json!(["queued", 452, "4.2.2", 1]);
    assert_eq!(
        json!([entry["status"], entry["smtp_code"], entry["enhanced_code"], entry["attempts"]]),
        expected,
        "{message}"
    );
    assert!(entry["detail"].to_string().contains(&format!("storage_bytes is {MAX}")), "{message}");
    assert_eq!(full.count().await, count);
    // A later message from the same inbox waits behind it.
    let small = json!({ "to": [full.inbox.address], "subject": "Second", "text": "x" });
    other.api.post(&other.messages(), small).await.expect(202);
    fixture.server.settle().await;
    assert_eq!(full.count().await, count);
    fixture.empty().await;
    fixture.wait_hours(1).await;
    let message = other.api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200);
    assert_eq!(message["delivery"][0]["status"], "delivered", "{message}");
    assert_eq!(full.subjects().await, ["Hi", "Second"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn mail_to_a_full_workspace_bounces_after_the_retry_schedule() {
    let fixture = Fixture::open().await;
    let (full, other) = (&fixture.full, &fixture.other);
    fixture.fill(1_000).await;
    let body = json!({ "to": [full.inbox.address], "subject": "Hi", "text": "x".repeat(2_000) });
    let sent = other.api.post(&other.messages(), body).await.expect(202);
    fixture.server.settle().await;
    fixture.wait_hours(130).await;
    let message = other.api.get(&format!("/v1/messages/{}", sent.text("id"))).await.expect(200);
    let entry = &message["delivery"][0];
    assert_eq!((&entry["status"], &entry["enhanced_code"]), (&json!("bounced"), &json!("5.4.7")), "{message}");
    assert!(entry["attempts"].as_u64().expect("a number") > 1, "{message}");
    fixture.server.finish().await;
}

/// The audit at the end of the test compares the counter with the rows.
#[tokio::test]
async fn the_counter_equals_the_stored_rows_after_random_operations() {
    let fixture = Fixture::open().await;
    let (api, inbox) = (&fixture.other.api, &fixture.other.inbox);
    let second = fixture.server.inbox_named(&fixture.other.key, "second").await;
    let temporary = fixture.server.inbox_with(&fixture.other.key, json!({ "ttl_seconds": 3_600 })).await;
    let drafts = format!("/v1/inboxes/{}/drafts", inbox.id);
    let file = |bytes: usize| json!([{ "filename": "a", "content_type": "text/plain", "content_base64": "eHh4".repeat(bytes) }]);
    let (mut seed, mut made): (u64, Vec<String>) = (7, Vec::new());
    for step in 0..60 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (choice, bytes) = (seed >> 60, usize::try_from(seed >> 50 & 1_023).expect("ten bits"));
        let raw = mail(&format!("s{step}"), bytes);
        let body: Value = json!({ "to": [second.address, fixture.full.inbox.address, "dana@b.example"],
            "subject": "x", "text": "é".repeat(bytes + 1), "attachments": file(bytes / 9 + 1) });
        match choice {
            0..4 => drop(fixture.server.receive_for(&[inbox, &second, &temporary], raw).await),
            4..6 => drop(api.post(&fixture.other.messages(), body).await.expect(202)),
            6..9 => made.push(api.post(&drafts, body).await.expect(201).text("id").to_owned()),
            9..12 => {
                if let Some(id) = made.last() {
                    let change = json!({ "text": "y".repeat(bytes), "html": "<p>ü</p>", "attachments": file(3) });
                    api.patch(&format!("{drafts}/{id}"), change).await.expect(200);
                }
            }
            12 => {
                if let Some(id) = made.pop() {
                    api.post_empty(&format!("{drafts}/{id}/send")).await.expect(202);
                }
            }
            13..15 => {
                let newest = api.get(&format!("/v1/inboxes/{}/messages?limit=1", second.id)).await.expect(200);
                if let Some(thread) = newest.data().first().and_then(|message| message["thread_id"].as_str()) {
                    api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
                }
            }
            _ => fixture.server.settle().await,
        }
    }
    api.delete(&format!("/v1/inboxes/{}", temporary.id)).await.expect(204);
    fixture.server.settle().await;
    assert!(fixture.stored_bytes(&fixture.other).await > 0);
    // Mail to the full workspace is tried until it expires.
    fixture.wait_hours(130).await;
    fixture.server.finish().await;
}
