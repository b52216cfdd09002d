//! Fields about the form of the body that a signature leaves out.
//!
//! Large providers don't sign `Content-Type` and `Content-Transfer-Encoding`, so an unsigned field is accepted if the
//! body, which is signed, has that form by itself. Otherwise the field may have been added or changed after signing, and
//! readers would see something else than the signer wrote.

use crate::dkim::message::SignedMessage;
use crate::dkim::signature::DkimCoverage;
use crate::parse::{PartHeader, TransferEncoding};

/// The fields about the form of the body.
const FORM_FIELDS: [&str; 3] = ["Content-Type", "Content-Transfer-Encoding", "Content-Disposition"];

/// Longest line of quoted-printable and base64 text (RFC 2045 §6.7, §6.8), with room for encoders that ignore it.
const ENCODED_LINE_BYTES_MAX: usize = 998;

/// Returns the unsigned field whose value doesn't agree with the body; `None` if all agree.
pub(super) fn contradicts_body(message: &SignedMessage<'_>, coverage: &DkimCoverage) -> Option<&'static str> {
    FORM_FIELDS.into_iter().find(|name| {
        let is_signed = coverage.names.iter().any(|covered| covered.eq_ignore_ascii_case(name));
        !is_signed && message.named(name).next().is_some() && !agrees(message, name)
    })
}

fn agrees(message: &SignedMessage<'_>, name: &str) -> bool {
    let form = form_of(message);
    match name {
        "Content-Transfer-Encoding" => is_encoded(message.body, form.encoding),
        "Content-Disposition" => !form.is_attachment,
        _ => has_type(message.body, &form),
    }
}

/// Parses the fields as the reader of the message does.
fn form_of(message: &SignedMessage<'_>) -> PartHeader {
    let mut header = Vec::new();
    for field in FORM_FIELDS.iter().flat_map(|name| message.named(name)) {
        header.extend_from_slice(field.raw);
        header.extend_from_slice(b"\r\n");
    }
    PartHeader::read(&header)
}

fn is_encoded(body: &[u8], encoding: TransferEncoding) -> bool {
    match encoding {
        TransferEncoding::Identity => true,
        TransferEncoding::QuotedPrintable => has_only_escapes(body),
        TransferEncoding::Base64 => lines(body).all(|line| {
            line.len() <= ENCODED_LINE_BYTES_MAX
                && line.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        }),
    }
}

/// Returns whether every `=` begins an escape or ends its line, so that the text is quoted-printable.
fn has_only_escapes(body: &[u8]) -> bool {
    lines(body).all(|line| {
        line.len() <= ENCODED_LINE_BYTES_MAX
            && memchr::memchr_iter(b'=', line).all(|at| match line.get(at + 1..) {
                None | Some([]) => true,
                Some([high, low, ..]) => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
                Some([_]) => false,
            })
    })
}

fn has_type(body: &[u8], form: &PartHeader) -> bool {
    if form.is_multipart() {
        return form.boundary.as_ref().is_some_and(|boundary| is_divided(body, boundary));
    }
    match form.media_type.as_str() {
        "" | "text/plain" => form.charset.as_deref().is_none_or(|charset| reads_as(body, charset)),
        "text/html" => is_markup(&form.encoding.decode(body)),
        // Anything else is shown as an attachment.
        _ => false,
    }
}

/// Returns whether a delimiter line divides the body, and the closing one ends it (RFC 2046 §5.1.1).
fn is_divided(body: &[u8], boundary: &[u8]) -> bool {
    let delimiter = [b"--", boundary].concat();
    let closing = [&delimiter, &b"--"[..]].concat();
    let last = lines(body).filter(|line| !line.is_empty()).last();
    last == Some(&closing) && lines(body).any(|line| line == delimiter)
}

/// Returns whether text that opens with a tag, or has none and no entities, can be HTML.
fn is_markup(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    text.starts_with(b"<") || memchr::memchr2(b'<', b'&', text).is_none()
}

/// Returns whether the charset can be that of the body: one in which ASCII bytes are other characters needs the escapes
/// that only it has.
fn reads_as(body: &[u8], charset: &str) -> bool {
    let charset = charset.to_ascii_lowercase();
    match charset.as_str() {
        "utf-7" | "unicode-1-1-utf-7" => false,
        "hz-gb-2312" => body.windows(2).any(|pair| pair == b"~{"),
        name if name.starts_with("iso-2022-") => body.is_ascii() && memchr::memchr2(0x1b, 0x0e, body).is_some(),
        name => !["utf-16", "utf-32", "ucs-", "iso-10646", "cp037", "ebcdic"].iter().any(|wide| name.starts_with(wide)),
    }
}

/// Returns the lines without their ends and the blanks before them.
fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees_with(header: &str, body: &str) -> bool {
        let raw = format!("{header}\r\n\r\n{body}");
        let message = SignedMessage::split(raw.as_bytes());
        FORM_FIELDS.iter().all(|name| message.named(name).next().is_none() || agrees(&message, name))
    }

    #[test]
    fn forms_that_the_body_has_are_accepted() {
        let parts = "Preamble\r\n--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n--b\r\n\r\n<p>Hi\r\n--b--\r\n\r\n";
        for (header, body) in [
            ("Subject: x", "Hi\r\n"),
            ("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit", "Hé = 5\r\n"),
            ("Content-Type: multipart/alternative; boundary=b", parts),
            ("Content-Type: text/html", " \r\n<!doctype html><p>Hi"),
            ("Content-Type: text/html", "Hi there\r\n"),
            ("Content-Transfer-Encoding: quoted-printable", "H=C3=A9 soft=\r\nbreak\r\n"),
            ("Content-Transfer-Encoding: base64", "SGkgdGhlcmU=\r\n"),
            ("Content-Type: text/html\r\nContent-Transfer-Encoding: base64", "PHA+SGk8L3A+\r\n"),
            ("Content-Type: text/plain; charset=iso-2022-jp", "\u{1b}$B2q5D\u{1b}(B\r\n"),
            ("Content-Disposition: inline", "Hi\r\n"),
        ] {
            assert!(agrees_with(header, body), "{header} {body}");
        }
    }

    #[test]
    fn forms_that_change_what_is_shown_are_not() {
        for (header, body) in [
            ("Content-Type: text/html", "Pay <b@x.example> 5 & more\r\n"),
            ("Content-Type: multipart/mixed; boundary=b", "Hi\r\n--b\r\nhidden\r\n"),
            ("Content-Type: multipart/mixed; boundary=b", "--b--\r\n"),
            ("Content-Type: multipart/mixed", "--b\r\n\r\nHi\r\n--b--\r\n"),
            ("Content-Type: multipart/mixed; boundary=c", "--b\r\n\r\nHi\r\n--b--\r\n"),
            ("Content-Type: application/pdf", "Hi\r\n"),
            ("Content-Type: text/plain; charset=utf-7", "+AGg-i\r\n"),
            ("Content-Type: text/plain; charset=utf-16le", "Hi\r\n"),
            ("Content-Type: text/plain; charset=iso-2022-kr", "Hi\r\n"),
            ("Content-Transfer-Encoding: base64", "Pay 5 to ann.\r\n"),
            ("Content-Transfer-Encoding: quoted-printable", "a=b\r\n"),
            ("Content-Transfer-Encoding: quoted-printable", "a=4\r\n"),
            ("Content-Disposition: attachment", "Hi\r\n"),
        ] {
            assert!(!agrees_with(header, body), "{header} {body}");
        }
    }
}
