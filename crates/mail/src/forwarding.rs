//! Automatic forwarding of a received message to another address: rewrites the header and detects mail loops (RFC 9228
//! `Delivered-To`, RFC 5321 §6.3).
//!
//! SPF and DMARC evaluate the domain of the forwarding server. So `From` becomes the forwarding address, with the
//! original author's name in its display name, and the author's address moves to `Reply-To`. Signatures over the
//! original header no longer verify and are removed. The body is copied byte for byte. The caller chooses the
//! recipients and generates the message ID.

use crate::{
    address::{Address, Mailbox},
    author,
    build::{self, MimeBuildError},
    header::{self, HeaderField},
    thread::{self, ThreadParent},
    trace,
};

/// The field that records each address that forwarded the message; used to detect loops.
const DELIVERED_TO: &str = "Delivered-To";
/// The trace field that each hop adds.
const HOP: &str = "Received";
/// Maximum number of `Received` fields of a message that is still forwarded.
pub const HOPS_MAX: usize = 50;

/// Fields that aren't copied: those that are rewritten, those that reveal hidden recipients, signatures over the original
/// header, and what the author says about itself, which our signature would vouch for.
const REPLACED: [&str; 14] = [
    "agent-disclosure",
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

/// The values of the rewritten header.
#[derive(Debug, Clone, Copy)]
pub struct ForwardHeader<'a> {
    /// The address that received the message and forwards it, with its display name.
    pub by: &'a Mailbox,
    /// The `Message-ID` of the forwarded message, in angle brackets.
    pub message_id: &'a str,
    /// The `Message-ID` under which the original is stored, in angle brackets.
    pub original_id: &'a str,
    /// The `Authentication-Results` value that records how the original was authenticated.
    pub results: Option<&'a str>,
}

/// Returns whether the message was already forwarded by `address`, or has too many hops.
#[must_use]
pub fn is_loop(raw: &[u8], address: &Address) -> bool {
    let names_address = |field: &HeaderField<'_>| {
        let value = field.decoded();
        let bare = value.trim().trim_start_matches('<').trim_end_matches('>');
        Address::parse(bare).is_ok_and(|other| other == *address)
    };
    let mut hops = 0;
    for field in header::fields(raw) {
        hops += usize::from(field.is(HOP));
        if hops > HOPS_MAX || field.is(DELIVERED_TO) && names_address(&field) {
            return true;
        }
    }
    false
}

/// Returns the forwarded message: the rewritten header and the original body.
///
/// # Errors
/// Returns a [`MimeBuildError`] if a name or message ID can't be written to a header field.
pub fn forwarded_message(raw: &[u8], passing: &ForwardHeader<'_>) -> Result<Vec<u8>, MimeBuildError> {
    let section = header::section(raw);
    let author = author::author(raw).ok();
    let mut out = Vec::with_capacity(raw.len() + 2_048);
    let own = passing.by.address().smtp_form();
    push_header(DELIVERED_TO, &own, &mut out)?;
    for hop in header::fields(section).filter(|field| field.is(HOP)) {
        put_raw(hop.name, hop.value, &mut out);
    }
    if let Some(results) = passing.results {
        push_header("Authentication-Results", results, &mut out)?;
    }
    let shown = author.as_ref().map(|author| via(author.mailbox(), passing.by));
    build::address_field("From", &shown.unwrap_or_else(|| passing.by.clone()), &mut out);
    // Written from the parsed author: if the original bytes were copied, a recipient might parse a different author.
    match header::first_field(section, "reply-to") {
        Some(field) => put_raw("Reply-To", field.value, &mut out),
        None => author.iter().for_each(|author| build::address_field("Reply-To", author.mailbox(), &mut out)),
    }
    author.iter().for_each(|author| build::address_field("X-Original-From", author.mailbox(), &mut out));
    push_header("Message-ID", passing.message_id, &mut out)?;
    let chain = header::first_field(section, "references").map(|field| thread::message_ids(&field.decoded()));
    let answered = header::first_field(section, "in-reply-to").map(|field| thread::message_ids(&field.decoded()));
    let parent = ThreadParent {
        references: &chain.unwrap_or_default(),
        in_reply_to: answered.as_ref().and_then(|ids| ids.first()).map(String::as_str),
        message_id: passing.original_id,
    };
    push_header("References", &thread::reply_references(&parent).join(" "), &mut out)?;
    let is_automatic =
        |field: &HeaderField<'_>| field.is("auto-submitted") && !field.decoded().trim().eq_ignore_ascii_case("no");
    let was_automatic = header::fields(section).any(|field| is_automatic(&field));
    if !was_automatic {
        push_header("Auto-Submitted", "auto-generated", &mut out)?;
    }
    let own_id = passing.results.and_then(|results| results.split(';').next()).unwrap_or_default();
    let is_forged = |field: &HeaderField<'_>| {
        field.is("authentication-results") && trace::is_foreign_claim(&field.decoded(), own_id)
    };
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

/// Returns the forwarding address with a display name such as `Dana via Sam`.
fn via(author: &Mailbox, by: &Mailbox) -> Mailbox {
    let bare = author.address();
    let plain = || format!("{} at {}", bare.local(), bare.domain_display());
    let name = author.name().map_or_else(plain, str::to_owned);
    let through = by.name().unwrap_or_else(|| by.address().local());
    Mailbox::cleaned(Some(&format!("{name} via {through}")), by.address().clone())
}

fn push_header(name: &str, value: &str, out: &mut Vec<u8>) -> Result<(), MimeBuildError> {
    out.append(&mut build::prepend(&[(name, value)], b"")?);
    Ok(())
}

/// Writes a raw field value under `name` and normalizes its line endings to CRLF.
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

    fn forwarded(raw: &str) -> String {
        let by = Mailbox::parse("Sam <sam@agents.example>").unwrap();
        let passing = ForwardHeader {
            by: &by,
            message_id: "<2@agents.example>",
            original_id: "<1@x.example>",
            results: Some("mx.example; spf=pass"),
        };
        String::from_utf8(forwarded_message(raw.as_bytes(), &passing).unwrap()).unwrap()
    }

    #[test]
    fn from_names_the_author_reply_to_addresses_them_and_the_body_is_unchanged() {
        let raw = "Return-Path: <dana@x.example>\r\nReceived: from x.example\r\n\tby mx.example; now\r\n\
            Received: by y.example\r\nDKIM-Signature: v=1;\r\n b=x\r\nFrom: Dana <dana@x.example>\r\n\
            To: sam@agents.example\r\nMessage-ID: <1@x.example>\r\nReferences: <0@x.example>\r\nBcc: z@x.example\r\n\
            Subject: Offer\r\n\r\nBody: stays\r\n.\r\n";
        assert_eq!(
            forwarded(raw),
            "Delivered-To: sam@agents.example\r\nReceived: from x.example\r\n\tby mx.example; now\r\n\
            Received: by y.example\r\nAuthentication-Results: mx.example; spf=pass\r\nFrom: \"Dana via Sam\" <sam@agents.example>\r\n\
            Reply-To: \"Dana\" <dana@x.example>\r\nX-Original-From: \"Dana\" <dana@x.example>\r\n\
            Message-ID: <2@agents.example>\r\nReferences: <0@x.example> <1@x.example>\r\nAuto-Submitted: auto-generated\r\n\
            To: sam@agents.example\r\nSubject: Offer\r\n\r\nBody: stays\r\n.\r\n"
        );
    }

    #[test]
    fn reply_to_and_auto_submitted_are_kept() {
        let out = forwarded("From: dana@x.example\nReply-To: team@x.example\nAuto-Submitted: auto-replied\n\nHi\n");
        assert!(out.contains("From: \"dana at x.example via Sam\" <sam@agents.example>\r\n"), "{out}");
        assert!(
            out.contains("Reply-To: team@x.example\r\n") && out.contains("Auto-Submitted: auto-replied\r\n"),
            "{out}"
        );
        assert!(!out.contains("auto-generated") && out.ends_with("\r\n\r\nHi\n"), "{out}");
    }

    #[test]
    fn messages_without_header_or_author_are_forwarded() {
        for raw in ["", "\r\n", "no header at all", "From: \r\n\r\nx", "From: a\u{0}b\r\n\r\n"] {
            assert!(forwarded(raw).contains("From: \"Sam\" <sam@agents.example>\r\n"), "{raw:?}: {}", forwarded(raw));
        }
    }

    #[test]
    fn loops_and_too_many_hops_are_detected() {
        let sam = Address::parse("sam@agents.example").unwrap();
        assert!(is_loop(forwarded("From: dana@x.example\r\n\r\nHi").as_bytes(), &sam));
        assert!(is_loop(b"Delivered-To: <SAM@agents.example>\r\n\r\n", &sam));
        assert!(!is_loop(b"Delivered-To: sam@other.example\r\n\r\nDelivered-To: sam@agents.example\r\n", &sam));
        let hops = |count| "Received: x\r\n".repeat(count);
        assert!(!is_loop(hops(HOPS_MAX).as_bytes(), &sam));
        assert!(is_loop(hops(HOPS_MAX + 1).as_bytes(), &sam));
    }
}
