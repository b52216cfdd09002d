//! Pages of large items: neither the response nor the read of the store exceeds the budget.

use posthouse_domain::plan::Plan;
use posthouse_store::{
    Tx,
    message_list::{InboxRef, MessageFilter, page},
    messages,
};
use posthouse_tests::{
    ServerOptions, TestMessage, TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use serde_json::{Value, json};

/// Bytes of a page, and of the text of each item. A message shows its text twice, so a page has room for two messages.
const PAGE_BYTES: usize = 100_000;
const TEXT_BYTES: usize = 22_000;
/// What a response has beside its items.
const ENVELOPE_BYTES: usize = 2_000;
/// Number of items.
const ITEMS: usize = 5;

struct LargeItems {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl LargeItems {
    async fn new() -> Self {
        let options = ServerOptions::default().configure(|config| config.limits.page_bytes = PAGE_BYTES as u64);
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox(&key).await);
        // The queue begins here.
        api.post(&format!("/v1/inboxes/{}/messages/claim", inbox.id), json!({})).await.expect(200);
        Self { server, key, api, inbox }
    }

    /// Delivers the messages, one thread each, or all in one.
    async fn deliver(&self, in_one_thread: bool) {
        for at in 0..ITEMS {
            let subject = if in_one_thread { "large".to_owned() } else { format!("large {at}") };
            let lines = format!("{}\r\n", "x".repeat(70)).repeat(TEXT_BYTES / 72);
            let mut message = TestMessage::new(&subject, &lines).with("Message-ID", &format!("<{at}@remote.example>"));
            if in_one_thread && at > 0 {
                message = message.with("In-Reply-To", "<0@remote.example>").with("References", "<0@remote.example>");
            }
            self.server.deliver(&message, &self.inbox.address).await;
        }
    }

    /// Reads a list with this member of items and this member with the cursor, and returns the sizes of its pages.
    async fn walk(&self, path: &str, items: &str, cursor: &str) -> Vec<usize> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let (mut sizes, mut query) = (Vec::new(), format!("{joint}limit=100"));
        loop {
            let reply = self.api.get(&format!("{path}{query}")).await.expect(200);
            assert!(reply.bytes.len() <= PAGE_BYTES + ENVELOPE_BYTES, "{path}: {} bytes", reply.bytes.len());
            sizes.push(reply[items].as_array().map_or(0, Vec::len));
            let Some(next) = reply[cursor].as_str() else { return sizes };
            query = format!("{joint}limit=100&cursor={next}");
        }
    }
}

#[tokio::test]
async fn lists_of_large_items_end_before_their_budget() {
    let fixture = LargeItems::new().await;
    fixture.deliver(false).await;
    for at in 0..ITEMS {
        let body = json!({ "subject": format!("Draft {at}"), "text": "x".repeat(2 * TEXT_BYTES) });
        fixture.api.post(&format!("/v1/inboxes/{}/drafts", fixture.inbox.id), body).await.expect(201);
    }
    for path in [
        format!("/v1/inboxes/{}/messages", fixture.inbox.id),
        "/v1/search?q=large".to_owned(),
        format!("/v1/inboxes/{}/drafts", fixture.inbox.id),
        "/v1/drafts".to_owned(),
    ] {
        assert_eq!(fixture.walk(&path, "data", "next_cursor").await, [2, 2, 1], "{path}");
    }
    let events = fixture.walk("/v1/events?types=message.received,draft.created", "data", "next_cursor").await;
    assert_eq!((events.iter().sum::<usize>(), events.iter().max()), (2 * ITEMS, Some(&2)), "{events:?}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_thread_of_large_messages_continues_at_its_earlier_cursor() {
    let fixture = LargeItems::new().await;
    fixture.deliver(true).await;
    let threads = fixture.api.get("/v1/threads").await.expect(200);
    let [thread] = threads.data() else { panic!("one thread: {threads}") };
    let path = format!("/v1/threads/{}", thread["id"].as_str().unwrap());
    assert_eq!(fixture.walk(&path, "messages", "earlier_cursor").await, [2, 2, 1]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_store_reads_only_the_messages_that_fit() {
    let fixture = LargeItems::new().await;
    fixture.deliver(false).await;
    let place = InboxRef { workspace: fixture.key.workspace, inbox: fixture.inbox.id };
    for (bytes_max, expected) in [(1, 1), (PAGE_BYTES as u64, 2), (1 << 30, ITEMS)] {
        let read = move |tx: &mut Tx| -> Result<usize, posthouse_store::Error> {
            let found = page(tx, place, &MessageFilter::default(), None, 100)?;
            Ok(messages::records_within(tx, place.workspace, found, bytes_max)?.len())
        };
        assert_eq!(fixture.server.store().read(read).await.unwrap(), expected, "{bytes_max}");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_claim_leases_only_the_messages_that_it_returns() {
    let fixture = LargeItems::new().await;
    fixture.deliver(false).await;
    let path = format!("/v1/inboxes/{}/messages/claim", fixture.inbox.id);
    let mut claimed = Vec::new();
    for expected in [2, 2, 1, 0] {
        let reply = fixture.api.post(&path, json!({ "limit": 50 })).await.expect(200);
        assert!(reply.bytes.len() <= PAGE_BYTES + ENVELOPE_BYTES, "{} bytes", reply.bytes.len());
        let subjects = reply.data().iter().map(|one| one["message"]["subject"].clone());
        claimed.extend(subjects.filter(|subject| *subject != Value::Null));
        assert_eq!(reply.data().len(), expected, "{claimed:?}");
    }
    let expected: Vec<Value> = (0..ITEMS).map(|at| format!("large {at}").into()).collect();
    assert_eq!(claimed, expected);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_batch_of_large_messages_is_whole_and_in_order() {
    let fixture = LargeItems::new().await;
    fixture.deliver(false).await;
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    let (mut ids, mut query) = (Vec::new(), "limit=100".to_owned());
    loop {
        let page = fixture.api.get(&format!("{path}?{query}")).await.expect(200);
        ids.extend(page.data().iter().map(|message| message["id"].clone()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        query = format!("limit=100&cursor={next}");
    }
    let unknown: Vec<Value> = (1..=3).map(|at| json!(uuid::Uuid::from_u128(at))).collect();
    let wanted = [&ids[3..], &unknown[..1], &ids[..3], &unknown[1..]].concat();
    let expected = [&ids[3..], &ids[..3]].concat();
    for (path, body) in [
        ("/v1/messages/batch-get", json!({ "ids": wanted })),
        ("/v1/messages/batch-update", json!({ "ids": wanted, "is_read": true })),
    ] {
        let reply = fixture.api.post(path, body).await.expect(200);
        // More than a step, so the response is a stream of unknown length.
        assert_eq!(reply.header("content-length"), None, "{path}");
        let found: Vec<Value> = reply.data().iter().map(|message| message["id"].clone()).collect();
        assert_eq!((found, reply["missing"].as_array()), (expected.clone(), Some(&unknown)), "{path}");
        assert!(reply.data().iter().all(|message| message["text"].as_str().is_some_and(|text| text.len() > 20_000)));
    }
    fixture.server.finish().await;
}
