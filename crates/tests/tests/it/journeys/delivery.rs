//! Mail out, from the API to another server's dialogue and back into status, events and suppressions (decision 19).

mod capture;
mod direct;
mod fairness;
mod holding;
mod pacing;
mod refusals;
mod relay;
mod return_paths;

use std::net::IpAddr;

use posthouse_domain::plan::Plan;
use posthouse_server::config::{Config, DeliveryMode};
use posthouse_tests::{
    fixtures::TestInbox,
    http::{Api, Reply},
    server::{Options, TestServer},
    smtp_sink::SmtpSink,
};
use serde_json::{Value, json};

/// A server that delivers, an inbox on it, and a mail exchanger.
pub(crate) struct Post {
    pub(crate) server: TestServer,
    pub(crate) api: Api,
    pub(crate) inbox: TestInbox,
    pub(crate) sink: SmtpSink,
}

impl Post {
    /// Direct delivery; the sink is the mail exchanger of `b.example`.
    pub(crate) async fn direct() -> Self {
        let sink = SmtpSink::start().await;
        let port = sink.address.port();
        let post = Self::with(sink, move |config| {
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = port;
            config.delivery.retry_schedule_ms = vec![60_000, 120_000];
        })
        .await;
        post.exchanger("b.example", 10, "mx1.b.example", post.sink.address.ip());
        post
    }

    pub(crate) async fn with(sink: SmtpSink, change: impl FnOnce(&mut Config) + 'static) -> Self {
        Self::on(TestServer::start(Options::default().configure(change)).await, sink).await
    }

    pub(crate) async fn on(server: TestServer, sink: SmtpSink) -> Self {
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox_named(&key, "sender").await;
        Self { server, api, inbox, sink }
    }

    /// Names a host as mail exchanger.
    pub(crate) fn exchanger(&self, domain: &str, preference: u16, host: &str, address: IpAddr) {
        self.server.dns.mx(domain, preference, host);
        self.server.dns.address(host, address);
    }

    /// Queues a message; its id.
    pub(crate) async fn send(&self, to: &[&str]) -> String {
        let body = json!({ "to": to, "subject": "Plan", "text": "Here it is.\n.\n..dots\n" });
        let path = format!("/v1/inboxes/{}/messages", self.inbox.id);
        self.api.post(&path, body).await.expect(202).text("id").to_owned()
    }

    /// Runs every job that is due, until none is.
    pub(crate) async fn deliver(&self) {
        self.server.settle().await;
    }

    pub(crate) async fn advance(&self, millis: i64) {
        self.server.clock.advance(millis);
        self.deliver().await;
    }

    pub(crate) async fn message(&self, id: &str) -> Reply {
        self.api.get(&format!("/v1/messages/{id}")).await.expect(200)
    }

    /// The delivery entry of an address.
    pub(crate) async fn entry(&self, id: &str, address: &str) -> Value {
        let message = self.message(id).await;
        let entries = message["delivery"].as_array().unwrap();
        entries.iter().find(|entry| entry["address"] == address).cloned().unwrap()
    }

    /// The types of the events about sent mail, oldest first.
    pub(crate) async fn events(&self) -> Vec<String> {
        let all = self.log().await;
        all.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) async fn log(&self) -> Vec<Value> {
        let log = self.api.get("/v1/events?types=message.sent,message.delivered,message.bounced").await.expect(200);
        log.data().to_vec()
    }

    pub(crate) async fn close(self) {
        self.server.finish().await;
    }
}
