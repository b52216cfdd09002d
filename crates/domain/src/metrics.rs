//! Message counters, and their aggregation from quarter hours into the hours and days of a time zone.

use crate::queue::QueueState;
use jiff::{Timestamp, civil::Date, tz::TimeZone};

use crate::{
    label::UNAUTHENTICATED,
    time::{DAY_MS, MINUTE_MS, Time},
};

/// The length of time that one row of counters covers, in milliseconds. Every time zone's hours consist of whole slots.
pub const SLOT_MS: i64 = 15 * MINUTE_MS;
/// The longest time span of a report, in days.
pub const SPAN_DAYS_MAX: i64 = 90;
/// The default time span of a report, in days.
pub const SPAN_DAYS_DEFAULT: i64 = 30;
/// The number of days in the heat map.
pub const HEATMAP_DAYS: i64 = 30;
/// How long counters are kept, in days.
pub const RETENTION_DAYS: i64 = 400;

/// An hour, in milliseconds. Hours are computed from the zone's UTC offset.
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Counts of events. A message counts once in each field that applies to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Messages accepted for sending.
    pub sent: u64,
    /// Messages stored for an inbox.
    pub received: u64,
    /// Sent messages that every recipient's server accepted.
    pub delivered: u64,
    /// Sent messages that failed permanently for a recipient.
    pub bounced: u64,
    /// Sent messages that a recipient marked as spam.
    pub complained: u64,
    /// Received messages that a list blocked.
    pub blocked: u64,
    /// Received messages labelled as spam.
    pub spam: u64,
    /// Received messages that failed SPF or DMARC.
    pub unauthenticated: u64,
}

impl Counters {
    /// Adds other counts.
    pub fn add(&mut self, other: &Counters) {
        self.sent += other.sent;
        self.received += other.received;
        self.delivered += other.delivered;
        self.bounced += other.bounced;
        self.complained += other.complained;
        self.blocked += other.blocked;
        self.spam += other.spam;
        self.unauthenticated += other.unauthenticated;
    }

    /// Returns whether all counts are zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the share of sent messages that `count` is, from 0 to 1.
    #[must_use]
    pub fn share_of_sent(&self, count: u64) -> f64 {
        if self.sent == 0 {
            return 0.0;
        }
        (count as f64 / self.sent as f64).min(1.0)
    }

    /// Returns the counts of one received message, based on its labels.
    #[must_use]
    pub fn received(labels: &[String]) -> Self {
        let has = |name: &str| u64::from(labels.iter().any(|label| label == name));
        Self {
            received: 1,
            blocked: has("blocked"),
            spam: has("local:spam"),
            unauthenticated: UNAUTHENTICATED.iter().map(|label| has(label)).max().unwrap_or(0),
            ..Self::default()
        }
    }
}

/// Returns the number of the slot that contains a time.
#[must_use]
pub const fn slot_of(time: Time) -> i64 {
    time.millis().div_euclid(SLOT_MS)
}

/// Returns the start of a slot.
#[must_use]
pub const fn slot_start(slot: i64) -> Time {
    Time::from_millis(slot * SLOT_MS)
}

/// The resolution of a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricsBucket {
    /// Hours.
    Hour,
    /// Days.
    Day,
}

impl MetricsBucket {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            MetricsBucket::Hour => "hour",
            MetricsBucket::Day => "day",
        }
    }
}

/// The start or end of a report, as a caller gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricsBound {
    /// A point in time.
    At(Time),
    /// A day in the report's time zone.
    Day(Date),
}

impl MetricsBound {
    /// Parses an ISO 8601 time or a date.
    ///
    /// # Errors
    /// Describes the problem if the text is neither.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.parse::<Date>() {
            Ok(date) if text.len() == 10 => Ok(MetricsBound::Day(date)),
            _ => Time::parse(text)
                .map(MetricsBound::At)
                .map_err(|problem| format!("{problem}, or a date such as 2026-01-31")),
        }
    }
}

/// The time span of a report.
#[derive(Clone, Debug)]
pub struct MetricsSpan {
    /// Its start.
    pub from: Time,
    /// Its end.
    pub to: Time,
    /// The exclusive end: a given end itself, or the millisecond after now.
    pub until: Time,
    /// The time zone of its hours and days.
    pub zone: TimeZone,
}

/// Why a time span is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricsSpanError {
    /// The end is not after the start.
    Empty,
    /// It is longer than [`SPAN_DAYS_MAX`].
    TooLong,
}

impl MetricsSpan {
    /// Creates the span between `from` and `to`. A day starts at its midnight and ends at the next one. The default end
    /// is `now`; the default start is [`SPAN_DAYS_DEFAULT`] days before the end.
    ///
    /// # Errors
    /// Returns why the span is invalid.
    pub fn new(
        from: Option<MetricsBound>,
        to: Option<MetricsBound>,
        zone: TimeZone,
        now: Time,
    ) -> Result<Self, MetricsSpanError> {
        let midnight = |day: Date| day.to_zoned(zone.clone()).map_or(now, |at| time(at.timestamp()));
        let until_now = to.is_none();
        let to = match to {
            None => now,
            Some(MetricsBound::At(time)) => time,
            Some(MetricsBound::Day(day)) => day.tomorrow().map_or(now, midnight),
        };
        let from = match from {
            None => to.plus_ms(-SPAN_DAYS_DEFAULT * DAY_MS),
            Some(MetricsBound::At(time)) => time,
            Some(MetricsBound::Day(day)) => midnight(day),
        };
        if to <= from {
            return Err(MetricsSpanError::Empty);
        }
        // Allows for a day that is an hour longer because of daylight saving time.
        if to.since_ms(from) > SPAN_DAYS_MAX * DAY_MS + HOUR_MS {
            return Err(MetricsSpanError::TooLong);
        }
        Ok(Self { from, to, until: if until_now { to.plus_ms(1) } else { to }, zone })
    }

    /// Returns the start times of the buckets, oldest first. The first bucket is complete and may start before the
    /// span.
    #[must_use]
    pub fn bucket_starts(&self, bucket: MetricsBucket) -> Vec<Time> {
        let mut steps = vec![self.step_of(bucket, self.from)];
        while let Some(last) = steps.last() {
            let next = self.next_bucket_start(bucket, *last);
            if next >= self.until || next <= *last {
                break;
            }
            steps.push(next);
        }
        steps
    }

    /// Returns the last [`HEATMAP_DAYS`] days of the span, oldest first.
    #[must_use]
    pub fn heatmap_days(&self) -> Vec<Date> {
        let last = self.date_of(self.until.plus_ms(-1));
        let mut days: Vec<Date> =
            (0..HEATMAP_DAYS).filter_map(|back| last.checked_sub(jiff::Span::new().days(back)).ok()).collect();
        days.reverse();
        days
    }

    /// Returns the day that contains a time, in the report's zone.
    #[must_use]
    pub fn date_of(&self, at: Time) -> Date {
        timestamp(at).to_zoned(self.zone.clone()).date()
    }

    /// Returns the midnight that starts a day in the report's zone.
    #[must_use]
    pub fn midnight(&self, day: Date) -> Time {
        day.to_zoned(self.zone.clone()).map_or(self.from, |at| time(at.timestamp()))
    }

    /// Returns the start of the bucket that contains a time.
    #[must_use]
    pub fn step_of(&self, bucket: MetricsBucket, at: Time) -> Time {
        match bucket {
            MetricsBucket::Day => self.midnight(self.date_of(at)),
            MetricsBucket::Hour => {
                let offset_ms = i64::from(self.zone.to_offset(timestamp(at)).seconds()) * 1_000;
                Time::from_millis((at.millis() + offset_ms).div_euclid(HOUR_MS) * HOUR_MS - offset_ms)
            }
        }
    }

    fn next_bucket_start(&self, bucket: MetricsBucket, step: Time) -> Time {
        match bucket {
            MetricsBucket::Day => self.date_of(step).tomorrow().map_or(step, |day| self.midnight(day)),
            // A time within the next hour, even if the zone's offset changes in between.
            MetricsBucket::Hour => self.step_of(bucket, step.plus_ms(HOUR_MS)).max(step.plus_ms(SLOT_MS)),
        }
    }
}

/// Returns the longest run of consecutive days with a count above 0, and the index of the day with the highest count.
#[must_use]
pub fn streak(counts: &[u64]) -> (u64, Option<usize>) {
    let (mut longest, mut run) = (0, 0);
    for count in counts {
        run = if *count > 0 { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let highest = counts.iter().max().copied().filter(|highest| *highest > 0);
    (longest, highest.and_then(|highest| counts.iter().position(|count| *count == highest)))
}

fn timestamp(time: Time) -> Timestamp {
    Timestamp::from_millisecond(time.millis()).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn time(at: Timestamp) -> Time {
    Time::from_millis(at.as_millisecond())
}

/// A report about a workspace, or one inbox of it.
pub struct MetricsReport {
    /// The start of each interval, with its counters.
    pub series: Vec<(Time, Counters)>,
    /// The sum of all intervals.
    pub totals: Counters,
    /// The number of bounced recipients by status code, most frequent first.
    pub reasons: Vec<(String, u64)>,
    /// The number of bounced recipients by bounce class, most frequent first.
    pub classes: Vec<(String, u64)>,
    /// The counters of the last days of the span, oldest first.
    pub heatmap: Vec<(Date, Counters)>,
    /// The longest run of consecutive days with mail.
    pub longest_days: u64,
    /// The day with the most messages, and their number.
    pub busiest_day: Option<(Date, u64)>,
    /// The number of custom domains of the workspace.
    pub domains: u64,
    /// The current totals.
    pub current: Holdings,
    /// The current state of the work queues, independent of the span.
    pub queues: Vec<QueueState>,
}

/// The current totals of a workspace or an inbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Holdings {
    /// Inboxes that aren't deleted.
    pub inboxes: u64,
    pub threads: u64,
    pub messages: u64,
    /// Total size of the messages, in bytes, as sent or received.
    pub bytes: u64,
}

#[cfg(test)]
mod tests;
