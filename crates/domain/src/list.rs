//! Allow and block lists: their patterns, what a pattern matches, and the decision of all entries of a direction. Pure.

use icu_normalizer::ComposingNormalizerBorrowed;
use posthouse_mail::address::Address;

use crate::{
    id::{InboxId, ListEntryId, WorkspaceId},
    time::Time,
};

/// The maximum number of entries of a workspace, and of one inbox.
pub const ENTRIES_MAX: usize = 1_000;
/// The longest pattern in characters: that of an address.
pub const PATTERN_CHARS_MAX: usize = 320;
/// The maximum number of domain levels that are matched.
const LEVELS_MAX: usize = 10;

named! {
    /// The mail that a list applies to.
    ListDirection {
        /// Received mail, by its sender.
        Receive = "receive",
        /// New outgoing mail, by its recipients.
        Send = "send",
        /// Replies, by the participants of the message that is replied to.
        Reply = "reply",
    }
    /// The effect of an entry.
    ListKind {
        /// Allows what matches. Once a direction has an allow entry, everything else is blocked.
        Allow = "allow",
        /// Blocks what matches, even if another entry allows it.
        Block = "block",
    }
    /// The kind of a pattern.
    ListPatternKind {
        /// One address.
        Address = "address",
        /// A domain with its subdomains.
        Domain = "domain",
        /// A class of senders.
        Token = "token",
    }
    /// A class of senders; only for the direction `receive`.
    SenderClass {
        /// Any agent of this server, in any workspace.
        AnyAgent = "agents:any",
        /// An agent with a card, in a workspace that a person owns, whose copy is signed.
        VerifiedAgent = "agents:verified",
        /// An agent of the same workspace.
        OwnWorkspace = "workspace:self",
    }
}

/// The pattern of an entry, in the form that is stored and compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListPattern {
    pub kind: ListPatternKind,
    /// Its text: a canonical address, a lower-case domain in A-labels, or a token.
    pub text: String,
}

impl ListPattern {
    /// Parses a pattern from a request.
    ///
    /// # Errors
    /// Describes the problem if the pattern is invalid.
    pub fn parse(text: &str, direction: ListDirection) -> Result<Self, String> {
        let text = text.trim();
        if let Some(token) = SenderClass::parse(text) {
            if direction != ListDirection::Receive {
                return Err(format!("{text} can only be used with the direction `receive`"));
            }
            return Ok(Self { kind: ListPatternKind::Token, text: token.text().to_owned() });
        }
        let looks_like_token = ["agents:", "workspace:"].iter().any(|start| text.starts_with(start));
        if looks_like_token {
            return Err(
                "is not a known token; the tokens are `agents:any`, `agents:verified` and `workspace:self`".to_owned()
            );
        }
        match text.strip_prefix('@') {
            Some(domain) => Self::domain(domain),
            None if text.contains('@') => Address::parse(text)
                .map(|address| Self { kind: ListPatternKind::Address, text: address.canonical() })
                .map_err(|problem| format!("is not a valid address: {problem}")),
            None => Self::domain(text),
        }
    }

    fn domain(text: &str) -> Result<Self, String> {
        if text.starts_with("*.") {
            return Err("must not start with `*.`; a domain also matches its subdomains".to_owned());
        }
        domain_text(text)
            .map(|text| Self { kind: ListPatternKind::Domain, text })
            .ok_or_else(|| "must be an address, a domain or a token".to_owned())
    }
}

/// Returns a domain in the stored form: lower case, in A-labels.
#[must_use]
pub fn domain_text(text: &str) -> Option<String> {
    Address::parse(&format!("x@{}", text.trim_end_matches('.'))).ok().map(|address| address.domain().to_owned())
}

/// Returns a search text for addresses in Unicode normalization form C and, if it contains a domain, with that in A-labels.
#[must_use]
pub fn searched_text(text: &str) -> String {
    let text = text.trim();
    let is_plain = text.is_ascii() || text.contains(char::is_whitespace);
    let canonical = match text.split_once('@') {
        _ if is_plain => None,
        Some(("", domain)) => domain_text(domain).map(|domain| format!("@{domain}")),
        Some(_) => Address::parse(text).ok().map(|address| address.canonical()),
        None if text.contains('.') => domain_text(text),
        None => None,
    };
    canonical.unwrap_or_else(|| ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned())
}

/// Returns every pattern that matches an address: the address, its domain, and all parent domains.
#[must_use]
pub fn patterns_of(address: &Address) -> Vec<String> {
    let mut patterns = vec![address.canonical()];
    let mut domain = address.domain();
    for _ in 0..LEVELS_MAX {
        patterns.push(domain.to_owned());
        match domain.split_once('.') {
            Some((_, above)) if !above.is_empty() => domain = above,
            _ => break,
        }
    }
    patterns
}

/// The authentication result of a message's author, as far as allow entries depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AuthorTrust {
    /// SPF or DKIM authenticated the author's domain, and nothing failed.
    Authenticated,
    /// Nothing failed, but nothing authenticated the author's domain.
    NotFailed,
    /// SPF or DMARC failed or gave no result, or there is no author.
    Failed,
}

impl AuthorTrust {
    /// Returns whether an allow entry may match such a message.
    #[must_use]
    pub fn fits_allow(self, require_auth: bool) -> bool {
        match self {
            Self::Authenticated => true,
            Self::NotFailed => !require_auth,
            Self::Failed => false,
        }
    }
}

/// The entries that match one sender or recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListEntryMatches {
    /// Whether an allow entry matches.
    pub allowed: bool,
    /// Whether a block entry matches.
    pub blocked: bool,
}

impl ListEntryMatches {
    /// Returns whether the lists block it. `allow_only` means that the direction has an allow entry for any address.
    #[must_use]
    pub fn stop(self, allow_only: bool) -> bool {
        self.blocked || (allow_only && !self.allowed)
    }
}

/// An entry as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListEntry {
    pub workspace: WorkspaceId,
    pub id: ListEntryId,
    /// The inbox it applies to; `None` means all inboxes of the workspace.
    pub inbox: Option<InboxId>,
    /// The mail it applies to.
    pub direction: ListDirection,
    /// Its effect.
    pub kind: ListKind,
    pub pattern: ListPattern,
    /// For allow entries of received mail: whether to match only authors that SPF or DKIM authenticated.
    pub require_auth: bool,
    pub created_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(ListPatternKind, String), String> {
        ListPattern::parse(text, ListDirection::Receive).map(|pattern| (pattern.kind, pattern.text))
    }

    #[test]
    fn patterns_are_normalized() {
        let table = [
            ("A@B.com", ListPatternKind::Address, "a@b.com"),
            (" a+tag@b.com ", ListPatternKind::Address, "a+tag@b.com"),
            ("B.Com", ListPatternKind::Domain, "b.com"),
            ("@b.com", ListPatternKind::Domain, "b.com"),
            ("b.com.", ListPatternKind::Domain, "b.com"),
            ("Jo\u{308}RG@b.com", ListPatternKind::Address, "jörg@b.com"),
            ("Bücher.example", ListPatternKind::Domain, "xn--bcher-kva.example"),
            ("agents:any", ListPatternKind::Token, "agents:any"),
            ("agents:verified", ListPatternKind::Token, "agents:verified"),
            ("workspace:self", ListPatternKind::Token, "workspace:self"),
        ];
        for (given, kind, stored) in table {
            assert_eq!(parse(given), Ok((kind, stored.to_owned())), "{given}");
        }
        for bad in
            ["", "@", "a@", "a@b@c", "*.b.com", "agents:none", "workspace:other", "a b.com", "a@b..com", "b..com"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
        for token in ["agents:any", "agents:verified", "workspace:self"] {
            assert!(ListPattern::parse(token, ListDirection::Send).is_err());
            assert!(ListPattern::parse(token, ListDirection::Reply).is_err());
        }
    }

    #[test]
    fn search_texts_are_normalized_like_stored_addresses() {
        for (given, looked_for) in [
            ("bücher.example", "xn--bcher-kva.example"),
            ("@Bücher.example", "@xn--bcher-kva.example"),
            ("Jörg@bücher.example", "jörg@xn--bcher-kva.example"),
            ("xn--bcher-kva", "xn--bcher-kva"),
            ("Jörg", "Jörg"),
            ("J. Müller", "J. Müller"),
            ("J. Mu\u{308}ller", "J. Müller"),
            ("Jo\u{308}rg@bücher.example", "jörg@xn--bcher-kva.example"),
            ("acme.com", "acme.com"),
        ] {
            assert_eq!(searched_text(given), looked_for, "{given}");
        }
    }

    #[test]
    fn address_is_matched_by_itself_and_all_parent_domains() {
        let address = Address::parse("A@x.y.Example").expect("an address");
        assert_eq!(patterns_of(&address), ["a@x.y.example", "x.y.example", "y.example", "example"]);
        let deep = Address::parse(&format!("a@{}example", "x.".repeat(40))).expect("an address");
        assert_eq!(patterns_of(&deep).len(), 1 + LEVELS_MAX);
    }

    #[test]
    fn block_overrides_allow_and_an_allow_entry_blocks_the_rest() {
        let hits = |allowed, blocked| ListEntryMatches { allowed, blocked };
        let table = [
            (hits(false, false), false, false),
            (hits(false, false), true, true),
            (hits(true, false), true, false),
            (hits(true, true), true, true),
            (hits(false, true), false, true),
        ];
        for (hits, allow_only, stopped) in table {
            assert_eq!(hits.stop(allow_only), stopped, "{hits:?} {allow_only}");
        }
    }
}
