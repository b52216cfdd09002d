//! Keys: words in the formats of well-known services, and private keys.

use std::ops::Range;

use super::{FINDINGS_MAX, Finding, SecretKind};
use crate::scan::rot13;

/// Characters of the longest secret word.
const WORD_MAX: usize = 4_096;

/// What only private keys have, beside their first line: the beginnings of PKCS #8 (RSA, P-256, Ed25519), PKCS #1 and
/// OpenSSH keys in base64.
const PRIVATE: [&str; 6] = [
    "BADANBgkqhkiG9w0BAQEFAASC",
    "BgcqhkjOPQIBBggqhkjOPQMBBw",
    "MC4CAQAwBQYDK2VwBCIEI",
    "IBAAKCAQEA",
    "IBAAKCAgEA",
    "b3BlbnNzaC1rZXktdjE",
];

/// Finds private keys with their first lines, or without them.
pub(super) fn private_keys(text: &str, found: &mut Vec<Finding>) {
    const BEGIN: &str = "BEGIN";
    let (mut from, mut has_line) = (0, false);
    while let Some(start) = text[from..].find(BEGIN).map(|at| from + at)
        && found.len() < FINDINGS_MAX
    {
        from = start + BEGIN.len();
        let line = text[start..text.floor_char_boundary(start + 64)].lines().next().unwrap_or_default();
        let Some(at) = line.find("PRIVATE KEY") else { continue };
        has_line = true;
        from = text[from..].find("-----END ").map_or(start + at + 11, |end| {
            let end = from + end;
            let line = text[end..].lines().next().unwrap_or_default();
            end + line.get(5..).and_then(|line| line.find("-----")).map_or(line.len(), |at| 5 + at + 5)
        });
        let dashes = text[..start].bytes().rev().take(5).take_while(|byte| *byte == b'-').count();
        found.push(Finding { kind: SecretKind::PrivateKey, start: start - dashes, end: from });
    }
    if !has_line {
        let places = PRIVATE
            .iter()
            .filter_map(|mark| Some((memchr::memmem::find(text.as_bytes(), mark.as_bytes())?, mark.len())));
        found.extend(places.map(|(start, length)| Finding {
            kind: SecretKind::PrivateKey,
            start,
            end: start + length,
        }));
    }
}

/// Prefixes of keys, with the fewest and most characters behind them.
const FORMATS: [(&str, usize, usize); 34] = [
    ("AKIA", 16, 16),
    ("ASIA", 16, 16),
    ("ghp_", 36, 36),
    ("gho_", 36, 36),
    ("ghu_", 36, 36),
    ("ghs_", 36, 255),
    ("ghr_", 36, 255),
    ("github_pat_", 50, 255),
    ("glpat-", 20, 64),
    ("sk_live_", 16, 255),
    ("rk_live_", 16, 255),
    ("sk_test_", 16, 255),
    ("whsec_", 24, 128),
    ("xoxb-", 20, 255),
    ("xoxp-", 20, 255),
    ("xoxa-", 20, 255),
    ("xoxs-", 20, 255),
    ("xapp-", 20, 255),
    ("AIza", 35, 35),
    ("ya29.", 20, 1024),
    ("sk-ant-", 32, 255),
    ("sk-proj-", 32, 255),
    ("sk-", 40, 255),
    ("hf_", 30, 64),
    ("npm_", 36, 36),
    ("pypi-", 50, 255),
    ("SG.", 40, 128),
    ("dop_v1_", 64, 64),
    ("shpat_", 32, 32),
    ("re_", 28, 64),
    ("key-", 32, 32),
    ("GOCSPX-", 20, 64),
    ("AGE-SECRET-KEY-1", 40, 80),
    ("lin_api_", 32, 64),
];

pub(super) fn words(text: &str, found: &mut Vec<Finding>) {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let mut at = 0;
    while at < bytes.len() && found.len() < FINDINGS_MAX {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        if at - start < 20 || at - start > WORD_MAX {
            continue;
        }
        let word = text[start..at].trim_end_matches(['.', '-']);
        if let Some(kind) = kind_of(word, &text.as_bytes()[..start]).or_else(|| kind_of_turned(word)) {
            found.push(Finding { kind, start, end: start + word.len() });
            continue;
        }
        // The name of a file ends with its type.
        let mut from = start;
        for part in word.split('.') {
            if part.len() >= 20
                && part.len() < word.len()
                && let Some(kind) = kind_of(part, &[]).or_else(|| kind_of_turned(part))
            {
                found.push(Finding { kind, start: from, end: from + part.len() });
            }
            from += part.len() + 1;
        }
        if let Some((kind, key)) = key_within(word) {
            found.push(Finding { kind, start: start + key.start, end: start + key.end });
        }
    }
}

/// Prefixes within one word that are tried.
const WITHIN_MAX: usize = 16;
/// Characters of a key of this service.
const SERVICE_KEY_LENGTH: usize = 43;

/// Returns the key that begins within a word, behind other characters. Words have the shortest prefixes by chance.
fn key_within(word: &str) -> Option<(SecretKind, Range<usize>)> {
    let is_first = |at: &usize| {
        let two = &word.as_bytes()[*at..];
        two.len() >= 20 && is_beginning(two[0], two[1])
    };
    let prefix = |at: usize| {
        let rest = &word[at..];
        if rest.starts_with("ph_") {
            return Some((at, "ph_", SERVICE_KEY_LENGTH - 3, SERVICE_KEY_LENGTH - 3));
        }
        let format = FORMATS.iter().find(|(prefix, ..)| rest.starts_with(prefix))?;
        (format.0.len() >= 4 && format.0 != "key-").then_some((at, format.0, format.1, format.2))
    };
    let mut tried = (1..word.len()).filter(is_first).filter_map(prefix).take(WITHIN_MAX);
    tried.find_map(|(at, prefix, fewest, most)| {
        // Keys without a fixed length end with the word.
        let end = if fewest == most { at + prefix.len() + fewest } else { word.len() };
        let is_end = |byte: &u8| prefix == "ph_" || !byte.is_ascii_alphanumeric();
        let key = word.get(at..end).filter(|_| word.as_bytes().get(end).is_none_or(is_end))?;
        Some((kind_of(key, &[])?, at..end))
    })
}

fn kind_of_turned(word: &str) -> Option<SecretKind> {
    turned(word).find_map(|word| kind_of(&word, &[]))
}

/// Returns a word in the simple ciphers in which it may be a key: turned around, and ROT13.
fn turned(word: &str) -> impl Iterator<Item = String> {
    let rotated = |byte: u8| rot13(char::from(byte)) as u8;
    let back = matches!(word.as_bytes(), [.., second, first] if is_beginning(*first, *second));
    let round = matches!(word.as_bytes(), [first, second, ..] if is_beginning(rotated(*first), rotated(*second)));
    let back = back.then(|| word.chars().rev().collect());
    back.into_iter().chain(round.then(|| word.chars().map(rot13).collect()))
}

/// The first two characters of each format, of keys of this service, of JSON Web Tokens and of lines of private keys.
static BEGINNINGS: [[bool; 128]; 128] = {
    let mut table = [[false; 128]; 128];
    let mut at = 0;
    while at < FORMATS.len() {
        let prefix = FORMATS[at].0.as_bytes();
        table[prefix[0] as usize][prefix[1] as usize] = true;
        at += 1;
    }
    let others = [*b"ph", *b"ey", *b"BE"];
    at = 0;
    while at < others.len() {
        table[others[at][0] as usize][others[at][1] as usize] = true;
        at += 1;
    }
    table
};

/// Returns whether a key can begin with two characters.
fn is_beginning(first: u8, second: u8) -> bool {
    BEGINNINGS.get(usize::from(first)).and_then(|row| row.get(usize::from(second))).is_some_and(|is_one| *is_one)
}

fn kind_of(word: &str, before: &[u8]) -> Option<SecretKind> {
    if let Some(rest) = word.strip_prefix("ph_") {
        return is_service_key(rest).then_some(SecretKind::ServiceKey);
    }
    for (prefix, fewest, most) in FORMATS {
        if let Some(rest) = word.strip_prefix(prefix) {
            let is_varied =
                rest.bytes().any(|byte| byte.is_ascii_digit()) && rest.bytes().any(|byte| byte.is_ascii_alphabetic());
            return ((fewest..=most).contains(&rest.len()) && is_varied && !is_example(rest))
                .then_some(SecretKind::SecretKey);
        }
    }
    if is_json_web_token(word) {
        return Some(SecretKind::SecretKey);
    }
    let is_bearer = before.len() >= 7 && before[before.len() - 7..].eq_ignore_ascii_case(b"bearer ");
    let is_random =
        word.len() >= 24 && word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_alphabetic());
    (is_bearer && is_random && !is_example(word)).then_some(SecretKind::SecretKey)
}

/// Returns whether a word is 34 characters with the checksum of the first ones in the last six.
fn is_service_key(rest: &str) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((random, checksum)) = rest.split_at_checked(34).filter(|_| rest.len() == 40) else { return false };
    let mut left = crc32fast::hash(random.as_bytes()) as usize;
    let mut expected = [b'0'; 6];
    for digit in expected.iter_mut().rev() {
        *digit = DIGITS[left % 62];
        left /= 62;
    }
    checksum.as_bytes() == expected
}

/// Returns whether a key is a placeholder: one character again and again, or a word that says so.
pub(super) fn is_example(rest: &str) -> bool {
    let mut kinds = [false; 256];
    rest.bytes().for_each(|byte| kinds[usize::from(byte)] = true);
    let lower = rest.to_ascii_lowercase();
    kinds.iter().filter(|seen| **seen).count() < 6 || lower.contains("example") || lower.contains("xxxx")
}

fn is_json_web_token(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    matches!(parts[..], [head, body, seal] if head.starts_with("eyJ") && body.starts_with("eyJ") && body.len() >= 16 && seal.len() >= 16)
}

/// Signs between two characters of a key in pieces.
const APART_MAX: usize = 12;
/// Changes between letters and digits that random characters have.
const CHANGES_MIN: usize = 4;
/// Characters of the longest key in pieces.
const PIECES_MAX: usize = 76;

/// Finds keys whose characters are apart, with blanks, line ends or signs between them.
pub(super) fn apart(text: &str, found: &mut Vec<Finding>) {
    let bytes = text.as_bytes();
    let (mut at, mut before) = (0, b' ');
    while at < bytes.len() && found.len() < FINDINGS_MAX {
        let byte = bytes[at];
        // Encoded files have every combination of letters somewhere within a word.
        let is_start = byte.is_ascii_alphabetic() && !before.is_ascii_alphanumeric();
        if is_start && let Some(finding) = apart_at(bytes, at) {
            at = finding.end;
            found.push(finding);
        } else {
            at += 1;
        }
        before = bytes[at - 1];
    }
}

/// Returns the key in pieces that begins there.
fn apart_at(bytes: &[u8], start: usize) -> Option<Finding> {
    // Dashes and dots are signs of some formats, so that they are left out or not.
    let mut all: Vec<(u8, usize)> = Vec::new();
    [false, true].into_iter().find_map(|is_strict| {
        let mut pieces = Pieces { bytes, at: start, is_strict };
        let ((first, _), (second, _)) = (pieces.next()?, pieces.next()?);
        if !is_beginning(first, second) {
            return None;
        }
        if all.is_empty() || all.iter().any(|(byte, _)| matches!(byte, b'-' | b'.')) {
            all = Pieces { bytes, at: start, is_strict }.take(PIECES_MAX).collect();
        }
        let letters: Vec<u8> = all.iter().map(|(byte, _)| *byte).collect();
        let (kind, length) = starts(&letters, is_strict)?;
        Some(Finding { kind, start, end: all[length - 1].1 + 1 })
    })
}

/// The characters that may be of one key, with their places: the next is at most a few signs away.
struct Pieces<'a> {
    bytes: &'a [u8],
    at: usize,
    is_strict: bool,
}

impl Iterator for Pieces<'_> {
    type Item = (u8, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.at..(self.at + APART_MAX).min(self.bytes.len()))?;
        let is_kept =
            |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !self.is_strict && matches!(byte, b'-' | b'.');
        let place = self.at + rest.iter().position(|byte| is_kept(*byte))?;
        self.at = place + 1;
        Some((self.bytes[place], place))
    }
}

/// Returns the key at the start of a text without blanks, and its length.
fn starts(bytes: &[u8], is_strict: bool) -> Option<(SecretKind, usize)> {
    match bytes[0] {
        b'p' => {
            let key = std::str::from_utf8(bytes.get(..43)?).ok()?;
            key.strip_prefix("ph_").is_some_and(is_service_key).then_some((SecretKind::ServiceKey, 43))
        }
        b'B' if bytes.starts_with(b"BEGIN") => {
            let line = &bytes[..bytes.len().min(64)];
            let end = memchr::memmem::find(line, b"PRIVATEKEY")? + 10;
            Some((SecretKind::PrivateKey, end))
        }
        // Words begin with shorter prefixes, too.
        _ => FORMATS
            .iter()
            .filter(|(prefix, ..)| prefix.len() >= 4 && prefix != &"key-")
            .find_map(|(prefix, fewest, _)| started(bytes, prefix, *fewest, is_strict)),
    }
}

fn started(bytes: &[u8], prefix: &str, fewest: usize, is_strict: bool) -> Option<(SecretKind, usize)> {
    let mut length = 0;
    for wanted in prefix.bytes().filter(|byte| !is_strict || !matches!(byte, b'-' | b'.')) {
        if bytes.get(length) != Some(&wanted) {
            return None;
        }
        length += 1;
    }
    let rest = std::str::from_utf8(bytes.get(length..length + fewest)?).ok()?;
    let is_capital = prefix.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_random = changes(rest) >= if is_capital { CHANGES_MIN - 1 } else { CHANGES_MIN }
        && (!is_capital || !rest.bytes().any(|byte| byte.is_ascii_lowercase()));
    (is_random && !is_example(rest)).then_some((SecretKind::SecretKey, length + fewest))
}

/// Counts how often letters follow digits and digits follow letters.
pub(super) fn changes(text: &str) -> usize {
    text.as_bytes().windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count()
}
