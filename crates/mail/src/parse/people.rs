//! Address fields (RFC 5322 §3.4): who a mail is from and for. Groups are flattened to their members.

use mail_parser::{HeaderValue, parsers::MessageStream};

use super::{MAILBOXES_MAX, structured_line};
use crate::address::{Address, Mailbox};

/// One entry of an address field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// `Name <addr>` or the bare address (contract §4.1); what was written, decoded and on one line, when it is no
    /// valid mailbox.
    pub header_form: String,
    /// The same as a checked mailbox; `None` when what was written is none.
    pub mailbox: Option<Mailbox>,
}

impl Party {
    fn new(name: Option<&str>, address: Option<&str>) -> Option<Self> {
        let name = name.map(one_line).filter(|name| !name.is_empty());
        let written = address.map(one_line).filter(|address| !address.is_empty());
        let mailbox = written
            .as_deref()
            .and_then(|text| Address::parse(text).ok())
            .map(|address| Mailbox::cleaned(name.as_deref(), address));
        let header_form = match (&mailbox, &name, written) {
            (Some(mailbox), ..) => mailbox.to_string(),
            (None, Some(name), Some(address)) => format!("{name} <{address}>"),
            (None, Some(name), None) => name.clone(),
            (None, None, written) => written?,
        };
        Some(Party { header_form, mailbox })
    }
}

/// The entries of a raw address field value, at most [`MAILBOXES_MAX`].
pub(crate) fn parties(value: &[u8]) -> Vec<Party> {
    let line = structured_line(value);
    let HeaderValue::Address(address) = MessageStream::new(&line).parse_address() else {
        return Vec::new();
    };
    address.iter().filter_map(|entry| Party::new(entry.name(), entry.address())).take(MAILBOXES_MAX).collect()
}

/// Adds the entries of a repeated field, as long as there is room.
pub(crate) fn extend(list: &mut Vec<Party>, value: &[u8]) {
    let room = MAILBOXES_MAX.saturating_sub(list.len());
    list.extend(parties(value).into_iter().take(room));
}

/// Trimmed, without control characters: decoded names may hide line ends.
fn one_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.trim().to_owned()
}
