//! Email addresses: `local@domain` and `Name <local@domain>` (RFC 5321 §4.1.2, RFC 5322 §3.4, RFC 6531, RFC 5890).
//!
//! Every [`Address`] and [`Mailbox`] is safe to write into an SMTP command or a header field: neither contains CR, LF,
//! NUL or another control character. This module checks syntax only; it doesn't query DNS.

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
use domain::AddressDomain;
use local::LocalPart;

/// Maximum length of a local part in bytes (RFC 5321 §4.5.3.1.1).
pub const LOCAL_BYTES_MAX: usize = 64;

/// Maximum length of a domain in bytes (RFC 5321 §4.5.3.1.2). DNS allows only 253 (RFC 1035 §2.3.4).
pub const DOMAIN_BYTES_MAX: usize = 255;

/// A valid email address (RFC 5322 `addr-spec`). Cheap to clone.
///
/// Two addresses are equal if their [canonical](Address::canonical) forms are equal: letter case, unnecessary quotes, the
/// Unicode normalization form and the spelling of an internationalized domain don't matter. The local part keeps its
/// original spelling.
#[derive(Clone)]
pub struct Address(Arc<AddressParts>);

struct AddressParts {
    local: LocalPart,
    domain: AddressDomain,
    canonical: String,
}

impl Address {
    /// Parses `local@domain`. The local part may be a quoted string; the domain must be a host name, not an address
    /// literal.
    ///
    /// # Errors
    /// Returns the [`AddressError`] that describes the first problem.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        Self::parse_with(text, AddressDomain::parse)
    }

    /// Like [`Address::parse`], but also accepts an address literal (`[192.0.2.1]`, `[IPv6:2001:db8::1]`) as the domain
    /// (RFC 5321 §4.1.3) and a domain with underscores. Use it for SMTP commands only.
    ///
    /// # Errors
    /// Returns the [`AddressError`] that describes the first problem.
    pub fn parse_smtp(text: &str) -> Result<Self, AddressError> {
        Self::parse_with(text, AddressDomain::parse_smtp)
    }

    fn parse_with(
        text: &str,
        parse_domain: fn(&str) -> Result<AddressDomain, AddressError>,
    ) -> Result<Self, AddressError> {
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
        Self::of(LocalPart::parse(local)?, parse_domain(domain)?)
    }

    fn of(local: LocalPart, domain: AddressDomain) -> Result<Self, AddressError> {
        let canonical = format!("{}@{}", local.canonical(), domain.ascii());
        let bytes = (local.wire().len() + 1 + domain.display().len()).max(canonical.len());
        if bytes > ADDRESS_BYTES_MAX {
            return Err(AddressError::TooLong { bytes_max: ADDRESS_BYTES_MAX });
        }
        Ok(Self(Arc::new(AddressParts { local, domain, canonical })))
    }

    /// Returns the local part as written in SMTP and in headers: with its original case, and quoted only if required.
    #[must_use]
    pub fn local(&self) -> &str {
        self.0.local.wire()
    }

    /// Returns the domain in its DNS form: lower case with A-labels (RFC 5890 §2.3.2.1), or an address literal in
    /// brackets.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.domain.ascii()
    }

    /// Returns the domain for display: lower case, with U-labels if the input contained them.
    #[must_use]
    pub fn domain_display(&self) -> &str {
        self.0.domain.display()
    }

    /// Returns the domain with U-labels, even if the input contained A-labels.
    #[must_use]
    pub fn domain_unicode(&self) -> String {
        self.0.domain.unicode()
    }

    /// Returns the canonical form, which comparisons and lookups use: the local part in lower case and normalization form
    /// C, `@`, [`Address::domain`].
    #[must_use]
    pub fn canonical(&self) -> String {
        self.0.canonical.clone()
    }

    /// Returns [`Address::canonical`] without copying it.
    #[must_use]
    pub fn canonical_str(&self) -> &str {
        &self.0.canonical
    }

    /// Returns the local part of [`Address::canonical`].
    #[must_use]
    pub fn canonical_local(&self) -> &str {
        let end = self.0.canonical.len() - self.0.domain.ascii().len() - "@".len();
        &self.0.canonical[..end]
    }

    /// Returns the form for `MAIL FROM` and `RCPT TO`: the original local part and the domain with A-labels.
    /// It requires SMTPUTF8 (RFC 6531) if [`Address::is_ascii`] is false.
    #[must_use]
    pub fn smtp_form(&self) -> String {
        format!("{}@{}", self.local(), self.domain())
    }

    /// Returns the text after the first `+` of the local part: `Some("tag")` for `name+tag@domain`, `None` without a
    /// `+`. A quoted local part has no tag.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.0.local.name_and_tag().map(|(_, tag)| tag)
    }

    /// Returns `name@domain` for `name+tag@domain`; otherwise, returns the address unchanged.
    #[must_use]
    pub fn without_tag(&self) -> Self {
        let Some((name, _)) = self.0.local.name_and_tag() else {
            return self.clone();
        };
        match LocalPart::parse(name) {
            // Removing the tag only shortens the local part, so the length limits still hold.
            Ok(local) => Self::of(local, self.0.domain.clone()).unwrap_or_else(|_| self.clone()),
            Err(_) => self.clone(),
        }
    }

    /// Returns whether the address can be sent without SMTPUTF8: whether its local part is ASCII. The domain always has
    /// an ASCII form.
    #[must_use]
    pub fn is_ascii(&self) -> bool {
        self.local().is_ascii()
    }

    /// Returns whether the domain is an address literal. Only [`Address::parse_smtp`] accepts those.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.domain().starts_with('[')
    }
}

/// Splits at the `@` that ends the local part. Fails if there is another `@` outside quotes.
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
