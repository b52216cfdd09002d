//! Allow and block lists (contract §13.1): what an entry may be, what it matches, and what the entries of a direction
//! decide together. Pure.

use posthouse_mail::address::Address;

use crate::{
    id::{InboxId, ListEntryId, WorkspaceId},
    time::Time,
};

/// Most entries of a workspace, and of one inbox.
pub const ENTRIES_MAX: usize = 1_000;
/// Longest pattern as given, in characters: an address.
pub const PATTERN_CHARS_MAX: usize = 320;
/// Most levels of a domain that are matched.
const LEVELS_MAX: usize = 10;

named! {
    /// What a list decides about.
    ListDirection {
        /// Mail that comes in: about its sender.
        Receive = "receive",
        /// Mail that is sent by itself: about its recipients.
        Send = "send",
        /// Answers: about those who took part in what is answered.
        Reply = "reply",
    }
    /// What an entry does.
    ListKind {
        /// Lets through; with one such entry nothing else is let through.
        Allow = "allow",
        /// Stops, whatever else lets through.
        Block = "block",
    }
    /// What a pattern is.
    PatternType {
        /// One address.
        Address = "address",
        /// A domain with its subdomains.
        Domain = "domain",
        /// A sort of sender.
        Token = "token",
    }
    /// A sort of sender; of the direction `receive` alone.
    Token {
        /// An agent of this server, whoever it belongs to.
        AnyAgent = "agents:any",
        /// An agent whose signature and card are in order.
        VerifiedAgent = "agents:verified",
        /// An agent of the same workspace.
        OwnWorkspace = "workspace:self",
    }
}

/// What an entry matches, in the form that is stored and compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternType,
    /// Its text: a canonical address, a lower-case domain in A-labels, a token.
    pub text: String,
}

impl Pattern {
    /// Reads what a caller gave.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, direction: ListDirection) -> Result<Self, String> {
        let text = text.trim();
        if let Some(token) = Token::parse(text) {
            if direction != ListDirection::Receive {
                return Err(format!("{text} is for the direction receive alone"));
            }
            return Ok(Self { kind: PatternType::Token, text: token.text().to_owned() });
        }
        let looks_like_token = ["agents:", "workspace:"].iter().any(|start| text.starts_with(start));
        if looks_like_token {
            return Err("must be agents:any, agents:verified or workspace:self, if it is to be a token".to_owned());
        }
        match text.strip_prefix('@') {
            Some(domain) => Self::domain(domain),
            None if text.contains('@') => Address::parse(text)
                .map(|address| Self { kind: PatternType::Address, text: address.canonical() })
                .map_err(|problem| format!("is no address: {problem}")),
            None => Self::domain(text),
        }
    }

    fn domain(text: &str) -> Result<Self, String> {
        if text.starts_with("*.") {
            return Err("must be written without *.; a domain matches its subdomains too".to_owned());
        }
        domain_text(text)
            .map(|text| Self { kind: PatternType::Domain, text })
            .ok_or_else(|| "must be an address, a domain or a token".to_owned())
    }
}

/// A domain in the form that is stored: lower case, A-labels.
#[must_use]
pub fn domain_text(text: &str) -> Option<String> {
    Address::parse(&format!("x@{}", text.trim_end_matches('.'))).ok().map(|address| address.domain().to_owned())
}

/// A part of an address as look-ups compare it: the domain in it, if one can be seen, in A-labels.
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
    canonical.unwrap_or_else(|| text.to_owned())
}

/// Every pattern that matches an address: itself, its domain, and the domains above.
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

/// What authentication found about the author of a mail, as far as allow entries depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// SPF or DKIM authenticates the author's domain, and nothing failed.
    Authenticated,
    /// Nothing failed.
    NotFailed,
    /// SPF or DMARC failed or gave no result, or there is no author.
    Failed,
}

impl Trust {
    /// Whether an allow entry may match such mail.
    #[must_use]
    pub fn fits_allow(self, require_auth: bool) -> bool {
        match self {
            Self::Authenticated => true,
            Self::NotFailed => !require_auth,
            Self::Failed => false,
        }
    }
}

/// Entries that match one sender or recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hits {
    /// Some entry lets through.
    pub allowed: bool,
    /// Some entry stops.
    pub blocked: bool,
}

impl Hits {
    /// Whether the lists stop it. `allow_only`: there is an allow entry of the direction, for anybody.
    #[must_use]
    pub fn stop(self, allow_only: bool) -> bool {
        self.blocked || (allow_only && !self.allowed)
    }
}

/// An entry as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListEntry {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: ListEntryId,
    /// The inbox it is for; none: every inbox of the workspace.
    pub inbox: Option<InboxId>,
    /// What it decides about.
    pub direction: ListDirection,
    /// What it does.
    pub kind: ListKind,
    /// What it matches.
    pub pattern: Pattern,
    /// Of an allow entry for mail that comes in: whether it matches only authors that SPF or DKIM authenticates.
    pub require_auth: bool,
    /// Since when.
    pub created_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(PatternType, String), String> {
        Pattern::parse(text, ListDirection::Receive).map(|pattern| (pattern.kind, pattern.text))
    }

    #[test]
    fn patterns_are_stored_in_one_form() {
        let table = [
            ("A@B.com", PatternType::Address, "a@b.com"),
            (" a+tag@b.com ", PatternType::Address, "a+tag@b.com"),
            ("B.Com", PatternType::Domain, "b.com"),
            ("@b.com", PatternType::Domain, "b.com"),
            ("b.com.", PatternType::Domain, "b.com"),
            ("Bücher.example", PatternType::Domain, "xn--bcher-kva.example"),
            ("agents:any", PatternType::Token, "agents:any"),
            ("agents:verified", PatternType::Token, "agents:verified"),
            ("workspace:self", PatternType::Token, "workspace:self"),
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
            assert!(Pattern::parse(token, ListDirection::Send).is_err());
            assert!(Pattern::parse(token, ListDirection::Reply).is_err());
        }
    }

    #[test]
    fn what_is_looked_for_has_the_form_that_is_stored() {
        for (given, looked_for) in [
            ("bücher.example", "xn--bcher-kva.example"),
            ("@Bücher.example", "@xn--bcher-kva.example"),
            ("Jörg@bücher.example", "jörg@xn--bcher-kva.example"),
            ("xn--bcher-kva", "xn--bcher-kva"),
            ("Jörg", "Jörg"),
            ("J. Müller", "J. Müller"),
            ("acme.com", "acme.com"),
        ] {
            assert_eq!(searched_text(given), looked_for, "{given}");
        }
    }

    #[test]
    fn an_address_is_matched_by_itself_and_every_domain_above() {
        let address = Address::parse("A@x.y.Example").expect("an address");
        assert_eq!(patterns_of(&address), ["a@x.y.example", "x.y.example", "y.example", "example"]);
        let deep = Address::parse(&format!("a@{}example", "x.".repeat(40))).expect("an address");
        assert_eq!(patterns_of(&deep).len(), 1 + LEVELS_MAX);
    }

    #[test]
    fn block_beats_allow_and_an_allow_entry_closes_the_rest() {
        let hits = |allowed, blocked| Hits { allowed, blocked };
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
