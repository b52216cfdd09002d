//! Tests of complete verifications: published suites, round trips of signed mail, hostile input.

mod arc_suite;
mod dkim_vectors;
mod hostile;
mod identities;
mod questions;
mod round_trip;
mod spf_suite;
mod zone;

use super::*;
use crate::tests::corpus_text;

/// Runs a verification to its verdicts. `resolve` answers every question.
fn verify_with(input: AuthInput<'_>, resolve: impl Fn(&DnsQuestion) -> DnsAnswer) -> AuthResults {
    let mut verification = AuthVerification::begin(input);
    let mut facts = DnsFacts::new();
    for _ in 0..DNS_ROUNDS_MAX {
        match verification.evaluate(&facts) {
            AuthOutcome::Verdicts(results) => return *results,
            AuthOutcome::NeedsDns(questions) => {
                assert!(!questions.is_empty());
                for question in questions {
                    assert_eq!(facts.get(&question), None, "asked twice: {question:?}");
                    let answer = resolve(&question);
                    facts.insert(question, answer);
                }
            }
        }
    }
    panic!("more than {DNS_ROUNDS_MAX} rounds");
}

/// Creates an input for `raw` from a client without DNS records.
fn input(raw: &[u8]) -> AuthInput<'_> {
    AuthInput {
        raw,
        client_ip: IpAddr::from([192, 0, 2, 1]),
        helo: "mx.example.org",
        mail_from: "",
        hostname: "mail.example.net",
        now_s: 1_700_000_000,
    }
}

/// Returns a resolver for a list of text records; every other name does not exist.
fn text_records(records: &[(String, String)]) -> impl Fn(&DnsQuestion) -> DnsAnswer {
    |question| {
        let found: Vec<_> = records
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(&question.name) && question.kind == DnsRecordType::Txt)
            .map(|(_, text)| text.clone().into_bytes())
            .collect();
        if found.is_empty() { DnsAnswer::NoSuchName } else { DnsAnswer::Records(DnsRecords::Txt(found)) }
    }
}
