//! What submission asks of a message and changes in it (RFC 6409 §6, §8): who its author says he is, `Bcc` and `Return-Path`
//! taken out, `Date` and `Message-ID` put in where they are missing. Every other byte stays as it was submitted.
//!
//! Decides nothing about who may write as whom, and draws no ids: they come in.

use mail_parser::DateTime;

use crate::{
    address::Address,
    header::{self, Field},
    parse, thread,
};

/// Fields that do not leave: those that name hidden recipients, whom nobody gets to see, and the one that the server of the
/// recipient writes (RFC 5321 §4.4).
const TAKEN_OUT: [&str; 3] = ["bcc", "resent-bcc", "return-path"];
/// Fields that name who wrote or sent the message.
const AUTHORS: [&str; 2] = ["from", "sender"];

/// What is wrong with the author fields of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthorProblem {
    /// There is no `From` (RFC 5322 §3.6).
    Missing,
    /// `From` or `Sender` is there twice.
    Repeated,
    /// `From` or `Sender` is not one address.
    NotOne,
}

/// Everybody that `From` and `Sender` name: one address each.
///
/// # Errors
/// [`AuthorProblem`].
pub fn authors(raw: &[u8]) -> Result<Vec<Address>, AuthorProblem> {
    let mut found: [Option<Address>; AUTHORS.len()] = [const { None }; AUTHORS.len()];
    for field in header::fields(raw) {
        let Some(at) = AUTHORS.iter().position(|name| field.is(name)) else { continue };
        if found[at].is_some() {
            return Err(AuthorProblem::Repeated);
        }
        found[at] = Some(one_address(&field)?);
    }
    if found[0].is_none() {
        return Err(AuthorProblem::Missing);
    }
    Ok(found.into_iter().flatten().collect())
}

fn one_address(field: &Field<'_>) -> Result<Address, AuthorProblem> {
    let mut parties = parse::parties(field.value).into_iter();
    match (parties.next().and_then(|party| party.mailbox), parties.next()) {
        (Some(mailbox), None) => Ok(mailbox.into_address()),
        _ => Err(AuthorProblem::NotOne),
    }
}

/// The message as it is kept and sent.
#[must_use]
pub fn complete(raw: &[u8], message_id: &str, date_ms: i64) -> Vec<u8> {
    let (mut has_id, mut has_date) = (false, false);
    let mut kept = Vec::with_capacity(raw.len());
    let body = header::body_offset(raw);
    let mut rest = &raw[..body];
    while !rest.is_empty() {
        let (field, behind) = rest.split_at(field_bytes(rest));
        rest = behind;
        let (name, value) = named(field);
        if TAKEN_OUT.iter().any(|taken| name.eq_ignore_ascii_case(taken.as_bytes())) {
            continue;
        }
        if name.eq_ignore_ascii_case(b"message-id") {
            // One that names nothing is as good as none (RFC 6409 §8.3).
            if thread::message_ids(&header::unfold(value)).is_empty() {
                continue;
            }
            has_id = true;
        }
        has_date |= name.eq_ignore_ascii_case(b"date");
        kept.extend_from_slice(field);
    }
    let mut whole = Vec::with_capacity(raw.len() + 128);
    if !has_id {
        whole.extend_from_slice(format!("Message-ID: {message_id}\r\n").as_bytes());
    }
    if !has_date {
        let date = DateTime::from_timestamp(date_ms.div_euclid(1_000)).to_rfc822();
        whole.extend_from_slice(format!("Date: {date}\r\n").as_bytes());
    }
    whole.append(&mut kept);
    whole.extend_from_slice(&raw[body..]);
    whole
}

/// The length of the first line with the lines that continue it. Every line belongs to a field here, however odd it is, so
/// that no bound on names or counts lets a hidden recipient through.
fn field_bytes(section: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += section[at..].iter().position(|byte| *byte == b'\n').map_or(section.len() - at, |end| end + 1);
        if !matches!(section.get(at), Some(b' ' | b'\t')) {
            return at;
        }
    }
}

/// Name and value; a line without a colon has no name.
fn named(field: &[u8]) -> (&[u8], &[u8]) {
    match field.iter().position(|byte| *byte == b':') {
        Some(colon) => (field[..colon].trim_ascii(), &field[colon + 1..]),
        None => (b"", field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "<1@x.example>";

    fn completed(raw: &str) -> String {
        String::from_utf8(complete(raw.as_bytes(), ID, 1_700_000_000_000)).expect("ASCII")
    }

    fn named(raw: &str) -> Result<Vec<String>, AuthorProblem> {
        authors(raw.as_bytes()).map(|all| all.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_is_whole_stays_as_it_is() {
        for raw in [
            "Date: x\r\nMessage-ID: <a@b>\r\nFrom: a@b.example\r\n\r\nBcc: c@d.example\r\n\r\n.\r\n",
            "message-id :\r\n <a@b>\r\nDATE: \r\nX-Odd line\r\nFrom: a@b.example\r\n",
        ] {
            assert_eq!(completed(raw), raw);
        }
    }

    #[test]
    fn date_and_id_are_added_where_they_are_missing() {
        let date = "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n";
        assert_eq!(
            completed("From: a@b.example\r\n\r\nHi\r\n"),
            format!("Message-ID: {ID}\r\n{date}From: a@b.example\r\n\r\nHi\r\n")
        );
        assert_eq!(completed("Message-ID: \r\nDate: x\r\n\r\n"), format!("Message-ID: {ID}\r\nDate: x\r\n\r\n"));
        assert_eq!(completed("\r\nbody"), format!("Message-ID: {ID}\r\n{date}\r\nbody"));
        assert_eq!(completed(""), format!("Message-ID: {ID}\r\n{date}"));
    }

    #[test]
    fn hidden_recipients_are_gone_however_they_are_written() {
        let whole = "Date: x\r\nMessage-ID: <a@b>\r\n";
        for hidden in
            ["Bcc: c@d.example\r\n", "BCC :c@d.example,\r\n\te@f.example\r\n", "Resent-Bcc:\r\n x\r\n", "bcc:"]
        {
            assert_eq!(completed(&format!("{whole}{hidden}")), whole, "{hidden:?}");
        }
        let many = format!("{whole}{}", "A: b\r\n".repeat(header::HEADER_FIELDS_MAX + 1));
        assert_eq!(completed(&format!("{many}Bcc: c@d.example\r\n\r\n")), format!("{many}\r\n"));
    }

    #[test]
    fn a_return_path_is_the_last_servers_to_write() {
        let rest = "Date: x\r\nX-Return-Path: y\r\nMessage-ID: <a@b>\r\nSubject:  two  \r\n blanks\r\n";
        let body = "\r\nReturn-Path: <c@d.example>\r\n";
        for path in ["Return-Path: <c@d.example>\r\n", "RETURN-PATH :\r\n <>\r\n"] {
            assert_eq!(completed(&format!("{path}{rest}{path}{body}")), format!("{rest}{body}"));
        }
    }

    #[test]
    fn authors_are_one_address_each() {
        assert_eq!(named("From: \"A, B\" <a@b.example>\r\n\r\n"), Ok(vec!["a@b.example".to_owned()]));
        let with_sender = "Sender: s@b.example\r\nFrom:\r\n =?utf-8?q?J=C3=BCrgen?= <a@b.example>\r\n\r\n";
        assert_eq!(named(with_sender), Ok(vec!["a@b.example".to_owned(), "s@b.example".to_owned()]));
        for (raw, problem) in [
            ("To: a@b.example\r\n\r\nFrom: a@b.example", AuthorProblem::Missing),
            ("\r\nFrom: a@b.example\r\n\r\n", AuthorProblem::Missing),
            ("From: a@b.example\r\nfrom : a@b.example\r\n\r\n", AuthorProblem::Repeated),
            ("From: a@b.example, c@d.example\r\n\r\n", AuthorProblem::NotOne),
            ("From: nobody\r\n\r\n", AuthorProblem::NotOne),
            ("From:\r\n\r\n", AuthorProblem::NotOne),
            ("From: a@b.example\r\nSender: x, y\r\n\r\n", AuthorProblem::NotOne),
        ] {
            assert_eq!(named(raw), Err(problem), "{raw:?}");
        }
    }
}
