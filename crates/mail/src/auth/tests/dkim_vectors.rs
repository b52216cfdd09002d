//! Published DKIM vectors: the first lines of each file hold its key records, the rest is the signed message.

use super::{AuthInput, DkimResult, corpus_text, input, text_records, verify_with};

/// The only expiration time among the vectors (005).
const EXPIRES_S: i64 = 1_667_930_064;

/// A time at which no vector has expired.
const NOW_S: i64 = EXPIRES_S - 1;

#[test]
fn every_dkim_vector_verifies() {
    for number in 1..=6 {
        let Some(text) = corpus_text(&format!("dkim/{number:03}.txt")) else {
            return;
        };
        let (records, message) = text.split_once("\n\n").expect("records, then a message");
        let records: Vec<_> = records
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect();
        let raw = message.replace("\r\n", "\n").replace('\n', "\r\n");
        let results = verify_with(AuthInput { now_s: NOW_S, ..input(raw.as_bytes()) }, text_records(&records));
        assert!(!results.dkim.is_empty(), "{number}: no signature");
        for verdict in &results.dkim {
            assert_eq!(verdict.result, DkimResult::Pass, "{number}: {verdict:?}");
        }
        let changed = raw.replacen("\r\n\r\n", "\r\n\r\nChanged. ", 1);
        let results = verify_with(AuthInput { now_s: NOW_S, ..input(changed.as_bytes()) }, text_records(&records));
        assert!(results.dkim.iter().all(|verdict| verdict.result == DkimResult::Fail), "{number}: {results:?}");
    }
}

#[test]
fn an_expired_signature_does_not_pass() {
    let Some(text) = corpus_text("dkim/005.txt") else {
        return;
    };
    let (record, message) = text.split_once("\n\n").expect("a record, then a message");
    let (name, key) = record.split_once(' ').expect("a name, then a record");
    let records = [(name.to_owned(), key.to_owned())];
    let raw = message.replace('\n', "\r\n");
    for (now_s, result) in [(EXPIRES_S, DkimResult::Pass), (EXPIRES_S + 1, DkimResult::Fail)] {
        let results = verify_with(AuthInput { now_s, ..input(raw.as_bytes()) }, text_records(&records));
        assert_eq!(results.dkim[0].result, result, "{results:?}");
    }
}
