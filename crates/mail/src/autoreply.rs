//! Automatic mail (RFC 3834, RFC 2076; contract §4.5 "Outgoing loop data", decision 18): who wrote, a person or a
//! program, and how the service marks what it writes by itself. It only reads and makes fields; it refuses nothing.

use crate::header::Headers;

/// Why a mail counts as automatic; the first sign found, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `Auto-Submitted` with anything but `no` (RFC 3834 §5).
    AutoSubmitted,
    /// `Precedence: bulk`, `junk`, `list` or `auto_reply`.
    Precedence,
    /// `List-Id` (RFC 2919).
    ListId,
    /// `X-Autoreply` or `X-Autorespond`, unless it says `no`.
    AutoReplyField,
    /// The return path is empty: a bounce or another report (RFC 5321 §4.5.5).
    NullReturnPath,
}

/// How mail that the service writes by itself is marked (RFC 3834 §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// An answer made without a person: `auto-replied`.
    Replied,
    /// A mail made on an occasion, not in answer to one: `auto-generated`.
    Generated,
}

impl Marking {
    /// The fields to put into the mail, as (name, value).
    pub fn fields(self) -> [(&'static str, &'static str); 2] {
        let submitted = match self {
            Marking::Replied => "auto-replied",
            Marking::Generated => "auto-generated",
        };
        // The second keeps Exchange from answering with vacation notices and receipts.
        [("Auto-Submitted", submitted), ("X-Auto-Response-Suppress", "All")]
    }
}

/// Whether a mail was written or spread by a program, so that answering it by program may loop.
pub fn is_automatic(headers: &Headers) -> bool {
    sign(headers).is_some()
}

/// The sign by which a mail counts as automatic, if any.
///
/// `X-Auto-Response-Suppress` is no sign: it asks for silence, and Exchange puts it on what people write.
pub fn sign(headers: &Headers) -> Option<Sign> {
    let any = |name: &'static str, test: fn(&str) -> bool| headers.all(name).any(test);
    if any("auto-submitted", |value| !matches!(&*keyword(value), "" | "no")) {
        Some(Sign::AutoSubmitted)
    } else if any("precedence", |value| {
        matches!(&*keyword(value), "bulk" | "junk" | "list" | "auto_reply" | "auto-reply")
    }) {
        Some(Sign::Precedence)
    } else if any("list-id", |value| !value.trim().is_empty()) {
        Some(Sign::ListId)
    } else if ["x-autoreply", "x-autorespond"].into_iter().any(|name| any(name, |value| keyword(value) != "no")) {
        Some(Sign::AutoReplyField)
    } else if any("return-path", |value| value.split_whitespace().collect::<String>() == "<>") {
        Some(Sign::NullReturnPath)
    } else {
        None
    }
}

/// First word of a value, lower case, without comments and parameters.
fn keyword(value: &str) -> String {
    let value = value.trim_start();
    let end = value.find([' ', '\t', ';', '(', ',']).unwrap_or(value.len());
    value[..end].to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(fields: &[(&str, &str)]) -> Headers {
        let pair = |&(name, value): &(&str, &str)| (name.to_ascii_lowercase(), value.to_owned());
        fields.iter().map(pair).collect()
    }

    #[test]
    fn each_sign_is_recognised_and_its_opposite_is_not() {
        let table: &[(&str, &str, Option<Sign>)] = &[
            ("Auto-Submitted", "auto-replied", Some(Sign::AutoSubmitted)),
            ("Auto-Submitted", "auto-generated; owner-email=\"a@b\"", Some(Sign::AutoSubmitted)),
            ("Auto-Submitted", "No", None),
            ("Auto-Submitted", "no (really)", None),
            ("Precedence", "Bulk", Some(Sign::Precedence)),
            ("Precedence", "auto_reply", Some(Sign::Precedence)),
            ("Precedence", "first-class", None),
            ("List-ID", "<dev.lists.example>", Some(Sign::ListId)),
            ("List-ID", " ", None),
            ("X-Autoreply", "yes", Some(Sign::AutoReplyField)),
            ("X-Autoreply", "no", None),
            ("X-Autorespond", "Away until Monday", Some(Sign::AutoReplyField)),
            ("Return-Path", "<>", Some(Sign::NullReturnPath)),
            ("Return-Path", "< >", Some(Sign::NullReturnPath)),
            ("Return-Path", "<dana@example.com>", None),
            ("X-Auto-Response-Suppress", "All", None),
            ("Subject", "Auto-Submitted: auto-replied", None),
        ];
        for &(name, value, expected) in table {
            let headers = headers(&[(name, value)]);
            assert_eq!(sign(&headers), expected, "{name}: {value}");
            assert_eq!(is_automatic(&headers), expected.is_some(), "{name}: {value}");
        }
    }

    #[test]
    fn what_the_service_writes_by_itself_is_recognised_as_automatic() {
        for marking in [Marking::Replied, Marking::Generated] {
            assert!(is_automatic(&headers(&marking.fields())), "{marking:?}");
        }
    }
}
