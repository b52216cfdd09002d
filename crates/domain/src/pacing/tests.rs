//! Tables of results and limits, and properties that hold for any sequence of results.

use posthouse_mail::smtp::client::{ConnectionFailure, DeliveryResult, SmtpStage};
use proptest::prelude::*;

use super::*;
use crate::delivery::AttemptReport;

const LIMITS: DestinationLimits =
    DestinationLimits { connections_max: 10, messages_per_connection_max: 100, per_minute_max: None };
const PUSHED: ThrottleSignal = ThrottleSignal::PushedBack { too_fast: false };

fn at(ms: i64) -> Time {
    Time::from_millis(1_800_000_000_000 + ms)
}

/// Runs attempts of 20 ms each, started `gap` ms apart, and returns the time after the last one.
fn run_attempts(pace: &mut ThrottleState, from: i64, gap: i64, signals: &[ThrottleSignal]) -> i64 {
    let mut now = from;
    for one in signals {
        pace.begin(at(now));
        pace.record(*one, at(now), at(now + 20));
        now += gap;
    }
    now
}

#[test]
fn window_starts_small_and_grows_to_its_limit() {
    let mut pace = ThrottleState::new(LIMITS);
    let mut seen = vec![pace.window()];
    for n in 0..10 {
        run_attempts(&mut pace, n * 100, 0, &[ThrottleSignal::Accepted]);
        seen.push(pace.window());
    }
    assert_eq!(seen, [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10]);
    assert_eq!((pace.available(7, at(2_000)), pace.available(12, at(2_000))), (3, 0));
    assert_eq!(pace.status(at(2_000)), ThrottleStatus::Open);
}

#[test]
fn pushbacks_of_concurrent_attempts_halve_the_window_once() {
    let mut pace = ThrottleState::new(LIMITS);
    run_attempts(&mut pace, 0, 100, &[ThrottleSignal::Accepted; 10]);
    for began in [5_000, 5_001, 5_002] {
        pace.record(PUSHED, at(began), at(5_100));
    }
    assert_eq!(pace.window(), 5, "concurrent pushbacks count once");
    assert_eq!(pace.status(at(5_100)), ThrottleStatus::Limited);
    pace.record(PUSHED, at(5_101), at(5_200));
    assert_eq!(pace.window(), 2);
    run_attempts(&mut pace, 6_000, 10, &[ThrottleSignal::Accepted; 2]);
    assert_eq!(pace.window(), 3, "it grows by one connection per window of messages");
    run_attempts(&mut pace, 7_000, 10, &[ThrottleSignal::Accepted; 60]);
    assert_eq!((pace.window(), pace.status(at(9_000))), (10, ThrottleStatus::Open));
}

#[test]
fn repeated_pushbacks_lengthen_the_pause() {
    let mut pace = ThrottleState::new(LIMITS);
    let mut now = 0;
    let mut rests = Vec::new();
    for _ in 0..14 {
        now = pace.paused_until(at(now)).map_or(now, |until| until.since_ms(at(0)));
        pace.record(ThrottleSignal::Unreachable, at(now), at(now + 20));
        now += 21;
        rests.push(pace.paused_until(at(now)).map_or(0, |until| until.since_ms(at(now)) / 100));
    }
    assert_eq!(rests, [0, 0, 0, 9, 19, 39, 79, 159, 319, 639, 1279, 2559, 2999, 2999]);
    assert_eq!((pace.available(0, at(now)), pace.status(at(now))), (0, ThrottleStatus::Paused));
    let later = pace.paused_until(at(now)).unwrap();
    assert_eq!(pace.available(0, later), 1, "then one attempt may probe");
    pace.record(ThrottleSignal::Accepted, later, later.plus_ms(20));
    assert_eq!((pace.strikes, pace.paused_until(later)), (0, None));
}

#[test]
fn failures_of_one_message_are_not_pushback() {
    let mut pace = ThrottleState::new(LIMITS);
    run_attempts(&mut pace, 0, 100, &[ThrottleSignal::Responded; 20]);
    assert_eq!((pace.window(), pace.status(at(3_000))), (INITIAL_CONNECTIONS, ThrottleStatus::Open));
    run_attempts(&mut pace, 4_000, 100, &[PUSHED, PUSHED, PUSHED, ThrottleSignal::Responded, PUSHED]);
    assert_eq!(pace.paused_until(at(5_000)), None, "a response in between shows that it isn't down");
}

#[test]
fn destination_is_slow_until_deliveries_are_fast_again() {
    let mut pace = ThrottleState::new(LIMITS);
    assert!(!pace.is_known() && !pace.is_slow());
    pace.record(ThrottleSignal::Accepted, at(0), at(2_000));
    assert!(pace.is_known() && pace.is_slow());
    for n in 1..=8 {
        pace.record(ThrottleSignal::Accepted, at(n * 3_000), at(n * 3_000 + 50));
    }
    assert!(!pace.is_slow());
    pace.record(ThrottleSignal::Unreachable, at(60_000), at(60_001));
    assert!(pace.is_slow(), "an unreachable destination may hang the next attempt");
}

#[test]
fn too_fast_limits_the_rate_until_deliveries_succeed_again() {
    let mut pace = ThrottleState::new(LIMITS);
    let now = run_attempts(&mut pace, 0, 250, &[ThrottleSignal::Accepted; 240]);
    pace.record(ThrottleSignal::PushedBack { too_fast: true }, at(now), at(now + 20));
    let now = now + 20;
    assert_eq!((pace.available(0, at(now)), pace.status(at(now))), (1, ThrottleStatus::Limited));
    pace.begin(at(now));
    assert_eq!(pace.available(0, at(now)), 0);
    let next = pace.next_at(at(now)).unwrap().since_ms(at(now));
    assert!((400..=700).contains(&next), "about half of four per second: {next}");
    let mut now = now;
    let mut sent = 0;
    while pace.rate.is_cut() {
        now = pace.next_at(at(now)).map_or(now + 20, |next| next.since_ms(at(0)));
        run_attempts(&mut pace, now, 0, &[ThrottleSignal::Accepted]);
        sent += 1;
        assert!(sent < 10_000, "a learned limit is dropped eventually");
    }
    assert_eq!(pace.next_at(at(now)), None);
}

#[test]
fn configured_rate_is_never_exceeded() {
    let mut pace = ThrottleState::new(DestinationLimits { per_minute_max: Some(120), ..LIMITS });
    let mut sent = 0;
    for now in 0..120_000 {
        if pace.available(0, at(now)) > 0 {
            pace.begin(at(now));
            pace.record(ThrottleSignal::Accepted, at(now), at(now));
            sent += 1;
        }
    }
    assert!((240..=252).contains(&sent), "two minutes and the first burst: {sent}");
}

#[test]
fn provider_is_identified_by_its_exchangers() {
    let table = [
        ("gmail-smtp-in.l.google.com", Some("google")),
        ("ASPMX.L.GOOGLE.COM.", Some("google")),
        ("outlook-com.olc.protection.outlook.com", Some("outlook")),
        ("contoso-com.mail.protection.outlook.com", Some("microsoft365")),
        ("contoso-com.r-v1.mx.microsoft", Some("microsoft365")),
        ("mta7.am0.yahoodns.net", Some("yahoo")),
        ("mx5.mail.yahoo.co.jp", Some("yahoo_japan")),
        ("mx01.mail.icloud.com", Some("icloud")),
        ("mxs.mail.ru", Some("mail_ru")),
        ("mx.yandex.ru", Some("yandex")),
        ("mx00.gmx.net", Some("gmx")),
        ("mx-ha02.web.de", Some("gmx")),
        ("mx00.t-online.de", Some("t_online")),
        ("mx3.qq.com", Some("qq")),
        ("163mx01.mxmail.netease.com", Some("netease")),
        ("mx0a-00000000.pphosted.com", Some("proofpoint")),
        ("eu-smtp-inbound-1.mimecast.com", Some("mimecast")),
        ("d12345.a.ess.uk.barracudanetworks.com", Some("barracuda")),
        ("esa1.hc123-45.iphmx.com", Some("cisco")),
        ("mail.example.com", None),
        ("notgoogle.com", None),
        ("google.com", None),
        ("mx.google.com.example", None),
        ("", None),
    ];
    for (host, expected) in table {
        assert_eq!(provider_of(host).map(|provider| provider.name), expected, "{host}");
    }
}

#[test]
fn provider_table_is_valid() {
    let mut names: Vec<&str> = MAILBOX_PROVIDERS.iter().map(|provider| provider.name).collect();
    let mut suffixes: Vec<&str> = MAILBOX_PROVIDERS.iter().flat_map(|provider| provider.suffixes).copied().collect();
    assert!(names.len() >= 10);
    for provider in MAILBOX_PROVIDERS {
        let DestinationLimits { connections_max, messages_per_connection_max, per_minute_max } = provider.limits;
        assert!((1..=50).contains(&connections_max) && (1..=200).contains(&messages_per_connection_max));
        assert!(per_minute_max.is_none_or(|most| most >= 60), "{}", provider.name);
        assert!(provider.suffixes.iter().all(|suffix| suffix.starts_with('.') && *suffix == suffix.to_lowercase()));
    }
    for list in [&mut names, &mut suffixes] {
        let count = list.len();
        list.sort_unstable();
        list.dedup();
        assert_eq!(list.len(), count, "no duplicates");
    }
}

fn reply(code: u16, enhanced: &str, text: &str, stage: SmtpStage) -> AttemptReport {
    let result = match code {
        200..300 => DeliveryResult::Delivered,
        500.. => DeliveryResult::Permanent,
        _ => DeliveryResult::Temporary,
    };
    let enhanced_code = Some(enhanced.to_owned()).filter(|code| !code.is_empty());
    AttemptReport { smtp_code: Some(code), enhanced_code, stage, ..AttemptReport::local(result, "", text) }
}

#[test]
fn replies_are_classified() {
    let fast = ThrottleSignal::PushedBack { too_fast: true };
    let table = [
        (reply(250, "2.0.0", "ok", SmtpStage::EndOfData), ThrottleSignal::Accepted),
        (reply(550, "5.1.1", "no such user", SmtpStage::RcptTo), ThrottleSignal::Responded),
        (reply(450, "4.2.0", "greylisted", SmtpStage::RcptTo), ThrottleSignal::Responded),
        (reply(452, "4.2.2", "mailbox full", SmtpStage::RcptTo), ThrottleSignal::Responded),
        (reply(450, "4.1.1", "unknown for now", SmtpStage::RcptTo), ThrottleSignal::Responded),
        (reply(421, "4.3.2", "closing", SmtpStage::MailFrom), PUSHED),
        (reply(451, "4.3.0", "error", SmtpStage::RcptTo), PUSHED),
        (reply(450, "", "later", SmtpStage::Data), PUSHED),
        (reply(421, "4.7.28", "Gmail has detected an unusual rate of mail", SmtpStage::EndOfData), fast),
        (reply(421, "4.7.0", "Too many connections", SmtpStage::MailFrom), fast),
        (reply(451, "4.7.500", "Server busy. Please try again later", SmtpStage::MailFrom), PUSHED),
        (
            AttemptReport { smtp_code: None, stage: SmtpStage::Data, ..reply(400, "", "lost", SmtpStage::Data) },
            ThrottleSignal::Unreachable,
        ),
        (AttemptReport::local(DeliveryResult::Temporary, "4.4.3", "no DNS"), ThrottleSignal::Responded),
    ];
    for (report, expected) in &table {
        assert_eq!(of_reports(std::slice::from_ref(report)), *expected, "{report:?}");
    }
    let both = [table[5].0.clone(), table[0].0.clone()];
    assert_eq!(of_reports(&both), ThrottleSignal::Accepted, "a destination that accepts one message isn't down");
    let failure = |code| ConnectionFailure {
        stage: SmtpStage::Greeting,
        code,
        enhanced_code: None,
        text: "too many connections from you".to_owned(),
        permanent: false,
        retry_without_tls: false,
    };
    assert_eq!((of_failure(&failure(Some(421))), of_failure(&failure(None))), (fast, ThrottleSignal::Unreachable));
}

fn any_signal() -> impl Strategy<Value = ThrottleSignal> {
    prop_oneof![
        4 => Just(ThrottleSignal::Accepted),
        1 => Just(ThrottleSignal::Responded),
        2 => any::<bool>().prop_map(|too_fast| ThrottleSignal::PushedBack { too_fast }),
        1 => Just(ThrottleSignal::Unreachable),
    ]
}

proptest! {
    #[test]
    fn window_stays_within_limits_and_recovers(
        connections_max in 1..40_u32,
        per_minute_max in proptest::option::of(1..1_000_u32),
        attempts in proptest::collection::vec((any_signal(), 0..5_000_i64, 0..3_000_i64), 0..200),
    ) {
        let mut pace = ThrottleState::new(DestinationLimits { connections_max, per_minute_max, ..LIMITS });
        let mut now = 0;
        for (signal, gap, took) in attempts {
            now += gap;
            pace.begin(at(now));
            pace.record(signal, at(now), at(now + took));
            prop_assert!((1..=connections_max).contains(&pace.window()));
            prop_assert!(pace.available(0, at(now)) <= pace.window());
            let rest = pace.paused_until(at(now + took)).map_or(0, |until| until.since_ms(at(now + took)));
            prop_assert!(rest <= PAUSE_MS_MAX);
        }
        // After the longest pause it is tried again, and it reaches its full window in the end.
        now += PAUSE_MS_MAX + 3_001;
        for _ in 0..3_000 {
            now = pace.next_at(at(now)).map_or(now, |next| next.since_ms(at(0))) + 1;
            prop_assert!(pace.available(0, at(now)) >= 1);
            pace.begin(at(now));
            pace.record(ThrottleSignal::Accepted, at(now), at(now));
        }
        prop_assert_eq!(pace.window(), connections_max);
    }
}
