//! Metrics as they are shown (contract §13.2).

use posthouse_domain::{
    id::InboxId,
    metrics::{Bucket, Counters, Span},
    time::Time,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{Moment, queue::QueueView};
use crate::app::report_metrics::Report;

/// What a report was asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// From when to when, in which time zone.
    pub span: Span,
    /// The name of the time zone.
    pub tz: String,
    /// One inbox alone.
    pub inbox: Option<InboxId>,
    /// Length of the steps.
    pub bucket: Bucket,
}

/// What was sent and received.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Metrics")]
pub struct MetricsView {
    from: Moment,
    to: Moment,
    /// IANA name of the time zone.
    tz: String,
    /// `hour` or `day`.
    bucket: &'static str,
    /// The inbox that the report is about; null is every inbox.
    inbox_id: Option<Uuid>,
    /// Every step, also those in which nothing happened.
    series: Vec<StepView>,
    totals: TotalsView,
    deliverability: RatesView,
    inbound: InboundView,
    /// The last 30 days of the report, oldest first.
    heatmap: Vec<HeatView>,
    streak: StreakView,
    resources: ResourcesView,
    /// The work queues as they are now, of inboxes that were claimed from at least once.
    queue: Vec<QueueView>,
}

/// What happened in one step.
#[derive(Serialize, JsonSchema)]
struct StepView {
    /// When the step begins.
    t: Moment,
    #[serde(flatten)]
    counts: TotalsView,
}

/// What happened. A message is counted once in each column that it comes to.
#[derive(Serialize, JsonSchema)]
struct TotalsView {
    /// Accepted for sending.
    sent: u64,
    received: u64,
    delivered: u64,
    bounced: u64,
    complained: u64,
    /// Received and stopped by a list.
    blocked: u64,
}

/// Shares of the sent messages, from 0 to 1.
#[derive(Serialize, JsonSchema)]
struct RatesView {
    delivered_rate: f64,
    bounce_rate: f64,
    complaint_rate: f64,
    /// Bounced recipients by status, most frequent first.
    bounce_reasons: Vec<ReasonView>,
    /// Bounced recipients by class, most frequent first.
    bounce_classes: Vec<ClassView>,
}

/// Why recipients bounced.
#[derive(Serialize, JsonSchema)]
struct ReasonView {
    /// Enhanced status code, else SMTP reply code, else `unknown`.
    status: String,
    count: u64,
}

/// What kind of bounces there were.
#[derive(Serialize, JsonSchema)]
struct ClassView {
    /// Why, as one word; those of a delivery entry.
    class: String,
    count: u64,
}

/// What is to be said of received mail.
#[derive(Serialize, JsonSchema)]
struct InboundView {
    spam: u64,
    blocked: u64,
    /// Failed SPF or DMARC.
    unauthenticated: u64,
}

/// One day.
#[derive(Serialize, JsonSchema)]
struct HeatView {
    /// Of the report's time zone.
    date: String,
    sent: u64,
    received: u64,
}

/// Days in a row.
#[derive(Serialize, JsonSchema)]
struct StreakView {
    /// Most days in a row with mail, of the days of the heat map.
    longest_days: u64,
    busiest_day: Option<BusiestView>,
}

/// The day with most mail.
#[derive(Serialize, JsonSchema)]
struct BusiestView {
    date: String,
    count: u64,
}

/// What is stored now.
#[derive(Serialize, JsonSchema)]
struct ResourcesView {
    inboxes: u64,
    domains: u64,
    threads: u64,
    messages: u64,
    /// Size of the mail as it was sent or received.
    storage_bytes: u64,
}

impl MetricsView {
    /// Shows a report.
    #[must_use]
    pub fn of(asked: &Asked, report: &Report) -> Self {
        let totals = &report.totals;
        let reasons = report.reasons.iter().map(|(status, count)| ReasonView { status: status.clone(), count: *count });
        let classes = report.classes.iter().map(|(class, count)| ClassView { class: class.clone(), count: *count });
        let heat = |(date, c): &(jiff::civil::Date, Counters)| HeatView {
            date: date.to_string(),
            sent: c.sent,
            received: c.received,
        };
        Self {
            from: asked.span.from.into(),
            to: asked.span.to.into(),
            tz: asked.tz.clone(),
            bucket: asked.bucket.text(),
            inbox_id: asked.inbox.map(Into::into),
            series: report.series.iter().map(StepView::of).collect(),
            totals: TotalsView::of(totals),
            deliverability: RatesView {
                delivered_rate: totals.share_of_sent(totals.delivered),
                bounce_rate: totals.share_of_sent(totals.bounced),
                complaint_rate: totals.share_of_sent(totals.complained),
                bounce_reasons: reasons.collect(),
                bounce_classes: classes.collect(),
            },
            inbound: InboundView {
                spam: totals.spam,
                blocked: totals.blocked,
                unauthenticated: totals.unauthenticated,
            },
            heatmap: report.heatmap.iter().map(heat).collect(),
            streak: StreakView {
                longest_days: report.longest_days,
                busiest_day: report.busiest_day.map(|(date, count)| BusiestView { date: date.to_string(), count }),
            },
            resources: ResourcesView {
                inboxes: report.holdings.inboxes,
                domains: report.domains,
                threads: report.holdings.threads,
                messages: report.holdings.messages,
                storage_bytes: report.holdings.bytes,
            },
            queue: report.queues.iter().map(QueueView::of).collect(),
        }
    }
}

impl StepView {
    fn of((at, counters): &(Time, Counters)) -> Self {
        Self { t: (*at).into(), counts: TotalsView::of(counters) }
    }
}

impl TotalsView {
    fn of(c: &Counters) -> Self {
        Self {
            sent: c.sent,
            received: c.received,
            delivered: c.delivered,
            bounced: c.bounced,
            complained: c.complained,
            blocked: c.blocked,
        }
    }
}
