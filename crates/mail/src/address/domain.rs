//! The part after the `@`: a domain name (RFC 5321 §4.1.2, RFC 5891, UTS #46) or an address literal (RFC 5321 §4.1.3).
//!
//! Checks syntax only, not whether a name is public or exists.

use std::net::{Ipv4Addr, Ipv6Addr};

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

use super::local::is_invisible;
use super::{AddressError, DOMAIN_BYTES_MAX};

/// A valid domain with A-labels and, if it differs, with U-labels.
#[derive(Clone)]
pub(super) struct AddressDomain {
    ascii: String,
    /// `None` if it equals `ascii`.
    unicode: Option<String>,
}

impl AddressDomain {
    /// Parses a domain name.
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
                if text.is_ascii() && !has_punycode_label(text) {
                    AddressError::Domain
                } else {
                    AddressError::DomainIdn
                }
            })?
            .into_owned();
        if ascii.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit())) {
            return Err(AddressError::DomainNumeric);
        }
        let unicode = if text.is_ascii() { None } else { Some(unicode_of(&ascii)?) };
        Ok(Self { unicode: unicode.filter(|display| *display != ascii), ascii })
    }

    /// Parses a domain name or an address literal. Accepts underscores, which host names can't contain but the domains
    /// of some real senders do.
    pub(super) fn parse_smtp(text: &str) -> Result<Self, AddressError> {
        let Some(inner) = text.strip_prefix('[') else {
            if text.is_ascii() && text.contains('_') {
                // Apart from the underscores, the name must be valid.
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

    /// Returns the domain with U-labels, or with A-labels if it can't be converted.
    pub(super) fn unicode(&self) -> String {
        unicode_of(&self.ascii).unwrap_or_else(|_| self.ascii.clone())
    }

    pub(super) fn display(&self) -> &str {
        self.unicode.as_deref().unwrap_or(&self.ascii)
    }
}

/// Rejects characters that UTS #46 would drop or map silently, so that the caller gets a precise error.
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

fn has_punycode_label(text: &str) -> bool {
    text.split('.').any(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
}

fn unicode_of(ascii: &str) -> Result<String, AddressError> {
    let (unicode, checked) = Uts46::new().to_unicode(ascii.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast);
    checked.map_err(|_| AddressError::DomainIdn)?;
    Ok(unicode.into_owned())
}
