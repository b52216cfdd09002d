//! Checks of each record against DNS, and the resulting changes of the domain.

mod mistakes;

use std::net::{Ipv4Addr, Ipv6Addr};

use posthouse_mail::auth::{DnsAnswer, DnsFacts, DnsQuestion, DnsRecordType, DnsRecords};
use uuid::Uuid;

use super::*;

const HOST: &str = "mx.post.example";

/// This server, signing with RSA only.
fn server() -> ServerDnsSettings {
    ServerDnsSettings { host: HOST.to_owned(), ed25519: false }
}

const NAME: &str = "mail.acme.example";
const KEY: &str = "v=DKIM1; k=rsa; p=QUJD";
const NEXT: &str = "v=DKIM1; k=rsa; p=TkVYVA==";

fn domain() -> MailDomain {
    let key = |selector, record: &str| DkimKeyRecord {
        selector,
        record: record.to_owned(),
        ed25519: None,
        since: Time::from_millis(0),
    };
    let (workspace, id) = (WorkspaceId(Uuid::nil()), DomainId(Uuid::nil()));
    MailDomain {
        active: key(DkimSelector::One, KEY),
        next: Some(key(DkimSelector::Two, NEXT)),
        ..MailDomain::new(workspace, id, NAME.to_owned(), "tok".to_owned(), Time::from_millis(0))
    }
}

/// Parses lines of the form `name TYPE value`; `name TYPE !` means that the nameserver fails.
fn answers(lines: &[&str]) -> DnsFacts {
    let mut facts = DnsFacts::new();
    for line in lines {
        let mut parts = line.splitn(3, ' ');
        let (name, kind, value) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let question = |kind| DnsQuestion::new(name, kind);
        let (question, more) = match kind {
            "TXT" => (question(DnsRecordType::Txt), DnsRecords::Txt(vec![value.as_bytes().to_vec()])),
            "NS" => (question(DnsRecordType::Ns), DnsRecords::Ns(vec![value.to_owned()])),
            "A" => (question(DnsRecordType::A), DnsRecords::A(vec![value.parse().unwrap_or(Ipv4Addr::UNSPECIFIED)])),
            "AAAA" => {
                (question(DnsRecordType::Aaaa), DnsRecords::Aaaa(vec![value.parse().unwrap_or(Ipv6Addr::UNSPECIFIED)]))
            }
            _ => {
                let (preference, host) = value.split_once(' ').unwrap_or(("0", "."));
                let preference = preference.parse().unwrap_or(0);
                (question(DnsRecordType::Mx), DnsRecords::Mx(vec![(preference, host.to_owned())]))
            }
        };
        let answer = match (facts.get(&question), more) {
            _ if value == "!" => DnsAnswer::Failed,
            (Some(DnsAnswer::Records(DnsRecords::Txt(a))), DnsRecords::Txt(b)) => {
                DnsAnswer::Records(DnsRecords::Txt([a.clone(), b].concat()))
            }
            (Some(DnsAnswer::Records(DnsRecords::Mx(a))), DnsRecords::Mx(b)) => {
                DnsAnswer::Records(DnsRecords::Mx([a.clone(), b].concat()))
            }
            (Some(DnsAnswer::Records(DnsRecords::A(a))), DnsRecords::A(b)) => {
                DnsAnswer::Records(DnsRecords::A([a.clone(), b].concat()))
            }
            (Some(DnsAnswer::Records(DnsRecords::Ns(a))), DnsRecords::Ns(b)) => {
                DnsAnswer::Records(DnsRecords::Ns([a.clone(), b].concat()))
            }
            (_, more) => DnsAnswer::Records(more),
        };
        facts.insert(question, answer);
    }
    facts
}

/// Runs a check to completion. Names missing from `lines` don't exist.
fn run(domain: &MailDomain, lines: &[&str]) -> DomainCheck {
    let mut facts = answers(lines);
    let expected = domain.expected(&server());
    for _ in 0..CHECK_ROUNDS_MAX {
        match check(&domain.name, &expected, HOST, &facts) {
            DomainCheckStep::Done(done) => return done,
            DomainCheckStep::NeedsAnswers(questions) => {
                questions.into_iter().for_each(|q| facts.insert(q, DnsAnswer::NoSuchName))
            }
        }
    }
    panic!("the check doesn't finish");
}

const COMPLETE: [&str; 6] = [
    "acme.example NS ada.ns.cloudflare.com",
    "_service-verify.mail.acme.example TXT service-verify=tok",
    "mail.acme.example MX 10 mx.post.example",
    "mail.acme.example TXT v=spf1 a:mx.post.example ~all",
    "s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJD",
    "_dmarc.mail.acme.example TXT v=DMARC1; p=none",
];

use DnsRecordKey::{Dkim, DkimNext, Dmarc, Mx, Spf, Verification};
use RecordStatus::{Mismatch, Missing, Ok as Present};

/// A record key, the records in DNS, and the expected result: `None` if DNS doesn't answer.
const TABLE: &[(DnsRecordKey, &[&str], Option<RecordStatus>)] = &[
    // Ownership.
    (Verification, &["_service-verify.mail.acme.example TXT service-verify=tok"], Some(Present)),
    (Verification, &["_service-verify.mail.acme.example TXT \"service-verify=tok\""], Some(Present)),
    (
        Verification,
        &["_service-verify.mail.acme.example TXT other=1", "_service-verify.mail.acme.example TXT service-verify=tok"],
        Some(Present),
    ),
    (Verification, &["_service-verify.mail.acme.example TXT service-verify=other"], Some(Mismatch)),
    (Verification, &["_service-verify.mail.acme.example TXT service-verify=TOK"], Some(Mismatch)),
    (Verification, &["_service-verify.mail.acme.example TXT tok"], Some(Mismatch)),
    (Verification, &["mail.acme.example TXT service-verify=tok"], Some(Missing)),
    (Verification, &["_service-verify.mail.acme.example TXT !"], None),
    (Verification, &[], Some(Missing)),
    // Mail exchangers.
    (Mx, &["mail.acme.example MX 10 mx.post.example"], Some(Present)),
    (Mx, &["mail.acme.example MX 1 MX.Post.Example."], Some(Present)),
    (Mx, &["mail.acme.example MX 10 mx.post.example", "mail.acme.example MX 20 backup.example"], Some(Present)),
    (Mx, &["mail.acme.example MX 10 mx.post.example", "mail.acme.example MX 10 other.example"], Some(Mismatch)),
    (Mx, &["mail.acme.example MX 5 aspmx.l.google.com", "mail.acme.example MX 10 mx.post.example"], Some(Mismatch)),
    (Mx, &["mail.acme.example MX 10 mx.other.example"], Some(Mismatch)),
    (Mx, &["mail.acme.example MX 0 ."], Some(Mismatch)),
    (Mx, &["mail.acme.example MX !"], None),
    (Mx, &["acme.example MX 10 mx.post.example"], Some(Missing)),
    // SPF.
    (Spf, &["mail.acme.example TXT v=spf1 a:mx.post.example ~all"], Some(Present)),
    (Spf, &["mail.acme.example TXT V=SPF1 A:MX.POST.EXAMPLE -ALL"], Some(Present)),
    (Spf, &["mail.acme.example TXT v=spf1 +a:mx.post.example/28 -all"], Some(Present)),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 include:spf.other.example a:mx.post.example -all",
            "spf.other.example TXT v=spf1 -all",
        ],
        Some(Present),
    ),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 include:one.example -all",
            "one.example TXT v=spf1 include:two.example ?all",
            "two.example TXT v=spf1 a:mx.post.example -all",
        ],
        Some(Present),
    ),
    (
        Spf,
        &["mail.acme.example TXT v=spf1 redirect=one.example", "one.example TXT v=spf1 a:mx.post.example -all"],
        Some(Present),
    ),
    (Spf, &["mail.acme.example TXT v=spf1 mx -all", "mail.acme.example MX 10 mx.post.example"], Some(Present)),
    (Spf, &["mail.acme.example TXT v=spf1 mx:acme.example -all", "acme.example MX 10 mx.post.example"], Some(Present)),
    (Spf, &["mail.acme.example TXT v=spf1 ip4:198.51.100.0/24 -all", "mx.post.example A 198.51.100.7"], Some(Present)),
    (Spf, &["mail.acme.example TXT v=spf1 ip4:198.51.100.7 -all", "mx.post.example A 198.51.100.7"], Some(Present)),
    (Spf, &["mail.acme.example TXT v=spf1 ip6:2001:db8::/32 -all", "mx.post.example AAAA 2001:db8::7"], Some(Present)),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 ip4:198.51.100.7 -all",
            "mx.post.example A 198.51.100.7",
            "mx.post.example A 198.51.100.8",
        ],
        Some(Mismatch),
    ),
    (Spf, &["mail.acme.example TXT v=spf1 ip4:203.0.113.0/24 -all", "mx.post.example A 198.51.100.7"], Some(Mismatch)),
    // Another name for this server's addresses.
    (
        Spf,
        &["mail.acme.example TXT v=spf1 a -all", "mail.acme.example A 198.51.100.7", "mx.post.example A 198.51.100.7"],
        Some(Present),
    ),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 a:out.acme.example/24//32 -all",
            "out.acme.example A 198.51.100.99",
            "out.acme.example AAAA 2001:db8::99",
            "mx.post.example A 198.51.100.7",
            "mx.post.example AAAA 2001:db8:7::7",
        ],
        Some(Present),
    ),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 a -all",
            "mail.acme.example A 198.51.100.7",
            "mx.post.example A 198.51.100.7",
            "mx.post.example AAAA 2001:db8::7",
        ],
        Some(Mismatch),
    ),
    (Spf, &["mail.acme.example TXT v=spf1 a -all", "mail.acme.example A !", "mx.post.example A 198.51.100.7"], None),
    (Spf, &["mail.acme.example TXT v=spf1 a:%{d}.example -all", "mx.post.example A 198.51.100.7"], Some(Mismatch)),
    (Spf, &["mail.acme.example TXT v=spf1 +all"], Some(Present)),
    (Spf, &["mail.acme.example TXT v=spf1 -all"], Some(Mismatch)),
    (Spf, &["mail.acme.example TXT v=spf1 -all a:mx.post.example"], Some(Mismatch)),
    (Spf, &["mail.acme.example TXT v=spf1 ~a:mx.post.example -all"], Some(Mismatch)),
    (Spf, &["mail.acme.example TXT v=spf1 a -all"], Some(Mismatch)),
    (Spf, &["mail.acme.example TXT v=spf1 mx -all", "mail.acme.example MX 10 other.example"], Some(Mismatch)),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 a:mx.post.example ~all",
            "mail.acme.example TXT v=spf1 include:_spf.google.com ~all",
        ],
        Some(Mismatch),
    ),
    (Spf, &["mail.acme.example TXT v=spf1 include:gone.example a:mx.post.example -all"], Some(Mismatch)),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 include:two.example -all",
            "two.example TXT v=spf1 -all",
            "two.example TXT v=spf1 a:mx.post.example",
        ],
        Some(Mismatch),
    ),
    (Spf, &["mail.acme.example TXT v=spf1 include:mail.acme.example -all"], Some(Mismatch)),
    (Spf, &["mail.acme.example TXT v=spf1 a:mx.post.example.evil.example -all"], Some(Mismatch)),
    (Spf, &["mail.acme.example TXT v=spf1 nonsense a:mx.post.example -all"], Some(Mismatch)),
    (Spf, &["mail.acme.example TXT v=spf10 a:mx.post.example"], Some(Missing)),
    (Spf, &["mail.acme.example TXT google-site-verification=1"], Some(Missing)),
    (Spf, &["mail.acme.example TXT v=spf1 include:one.example -all", "one.example TXT !"], None),
    (Spf, &["mail.acme.example TXT v=spf1 mx -all", "mail.acme.example MX !"], None),
    (Spf, &["mail.acme.example TXT !"], None),
    // DKIM.
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJD"], Some(Present)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1;k=rsa;p=QU JD"], Some(Present)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT k=rsa; t=s; p=QUJD;"], Some(Present)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT \"v=DKIM1; k=rsa; p=QU\" \"JD\""], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT \"v=DKIM1; k=rsa; p=QUJD\""], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1\\; k=rsa\\; p=QUJD"], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=dkim1; k=rsa; p=QUJD"], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; h=sha1; k=rsa; p=QUJD"], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; h=sha1:sha256; k=rsa; p=QUJD"], Some(Present)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; s=other; k=rsa; p=QUJD"], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; s=email; k=rsa; p=QUJD"], Some(Present)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT s1._domainkey v=DKIM1; k=rsa; p=QUJD"], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT s1._domainkey=v=DKIM1; k=rsa; p=QUJD"], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p="], Some(Mismatch)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=WFla"], Some(Mismatch)),
    (
        Dkim,
        &[
            "s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJD",
            "s1._domainkey.mail.acme.example TXT v=DKIM1; p=WFla",
        ],
        Some(Mismatch),
    ),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJ"], Some(Mismatch)),
    (Dkim, &["s1._domainkey.acme.example TXT v=DKIM1; k=rsa; p=QUJD"], Some(Missing)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT !"], None),
    (DkimNext, &["s2._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=TkVYVA=="], Some(Present)),
    (DkimNext, &["s2._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJD"], Some(Mismatch)),
    (DkimNext, &[], Some(Missing)),
    // DMARC.
    (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1; p=none"], Some(Present)),
    (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1;p = Reject; rua=mailto:a@acme.example"], Some(Present)),
    (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1; pct=50"], Some(Mismatch)),
    (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1\\; p=none\\;"], Some(Present)),
    (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1;; P=reject; x; rua"], Some(Present)),
    (Dmarc, &["_dmarc.mail.acme.example TXT \"v=DMARC1; p=none\""], Some(Mismatch)),
    (Dmarc, &["_dmarc.mail.acme.example TXT v=dmarc1; p=none"], Some(Mismatch)),
    (
        Dmarc,
        &["_dmarc.mail.acme.example TXT v=DMARC1; p=none", "_dmarc.mail.acme.example TXT v=DMARC1; p=reject"],
        Some(Mismatch),
    ),
    (Dmarc, &["_dmarc.mail.acme.example TXT hello"], Some(Missing)),
    (Dmarc, &["_dmarc.mail.acme.example TXT !"], None),
];

#[test]
fn each_record_is_compared_with_dns() {
    assert!(TABLE.len() >= 60);
    let domain = domain();
    for (key, lines, expected) in TABLE {
        let check = run(&domain, lines);
        let found = check.records.iter().find(|checked| checked.key == *key).map(|checked| checked.found);
        assert_eq!(found, *expected, "{key:?} {lines:?}");
    }
}

#[test]
fn record_under_doubled_name_is_reported() {
    let doubled = [
        "acme.example NS ns1.own.example",
        "_service-verify.mail.acme.example.acme.example TXT service-verify=tok",
        "mail.acme.example.acme.example MX 10 mx.post.example",
    ];
    let check = run(&domain(), &doubled);
    let hints: Vec<DnsRecordKey> = check.records.iter().filter(|c| c.problem.is_some()).map(|c| c.key).collect();
    assert_eq!(hints, [DnsRecordKey::Verification, DnsRecordKey::Mx]);
    assert_eq!(check.hosting.map(|hosting| hosting.zone), Some("acme.example".to_owned()));
}

#[test]
fn zone_is_the_closest_name_with_name_servers() {
    let zone = |lines: &[&str]| run(&domain(), lines).hosting.map(|hosting| hosting.zone);
    assert_eq!(zone(&["mail.acme.example NS ns.a.example", "acme.example NS ns.b.example"]).as_deref(), Some(NAME));
    assert_eq!(zone(&["acme.example NS ns.b.example"]).as_deref(), Some("acme.example"));
    assert_eq!(zone(&["example NS ns.registry.example"]), None);
    assert_eq!(zone(&["mail.acme.example NS !", "acme.example NS ns.b.example"]), None);
}

#[test]
fn status_changes_from_pending_to_verified_to_failed_and_back() {
    let (mut domain, now) = (domain(), Time::from_millis(1_000));
    domain.next = None;
    let mut seen = |lines: &[&str], may_verify: bool| {
        let check = run(&domain, lines);
        let changes = domain.apply(&check, &server(), may_verify, now);
        (domain.status, changes.verified, changes.failed)
    };
    assert_eq!(seen(&COMPLETE[..4], true), (DomainStatus::Pending, false, false));
    assert_eq!(seen(&COMPLETE, false), (DomainStatus::Pending, false, false), "another workspace has verified it");
    assert_eq!(seen(&COMPLETE[..5], true), (DomainStatus::Verified, true, false), "DMARC is optional");
    assert_eq!(seen(&COMPLETE, true), (DomainStatus::Verified, false, false));
    let silent = [
        "mail.acme.example TXT !",
        "_service-verify.mail.acme.example TXT !",
        "mail.acme.example MX !",
        "s1._domainkey.mail.acme.example TXT !",
    ];
    assert_eq!(seen(&silent, true), (DomainStatus::Verified, false, false), "failing DNS changes nothing");
    assert_eq!(seen(&COMPLETE[2..], true), (DomainStatus::Failed, false, true));
    assert_eq!(seen(&COMPLETE, true), (DomainStatus::Verified, true, false));
    domain.status = DomainStatus::Disabled;
    let check = run(&domain, &COMPLETE);
    assert_eq!(domain.apply(&check, &server(), true, now), DomainChanges::default());
    assert_eq!(domain.status, DomainStatus::Disabled);
}

#[test]
fn mx_is_not_required_if_receiving_is_off() {
    let mut domain = domain();
    domain.receiving = false;
    let lines: Vec<&str> = COMPLETE.iter().copied().filter(|line| !line.contains(" MX ")).collect();
    let check = run(&domain, &lines);
    assert!(domain.apply(&check, &server(), true, Time::from_millis(1)).verified);
    assert!(!domain.accepts_mail() && domain.may_send());
}

#[test]
fn new_key_signs_once_its_record_is_found_and_previous_key_is_retired_later() {
    let (mut domain, now) = (domain(), Time::from_millis(5_000));
    let check = run(&domain, &COMPLETE);
    assert!(!domain.apply(&check, &server(), true, now).rotated);
    let both: Vec<&str> =
        COMPLETE.iter().copied().chain(["s2._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=TkVYVA=="]).collect();
    let check = run(&domain, &both);
    let changes = domain.apply(&check, &server(), true, now);
    assert!(changes.rotated && !changes.failed);
    assert_eq!((domain.active.selector, domain.active.since), (DkimSelector::Two, now));
    let keys: Vec<DnsRecordKey> = domain.expected(&server()).iter().map(|record| record.key).collect();
    assert_eq!(keys.last(), Some(&DnsRecordKey::DkimPrevious));
    assert_eq!(domain.found(DnsRecordKey::Dkim).map(|c| c.found), Some(RecordStatus::Ok));
    let later = now.plus_ms(KEY_RETIREMENT_MS);
    let check = run(&domain, &both);
    assert_eq!(domain.apply(&check, &server(), true, later), DomainChanges::default());
    assert_eq!(domain.previous, None);
    assert_eq!(domain.status, DomainStatus::Verified);
    let year = now.plus_ms(ROTATION_DUE_AFTER_MS);
    assert!(domain.apply(&check, &server(), true, year).rotation_due);
    assert!(!domain.apply(&check, &server(), true, year).rotation_due, "reported once");
}

#[test]
fn check_interval_grows_from_minutes_to_a_day() {
    let (mut domain, now) = (domain(), Time::from_millis(0));
    domain.next = None;
    let mut gaps = Vec::new();
    for checks in [0, 2, 5, 50] {
        domain.checks = checks;
        gaps.push(domain.next_check_at(now).millis() / 60_000);
    }
    assert_eq!(gaps, [1, 2, 30, 360]);
    domain.status = DomainStatus::Verified;
    assert_eq!(domain.next_check_at(now).millis(), DAY_MS);
}

#[test]
fn check_interval_is_minutes_for_an_hour_after_a_requested_check() {
    let (mut domain, now) = (domain(), Time::from_millis(7 * DAY_MS));
    domain.checks = 50;
    domain.next = None;
    let gap = |domain: &MailDomain| domain.next_check_at(now).since_ms(now);
    domain.asked_at = Some(now.plus_ms(-WATCHED_MS + 1));
    assert_eq!(gap(&domain), WATCHED_GAP_MS);
    domain.checks = 1;
    assert_eq!(gap(&domain), MINUTE_MS, "a shorter interval is kept");
    domain.status = DomainStatus::Verified;
    assert_eq!(gap(&domain), DAY_MS, "a verified domain isn't waiting for records");
    (domain.status, domain.checks) = (DomainStatus::Failed, 50);
    domain.asked_at = Some(now.plus_ms(-WATCHED_MS));
    assert_eq!(gap(&domain), 6 * HOUR_MS);
}

#[test]
fn disabled_domain_gets_its_status_from_the_next_check_after_enabling() {
    let (mut domain, now) = (domain(), Time::from_millis(1_000));
    let check = run(&domain, &COMPLETE);
    assert_eq!(domain.set_enabled(true), DomainChanges::default());
    assert_eq!(domain.status, DomainStatus::Pending, "it wasn't disabled");
    assert!(domain.apply(&check, &server(), true, now).verified);
    assert!(domain.set_enabled(false).failed, "disabling is reported as a failure");
    assert!(!domain.accepts_mail() && !domain.may_send());
    assert_eq!(domain.set_enabled(false), DomainChanges::default());
    assert_eq!(domain.apply(&check, &server(), true, now), DomainChanges::default());
    assert_eq!(domain.status, DomainStatus::Disabled);
    assert_eq!(domain.set_enabled(true), DomainChanges::default());
    assert_eq!(domain.status, DomainStatus::Failed);
    assert!(domain.apply(&check, &server(), true, now).verified);
}

#[test]
fn zone_file_has_full_names_and_splits_long_texts() {
    let mut domain = domain();
    domain.active.record = format!("v=DKIM1; k=rsa; p={}", "A".repeat(400));
    let text = zone_file(&domain.expected(&server()));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[1], "mail.acme.example. 3600 IN MX 10 mx.post.example.");
    assert_eq!(lines[2], "mail.acme.example. 3600 IN TXT \"v=spf1 a:mx.post.example ~all\"");
    let strings: Vec<&str> = lines[3].split('"').skip(1).step_by(2).collect();
    assert_eq!(strings.iter().map(|string| string.len()).collect::<Vec<_>>(), [255, 163]);
    assert_eq!(strings.concat(), domain.active.record);
}

#[test]
fn ed25519_keys_add_optional_records() {
    let (mut domain, both, now) = (domain(), ServerDnsSettings { ed25519: true, ..server() }, Time::from_millis(5_000));
    domain.active.ed25519 = Some("v=DKIM1; k=ed25519; p=RUQ=".to_owned());
    if let Some(next) = &mut domain.next {
        next.ed25519 = Some("v=DKIM1; k=ed25519; p=RUQy".to_owned());
    }
    let listed = |domain: &MailDomain, server: &ServerDnsSettings| {
        let names = domain.expected(server).into_iter().map(|record| (record.key.text(), record.name, record.required));
        names.collect::<Vec<_>>()
    };
    assert_eq!(listed(&domain, &server()).len(), 6, "no Ed25519 records with RSA only");
    let all = listed(&domain, &both);
    assert_eq!(all[..6], listed(&domain, &server()));
    assert_eq!(all[6], ("dkim", "s1e._domainkey.mail.acme.example".to_owned(), false));
    assert_eq!(all[7], ("dkim_next", "s2e._domainkey.mail.acme.example".to_owned(), false));

    let published: Vec<&str> = COMPLETE
        .iter()
        .copied()
        .chain([
            "s2._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=TkVYVA==",
            "s2e._domainkey.mail.acme.example TXT v=DKIM1; k=ed25519; p=RUQy",
        ])
        .collect();
    let mut facts = answers(&published);
    let check = loop {
        match check(&domain.name, &domain.expected(&both), HOST, &facts) {
            DomainCheckStep::Done(done) => break done,
            DomainCheckStep::NeedsAnswers(questions) => {
                questions.into_iter().for_each(|q| facts.insert(q, DnsAnswer::NoSuchName))
            }
        }
    };
    let changes = domain.apply(&check, &both, true, now);
    assert!(changes.verified && changes.rotated, "a missing Ed25519 record blocks nothing");
    let found = |key| domain.found(key).map(|checked| checked.found);
    assert_eq!(found(DnsRecordKey::DkimEd25519), Some(Present), "an Ed25519 record is renamed with its RSA key");
    assert_eq!(found(DnsRecordKey::DkimPreviousEd25519), Some(Missing));
    assert_eq!(domain.active.ed25519.as_deref(), Some("v=DKIM1; k=ed25519; p=RUQy"));
}

#[test]
fn stored_record_names_are_unique() {
    let names: std::collections::BTreeSet<&str> = DnsRecordKey::ALL.iter().map(|key| key.stored()).collect();
    assert_eq!(names.len(), DnsRecordKey::ALL.len());
}
