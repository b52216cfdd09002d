//! Finds secrets in a text: keys of this service and of others, private keys, and card numbers.

/// Secrets of one text that are reported.
const FINDINGS_MAX: usize = 64;
/// Characters of the longest secret word.
const WORD_MAX: usize = 4_096;

/// What a secret is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    /// An API key of this service.
    ServiceKey,
    /// A key or token in the format of a well-known service.
    SecretKey,
    /// A private key.
    PrivateKey,
    /// The number of a payment card.
    CardNumber,
}

impl SecretKind {
    /// Returns the name of the kind.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::ServiceKey => "service_key",
            Self::SecretKey => "secret_key",
            Self::PrivateKey => "private_key",
            Self::CardNumber => "card_number",
        }
    }
}

/// A secret in a text. Its value is in the text only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: SecretKind,
    /// Its first byte.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
}

/// Returns the secrets of a text in order, at most 64. Runs in linear time.
#[must_use]
pub fn secrets(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    private_keys(text, &mut found);
    words(text, &mut found);
    cards(text, &mut found);
    found.sort_by_key(|finding| finding.start);
    found.truncate(FINDINGS_MAX);
    found
}

fn private_keys(text: &str, found: &mut Vec<Finding>) {
    const BEGIN: &str = "-----BEGIN ";
    let mut from = 0;
    while let Some(start) = text[from..].find(BEGIN).map(|at| from + at) {
        let line = text[start..].lines().next().unwrap_or_default();
        from = start + BEGIN.len();
        let is_key = line.get(..line.len().min(64)).is_some_and(|line| line.contains("PRIVATE KEY"));
        if is_key && found.len() < FINDINGS_MAX {
            let end = text[start..].find("-----END ").map_or(start + line.len(), |end| {
                let end = start + end;
                end + text[end..].lines().next().map_or(0, str::len)
            });
            found.push(Finding { kind: SecretKind::PrivateKey, start, end });
            from = end;
        }
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

fn words(text: &str, found: &mut Vec<Finding>) {
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
        if let Some(kind) = kind_of(word, &text.as_bytes()[..start]) {
            found.push(Finding { kind, start, end: start + word.len() });
        }
    }
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
fn is_example(rest: &str) -> bool {
    let mut kinds = [false; 256];
    rest.bytes().for_each(|byte| kinds[usize::from(byte)] = true);
    let lower = rest.to_ascii_lowercase();
    kinds.iter().filter(|seen| **seen).count() < 6 || lower.contains("example") || lower.contains("xxxx")
}

fn is_json_web_token(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    matches!(parts[..], [head, body, seal] if head.starts_with("eyJ") && body.starts_with("eyJ") && body.len() >= 16 && seal.len() >= 16)
}

/// Finds card numbers: 13 to 19 digits of an issuer with a valid check digit, in groups of cards.
fn cards(text: &str, found: &mut Vec<Finding>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && found.len() < FINDINGS_MAX {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let (start, mut end) = (at, at);
        let mut digits = Vec::with_capacity(20);
        let mut separator = None;
        let mut groups = vec![0usize];
        while at < bytes.len() {
            match bytes[at] {
                digit @ b'0'..=b'9' => {
                    if digits.len() < 24 {
                        digits.push(digit - b'0');
                    }
                    *groups.last_mut().expect("there is a group") += 1;
                    end = at + 1;
                }
                sign @ (b' ' | b'-')
                    if separator.is_none_or(|known| known == sign)
                        && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
                        && groups.len() < 6 =>
                {
                    separator = Some(sign);
                    groups.push(0);
                }
                _ => break,
            }
            at += 1;
        }
        // Part of a longer word, a number with decimals, or a link.
        let is_apart = |byte: Option<&u8>| {
            byte.is_none_or(|byte| {
                !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'/' | b'=' | b'%' | b'+' | b'#' | b'&')
            })
        };
        let is_alone = is_apart(start.checked_sub(1).and_then(|at| bytes.get(at)))
            && is_apart(bytes.get(end))
            && !(bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit));
        if is_alone && is_grouped(&groups) && is_card(&digits) {
            found.push(Finding { kind: SecretKind::CardNumber, start, end });
        }
        at = at.max(start + 1);
    }
}

fn is_grouped(groups: &[usize]) -> bool {
    matches!(groups, [13..=19] | [4, 4, 4, 1..=7] | [4, 4, 4, 4, 1..=3] | [4, 6, 4..=5])
}

fn is_card(digits: &[u8]) -> bool {
    let number = |count: usize| digits.iter().take(count).fold(0u32, |all, digit| all * 10 + u32::from(*digit));
    let is_issued = match digits.len() {
        13 | 19 if digits[0] == 4 => true,
        14 => matches!(number(3), 300..=305) || matches!(number(2), 36 | 38),
        15 => matches!(number(2), 34 | 37),
        16 => {
            digits[0] == 4
                || matches!(number(2), 51..=55 | 65 | 62)
                || matches!(number(4), 2221..=2720 | 6011 | 3528..=3589)
                || matches!(number(3), 644..=649)
        }
        _ => false,
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let value = u32::from(*digit) * if at % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    let is_varied = digits.iter().any(|digit| *digit != digits[0]);
    is_issued && is_varied && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        secrets(text).iter().map(|finding| finding.kind.text()).collect()
    }

    #[test]
    fn keys_are_found() {
        // Written in parts, so that scanners of repositories don't find them.
        for (prefix, rest) in [
            ("AKIA", "QK3XN7R2T5VW8Y1Z"),
            ("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
            ("sk_live_", "51H8xQ2eZvKYlo2C9d7F3g"),
            ("xoxb-", "123456789012-1234567890123-abcdefgh"),
            ("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
            ("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
        ] {
            assert_eq!(kinds(&format!("the key is {prefix}{rest}, use it.")), ["secret_key"], "{prefix}");
        }
        assert_eq!(kinds("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"), ["private_key"]);
        assert_eq!(kinds("card 4242 4242 4242 4242 ok"), ["card_number"]);
        assert_eq!(kinds("5555-5555-5555-4444"), ["card_number"]);
        assert_eq!(kinds("378282246310005"), ["card_number"]);
    }

    #[test]
    fn keys_of_this_service_need_their_checksum() {
        let random = "0123456789abcdefghijABCDEFGHIJ0123";
        let mut left = crc32fast::hash(random.as_bytes()) as usize;
        let mut sum = String::new();
        let digits: Vec<char> = ('0'..='9').chain('A'..='Z').chain('a'..='z').collect();
        for _ in 0..6 {
            sum.insert(0, digits[left % 62]);
            left /= 62;
        }
        assert_eq!(kinds(&format!("ph_{random}{sum}")), ["service_key"]);
        assert!(kinds(&format!("ph_{random}000000")).is_empty());
    }

    #[test]
    fn ordinary_text_has_no_secrets() {
        for text in [
            "4242 4242 4242 4241",
            "order 1234567890123456",
            "tracking 9400 1000 0000 0000 0000 00",
            "2026-11-29 12:00 +49 30 1234567890",
            "0000000000000000",
            "https://example.com/?id=4242424242424242",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-learn and key-value stores, re_compile(x)",
            "IBAN DE89 3704 0044 0532 0130 00",
            "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
            "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        ] {
            assert!(kinds(text).is_empty(), "{text}: {:?}", kinds(text));
        }
    }
}
