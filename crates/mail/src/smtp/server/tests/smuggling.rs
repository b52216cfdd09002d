//! Only CRLF.CRLF ends a message, also for the corpus of known smuggling attempts.

use super::{config, drive};
use crate::tests::corpus_text;

/// Returns the sequences of the corpus; empty if the corpora are not installed.
fn sequences() -> Vec<String> {
    let Some(text) = corpus_text("smtp-end-of-data.json") else { return Vec::new() };
    let corpus: serde_json::Value = serde_json::from_str(&text).unwrap();
    let lists = [&corpus["inbound"], &corpus["outbound"]];
    let all: Vec<String> =
        lists.iter().flat_map(|list| list.as_array().unwrap()).map(|item| item.as_str().unwrap().to_owned()).collect();
    assert!(all.len() >= 18, "the corpus has {} sequences only", all.len());
    all
}

const HEAD: &str = "EHLO c\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<x@c.example>\r\nDATA\r\n";
const EVIL: &str =
    "MAIL FROM:<evil@b.example>\r\nRCPT TO:<victim@c.example>\r\nDATA\r\nSubject: evil\r\n\r\nevil\r\n.\r\n";

/// Checks `body` followed by the real end: one complete message or a rejection, and never two messages.
fn check(body: &str, name: &str) {
    let input = format!("{HEAD}{body}QUIT\r\n");
    let content = body.strip_suffix(".\r\n").unwrap();
    let is_rejected = content.replace("\r\n", "").contains(['\r', '\n']);
    for piece_bytes in 1..=input.len() {
        let result = drive(config(), &[input.as_bytes()], piece_bytes);
        let replies: Vec<&str> = result.replies().iter().map(|reply| &reply[..3]).collect();
        let data = result.messages.iter().map(|message| message.data.as_slice());
        match is_rejected {
            true => {
                assert_eq!(result.messages, [], "{name:?} in pieces of {piece_bytes}");
                assert_eq!(replies, ["250", "250", "250", "354", "550", "221"], "{name:?} in pieces of {piece_bytes}");
                assert!(result.written.contains("550 5.6.0 "), "{name:?}");
            }
            false => {
                assert!(data.eq([content.as_bytes()]), "{name:?} in pieces of {piece_bytes}");
                assert_eq!(replies, ["250", "250", "250", "354", "250", "221"], "{name:?} in pieces of {piece_bytes}");
            }
        }
    }
}

#[test]
fn no_sequence_of_the_corpus_ends_a_message_or_smuggles_another() {
    for sequence in sequences() {
        check(&format!("Subject: t\r\n\r\nbody{sequence}{EVIL}"), &sequence);
        // At the start of a line and at the very start of the content, where the state of the reader differs.
        check(&format!("Subject: t\r\n\r\n{sequence}{EVIL}"), &sequence);
        check(&format!("{sequence}{EVIL}"), &sequence);
    }
}

#[test]
fn a_sequence_split_across_two_chunks_is_handled_alike() {
    for sequence in sequences() {
        for cut in 0..=sequence.len() {
            let (head, tail) = sequence.split_at(cut);
            let mail = HEAD.strip_suffix("DATA\r\n").unwrap();
            let tail_bytes = tail.len() + EVIL.len();
            let input = format!("{mail}BDAT {cut}\r\n{head}BDAT {tail_bytes} LAST\r\n{tail}{EVIL}NOOP\r\n");
            let result = drive(config(), &[input.as_bytes()], 3);
            let last = result.replies().last().copied();
            assert_eq!(last, Some("250 2.0.0 OK"), "{sequence:?} cut at {cut}");
            let whole = sequence.clone() + EVIL;
            let kept = result.messages.iter().all(|message| message.data == whole.as_bytes());
            let is_rejected = sequence.replace("\r\n", "").contains(['\r', '\n']);
            assert!(kept && result.messages.is_empty() == is_rejected, "{sequence:?} cut at {cut}");
        }
    }
}

#[test]
fn commands_after_the_real_end_are_processed() {
    let second = "MAIL FROM:<>\r\nRCPT TO:<y@c.example>\r\nDATA\r\nsecond\r\n.\r\n";
    let input = format!("{HEAD}first\r\n.\r\n{second}");
    let result = drive(config(), &[input.as_bytes()], input.len());
    let data: Vec<&[u8]> = result.messages.iter().map(|message| &*message.data).collect();
    assert_eq!(data, [&b"first\r\n"[..], b"second\r\n"]);
}
