//! A mailbox: an address with an optional display name (RFC 5322 §3.4), and comma-separated lists of them.
//!
//! A name never holds a control character, so that no mailbox can end a header field early. Encoded words (RFC 2047)
//! are neither read nor written here: names are Unicode, as in the API's JSON.

use std::fmt;
use std::str::FromStr;

use super::local::{is_atext, quote, unquote};
use super::{Address, AddressError};
use crate::limits::ADDRESS_BYTES_MAX;

/// Longest display name in bytes; an own limit, well above any real name.
pub const NAME_BYTES_MAX: usize = 512;

/// Longest text of one mailbox, in bytes: a name whose every byte is escaped, and the address.
const MAILBOX_BYTES_MAX: usize = 2 * NAME_BYTES_MAX + ADDRESS_BYTES_MAX + 8;

/// `Name <local@domain>` or a bare address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mailbox {
    address: Address,
    name: Option<String>,
}

impl Mailbox {
    /// A mailbox with a name as a person typed it. White space at its ends is dropped; an empty name is none.
    ///
    /// # Errors
    /// [`AddressError::ControlCharacter`] or [`AddressError::NameTooLong`].
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

    /// A mailbox with a name from received mail, which may hold anything: control characters become spaces, white space
    /// is folded, and what is past [`NAME_BYTES_MAX`] is cut.
    #[must_use]
    pub fn cleaned(name: Option<&str>, address: Address) -> Self {
        let Some(name) = name else {
            return Self::from(address);
        };
        let mut kept = String::new();
        for word in name.split(|next: char| next.is_control() || next.is_whitespace()).filter(|word| !word.is_empty()) {
            let gap = usize::from(!kept.is_empty());
            let room = NAME_BYTES_MAX.saturating_sub(kept.len() + gap);
            let end = word.floor_char_boundary(room);
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

    /// Reads `local@domain`, `<local@domain>`, `Name <local@domain>` or `"Name" <local@domain>`.
    ///
    /// # Errors
    /// [`AddressError`] says in plain words what is wrong; a comma outside quotes is an error here.
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

    /// Reads mailboxes separated by commas outside quotes; empty entries (`a@b,,c@d`) are passed over (RFC 5322 §4.4).
    ///
    /// # Errors
    /// The first thing wrong, or [`AddressError::TooMany`] past `count_max` mailboxes.
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

    /// The display name, without quotes; never empty.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The address.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The address, the name given up.
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

/// Whether a name may stand without quotes: words of `atext` with single spaces between (RFC 5322 §3.2.5), and nothing
/// that a reader would take for an encoded word.
fn is_phrase(name: &str) -> bool {
    !name.contains("=?")
        && name
            .split(' ')
            .all(|word| !word.is_empty() && word.chars().all(|next| is_atext(next) && !next.is_whitespace()))
}

/// Reads what stands before the `<`: quoted strings lose their quotes, white space between words becomes one space.
/// Characters that the grammar wants quoted are taken without quotes too, but for the comma, which separates mailboxes.
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

/// The first `wanted` that is not inside a quoted string.
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
