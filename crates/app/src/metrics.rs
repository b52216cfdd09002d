//! Prometheus metrics. Label values come from closed lists and never contain addresses.

mod checks;

use posthouse_domain::{LimitName, Refusal, ThrottleSignal, ThrottleStatus, pacing::provider_of};
use posthouse_mail::bounce::BounceClass;
use posthouse_store::StoreQueueDepth;
use prometheus_client::encoding::{EncodeLabelSet, text::encode};
use prometheus_client::metrics::{family::Family, gauge::Gauge, info::Info};
use prometheus_client::registry::{Metric, Registry};

pub use checks::{Check, CheckMetrics};
pub use prometheus_client::metrics::counter::Counter;

/// Every metric of the process.
#[derive(Debug)]
pub struct Metrics {
    /// What the checks of received mail say.
    pub checks: CheckMetrics,
    registry: Registry,
    http_requests: Family<HttpLabels, Counter>,
    smtp_messages: Family<Labels<1>, Counter>,
    smtp_screened: Family<Labels<1>, Counter>,
    submissions: Family<Labels<1>, Counter>,
    outbound_guarded: Family<Labels<2>, Counter>,
    deliveries: Family<Labels<1>, Counter>,
    bounces: Family<Labels<1>, Counter>,
    destinations: Family<Labels<2>, Counter>,
    tracked_destinations: Family<Labels<1>, Gauge>,
    jobs: Family<Labels<2>, Counter>,
    extractions: Family<Labels<1>, Counter>,
    structured_extractions: Family<Labels<1>, Counter>,
    webhooks: Family<Labels<1>, Counter>,
    analyses: Family<Labels<1>, Counter>,
    queue_by_hand: Family<Labels<1>, Counter>,
    reply_drafts: Family<Labels<1>, Counter>,
    citations: Family<Labels<1>, Counter>,
    store_queue: Family<Labels<1>, Gauge>,
    certificate: Family<Labels<1>, Gauge>,
    certificate_reads: Family<Labels<1>, Counter>,
    limit_refusals: Family<Labels<1>, Counter>,
    limit_used: Family<Labels<1>, Gauge>,
    limit_peaks: Family<Labels<1>, Gauge>,
}

/// Names and values of labels.
type Labels<const COUNT: usize> = [(&'static str, &'static str); COUNT];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct HttpLabels {
    route: &'static str,
    status: u16,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("posthouse");
        registry.register("build", "Build information", Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]));
        let to = &mut registry;
        Self {
            checks: CheckMetrics::register(to),
            http_requests: family(to, "http_requests", "HTTP responses, by route and status"),
            smtp_messages: family(to, "smtp_messages", "Messages received by SMTP, by outcome"),
            smtp_screened: family(to, "smtp_screened", "SMTP transactions rejected by inbound policy, by rule"),
            submissions: family(to, "submissions", "Messages submitted by mail programs, by outcome"),
            outbound_guarded: family(
                to,
                "outbound_guarded",
                "Messages that the outbound policy or a rule acted on, by action and reason",
            ),
            deliveries: family(to, "deliveries", "Recipients of sent mail, by outcome of the attempt"),
            bounces: family(to, "bounces", "Recipients of sent mail that bounced, by class"),
            destinations: family(to, "destination_attempts", "Delivery attempts, by provider and outcome"),
            tracked_destinations: family(to, "destinations", "Tracked destinations, by throttle state"),
            jobs: family(to, "jobs", "Job attempts, by kind and outcome"),
            extractions: family(to, "extractions", "Attachments whose text was read, by outcome"),
            structured_extractions: family(to, "structured_extractions", "Structured extractions, by outcome"),
            webhooks: family(to, "webhook_attempts", "Webhook attempts, by outcome"),
            analyses: family(
                to,
                "model_server_questions",
                "Questions to the model server about received mail, by outcome",
            ),
            reply_drafts: family(to, "reply_drafts", "Replies that the model server was asked for, by outcome"),
            citations: family(to, "reply_citations", "Quotes that the model server named, by outcome"),
            queue_by_hand: family(to, "queue_interventions", "Messages in work queues settled by hand, by action"),
            store_queue: family(to, "store_queue", "Units of work waiting for the store, by queue"),
            certificate: family(
                to,
                "tls_certificate_expiry_timestamp_seconds",
                "Expiry of the current certificate, by source",
            ),
            certificate_reads: family(to, "tls_certificates", "New certificates loaded, by outcome"),
            limit_refusals: family(to, "limit_refusals", "Refusals at a limit, by limit"),
            limit_used: family(to, "limit_used", "What is used of a limit, by limit"),
            limit_peaks: family(to, "limit_peak", "The most that was used of a limit, by limit"),
            registry,
        }
    }
}

/// Registers a metric family.
fn family<L, M>(registry: &mut Registry, name: &str, help: &str) -> Family<L, M>
where
    Family<L, M>: Metric + Clone + Default,
{
    let family = Family::default();
    registry.register(name, help, Family::clone(&family));
    family
}

impl Metrics {
    /// Counts an HTTP response.
    pub fn http_request(&self, route: &'static str, status: u16) {
        self.http_requests.get_or_create(&HttpLabels { route, status }).inc();
    }

    /// Counts a message received by SMTP: `stored`, `refused`, `deferred`.
    pub fn smtp_message(&self, outcome: &'static str) {
        self.smtp_messages.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a transaction rejected by inbound policy: `dnsbl`, `greylisting`, `rate`, `dmarc`.
    pub fn smtp_rejected_by_policy(&self, rule: &'static str) {
        self.smtp_screened.get_or_create(&[("rule", rule)]).inc();
    }

    /// Counts a message submitted by a mail program: `queued`, `refused`, `deferred`.
    pub fn submission(&self, outcome: &'static str) {
        self.submissions.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a message that the outbound policy acted on: `labeled`, `held`, `refused`.
    pub fn outbound_guarded(&self, action: &'static str, reason: &'static str) {
        self.outbound_guarded.get_or_create(&[("action", action), ("reason", reason)]).inc();
    }

    /// Counts a message of a work queue that a person gave back or dropped: `requeued`, `dropped`.
    pub fn queue_by_hand(&self, action: &'static str) {
        self.queue_by_hand.get_or_create(&[("action", action)]).inc();
    }

    /// Counts a reply that the model server was asked for: `drafted` or `failed`.
    pub fn reply_draft(&self, outcome: &'static str) {
        self.reply_drafts.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts quotes that the model server named: those that are in the documents, and those that aren't.
    pub fn citations(&self, verified: u64, dropped: u64) {
        self.citations.get_or_create(&[("outcome", "verified")]).inc_by(verified);
        self.citations.get_or_create(&[("outcome", "dropped")]).inc_by(dropped);
    }

    /// Counts a recipient by outcome: `delivered`, `bounced`, `captured`, `failed`, `retried`.
    pub fn delivery(&self, outcome: &'static str) {
        self.deliveries.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a recipient that bounced in an attempt.
    pub fn bounce(&self, class: BounceClass) {
        self.bounces.get_or_create(&[("class", class.text())]).inc();
    }

    /// Counts a delivery attempt: `accepted`, `responded`, `pushed_back`, `unreachable`; hosts of no known provider as
    /// `other`.
    pub fn destination(&self, host: &str, signal: ThrottleSignal) {
        let outcome = match signal {
            ThrottleSignal::Accepted => "accepted",
            ThrottleSignal::Responded => "responded",
            ThrottleSignal::PushedBack { .. } => "pushed_back",
            ThrottleSignal::Unreachable => "unreachable",
        };
        let provider = provider_of(host).map_or("other", |provider| provider.name);
        self.destinations.get_or_create(&[("provider", provider), ("outcome", outcome)]).inc();
    }

    /// Sets the number of destinations by throttle state.
    pub fn destinations(&self, destinations: [(ThrottleStatus, usize); 3]) {
        for (status, count) in destinations {
            let state = match status {
                ThrottleStatus::Open => "open",
                ThrottleStatus::Limited => "limited",
                ThrottleStatus::Paused => "paused",
            };
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            self.tracked_destinations.get_or_create(&[("state", state)]).set(count);
        }
    }

    /// Counts a job attempt: `done`, `retry`, `hold`, `dead`, `recreated`.
    pub fn job(&self, kind: &'static str, outcome: &'static str) {
        self.jobs.get_or_create(&[("kind", kind), ("outcome", outcome)]).inc();
    }

    /// Counts a question to the model server about a received message: `answered`, or why there is no answer.
    pub fn analysis(&self, outcome: &'static str) {
        self.analyses.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts an attachment whose text was read: `done`, or the code of the error.
    pub fn extraction(&self, outcome: &'static str) {
        self.extractions.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a structured extraction: `done`, `repaired`, or the code of the error.
    pub fn structured_extraction(&self, outcome: &'static str) {
        self.structured_extractions.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a webhook attempt: `succeeded`, `failed`.
    pub fn webhook(&self, outcome: &'static str) {
        self.webhooks.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Sets the number of units of work waiting for the store.
    pub fn store_queue(&self, depth: StoreQueueDepth) {
        for (queue, waiting) in [("write", depth.writes), ("read", depth.reads)] {
            let waiting = i64::try_from(waiting).unwrap_or(i64::MAX);
            self.store_queue.get_or_create(&[("queue", queue)]).set(waiting);
        }
    }

    /// Sets the expiry of the current certificate, in Unix seconds.
    pub fn certificate(&self, source: &'static str, expires_at_s: i64) {
        self.certificate.clear();
        self.certificate.get_or_create(&[("source", source)]).set(expires_at_s);
    }

    /// Counts a new certificate: `loaded`, `refused`.
    pub fn certificate_read(&self, outcome: &'static str) {
        self.certificate_reads.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Counts a refusal, or a connection that was closed, at a limit.
    pub fn limit_refused(&self, limit: LimitName) {
        self.limit_refusals(limit).inc();
    }

    /// Counts a refusal at a limit without a name in the API, by its setting.
    pub fn limit_reached(&self, setting: &'static str) {
        self.limit_refusals.get_or_create(&[("limit", setting)]).inc();
    }

    /// Counts a refusal if it is due to a limit. Call it where the refusal is returned.
    pub fn refused(&self, refusal: &Refusal) {
        if let Some(limit) = refusal.limit() {
            self.limit_refused(limit);
        }
    }

    /// Returns the counter of refusals at a limit.
    #[must_use]
    pub fn limit_refusals(&self, limit: LimitName) -> Counter {
        self.limit_refusals.get_or_create(&[("limit", limit.text())]).clone()
    }

    /// Sets what is used of a budget, and the most that was used.
    pub fn limit_used(&self, limit: &'static str, used: u64, peak: u64) {
        for (family, value) in [(&self.limit_used, used), (&self.limit_peaks, peak)] {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            family.get_or_create(&[("limit", limit)]).set(value);
        }
    }

    /// Returns the metrics in the Prometheus text format, for `GET /metrics`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        classic(&text)
    }
}

/// Converts OpenMetrics to the older Prometheus text format, which every scraper supports: a family has the name of its
/// samples, and there is no end marker.
fn classic(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut help = None;
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("EOF" | "UNIT"), ..) => {}
            (Some("#"), Some("HELP"), Some(name), Some(about)) => help = Some((name, about)),
            (Some("#"), Some("TYPE"), Some(name), Some(kind)) => {
                let (ending, kind) = match kind {
                    "counter" => ("_total", kind),
                    "info" => ("_info", "gauge"),
                    _ => ("", kind),
                };
                if let Some((_, about)) = help.take_if(|(of, _)| *of == name) {
                    out.push_str(&format!("# HELP {name}{ending} {about}\n"));
                }
                out.push_str(&format!("# TYPE {name}{ending} {kind}\n"));
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn family_has_the_name_of_its_samples() {
        let metrics = Metrics::default();
        metrics.webhook("failed");
        metrics.store_queue(StoreQueueDepth { writes: 1, reads: 0 });
        let text = metrics.text();
        for line in [
            "# TYPE posthouse_webhook_attempts_total counter",
            "posthouse_webhook_attempts_total{outcome=\"failed\"} 1",
            "# TYPE posthouse_build_info gauge",
            "# TYPE posthouse_store_queue gauge",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("# EOF") && text.ends_with('\n'), "{text}");
    }
}
