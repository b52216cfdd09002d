//! What is counted, and how counts by quarter hours become the hours and days of a time zone (contract §13.2).

use jiff::{Timestamp, civil::Date, tz::TimeZone};

use crate::{
    label::UNAUTHENTICATED,
    time::{DAY_MS, MINUTE_MS, Time},
};

/// Length of the span that one row of counters stands for, in milliseconds: every time zone's hours are made of it.
pub const SLOT_MS: i64 = 15 * MINUTE_MS;
/// Longest span of one report, in days.
pub const SPAN_DAYS_MAX: i64 = 90;
/// Span of a report that names none, in days.
pub const SPAN_DAYS_DEFAULT: i64 = 30;
/// Days of the heat map.
pub const HEATMAP_DAYS: i64 = 30;
/// How long counters are kept, in days.
pub const KEPT_DAYS: i64 = 400;

/// Hours are found by counting from the offset of the zone, in milliseconds.
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// How often something happened. A message is counted once in each column that it comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Messages accepted for sending.
    pub sent: u64,
    /// Messages stored for an inbox.
    pub received: u64,
    /// Sent messages that every recipient's server took.
    pub delivered: u64,
    /// Sent messages that failed for good at a recipient.
    pub bounced: u64,
    /// Sent messages that a recipient marked as spam.
    pub complained: u64,
    /// Received messages that a list stopped.
    pub blocked: u64,
    /// Received messages labelled as spam.
    pub spam: u64,
    /// Received messages that failed SPF or DMARC.
    pub unauthenticated: u64,
}

impl Counters {
    /// Adds others to these.
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

    /// Whether nothing happened.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// The share of sent messages that `count` is, from 0 to 1.
    #[must_use]
    pub fn share_of_sent(&self, count: u64) -> f64 {
        if self.sent == 0 {
            return 0.0;
        }
        (count as f64 / self.sent as f64).min(1.0)
    }

    /// What a received message counts, by its labels.
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

/// The number of the quarter hour that a time is in.
#[must_use]
pub const fn slot_of(time: Time) -> i64 {
    time.millis().div_euclid(SLOT_MS)
}

/// The beginning of a quarter hour.
#[must_use]
pub const fn slot_start(slot: i64) -> Time {
    Time::from_millis(slot * SLOT_MS)
}

/// The length of the steps of a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bucket {
    /// Hours.
    Hour,
    /// Days.
    Day,
}

impl Bucket {
    /// The name on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Bucket::Hour => "hour",
            Bucket::Day => "day",
        }
    }
}

/// An end of a report as a caller may give it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// A moment.
    At(Time),
    /// A day of the report's time zone.
    Day(Date),
}

impl Edge {
    /// Reads an ISO 8601 time or a date.
    ///
    /// # Errors
    /// What is wrong, for the one who wrote it.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.parse::<Date>() {
            Ok(date) if text.len() == 10 => Ok(Edge::Day(date)),
            _ => Time::parse(text).map(Edge::At).map_err(|problem| format!("{problem}, or a date such as 2026-01-31")),
        }
    }
}

/// What a report is about.
#[derive(Clone, Debug)]
pub struct Span {
    /// Its beginning.
    pub from: Time,
    /// Its end.
    pub to: Time,
    /// The first moment that is not part of it: a given end itself, or what comes after now.
    pub until: Time,
    /// Whose hours and days its steps are.
    pub zone: TimeZone,
}

/// Why a span cannot be reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpanProblem {
    /// The end is not behind the beginning.
    Empty,
    /// It is longer than [`SPAN_DAYS_MAX`].
    TooLong,
}

impl Span {
    /// The span between two given ends: a day as beginning is its midnight, a day as end is the next midnight. Without an
    /// end it goes to `now`, without a beginning it is [`SPAN_DAYS_DEFAULT`] long.
    ///
    /// # Errors
    /// What makes it no span.
    pub fn new(from: Option<Edge>, to: Option<Edge>, zone: TimeZone, now: Time) -> Result<Self, SpanProblem> {
        let midnight = |day: Date| day.to_zoned(zone.clone()).map_or(now, |at| time(at.timestamp()));
        let until_now = to.is_none();
        let to = match to {
            None => now,
            Some(Edge::At(time)) => time,
            Some(Edge::Day(day)) => day.tomorrow().map_or(now, midnight),
        };
        let from = match from {
            None => to.plus_ms(-SPAN_DAYS_DEFAULT * DAY_MS),
            Some(Edge::At(time)) => time,
            Some(Edge::Day(day)) => midnight(day),
        };
        if to <= from {
            return Err(SpanProblem::Empty);
        }
        // A day that is an hour longer where the clocks are set back is still one of 90.
        if to.since_ms(from) > SPAN_DAYS_MAX * DAY_MS + HOUR_MS {
            return Err(SpanProblem::TooLong);
        }
        Ok(Self { from, to, until: if until_now { to.plus_ms(1) } else { to }, zone })
    }

    /// The beginnings of the steps, oldest first. The first may lie before the span: it is whole.
    #[must_use]
    pub fn steps(&self, bucket: Bucket) -> Vec<Time> {
        let mut steps = vec![self.step_of(bucket, self.from)];
        while let Some(last) = steps.last() {
            let next = self.step_after(bucket, *last);
            if next >= self.until || next <= *last {
                break;
            }
            steps.push(next);
        }
        steps
    }

    /// The days of the heat map: the last [`HEATMAP_DAYS`] up to the end of the span, oldest first.
    #[must_use]
    pub fn heatmap_days(&self) -> Vec<Date> {
        let last = self.date_of(self.until.plus_ms(-1));
        let mut days: Vec<Date> =
            (0..HEATMAP_DAYS).filter_map(|back| last.checked_sub(jiff::Span::new().days(back)).ok()).collect();
        days.reverse();
        days
    }

    /// The day of the zone that a moment is in.
    #[must_use]
    pub fn date_of(&self, at: Time) -> Date {
        timestamp(at).to_zoned(self.zone.clone()).date()
    }

    /// The midnight that begins a day of the zone.
    #[must_use]
    pub fn midnight(&self, day: Date) -> Time {
        day.to_zoned(self.zone.clone()).map_or(self.from, |at| time(at.timestamp()))
    }

    /// The beginning of the step that a moment is in.
    #[must_use]
    pub fn step_of(&self, bucket: Bucket, at: Time) -> Time {
        match bucket {
            Bucket::Day => self.midnight(self.date_of(at)),
            Bucket::Hour => {
                let offset_ms = i64::from(self.zone.to_offset(timestamp(at)).seconds()) * 1_000;
                Time::from_millis((at.millis() + offset_ms).div_euclid(HOUR_MS) * HOUR_MS - offset_ms)
            }
        }
    }

    fn step_after(&self, bucket: Bucket, step: Time) -> Time {
        match bucket {
            Bucket::Day => self.date_of(step).tomorrow().map_or(step, |day| self.midnight(day)),
            // A moment of the next hour, wherever the clocks are set meanwhile.
            Bucket::Hour => self.step_of(bucket, step.plus_ms(HOUR_MS)).max(step.plus_ms(SLOT_MS)),
        }
    }
}

/// The longest run of days with something in them, and the day with most; of counts in the order of days.
#[must_use]
pub fn streak(counts: &[u64]) -> (u64, Option<usize>) {
    let (mut longest, mut run) = (0, 0);
    for count in counts {
        run = if *count > 0 { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let most = counts.iter().max().copied().filter(|most| *most > 0);
    (longest, most.and_then(|most| counts.iter().position(|count| *count == most)))
}

fn timestamp(time: Time) -> Timestamp {
    Timestamp::from_millisecond(time.millis()).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn time(at: Timestamp) -> Time {
    Time::from_millis(at.as_millisecond())
}

#[cfg(test)]
mod tests;
