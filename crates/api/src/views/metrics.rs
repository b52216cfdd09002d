//! The metrics report of a workspace or an inbox.

use posthouse_domain::{
    id::InboxId,
    metrics::{Counters, MetricsBucket, MetricsReport, MetricsSpan},
    time::Time,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, queue::QueueView};

/// The parameters of a metrics report.
#[derive(Clone, Debug)]
pub struct MetricsParameters {
    /// Time range and time zone.
    pub span: MetricsSpan,
    /// IANA name of the time zone.
    pub tz: String,
    /// Inbox to report on; `None` for all inboxes.
    pub inbox: Option<InboxId>,
    /// Length of the intervals.
    pub bucket: MetricsBucket,
}

/// Counts of sent and received mail in a time range.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Metrics")]
pub struct MetricsView {
    /// Start of the time range.
    from: TimestampView,
    /// End of the time range.
    to: TimestampView,
    /// IANA name of the time zone.
    tz: String,
    /// Length of the intervals: `hour` or `day`.
    bucket: &'static str,
    /// Inbox of the report; null for all inboxes.
    inbox_id: Option<Uuid>,
    /// Counts per interval, including empty intervals.
    series: Vec<IntervalView>,
    /// Counts of the time range.
    totals: TotalsView,
    /// Delivery rates of the time range.
    deliverability: RatesView,
    /// Properties of received mail.
    inbound: InboundView,
    /// Counts per day for the last 30 days of the time range, oldest first.
    heatmap: Vec<HeatmapDayView>,
    /// Busiest days of the heat map.
    streak: StreakView,
    /// Current number of stored records.
    resources: ResourcesView,
    /// Current state of the work queues of inboxes that were claimed from at least once.
    queue: Vec<QueueView>,
}

/// The counts of one interval.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MetricsInterval")]
struct IntervalView {
    /// Start of the interval.
    t: TimestampView,
    #[serde(flatten)]
    counts: TotalsView,
}

view! {
    /// Counts of messages. Each message counts at most once per column.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "MessageTotals")]
    struct TotalsView of c: &Counters {
        /// Messages accepted for sending.
        sent: u64 = c.sent,
        /// Received messages.
        received: u64 = c.received,
        /// Sent messages that every recipient's server accepted.
        delivered: u64 = c.delivered,
        /// Sent messages that failed permanently for a recipient.
        bounced: u64 = c.bounced,
        /// Sent messages that a recipient reported as spam.
        complained: u64 = c.complained,
        /// Received messages that a list blocked.
        blocked: u64 = c.blocked,
    }
}

/// Delivery rates of sent messages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeliveryRates")]
struct RatesView {
    /// Delivered share of sent messages, from 0 to 1.
    delivered_rate: f64,
    /// Bounced share of sent messages, from 0 to 1.
    bounce_rate: f64,
    /// Share of sent messages that drew a complaint, from 0 to 1.
    complaint_rate: f64,
    /// Number of bounced recipients by status code, most frequent first.
    bounce_reasons: Vec<BounceStatusView>,
    /// Number of bounced recipients by bounce class, most frequent first.
    bounce_classes: Vec<BounceClassView>,
}

/// The number of recipients that bounced with one status code.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BounceStatusCount")]
struct BounceStatusView {
    /// Enhanced status code, or SMTP reply code, or `unknown`.
    status: String,
    /// Number of recipients.
    count: u64,
}

/// The number of recipients that bounced with one bounce class.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BounceClassCount")]
struct BounceClassView {
    /// Bounce class, as in a delivery entry.
    class: String,
    /// Number of recipients.
    count: u64,
}

/// Properties of received mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboundCounts")]
struct InboundView {
    /// Received messages labeled as spam.
    spam: u64,
    /// Received messages that a list blocked.
    blocked: u64,
    /// Received messages that failed SPF or DMARC.
    unauthenticated: u64,
}

/// The counts of one day.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "HeatmapDay")]
struct HeatmapDayView {
    /// Date in the time zone of the report, such as `2026-01-31`.
    date: String,
    /// Messages accepted for sending.
    sent: u64,
    /// Received messages.
    received: u64,
}

/// The longest streak and the busiest day of the heat map.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ActivityStreak")]
struct StreakView {
    /// Longest run of consecutive days with mail, in days.
    longest_days: u64,
    /// Day with the most mail; null if there was no mail.
    busiest_day: Option<BusiestDayView>,
}

/// The day with the most mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BusiestDay")]
struct BusiestDayView {
    /// Date in the time zone of the report.
    date: String,
    /// Number of messages sent and received.
    count: u64,
}

/// The current number of stored records.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoredResources")]
struct ResourcesView {
    /// Number of inboxes.
    inboxes: u64,
    /// Number of custom domains.
    domains: u64,
    /// Number of threads.
    threads: u64,
    /// Number of messages.
    messages: u64,
    /// Size of all raw mail in bytes.
    storage_bytes: u64,
}

impl MetricsView {
    /// Returns the view of a report.
    #[must_use]
    pub fn of(asked: &MetricsParameters, report: &MetricsReport) -> Self {
        let totals = &report.totals;
        let reasons =
            report.reasons.iter().map(|(status, count)| BounceStatusView { status: status.clone(), count: *count });
        let classes =
            report.classes.iter().map(|(class, count)| BounceClassView { class: class.clone(), count: *count });
        let heat = |(date, c): &(jiff::civil::Date, Counters)| HeatmapDayView {
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
            series: report.series.iter().map(|(at, counters)| IntervalView::of(*at, counters)).collect(),
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
                busiest_day: report.busiest_day.map(|(date, count)| BusiestDayView { date: date.to_string(), count }),
            },
            resources: ResourcesView {
                inboxes: report.current.inboxes,
                domains: report.domains,
                threads: report.current.threads,
                messages: report.current.messages,
                storage_bytes: report.current.bytes,
            },
            queue: report.queues.iter().map(QueueView::of).collect(),
        }
    }
}

impl IntervalView {
    fn of(at: Time, counters: &Counters) -> Self {
        Self { t: at.into(), counts: TotalsView::of(counters) }
    }
}
