//! Finds what a report contains of the original message: candidates for its Message-ID, and its recipients.

use super::{ORIGINAL_IDS_MAX, ORIGINAL_MEDIA_TYPES, RECIPIENTS_MAX, address_search, part, text};
use crate::{address::Address, header, lines::lines, parse::ParsedMessage, thread};

/// Fields with the recipients of a message.
const RECIPIENT_FIELDS: [&str; 3] = ["to", "cc", "bcc"];
/// Parts whose fields may contain the original Message-ID.
const STATUS_MEDIA_TYPES: [&str; 3] =
    ["message/delivery-status", "message/global-delivery-status", "message/disposition-notification"];

/// What a report contains of the original message.
pub(super) struct Original {
    /// Message-IDs, with angle brackets, likeliest first.
    pub(super) ids: Vec<String>,
    /// The recipients in its header.
    pub(super) recipients: Vec<Address>,
}

/// Reads the enclosed message, the text and the references.
pub(super) fn read(parsed: &ParsedMessage<'_>) -> Original {
    let enclosed = part(parsed, &ORIGINAL_MEDIA_TYPES).map(|part| &*part.bytes).unwrap_or_default();
    let of_enclosed = header::first_field(enclosed, "message-id").map(|field| header::unfold(field.value).into_owned());
    let status = part(parsed, &STATUS_MEDIA_TYPES).map(|part| &*part.bytes).unwrap_or_default();
    let of_status =
        header::first_field(status, "original-message-id").map(|field| header::unfold(field.value).into_owned());
    let lines = || lines(text(parsed)).map(|line| line.trim_start_matches(['>', ' ', '\t']));
    let quoted = lines().filter_map(|line| value(line, "message-id")).take(ORIGINAL_IDS_MAX).map(str::to_owned);
    let candidates = of_enclosed.into_iter().chain(of_status).chain(quoted).flat_map(|text| thread::message_ids(&text));
    let mut ids: Vec<String> = Vec::new();
    for id in candidates.chain(parsed.in_reply_to.clone()).chain(parsed.references.iter().rev().cloned()) {
        if ids.len() < ORIGINAL_IDS_MAX && !ids.contains(&id) {
            ids.push(id);
        }
    }
    let is_recipient = |name: &str| RECIPIENT_FIELDS.iter().any(|field| name.eq_ignore_ascii_case(field));
    let fields = header::fields(header::section(enclosed)).filter(|field| is_recipient(field.name));
    let fields = fields.map(|field| header::unfold(field.value).into_owned());
    let quoted = lines().filter_map(|line| RECIPIENT_FIELDS.iter().find_map(|name| value(line, name)));
    let mut recipients: Vec<Address> = Vec::new();
    for text in fields.chain(quoted.map(str::to_owned)) {
        for found in address_search::addresses(&text) {
            if recipients.len() < RECIPIENTS_MAX && !recipients.contains(&found.address) {
                recipients.push(found.address);
            }
        }
    }
    Original { ids, recipients }
}

/// Returns the value of a header line with this name.
fn value<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (field, rest) = line.split_at_checked(name.len())?;
    if !field.eq_ignore_ascii_case(name) {
        return None;
    }
    rest.trim_start().strip_prefix(':')
}
