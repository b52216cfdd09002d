//! What submission asks of a message and changes in it (RFC 6409 §6, §8): its author and sender, a header that every reader
//! reads in the same way, `Bcc` and `Return-Path` taken out, `Date` and `Message-ID` put in where they are missing. Every
//! other byte stays as it was submitted.
//!
//! [`Draft::read`] checks and [`Draft::complete`] writes the same cut of the header, so nothing gets past one and into the
//! other. Decides nothing about who may write as whom, and draws no ids: they come in.

use std::collections::HashSet;

use mail_parser::DateTime;

use crate::{
    address::Address,
    author::{self, NoAuthor},
    header::{self, Block, Field, HeaderFlaw},
    parse::{self, AddressField},
    thread,
};

/// Fields that do not leave: those that name hidden recipients, whom nobody gets to see, and the one that the server of the
/// recipient writes (RFC 5321 §4.4).
const TAKEN_OUT: [&str; 3] = ["bcc", "resent-bcc", "return-path"];

/// Fields that occur once at most (RFC 5322 §3.6, RFC 2045 §3): of a second one some readers would show the first, some the
/// last.
const ONCE: [&str; 14] = [
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

/// Why a submitted message is refused. The text is for its sender.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The header can be read in more than one way, or is past its limits.
    #[error("{0}")]
    Header(HeaderFlaw),
    /// A control character stands in a field.
    #[error("The header must not contain control characters other than tabs (RFC 5322 section 2.2)")]
    ControlCharacter,
    /// A line of the header is no field.
    #[error("Every header line must be a field or continue one (RFC 5322 section 2.2)")]
    NotAField,
    /// A line of white space alone continues a field: some readers end the header there.
    #[error("A header line must not consist of white space alone (RFC 5322 section 3.2.2)")]
    BlankLine,
    /// White space stands before a colon.
    #[error("A header field name must be followed by its colon without white space (RFC 5322 section 2.2)")]
    SpaceBeforeColon,
    /// A field that occurs once stands there again.
    #[error("The header must not have more than one {0} field (RFC 5322 section 3.6)")]
    Repeated(&'static str),
    /// There is no author.
    #[error("{0}")]
    Author(NoAuthor),
    /// `Sender` is not one address.
    #[error("The Sender header must contain exactly one address (RFC 5322 section 3.6.2)")]
    Sender,
}

/// A submitted message whose header was checked.
#[derive(Debug)]
pub struct Draft<'a> {
    block: Block<'a>,
    raw: &'a [u8],
    authors: Vec<Address>,
}

impl<'a> Draft<'a> {
    /// Reads and checks a message.
    ///
    /// # Errors
    /// [`Problem`], the first in the order of the header.
    pub fn read(raw: &'a [u8]) -> Result<Self, Problem> {
        let block = Block::cut(raw);
        if let Some(flaw) = block.flaw() {
            return Err(Problem::Header(flaw));
        }
        let mut seen = HashSet::new();
        for entry in block.entries() {
            check_field(entry.field.as_ref().ok_or(Problem::NotAField)?, raw, &mut seen)?;
        }
        let author = author::strictly(&block).map_err(Problem::Author)?;
        let mut authors = vec![author.address().clone()];
        if let Some(field) = block.named("sender").next() {
            authors.push(sender(field)?);
        }
        Ok(Self { block, raw, authors })
    }

    /// The addresses of From and, where there is one, Sender.
    #[must_use]
    pub fn authors(&self) -> &[Address] {
        &self.authors
    }

    /// The message as it is kept and sent. The time is in milliseconds since 1970.
    #[must_use]
    pub fn complete(&self, message_id: &str, date_ms: i64) -> Vec<u8> {
        let (mut has_id, mut has_date) = (false, false);
        let mut kept = Vec::with_capacity(self.block.end());
        for field in self.block.fields() {
            if TAKEN_OUT.iter().any(|name| field.is(name)) {
                continue;
            }
            if field.is("message-id") {
                // One that names nothing is as good as none (RFC 6409 §8.3).
                if thread::message_ids(&header::unfold(field.value)).is_empty() {
                    continue;
                }
                has_id = true;
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

fn check_field(field: &Field<'_>, raw: &[u8], seen: &mut HashSet<&'static str>) -> Result<(), Problem> {
    if raw.get(field.range.start + field.name.len()) != Some(&b':') {
        return Err(Problem::SpaceBeforeColon);
    }
    let mut continued = raw[field.range.clone()].split(|byte| *byte == b'\n').skip(1).filter(|line| !line.is_empty());
    if continued.any(|line| line.trim_ascii().is_empty()) {
        return Err(Problem::BlankLine);
    }
    if field.value.iter().any(|byte| byte.is_ascii_control() && !b"\t\r\n".contains(byte)) {
        return Err(Problem::ControlCharacter);
    }
    match ONCE.iter().find(|name| field.is(name)) {
        Some(name) if !seen.insert(*name) => Err(Problem::Repeated(name)),
        _ => Ok(()),
    }
}

fn sender(field: &Field<'_>) -> Result<Address, Problem> {
    let mut parties = AddressField::of(field).map(parse::parties).unwrap_or_default().into_iter();
    match (parties.next().and_then(|party| party.mailbox), parties.next()) {
        (Some(mailbox), None) => Ok(mailbox.into_address()),
        _ => Err(Problem::Sender),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressError;

    const ID: &str = "<1@x.example>";
    const AUTHOR: &str = "From: a@b.example\r\n";

    fn completed(raw: &str) -> String {
        let draft = Draft::read(raw.as_bytes()).expect("a good header");
        String::from_utf8(draft.complete(ID, 1_700_000_000_000)).expect("ASCII")
    }

    fn named(raw: &str) -> Result<Vec<String>, Problem> {
        Draft::read(raw.as_bytes()).map(|draft| draft.authors().iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_is_whole_stays_as_it_is() {
        for raw in [
            "Date: x\r\nMessage-ID: <a@b>\r\nFrom: a@b.example\r\n\r\nBcc: c@d.example\r\n\r\n.\r\n",
            "message-id:\r\n <a@b>\r\nDATE: \r\nFrom: a@b.example\r\n",
        ] {
            assert_eq!(completed(raw), raw);
        }
    }

    #[test]
    fn date_and_id_are_added_where_they_are_missing() {
        let date = "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n";
        assert_eq!(completed(&format!("{AUTHOR}\r\nHi\r\n")), format!("Message-ID: {ID}\r\n{date}{AUTHOR}\r\nHi\r\n"));
        let nameless = format!("Message-ID: \r\nDate: x\r\n{AUTHOR}\r\n");
        assert_eq!(completed(&nameless), format!("Message-ID: {ID}\r\nDate: x\r\n{AUTHOR}\r\n"));
        assert_eq!(completed(AUTHOR), format!("Message-ID: {ID}\r\n{date}{AUTHOR}"));
    }

    #[test]
    fn hidden_recipients_are_gone_however_they_are_written() {
        let whole = format!("Date: x\r\nMessage-ID: <a@b>\r\n{AUTHOR}");
        for hidden in ["Bcc: c@d.example\r\n", "BCC:c@d.example,\r\n\te@f.example\r\n", "Resent-Bcc:\r\n x\r\n", "bcc:"]
        {
            assert_eq!(completed(&format!("{whole}{hidden}")), whole, "{hidden:?}");
        }
    }

    #[test]
    fn a_return_path_is_the_last_servers_to_write() {
        let rest =
            format!("Date: x\r\n{AUTHOR}X-Return-Path: y\r\nMessage-ID: <a@b>\r\nSubject:  two  \r\n blanks\r\n");
        let body = "\r\nReturn-Path: <c@d.example>\r\n";
        for path in ["Return-Path: <c@d.example>\r\n", "RETURN-PATH:\r\n <>\r\n"] {
            assert_eq!(completed(&format!("{path}{rest}{path}{body}")), format!("{rest}{body}"));
        }
    }

    #[test]
    fn authors_are_one_address_each() {
        assert_eq!(named("From: \"A, B\" <a@b.example>\r\n\r\n"), Ok(vec!["a@b.example".to_owned()]));
        let with_sender = "Sender: s@b.example\r\nFrom:\r\n =?utf-8?q?J=C3=BCrgen?= <a@b.example>\r\n\r\n";
        assert_eq!(named(with_sender), Ok(vec!["a@b.example".to_owned(), "s@b.example".to_owned()]));
        let own_name = "From: a@b.example <a@b.example>\r\n\r\n";
        assert_eq!(named(own_name), Ok(vec!["a@b.example".to_owned()]));
    }

    #[test]
    fn what_readers_read_differently_is_refused_by_name() {
        let long = format!("{}: x\r\n{AUTHOR}", "n".repeat(header::FIELD_NAME_BYTES_MAX + 1));
        let many = format!("{}{AUTHOR}", "A: b\r\n".repeat(header::HEADER_FIELDS_MAX));
        for (raw, problem) in [
            ("To: a@b.example\r\n\r\nFrom: a@b.example", Problem::Author(NoAuthor::Missing)),
            ("\r\nFrom: a@b.example\r\n\r\n", Problem::Header(HeaderFlaw::StartsEmpty)),
            ("From: a@b.example\r\nfrom: a@b.example\r\n\r\n", Problem::Repeated("from")),
            ("From: a@b.example\r\nfrom : a@b.example\r\n\r\n", Problem::SpaceBeforeColon),
            ("From: a@b.example, c@d.example\r\n\r\n", Problem::Author(NoAuthor::SeveralAddresses)),
            ("From: c@b.example <a@b.example>\r\n\r\n", Problem::Author(NoAuthor::SeveralAddresses)),
            ("From: nobody\r\n\r\n", Problem::Author(NoAuthor::NoAddress)),
            ("From:\r\n\r\n", Problem::Author(NoAuthor::NoAddress)),
            (
                "From: a\u{e9}\u{85}@b.example\r\n",
                Problem::Author(NoAuthor::InvalidAddress(AddressError::ControlCharacter)),
            ),
            ("From: a@b.example\r\nSender: x, y\r\n\r\n", Problem::Sender),
            ("From: a@b.example\r\nF\0rom: c@d.example\r\n\r\n", Problem::Header(HeaderFlaw::BareControl)),
            ("From: a@b.example\r\nX: \u{1}\r\n\r\n", Problem::ControlCharacter),
            ("From: a@b.example\r\nno field\r\n\r\n", Problem::NotAField),
            (" X: y\r\nFrom: a@b.example\r\n\r\n", Problem::NotAField),
            ("From: a@b.example\r\n \t\r\nTo: c@d.example\r\n\r\n", Problem::BlankLine),
            ("Subject: a\r\nFrom: a@b.example\r\nSUBJECT: b\r\n\r\n", Problem::Repeated("subject")),
            (&long, Problem::Header(HeaderFlaw::NameTooLong)),
            (&many, Problem::Header(HeaderFlaw::TooManyFields)),
        ] {
            assert_eq!(named(raw), Err(problem), "{:?}", raw.get(..60).unwrap_or(raw));
        }
        for name in ONCE {
            let twice = format!("{AUTHOR}{name}: a@b.example\r\n{}: a@b.example\r\n\r\n", name.to_uppercase());
            assert_eq!(named(&twice), Err(Problem::Repeated(name)));
        }
    }
}
