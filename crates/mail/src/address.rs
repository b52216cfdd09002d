//! Mail addresses: `local@domain` and `Name <local@domain>` (RFC 5321 §4.1.2, RFC 5322 §3.4, RFC 6531, RFC 5890).
//!
//! An [`Address`] or a [`Mailbox`] that exists is fit to stand in an SMTP command or a header field: neither ever holds
//! CR, LF, NUL or another control character. Nothing here looks anything up: whether a domain exists is asked elsewhere.

mod domain;
mod error;
mod local;
mod mailbox;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

pub use error::AddressError;
pub(crate) use local::is_invisible;
pub use mailbox::{Mailbox, NAME_BYTES_MAX};

use crate::limits::ADDRESS_BYTES_MAX;
use domain::Domain;
use local::Local;

/// Longest local part in bytes (RFC 5321 §4.5.3.1.1).
pub const LOCAL_BYTES_MAX: usize = 64;

/// Longest domain in bytes (RFC 5321 §4.5.3.1.2); DNS itself stops at 253 (RFC 1035 §2.3.4).
pub const DOMAIN_BYTES_MAX: usize = 255;

/// One addr-spec, checked. Cheap to clone.
///
/// Two addresses are equal when their [canonical](Address::canonical) forms are: letter case, needless quotes and
/// the spelling of an internationalised domain make no difference. The written case of the local part is kept.
#[derive(Clone)]
pub struct Address(Arc<Parts>);

struct Parts {
    local: Local,
    domain: Domain,
    canonical: String,
}

impl Address {
    /// Reads `local@domain`. The local part may be a quoted string; the domain is a host name, never an address literal.
    ///
    /// # Errors
    /// [`AddressError`] says in plain words what is wrong.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        Self::read(text, Domain::parse)
    }

    /// Like [`Address::parse`], and takes address literals (`[192.0.2.1]`, `[IPv6:2001:db8::1]`) as domain too
    /// (RFC 5321 §4.1.3). For SMTP commands only: no product rule should meet a literal.
    ///
    /// # Errors
    /// [`AddressError`] says in plain words what is wrong.
    pub fn parse_smtp(text: &str) -> Result<Self, AddressError> {
        Self::read(text, Domain::parse_smtp)
    }

    fn read(text: &str, domain_of: fn(&str) -> Result<Domain, AddressError>) -> Result<Self, AddressError> {
        if text.is_empty() {
            return Err(AddressError::Empty);
        }
        if text.len() > ADDRESS_BYTES_MAX {
            return Err(AddressError::TooLong { bytes_max: ADDRESS_BYTES_MAX });
        }
        if text.chars().any(char::is_control) {
            return Err(AddressError::ControlCharacter);
        }
        let (local, domain) = split(text)?;
        Self::of(Local::parse(local)?, domain_of(domain)?)
    }

    fn of(local: Local, domain: Domain) -> Result<Self, AddressError> {
        let canonical = format!("{}@{}", local.canonical(), domain.ascii());
        let bytes = (local.wire().len() + 1 + domain.display().len()).max(canonical.len());
        if bytes > ADDRESS_BYTES_MAX {
            return Err(AddressError::TooLong { bytes_max: ADDRESS_BYTES_MAX });
        }
        Ok(Self(Arc::new(Parts { local, domain, canonical })))
    }

    /// The local part as it stands in SMTP and in headers: its case kept, quoted only where it must be.
    #[must_use]
    pub fn local(&self) -> &str {
        self.0.local.wire()
    }

    /// The domain as DNS knows it: lower case, A-labels (RFC 5890 §2.3.2.1), or an address literal in brackets.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.domain.ascii()
    }

    /// The domain for people to read: lower case, U-labels if it was written with them.
    #[must_use]
    pub fn domain_display(&self) -> &str {
        self.0.domain.display()
    }

    /// The domain in U-labels, however it was written.
    #[must_use]
    pub fn domain_unicode(&self) -> String {
        self.0.domain.unicode()
    }

    /// The whole address in the form that look-ups compare: lower-cased local part, `@`, [`Address::domain`].
    #[must_use]
    pub fn canonical(&self) -> String {
        self.0.canonical.clone()
    }

    /// [`Address::canonical`] without a copy.
    #[must_use]
    pub fn canonical_str(&self) -> &str {
        &self.0.canonical
    }

    /// The form for `MAIL FROM` and `RCPT TO`: the local part as written, the domain in A-labels.
    /// Needs SMTPUTF8 (RFC 6531) exactly when [`Address::is_ascii`] is false.
    #[must_use]
    pub fn smtp_form(&self) -> String {
        format!("{}@{}", self.local(), self.domain())
    }

    /// What follows the first `+` of the local part: `Some("tag")` for `name+tag@domain`, `None` without one.
    /// A quoted local part has no tag.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.0.local.name_and_tag().map(|(_, tag)| tag)
    }

    /// `name@domain` for `name+tag@domain`, else the address itself.
    #[must_use]
    pub fn without_tag(&self) -> Self {
        let Some((name, _)) = self.0.local.name_and_tag() else {
            return self.clone();
        };
        match Local::parse(name) {
            // A shorter local part cannot break a length limit that the longer one kept.
            Ok(local) => Self::of(local, self.0.domain.clone()).unwrap_or_else(|_| self.clone()),
            Err(_) => self.clone(),
        }
    }

    /// Whether every peer can be told this address: the local part is ASCII (the domain always has an ASCII form).
    #[must_use]
    pub fn is_ascii(&self) -> bool {
        self.local().is_ascii()
    }

    /// Whether the domain is an address literal; only [`Address::parse_smtp`] makes such.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.domain().starts_with('[')
    }
}

/// Splits at the `@` that ends the local part: outside quotes, and the only one there.
fn split(text: &str) -> Result<(&str, &str), AddressError> {
    let at = if text.starts_with('"') {
        let close = local::closing_quote(text).ok_or(AddressError::Quotes)?;
        match text.as_bytes().get(close + 1) {
            Some(b'@') => close + 1,
            Some(_) => return Err(AddressError::Quotes),
            None => return Err(AddressError::MissingAt),
        }
    } else {
        text.find('@').ok_or(AddressError::MissingAt)?
    };
    let (local, domain) = (&text[..at], &text[at + 1..]);
    if local.is_empty() {
        return Err(AddressError::EmptyLocal);
    }
    if domain.is_empty() {
        return Err(AddressError::EmptyDomain);
    }
    if domain.contains('@') {
        return Err(AddressError::SecondAt);
    }
    Ok((local, domain))
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        Self::parse(text)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.local(), self.domain_display())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Address({self})")
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        self.0.canonical == other.0.canonical
    }
}

impl Eq for Address {}

impl Hash for Address {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.canonical.hash(state);
    }
}

impl Ord for Address {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.canonical.cmp(&other.0.canonical)
    }
}

impl PartialOrd for Address {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
