//! Quality gate: code and link must both be correct for at least 99 % of the messages of `verification/mails.jsonl`.

use crate::{
    tests::corpus_text,
    verification::{CONFIDENCE_MAX, VerificationInput, detect},
};

/// Minimum share of messages whose code and link are both as expected.
const SHARE_MIN: f64 = 0.99;

#[derive(serde::Deserialize)]
struct Case {
    id: String,
    subject: String,
    text: String,
    expected_code: Option<String>,
    expected_link: Option<String>,
}

#[test]
fn codes_and_links_of_the_corpus_are_detected() {
    let Some(corpus) = corpus_text("verification/mails.jsonl") else { return };
    let (mut total, mut correct) = (0_u32, 0_u32);
    for case in corpus.lines().map(|line| serde_json::from_str::<Case>(line).unwrap()) {
        let message = VerificationInput {
            subject: &case.subject,
            text: Some(&case.text),
            html: None,
            from: "noreply@portal.acme.example",
        };
        let found = detect(&message);
        assert!(found.as_ref().is_none_or(|found| found.confidence > 0.0 && found.confidence <= CONFIDENCE_MAX));
        let (code, link) = found.map_or((None, None), |found| (found.code, found.link));
        total += 1;
        if (&code, &link) == (&case.expected_code, &case.expected_link) {
            correct += 1;
        } else {
            println!(
                "{}: code {code:?} for {:?}, link {link:?} for {:?}",
                case.id, case.expected_code, case.expected_link
            );
        }
    }
    println!("verification: {correct} of {total} correct");
    assert!(total > 0 && f64::from(correct) / f64::from(total) >= SHARE_MIN);
}
