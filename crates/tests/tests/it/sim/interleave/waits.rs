//! What waits misses nothing that is committed while it goes to sleep: long-polls, claims, subscriptions.

use std::{future::Future, time::Duration};

use posthouse_domain::plan::Plan;
use posthouse_tests::{
    TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// How long a test waits for what was committed already before it fails, in seconds.
const DEAF_S_MAX: u64 = 20;
/// The milliseconds that a wait of the tests lasts by the clock.
const WAIT_MS: i64 = 20_000;

struct World {
    server: TestServer,
    key: TestKey,
    api: Api,
}

impl World {
    async fn new() -> Self {
        let server = TestServer::plain().await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        Self { server, key, api }
    }

    /// A mail with a code arrives, at a later time than any request came; its id.
    async fn code_arrives(&self, inbox: &TestInbox) -> String {
        self.server.clock.advance(1);
        let to = &inbox.address;
        let mail = format!(
            "From: Bank <no-reply@bank.example>\r\nTo: {to}\r\nSubject: Your verification code\r\n\r\n\
             Your verification code is 482913.\r\n"
        );
        self.server.arrive(inbox, mail).await.to_string()
    }

    /// An inbox whose queue has begun.
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

    /// How many units such a request runs until it sleeps for good; `at_end` of them it runs when its time is over.
    async fn units(&self, request: JoinHandle<Value>, at_end: u64) -> u64 {
        let before = self.server.units();
        let asked = async {
            self.server.clock.waiting(1).await;
            self.server.clock.advance(WAIT_MS);
            request.await.unwrap()
        };
        let answer = in_time(asked).await;
        assert!(answer["data"].is_null() || answer["data"] == json!([]), "{answer}");
        self.server.units() - before - at_end
    }
}

/// What is there already must not be waited for.
async fn in_time<T>(answer: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(DEAF_S_MAX), answer).await.expect("it missed what was committed")
}

#[tokio::test]
async fn a_long_poll_misses_no_mail_that_comes_between_two_of_its_steps() {
    let world = World::new().await;
    for (route, query) in [
        ("messages/wait", ""),
        ("messages/wait", "&since=2020-01-01"),
        ("messages/wait", "&from=no-reply@bank.example&since=2020-01-01"),
        ("verification", "&include_unauthenticated=true"),
        ("verification", "&since=2020-01-01&include_unauthenticated=true"),
    ] {
        let path = |inbox: &TestInbox| format!("/v1/inboxes/{}/{route}?timeout=20{query}", inbox.id);
        let quiet = world.server.inbox(&world.key).await;
        let units = world.units(world.get(path(&quiet)), 0).await;
        assert!(units >= 2, "who asks, and a look");
        for unit in 1..=units {
            let inbox = world.server.inbox(&world.key).await;
            let breakpoint = world.server.break_after(unit);
            let request = world.get(path(&inbox));
            let stopped = in_time(breakpoint.hit()).await;
            let id = world.code_arrives(&inbox).await;
            drop(stopped);
            let found = in_time(request).await.unwrap();
            let data = &found["data"];
            let shown = if route == "verification" { &data["message_id"] } else { &data["id"] };
            assert_eq!(shown, &json!(id), "{route}{query} after unit {unit} of {units}: {found}");
        }
    }
    world.server.finish().await;
}

/// The mail that is waited for comes while the waiter looks at another one, which came while it went to sleep.
#[tokio::test]
async fn a_long_poll_that_looks_at_other_mail_misses_none() {
    let world = World::new().await;
    let path = |inbox: &TestInbox| format!("/v1/inboxes/{}/messages/wait?timeout=20&subject=code", inbox.id);
    let quiet = world.server.inbox(&world.key).await;
    let units = world.units(world.get(path(&quiet)), 0).await;
    for (unit, later) in (1..=units).flat_map(|unit| [(unit, 1), (unit, 2)]) {
        let inbox = world.server.inbox(&world.key).await;
        let breakpoint = world.server.break_after(unit);
        let request = world.get(path(&inbox));
        let stopped = in_time(breakpoint.hit()).await;
        world.server.clock.advance(1);
        world.server.arrive(&inbox, "From: a@y.example\r\nSubject: other\r\n\r\nx\r\n").await;
        let breakpoint = world.server.break_after(later);
        drop(stopped);
        let stopped = in_time(breakpoint.hit()).await;
        let id = world.code_arrives(&inbox).await;
        drop(stopped);
        let found = in_time(request).await.unwrap();
        assert_eq!(found["data"]["id"], id, "after unit {unit} of {units}, and {later} more: {found}");
    }
    world.server.finish().await;
}

#[tokio::test]
async fn a_claim_misses_no_mail_that_comes_between_two_of_its_steps() {
    let world = World::new().await;
    let quiet = world.queue().await;
    let units = world.units(world.claim(&quiet, 20), 1).await;
    assert!(units >= 2, "who asks, and a look");
    for unit in 1..=units {
        let inbox = world.queue().await;
        let breakpoint = world.server.break_after(unit);
        let request = world.claim(&inbox, 20);
        let stopped = in_time(breakpoint.hit()).await;
        let id = world.code_arrives(&inbox).await;
        drop(stopped);
        let found = in_time(request).await.unwrap();
        assert_eq!(found["data"][0]["message"]["id"], id, "after unit {unit} of {units}: {found}");
    }
    world.server.finish().await;
}

#[tokio::test]
async fn a_claim_misses_nothing_that_is_given_back_between_two_of_its_steps() {
    let world = World::new().await;
    let quiet = world.queue().await;
    let units = world.units(world.claim(&quiet, 20), 1).await;
    for unit in 1..=units {
        let inbox = world.queue().await;
        let id = world.code_arrives(&inbox).await;
        let held = world.claim(&inbox, 0).await.unwrap()["data"][0].clone();
        let breakpoint = world.server.break_after(unit);
        let request = world.claim(&inbox, 20);
        let stopped = in_time(breakpoint.hit()).await;
        let lease = json!({ "lease_id": held["lease_id"] });
        world.api.post(&format!("/v1/messages/{id}/nack"), lease).await.expect(200);
        drop(stopped);
        let found = in_time(request).await.unwrap();
        assert_eq!(found["data"][0]["message"]["id"], id, "after unit {unit} of {units}: {found}");
        assert_eq!(found["data"][0]["delivery_count"], 2);
    }
    world.server.finish().await;
}

/// What the other takes meanwhile is the other's.
#[tokio::test]
async fn two_claims_never_get_one_message_whenever_the_second_comes() {
    let world = World::new().await;
    let full = world.queue().await;
    world.code_arrives(&full).await;
    let before = world.server.units();
    world.claim(&full, 0).await.unwrap();
    for unit in 1..=world.server.units() - before {
        let inbox = world.queue().await;
        let id = world.code_arrives(&inbox).await;
        let breakpoint = world.server.break_after(unit);
        let first = world.claim(&inbox, 0);
        let stopped = in_time(breakpoint.hit()).await;
        let second = world.claim(&inbox, 0).await.unwrap();
        drop(stopped);
        let both = [first.await.unwrap(), second];
        let given: Vec<&Value> = both.iter().flat_map(|claim| claim["data"].as_array().unwrap()).collect();
        assert_eq!(given.len(), 1, "after unit {unit}: {both:?}");
        assert_eq!(given[0]["message"]["id"], id);
    }
    world.server.finish().await;
}

/// The reader of the log runs beside the subscription: whichever of the two stops, the event is told once.
#[tokio::test]
async fn a_subscription_tells_what_comes_while_it_begins_once() {
    let world = World::new().await;
    let inbox = world.server.inbox(&world.key).await;
    let mut last = world.code_arrives(&inbox).await;
    for _ in 0..4 {
        let log = world.api.get("/v1/events?limit=100").await.expect(200);
        let since = log.data().iter().find(|event| event["data"]["message"]["id"] == *last).unwrap()["id"].clone();
        let mut stream = world.server.stream(&world.key).await;
        let breakpoint = world.server.break_after(1);
        stream.send(json!({ "type": "subscribe", "since": since })).await;
        let stopped = in_time(breakpoint.hit()).await;
        let first = world.code_arrives(&inbox).await;
        drop(stopped);
        in_time(stream.expect("subscribed")).await;
        last = world.code_arrives(&inbox).await;
        for id in [&first, &last] {
            let told = in_time(stream.expect("event")).await;
            assert_eq!(told["event"]["data"]["message"]["id"], **id);
        }
        stream.close().await;
    }
    world.server.finish().await;
}
