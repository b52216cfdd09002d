//! Tests of the spans, buckets and streaks of reports.

use super::*;

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("a known zone")
}

fn at(text: &str) -> Time {
    Time::parse(text).expect("a time")
}

fn span(from: &str, to: &str, name: &str) -> MetricsSpan {
    let edge = |text: &str| MetricsBound::parse(text).ok();
    MetricsSpan::new(edge(from), edge(to), zone(name), at("2026-05-05T12:34:56Z")).expect("a span")
}

#[test]
fn days_are_local_and_the_last_day_is_included() {
    let table = [
        ("UTC", "2026-03-01", "2026-03-02", "2026-03-01T00:00:00.000Z", "2026-03-03T00:00:00.000Z"),
        ("Asia/Kathmandu", "2026-03-01", "2026-03-01", "2026-02-28T18:15:00.000Z", "2026-03-01T18:15:00.000Z"),
        ("America/New_York", "2026-03-08", "2026-03-08", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"),
        ("UTC", "2026-03-01T10:00:00+02:00", "2026-03-02", "2026-03-01T08:00:00.000Z", "2026-03-03T00:00:00.000Z"),
    ];
    for (name, from, to, expected_from, expected_to) in table {
        let span = span(from, to, name);
        assert_eq!(
            (span.from.to_string().as_str(), span.to.to_string().as_str()),
            (expected_from, expected_to),
            "{name}"
        );
    }
}

#[test]
fn default_span_is_the_last_thirty_days() {
    let now = at("2026-05-05T12:34:56Z");
    let span = MetricsSpan::new(None, None, zone("UTC"), now).expect("a span");
    assert_eq!((span.from, span.to), (now.plus_ms(-30 * DAY_MS), now));
    assert_eq!(span.bucket_starts(MetricsBucket::Day).len(), 31);
    assert_eq!(span.bucket_starts(MetricsBucket::Day)[0], at("2026-04-05T00:00:00Z"));
}

#[test]
fn invalid_spans_are_rejected() {
    let now = at("2026-05-05T12:00:00Z");
    let new = |from: &str, to: &str| {
        MetricsSpan::new(MetricsBound::parse(from).ok(), MetricsBound::parse(to).ok(), zone("UTC"), now).map(drop)
    };
    assert_eq!(new("2026-05-02", "2026-05-01"), Err(MetricsSpanError::Empty));
    assert_eq!(new("2026-05-02T00:00:00Z", "2026-05-02T00:00:00Z"), Err(MetricsSpanError::Empty));
    assert_eq!(new("2026-05-02", "2026-05-02"), Ok(()));
    assert_eq!(new("2026-01-01", "2026-03-31"), Ok(()));
    assert_eq!(new("2026-01-01", "2026-04-01"), Err(MetricsSpanError::TooLong));
    assert!(MetricsBound::parse("2026-02-30").is_err() && MetricsBound::parse("today").is_err());
}

#[test]
fn buckets_follow_daylight_saving_time() {
    // Daylight saving time starts in New York on 2026-03-08: a day of 23 hours.
    let day = span("2026-03-08", "2026-03-08", "America/New_York");
    assert_eq!(day.bucket_starts(MetricsBucket::Hour).len(), 23);
    assert_eq!(day.bucket_starts(MetricsBucket::Day), [at("2026-03-08T05:00:00Z")]);
    // It ends on 2026-11-01: a day of 25 hours.
    let day = span("2026-11-01", "2026-11-01", "America/New_York");
    assert_eq!(day.bucket_starts(MetricsBucket::Hour).len(), 25);
    // Hours in Kathmandu start at a quarter past (UTC).
    let hours =
        span("2026-03-01T00:20:00Z", "2026-03-01T02:20:00Z", "Asia/Kathmandu").bucket_starts(MetricsBucket::Hour);
    assert_eq!(hours, [at("2026-03-01T00:15:00Z"), at("2026-03-01T01:15:00Z"), at("2026-03-01T02:15:00Z")]);
}

#[test]
fn every_slot_of_a_span_is_in_one_bucket() {
    for name in ["UTC", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia"] {
        for bucket in [MetricsBucket::Hour, MetricsBucket::Day] {
            let span = span("2026-03-25", "2026-04-10", name);
            let steps = span.bucket_starts(bucket);
            assert!(steps.is_sorted() && steps.iter().all(|step| step.millis() % SLOT_MS == 0), "{name}");
            let mut slot = slot_of(span.from);
            while slot_start(slot) < span.to {
                let step = steps.partition_point(|step| *step <= slot_start(slot));
                assert!(step > 0, "{name} {slot}");
                slot += 1;
            }
        }
    }
}

#[test]
fn heat_map_ends_with_the_span() {
    let days = span("2026-03-01", "2026-03-31", "UTC").heatmap_days();
    assert_eq!(days.len(), 30);
    assert_eq!((days[0].to_string().as_str(), days[29].to_string().as_str()), ("2026-03-02", "2026-03-31"));
}

#[test]
fn streak_is_a_run_of_consecutive_days() {
    assert_eq!(streak(&[]), (0, None));
    assert_eq!(streak(&[0, 0]), (0, None));
    assert_eq!(streak(&[1, 0, 2, 5, 5, 0]), (3, Some(3)));
}

#[test]
fn shares_are_between_0_and_1() {
    let counters = Counters { sent: 4, ..Counters::default() };
    assert_eq!((counters.share_of_sent(1), counters.share_of_sent(9)), (0.25, 1.0));
    assert_eq!(Counters::default().share_of_sent(3), 0.0);
    let labels = ["spf-fail".to_owned(), "dmarc-fail".to_owned(), "blocked".to_owned()];
    let counted = Counters::received(&labels);
    assert_eq!((counted.received, counted.unauthenticated, counted.blocked, counted.spam), (1, 1, 1, 0));
}
