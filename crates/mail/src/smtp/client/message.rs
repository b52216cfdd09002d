//! A message on its way out, and whether a server can carry it (RFC 1870, RFC 6152 §3, RFC 6531 §3.2).
//!
//! Nothing is converted to fit a lesser server: the message may be signed.

use std::sync::Arc;

use super::extensions::Extensions;
use super::outcome::{DeliveryResult, RecipientOutcome, Stage};
use crate::address::Address;

/// A message to send. Its line ends are made CRLF on the way, see [`super::normalise_line_ends`].
#[derive(Debug, Clone)]
pub struct Message {
    /// The return path; `None` is the null sender `<>` of reports (RFC 5321 §4.5.5).
    pub mail_from: Option<Address>,
    /// Where it goes: each of them gets an outcome.
    pub recipients: Vec<Address>,
    /// Header and body.
    pub body: Arc<[u8]>,
    /// The header holds UTF-8, so that only SMTPUTF8 can carry it (RFC 6531). Addresses of the envelope are looked at here.
    pub smtputf8: bool,
}

/// `MAIL FROM` with the parameters that the server understands and the message needs.
pub(super) fn mail_line(message: &Message, offered: &Extensions, needs_utf8: bool) -> String {
    let from = message.mail_from.as_ref().map(Address::smtp_form).unwrap_or_default();
    let size = if offered.size { format!(" SIZE={}", message.body.len()) } else { String::new() };
    let body = if offered.eight_bit_mime && !message.body.is_ascii() { " BODY=8BITMIME" } else { "" };
    let utf8 = if needs_utf8 { " SMTPUTF8" } else { "" };
    format!("MAIL FROM:<{from}>{size}{body}{utf8}")
}

/// What keeps this message from being offered to this server for this recipient.
pub(super) fn obstacle(message: &Message, recipient: &Address, offered: &Extensions) -> Option<RecipientOutcome> {
    let sender_is_ascii = message.mail_from.as_ref().is_none_or(Address::is_ascii);
    let bytes = message.body.len() as u64;
    let (enhanced, text) = if !(offered.smtputf8 || sender_is_ascii && recipient.is_ascii()) {
        ("5.6.7", "the server does not take addresses beyond ASCII (SMTPUTF8)".to_owned())
    } else if !offered.smtputf8 && message.smtputf8 {
        ("5.6.9", "the server does not take headers beyond ASCII (SMTPUTF8)".to_owned())
    } else if !offered.eight_bit_mime && !message.body.is_ascii() {
        ("5.6.3", "the server does not take 8-bit text (8BITMIME)".to_owned())
    } else if let Some(bytes_max) = offered.size_bytes_max.filter(|bytes_max| bytes > *bytes_max) {
        ("5.3.4", format!("the message has {bytes} bytes, the server takes {bytes_max}"))
    } else {
        return None;
    };
    Some(RecipientOutcome {
        address: recipient.clone(),
        result: DeliveryResult::Permanent,
        smtp_code: None,
        enhanced_code: Some(enhanced.to_owned()),
        text,
        stage: Stage::Local,
        try_next_host: false,
    })
}
