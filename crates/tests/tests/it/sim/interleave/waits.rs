//! Waiting requests miss nothing that commits while they go to sleep: long-polls, claims, subscriptions.

use std::{future::Future, time::Duration};

use posthouse_domain::plan::Plan;
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// How long a test waits for committed data before it fails, in seconds of real time.
const MISSED_S_MAX: u64 = 20;
/// How long the waits of the tests last on the manual clock, in milliseconds.
const WAIT_MS: i64 = 20_000;

struct Fixture {
    server: TestServer,
    key: TestKey,
    api: Api,
}

impl Fixture {
    async fn new() -> Self {
        let server = TestServer::plain().await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        Self { server, key, api }
    }

    /// Receives a message with a code, later than any earlier request, and returns its id.
    async fn receive_code(&self, inbox: &TestInbox) -> String {
        self.server.clock.advance(1);
        let to = &inbox.address;
        let mail = format!(
            "From: Bank <no-reply@bank.example>\r\nTo: {to}\r\nSubject: Your verification code\r\n\r\n\
             Your verification code is 482913.\r\n"
        );
        self.server.receive_message(inbox, mail).await.to_string()
    }

    /// Creates an inbox and initializes its queue.
    async fn queue(&self) -> TestInbox {
        let inbox = self.server.inbox(&self.key).await;
        self.claim(&inbox, 0).await.unwrap();
        inbox
    }

    fn get(&self, path: String) -> JoinHandle<Value> {
        let api = self.api.clone();
        tokio::spawn(async move { api.get(&path).await.expect(200).json })
    }

    fn claim(&self, inbox: &TestInbox, seconds: i64) -> JoinHandle<Value> {
        let (api, path) = (self.api.clone(), format!("/v1/inboxes/{}/messages/claim", inbox.id));
        tokio::spawn(async move { api.post(&path, json!({ "wait": seconds })).await.expect(200).json })
    }

    /// Returns how many units such a request runs until it sleeps; it runs `at_end` more units when its time is over.
    async fn units(&self, request: JoinHandle<Value>, at_end: u64) -> u64 {
        let before = self.server.units();
        let sleeping = async {
            self.server.clock.wait_for_sleepers(1).await;
            self.server.clock.advance(WAIT_MS);
            request.await.unwrap()
        };
        let answer = in_time(sleeping).await;
        assert!(answer["data"].is_null() || answer["data"] == json!([]), "{answer}");
        self.server.units() - before - at_end
    }
}

/// Asserts that a result arrives without the clock.
async fn in_time<T>(answer: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(MISSED_S_MAX), answer).await.expect("it missed a commit")
}

#[tokio::test]
async fn a_long_poll_misses_no_message_that_arrives_between_its_steps() {
    let fixture = Fixture::new().await;
    for (route, query) in [
        ("messages/wait", ""),
        ("messages/wait", "&since=2020-01-01"),
        ("messages/wait", "&from=no-reply@bank.example&since=2020-01-01"),
        ("verification", "&include_unauthenticated=true"),
        ("verification", "&since=2020-01-01&include_unauthenticated=true"),
    ] {
        let path = |inbox: &TestInbox| format!("/v1/inboxes/{}/{route}?timeout=20{query}", inbox.id);
        let quiet = fixture.server.inbox(&fixture.key).await;
        let units = fixture.units(fixture.get(path(&quiet)), 0).await;
        assert!(units >= 2, "authentication and a query");
        for unit in 1..=units {
            let inbox = fixture.server.inbox(&fixture.key).await;
            let breakpoint = fixture.server.break_after(unit);
            let request = fixture.get(path(&inbox));
            let paused = in_time(breakpoint.hit()).await;
            let id = fixture.receive_code(&inbox).await;
            drop(paused);
            let found = in_time(request).await.unwrap();
            let data = &found["data"];
            let shown = if route == "verification" { &data["message_id"] } else { &data["id"] };
            assert_eq!(shown, &json!(id), "{route}{query} after unit {unit} of {units}: {found}");
        }
    }
    fixture.server.finish().await;
}

/// The expected message arrives while the waiter reads another one, which arrived while it went to sleep.
#[tokio::test]
async fn a_long_poll_that_reads_another_message_misses_none() {
    let fixture = Fixture::new().await;
    let path = |inbox: &TestInbox| format!("/v1/inboxes/{}/messages/wait?timeout=20&subject=code", inbox.id);
    let quiet = fixture.server.inbox(&fixture.key).await;
    let units = fixture.units(fixture.get(path(&quiet)), 0).await;
    for (unit, later) in (1..=units).flat_map(|unit| [(unit, 1), (unit, 2)]) {
        let inbox = fixture.server.inbox(&fixture.key).await;
        let breakpoint = fixture.server.break_after(unit);
        let request = fixture.get(path(&inbox));
        let paused = in_time(breakpoint.hit()).await;
        fixture.server.clock.advance(1);
        fixture.server.receive_message(&inbox, "From: a@y.example\r\nSubject: other\r\n\r\nx\r\n").await;
        let breakpoint = fixture.server.break_after(later);
        drop(paused);
        let paused = in_time(breakpoint.hit()).await;
        let id = fixture.receive_code(&inbox).await;
        drop(paused);
        let found = in_time(request).await.unwrap();
        assert_eq!(found["data"]["id"], id, "after unit {unit} of {units}, and {later} more: {found}");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_claim_misses_no_message_that_arrives_between_its_steps() {
    let fixture = Fixture::new().await;
    let quiet = fixture.queue().await;
    let units = fixture.units(fixture.claim(&quiet, 20), 1).await;
    assert!(units >= 2, "authentication and a query");
    for unit in 1..=units {
        let inbox = fixture.queue().await;
        let breakpoint = fixture.server.break_after(unit);
        let request = fixture.claim(&inbox, 20);
        let paused = in_time(breakpoint.hit()).await;
        let id = fixture.receive_code(&inbox).await;
        drop(paused);
        let found = in_time(request).await.unwrap();
        assert_eq!(found["data"][0]["message"]["id"], id, "after unit {unit} of {units}: {found}");
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_claim_misses_no_message_that_is_nacked_between_its_steps() {
    let fixture = Fixture::new().await;
    let quiet = fixture.queue().await;
    let units = fixture.units(fixture.claim(&quiet, 20), 1).await;
    for unit in 1..=units {
        let inbox = fixture.queue().await;
        let id = fixture.receive_code(&inbox).await;
        let held = fixture.claim(&inbox, 0).await.unwrap()["data"][0].clone();
        let breakpoint = fixture.server.break_after(unit);
        let request = fixture.claim(&inbox, 20);
        let paused = in_time(breakpoint.hit()).await;
        let lease = json!({ "lease_id": held["lease_id"] });
        fixture.api.post(&format!("/v1/messages/{id}/nack"), lease).await.expect(200);
        drop(paused);
        let found = in_time(request).await.unwrap();
        assert_eq!(found["data"][0]["message"]["id"], id, "after unit {unit} of {units}: {found}");
        assert_eq!(found["data"][0]["delivery_count"], 2);
    }
    fixture.server.finish().await;
}

/// A message claimed by the other request stays with it.
#[tokio::test]
async fn two_concurrent_claims_never_get_the_same_message() {
    let fixture = Fixture::new().await;
    let full = fixture.queue().await;
    fixture.receive_code(&full).await;
    let before = fixture.server.units();
    fixture.claim(&full, 0).await.unwrap();
    for unit in 1..=fixture.server.units() - before {
        let inbox = fixture.queue().await;
        let id = fixture.receive_code(&inbox).await;
        let breakpoint = fixture.server.break_after(unit);
        let first = fixture.claim(&inbox, 0);
        let paused = in_time(breakpoint.hit()).await;
        let second = fixture.claim(&inbox, 0).await.unwrap();
        drop(paused);
        let both = [first.await.unwrap(), second];
        let given: Vec<&Value> = both.iter().flat_map(|claim| claim["data"].as_array().unwrap()).collect();
        assert_eq!(given.len(), 1, "after unit {unit}: {both:?}");
        assert_eq!(given[0]["message"]["id"], id);
    }
    fixture.server.finish().await;
}

/// The log reader runs beside the subscription. Whichever of the two is paused, the event is sent once.
#[tokio::test]
async fn an_event_during_a_subscribe_is_sent_once() {
    let fixture = Fixture::new().await;
    let inbox = fixture.server.inbox(&fixture.key).await;
    let mut last = fixture.receive_code(&inbox).await;
    for _ in 0..4 {
        let log = fixture.api.get("/v1/events?limit=100").await.expect(200);
        let since = log.data().iter().find(|event| event["data"]["message"]["id"] == *last).unwrap()["id"].clone();
        let mut stream = fixture.server.stream(&fixture.key).await;
        let breakpoint = fixture.server.break_after(1);
        stream.send(json!({ "type": "subscribe", "since": since })).await;
        let paused = in_time(breakpoint.hit()).await;
        let first = fixture.receive_code(&inbox).await;
        drop(paused);
        in_time(stream.expect("subscribed")).await;
        last = fixture.receive_code(&inbox).await;
        for id in [&first, &last] {
            let frame = in_time(stream.expect("event")).await;
            assert_eq!(frame["event"]["data"]["message"]["id"], **id);
        }
        stream.close().await;
    }
    fixture.server.finish().await;
}
