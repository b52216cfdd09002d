//! What DNS may hold of a domain, row by row, and what follows for the domain.

use std::net::{Ipv4Addr, Ipv6Addr};

use posthouse_mail::auth::{Answer, DnsFacts, Question, QuestionKind, Records};
use uuid::Uuid;

use super::*;

const HOST: &str = "mx.post.example";

/// This server, with RSA alone.
fn here() -> Here {
    Here { host: HOST.to_owned(), ed25519: false }
}

const NAME: &str = "mail.acme.example";
const KEY: &str = "v=DKIM1; k=rsa; p=QUJD";
const NEXT: &str = "v=DKIM1; k=rsa; p=TkVYVA==";

fn domain() -> MailDomain {
    let key = |selector, record: &str| KeyRecord {
        selector,
        record: record.to_owned(),
        ed25519: None,
        since: Time::from_millis(0),
    };
    let (workspace, id) = (WorkspaceId(Uuid::nil()), DomainId(Uuid::nil()));
    MailDomain {
        active: key(Selector::One, KEY),
        next: Some(key(Selector::Two, NEXT)),
        ..MailDomain::new(workspace, id, NAME.to_owned(), "tok".to_owned(), Time::from_millis(0))
    }
}

/// `name TYPE value`, and `name TYPE !` for a server that fails.
fn answers(lines: &[&str]) -> DnsFacts {
    let mut facts = DnsFacts::new();
    for line in lines {
        let mut parts = line.splitn(3, ' ');
        let (name, kind, value) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let question = |kind| Question::new(name, kind);
        let (question, more) = match kind {
            "TXT" => (question(QuestionKind::Txt), Records::Txt(vec![value.as_bytes().to_vec()])),
            "NS" => (question(QuestionKind::Ns), Records::Ns(vec![value.to_owned()])),
            "A" => (question(QuestionKind::A), Records::A(vec![value.parse().unwrap_or(Ipv4Addr::UNSPECIFIED)])),
            "AAAA" => {
                (question(QuestionKind::Aaaa), Records::Aaaa(vec![value.parse().unwrap_or(Ipv6Addr::UNSPECIFIED)]))
            }
            _ => {
                let (preference, host) = value.split_once(' ').unwrap_or(("0", "."));
                let preference = preference.parse().unwrap_or(0);
                (question(QuestionKind::Mx), Records::Mx(vec![(preference, host.to_owned())]))
            }
        };
        let answer = match (facts.get(&question), more) {
            _ if value == "!" => Answer::Failed,
            (Some(Answer::Records(Records::Txt(a))), Records::Txt(b)) => {
                Answer::Records(Records::Txt([a.clone(), b].concat()))
            }
            (Some(Answer::Records(Records::Mx(a))), Records::Mx(b)) => {
                Answer::Records(Records::Mx([a.clone(), b].concat()))
            }
            (Some(Answer::Records(Records::A(a))), Records::A(b)) => {
                Answer::Records(Records::A([a.clone(), b].concat()))
            }
            (Some(Answer::Records(Records::Ns(a))), Records::Ns(b)) => {
                Answer::Records(Records::Ns([a.clone(), b].concat()))
            }
            (_, more) => Answer::Records(more),
        };
        facts.insert(question, answer);
    }
    facts
}

/// Runs a check to its end: what the facts do not say does not exist.
fn run(domain: &MailDomain, lines: &[&str]) -> Check {
    let mut facts = answers(lines);
    let expected = domain.expected(&here());
    for _ in 0..ROUNDS_MAX {
        match check(&domain.name, &expected, HOST, &facts) {
            Step::Done(done) => return done,
            Step::Ask(questions) => questions.into_iter().for_each(|q| facts.insert(q, Answer::NoSuchName)),
        }
    }
    panic!("the check does not end");
}

const ALL_THERE: [&str; 6] = [
    "acme.example NS ada.ns.cloudflare.com",
    "_service-verify.mail.acme.example TXT service-verify=tok",
    "mail.acme.example MX 10 mx.post.example",
    "mail.acme.example TXT v=spf1 a:mx.post.example ~all",
    "s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJD",
    "_dmarc.mail.acme.example TXT v=DMARC1; p=none",
];

use Found::{Mismatch, Missing, Ok as There};
use RecordKey::{Dkim, DkimNext, Dmarc, Mx, Spf, Verification};

/// A record, what DNS says, and what is found; none where DNS did not answer.
const TABLE: &[(RecordKey, &[&str], Option<Found>)] = &[
    // Ownership.
    (Verification, &["_service-verify.mail.acme.example TXT service-verify=tok"], Some(There)),
    (Verification, &["_service-verify.mail.acme.example TXT \"service-verify=tok\""], Some(There)),
    (
        Verification,
        &["_service-verify.mail.acme.example TXT other=1", "_service-verify.mail.acme.example TXT service-verify=tok"],
        Some(There),
    ),
    (Verification, &["_service-verify.mail.acme.example TXT service-verify=other"], Some(Mismatch)),
    (Verification, &["_service-verify.mail.acme.example TXT service-verify=TOK"], Some(Mismatch)),
    (Verification, &["_service-verify.mail.acme.example TXT tok"], Some(Mismatch)),
    (Verification, &["mail.acme.example TXT service-verify=tok"], Some(Missing)),
    (Verification, &["_service-verify.mail.acme.example TXT !"], None),
    (Verification, &[], Some(Missing)),
    // Mail exchangers.
    (Mx, &["mail.acme.example MX 10 mx.post.example"], Some(There)),
    (Mx, &["mail.acme.example MX 1 MX.Post.Example."], Some(There)),
    (Mx, &["mail.acme.example MX 10 mx.post.example", "mail.acme.example MX 20 backup.example"], Some(There)),
    (Mx, &["mail.acme.example MX 10 mx.post.example", "mail.acme.example MX 10 other.example"], Some(Mismatch)),
    (Mx, &["mail.acme.example MX 5 aspmx.l.google.com", "mail.acme.example MX 10 mx.post.example"], Some(Mismatch)),
    (Mx, &["mail.acme.example MX 10 mx.other.example"], Some(Mismatch)),
    (Mx, &["mail.acme.example MX 0 ."], Some(Mismatch)),
    (Mx, &["mail.acme.example MX !"], None),
    (Mx, &["acme.example MX 10 mx.post.example"], Some(Missing)),
    // SPF.
    (Spf, &["mail.acme.example TXT v=spf1 a:mx.post.example ~all"], Some(There)),
    (Spf, &["mail.acme.example TXT V=SPF1 A:MX.POST.EXAMPLE -ALL"], Some(There)),
    (Spf, &["mail.acme.example TXT v=spf1 +a:mx.post.example/28 -all"], Some(There)),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 include:spf.other.example a:mx.post.example -all",
            "spf.other.example TXT v=spf1 -all",
        ],
        Some(There),
    ),
    (
        Spf,
        &[
            "mail.acme.example TXT v=spf1 include:one.example -all",
            "one.example TXT v=spf1 include:two.example ?all",
            "two.example TXT v=spf1 a:mx.post.example -all",
        ],
        Some(There),
    ),
    (
        Spf,
        &["mail.acme.example TXT v=spf1 redirect=one.example", "one.example TXT v=spf1 a:mx.post.example -all"],
        Some(There),
    ),
    (Spf, &["mail.acme.example TXT v=spf1 mx -all", "mail.acme.example MX 10 mx.post.example"], Some(There)),
    (Spf, &["mail.acme.example TXT v=spf1 mx:acme.example -all", "acme.example MX 10 mx.post.example"], Some(There)),
    (Spf, &["mail.acme.example TXT v=spf1 ip4:198.51.100.0/24 -all", "mx.post.example A 198.51.100.7"], Some(There)),
    (Spf, &["mail.acme.example TXT v=spf1 ip4:198.51.100.7 -all", "mx.post.example A 198.51.100.7"], Some(There)),
    (Spf, &["mail.acme.example TXT v=spf1 ip6:2001:db8::/32 -all", "mx.post.example AAAA 2001:db8::7"], Some(There)),
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
    // Another name of this server.
    (
        Spf,
        &["mail.acme.example TXT v=spf1 a -all", "mail.acme.example A 198.51.100.7", "mx.post.example A 198.51.100.7"],
        Some(There),
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
        Some(There),
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
    (Spf, &["mail.acme.example TXT v=spf1 +all"], Some(There)),
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
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJD"], Some(There)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT v=DKIM1;k=rsa;p=QU JD"], Some(There)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT k=rsa; t=s; p=QUJD;"], Some(There)),
    (Dkim, &["s1._domainkey.mail.acme.example TXT \"v=DKIM1; k=rsa; p=QU\" \"JD\""], Some(There)),
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
    (DkimNext, &["s2._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=TkVYVA=="], Some(There)),
    (DkimNext, &["s2._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=QUJD"], Some(Mismatch)),
    (DkimNext, &[], Some(Missing)),
    // DMARC.
    (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1; p=none"], Some(There)),
    (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1;p = Reject; rua=mailto:a@acme.example"], Some(There)),
    (Dmarc, &["_dmarc.mail.acme.example TXT v=DMARC1; pct=50"], Some(Mismatch)),
    (
        Dmarc,
        &["_dmarc.mail.acme.example TXT v=DMARC1; p=none", "_dmarc.mail.acme.example TXT v=DMARC1; p=reject"],
        Some(Mismatch),
    ),
    (Dmarc, &["_dmarc.mail.acme.example TXT hello"], Some(Missing)),
    (Dmarc, &["_dmarc.mail.acme.example TXT !"], None),
];

#[test]
fn what_dns_holds_of_each_record() {
    assert!(TABLE.len() >= 60);
    let domain = domain();
    for (key, lines, expected) in TABLE {
        let check = run(&domain, lines);
        let found = check.records.iter().find(|checked| checked.key == *key).map(|checked| checked.found);
        assert_eq!(found, *expected, "{key:?} {lines:?}");
    }
}

#[test]
fn a_record_under_the_doubled_name_is_hinted_at() {
    let doubled = [
        "acme.example NS ns1.own.example",
        "_service-verify.mail.acme.example.acme.example TXT service-verify=tok",
        "mail.acme.example.acme.example MX 10 mx.post.example",
    ];
    let check = run(&domain(), &doubled);
    let hints: Vec<RecordKey> = check.records.iter().filter(|c| c.doubled).map(|c| c.key).collect();
    assert_eq!(hints, [RecordKey::Verification, RecordKey::Mx]);
    assert_eq!(check.hosting.map(|hosting| hosting.zone), Some("acme.example".to_owned()));
}

#[test]
fn the_zone_is_the_closest_with_name_servers() {
    let zone = |lines: &[&str]| run(&domain(), lines).hosting.map(|hosting| hosting.zone);
    assert_eq!(zone(&["mail.acme.example NS ns.a.example", "acme.example NS ns.b.example"]).as_deref(), Some(NAME));
    assert_eq!(zone(&["acme.example NS ns.b.example"]).as_deref(), Some("acme.example"));
    assert_eq!(zone(&["example NS ns.registry.example"]), None);
    assert_eq!(zone(&["mail.acme.example NS !", "acme.example NS ns.b.example"]), None);
}

#[test]
fn a_domain_goes_from_pending_to_verified_to_failed_and_back() {
    let (mut domain, now) = (domain(), Time::from_millis(1_000));
    domain.next = None;
    let mut seen = |lines: &[&str], may_verify: bool| {
        let check = run(&domain, lines);
        let changes = domain.apply(&check, &here(), may_verify, now);
        (domain.status, changes.verified, changes.failed)
    };
    assert_eq!(seen(&ALL_THERE[..4], true), (Status::Pending, false, false));
    assert_eq!(seen(&ALL_THERE, false), (Status::Pending, false, false), "somebody else has it");
    assert_eq!(seen(&ALL_THERE[..5], true), (Status::Verified, true, false), "a policy is only advised");
    assert_eq!(seen(&ALL_THERE, true), (Status::Verified, false, false));
    let silent = [
        "mail.acme.example TXT !",
        "_service-verify.mail.acme.example TXT !",
        "mail.acme.example MX !",
        "s1._domainkey.mail.acme.example TXT !",
    ];
    assert_eq!(seen(&silent, true), (Status::Verified, false, false), "silence is no proof");
    assert_eq!(seen(&ALL_THERE[2..], true), (Status::Failed, false, true));
    assert_eq!(seen(&ALL_THERE, true), (Status::Verified, true, false));
    domain.status = Status::Disabled;
    let check = run(&domain, &ALL_THERE);
    assert_eq!(domain.apply(&check, &here(), true, now), Changes::default());
    assert_eq!(domain.status, Status::Disabled);
}

#[test]
fn without_receiving_no_exchanger_is_required() {
    let mut domain = domain();
    domain.receiving = false;
    let lines: Vec<&str> = ALL_THERE.iter().copied().filter(|line| !line.contains(" MX ")).collect();
    let check = run(&domain, &lines);
    assert!(domain.apply(&check, &here(), true, Time::from_millis(1)).verified);
    assert!(!domain.takes_mail() && domain.may_send());
}

#[test]
fn a_new_key_signs_once_its_record_is_seen_and_the_old_record_stays_a_while() {
    let (mut domain, now) = (domain(), Time::from_millis(5_000));
    let check = run(&domain, &ALL_THERE);
    assert!(!domain.apply(&check, &here(), true, now).rotated);
    let both: Vec<&str> =
        ALL_THERE.iter().copied().chain(["s2._domainkey.mail.acme.example TXT v=DKIM1; k=rsa; p=TkVYVA=="]).collect();
    let check = run(&domain, &both);
    let changes = domain.apply(&check, &here(), true, now);
    assert!(changes.rotated && !changes.failed);
    assert_eq!((domain.active.selector, domain.active.since), (Selector::Two, now));
    let keys: Vec<RecordKey> = domain.expected(&here()).iter().map(|record| record.key).collect();
    assert_eq!(keys.last(), Some(&RecordKey::DkimPrevious));
    assert_eq!(domain.found(RecordKey::Dkim).map(|c| c.found), Some(Found::Ok));
    let later = now.plus_ms(RETIRE_AFTER_MS);
    let check = run(&domain, &both);
    assert_eq!(domain.apply(&check, &here(), true, later), Changes::default());
    assert_eq!(domain.previous, None);
    assert_eq!(domain.status, Status::Verified);
    let year = now.plus_ms(ROTATION_DUE_AFTER_MS);
    assert!(domain.apply(&check, &here(), true, year).rotation_due);
    assert!(!domain.apply(&check, &here(), true, year).rotation_due, "told once");
}

#[test]
fn checks_come_in_minutes_at_first_and_daily_in_the_end() {
    let (mut domain, now) = (domain(), Time::from_millis(0));
    domain.next = None;
    let mut gaps = Vec::new();
    for checks in [0, 2, 5, 50] {
        domain.checks = checks;
        gaps.push(domain.next_check_at(now).millis() / 60_000);
    }
    assert_eq!(gaps, [1, 2, 30, 360]);
    domain.status = Status::Verified;
    assert_eq!(domain.next_check_at(now).millis(), DAY_MS);
}

#[test]
fn who_asked_within_the_hour_is_at_work_and_waits_for_minutes_alone() {
    let (mut domain, now) = (domain(), Time::from_millis(7 * DAY_MS));
    domain.checks = 50;
    domain.next = None;
    let gap = |domain: &MailDomain| domain.next_check_at(now).since_ms(now);
    domain.asked_at = Some(now.plus_ms(-WATCHED_MS + 1));
    assert_eq!(gap(&domain), WATCHED_GAP_MS);
    domain.checks = 1;
    assert_eq!(gap(&domain), MINUTE_MS, "sooner stays sooner");
    domain.status = Status::Verified;
    assert_eq!(gap(&domain), DAY_MS, "nothing is waited for");
    (domain.status, domain.checks) = (Status::Failed, 50);
    domain.asked_at = Some(now.plus_ms(-WATCHED_MS));
    assert_eq!(gap(&domain), 6 * HOUR_MS);
}

#[test]
fn an_operator_switches_a_domain_off_and_the_next_check_says_how_it_stands_then() {
    let (mut domain, now) = (domain(), Time::from_millis(1_000));
    let check = run(&domain, &ALL_THERE);
    assert_eq!(domain.switch(true), Changes::default());
    assert_eq!(domain.status, Status::Pending, "it was not off");
    assert!(domain.apply(&check, &here(), true, now).verified);
    assert!(domain.switch(false).failed, "whoever sends from it is told");
    assert!(!domain.takes_mail() && !domain.may_send());
    assert_eq!(domain.switch(false), Changes::default());
    assert_eq!(domain.apply(&check, &here(), true, now), Changes::default());
    assert_eq!(domain.status, Status::Disabled);
    assert_eq!(domain.switch(true), Changes::default());
    assert_eq!(domain.status, Status::Failed);
    assert!(domain.apply(&check, &here(), true, now).verified);
}

#[test]
fn zone_files_have_full_names_and_split_long_texts() {
    let mut domain = domain();
    domain.active.record = format!("v=DKIM1; k=rsa; p={}", "A".repeat(400));
    let text = zone_file(&domain.expected(&here()));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[1], "mail.acme.example. 3600 IN MX 10 mx.post.example.");
    assert_eq!(lines[2], "mail.acme.example. 3600 IN TXT \"v=spf1 a:mx.post.example ~all\"");
    let strings: Vec<&str> = lines[3].split('"').skip(1).step_by(2).collect();
    assert_eq!(strings.iter().map(|string| string.len()).collect::<Vec<_>>(), [255, 163]);
    assert_eq!(strings.concat(), domain.active.record);
}

#[test]
fn an_ed25519_key_is_a_record_more_and_never_required() {
    let (mut domain, both, now) = (domain(), Here { ed25519: true, ..here() }, Time::from_millis(5_000));
    domain.active.ed25519 = Some("v=DKIM1; k=ed25519; p=RUQ=".to_owned());
    if let Some(next) = &mut domain.next {
        next.ed25519 = Some("v=DKIM1; k=ed25519; p=RUQy".to_owned());
    }
    let listed = |domain: &MailDomain, here: &Here| {
        let names = domain.expected(here).into_iter().map(|record| (record.key.text(), record.name, record.required));
        names.collect::<Vec<_>>()
    };
    assert_eq!(listed(&domain, &here()).len(), 6, "with RSA alone nothing is seen of it");
    let all = listed(&domain, &both);
    assert_eq!(all[..6], listed(&domain, &here()));
    assert_eq!(all[6], ("dkim", "s1e._domainkey.mail.acme.example".to_owned(), false));
    assert_eq!(all[7], ("dkim_next", "s2e._domainkey.mail.acme.example".to_owned(), false));

    let published: Vec<&str> = ALL_THERE
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
            Step::Done(done) => break done,
            Step::Ask(questions) => questions.into_iter().for_each(|q| facts.insert(q, Answer::NoSuchName)),
        }
    };
    let changes = domain.apply(&check, &both, true, now);
    assert!(changes.verified && changes.rotated, "what is missing of the first one holds nothing up");
    let found = |key| domain.found(key).map(|checked| checked.found);
    assert_eq!(found(RecordKey::DkimEd25519), Some(There), "it goes with the key that it stands beside");
    assert_eq!(found(RecordKey::DkimPreviousEd25519), Some(Missing));
    assert_eq!(domain.active.ed25519.as_deref(), Some("v=DKIM1; k=ed25519; p=RUQy"));
}

#[test]
fn records_have_names_of_their_own_in_the_store() {
    let names: std::collections::BTreeSet<&str> = RecordKey::ALL.iter().map(|key| key.stored()).collect();
    assert_eq!(names.len(), RecordKey::ALL.len());
}
