//! Tables for the DMARC tree walk, alignment and policy discovery.

use super::super::dns::{DnsFacts, DnsQuestion, DnsRecords};
use super::{tree_walk::walk_names, *};

/// Evaluates DMARC for `author`. `records` holds the DMARC record of each domain; other names do not exist.
fn evaluate(author: &str, spf: &str, dkim: &str, records: &[(&str, &str)]) -> DmarcEvaluation {
    let identifier = |domain| DmarcIdentifier { domain, passed: true, temporary: false };
    let mut facts = DnsFacts::new();
    for _ in 0..8 {
        let mut lookup = DnsLookup::new(&facts, false);
        match super::evaluate(author, identifier(spf), &[identifier(dkim)], &mut lookup) {
            Ok(judgement) => return judgement,
            Err(DnsPending) => {
                for question in lookup.into_missing() {
                    let answer = answer(&question, records);
                    facts.insert(question, answer);
                }
            }
        }
    }
    panic!("too many rounds");
}

fn answer(question: &DnsQuestion, records: &[(&str, &str)]) -> DnsAnswer {
    let texts: Vec<_> = records
        .iter()
        .filter(|(name, _)| question.name == format!("_dmarc.{name}"))
        .map(|(_, text)| text.as_bytes().to_vec())
        .collect();
    match texts.first().map(Vec::as_slice) {
        None => DnsAnswer::NoSuchName,
        Some(b"FAILED") => DnsAnswer::Failed,
        Some(_) => DnsAnswer::Records(DnsRecords::Txt(texts)),
    }
}

#[test]
fn a_tree_walk_queries_at_most_eight_names() {
    for (domain, names) in [
        ("com", vec!["com"]),
        ("a.example.com", vec!["a.example.com", "example.com", "com"]),
        // The example of RFC 9989 §4.10.
        (
            "a.b.c.d.e.f.g.h.i.j.mail.example.com",
            vec![
                "a.b.c.d.e.f.g.h.i.j.mail.example.com",
                "g.h.i.j.mail.example.com",
                "h.i.j.mail.example.com",
                "i.j.mail.example.com",
                "j.mail.example.com",
                "mail.example.com",
                "example.com",
                "com",
            ],
        ),
    ] {
        assert_eq!(walk_names(domain), names);
    }
}

#[test]
fn identifiers_align_by_organizational_domain() {
    const ORG: (&str, &str) = ("example.com", "v=DMARC1; p=reject");
    const PSD: (&str, &str) = ("co.uk", "v=DMARC1; p=none; psd=y");
    for (author, identifier, records, result) in [
        ("example.com", "example.com", &[ORG][..], DmarcResult::Pass),
        ("example.com", "mail.example.com", &[ORG], DmarcResult::Pass),
        ("mail.example.com", "example.com", &[ORG], DmarcResult::Pass),
        ("a.example.com", "b.example.com", &[ORG], DmarcResult::Pass),
        ("example.com", "notexample.com", &[ORG], DmarcResult::Fail),
        ("example.com", "example.net", &[ORG], DmarcResult::Fail),
        ("example.com", "", &[ORG], DmarcResult::Fail),
        ("example.com", "com", &[ORG], DmarcResult::Fail),
        // Strict alignment.
        ("example.com", "mail.example.com", &[("example.com", "v=DMARC1;p=none;adkim=s;aspf=s")], DmarcResult::Fail),
        ("example.com", "example.com", &[("example.com", "v=DMARC1;p=none;adkim=s;aspf=s")], DmarcResult::Pass),
        // A public suffix above the author, and an organization inside another organization's domain.
        ("one.co.uk", "two.co.uk", &[PSD], DmarcResult::Fail),
        ("one.co.uk", "a.one.co.uk", &[PSD], DmarcResult::Pass),
        ("b.example.com", "a.example.com", &[ORG, ("b.example.com", "v=DMARC1;p=none;psd=n")], DmarcResult::Fail),
        ("b.example.com", "a.b.example.com", &[ORG, ("b.example.com", "v=DMARC1;p=none;psd=n")], DmarcResult::Pass),
        // No policy.
        ("example.com", "example.com", &[], DmarcResult::None),
        ("example.com", "example.com", &[("example.com", "v=spf1 -all")], DmarcResult::None),
        ("example.com", "example.com", &[("example.com", "v=DMARC1; p=maybe")], DmarcResult::None),
        ("example.com", "example.com", &[ORG, ORG], DmarcResult::None),
        (
            "example.com",
            "x.example",
            &[("example.com", "v=DMARC1; p=maybe; rua=mailto:a@b.example")],
            DmarcResult::Fail,
        ),
        // DNS failure.
        ("example.com", "example.com", &[("example.com", "FAILED")], DmarcResult::TempError),
    ] {
        let both = evaluate(author, identifier, identifier, records).verdict;
        assert_eq!(both.result, result, "{author} {identifier} {records:?}");
        let by_dkim = evaluate(author, "elsewhere.example", identifier, records);
        assert_eq!(by_dkim.verdict.result, result, "DKIM: {author} {identifier} {records:?}");
        let by_spf = evaluate(author, identifier, "elsewhere.example", records).verdict;
        assert_eq!(by_spf.result, result, "SPF: {author} {identifier} {records:?}");
    }
}

#[test]
fn the_closest_record_sets_the_policy() {
    use DmarcPolicy::{None as Nothing, Quarantine, Reject};
    for (author, records, policy) in [
        ("example.com", &[("example.com", "v=DMARC1; p=Reject")][..], Some(Reject)),
        ("example.com", &[("example.com", "v=DMARC1")], Some(Nothing)),
        ("example.com", &[("example.com", "v=DMARC1; p=reject; t=y")], Some(Quarantine)),
        ("example.com", &[("example.com", "v=DMARC1; p=quarantine; t=y")], Some(Nothing)),
        ("example.com", &[("example.com", "v=DMARC1; p=reject; sp=none; np=none")], Some(Reject)),
        ("a.example.com", &[("example.com", "v=DMARC1; p=reject")], Some(Reject)),
        ("a.example.com", &[("example.com", "v=DMARC1; p=reject; sp=none")], Some(Nothing)),
        ("a.example.com", &[("example.com", "v=DMARC1; p=none; np=reject")], Some(Reject)),
        ("a.example.com", &[("example.com", "v=DMARC1;p=reject"), ("a.example.com", "v=DMARC1;p=none")], Some(Nothing)),
        (
            "a.b.example.com",
            &[("example.com", "v=DMARC1;p=reject"), ("b.example.com", "v=DMARC1;p=none")],
            Some(Reject),
        ),
        ("one.co.uk", &[("co.uk", "v=DMARC1; p=quarantine; psd=y")], Some(Quarantine)),
        ("example.com", &[], None),
        ("example.com", &[("com", "v=dmarc1; p=reject")], None),
        ("example.com", &[("example.com", "p=reject; v=DMARC1")], None),
    ] {
        let verdict = evaluate(author, "x.example", "y.example", records).verdict;
        assert_eq!(verdict.policy, policy, "{author} {records:?}");
    }
}

#[test]
fn small_faults_of_a_record_keep_its_policy() {
    let mut variants = 0;
    for policy in ["none", "quarantine", "reject", "Reject"] {
        for record in [
            "v=DMARC1; p={}",
            "v=DMARC1;p={};",
            "v=DMARC1;; p={}",
            "v=DMARC1; P={}",
            "V=DMARC1; P={}",
            "v=DMARC1; p={}; foo",
            "v=DMARC1; foo; p={}",
            "v=DMARC1; p={}; foo=bar; 1x=2",
            "v=DMARC1; p={}; sp=maybe",
            "v=DMARC1; p={}; np=",
            "v=DMARC1; p={}; p=none",
            "v=DMARC1; p={}; rua=mailto:a@b.example; rua=mailto:c@d.example",
            "v=DMARC1\\; p={}\\;",
            " v=DMARC1 ; p = {} ",
            "v = DMARC1; p={}",
            "v=DMARC1; =; p={};;",
            "v=DMARC1; p={}; pct=many; ri=x; fo=9",
        ] {
            let record = record.replace("{}", policy);
            assert_eq!(stated_dmarc_policy(&record), DmarcPolicy::parse(policy), "{record}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
    for record in [
        "",
        "p=reject",
        "v=DMARC1",
        "v=DMARC2; p=reject",
        "v=dmarc1; p=reject",
        "p=reject; v=DMARC1",
        "v=spf1 -all",
        "\"v=DMARC1; p=none\"",
    ] {
        assert_eq!(stated_dmarc_policy(record), None, "{record}");
    }
}
