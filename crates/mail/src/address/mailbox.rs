//! A mailbox: an address with an optional display name (RFC 5322 §3.4), and comma-separated lists of them.
//!
//! A display name never contains a control character, so a mailbox can't end a header field early. Names are plain
//! Unicode: encoded words (RFC 2047) are neither decoded nor produced here.

use std::fmt;
use std::str::FromStr;

use super::local::{is_atext, quote, unquote};
use super::{Address, AddressError};
use crate::limits::ADDRESS_BYTES_MAX;

/// Maximum length of a display name in bytes. No RFC sets a limit; this one is well above any real name.
pub const NAME_BYTES_MAX: usize = 512;

/// Maximum length of the text of one mailbox in bytes: a fully escaped name and the address.
const MAILBOX_BYTES_MAX: usize = 2 * NAME_BYTES_MAX + ADDRESS_BYTES_MAX + 8;

/// A mailbox: `Name <local@domain>` or only an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mailbox {
    address: Address,
    name: Option<String>,
}

impl Mailbox {
    /// Creates a mailbox with a display name entered by a user. Trims the name; an empty name counts as no name.
    ///
    /// # Errors
    /// Returns [`AddressError::ControlCharacter`] or [`AddressError::NameTooLong`] if the name isn't valid.
    pub fn new(name: Option<&str>, address: Address) -> Result<Self, AddressError> {
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        if let Some(name) = name {
            if name.chars().any(char::is_control) {
                return Err(AddressError::ControlCharacter);
            }
            if name.len() > NAME_BYTES_MAX {
                return Err(AddressError::NameTooLong { bytes_max: NAME_BYTES_MAX });
            }
        }
        Ok(Self { address, name: name.map(str::to_owned) })
    }

    /// Creates a mailbox with an untrusted display name from received mail: control characters and white space collapse
    /// to one space, and the name is truncated to [`NAME_BYTES_MAX`].
    #[must_use]
    pub fn cleaned(name: Option<&str>, address: Address) -> Self {
        let Some(name) = name else {
            return Self::from(address);
        };
        let mut kept = String::new();
        for word in name.split(|next: char| next.is_control() || next.is_whitespace()).filter(|word| !word.is_empty()) {
            let gap = usize::from(!kept.is_empty());
            let remaining = NAME_BYTES_MAX.saturating_sub(kept.len() + gap);
            let end = word.floor_char_boundary(remaining);
            if end == 0 {
                break;
            }
            if gap == 1 {
                kept.push(' ');
            }
            kept.push_str(&word[..end]);
        }
        Self { address, name: Some(kept).filter(|name| !name.is_empty()) }
    }

    /// Parses `local@domain`, `<local@domain>`, `Name <local@domain>` or `"Name" <local@domain>`.
    ///
    /// # Errors
    /// Returns the [`AddressError`] that describes the first problem. A comma outside quotes is an error.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > MAILBOX_BYTES_MAX {
            return Err(AddressError::TooLong { bytes_max: MAILBOX_BYTES_MAX });
        }
        if text.chars().any(char::is_control) {
            return Err(AddressError::ControlCharacter);
        }
        let text = text.trim();
        let Some(open) = find_outside_quotes(text, '<')? else {
            return Address::parse(text).map(Self::from);
        };
        let inner = text[open + 1..].strip_suffix('>').ok_or(AddressError::Brackets)?;
        let name = read_name(&text[..open])?;
        Self::new(Some(&name), Address::parse(inner)?)
    }

    /// Parses a list of mailboxes separated by commas outside quotes. Skips empty entries (`a@b,,c@d`, RFC 5322 §4.4).
    ///
    /// # Errors
    /// Returns the first problem, or [`AddressError::TooMany`] if there are more than `count_max` mailboxes.
    pub fn parse_list(text: &str, count_max: usize) -> Result<Vec<Self>, AddressError> {
        let mut mailboxes = Vec::new();
        let mut rest = text;
        loop {
            let comma = find_outside_quotes(rest, ',')?;
            let entry = rest[..comma.unwrap_or(rest.len())].trim();
            if !entry.is_empty() {
                if mailboxes.len() == count_max {
                    return Err(AddressError::TooMany { count_max });
                }
                mailboxes.push(Self::parse(entry)?);
            }
            match comma {
                Some(index) => rest = &rest[index + 1..],
                None => return Ok(mailboxes),
            }
        }
    }

    /// Returns the display name without quotes. It is never empty.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the address.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Returns the address and discards the name.
    #[must_use]
    pub fn into_address(self) -> Address {
        self.address
    }
}

impl From<Address> for Mailbox {
    fn from(address: Address) -> Self {
        Self { address, name: None }
    }
}

impl FromStr for Mailbox {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        Self::parse(text)
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            None => write!(out, "{}", self.address),
            Some(name) if is_phrase(name) => write!(out, "{name} <{}>", self.address),
            Some(name) => write!(out, "{} <{}>", quote(name), self.address),
        }
    }
}

/// Returns whether a name can be written without quotes: `atext` words separated by single spaces (RFC 5322 §3.2.5),
/// and nothing that a reader could decode as an encoded word.
fn is_phrase(name: &str) -> bool {
    !name.contains("=?")
        && name
            .split(' ')
            .all(|word| !word.is_empty() && word.chars().all(|next| is_atext(next) && !next.is_whitespace()))
}

/// Parses the display name before the `<`: removes quotes, and collapses white space between words to one space.
/// Accepts unquoted special characters except the comma, which separates mailboxes.
fn read_name(text: &str) -> Result<String, AddressError> {
    let text = text.trim();
    if text.starts_with('"') && super::local::closing_quote(text) == Some(text.len() - 1) {
        return unquote(text);
    }
    let mut words: Vec<String> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let quoted_end = if rest.starts_with('"') { super::local::closing_quote(rest) } else { None };
        let (word, after) = match quoted_end {
            Some(end) => (unquote(&rest[..=end])?, &rest[end + 1..]),
            None => {
                let end = rest.find(|next: char| next.is_whitespace() || next == '"').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        if quoted_end.is_none() && word.contains(',') {
            return Err(AddressError::Comma);
        }
        if quoted_end.is_none() && word.contains('>') {
            return Err(AddressError::Brackets);
        }
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words.join(" "))
}

/// Returns the index of the first `wanted` outside quoted strings.
fn find_outside_quotes(text: &str, wanted: char) -> Result<Option<usize>, AddressError> {
    let (mut quoted, mut escaped) = (false, false);
    for (index, next) in text.char_indices() {
        match next {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            other if other == wanted && !quoted => return Ok(Some(index)),
            _ => {}
        }
    }
    if quoted { Err(AddressError::Quotes) } else { Ok(None) }
}
