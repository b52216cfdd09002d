//! Finds secrets in a text: keys of this service and of others, private keys, and card numbers.

mod cards;
mod derived;
mod keys;
mod pieces;
mod placed;
mod spelling;
#[cfg(test)]
mod tests;
mod variants;

pub use variants::{TextVariant, TextVariants};

/// Secrets of one text that are reported.
const FINDINGS_MAX: usize = 64;

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
    keys::private_keys(text, &mut found);
    keys::words(text, &mut found);
    pieces::find(text, &mut found);
    placed::find(text, &mut found);
    cards::find(text, &mut found);
    found.sort_by_key(|finding| (finding.start, std::cmp::Reverse(finding.end)));
    found.dedup_by(|next, one| next.kind == one.kind && next.start < one.end);
    found.truncate(FINDINGS_MAX);
    found
}

#[cfg(test)]
mod texts {
    use super::*;

    /// Keys in two parts, so that scanners of repositories don't find them.
    const KEYS: [(&str, &str); 6] = [
        ("AKIA", "QK3XN7R2T5VW8Y1Z"),
        ("ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
        ("sk_live_", "51H8xQ2eZvKYlo2C9d7F3g"),
        ("xoxb-", "123456789012-1234567890123-abcdefgh"),
        ("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
        ("glpat-", "a1B2c3D4e5F6g7H8i9J0"),
    ];

    fn kinds(text: &str) -> Vec<&'static str> {
        secrets(text).iter().map(|finding| finding.kind.text()).collect()
    }

    #[test]
    fn keys_are_found() {
        let token = ("eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P");
        for (prefix, rest) in KEYS.into_iter().chain([token]) {
            assert_eq!(kinds(&format!("the key is {prefix}{rest}, use it.")), ["secret_key"], "{prefix}");
        }
        assert_eq!(kinds("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"), ["private_key"]);
        assert_eq!(kinds("card 4242 4242 4242 4242 ok"), ["card_number"]);
        assert_eq!(kinds("5555-5555-5555-4444"), ["card_number"]);
        assert_eq!(kinds("378282246310005"), ["card_number"]);
    }

    #[test]
    fn keys_are_found_behind_other_characters() {
        for (prefix, rest) in KEYS {
            for before in ["x", "7", "_", "-", "key", "key_", "key-", "token.", "x-y_z", "é", "ghp_", "AK"] {
                for text in [format!("{before}{prefix}{rest}"), format!("see {before}{prefix}{rest}. Bye")] {
                    assert_eq!(kinds(&text), ["secret_key"], "{text}");
                }
            }
        }
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
        for before in ["x", "7", "_", "-", "key", "key_", "token.", "é", "ph_"] {
            assert_eq!(kinds(&format!("{before}ph_{random}{sum}")), ["service_key"], "{before}");
            assert_eq!(kinds(&format!("see {before}ph_{random}{sum}_x")), ["service_key"], "{before}");
        }
    }

    #[test]
    fn ordinary_text_has_no_secrets() {
        for text in [
            "4242 4242 4242 4241",
            "order 1234567890123456",
            "tracking 9400 1000 0000 0000 0000 00",
            "2026-11-29 12:00 +49 30 1234567890",
            "0000000000000000",
            "https://example.com/?id=1242424242424242",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-learn and key-value stores, re_compile(x)",
            "IBAN DE89 3704 0044 0532 0130 00",
            "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
            "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "the_core_function_of_module_12_and_others, task-force-2026-of-the-region-number-12-and-13",
        ] {
            assert!(kinds(text).is_empty(), "{text}: {:?}", kinds(text));
        }
    }
}
