//! The author of a message: the single valid address of its only From field (RFC 5322 §3.6.2, RFC 6531).
//!
//! [`author`] is the only function that returns an address from a From field. What is shown, filtered, compared with a login
//! and judged by DMARC is its result, so these can't disagree. Nothing stands in for the author: not Sender, not a display
//! name, not a comment, not a second field.
//!
//! Reading is lenient where real mail needs it and no second address can hide: a field with one address in angle brackets, or
//! one bare address, has that author whatever its display text holds, as long as no other address of another domain stands
//! in that text outside of quotes and encoded words.

mod display_name;
mod scan;

use std::fmt;

use crate::address::{Address, AddressError, Mailbox};
use crate::header::{Block, HeaderFlaw};

/// Most bytes of a From value that are read.
pub const FROM_BYTES_MAX: usize = 16_384;

/// The author of a message. Made by [`author`] alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Author(Mailbox);

impl Author {
    /// The address, with the display name as it may be shown: without an address of another domain, without invisible
    /// characters.
    #[must_use]
    pub fn mailbox(&self) -> &Mailbox {
        &self.0
    }

    /// The address.
    #[must_use]
    pub fn address(&self) -> &Address {
        self.0.address()
    }

    /// The address with its display name.
    #[must_use]
    pub fn into_mailbox(self) -> Mailbox {
        self.0
    }
}

/// The form that is shown: `Name <local@domain>` or the bare address.
impl fmt::Display for Author {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// Why a message has no author. The text is for its sender.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAuthor {
    /// The header can be read in more than one way, or is past its limits.
    #[error("{0}")]
    Header(HeaderFlaw),
    /// There is no From field.
    #[error("The message has no From header (RFC 5322 section 3.6)")]
    Missing,
    /// There are several From fields.
    #[error("The message must have exactly one From header (RFC 5322 section 3.6)")]
    Repeated,
    /// The value is longer than [`FROM_BYTES_MAX`].
    #[error("The From header must not be longer than {FROM_BYTES_MAX} bytes")]
    TooLong,
    /// A control character stands in the value.
    #[error("The From header must not contain control characters (RFC 5322 section 3.2)")]
    ControlCharacter,
    /// The value names no address.
    #[error("The From header must contain exactly one address (RFC 5322 section 3.6.2); it contains none")]
    NoAddress,
    /// The value names several addresses, or an address of another domain stands beside the only one.
    #[error("The From header must contain exactly one address (RFC 5322 section 3.6.2); it contains more than one")]
    SeveralAddresses,
    /// The address breaks the syntax.
    #[error("The address in the From header is not valid (RFC 5322 section 3.4.1): {0}")]
    InvalidAddress(AddressError),
}

/// The author of a message, from its raw bytes.
///
/// # Errors
/// [`NoAuthor`] says which rule the message breaks.
pub fn author(raw: &[u8]) -> Result<Author, NoAuthor> {
    of_block(&Block::cut(raw))
}

/// What may stand beside the author's address in the display text, outside of quotes and encoded words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// Addresses of the author's domain, as real mail has them.
    SameDomain,
    /// The author's address alone.
    SameAddress,
}

/// The author of a received message whose header is cut already.
pub(crate) fn of_block(block: &Block<'_>) -> Result<Author, NoAuthor> {
    read(block, Beside::SameDomain)
}

/// The author of a message that leaves from here: readers elsewhere must not find another inbox in it.
pub(crate) fn strictly(block: &Block<'_>) -> Result<Author, NoAuthor> {
    read(block, Beside::SameAddress)
}

fn read(block: &Block<'_>, beside: Beside) -> Result<Author, NoAuthor> {
    if let Some(flaw) = block.flaw() {
        return Err(NoAuthor::Header(flaw));
    }
    let mut fields = block.named("From");
    let field = fields.next().ok_or(NoAuthor::Missing)?;
    if fields.next().is_some() {
        return Err(NoAuthor::Repeated);
    }
    of_value(field.value, beside)
}

fn of_value(value: &[u8], beside: Beside) -> Result<Author, NoAuthor> {
    if value.len() > FROM_BYTES_MAX {
        return Err(NoAuthor::TooLong);
    }
    // Unfolding takes the line ends away and leaves the blanks behind them (RFC 5322 §2.2.3).
    let line: Vec<u8> = value.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        return Err(NoAuthor::ControlCharacter);
    }
    let found = scan::scan(&line)?;
    let address = read_address(found.address)?;
    if !found.named.iter().all(|text| is_author_again(text, &address, beside)) {
        return Err(NoAuthor::SeveralAddresses);
    }
    let name = display_name::shown(&found.display, &address);
    Ok(Author(Mailbox::cleaned(name.as_deref(), address)))
}

fn read_address(bytes: &[u8]) -> Result<Address, NoAuthor> {
    let text = std::str::from_utf8(bytes).map_err(|_| NoAuthor::InvalidAddress(AddressError::NotUtf8))?;
    // RFC 2047 §5: an encoded word must not appear in an address. Who decodes it would read another one.
    if text.contains("=?") {
        return Err(NoAuthor::InvalidAddress(AddressError::EncodedWord));
    }
    // Host names have no underscores, but the domains of real senders do.
    let address = Address::parse_smtp(text).map_err(NoAuthor::InvalidAddress)?;
    // Nothing can authenticate an address literal.
    if address.is_literal() {
        return Err(NoAuthor::InvalidAddress(AddressError::Literal));
    }
    // A quoted local part could hold a whole address, which a person would read as the author's.
    if address.local().contains('@') {
        return Err(NoAuthor::InvalidAddress(AddressError::SecondAt));
    }
    Ok(address)
}

/// Whether every `@` in a piece of display text belongs to an address that names nobody else.
fn is_author_again(text: &[u8], author: &Address, beside: Beside) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let signs = text.matches(display_name::is_at).count();
    let is_same = |named: &display_name::Named| match beside {
        Beside::SameDomain => named.domain.as_deref() == Some(author.domain()),
        Beside::SameAddress => Address::parse_smtp(&text[named.range.clone()]).as_ref() == Ok(author),
    };
    display_name::addresses(text).filter(is_same).count() == signs
}

#[cfg(test)]
mod tests;
