//! Finds keys, private keys and card numbers in a text.

use posthouse_domain::{ApiKeySecret, FindingKind};

/// A secret in a text: its kind, and where it begins and ends, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Secret {
    pub(crate) kind: FindingKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The beginnings of keys of common services, with the shortest length of what follows.
const KEY_PREFIXES: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 35),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghs_", 30),
    ("github_pat_", 40),
    ("glpat-", 20),
    ("npm_", 30),
    ("pypi-", 50),
    ("sk-", 20),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("SG.", 40),
    ("hf_", 30),
    ("dop_v1_", 40),
    ("whsec_", 24),
];
/// The prefixes of keys of this service.
const SERVICE_PREFIXES: &[&str] = &["ph_", "pc_", "st_"];
/// The numbers of digits of card numbers.
const CARD_DIGITS: std::ops::RangeInclusive<usize> = 13..=19;

/// Returns the secrets in a text.
pub(crate) fn secrets(text: &str) -> Vec<Secret> {
    let mut found = private_keys(text);
    let is_key = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    for word in text.split(|c: char| !is_key(c)).filter(|word| word.len() >= 16) {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let kind = if ApiKeySecret::parse(word.trim_end_matches(['.', '-', '_'])).is_some() {
            Some(FindingKind::ServiceKey)
        } else {
            let rest = |prefix: &str| word.strip_prefix(prefix).map_or(0, str::len);
            let is_secret = KEY_PREFIXES.iter().any(|(prefix, length)| rest(prefix) >= *length);
            is_secret.then_some(FindingKind::SecretKey)
        };
        let service =
            SERVICE_PREFIXES.iter().any(|prefix| word.strip_prefix(prefix).is_some_and(|rest| rest.len() >= 40));
        let kind = kind.or(service.then_some(FindingKind::ServiceKey));
        found.extend(kind.map(|kind| Secret { kind, start, end: start + word.len() }));
    }
    found.extend(cards(text));
    found
}

fn private_keys(text: &str) -> Vec<Secret> {
    let starts = text.match_indices("-----BEGIN ");
    let key = |(start, _): (usize, &str)| {
        let line = &text[start..text[start..].find('\n').map_or(text.len(), |end| start + end)];
        let is_private = line.contains("PRIVATE KEY");
        is_private.then(|| Secret { kind: FindingKind::PrivateKey, start, end: start + line.trim_end().len() })
    };
    starts.filter_map(key).collect()
}

/// Returns numbers of payment cards: groups of digits with a valid check digit and the first digit of a card network.
fn cards(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let is_start = bytes[at].is_ascii_digit() && (at == 0 || !is_joined(bytes[at - 1]));
        if !is_start {
            at += 1;
            continue;
        }
        let (digits, end) = digits(&bytes[at..]);
        if CARD_DIGITS.contains(&digits.len()) && matches!(digits[0], 2..=6) && is_luhn(&digits) {
            found.push(Secret { kind: FindingKind::CardNumber, start: at, end: at + end });
        }
        at += end.max(1);
    }
    found
}

const fn is_joined(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Returns the digits at the start of a text, in groups of three digits or more, and the length of the groups.
fn digits(bytes: &[u8]) -> (Vec<u8>, usize) {
    let (mut digits, mut end, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() && digits.len() <= *CARD_DIGITS.end() {
        match bytes[at] {
            digit @ b'0'..=b'9' => {
                digits.push(digit - b'0');
                end = at + 1;
            }
            b' ' | b'-' if at == end => {}
            _ => break,
        }
        at += 1;
    }
    (digits, end)
}

fn is_luhn(digits: &[u8]) -> bool {
    let doubled = |(at, digit): (usize, &u8)| {
        let value = u32::from(*digit) * if at % 2 == 1 { 2 } else { 1 };
        if value > 9 { value - 9 } else { value }
    };
    digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_and_ordinary_numbers_are_not() {
        let table = [
            ("pay with 4111 1111 1111 1111 please", Some(FindingKind::CardNumber)),
            ("5555-5555-5555-4444", Some(FindingKind::CardNumber)),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", Some(FindingKind::PrivateKey)),
            ("key AKIAIOSFODNN7EXAMPLE", Some(FindingKind::SecretKey)),
            ("ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", Some(FindingKind::SecretKey)),
            ("order 4111 1111 1111 1112", None),
            ("call +49 30 1234567", None),
            ("-----BEGIN CERTIFICATE-----", None),
            ("skating is fun, sk-short", None),
        ];
        for (text, kind) in table {
            assert_eq!(secrets(text).first().map(|secret| secret.kind), kind, "{text}");
        }
    }
}
