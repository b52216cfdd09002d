//! What Prometheus can read (operations.md): counts with labels from closed lists, never addresses.

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family},
    registry::Registry,
};

/// Every metric of the process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    http_requests: Family<HttpLabels, Counter>,
    smtp_messages: Family<OutcomeLabels, Counter>,
    deliveries: Family<OutcomeLabels, Counter>,
    jobs: Family<JobLabels, Counter>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct HttpLabels {
    route: &'static str,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct JobLabels {
    kind: &'static str,
    outcome: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("posthouse");
        let http_requests = Family::default();
        let smtp_messages = Family::default();
        let deliveries = Family::default();
        let jobs = Family::default();
        registry.register("http_requests", "Requests answered, by route and status", http_requests.clone());
        registry.register("smtp_messages", "Messages offered by SMTP, by outcome", smtp_messages.clone());
        registry.register("deliveries", "Recipients of sent mail that were settled, by outcome", deliveries.clone());
        registry.register("jobs", "Job attempts, by kind and outcome", jobs.clone());
        Self { registry, http_requests, smtp_messages, deliveries, jobs }
    }
}

impl Metrics {
    /// Counts an answered request.
    pub fn http_request(&self, route: &'static str, status: u16) {
        self.http_requests.get_or_create(&HttpLabels { route, status }).inc();
    }

    /// Counts a message offered by SMTP: `stored`, `refused`, `deferred`.
    pub fn smtp_message(&self, outcome: &'static str) {
        self.smtp_messages.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Counts a settled recipient: `delivered`, `bounced`, `captured`, `failed`, `retried`.
    pub fn delivery(&self, outcome: &'static str) {
        self.deliveries.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Counts an attempt of a job: `done`, `retry`, `hold`, `dead`, `recreated`.
    pub fn job(&self, kind: &'static str, outcome: &'static str) {
        self.jobs.get_or_create(&JobLabels { kind, outcome }).inc();
    }

    /// The text that `GET /metrics` answers.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
