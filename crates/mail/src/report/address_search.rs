//! Finds addresses in the text of reports.

use crate::address::Address;

/// An address in a text, with its start and end in bytes.
#[derive(Clone)]
pub(super) struct AddressMatch {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) address: Address,
}

/// Finds the addresses in a text.
pub(super) fn addresses(text: &str) -> Vec<AddressMatch> {
    /// Most addresses found in one text.
    const MAX: usize = 100;
    let bytes = text.as_bytes();
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&*+-/=?^_{|}~.".contains(&b);
    let is_domain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@').take(MAX) {
        let mut start = at;
        if at > 0 && bytes[at - 1] == b'"' {
            start = text[..at - 1].rfind('"').unwrap_or(at);
        } else {
            while start > 0 && is_local(bytes[start - 1]) {
                start -= 1;
            }
            while start < at && matches!(bytes[start], b'=' | b'.' | b'/') {
                start += 1;
            }
        }
        let mut end = at + 1;
        // Old servers write their reply right behind the address: `bob@example.com...User unknown`.
        while end < bytes.len() && is_domain(bytes[end]) && !bytes[end..].starts_with(b"..") {
            end += 1;
        }
        while end > at + 1 && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        found.extend(Address::parse(&text[start..end]).ok().map(|address| AddressMatch { start, end, address }));
    }
    found
}
