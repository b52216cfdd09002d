//! The gate of issue 2: at least 99 % of the mails of `verification/mails.jsonl` fully right.

use crate::{
    tests::corpus_text,
    verification::{CONFIDENCE_MAX, Mail, detect},
};

/// Share of mails with code and link both as expected.
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
fn account_mails_of_the_corpus_are_read_right() {
    let Some(corpus) = corpus_text("verification/mails.jsonl") else { return };
    let (mut total, mut right) = (0_u32, 0_u32);
    for case in corpus.lines().map(|line| serde_json::from_str::<Case>(line).unwrap()) {
        let mail =
            Mail { subject: &case.subject, text: Some(&case.text), html: None, from: "noreply@portal.acme.example" };
        let found = detect(&mail);
        assert!(found.as_ref().is_none_or(|found| found.confidence > 0.0 && found.confidence <= CONFIDENCE_MAX));
        let (code, link) = found.map_or((None, None), |found| (found.code, found.link));
        total += 1;
        if (&code, &link) == (&case.expected_code, &case.expected_link) {
            right += 1;
        } else {
            println!(
                "{}: code {code:?} for {:?}, link {link:?} for {:?}",
                case.id, case.expected_code, case.expected_link
            );
        }
    }
    println!("verification: {right} of {total} right");
    assert!(total > 0 && f64::from(right) / f64::from(total) >= SHARE_MIN);
}
