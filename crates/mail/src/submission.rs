//! Checks and completes submitted messages (RFC 6409 §6, §8): requires an author and sender and a header that all
//! parsers read alike, writes `From`, `Sender` and misleading names of other address fields again, removes `Bcc`, `Resent-*` and fields that
//! only servers write, and adds a missing `Date` or `Message-ID`. All other bytes stay as submitted.
//!
//! [`SubmittedMessage::read`] and [`SubmittedMessage::complete`] work on the same parsed header, so nothing can bypass the check and still be
//! written. The caller decides which senders are allowed, and provides the ID and the date.

use std::collections::HashSet;

use mail_parser::DateTime;

use crate::{
    address::{Address, Mailbox},
    author::{self, Author, AuthorError},
    build,
    header::{self, HeaderBlock, HeaderField, HeaderFlaw},
    parse::{self, AddressFieldValue, CharsetHints},
    thread,
};

/// Fields that are removed.
const REMOVED_FIELDS: &[&str] = &[
    // They reveal hidden recipients.
    "bcc",
    "apparently-to",
    // Servers write them about mail that they received or delivered (RFC 5321 §4.4, RFC 7208 §9, RFC 8601 §5, RFC 9228).
    // `Delivered-To` also makes servers of the recipient see a loop.
    "return-path",
    "authentication-results",
    "original-authentication-results",
    "x-authentication-results",
    "x-original-authentication-results",
    "received-spf",
    "delivered-to",
    "x-delivered-to",
    "envelope-to",
    "x-envelope-to",
    "x-envelope-from",
    "x-original-to",
    // They name an author or sender beside `From`, which some programs show and nobody checks (RFC 9057).
    "author",
    "x-sender",
    "x-x-sender",
    "x-original-from",
    "x-original-sender",
    "x-authenticated-sender",
    "x-originating-email",
    // Reports go to the return path.
    "errors-to",
    "x-errors-to",
    // A signature that nobody checks (RFC 4870). `DKIM-Signature` stays: a forwarded message may keep its own.
    "domainkey-signature",
    "x-domainkey-signature",
    // This service writes it.
    "agent-disclosure",
];

/// Address fields of other people. Their names are written again if they hold an encoded word in quotes: many readers decode
/// it, so they show another name than the one that was checked.
const OTHER_ADDRESS_FIELDS: [&str; 7] =
    ["to", "cc", "reply-to", "mail-followup-to", "mail-reply-to", "disposition-notification-to", "return-receipt-to"];

/// Beginnings of the names of fields that are removed: the chain of servers that authenticated a message (RFC 8617 §4.1),
/// and the people who sent it once more (RFC 5322 §3.6.6). A new message has neither, and each of its fields names somebody.
const REMOVED_PREFIXES: [&str; 2] = ["arc-", "resent-"];

/// Fields in which a server records that it received the message. Those that name this host are removed.
const HOP_FIELDS: [&str; 2] = ["received", "x-received"];

/// Fields that name a sender besides `From` (RFC 5322 §3.6.2, §3.6.6).
const SENDER_FIELDS: [&str; 3] = ["Sender", "Resent-From", "Resent-Sender"];

/// Fields that may occur only once (RFC 5322 §3.6, RFC 2045 §3). If repeated, some programs show the first one and
/// others the last.
const SINGLE_FIELDS: [&str; 14] = [
    "date",
    "from",
    "sender",
    "reply-to",
    "to",
    "cc",
    "bcc",
    "message-id",
    "in-reply-to",
    "references",
    "subject",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
];

/// Why a submitted message is rejected. The text is shown to the sender.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmissionError {
    /// The header is ambiguous, or exceeds its limits.
    #[error("{0}")]
    Header(HeaderFlaw),
    /// A field contains a control character.
    #[error("The header must not contain control characters other than tabs (RFC 5322 section 2.2)")]
    ControlCharacter,
    /// A line of the header is not a field.
    #[error("Every header line must be a field or continue one (RFC 5322 section 2.2)")]
    NotAField,
    /// A continuation line consists only of white space; some programs end the header there.
    #[error("A header line must not consist only of whitespace (RFC 5322 section 3.2.2)")]
    BlankLine,
    /// A field name is followed by white space before its colon.
    #[error("A header field name must be followed directly by a colon, without whitespace (RFC 5322 section 2.2)")]
    SpaceBeforeColon,
    /// A field that may occur only once is repeated.
    #[error("The header must not have more than one {0} field (RFC 5322 section 3.6)")]
    RepeatedField(&'static str),
    /// The author is missing or invalid.
    #[error("{0}")]
    Author(AuthorError),
    /// A field that names a sender is not one address.
    #[error("The {0} header must contain exactly one address (RFC 5322 section 3.6)")]
    Sender(&'static str),
}

/// A submitted message with a valid header.
#[derive(Debug)]
pub struct SubmittedMessage<'a> {
    block: HeaderBlock<'a>,
    raw: &'a [u8],
    author: Author,
    senders: Vec<Address>,
    /// `Sender`, unless it is the author (RFC 5322 §3.6.2).
    sender: Option<Address>,
}

/// What this host writes to a submitted message, and what it is called.
#[derive(Debug, Clone, Copy)]
pub struct SubmissionHost<'a> {
    /// The `Message-ID` of a message without one, in angle brackets.
    pub message_id: &'a str,
    /// The date of a message without one, in milliseconds since 1970.
    pub date_ms: i64,
    /// The names of this host and its domains.
    pub names: &'a [&'a str],
}

impl<'a> SubmittedMessage<'a> {
    /// Parses and checks a message.
    ///
    /// # Errors
    /// Returns the first [`SubmissionError`] in the order of the header.
    pub fn read(raw: &'a [u8]) -> Result<Self, SubmissionError> {
        let block = HeaderBlock::cut(raw);
        if let Some(flaw) = block.flaw() {
            return Err(SubmissionError::Header(flaw));
        }
        let mut seen = HashSet::new();
        for entry in block.entries() {
            check_field(entry.field.as_ref().ok_or(SubmissionError::NotAField)?, raw, &mut seen)?;
        }
        let author = author::parse_strict(&block).map_err(SubmissionError::Author)?;
        let mut senders = vec![author.address().clone()];
        let mut other = None;
        for name in SENDER_FIELDS {
            for field in block.named(name) {
                let address = sender(field).ok_or(SubmissionError::Sender(name))?;
                if field.is("sender") && address != *author.address() {
                    other = Some(address.clone());
                }
                senders.push(address);
            }
        }
        Ok(Self { block, raw, author, senders, sender: other })
    }

    /// Returns the addresses in From and in all fields that name a sender.
    #[must_use]
    pub fn authors(&self) -> &[Address] {
        &self.senders
    }

    /// Returns the message to store and send.
    #[must_use]
    pub fn complete(&self, host: SubmissionHost<'_>) -> Vec<u8> {
        let SubmissionHost { message_id, date_ms, names } = host;
        let (mut has_id, mut has_date) = (false, false);
        let mut kept = Vec::with_capacity(self.block.end());
        for field in self.block.fields() {
            if is_removed(field, names) {
                continue;
            }
            if field.is("sender") {
                // A name beside the address could speak for another person, and no program needs one.
                let sender = self.sender.iter().cloned().map(Mailbox::from);
                sender.for_each(|sender| build::address_field("Sender", &sender, &mut kept));
                continue;
            }
            if field.is("message-id") {
                // An empty or invalid Message-ID counts as missing (RFC 6409 §8.3).
                if thread::message_ids(&header::unfold(field.value)).is_empty() {
                    continue;
                }
                has_id = true;
            }
            if field.is("from") && header::unfold(field.value).trim() != self.author.to_string() {
                // Other text next to the address could look like a second author.
                build::address_field("From", self.author.mailbox(), &mut kept);
                continue;
            }
            if OTHER_ADDRESS_FIELDS.iter().any(|name| field.is(name)) && has_quoted_encoded_word(field.value) {
                let parties = parse::parties(AddressFieldValue::other(field));
                let mailboxes = parties.into_iter().filter_map(|party| party.mailbox);
                let clean = |mailbox: Mailbox| {
                    let name = mailbox.name().map(str::to_owned);
                    author::own_mailbox(name.as_deref(), mailbox.into_address())
                };
                build::address_fields(field.name, &mailboxes.map(clean).collect::<Vec<_>>(), &mut kept);
                continue;
            }
            has_date |= field.is("date");
            kept.extend_from_slice(&self.raw[field.range.clone()]);
        }
        let mut whole = Vec::with_capacity(self.raw.len() + 128);
        if !has_id {
            whole.extend_from_slice(format!("Message-ID: {message_id}\r\n").as_bytes());
        }
        if !has_date {
            let date = DateTime::from_timestamp(date_ms.div_euclid(1_000)).to_rfc822();
            whole.extend_from_slice(format!("Date: {date}\r\n").as_bytes());
        }
        whole.append(&mut kept);
        whole.extend_from_slice(&self.raw[self.block.end()..]);
        whole
    }
}

/// Returns whether a quoted string of an address field holds the start of an encoded word, also behind a backslash.
fn has_quoted_encoded_word(value: &[u8]) -> bool {
    let (mut is_quoted, mut before) = (false, 0);
    let mut bytes = value.iter().copied();
    while let Some(next) = bytes.next() {
        let (next, is_escaped) = if next == b'\\' { (bytes.next().unwrap_or(next), true) } else { (next, false) };
        if next == b'"' && !is_escaped {
            (is_quoted, before) = (!is_quoted, 0);
            continue;
        }
        if is_quoted && before == b'=' && next == b'?' {
            return true;
        }
        before = next;
    }
    false
}

fn is_removed(field: &HeaderField<'_>, hosts: &[&str]) -> bool {
    let name = field.name.to_ascii_lowercase();
    REMOVED_FIELDS.contains(&&*name)
        || REMOVED_PREFIXES.iter().any(|start| name.starts_with(start))
        || HOP_FIELDS.contains(&&*name) && hosts.iter().any(|host| names_host(&field.decoded(), host))
}

/// Returns whether a text contains the name of a host, or of another host below it.
fn names_host(text: &str, host: &str) -> bool {
    let (text, host) = (text.to_ascii_lowercase(), host.to_ascii_lowercase());
    let is_part = |next: char| next.is_alphanumeric() || matches!(next, '-' | '_');
    !host.is_empty()
        && text.match_indices(&host).any(|(at, _)| {
            let mut after = text[at + host.len()..].chars();
            let goes_on = match after.next() {
                Some('.') => after.next().is_some_and(is_part),
                next => next.is_some_and(is_part),
            };
            !goes_on && !text[..at].chars().next_back().is_some_and(is_part)
        })
}

fn check_field(field: &HeaderField<'_>, raw: &[u8], seen: &mut HashSet<&'static str>) -> Result<(), SubmissionError> {
    if raw.get(field.range.start + field.name.len()) != Some(&b':') {
        return Err(SubmissionError::SpaceBeforeColon);
    }
    let mut continued = raw[field.range.clone()].split(|byte| *byte == b'\n').skip(1).filter(|line| !line.is_empty());
    if continued.any(|line| line.trim_ascii().is_empty()) {
        return Err(SubmissionError::BlankLine);
    }
    if field.value.iter().any(|byte| byte.is_ascii_control() && !b"\t\r\n".contains(byte)) {
        return Err(SubmissionError::ControlCharacter);
    }
    match SINGLE_FIELDS.iter().find(|name| field.is(name)) {
        Some(name) if !seen.insert(*name) => Err(SubmissionError::RepeatedField(name)),
        _ => Ok(()),
    }
}

/// Returns the only address of a field.
fn sender(field: &HeaderField<'_>) -> Option<Address> {
    let mut parties =
        AddressFieldValue::of(field, CharsetHints::default()).map(parse::parties).unwrap_or_default().into_iter();
    match (parties.next().and_then(|party| party.mailbox), parties.next()) {
        (Some(mailbox), None) => Some(mailbox.into_address()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressError;

    const ID: &str = "<1@x.example>";
    const AUTHOR: &str = "From: a@b.example\r\n";

    fn completed(raw: &str) -> String {
        let draft = SubmittedMessage::read(raw.as_bytes()).expect("a good header");
        let host = SubmissionHost { message_id: ID, date_ms: 1_700_000_000_000, names: &["mx.example", "x.example"] };
        String::from_utf8(draft.complete(host)).expect("ASCII")
    }

    fn named(raw: &str) -> Result<Vec<String>, SubmissionError> {
        SubmittedMessage::read(raw.as_bytes()).map(|draft| draft.authors().iter().map(ToString::to_string).collect())
    }

    #[test]
    fn complete_messages_are_not_changed() {
        for raw in [
            "Date: x\r\nMessage-ID: <a@b>\r\nFrom: a@b.example\r\n\r\nBcc: c@d.example\r\n\r\n.\r\n",
            "message-id:\r\n <a@b>\r\nDATE: \r\nFrom: a@b.example\r\n",
        ] {
            assert_eq!(completed(raw), raw);
        }
    }

    #[test]
    fn missing_date_and_id_are_added() {
        let date = "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n";
        assert_eq!(completed(&format!("{AUTHOR}\r\nHi\r\n")), format!("Message-ID: {ID}\r\n{date}{AUTHOR}\r\nHi\r\n"));
        let nameless = format!("Message-ID: \r\nDate: x\r\n{AUTHOR}\r\n");
        assert_eq!(completed(&nameless), format!("Message-ID: {ID}\r\nDate: x\r\n{AUTHOR}\r\n"));
        assert_eq!(completed(AUTHOR), format!("Message-ID: {ID}\r\n{date}{AUTHOR}"));
    }

    #[test]
    fn hidden_recipients_are_removed_in_every_spelling() {
        let whole = format!("Date: x\r\nMessage-ID: <a@b>\r\n{AUTHOR}");
        for hidden in ["Bcc: c@d.example\r\n", "BCC:c@d.example,\r\n\te@f.example\r\n", "Resent-Bcc:\r\n x\r\n", "bcc:"]
        {
            assert_eq!(completed(&format!("{whole}{hidden}")), whole, "{hidden:?}");
        }
    }

    #[test]
    fn a_return_path_is_removed() {
        let rest =
            format!("Date: x\r\n{AUTHOR}X-Return-Path: y\r\nMessage-ID: <a@b>\r\nSubject:  two  \r\n blanks\r\n");
        let body = "\r\nReturn-Path: <c@d.example>\r\n";
        for path in ["Return-Path: <c@d.example>\r\n", "RETURN-PATH:\r\n <>\r\n"] {
            assert_eq!(completed(&format!("{path}{rest}{path}{body}")), format!("{rest}{body}"));
        }
    }

    #[test]
    fn what_servers_write_is_removed() {
        let rest = format!("Date: x\r\n{AUTHOR}Message-ID: <a@b>\r\nX-Hop: y\r\n\r\nHi\r\n");
        for field in [
            "Authentication-Results: mx.example; dmarc=pass",
            "AUTHENTICATION-RESULTS:\r\n x",
            "Original-Authentication-Results: mx.example; dmarc=pass",
            "ARC-Authentication-Results: i=1; mx.example; dmarc=pass",
            "arc-seal: i=1; cv=none",
            "ARC-Message-Signature: i=1",
            "Received-SPF: pass (mx.example: domain of bank.example)",
            "Received: from bank.example by MX.example with ESMTPS; Sat, 28 Nov 2026 00:00:00 +0000",
            "Received: from bank.example\r\n\tby mx.x.example.; Sat, 28 Nov 2026 00:00:00 +0000",
            "X-Received: by mx.example",
            "Resent-From: \"ceo@bank.example\" <a@b.example>",
            "Resent-Sender: Support <a@b.example>\r\nResent-To: c@d.example\r\nResent-Date: x",
        ] {
            assert_eq!(completed(&format!("{field}\r\n{rest}")), rest);
        }
        for kept in [
            "DKIM-Signature: v=1; d=bank.example",
            "Received: from a by b.example; x",
            "Received: by mx.example.org; x",
            "Received: by amx.example; x",
            "X-Hop: by mx.example",
        ] {
            let whole = format!("{kept}\r\n{rest}");
            assert_eq!(completed(&whole), whole);
        }
    }

    #[test]
    fn every_listed_field_is_removed() {
        let rest = format!("Date: x\r\n{AUTHOR}Message-ID: <a@b>\r\nX-Sender-Note: y\r\n\r\nAuthor: z\r\n");
        for name in REMOVED_FIELDS {
            for (name, value) in [
                ((*name).to_owned(), " mx.example; pass"),
                (name.to_uppercase(), "\r\n ceo@bank.example"),
                ((*name).to_owned(), " \"ceo@bank.example\" <a@b.example>"),
            ] {
                assert_eq!(completed(&format!("{name}:{value}\r\n{rest}")), rest, "{name}:{value}");
            }
        }
    }

    #[test]
    fn names_in_quotes_hold_no_encoded_words() {
        let words = ["=?utf-8?q?CEO?=", "=?utf-8?B?Q0VP?= x", "=\\?utf-8?q?CEO?=", "x =?utf-8?q?a=40b?= y"];
        for (name, word) in OTHER_ADDRESS_FIELDS.iter().flat_map(|name| words.map(|word| (name, word))) {
            for list in [
                format!("\"{word}\" <r@d.example>"),
                format!("s@d.example, \"{word}\" <r@d.example>"),
                format!("\"S, T\" <s@d.example>,\r\n \"{word}\"\r\n <r@d.example>"),
            ] {
                let whole = completed(&format!("Date: x\r\nMessage-ID: <a@b>\r\n{AUTHOR}{name}: {list}\r\n\r\nHi"));
                let (head, _) = whole.split_once("\r\n\r\n").expect("a header");
                assert!(!has_quoted_encoded_word(head.as_bytes()), "{name}: {list}: {head}");
                assert!(head.contains("r@d.example") && head.contains("s@d.example") == list.contains("s@d"), "{head}");
            }
        }
        for kept in ["\"Ann, B\" <r@d.example>", "=?utf-8?q?CEO?= <r@d.example>", "r@d.example (=?utf-8?q?CEO?=)"] {
            let whole = format!("Date: x\r\nMessage-ID: <a@b>\r\n{AUTHOR}To: {kept}\r\n\r\n");
            assert_eq!(completed(&whole), whole);
        }
    }

    #[test]
    fn a_sender_is_only_an_address_and_never_the_author() {
        for (fields, expected) in [
            ("From: a@b.example\r\nSender: Support <a@b.example>", "From: a@b.example\r\n"),
            ("Sender: \"ceo@bank.example\" <A@b.example>\r\nFrom: a@b.example", "From: a@b.example\r\n"),
            ("From: a+t@b.example\r\nSender: Support <a@b.example>", "From: a+t@b.example\r\nSender: a@b.example\r\n"),
            (
                "From: a+t@b.example\r\nsender: (Support)\r\n a@b.example",
                "From: a+t@b.example\r\nSender: a@b.example\r\n",
            ),
        ] {
            let whole = format!("Date: x\r\nMessage-ID: <a@b>\r\n{fields}\r\n\r\n");
            let written = completed(&whole).replace("<a@b.example>", "a@b.example");
            assert_eq!(written, format!("Date: x\r\nMessage-ID: <a@b>\r\n{expected}\r\n"));
        }
    }

    #[test]
    fn from_is_written_from_the_parsed_author() {
        let written = |from: &str| {
            let whole = completed(&format!("Date: x\r\nMessage-ID: <a@b>\r\nFrom: {from}\r\n\r\n"));
            let from = whole.split_once("From: ").and_then(|(_, rest)| rest.split_once("\r\n\r\n")).expect("From");
            from.0.to_owned()
        };
        for (submitted, expected) in [
            ("a@b.example", "a@b.example"),
            ("<a@b.example> (Ann)", "Ann <a@b.example>"),
            ("Ann <a@b.example>", "Ann <a@b.example>"),
            ("\"A, B\"\r\n <a@b.example>", "\"A, B\" <a@b.example>"),
            ("\"boss@b.example\" <a@b.example>", "a@b.example"),
            ("\"a@b.example\" <a@b.example>", "\"a@b.example\" <a@b.example>"),
        ] {
            let again = written(submitted);
            let plain = |text: &str| text.replace(['<', '>', '"', '\r', '\n'], "");
            assert_eq!(plain(&again), plain(expected), "{submitted}");
        }
        for hidden in ["a@b.example, \"ceo@bank.example\"", "\"ceo@bank.example\" <a@b.example>"] {
            assert!(
                SubmittedMessage::read(format!("From: {hidden}\r\n\r\n").as_bytes()).is_err()
                    || !written(hidden).contains("bank"),
                "{hidden}"
            );
        }
    }

    #[test]
    fn every_field_of_a_sender_is_returned() {
        for name in SENDER_FIELDS {
            let raw = format!("{AUTHOR}{name}: C <c@d.example>\r\n\r\n");
            assert_eq!(named(&raw), Ok(vec!["a@b.example".to_owned(), "c@d.example".to_owned()]), "{name}");
        }
        let twice = format!("{AUTHOR}Resent-From: c@d.example\r\nResent-From: e@f.example\r\n\r\n");
        assert_eq!(named(&twice).map(|all| all.len()), Ok(3));
    }

    #[test]
    fn authors_are_parsed_as_one_address_each() {
        assert_eq!(named("From: \"A, B\" <a@b.example>\r\n\r\n"), Ok(vec!["a@b.example".to_owned()]));
        let with_sender = "Sender: s@b.example\r\nFrom:\r\n =?utf-8?q?J=C3=BCrgen?= <a@b.example>\r\n\r\n";
        assert_eq!(named(with_sender), Ok(vec!["a@b.example".to_owned(), "s@b.example".to_owned()]));
        let own_name = "From: a@b.example <a@b.example>\r\n\r\n";
        assert_eq!(named(own_name), Ok(vec!["a@b.example".to_owned()]));
    }

    #[test]
    fn ambiguous_headers_are_rejected_with_the_reason() {
        let long = format!("{}: x\r\n{AUTHOR}", "n".repeat(header::FIELD_NAME_BYTES_MAX + 1));
        let many = format!("{}{AUTHOR}", "A: b\r\n".repeat(header::HEADER_FIELDS_MAX));
        for (raw, problem) in [
            ("To: a@b.example\r\n\r\nFrom: a@b.example", SubmissionError::Author(AuthorError::MissingFrom)),
            ("\r\nFrom: a@b.example\r\n\r\n", SubmissionError::Header(HeaderFlaw::StartsEmpty)),
            ("From: a@b.example\r\nfrom: a@b.example\r\n\r\n", SubmissionError::RepeatedField("from")),
            ("From: a@b.example\r\nfrom : a@b.example\r\n\r\n", SubmissionError::SpaceBeforeColon),
            ("From: a@b.example, c@d.example\r\n\r\n", SubmissionError::Author(AuthorError::SeveralAddresses)),
            ("From: c@b.example <a@b.example>\r\n\r\n", SubmissionError::Author(AuthorError::SeveralAddresses)),
            ("From: nobody\r\n\r\n", SubmissionError::Author(AuthorError::NoAddress)),
            ("From:\r\n\r\n", SubmissionError::Author(AuthorError::NoAddress)),
            (
                "From: a\u{e9}\u{85}@b.example\r\n",
                SubmissionError::Author(AuthorError::InvalidAddress(AddressError::ControlCharacter)),
            ),
            ("From: a@b.example\r\nSender: x, y\r\n\r\n", SubmissionError::Sender("Sender")),
            (
                "From: a@b.example\r\nResent-From: g: a@b.example, c@d.example;\r\n\r\n",
                SubmissionError::Sender("Resent-From"),
            ),
            ("From: a@b.example\r\nF\0rom: c@d.example\r\n\r\n", SubmissionError::Header(HeaderFlaw::BareControl)),
            ("From: a@b.example\r\nX: \u{1}\r\n\r\n", SubmissionError::ControlCharacter),
            ("From: a@b.example\r\nno field\r\n\r\n", SubmissionError::NotAField),
            (" X: y\r\nFrom: a@b.example\r\n\r\n", SubmissionError::NotAField),
            ("From: a@b.example\r\n \t\r\nTo: c@d.example\r\n\r\n", SubmissionError::BlankLine),
            ("Subject: a\r\nFrom: a@b.example\r\nSUBJECT: b\r\n\r\n", SubmissionError::RepeatedField("subject")),
            (&long, SubmissionError::Header(HeaderFlaw::NameTooLong)),
            (&many, SubmissionError::Header(HeaderFlaw::TooManyFields)),
        ] {
            assert_eq!(named(raw), Err(problem), "{:?}", raw.get(..60).unwrap_or(raw));
        }
        for name in SINGLE_FIELDS {
            let twice = format!("{AUTHOR}{name}: a@b.example\r\n{}: a@b.example\r\n\r\n", name.to_uppercase());
            assert_eq!(named(&twice), Err(SubmissionError::RepeatedField(name)));
        }
    }
}
