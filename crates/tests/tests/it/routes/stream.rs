//! `/v1/stream`: tokens, subscriptions, replay and the ways in which a stream ends (contract §12).

mod live;
mod replay;

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_store::keys;
use posthouse_tests::{
    Letter, TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
    stream::StreamClient,
};
use serde_json::Value;

/// A server with one inbox, and a key that sees it.
struct Studio {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
}

impl Studio {
    async fn open() -> Self {
        let server = TestServer::plain().await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox(&key).await;
        Self { server, key, api, inbox }
    }

    /// Delivers a mail with that subject.
    async fn mail(&self, subject: &str) {
        self.server.deliver(&Letter::new(subject, "text"), &self.inbox.address).await;
    }

    /// Opens the stream at a URL.
    async fn at(&self, url: &str) -> StreamClient {
        StreamClient::open(self.server.http_address(), url, None).await
    }

    async fn token(&self) -> String {
        self.api.post_empty("/v1/stream/token").await.expect(201).text("url").to_owned()
    }

    async fn revoke(&self, key: &TestKey) {
        let (id, now) = (key.id, self.server.app().clock.now());
        assert!(self.server.store().write(move |tx| keys::revoke(tx, id, now)).await.unwrap());
    }
}

/// The subject in an event frame.
fn subject(frame: &Value) -> &str {
    frame["event"]["data"]["message"]["subject"].as_str().unwrap_or_else(|| panic!("{frame}"))
}

#[tokio::test]
async fn a_token_opens_one_stream_within_a_minute() {
    let studio = Studio::open().await;
    let made = studio.api.post_empty("/v1/stream/token").await.expect(201);
    let (token, url) = (made.text("token"), made.text("url"));
    assert!(token.starts_with("st_") && token.len() > 30, "{token}");
    assert_eq!(url, format!("ws://{}/v1/stream?token={token}", studio.server.http_address()));
    assert_eq!(made["expires_at"], "2026-09-15T12:01:00.000Z");
    studio.at(url).await.expect("hello").await;
    assert_eq!(studio.at(url).await.end().await, Some(4001), "used");
    let late = studio.token().await;
    studio.server.clock.advance(60_000);
    assert_eq!(studio.at(&late).await.end().await, Some(4001), "expired");
    let of_revoked = {
        let key = studio.server.key(&studio.key, "messages:read", Scope::Workspace).await;
        let made = studio.server.api(&key).post_empty("/v1/stream/token").await.expect(201);
        studio.revoke(&key).await;
        made.text("url").to_owned()
    };
    assert_eq!(studio.at(&of_revoked).await.end().await, Some(4001), "its key was revoked");
    let log: Vec<String> = studio.server.log.lines().iter().map(ToString::to_string).collect();
    assert!(!log.iter().any(|line| line.contains(token)), "no token is logged");
    studio.server.finish().await;
}

#[tokio::test]
async fn credentials_that_do_not_fit_are_told_by_the_close_code() {
    let studio = Studio::open().await;
    let url = format!("ws://{}/v1/stream", studio.server.http_address());
    assert_eq!(studio.at(&url).await.end().await, Some(4001));
    assert_eq!(studio.at(&format!("{url}?token=st_x")).await.end().await, Some(4001));
    let address = studio.server.http_address();
    assert_eq!(StreamClient::open(address, &url, Some("ph_x")).await.end().await, Some(4001));
    let sender = studio.server.key(&studio.key, "send_only", Scope::Workspace).await;
    assert_eq!(StreamClient::open(address, &url, Some(&sender.secret)).await.end().await, Some(4003));
    studio.server.api(&sender).post_empty("/v1/stream/token").await.error("insufficient_permissions");
    let plain = studio.api.get("/v1/stream").await.error("invalid_request");
    assert!(plain["error"]["fix"].as_str().unwrap().contains("WebSocket"), "{plain}");
    studio.server.finish().await;
}
