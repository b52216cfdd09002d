//! An outgoing message, and whether a server supports it (RFC 1870, RFC 6152 §3, RFC 6531 §3.2).
//!
//! A message is never converted for a server with fewer extensions, because that would break its signatures.

use std::sync::Arc;

use super::extensions::ServerExtensions;
use super::outcome::{DeliveryResult, RecipientOutcome, SmtpStage};
use crate::address::Address;

/// A message to send. Line ends are converted to CRLF while sending; see [`super::normalise_line_ends`].
#[derive(Debug, Clone)]
pub struct OutboundMessage {
    /// The return path; `None` for the null sender `<>` of reports (RFC 5321 §4.5.5).
    pub mail_from: Option<Address>,
    /// The recipients. Each of them gets an outcome.
    pub recipients: Vec<Address>,
    /// The header and body.
    pub body: Arc<[u8]>,
    /// Whether the header contains UTF-8 and needs SMTPUTF8 (RFC 6531). Envelope addresses are checked separately.
    pub smtputf8: bool,
}

/// Returns the `MAIL FROM` command with the parameters that the server supports and the message needs.
pub(super) fn mail_line(message: &OutboundMessage, offered: &ServerExtensions, needs_utf8: bool) -> String {
    let from = message.mail_from.as_ref().map(Address::smtp_form).unwrap_or_default();
    let size = if offered.size { format!(" SIZE={}", message.body.len()) } else { String::new() };
    let body = if offered.eight_bit_mime && !message.body.is_ascii() { " BODY=8BITMIME" } else { "" };
    let utf8 = if needs_utf8 { " SMTPUTF8" } else { "" };
    format!("MAIL FROM:<{from}>{size}{body}{utf8}")
}

/// Returns a permanent failure if the server can't accept this message for this recipient: an extension is missing, or
/// the message exceeds the size limit.
pub(super) fn unsupported(
    message: &OutboundMessage,
    recipient: &Address,
    offered: &ServerExtensions,
) -> Option<RecipientOutcome> {
    let sender_is_ascii = message.mail_from.as_ref().is_none_or(Address::is_ascii);
    let bytes = message.body.len() as u64;
    let (enhanced, text) = if !(offered.smtputf8 || sender_is_ascii && recipient.is_ascii()) {
        ("5.6.7", "the server does not support non-ASCII addresses (SMTPUTF8)".to_owned())
    } else if !offered.smtputf8 && message.smtputf8 {
        ("5.6.9", "the server does not support non-ASCII header fields (SMTPUTF8)".to_owned())
    } else if !offered.eight_bit_mime && !message.body.is_ascii() {
        ("5.6.3", "the server does not support 8-bit content (8BITMIME)".to_owned())
    } else if let Some(bytes_max) = offered.size_bytes_max.filter(|bytes_max| bytes > *bytes_max) {
        ("5.3.4", format!("the message has {bytes} bytes; the server accepts at most {bytes_max}"))
    } else {
        return None;
    };
    Some(RecipientOutcome {
        address: recipient.clone(),
        result: DeliveryResult::Permanent,
        smtp_code: None,
        enhanced_code: Some(enhanced.to_owned()),
        text,
        stage: SmtpStage::Local,
        try_next_host: false,
    })
}
