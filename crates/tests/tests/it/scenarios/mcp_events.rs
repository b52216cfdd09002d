//! MCP Events (`docs/reference/mcp-events.md`): the catalog, the three ways, and access.

mod access;
mod poll;
mod push;
mod same_events;
mod webhook;
mod webhook_end;

use posthouse_domain::plan::Plan;
use posthouse_store::keys;
use posthouse_tests::{
    ServerOptions, TestMessage, TestServer, WebhookSink,
    fixtures::{TestInbox, TestKey},
    http::Api,
    mcp::McpClient,
};
use serde_json::{Value, json};

/// A secret of 32 bytes.
const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
/// Another one.
const OTHER_SECRET: &str = "whsec_HxQBAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4=";

/// A server with an inbox, an MCP client and a receiver.
struct EventsFixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    mcp: McpClient,
    inbox: TestInbox,
    sink: WebhookSink,
}

impl EventsFixture {
    async fn new() -> Self {
        Self::with(ServerOptions::default()).await
    }

    async fn with(options: ServerOptions) -> Self {
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let (api, mcp, inbox) = (server.api(&key), server.mcp(&key), server.inbox(&key).await);
        Self { server, key, api, mcp, inbox, sink: WebhookSink::start().await }
    }

    /// Delivers a message with this subject.
    async fn mail(&self, subject: &str) {
        self.server.deliver(&TestMessage::new(subject, "text"), &self.inbox.address).await;
    }

    /// Returns the parameters of a subscription to received mail by webhook.
    fn webhook(&self, more: Value) -> Value {
        let mut params = json!({
            "name": "message.received",
            "arguments": {},
            "delivery": { "mode": "webhook", "url": self.sink.url(), "secret": SECRET },
            "cursor": null,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        params
    }

    async fn subscribe(&self, more: Value) -> Value {
        self.mcp.result("events/subscribe", self.webhook(more)).await
    }

    /// Polls for received mail after a cursor.
    async fn poll(&self, cursor: &Value) -> Value {
        self.mcp.result("events/poll", json!({ "name": "message.received", "cursor": cursor })).await
    }

    async fn revoke(&self, key: &TestKey) {
        let (id, now) = (key.id, posthouse_app::ports::Clock::now(&self.server.clock));
        assert!(self.server.store().write(move |tx| keys::revoke(tx, id, now)).await.unwrap());
    }

    /// Returns the subjects of the events that the receiver got.
    fn delivered(&self) -> Vec<String> {
        self.sink.occurrences().iter().map(|post| subject(&post.json())).collect()
    }
}

/// Returns the subject of the message of an event.
fn subject(event: &Value) -> String {
    event["data"]["message"]["subject"].as_str().unwrap_or("-").to_owned()
}

/// Returns the subjects of the events of a poll.
fn polled(page: &Value) -> Vec<String> {
    page["events"].as_array().expect("events").iter().map(subject).collect()
}

#[tokio::test]
async fn the_catalog_lists_every_type_with_its_schemas() {
    let fixture = EventsFixture::new().await;
    let listed = fixture.mcp.result("events/list", json!({})).await;
    let events = listed["events"].as_array().unwrap();
    let catalog = fixture.server.anonymous().get("/v1/webhooks/events").await.expect(200);
    let names = |all: &[Value], member: &str| -> Vec<String> {
        let texts = all.iter().map(|one| one[member].as_str().unwrap().to_owned());
        texts.filter(|name| name != "webhook.test").collect()
    };
    assert_eq!(names(events, "name"), names(catalog.data(), "type"));
    for event in events {
        assert_eq!(event["delivery"], json!(["webhook", "push", "poll"]));
        assert_eq!(
            (&event["inputSchema"]["type"], &event["payloadSchema"]["type"]),
            (&json!("object"), &json!("object"))
        );
        assert!(event["description"].as_str().is_some_and(|text| text.len() > 10), "{event}");
    }
    let reader = fixture.server.key(&fixture.key, "inboxes:read", posthouse_domain::auth::Scope::Org).await;
    let hidden = fixture.server.mcp(&reader).result("events/list", json!({})).await;
    assert_eq!(hidden["events"], json!([]), "a key that can't read events");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_server_names_the_extension() {
    let fixture = EventsFixture::new().await;
    let capabilities = fixture.mcp.result("server/discover", json!({})).await["capabilities"].take();
    assert_eq!(capabilities["extensions"]["io.modelcontextprotocol/events"], json!({}));
    assert_eq!(capabilities["events"], json!({}), "clients that look here");
    fixture.server.finish().await;
}

/// Returns the data of an error, which has a fix, without the fix.
fn data_without_fix(error: &Value) -> Value {
    let mut data = error["data"].clone();
    let fix = data.as_object_mut().and_then(|members| members.remove("fix"));
    assert!(fix.is_some_and(|fix| fix.as_str().is_some_and(|text| !text.is_empty())), "{error}");
    data
}

#[tokio::test]
async fn wrong_parameters_are_named_at_once() {
    let fixture = EventsFixture::new().await;
    let wrong = json!({
        "name": "message.received", "cursor": 7, "maxEvents": 0, "maxAgeMs": "1",
        "arguments": { "inbox_id": "x", "payload": "all", "more": 1 },
    });
    let error = fixture.mcp.error("events/poll", wrong, -32602).await;
    let paths: Vec<&str> =
        error["data"]["fields"].as_array().unwrap().iter().map(|field| field["path"].as_str().unwrap()).collect();
    let mut sorted = paths.clone();
    sorted.sort_unstable();
    let expected = ["arguments.inbox_id", "arguments.more", "arguments.payload", "cursor", "maxAgeMs", "maxEvents"];
    assert_eq!(sorted, expected);
    fixture.mcp.error("events/poll", json!({}), -32602).await;
    for name in ["message.recieved", "webhook.test"] {
        let error = fixture.mcp.error("events/poll", json!({ "name": name }), -32011).await;
        assert_eq!(data_without_fix(&error), json!({ "kind": "event" }), "{error}");
    }
    let push = fixture.webhook(json!({ "delivery": { "mode": "push" } }));
    let error = fixture.mcp.error("events/subscribe", push, -32014).await;
    assert_eq!(data_without_fix(&error), json!({ "feature": "deliveryMode", "value": "push" }));
    let modeless = json!({ "url": fixture.sink.url(), "secret": SECRET });
    let error = fixture.mcp.error("events/subscribe", fixture.webhook(json!({ "delivery": modeless })), -32602).await;
    assert_eq!(error["data"]["fields"][0]["path"], "delivery.mode", "{error}");
    for secret in [json!(null), json!("whsec_c2hvcnQ="), json!("secret"), json!(1)] {
        let delivery = json!({ "mode": "webhook", "url": fixture.sink.url(), "secret": secret });
        fixture.mcp.error("events/subscribe", fixture.webhook(json!({ "delivery": delivery })), -32602).await;
    }
    assert!(fixture.sink.posts().is_empty(), "nothing is posted for a wrong request");
    fixture.server.finish().await;
}
