//! Local parts of inboxes: the rules for chosen ones, and generated ones.
//!
//! A chosen local part is a strict subset of the dot-string of RFC 5321 §4.1.2: it never needs quotes, and no two
//! differ only in case. `+` is not allowed, because mail to `name+tag` is delivered to `name`.

use std::fmt;

/// The longest local part in bytes (RFC 5321 §4.5.3.1.1).
const USERNAME_BYTES_MAX: usize = 64;
/// The random bytes needed to generate a readable local part.
pub const READABLE_RANDOM_BYTES: usize = 6;
/// The number of characters in a temporary inbox's local part.
const TEMPORARY_CHARS: usize = 12;
/// The random bytes needed to generate a temporary inbox's local part.
pub const TEMPORARY_RANDOM_BYTES: usize = 2 * TEMPORARY_CHARS;

/// The local part of return paths, before the plus sign (see [VERP](https://cr.yp.to/proto/verp.txt)).
pub const RETURN_PATH: &str = "bounces";

/// The local part of the sender of mail that the service writes to people.
const SERVICE_SENDER: &str = "no-reply";

/// Local parts that represent a role rather than a person. They attract advertising.
const ROLES: &[&str] = &[
    "abuse",
    "accounting",
    "accounts",
    "admin",
    "billing",
    "careers",
    "contact",
    "enquiries",
    "feedback",
    "finance",
    "hello",
    "help",
    "helpdesk",
    "hi",
    "hr",
    "info",
    "inquiries",
    "jobs",
    "legal",
    "mail",
    "marketing",
    "media",
    "office",
    "orders",
    "partners",
    "postmaster",
    "press",
    "privacy",
    "sales",
    "security",
    "service",
    "support",
    "team",
    "webmaster",
];

/// A valid local part of an inbox, in lower case.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Username(String);

impl Username {
    /// Local parts that can't be inboxes at any domain: the senders of notices by mail systems, and the recipient of
    /// delivery reports. At the shared domains, [`ReservedNames`](crate::reserved_names::ReservedNames) reserves more.
    pub const RESERVED: [&str; 3] = ["mailer-daemon", "mail-daemon", RETURN_PATH];

    /// Returns the local part of the sender of mail that the service writes to people.
    #[must_use]
    pub fn service_sender() -> Self {
        Self(SERVICE_SENDER.to_owned())
    }

    /// Parses a chosen local part.
    ///
    /// # Errors
    /// Describes the problem if it isn't allowed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_alphanumeric = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        if text.is_empty() || text.len() > USERNAME_BYTES_MAX {
            return Err(format!("must have 1 to {USERNAME_BYTES_MAX} characters"));
        }
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err("must be in lower case".to_owned());
        }
        if let Some(other) =
            text.chars().find(|c| !c.is_ascii_lowercase() && !c.is_ascii_digit() && !".-_".contains(*c))
        {
            return Err(match other {
                '@' => "must be only the part before the @".to_owned(),
                '+' => "must not contain `+`; mail to `name+tag@` is delivered to `name@`".to_owned(),
                _ => "must contain only a to z, 0 to 9, '.', '-' and '_'".to_owned(),
            });
        }
        let bytes = text.as_bytes();
        if !bytes.first().copied().is_some_and(is_alphanumeric) || !bytes.last().copied().is_some_and(is_alphanumeric) {
            return Err("must begin and end with a letter or a digit".to_owned());
        }
        if text.contains("..") {
            return Err("must not contain two dots in a row".to_owned());
        }
        if Self::RESERVED.contains(&text) {
            return Err("is reserved".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    /// Generates a readable local part: adjective, animal, number.
    #[must_use]
    pub fn readable(random: [u8; READABLE_RANDOM_BYTES]) -> Self {
        let [a, b, c, d, e, f] = random.map(usize::from);
        let adjective = ADJECTIVES[(a << 8 | b) % ADJECTIVES.len()];
        let animal = ANIMALS[(c << 8 | d) % ANIMALS.len()];
        Self(format!("{adjective}-{animal}-{}", 10 + (e << 8 | f) % 990))
    }

    /// Generates the local part of a temporary inbox: twelve lower-case letters and digits.
    #[must_use]
    pub fn temporary(random: [u8; TEMPORARY_RANDOM_BYTES]) -> Self {
        const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        let pick = |pair: &[u8]| char::from(ALPHABET[(usize::from(pair[0]) << 8 | usize::from(pair[1])) % 36]);
        Self(random.chunks_exact(2).map(pick).collect())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address with this local part at `domain`.
    #[must_use]
    pub fn at(&self, domain: &str) -> String {
        format!("{}@{domain}", self.0)
    }
}

impl fmt::Display for Username {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether promotions are filtered by default for the local part, which is the case for role names.
#[must_use]
pub fn is_role(username: &str) -> bool {
    ROLES.contains(&username)
}

const ADJECTIVES: &[&str] = &[
    "able", "agile", "amber", "apt", "bold", "brave", "breezy", "bright", "brisk", "calm", "candid", "cheery", "clear",
    "clever", "cosy", "crisp", "curious", "daring", "deft", "eager", "early", "fair", "fleet", "fond", "frank",
    "fresh", "gentle", "glad", "golden", "grand", "happy", "hardy", "honest", "jolly", "keen", "kind", "lively",
    "loyal", "lucid", "merry", "mellow", "mild", "neat", "nimble", "noble", "patient", "placid", "plucky", "polite",
    "prompt", "proud", "quick", "quiet", "ready", "sage", "silver", "snug", "spry", "steady", "sunny", "swift", "tidy",
    "vivid", "warm",
];

const ANIMALS: &[&str] = &[
    "badger", "bear", "beaver", "bison", "bittern", "bobcat", "camel", "condor", "crane", "crow", "curlew", "deer",
    "dove", "duck", "eagle", "egret", "elk", "falcon", "ferret", "finch", "fox", "gecko", "goose", "hare", "hawk",
    "heron", "horse", "ibex", "ibis", "jay", "kestrel", "kite", "koala", "lark", "lemur", "lynx", "magpie", "marten",
    "mole", "moose", "newt", "otter", "owl", "panda", "pigeon", "pony", "puffin", "quail", "rabbit", "raven", "robin",
    "seal", "sparrow", "stork", "swan", "swift", "tapir", "tern", "thrush", "toad", "trout", "turtle", "vole", "wren",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn valid_usernames_are_accepted() {
        let longest = "a".repeat(64);
        for fine in [
            "a",
            "0",
            "support",
            "bounce",
            "bounces-1",
            "first.last",
            "a-b_c.d",
            "agent007",
            "a--b",
            "a__b",
            longest.as_str(),
        ] {
            assert_eq!(Username::parse(fine).map(|name| name.to_string()), Ok(fine.to_owned()));
        }
    }

    #[test]
    fn invalid_usernames_are_rejected_with_the_reason() {
        let table = [
            ("", "1 to 64"),
            ("Support", "lower case"),
            ("a b", "only a to z"),
            ("a@b", "before the @"),
            ("a+b", "name+tag@"),
            ("a..b", "two dots"),
            (".a", "begin and end"),
            ("a.", "begin and end"),
            ("-a", "begin and end"),
            ("a_", "begin and end"),
            ("jürgen", "only a to z"),
            ("a\r\nb", "only a to z"),
            ("\"a\"", "only a to z"),
            ("mailer-daemon", "reserved"),
            ("mail-daemon", "reserved"),
            ("bounces", "reserved"),
            ("Bounces", "lower case"),
            ("bounces+1", "name+tag@"),
        ];
        for (name, words) in table {
            let problem = Username::parse(name).expect_err(name);
            assert!(problem.contains(words), "{name}: {problem}");
        }
        assert!(Username::parse(&"a".repeat(65)).is_err());
    }

    proptest! {
        #[test]
        fn generated_usernames_are_valid(readable: [u8; READABLE_RANDOM_BYTES], temporary: [u8; TEMPORARY_RANDOM_BYTES]) {
            let readable = Username::readable(readable);
            // Parsing rejects reserved names, so none is generated.
            prop_assert_eq!(Username::parse(readable.as_str()), Ok(readable.clone()));
            prop_assert_eq!(readable.as_str().split('-').count(), 3);
            let temporary = Username::temporary(temporary);
            prop_assert_eq!(Username::parse(temporary.as_str()), Ok(temporary.clone()));
            prop_assert_eq!(temporary.as_str().len(), TEMPORARY_CHARS);
        }
    }
}
