//! Tests of whole verifications: published suites, signed mail that comes back, hostile input.

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

/// Verifies to the end, answering every question by `resolve`.
fn settle(input: Input<'_>, resolve: impl Fn(&Question) -> Answer) -> AuthResults {
    let mut verification = Verification::begin(input);
    let mut facts = DnsFacts::new();
    for _ in 0..ROUNDS_MAX {
        match verification.evaluate(&facts) {
            Outcome::Verdicts(results) => return *results,
            Outcome::Missing(questions) => {
                assert!(!questions.is_empty());
                for question in questions {
                    assert_eq!(facts.get(&question), None, "asked twice: {question:?}");
                    let answer = resolve(&question);
                    facts.insert(question, answer);
                }
            }
        }
    }
    panic!("more than {ROUNDS_MAX} rounds");
}

/// An input about `raw` from a client that nothing is known of.
fn input(raw: &[u8]) -> Input<'_> {
    Input {
        raw,
        client_ip: IpAddr::from([192, 0, 2, 1]),
        helo: "mx.example.org",
        mail_from: "",
        hostname: "mail.example.net",
        now_s: 1_700_000_000,
    }
}

/// Resolves text records of a list of names; everything else does not exist.
fn text_records(records: &[(String, String)]) -> impl Fn(&Question) -> Answer {
    |question| {
        let found: Vec<_> = records
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(&question.name) && question.kind == QuestionKind::Txt)
            .map(|(_, text)| text.clone().into_bytes())
            .collect();
        if found.is_empty() { Answer::NoSuchName } else { Answer::Records(Records::Txt(found)) }
    }
}
