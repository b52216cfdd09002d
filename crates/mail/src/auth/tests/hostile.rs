//! Verification of hostile mail and DNS data ends in verdicts, within the limits on rounds and questions.

use super::*;
use crate::trace::{authentication_results, is_foreign_claim};
use proptest::prelude::*;

/// Generates fragments that get deeper into the parsers than random bytes.
fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(
            "DKIM-Signature: v=1; a=rsa-sha256; d=a.example; s=s; h=from; bh=AAAA; b=AAAA; c=relaxed/simple".to_owned()
        ),
        Just("ARC-Seal: i=1; a=rsa-sha256; cv=none; d=a.example; s=s; b=AAAA".to_owned()),
        Just("ARC-Message-Signature: i=1; a=rsa-sha256; d=a.example; s=s; h=from; bh=AAAA; b=AAAA".to_owned()),
        Just("ARC-Authentication-Results: i=1; a.example; none".to_owned()),
        Just("From: a@a.example, b@b.example, group: c@c.example;".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n \t;=:".to_owned()),
        "[a-zA-Z0-9:;=@ %{}<>\"\\\\()./ü\r\n\t-]{0,60}",
    ]
}

fn text_record() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("v=spf1 include:%{i}.a.example a mx ptr exists:%{p}.b.example redirect=a.example".to_owned()),
        Just("v=spf1 include:a.example include:b.example -all exp=c.example".to_owned()),
        Just("v=DMARC1; p=reject; sp=none; np=quarantine; psd=y; t=y; adkim=s".to_owned()),
        Just("v=DKIM1; k=ed25519; p=AAAA".to_owned()),
        "v=spf1( [+?~-]?(a|mx|ptr|ip4|ip6|exists|include|all|redirect=|exp=)[:/%{}a-z0-9.]{0,20}){0,12}",
        "v=DMARC1;[a-z=; ]{0,30}",
        "[ -~\u{80}-\u{ff}]{0,60}",
    ]
}

fn answer(question: &DnsQuestion, texts: &[String], seed: u8) -> DnsAnswer {
    let choice = question.name.bytes().fold(seed, |sum, b| sum.wrapping_mul(31).wrapping_add(b));
    let hosts = || (0..choice % 14).map(|n| format!("h{n}.a.example"));
    match (question.kind, choice % 7) {
        (_, 0) => DnsAnswer::NoSuchName,
        (_, 1) => DnsAnswer::NoData,
        (_, 2) => DnsAnswer::Failed,
        // A resolver that returns records of another type than requested.
        (_, 3) => DnsAnswer::Records(DnsRecords::Aaaa(vec![])),
        (DnsRecordType::Txt, _) => {
            DnsAnswer::Records(DnsRecords::Txt(texts.iter().map(|text| text.clone().into_bytes()).take(2).collect()))
        }
        (DnsRecordType::Mx, _) => DnsAnswer::Records(DnsRecords::Mx(hosts().map(|host| (1, host)).collect())),
        (DnsRecordType::A, _) => DnsAnswer::Records(DnsRecords::A(vec![[192, 0, 2, choice].into()])),
        (DnsRecordType::Aaaa, _) => DnsAnswer::Records(DnsRecords::Aaaa(vec![])),
        (DnsRecordType::Ns, _) => DnsAnswer::NoData,
        (DnsRecordType::Ptr, _) => DnsAnswer::Records(DnsRecords::Ptr(hosts().collect())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_mail_and_dns_end_in_verdicts(
        fragments in prop::collection::vec(fragment(), 0..12),
        texts in prop::collection::vec(text_record(), 0..4),
        seed in any::<u8>(),
        helo in "[a-z.%{}\\[\\] ü\r\n]{0,30}",
        mail_from in "[a-z.@%ü\"\r\n]{0,30}",
    ) {
        let raw = fragments.join("\r\n");
        let input = AuthInput { helo: &helo, mail_from: &mail_from, ..input(raw.as_bytes()) };
        let mut verification = AuthVerification::begin(input);
        let mut facts = DnsFacts::new();
        let mut results = None;
        for _ in 0..DNS_ROUNDS_MAX {
            match verification.evaluate(&facts) {
                AuthOutcome::Verdicts(verdicts) => {
                    results = Some(*verdicts);
                    break;
                }
                AuthOutcome::NeedsDns(questions) => {
                    for question in questions {
                        let answer = answer(&question, &texts, seed);
                        facts.insert(question, answer);
                    }
                    prop_assert!(facts.len() <= DNS_QUESTIONS_MAX);
                }
            }
        }
        let results = results.unwrap_or_else(|| verification.conclude(&facts));
        let value = authentication_results("mail.example.net", &results);
        prop_assert!(value.bytes().all(|b| (0x20..0x7f).contains(&b)), "{}", value);
        prop_assert!(is_foreign_claim(&value, "mail.example.net"));
    }
}

#[test]
fn signatures_and_arc_sets_beyond_the_limits_are_ignored() {
    let signature = "DKIM-Signature: v=1; a=rsa-sha256; d=D.example; s=s; h=from; \
                     bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA; c=relaxed/relaxed\r\n";
    let raw: String = (0..200).map(|n| signature.replace("d=D", &format!("d=d{n}"))).collect();
    let mut verification = AuthVerification::begin(input(raw.as_bytes()));
    let AuthOutcome::NeedsDns(questions) = verification.evaluate(&DnsFacts::new()) else {
        panic!("keys are needed");
    };
    let keys = questions.iter().filter(|question| question.name.contains("_domainkey")).count();
    assert_eq!(keys, DKIM_SIGNATURES_MAX);

    let set = |n| {
        format!(
            "ARC-Seal: i={n}; a=rsa-sha256; cv=pass; d=a.example; s=s; b=AAAA\r\n\
             ARC-Message-Signature: i={n}; a=rsa-sha256; d=a.example; s=s; h=from; bh=AAAA; b=AAAA\r\n\
             ARC-Authentication-Results: i={n}; a.example; none\r\n"
        )
    };
    let raw: String = (1..=ARC_SETS_MAX + 1).map(set).collect();
    let results = verify_with(input(raw.as_bytes()), |_| DnsAnswer::NoSuchName);
    assert_eq!((results.arc.result, results.arc.reason.as_str()), (ArcResult::Fail, "the chain is too long"));
}

#[test]
fn a_verification_can_be_concluded_at_any_time() {
    let raw = b"From: a@a.example\r\n\r\n";
    let mut verification = AuthVerification::begin(AuthInput { mail_from: "a@a.example", ..input(raw) });
    let results = verification.conclude(&DnsFacts::new());
    assert_eq!(results.spf.result, SpfResult::TempError);
    assert_eq!(results.dmarc.result, DmarcResult::TempError);
    assert!(results.auth_failed() && results.auth_unknown_label(), "a missing lookup authenticates no domain");
    assert!(!results.dmarc_fail_label() && !results.spf_fail_label(), "and causes no failure label");
}

#[test]
fn an_author_behind_too_many_fields_is_ignored() {
    let junk = "X: y\r\n".repeat(5000);
    let raw = format!("{junk}From: ceo@bank.example\r\n\r\n");
    let records = [("_dmarc.bank.example".to_owned(), "v=DMARC1; p=reject".to_owned())];
    let results = verify_with(input(raw.as_bytes()), text_records(&records));
    assert_eq!((results.dmarc.result, results.dmarc.domain.as_str()), (DmarcResult::Fail, ""));
}

#[test]
fn a_signature_does_not_pass_when_later_fields_were_not_parsed() {
    let key = crate::dkim::DkimKey::generate_ed25519().expect("a new key");
    let record = ("e1._domainkey.example.org".to_owned(), key.dns_record().expect("a record"));
    let mail = "From: a@example.org\r\n\r\nHi\r\n";
    let options = crate::dkim::DkimSignOptions { domain: "example.org", selector: "e1", now_s: 1 };
    let field = key.sign(mail.as_bytes(), &options).expect("a signature");
    for (junk, result) in [(1900, DkimResult::Pass), (2000, DkimResult::Neutral)] {
        let raw = format!("{field}{}{mail}", "X: y\r\n".repeat(junk));
        let results = verify_with(input(raw.as_bytes()), text_records(std::slice::from_ref(&record)));
        assert_eq!(results.dkim[0].result, result, "{results:?}");
    }
}

#[test]
fn a_large_body_is_hashed_in_a_limited_number_of_ways() {
    let field = |n| {
        format!(
            "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=a.example; s=s; h=from; l={n}; \
             bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\n"
        )
    };
    let raw: String = (1..=DKIM_SIGNATURES_MAX).map(field).chain(["\r\nbody\r\n".to_owned()]).collect();
    let results = verify_with(input(raw.as_bytes()), |_| DnsAnswer::NoSuchName);
    let unchecked = results.dkim.iter().filter(|v| v.reason.contains("too many ways")).count();
    assert_eq!((results.dkim.len(), unchecked), (DKIM_SIGNATURES_MAX, 5));
}
