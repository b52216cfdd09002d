//! The pace as tables, and what holds whatever a destination says.

use posthouse_mail::smtp::client::{ConnectionFailure, DeliveryResult, Stage};
use proptest::prelude::*;

use super::*;
use crate::delivery::Report;

const LIMITS: Limits = Limits { connections_max: 10, messages_per_connection_max: 100, per_minute_max: None };
const PUSHED: News = News::PushedBack { too_fast: false };

fn at(ms: i64) -> Time {
    Time::from_millis(1_800_000_000_000 + ms)
}

/// Attempts one after the other, 20 ms each, `gap` apart; the pace after them and the time of its last news.
fn after(pace: &mut Pace, from: i64, gap: i64, news: &[News]) -> i64 {
    let mut now = from;
    for one in news {
        pace.begin(at(now));
        pace.heard(*one, at(now), at(now + 20));
        now += gap;
    }
    now
}

#[test]
fn it_begins_with_little_and_grows_to_its_bound() {
    let mut pace = Pace::new(LIMITS);
    let mut seen = vec![pace.window()];
    for n in 0..10 {
        after(&mut pace, n * 100, 0, &[News::Took]);
        seen.push(pace.window());
    }
    assert_eq!(seen, [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10]);
    assert_eq!((pace.room(7, at(2_000)), pace.room(12, at(2_000))), (3, 0));
    assert_eq!(pace.standing(at(2_000)), Standing::Open);
}

#[test]
fn a_push_back_halves_once_for_all_that_were_under_way() {
    let mut pace = Pace::new(LIMITS);
    after(&mut pace, 0, 100, &[News::Took; 10]);
    for began in [5_000, 5_001, 5_002] {
        pace.heard(PUSHED, at(began), at(5_100));
    }
    assert_eq!(pace.window(), 5, "one round, one cut");
    assert_eq!(pace.standing(at(5_100)), Standing::Narrowed);
    pace.heard(PUSHED, at(5_101), at(5_200));
    assert_eq!(pace.window(), 2);
    after(&mut pace, 6_000, 10, &[News::Took; 2]);
    assert_eq!(pace.window(), 3, "it grows back slowly: a window's worth of messages for each connection");
    after(&mut pace, 7_000, 10, &[News::Took; 60]);
    assert_eq!((pace.window(), pace.standing(at(9_000))), (10, Standing::Open));
}

#[test]
fn who_pushes_back_again_and_again_is_left_alone_longer_and_longer() {
    let mut pace = Pace::new(LIMITS);
    let mut now = 0;
    let mut rests = Vec::new();
    for _ in 0..14 {
        now = pace.rests_until(at(now)).map_or(now, |until| until.since_ms(at(0)));
        pace.heard(News::Unreachable, at(now), at(now + 20));
        now += 21;
        rests.push(pace.rests_until(at(now)).map_or(0, |until| until.since_ms(at(now)) / 100));
    }
    assert_eq!(rests, [0, 0, 0, 9, 19, 39, 79, 159, 319, 639, 1279, 2559, 2999, 2999]);
    assert_eq!((pace.room(0, at(now)), pace.standing(at(now))), (0, Standing::Resting));
    let later = pace.rests_until(at(now)).unwrap();
    assert_eq!(pace.room(0, later), 1, "then one may look again");
    pace.heard(News::Took, later, later.plus_ms(20));
    assert_eq!((pace.strikes, pace.rests_until(later)), (0, None));
}

#[test]
fn refusals_of_one_mail_are_no_push_back() {
    let mut pace = Pace::new(LIMITS);
    after(&mut pace, 0, 100, &[News::Answered; 20]);
    assert_eq!((pace.window(), pace.standing(at(3_000))), (CONNECTIONS_AT_FIRST, Standing::Open));
    after(&mut pace, 4_000, 100, &[PUSHED, PUSHED, PUSHED, News::Answered, PUSHED]);
    assert_eq!(pace.rests_until(at(5_000)), None, "an answer in between: it is not down");
}

#[test]
fn a_destination_that_takes_long_is_slow_until_it_is_quick_again() {
    let mut pace = Pace::new(LIMITS);
    assert!(!pace.is_known() && !pace.is_slow());
    pace.heard(News::Took, at(0), at(2_000));
    assert!(pace.is_known() && pace.is_slow());
    for n in 1..=8 {
        pace.heard(News::Took, at(n * 3_000), at(n * 3_000 + 50));
    }
    assert!(!pace.is_slow());
    pace.heard(News::Unreachable, at(60_000), at(60_001));
    assert!(pace.is_slow(), "who takes nothing may hang the next time");
}

#[test]
fn too_fast_bounds_the_messages_in_a_minute_until_it_goes_well() {
    let mut pace = Pace::new(LIMITS);
    let now = after(&mut pace, 0, 250, &[News::Took; 240]);
    pace.heard(News::PushedBack { too_fast: true }, at(now), at(now + 20));
    let now = now + 20;
    assert_eq!((pace.room(0, at(now)), pace.standing(at(now))), (1, Standing::Narrowed));
    pace.begin(at(now));
    assert_eq!(pace.room(0, at(now)), 0);
    let next = pace.next_at(at(now)).unwrap().since_ms(at(now));
    assert!((400..=700).contains(&next), "about half of four a second: {next}");
    let mut now = now;
    let mut sent = 0;
    while pace.rate.is_cut() {
        now = pace.next_at(at(now)).map_or(now + 20, |next| next.since_ms(at(0)));
        after(&mut pace, now, 0, &[News::Took]);
        sent += 1;
        assert!(sent < 10_000, "a learnt bound is forgotten some time");
    }
    assert_eq!(pace.next_at(at(now)), None);
}

#[test]
fn a_given_rate_is_never_exceeded() {
    let mut pace = Pace::new(Limits { per_minute_max: Some(120), ..LIMITS });
    let mut sent = 0;
    for now in 0..120_000 {
        if pace.room(0, at(now)) > 0 {
            pace.begin(at(now));
            pace.heard(News::Took, at(now), at(now));
            sent += 1;
        }
    }
    assert!((240..=252).contains(&sent), "two minutes and the first burst: {sent}");
}

#[test]
fn providers_are_known_by_their_exchangers() {
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
fn the_table_of_providers_is_sound() {
    let mut names: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name).collect();
    let mut suffixes: Vec<&str> = PROVIDERS.iter().flat_map(|provider| provider.suffixes).copied().collect();
    assert!(names.len() >= 10);
    for provider in PROVIDERS {
        let Limits { connections_max, messages_per_connection_max, per_minute_max } = provider.limits;
        assert!((1..=50).contains(&connections_max) && (1..=200).contains(&messages_per_connection_max));
        assert!(per_minute_max.is_none_or(|most| most >= 60), "{}", provider.name);
        assert!(provider.suffixes.iter().all(|suffix| suffix.starts_with('.') && *suffix == suffix.to_lowercase()));
    }
    for list in [&mut names, &mut suffixes] {
        let count = list.len();
        list.sort_unstable();
        list.dedup();
        assert_eq!(list.len(), count, "no line twice");
    }
}

fn reply(code: u16, enhanced: &str, text: &str, stage: Stage) -> Report {
    let result = match code {
        200..300 => DeliveryResult::Delivered,
        500.. => DeliveryResult::Permanent,
        _ => DeliveryResult::Temporary,
    };
    let enhanced_code = Some(enhanced.to_owned()).filter(|code| !code.is_empty());
    Report { smtp_code: Some(code), enhanced_code, stage, ..Report::local(result, "", text) }
}

#[test]
fn what_replies_say_of_the_pace() {
    let fast = News::PushedBack { too_fast: true };
    let table = [
        (reply(250, "2.0.0", "ok", Stage::EndOfData), News::Took),
        (reply(550, "5.1.1", "no such user", Stage::RcptTo), News::Answered),
        (reply(450, "4.2.0", "greylisted", Stage::RcptTo), News::Answered),
        (reply(452, "4.2.2", "mailbox full", Stage::RcptTo), News::Answered),
        (reply(450, "4.1.1", "unknown for now", Stage::RcptTo), News::Answered),
        (reply(421, "4.3.2", "closing", Stage::MailFrom), PUSHED),
        (reply(451, "4.3.0", "error", Stage::RcptTo), PUSHED),
        (reply(450, "", "later", Stage::Data), PUSHED),
        (reply(421, "4.7.28", "Gmail has detected an unusual rate of mail", Stage::EndOfData), fast),
        (reply(421, "4.7.0", "Too many connections", Stage::MailFrom), fast),
        (reply(451, "4.7.500", "Server busy. Please try again later", Stage::MailFrom), PUSHED),
        (Report { smtp_code: None, stage: Stage::Data, ..reply(400, "", "lost", Stage::Data) }, News::Unreachable),
        (Report::local(DeliveryResult::Temporary, "4.4.3", "no DNS"), News::Answered),
    ];
    for (report, expected) in &table {
        assert_eq!(of_reports(std::slice::from_ref(report)), *expected, "{report:?}");
    }
    let both = [table[5].0.clone(), table[0].0.clone()];
    assert_eq!(of_reports(&both), News::Took, "who takes one message is not down");
    let failure = |code| ConnectionFailure {
        stage: Stage::Greeting,
        code,
        enhanced_code: None,
        text: "too many connections from you".to_owned(),
        permanent: false,
        retry_without_tls: false,
    };
    assert_eq!((of_failure(&failure(Some(421))), of_failure(&failure(None))), (fast, News::Unreachable));
}

fn any_news() -> impl Strategy<Value = News> {
    prop_oneof![
        4 => Just(News::Took),
        1 => Just(News::Answered),
        2 => any::<bool>().prop_map(|too_fast| News::PushedBack { too_fast }),
        1 => Just(News::Unreachable),
    ]
}

proptest! {
    #[test]
    fn it_stays_within_its_bounds_and_recovers(
        connections_max in 1..40_u32,
        per_minute_max in proptest::option::of(1..1_000_u32),
        story in proptest::collection::vec((any_news(), 0..5_000_i64, 0..3_000_i64), 0..200),
    ) {
        let mut pace = Pace::new(Limits { connections_max, per_minute_max, ..LIMITS });
        let mut now = 0;
        for (news, gap, took) in story {
            now += gap;
            pace.begin(at(now));
            pace.heard(news, at(now), at(now + took));
            prop_assert!((1..=connections_max).contains(&pace.window()));
            prop_assert!(pace.room(0, at(now)) <= pace.window());
            let rest = pace.rests_until(at(now + took)).map_or(0, |until| until.since_ms(at(now + took)));
            prop_assert!(rest <= REST_MS_MAX);
        }
        // Whatever was: it is tried again within the longest rest, and goes at full width in the end.
        now += REST_MS_MAX + 3_001;
        for _ in 0..3_000 {
            now = pace.next_at(at(now)).map_or(now, |next| next.since_ms(at(0))) + 1;
            prop_assert!(pace.room(0, at(now)) >= 1);
            pace.begin(at(now));
            pace.heard(News::Took, at(now), at(now));
        }
        prop_assert_eq!(pace.window(), connections_max);
    }
}
