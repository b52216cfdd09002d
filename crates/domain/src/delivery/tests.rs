//! Tables of routes, results and times.

use std::net::IpAddr;

use super::*;
use crate::message::Channel;

fn at(ms: i64) -> Time {
    Time::from_millis(ms)
}

/// The end of mail at its third of three attempts.
fn end(ms: i64) -> RetryDeadline {
    RetryDeadline { at: at(ms), attempts: 3, latest: at(2 * ms) }
}

fn entry() -> RecipientDelivery {
    RecipientDelivery {
        position: 0,
        envelope: None,
        address: "a@b.example".into(),
        channel: Channel::Email,
        status: DeliveryStatus::Queued,
        smtp_code: None,
        enhanced_code: None,
        remote: None,
        detail: None,
        class: None,
        tls: None,
        origin: None,
        attempts: 2,
        updated_at: at(0),
    }
}

fn tls() -> TlsParameters {
    TlsParameters { version: "TLSv1.3".into(), cipher: "TLS_AES_256_GCM_SHA384".into(), verified: true }
}

#[test]
fn tls_parameters_of_the_last_attempt_are_stored() {
    let report = report(DeliveryResult::Temporary, 451, None, "later");
    let moment = AttemptContext { now: at(5), end: end(9), mode: OutboundMode::Direct };
    let (after, _) = settle(&entry(), &report, &moment);
    assert_eq!(after.tls, Some(tls()));
    let (again, _) = settle(&after, &AttemptReport { tls: None, ..report }, &moment);
    assert_eq!(again.tls, None, "the entry describes the last attempt");
    for verified in [true, false] {
        let tls = TlsParameters { verified, ..tls() };
        assert_eq!(TlsParameters::parse(&tls.text()), Some(tls));
    }
    assert_eq!(TlsParameters::parse("TLSv1.3"), None);
}

fn report(result: DeliveryResult, code: u16, enhanced: Option<&str>, text: &str) -> AttemptReport {
    AttemptReport {
        result,
        smtp_code: Some(code),
        enhanced_code: enhanced.map(str::to_owned),
        text: text.to_owned(),
        stage: SmtpStage::RcptTo,
        remote: Some("mx.b.example [192.0.2.1]".into()),
        tls: Some(tls()),
        is_ours: false,
    }
}

#[test]
fn a_250_reply_means_delivered_only_in_direct_mode() {
    let ok = report(DeliveryResult::Delivered, 250, Some("2.0.0"), "ok");
    for (mode, status) in [
        (OutboundMode::Direct, DeliveryStatus::Delivered),
        (OutboundMode::Relay, DeliveryStatus::Sent),
        (OutboundMode::Capture, DeliveryStatus::Sent),
    ] {
        let (after, outcome) = settle(&entry(), &ok, &AttemptContext { now: at(5), end: end(1), mode });
        assert_eq!(
            (after.status, after.attempts, after.smtp_code, outcome),
            (status, 3, Some(250), AttemptOutcome::Done)
        );
        assert_eq!(after.updated_at, at(5));
    }
}

#[test]
fn temporary_failures_are_retried_until_the_mail_expires() {
    let later = report(DeliveryResult::Temporary, 451, Some("4.7.1"), "greylisted");
    let moment = |now| AttemptContext { now: at(now), end: end(100), mode: OutboundMode::Direct };
    let (after, outcome) = settle(&entry(), &later, &moment(99));
    assert_eq!((after.status, outcome), (DeliveryStatus::Queued, AttemptOutcome::Retry));
    assert_eq!(after.detail.as_deref(), Some("greylisted"));
    let (after, outcome) = settle(&entry(), &later, &moment(100));
    assert_eq!(outcome, AttemptOutcome::Bounced { kind: BounceKind::Soft, suppress: false });
    assert_eq!((after.status, after.enhanced_code.as_deref()), (DeliveryStatus::Bounced, Some("5.4.7")));
    assert_eq!(after.detail.as_deref(), Some("expired: not delivered after 3 attempts; last error: greylisted"));
}

#[test]
fn mail_that_expires_for_a_local_cause_fails_without_a_bounce() {
    let moment = |now| AttemptContext { now: at(now), end: end(100), mode: OutboundMode::Direct };
    let ours = AttemptReport::local_failure("4.4.3", "no nameserver answers");
    assert_eq!(settle(&entry(), &ours, &moment(99)).1, AttemptOutcome::Retry);
    let first = RecipientDelivery { attempts: 0, ..entry() };
    for (before, now, expected) in [
        (entry(), 100, "not sent: given up after 3 attempts; last error: no nameserver answers"),
        (first, 200, "not sent: given up after 1 attempt; last error: no nameserver answers"),
    ] {
        let (after, outcome) = settle(&before, &ours, &moment(now));
        assert_eq!(
            (after.status, after.class, outcome),
            (DeliveryStatus::Failed, Some(BounceClass::System), AttemptOutcome::Failed)
        );
        assert_eq!((after.enhanced_code.as_deref(), after.detail.as_deref()), (Some("4.4.3"), Some(expected)));
    }
}

fn suppressed(report: &AttemptReport) -> bool {
    let moment = AttemptContext { now: at(1), end: end(100), mode: OutboundMode::Direct };
    matches!(settle(&entry(), report, &moment).1, AttemptOutcome::Bounced { suppress: true, .. })
}

#[test]
fn entry_has_the_class_of_the_failure_and_bounces_are_hard_or_soft() {
    let moment = |now| AttemptContext { now: at(now), end: end(100), mode: OutboundMode::Direct };
    let later = report(DeliveryResult::Temporary, 450, Some("4.2.0"), "greylisted");
    assert_eq!(settle(&entry(), &later, &moment(1)).0.class, Some(BounceClass::Greylisted));
    assert_eq!(settle(&entry(), &later, &moment(100)).0.class, Some(BounceClass::Expired));
    let before = RecipientDelivery { class: Some(BounceClass::Greylisted), ..entry() };
    let ok = report(DeliveryResult::Delivered, 250, Some("2.0.0"), "ok");
    assert_eq!(settle(&before, &ok, &moment(1)).0.class, None);
    for (enhanced, text, class, kind) in [
        ("5.1.1", "no such user", BounceClass::UnknownUser, BounceKind::Hard),
        ("5.2.2", "mailbox full", BounceClass::MailboxFull, BounceKind::Soft),
        ("5.7.1", "blocked using zen.spamhaus.org", BounceClass::Reputation, BounceKind::Hard),
    ] {
        let refused = report(DeliveryResult::Permanent, 550, Some(enhanced), text);
        let (after, outcome) = settle(&entry(), &refused, &moment(1));
        assert_eq!(
            (after.class, outcome),
            (Some(class), AttemptOutcome::Bounced { kind, suppress: class.is_dead_address() })
        );
    }
}

#[test]
fn only_dead_addresses_are_suppressed() {
    let table = [
        (550, Some("5.1.1"), "user unknown", true),
        (550, Some("5.1.10"), "null mx", true),
        (550, Some("5.2.1"), "mailbox disabled", true),
        (550, None, "No such user here", true),
        (553, None, "mailbox name not known", true),
        (550, None, "Blocked: see our policy", false),
        (554, None, "no", false),
        (550, Some("5.7.1"), "user unknown, or so we say", false),
        (552, Some("5.2.2"), "mailbox full", false),
        (552, Some("5.3.4"), "too big", false),
        (550, Some("5.7.26"), "unauthenticated", false),
    ];
    for (code, enhanced, text, expected) in table {
        let report = report(DeliveryResult::Permanent, code, enhanced, text);
        assert_eq!(suppressed(&report), expected, "{code} {enhanced:?} {text}");
    }
    let mut at_data = report(DeliveryResult::Permanent, 550, None, "No such user");
    at_data.stage = SmtpStage::EndOfData;
    assert!(!suppressed(&at_data), "a rejection of the content doesn't concern the address");
    assert!(!suppressed(&report(DeliveryResult::Temporary, 450, Some("5.1.1"), "odd")));
}

#[test]
fn relay_login_errors_are_recognized() {
    let outcome = |stage, code, text: &str| RecipientOutcome {
        address: "a@b.example".parse().expect("an address"),
        result: DeliveryResult::Permanent,
        smtp_code: Some(code),
        enhanced_code: None,
        text: text.into(),
        stage,
        try_next_host: false,
    };
    assert!(is_relay_misconfigured(&outcome(SmtpStage::MailFrom, 530, "Authentication required")));
    assert!(is_relay_misconfigured(&outcome(SmtpStage::RcptTo, 554, "Relay access denied")));
    assert!(!is_relay_misconfigured(&outcome(SmtpStage::RcptTo, 550, "User unknown")));
    assert!(!is_relay_misconfigured(&outcome(SmtpStage::EndOfData, 554, "relay thinks it is spam")));
}

#[test]
fn host_of_a_broken_connection_is_returned() {
    let entry = |attempts, smtp_code, remote: Option<&str>| RecipientDelivery {
        attempts,
        smtp_code,
        remote: remote.map(str::to_owned),
        ..entry()
    };
    assert_eq!(aborted_at_host(&entry(1, None, Some("mx.b.example [192.0.2.1]"))), Some("mx.b.example"));
    assert_eq!(aborted_at_host(&entry(1, Some(451), Some("mx.b.example [192.0.2.1]"))), None);
    assert_eq!(aborted_at_host(&entry(0, None, None)), None);
}

#[test]
fn schedule_ends_with_an_attempt_at_expiry() {
    let schedule = [10, 20, 70];
    let end = RetryDeadline::of(&schedule, at(100), 5);
    assert_eq!(end, RetryDeadline { at: at(100), attempts: 4, latest: at(220) });
    let table = [
        (1, 0, Some(10)),
        (2, 10, Some(30)),
        (3, 30, Some(100)),
        (3, 31, Some(100)),
        (9, 50, Some(100)),
        (4, 100, None),
        (4, 101, None),
        (3, 100, Some(170)),
        (1, 100, Some(110)),
        (3, 219, Some(220)),
        (3, 220, None),
        (1, 1_000, None),
    ];
    for (attempts, now, expected) in table {
        let gap = gap_after(&schedule, attempts).unwrap();
        let next = (!end.is_exhausted(attempts, at(now))).then(|| next_attempt(gap, at(now), &end));
        assert_eq!(next, expected.map(at), "{attempts} at {now}");
    }
    assert!(end.by_time_alone().is_exhausted(1, at(100)) && !end.by_time_alone().is_exhausted(9, at(99)));
    assert_eq!(gap_after(&[], 1), None);
    assert!(RetryDeadline::of(&[], at(7), 5).is_exhausted(1, at(7)), "an empty schedule means one attempt");
}

#[test]
fn slow_attempts_do_not_reduce_the_number_of_attempts() {
    let schedule = [1_000, 1_000];
    let end = RetryDeadline::of(&schedule, at(2_000), 720_000);
    let moment = |now| AttemptContext { now: at(now), end, mode: OutboundMode::Direct };
    let later = report(DeliveryResult::Temporary, 451, None, "later");
    let (mut entry, mut now, mut outcomes) = (RecipientDelivery { attempts: 0, ..entry() }, 0, Vec::new());
    for _ in 0..3 {
        now += 4_500;
        let (after, outcome) = settle(&entry, &later, &moment(now));
        outcomes.push(outcome);
        now = next_attempt(gap_after(&schedule, after.attempts).unwrap(), at(now), &end).millis();
        entry = after;
    }
    assert_eq!(
        outcomes,
        [
            AttemptOutcome::Retry,
            AttemptOutcome::Retry,
            AttemptOutcome::Bounced { kind: BounceKind::Soft, suppress: false }
        ]
    );
    assert_eq!(entry.detail.as_deref(), Some("expired: not delivered after 3 attempts; last error: later"));
}

#[test]
fn exchangers_are_sorted_by_preference_and_rotated() {
    let records = |list: &[(u16, &str)]| list.iter().map(|(p, h)| (*p, (*h).to_owned())).collect::<Vec<_>>();
    let three = records(&[(20, "c.example"), (10, "b.example."), (10, "A.example")]);
    assert_eq!(
        exchangers(&three, "own.example", 0),
        Ok(vec!["a.example".into(), "b.example".into(), "c.example".into()])
    );
    assert_eq!(
        exchangers(&three, "own.example", 1),
        Ok(vec!["b.example".into(), "a.example".into(), "c.example".into()])
    );
    assert_eq!(exchangers(&three, "C.example", 0), Ok(vec!["a.example".into(), "b.example".into()]));
    assert_eq!(exchangers(&three, "a.example", 0), Err(MxRouteError::Loop));
    assert_eq!(exchangers(&records(&[(0, ".")]), "own.example", 0), Err(MxRouteError::NullMx));
    assert_eq!(exchangers(&records(&[(0, "")]), "own.example", 0), Err(MxRouteError::NullMx));
    let many: Vec<(u16, String)> = (0..40).map(|n| (n, format!("h{n}.example"))).collect();
    assert_eq!(exchangers(&many, "own.example", 7).map(|hosts| hosts.len()), Ok(HOSTS_MAX));
}

#[test]
fn special_purpose_addresses_are_recognized() {
    let special = [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "168.63.129.16",
        "100.64.0.1",
        "100.100.100.200",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fd12::1",
        "ff02::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "64:ff9b:1::1",
        "100::1",
        "::127.0.0.1",
        "fd00:ec2::254",
    ];
    let public = [
        "8.8.8.8",
        "168.63.129.17",
        "172.32.0.1",
        "100.128.0.1",
        "2a00:1450:4001::1a",
        "64:ff9b::808:808",
        "2002:808:808::",
        "198.20.0.1",
    ];
    for (list, expected) in [(&special[..], true), (&public[..], false)] {
        for text in list {
            let address: IpAddr = text.parse().expect("an address");
            assert_eq!(is_special_purpose(address), expected, "{text}");
        }
    }
}

#[test]
fn both_address_families_are_tried() {
    let v4: Vec<std::net::Ipv4Addr> = (1..=5).map(|n| [192, 0, 2, n].into()).collect();
    let v6: Vec<std::net::Ipv6Addr> = (1..=5).map(|n| [0x2001, 0xdb8, 0, 0, 0, 0, 0, n].into()).collect();
    let order = |v4: &[_], v6: &[_], choice| {
        let found = addresses_in_order(v4, v6, choice, 4);
        found.iter().map(|ip| if ip.is_ipv4() { '4' } else { '6' }).collect::<String>()
    };
    let table = [
        (5, 5, IpPreference::PreferV4, "4466"),
        (5, 5, IpPreference::PreferV6, "6644"),
        (5, 1, IpPreference::PreferV4, "4446"),
        (1, 5, IpPreference::PreferV4, "4666"),
        (5, 0, IpPreference::PreferV6, "4444"),
        (0, 5, IpPreference::PreferV4, "6666"),
        (5, 5, IpPreference::OnlyV4, "4444"),
        (5, 5, IpPreference::OnlyV6, "6666"),
        (2, 0, IpPreference::OnlyV6, ""),
        (0, 0, IpPreference::PreferV4, ""),
    ];
    for (of_v4, of_v6, choice, expected) in table {
        assert_eq!(order(&v4[..of_v4], &v6[..of_v6], choice), expected, "{of_v4} {of_v6} {choice:?}");
    }
    assert_eq!(IpPreference::PreferV6.of_ours(true, false), IpPreference::OnlyV4);
    assert_eq!(IpPreference::PreferV6.of_ours(false, false), IpPreference::PreferV6);
}
