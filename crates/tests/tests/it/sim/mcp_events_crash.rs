//! Kills of the server and of clients at random moments, with a client on each way of MCP Events: every event of a stored
//! message arrives on each way, and one that arrives twice has the same id.
//!
//! `POSTHOUSE_KILLS` sets the number of kills of each (`make kills`: 1,000).

use std::collections::{BTreeMap, BTreeSet};

use posthouse_domain::plan::Plan;
use posthouse_tests::{
    TestServer, WebhookSink,
    fixtures::TestKey,
    mcp::{McpClient, McpStream},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::crash::draw;

/// Number of kills without `POSTHOUSE_KILLS`.
const KILLS: u64 = 12;
/// The seed of the moments.
const SEED: u64 = 0x2545_f491_4f6c_dd1d;
/// The most messages of a round.
const MESSAGES_MAX: u64 = 4;
/// A kill comes after up to 2^n turns of the scheduler, with n below this, so that short and long times are tried alike.
const TURNS_BITS: u64 = 16;
/// A secret of 32 bytes.
const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// The ids of the events that a client got, by the id of the message.
type SeenEvents = BTreeMap<String, BTreeSet<String>>;

/// A client of one way. `stored` is what survives its kill.
#[derive(Default)]
struct ResumingClient {
    stored: Value,
    seen: SeenEvents,
}

impl ResumingClient {
    fn take(&mut self, event: &Value) {
        let message = event["data"]["message"]["id"].as_str().unwrap_or("-").to_owned();
        self.seen.entry(message).or_default().insert(event["eventId"].as_str().unwrap_or("-").to_owned());
    }

    fn params(&self) -> Value {
        json!({ "name": "message.received", "cursor": self.stored })
    }

    /// Polls until the server dies or has no more. `is_killed` loses the cursor of the last answer.
    async fn poll(&mut self, mcp: &McpClient, is_killed: bool) {
        loop {
            let mut params = self.params();
            params["maxEvents"] = json!(2);
            let Some(page) = mcp.try_call("events/poll", &params).await else { return };
            let Some(events) = page["result"]["events"].as_array() else { return };
            events.iter().for_each(|event| self.take(event));
            if is_killed {
                return;
            }
            self.stored = page["result"]["cursor"].clone();
            if page["result"]["hasMore"] == false {
                return;
            }
        }
    }

    /// Reads a stream until the server dies or `wanted` messages are seen. `is_killed` loses the cursor of the last event.
    async fn read(&mut self, mcp: &McpClient, wanted: &BTreeSet<String>, is_killed: bool) {
        let Some(mut stream) = mcp.try_stream(&self.params()).await else { return };
        while wanted.iter().any(|id| !self.seen.contains_key(id)) || self.stored.is_null() {
            let Some(params) = next(&mut stream).await else { return };
            if params.get("eventId").is_some() {
                self.take(&params);
            }
            if is_killed {
                return;
            }
            self.stored = params["cursor"].clone();
        }
    }
}

/// Returns the parameters of the next notification with a cursor.
async fn next(stream: &mut McpStream) -> Option<Value> {
    let mut message = stream.next().await?;
    message["params"].get("cursor").is_some().then(|| message["params"].take())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_no_event_and_repeat_only_with_the_same_id() {
    let kills = std::env::var("POSTHOUSE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (sender, inbox) = (server.inbox(&key).await, server.inbox(&key).await);
    let sink = WebhookSink::start().await;
    subscribe(&server, &key, &sink).await;
    let (mut polling, mut pushing) = (ResumingClient::default(), ResumingClient::default());
    polling.poll(&server.mcp(&key), false).await;
    pushing.read(&server.mcp(&key), &BTreeSet::new(), false).await;
    let (mut random, mut stored) = (SEED, BTreeSet::new());
    for _ in 0..kills {
        let (api, mcp) = (server.api(&key), server.mcp(&key));
        let (path, to) = (format!("/v1/inboxes/{}/messages/send", sender.id), inbox.address.clone());
        let messages = draw(&mut random) % MESSAGES_MAX + 1;
        let mut sends = JoinSet::new();
        sends.spawn(async move {
            let mut acknowledged = 0;
            for n in 0..messages {
                let body = json!({ "to": to, "subject": format!("number {n}"), "text": "text" });
                acknowledged += u32::from(api.try_post(&path, &body).await.is_some_and(|sent| sent.status == 202));
            }
            acknowledged
        });
        let turns = draw(&mut random) % (1 << (draw(&mut random) % TURNS_BITS));
        let is_killed = draw(&mut random).is_multiple_of(2);
        let clients = async {
            tokio::join!(polling.poll(&mcp, is_killed), pushing.read(&mcp, &stored, is_killed), server.settle());
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = clients => {}
            () = wait(turns) => {}
        }
        server.crash().await;
        let acknowledged = sends.join_next().await.expect("one task").expect("the sender doesn't panic");
        let before = stored.len();
        stored.extend(received(&server, &key).await);
        assert!(stored.len() - before >= acknowledged as usize, "an acknowledged message is stored");
    }
    server.advance(120_000).await;
    let mcp = server.mcp(&key);
    polling.poll(&mcp, false).await;
    pushing.read(&mcp, &stored, false).await;
    let mut hooked = ResumingClient::default();
    sink.occurrences().iter().for_each(|post| hooked.take(&post.json()));
    compare(&stored, [("poll", &polling.seen), ("push", &pushing.seen), ("webhook", &hooked.seen)]);
    let posts = sink.occurrences().len();
    println!("seed {SEED:#x}, {kills} kills: {} events, {} repeated POSTs", stored.len(), posts - stored.len());
    server.finish().await;
}

async fn wait(turns: u64) {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
}

async fn subscribe(server: &TestServer, key: &TestKey, sink: &WebhookSink) {
    let delivery = json!({ "mode": "webhook", "url": sink.url(), "secret": SECRET });
    let params = json!({ "name": "message.received", "delivery": delivery, "ttlMs": null });
    server.mcp(key).result("events/subscribe", params).await;
}

/// Returns the ids of the messages whose receipt is in the log.
async fn received(server: &TestServer, key: &TestKey) -> BTreeSet<String> {
    let (api, mut ids, mut after) = (server.api(key), BTreeSet::new(), String::new());
    loop {
        let page =
            api.get(&format!("/v1/events?types=message.received&view=summary&limit=100{after}")).await.expect(200);
        ids.extend(page.data().iter().map(|event| event["data"]["message"]["id"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return ids,
        }
    }
}

/// Checks that each way had every event, with one id.
fn compare(stored: &BTreeSet<String>, ways: [(&str, &SeenEvents); 3]) {
    let mut ids: SeenEvents = BTreeMap::new();
    for (way, seen) in ways {
        let lost: Vec<_> = stored.iter().filter(|id| !seen.contains_key(*id)).collect();
        assert!(lost.is_empty(), "{way} lost {lost:?}");
        for (message, events) in seen {
            ids.entry(message.clone()).or_default().extend(events.iter().cloned());
        }
    }
    for (message, events) in ids {
        assert_eq!(events.len(), 1, "{message} has one id on every way: {events:?}");
    }
}
