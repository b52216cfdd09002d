//! `/v1/stream`: tokens, subscriptions, replay and close codes.

mod live;
mod replay;

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_store::keys;
use posthouse_tests::{
    TestMessage, TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
    stream::StreamClient,
};
use serde_json::Value;

/// A server with one inbox and a key that sees it.
struct StreamFixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl StreamFixture {
    async fn open() -> Self {
        let server = TestServer::plain().await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox(&key).await;
        Self { server, key, api, inbox }
    }

    /// Delivers a message with this subject.
    async fn mail(&self, subject: &str) {
        self.server.deliver(&TestMessage::new(subject, "text"), &self.inbox.address).await;
    }

    /// Opens the stream at a URL.
    async fn at(&self, url: &str) -> StreamClient {
        StreamClient::open(self.server.http_address(), url, None).await
    }

    async fn token(&self) -> String {
        self.api.post_empty("/v1/stream/token").await.expect(201).text("url").to_owned()
    }

    async fn revoke(&self, key: &TestKey) {
        let (id, now) = (key.id, self.server.service().clock.now());
        assert!(self.server.store().write(move |tx| keys::revoke(tx, id, now)).await.unwrap());
    }
}

/// Returns the subject in an event frame.
fn subject(frame: &Value) -> &str {
    frame["event"]["data"]["message"]["subject"].as_str().unwrap_or_else(|| panic!("{frame}"))
}

#[tokio::test]
async fn a_token_opens_one_stream_within_a_minute() {
    let fixture = StreamFixture::open().await;
    let made = fixture.api.post_empty("/v1/stream/token").await.expect(201);
    let (token, url) = (made.text("token"), made.text("url"));
    assert!(token.starts_with("st_") && token.len() > 30, "{token}");
    assert_eq!(url, format!("ws://{}/v1/stream?token={token}", fixture.server.http_address()));
    assert_eq!(made["expires_at"], "2026-09-15T12:01:00.000Z");
    fixture.at(url).await.expect("hello").await;
    assert_eq!(fixture.at(url).await.end().await, Some(4001), "used");
    let late = fixture.token().await;
    fixture.server.clock.advance(60_000);
    assert_eq!(fixture.at(&late).await.end().await, Some(4001), "expired");
    let of_revoked = {
        let key = fixture.server.key(&fixture.key, "messages:read", Scope::Workspace).await;
        let made = fixture.server.api(&key).post_empty("/v1/stream/token").await.expect(201);
        fixture.revoke(&key).await;
        made.text("url").to_owned()
    };
    assert_eq!(fixture.at(&of_revoked).await.end().await, Some(4001), "its key was revoked");
    let log: Vec<String> = fixture.server.log.lines().iter().map(ToString::to_string).collect();
    assert!(!log.iter().any(|line| line.contains(token)), "no token is logged");
    fixture.server.finish().await;
}

#[tokio::test]
async fn invalid_credentials_are_reported_in_the_close_code() {
    let fixture = StreamFixture::open().await;
    let url = format!("ws://{}/v1/stream", fixture.server.http_address());
    assert_eq!(fixture.at(&url).await.end().await, Some(4001));
    assert_eq!(fixture.at(&format!("{url}?token=st_x")).await.end().await, Some(4001));
    let address = fixture.server.http_address();
    assert_eq!(StreamClient::open(address, &url, Some("ph_x")).await.end().await, Some(4001));
    let sender = fixture.server.key(&fixture.key, "send_only", Scope::Workspace).await;
    assert_eq!(StreamClient::open(address, &url, Some(&sender.secret)).await.end().await, Some(4003));
    fixture.server.api(&sender).post_empty("/v1/stream/token").await.error("insufficient_permissions");
    let plain = fixture.api.get("/v1/stream").await.error("invalid_request");
    assert!(plain["error"]["fix"].as_str().unwrap().contains("WebSocket"), "{plain}");
    fixture.server.finish().await;
}
