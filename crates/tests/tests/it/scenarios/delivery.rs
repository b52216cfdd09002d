//! Outbound delivery: from the API to the SMTP session with another server, and back to statuses, events and
//! suppressions.

mod capture;
mod direct;
mod fairness;
mod holds;
mod refusals;
mod relay;
mod return_paths;
mod throttling;

use std::net::IpAddr;

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_server::config::Configuration;
use posthouse_tests::{
    fixtures::TestInbox,
    http::{Api, ApiResponse},
    server::{ServerOptions, TestServer},
    smtp_sink::SmtpSink,
};
use serde_json::{Value, json};

/// A server that delivers, an inbox on it, and a mail exchanger.
pub(crate) struct DeliveryFixture {
    pub(crate) server: TestServer,
    pub(crate) api: Api,
    pub(crate) inbox: TestInbox,
    pub(crate) sink: SmtpSink,
}

impl DeliveryFixture {
    /// Uses direct delivery. The sink is the mail exchanger of `b.example`.
    pub(crate) async fn direct() -> Self {
        let sink = SmtpSink::start().await;
        let port = sink.address.port();
        let fixture = Self::with(sink, move |config| {
            config.delivery.mode = DeliveryMode::Direct;
            config.delivery.port = port;
            config.delivery.retry_schedule_ms = vec![60_000, 120_000];
        })
        .await;
        fixture.add_exchanger("b.example", 10, "mx1.b.example", fixture.sink.address.ip());
        fixture
    }

    pub(crate) async fn with(sink: SmtpSink, change: impl FnOnce(&mut Configuration) + 'static) -> Self {
        Self::on(TestServer::start(ServerOptions::default().configure(change)).await, sink).await
    }

    pub(crate) async fn on(server: TestServer, sink: SmtpSink) -> Self {
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox_named(&key, "sender").await;
        Self { server, api, inbox, sink }
    }

    /// Adds a mail exchanger of a domain.
    pub(crate) fn add_exchanger(&self, domain: &str, preference: u16, host: &str, address: IpAddr) {
        self.server.dns.mx(domain, preference, host);
        self.server.dns.address(host, address);
    }

    /// Queues a message and returns its id.
    pub(crate) async fn send(&self, to: &[&str]) -> String {
        let body = json!({ "to": to, "subject": "Plan", "text": "Here it is.\n.\n..dots\n" });
        let path = format!("/v1/inboxes/{}/messages", self.inbox.id);
        self.api.post(&path, body).await.expect(202).text("id").to_owned()
    }

    /// Runs every due job.
    pub(crate) async fn deliver(&self) {
        self.server.settle().await;
    }

    pub(crate) async fn advance(&self, millis: i64) {
        self.server.clock.advance(millis);
        self.deliver().await;
    }

    pub(crate) async fn message(&self, id: &str) -> ApiResponse {
        self.api.get(&format!("/v1/messages/{id}")).await.expect(200)
    }

    /// Returns the delivery entry of an address.
    pub(crate) async fn entry(&self, id: &str, address: &str) -> Value {
        let message = self.message(id).await;
        let entries = message["delivery"].as_array().unwrap();
        entries.iter().find(|entry| entry["address"] == address).cloned().unwrap()
    }

    /// Returns the types of the events about sent messages, oldest first.
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
