//! A received mail that is passed on whole to another address: the header it leaves with, and the signs that it went round
//! (RFC 9228 `Delivered-To`, RFC 5321 §6.3).
//!
//! SPF and DMARC judge the domain of whoever hands a mail over. So `From` becomes the address that passes it on, with the
//! author's name in it and the author in `Reply-To`; what signed the header as it was goes with it. The body stays byte for
//! byte. Decides nothing about who gets what, and draws no ids.

use crate::{
    address::{Address, Mailbox},
    author,
    build::{self, BuildError},
    header::{self, Field},
    thread, trace,
};

/// The field by which a loop is known.
const DELIVERED_TO: &str = "Delivered-To";
/// The field that each hop adds.
const HOP: &str = "Received";
/// Most hops of a mail that is still passed on, counted by `Received` fields.
pub const HOPS_MAX: usize = 50;

/// Fields that do not leave as they came: those that are written anew, those that name who stays hidden, and signatures
/// over the header as it was.
const REPLACED: [&str; 13] = [
    "from",
    "sender",
    "reply-to",
    "return-path",
    "message-id",
    "references",
    "bcc",
    "resent-bcc",
    "dkim-signature",
    "domainkey-signature",
    "arc-seal",
    "arc-message-signature",
    "arc-authentication-results",
];

/// What is new about a mail that is passed on.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    /// The address that received it and passes it on, with its name.
    pub by: &'a Mailbox,
    /// The `Message-ID` it leaves with, in angle brackets.
    pub message_id: &'a str,
    /// The `Message-ID` it is known by where it was received, in angle brackets.
    pub original_id: &'a str,
    /// What was found about who sent it, as the value of `Authentication-Results`.
    pub results: Option<&'a str>,
}

/// Whether a mail has been at an address before, or has been going round too long.
#[must_use]
pub fn goes_round(raw: &[u8], address: &Address) -> bool {
    let is_here = |field: &Field<'_>| {
        let value = field.decoded();
        let bare = value.trim().trim_start_matches('<').trim_end_matches('>');
        Address::parse(bare).is_ok_and(|other| other == *address)
    };
    let mut hops = 0;
    for field in header::fields(raw) {
        hops += usize::from(field.is(HOP));
        if hops > HOPS_MAX || field.is(DELIVERED_TO) && is_here(&field) {
            return true;
        }
    }
    false
}

/// The mail as it leaves.
///
/// # Errors
/// [`BuildError`] for a name or an id that cannot stand in a header.
pub fn passed_on(raw: &[u8], passing: &Passing<'_>) -> Result<Vec<u8>, BuildError> {
    let section = header::section(raw);
    let author = author::author(raw).ok();
    let mut out = Vec::with_capacity(raw.len() + 2_048);
    let own = passing.by.address().smtp_form();
    put(DELIVERED_TO, &own, &mut out)?;
    for hop in header::fields(section).filter(|field| field.is(HOP)) {
        put_raw(hop.name, hop.value, &mut out);
    }
    if let Some(results) = passing.results {
        put("Authentication-Results", results, &mut out)?;
    }
    let shown = author.as_ref().map(|author| via(author.mailbox(), passing.by));
    build::address_field("From", &shown.unwrap_or_else(|| passing.by.clone()), &mut out);
    // Written anew from what was read: a recipient must not read another author out of the same bytes.
    match header::first_field(section, "reply-to") {
        Some(field) => put_raw("Reply-To", field.value, &mut out),
        None => author.iter().for_each(|author| build::address_field("Reply-To", author.mailbox(), &mut out)),
    }
    author.iter().for_each(|author| build::address_field("X-Original-From", author.mailbox(), &mut out));
    put("Message-ID", passing.message_id, &mut out)?;
    let chain = header::first_field(section, "references").map(|field| thread::message_ids(&field.decoded()));
    put("References", &thread::reply_references(&chain.unwrap_or_default(), passing.original_id).join(" "), &mut out)?;
    let says_so = |field: &Field<'_>| field.is("auto-submitted") && !field.decoded().trim().eq_ignore_ascii_case("no");
    let was_automatic = header::fields(section).any(|field| says_so(&field));
    if !was_automatic {
        put("Auto-Submitted", "auto-generated", &mut out)?;
    }
    let own_id = passing.results.and_then(|results| results.split(';').next()).unwrap_or_default();
    let is_forged =
        |field: &Field<'_>| field.is("authentication-results") && trace::is_foreign_claim(&field.decoded(), own_id);
    for field in header::fields(section) {
        let replaced =
            field.is(HOP) || REPLACED.iter().any(|name| field.is(name)) || field.is("auto-submitted") && !was_automatic;
        if !replaced && !is_forged(&field) {
            put_raw(field.name, field.value, &mut out);
        }
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(&raw[header::body_offset(raw)..]);
    Ok(out)
}

/// The author's name, and that it came by somebody.
fn via(author: &Mailbox, by: &Mailbox) -> Mailbox {
    let bare = author.address();
    let plain = || format!("{} at {}", bare.local(), bare.domain_display());
    let name = author.name().map_or_else(plain, str::to_owned);
    let through = by.name().unwrap_or_else(|| by.address().local());
    Mailbox::cleaned(Some(&format!("{name} via {through}")), by.address().clone())
}

fn put(name: &str, value: &str, out: &mut Vec<u8>) -> Result<(), BuildError> {
    out.append(&mut build::prepend(&[(name, value)], b"")?);
    Ok(())
}

/// A field as it was written, under that name; every line of it ends as lines of mail do.
fn put_raw(name: &str, value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    for (at, line) in value.split(|byte| *byte == b'\n').enumerate() {
        if at > 0 {
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn passed(raw: &str) -> String {
        let by = Mailbox::parse("Sam <sam@agents.example>").unwrap();
        let passing = Passing {
            by: &by,
            message_id: "<2@agents.example>",
            original_id: "<1@x.example>",
            results: Some("mx.example; spf=pass"),
        };
        String::from_utf8(passed_on(raw.as_bytes(), &passing).unwrap()).unwrap()
    }

    #[test]
    fn the_author_is_named_and_answered_and_the_body_stays() {
        let raw = "Return-Path: <dana@x.example>\r\nReceived: from x.example\r\n\tby mx.example; now\r\n\
            Received: by y.example\r\nDKIM-Signature: v=1;\r\n b=x\r\nFrom: Dana <dana@x.example>\r\n\
            To: sam@agents.example\r\nMessage-ID: <1@x.example>\r\nReferences: <0@x.example>\r\nBcc: z@x.example\r\n\
            Subject: Offer\r\n\r\nBody: stays\r\n.\r\n";
        assert_eq!(
            passed(raw),
            "Delivered-To: sam@agents.example\r\nReceived: from x.example\r\n\tby mx.example; now\r\n\
            Received: by y.example\r\nAuthentication-Results: mx.example; spf=pass\r\nFrom: \"Dana via Sam\" <sam@agents.example>\r\n\
            Reply-To: \"Dana\" <dana@x.example>\r\nX-Original-From: \"Dana\" <dana@x.example>\r\n\
            Message-ID: <2@agents.example>\r\nReferences: <0@x.example> <1@x.example>\r\nAuto-Submitted: auto-generated\r\n\
            To: sam@agents.example\r\nSubject: Offer\r\n\r\nBody: stays\r\n.\r\n"
        );
    }

    #[test]
    fn who_asked_to_be_answered_elsewhere_still_is_and_automatic_mail_says_what_it_is() {
        let out = passed("From: dana@x.example\nReply-To: team@x.example\nAuto-Submitted: auto-replied\n\nHi\n");
        assert!(out.contains("From: \"dana at x.example via Sam\" <sam@agents.example>\r\n"), "{out}");
        assert!(
            out.contains("Reply-To: team@x.example\r\n") && out.contains("Auto-Submitted: auto-replied\r\n"),
            "{out}"
        );
        assert!(!out.contains("auto-generated") && out.ends_with("\r\n\r\nHi\n"), "{out}");
    }

    #[test]
    fn mail_without_anything_leaves_too() {
        for raw in ["", "\r\n", "no header at all", "From: \r\n\r\nx", "From: a\u{0}b\r\n\r\n"] {
            assert!(passed(raw).contains("From: \"Sam\" <sam@agents.example>\r\n"), "{raw:?}: {}", passed(raw));
        }
    }

    #[test]
    fn a_mail_that_was_here_goes_round_and_so_does_one_of_many_hops() {
        let sam = Address::parse("sam@agents.example").unwrap();
        assert!(goes_round(passed("From: dana@x.example\r\n\r\nHi").as_bytes(), &sam));
        assert!(goes_round(b"Delivered-To: <SAM@agents.example>\r\n\r\n", &sam));
        assert!(!goes_round(b"Delivered-To: sam@other.example\r\n\r\nDelivered-To: sam@agents.example\r\n", &sam));
        let hops = |count| "Received: x\r\n".repeat(count);
        assert!(!goes_round(hops(HOPS_MAX).as_bytes(), &sam));
        assert!(goes_round(hops(HOPS_MAX + 1).as_bytes(), &sam));
    }
}
