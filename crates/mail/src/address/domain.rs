//! The part after the `@`: a domain name (RFC 5321 §4.1.2, RFC 5891, UTS #46) or an address literal (RFC 5321 §4.1.3).
//!
//! Syntax only: whether a name is public, local or exists is for others to say.

use std::net::{Ipv4Addr, Ipv6Addr};

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

use super::local::is_invisible;
use super::{AddressError, DOMAIN_BYTES_MAX};

/// A checked domain in the two spellings that are needed.
#[derive(Clone)]
pub(super) struct Domain {
    ascii: String,
    /// Only where it differs from `ascii`.
    unicode: Option<String>,
}

impl Domain {
    /// Reads a domain name.
    pub(super) fn parse(text: &str) -> Result<Self, AddressError> {
        if text.starts_with('[') {
            return Err(AddressError::Literal);
        }
        check_characters(text)?;
        if text.is_ascii() && text.len() > DOMAIN_BYTES_MAX {
            return Err(AddressError::DomainTooLong { bytes_max: DOMAIN_BYTES_MAX });
        }
        let ascii = Uts46::new()
            .to_ascii(text.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::Verify)
            .map_err(|_| {
                if text.is_ascii() && !has_a_label(text) { AddressError::Domain } else { AddressError::DomainIdn }
            })?
            .into_owned();
        if ascii.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit())) {
            return Err(AddressError::DomainNumeric);
        }
        let unicode = if text.is_ascii() { None } else { Some(unicode_of(&ascii)?) };
        Ok(Self { unicode: unicode.filter(|display| *display != ascii), ascii })
    }

    /// Reads a domain name, one with underscores too (no host has such a name, but real senders do), or an address
    /// literal.
    pub(super) fn parse_smtp(text: &str) -> Result<Self, AddressError> {
        let Some(inner) = text.strip_prefix('[') else {
            if text.is_ascii() && text.contains('_') {
                // All but the underscores must be as in any name.
                let ascii = Self::parse(&text.replace('_', "u")).map(|_| text.to_ascii_lowercase())?;
                return Ok(Self { ascii, unicode: None });
            }
            return Self::parse(text);
        };
        let inner = inner.strip_suffix(']').ok_or(AddressError::Literal)?;
        let ascii = match inner.get(..5) {
            Some(tag) if tag.eq_ignore_ascii_case("ipv6:") => {
                let address: Ipv6Addr = inner[5..].parse().map_err(|_| AddressError::Literal)?;
                format!("[IPv6:{address}]")
            }
            _ => {
                let address: Ipv4Addr = inner.parse().map_err(|_| AddressError::Literal)?;
                format!("[{address}]")
            }
        };
        Ok(Self { ascii, unicode: None })
    }

    pub(super) fn ascii(&self) -> &str {
        &self.ascii
    }

    /// In U-labels, however it was written; as it is where that cannot be.
    pub(super) fn unicode(&self) -> String {
        unicode_of(&self.ascii).unwrap_or_else(|_| self.ascii.clone())
    }

    pub(super) fn display(&self) -> &str {
        self.unicode.as_deref().unwrap_or(&self.ascii)
    }
}

/// UTS #46 would drop or map some of these silently; a person should hear of them.
fn check_characters(text: &str) -> Result<(), AddressError> {
    if text.chars().any(char::is_control) {
        return Err(AddressError::ControlCharacter);
    }
    if text.chars().any(char::is_whitespace) {
        return Err(AddressError::Space);
    }
    if text.chars().any(is_invisible) {
        return Err(AddressError::InvisibleCharacter);
    }
    Ok(())
}

fn has_a_label(text: &str) -> bool {
    text.split('.').any(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
}

fn unicode_of(ascii: &str) -> Result<String, AddressError> {
    let (unicode, checked) = Uts46::new().to_unicode(ascii.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast);
    checked.map_err(|_| AddressError::DomainIdn)?;
    Ok(unicode.into_owned())
}
