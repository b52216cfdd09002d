//! The author of a message: the single valid address of its only `From` field (RFC 5322 §3.6.2, RFC 6531).
//!
//! [`author`] is the only function that returns an address from a `From` field. Display, filters, the comparison with
//! the authenticated login and DMARC all use its result, so they can't disagree. There is no fallback: `Sender`, the
//! display name, comments and further `From` fields never provide the author.
//!
//! Parsing is lenient where real mail requires it, as long as no second address can hide. A field with one address in
//! angle brackets, or with one bare address, has that author regardless of its display text, unless the display text
//! contains an address of another domain outside quotes and encoded words.

mod display_name;
mod scan;

use std::fmt;

use crate::address::{Address, AddressError, Mailbox};
use crate::header::{HeaderBlock, HeaderFlaw};
use crate::parse::charset::{self, CharsetHints};
use display_name::AddressInText;
use scan::FromValue;

/// Maximum number of bytes of a `From` value that are parsed.
pub const FROM_BYTES_MAX: usize = 16_384;

/// The author of a message. Only [`author`] and its crate-internal variants create one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Author(Mailbox);

impl Author {
    /// Returns the address with a display name that is safe to show: without addresses of other domains and without
    /// invisible characters.
    #[must_use]
    pub fn mailbox(&self) -> &Mailbox {
        &self.0
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> &Address {
        self.0.address()
    }

    /// Returns the author with another display name.
    #[must_use]
    pub fn renamed(self, name: Option<&str>) -> Self {
        Self(Mailbox::cleaned(name, self.0.into_address()))
    }

    /// Returns the address with its display name, by value.
    #[must_use]
    pub fn into_mailbox(self) -> Mailbox {
        self.0
    }
}

/// Writes the display form: `Name <local@domain>` or only the address.
impl fmt::Display for Author {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// The reason a message has no author. The error message is addressed to the sender of the message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthorError {
    /// The header is ambiguous, or exceeds a limit.
    #[error("{0}")]
    Header(HeaderFlaw),
    /// There is no `From` field.
    #[error("The message has no From header (RFC 5322 section 3.6)")]
    MissingFrom,
    /// There are several `From` fields.
    #[error("The message must have exactly one From header (RFC 5322 section 3.6)")]
    RepeatedFrom,
    /// The value is longer than [`FROM_BYTES_MAX`].
    #[error("The From header must not be longer than {FROM_BYTES_MAX} bytes")]
    TooLong,
    /// The value contains a control character.
    #[error("The From header must not contain control characters (RFC 5322 section 3.2)")]
    ControlCharacter,
    /// The value contains no address.
    #[error("The From header must contain exactly one address (RFC 5322 section 3.6.2); it contains none")]
    NoAddress,
    /// The value contains several addresses, or an address of another domain next to the only one.
    #[error("The From header must contain exactly one address (RFC 5322 section 3.6.2); it contains more than one")]
    SeveralAddresses,
    /// The address isn't valid.
    #[error("The address in the From header is not valid (RFC 5322 section 3.4.1): {0}")]
    InvalidAddress(AddressError),
}

/// Parses the author of a message from its raw bytes.
///
/// # Errors
/// Returns the [`AuthorError`] reason if the message has no unambiguous author.
pub fn author(raw: &[u8]) -> Result<Author, AuthorError> {
    of_block(&HeaderBlock::cut(raw))
}

/// Returns the display name under which a sender of this service is shown and sent: without addresses, encoded words
/// (RFC 2047) and invisible characters. Readers show it unchanged. Returns `None` if nothing is left.
#[must_use]
pub fn own_name(name: &str) -> Option<String> {
    display_name::own_name(name)
}

/// Returns the mailbox that a sender of this service writes from, with its [`own_name`].
#[must_use]
pub fn own_mailbox(name: Option<&str>, address: Address) -> Mailbox {
    Mailbox::cleaned(name.and_then(own_name).as_deref(), address)
}

/// The addresses that the display text may contain, besides the author's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AllowedAddresses {
    /// Any address of the author's domain, as found in real mail.
    SameDomain,
    /// Only the author's own address.
    SameAddress,
}

impl AllowedAddresses {
    /// Returns whether an address in a text is allowed.
    fn allows(self, author: &Address, text: &str, named: &AddressInText) -> bool {
        match self {
            Self::SameDomain => named.domain.as_deref() == Some(author.domain()),
            Self::SameAddress => Address::parse_smtp(&text[named.range.clone()]).as_ref() == Ok(author),
        }
    }
}

/// Parses the author of a received message from its parsed header.
pub(crate) fn of_block(block: &HeaderBlock<'_>) -> Result<Author, AuthorError> {
    parse_block(block, AllowedAddresses::SameDomain, CharsetHints::default())
}

/// Like [`of_block`], with what the message shows about the character set of raw bytes. Only those of the display name
/// are decoded in it: the address and the rules for it are the same.
pub(crate) fn shown_in(block: &HeaderBlock<'_>, hints: CharsetHints<'_>) -> Result<Author, AuthorError> {
    parse_block(block, AllowedAddresses::SameDomain, hints)
}

/// Parses the author of a message to be sent. Stricter than [`of_block`], so that no recipient can parse a different
/// author.
pub(crate) fn parse_strict(block: &HeaderBlock<'_>) -> Result<Author, AuthorError> {
    parse_block(block, AllowedAddresses::SameAddress, CharsetHints::default())
}

fn parse_block(
    block: &HeaderBlock<'_>,
    allowed: AllowedAddresses,
    hints: CharsetHints<'_>,
) -> Result<Author, AuthorError> {
    if let Some(flaw) = block.flaw() {
        return Err(AuthorError::Header(flaw));
    }
    let mut fields = block.named("From");
    let field = fields.next().ok_or(AuthorError::MissingFrom)?;
    if fields.next().is_some() {
        return Err(AuthorError::RepeatedFrom);
    }
    parse_value(field.value, allowed, hints)
}

fn parse_value(value: &[u8], allowed: AllowedAddresses, hints: CharsetHints<'_>) -> Result<Author, AuthorError> {
    if value.len() > FROM_BYTES_MAX {
        return Err(AuthorError::TooLong);
    }
    // Unfolding removes the line ends and keeps the white space after them (RFC 5322 §2.2.3).
    let line: Vec<u8> = value.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        return Err(AuthorError::ControlCharacter);
    }
    let parts = scan::scan(&line)?;
    let address = parse_address(&parts.address)?;
    if !parts.named.iter().all(|text| has_only_allowed_addresses(text, &address, allowed)) {
        return Err(AuthorError::SeveralAddresses);
    }
    let is_allowed = |text: &str, named: &AddressInText| allowed.allows(&address, text, named);
    let name = display_name::safe_display_name(&display_text(&line, parts, hints), &is_allowed);
    Ok(Author(Mailbox::cleaned(name.as_deref(), address)))
}

/// Returns the display text of a value: decoded in the character set of the body if that has the same address, because
/// second bytes of a character look like quotes and escapes.
fn display_text(line: &[u8], parts: FromValue<'_>, hints: CharsetHints<'_>) -> Vec<u8> {
    let decoded = charset::decode_field(line, hints);
    let shown = scan::scan(decoded.as_bytes()).ok();
    shown.filter(|shown| shown.address == parts.address).map_or(parts.display, |shown| shown.display)
}

fn parse_address(bytes: &[u8]) -> Result<Address, AuthorError> {
    let text = std::str::from_utf8(bytes).map_err(|_| AuthorError::InvalidAddress(AddressError::NotUtf8))?;
    // RFC 2047 §5: an encoded word must not appear in an address. A reader that decodes it would see another address.
    if text.contains("=?") {
        return Err(AuthorError::InvalidAddress(AddressError::EncodedWord));
    }
    // The dot of the root, and a bracket that was never opened, hide nothing.
    let text = text.strip_suffix('>').filter(|text| !text.contains(['<', '>'])).unwrap_or(text);
    let text = text.strip_suffix('.').unwrap_or(text);
    // Host names can't contain underscores, but the domains of some real senders do.
    let address = Address::parse_smtp(text).map_err(AuthorError::InvalidAddress)?;
    // Nothing can authenticate an address literal.
    if address.is_literal() {
        return Err(AuthorError::InvalidAddress(AddressError::Literal));
    }
    // A quoted local part could contain a whole address, which readers would mistake for the author's.
    if address.local().contains('@') {
        return Err(AuthorError::InvalidAddress(AddressError::SecondAt));
    }
    Ok(address)
}

/// Returns whether every `@` in the display text belongs to an allowed address.
fn has_only_allowed_addresses(text: &[u8], author: &Address, allowed: AllowedAddresses) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let signs = text.matches(display_name::is_at).count();
    display_name::addresses(text).filter(|named| allowed.allows(author, text, named)).count() == signs
}

#[cfg(test)]
mod tests;
