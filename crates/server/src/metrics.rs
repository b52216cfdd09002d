//! What Prometheus can read (operations.md): counts with labels from closed lists, never addresses.

use posthouse_domain::pacing::{News, Standing, provider_of};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, info::Info},
    registry::Registry,
};

/// Every metric of the process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    http_requests: Family<HttpLabels, Counter>,
    smtp_messages: Family<OutcomeLabels, Counter>,
    submissions: Family<OutcomeLabels, Counter>,
    deliveries: Family<OutcomeLabels, Counter>,
    destinations: Family<DestinationLabels, Counter>,
    standings: Family<StandingLabels, Gauge>,
    jobs: Family<JobLabels, Counter>,
    webhooks: Family<OutcomeLabels, Counter>,
    store_queue: Family<QueueLabels, Gauge>,
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
struct DestinationLabels {
    provider: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct StandingLabels {
    standing: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct QueueLabels {
    queue: &'static str,
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
        let submissions = Family::default();
        let deliveries = Family::default();
        let destinations = Family::default();
        let standings = Family::default();
        let jobs = Family::default();
        registry.register("http_requests", "Requests answered, by route and status", http_requests.clone());
        registry.register("smtp_messages", "Messages offered by SMTP, by outcome", smtp_messages.clone());
        registry.register("submissions", "Messages handed in by mail programs, by outcome", submissions.clone());
        registry.register("deliveries", "Recipients of sent mail that were settled, by outcome", deliveries.clone());
        let help = "Attempts at mail exchangers, by provider and what it said";
        registry.register("destination_attempts", help, destinations.clone());
        let help = "Destinations that are remembered, by how they are paced";
        registry.register("destinations", help, standings.clone());
        registry.register("jobs", "Job attempts, by kind and outcome", jobs.clone());
        let webhooks = Family::default();
        registry.register("webhook_attempts", "Attempts to hand events to webhooks, by outcome", webhooks.clone());
        let store_queue = Family::default();
        registry.register("store_queue", "Units of work that wait for the store", store_queue.clone());
        registry.register("build", "What runs", Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]));
        Self {
            registry,
            http_requests,
            smtp_messages,
            submissions,
            deliveries,
            destinations,
            standings,
            jobs,
            webhooks,
            store_queue,
        }
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

    /// Counts a message handed in by a mail program: `queued`, `refused`, `deferred`.
    pub fn submission(&self, outcome: &'static str) {
        self.submissions.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Counts a settled recipient: `delivered`, `bounced`, `captured`, `failed`, `retried`.
    pub fn delivery(&self, outcome: &'static str) {
        self.deliveries.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Counts what a mail exchanger said: `took`, `answered`, `pushed_back`, `unreachable`; hosts of no known provider as `other`.
    pub fn destination(&self, host: &str, news: News) {
        let outcome = match news {
            News::Took => "took",
            News::Answered => "answered",
            News::PushedBack { .. } => "pushed_back",
            News::Unreachable => "unreachable",
        };
        let provider = provider_of(host).map_or("other", |provider| provider.name);
        self.destinations.get_or_create(&DestinationLabels { provider, outcome }).inc();
    }

    /// Notes how many destinations stand where.
    pub fn destinations(&self, standings: [(Standing, usize); 3]) {
        for (standing, count) in standings {
            let standing = match standing {
                Standing::Open => "open",
                Standing::Narrowed => "narrowed",
                Standing::Resting => "resting",
            };
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            self.standings.get_or_create(&StandingLabels { standing }).set(count);
        }
    }

    /// Counts an attempt of a job: `done`, `retry`, `hold`, `dead`, `recreated`.
    pub fn job(&self, kind: &'static str, outcome: &'static str) {
        self.jobs.get_or_create(&JobLabels { kind, outcome }).inc();
    }

    /// Counts an attempt at a webhook: `succeeded`, `failed`.
    pub fn webhook(&self, outcome: &'static str) {
        self.webhooks.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Notes how many units of work wait for the store.
    pub fn store_queue(&self, writes: usize, reads: usize) {
        for (queue, waiting) in [("write", writes), ("read", reads)] {
            let waiting = i64::try_from(waiting).unwrap_or(i64::MAX);
            self.store_queue.get_or_create(&QueueLabels { queue }).set(waiting);
        }
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
