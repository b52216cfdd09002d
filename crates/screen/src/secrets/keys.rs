//! Keys: words in the formats of well-known services, and private keys.

use std::ops::Range;

use memchr::memmem;

use super::{FINDINGS_MAX, Finding, SecretKind};
use crate::scan::rot13;

/// Characters of the longest secret word.
const WORD_MAX: usize = 4_096;

/// What only private keys have, beside their first line: the beginnings of PKCS #8 (RSA, P-256, Ed25519), PKCS #1 and
/// OpenSSH keys in base64; and the first line of a key of PuTTY.
const PRIVATE: [&str; 7] = [
    "BADANBgkqhkiG9w0BAQEFAASC",
    "BgcqhkjOPQIBBggqhkjOPQMBBw",
    "MC4CAQAwBQYDK2VwBCIEI",
    "IBAAKCAQEA",
    "IBAAKCAgEA",
    "b3BlbnNzaC1rZXktdjE",
    "PuTTY-User-Key-File-",
];

/// Bytes from the first word of the first line of a private key to the end of its name.
const LINE_MAX: usize = 64;
const NAME: &str = "PRIVATE KEY";

/// Finds private keys with their first lines, or without them.
pub(super) fn private_keys(text: &str, found: &mut Vec<Finding>) {
    let bytes = text.as_bytes();
    let mut names = memmem::find_iter(bytes, NAME).peekable();
    let mut ends = memmem::find_iter(bytes, "-----END ").peekable();
    let (mut from, mut has_line) = (0, false);
    for start in memmem::find_iter(bytes, "BEGIN") {
        // The searches go on from place to place, so that each byte is read once by each.
        while names.next_if(|at| *at < start).is_some() {}
        let Some(name) = names.peek().copied().filter(|_| found.len() < FINDINGS_MAX) else { break };
        let is_in_line = name + NAME.len() <= start + LINE_MAX && memchr::memchr(b'\n', &bytes[start..name]).is_none();
        if start < from || !is_in_line {
            continue;
        }
        has_line = true;
        while ends.next_if(|at| *at < start).is_some() {}
        from = ends.peek().map_or(name + NAME.len(), |end| {
            let line = text[*end..].lines().next().unwrap_or_default();
            end + line.get(5..).and_then(|line| line.find("-----")).map_or(line.len(), |at| 5 + at + 5)
        });
        let dashes = bytes[..start].iter().rev().take(5).take_while(|byte| **byte == b'-').count();
        found.push(Finding { kind: SecretKind::PrivateKey, start: start - dashes, end: from });
    }
    if !has_line {
        let places = PRIVATE.iter().filter_map(|mark| Some((memmem::find(bytes, mark.as_bytes())?, mark.len())));
        found.extend(places.map(|(start, length)| Finding {
            kind: SecretKind::PrivateKey,
            start,
            end: start + length,
        }));
    }
}

/// Prefixes of keys, with the fewest and most characters behind them.
pub(super) const FORMATS: [(&str, usize, usize); 36] = [
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
    ("dckr_pat_", 27, 64),
    ("ntn_", 43, 64),
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
pub(super) const SERVICE_KEY_LENGTH: usize = 43;

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
pub(super) fn is_beginning(first: u8, second: u8) -> bool {
    BEGINNINGS.get(usize::from(first)).and_then(|row| row.get(usize::from(second))).is_some_and(|is_one| *is_one)
}

fn kind_of(word: &str, before: &[u8]) -> Option<SecretKind> {
    if let Some(rest) = word.strip_prefix("ph_") {
        return is_service_key(rest.as_bytes()).then_some(SecretKind::ServiceKey);
    }
    for (prefix, fewest, most) in FORMATS {
        if let Some(rest) = word.strip_prefix(prefix) {
            return ((fewest..=most).contains(&rest.len()) && is_varied(rest) && !is_example(rest))
                .then_some(SecretKind::SecretKey);
        }
    }
    if is_json_web_token(word) || is_bot_token(word) || is_account_key(word) || is_hook(word, before) {
        return Some(SecretKind::SecretKey);
    }
    let is_bearer = before.len() >= 7 && before[before.len() - 7..].eq_ignore_ascii_case(b"bearer ");
    let is_random =
        word.len() >= 24 && word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_alphabetic());
    (is_bearer && is_random && !is_example(word)).then_some(SecretKind::SecretKey)
}

/// Returns whether a word is 34 characters with the checksum of the first ones in the last six.
pub(super) fn is_service_key(rest: &[u8]) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((random, checksum)) = rest.split_at_checked(34).filter(|_| rest.len() == 40) else { return false };
    let mut left = crc32fast::hash(random) as usize;
    let mut expected = [b'0'; 6];
    for digit in expected.iter_mut().rev() {
        *digit = DIGITS[left % 62];
        left /= 62;
    }
    checksum == expected
}

/// Kinds of characters that a key has at least.
const KINDS_MIN: u32 = 6;

/// Returns whether a key is a placeholder: a few characters again and again, or a word that says so.
pub(super) fn is_example(rest: &str) -> bool {
    let mut kinds = [0u64; 4];
    rest.bytes().for_each(|byte| kinds[usize::from(byte / 64)] |= 1 << (byte % 64));
    let has = |word: &[u8]| rest.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    kinds.iter().map(|part| part.count_ones()).sum::<u32>() < KINDS_MIN || has(b"example") || has(b"xxxx")
}

/// Letters of one key without digits.
const LETTERS_MIN: usize = 30;

/// Capitals beside capitals in such a key. Words in one have a capital each.
const CAPITAL_PAIRS_MIN: usize = 3;

/// Returns whether the characters of a key differ as random ones do: letters and digits, or many letters of both cases in no
/// order that words have.
fn is_varied(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    if bytes.iter().any(u8::is_ascii_digit) {
        return bytes.iter().any(u8::is_ascii_alphabetic);
    }
    let pairs = |is_pair: fn(&[u8]) -> bool| bytes.windows(2).filter(|two| is_pair(two)).count();
    let changes = pairs(|two| two[0].is_ascii_uppercase() != two[1].is_ascii_uppercase());
    let capitals = pairs(|two| two[0].is_ascii_uppercase() && two[1].is_ascii_uppercase());
    bytes.len() >= LETTERS_MIN && changes * 3 >= bytes.len() && capitals >= CAPITAL_PAIRS_MIN
}

/// Returns whether a word is the token of a Discord bot: the number of its account in base64, a time and a seal.
fn is_bot_token(word: &str) -> bool {
    let is_part = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let mut parts = word.split('.');
    let (Some(account), Some(time), Some(seal), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    // Digits in base64 begin so.
    account.starts_with(['M', 'N', 'O'])
        && (23..=28).contains(&account.len())
        && time.len() == 6
        && (27..=40).contains(&seal.len())
        && [account, time, seal].into_iter().all(is_part)
        && is_varied(account)
        && is_varied(seal)
}

/// Returns whether a word is the key of a Twilio account: SK and 32 hexadecimal digits.
fn is_account_key(word: &str) -> bool {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    word.strip_prefix("SK").is_some_and(|rest| rest.len() == 32 && rest.bytes().all(is_hex) && !is_example(rest))
}

/// Returns whether a word is the secret part of a Slack webhook URL, given what stands before it.
fn is_hook(word: &str, before: &[u8]) -> bool {
    const HOST: &[u8] = b"hooks.slack.com/services/";
    let ids_max = before.len().min(HOST.len() + 32);
    word.len() == 24 && is_varied(word) && memmem::find(&before[before.len() - ids_max..], HOST).is_some()
}

fn is_json_web_token(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    matches!(parts[..], [head, body, seal] if head.starts_with("eyJ") && body.starts_with("eyJ") && body.len() >= 16 && seal.len() >= 16)
}

/// Counts how often letters follow digits and digits follow letters.
pub(super) fn changes(text: &str) -> usize {
    text.as_bytes().windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count()
}
