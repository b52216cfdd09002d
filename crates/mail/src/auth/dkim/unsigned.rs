//! Fields about the form of the body that a signature leaves out.
//!
//! Large providers don't sign `Content-Type` and `Content-Transfer-Encoding`, so an unsigned field is accepted if readers see
//! the same without it, or if the body, which is signed, has that form by itself and makes no sense in another. Otherwise
//! the field may have been added or changed after signing, and readers would see something else than the signer wrote.

mod evidence;

use std::borrow::Cow;

use crate::dkim::message::SignedMessage;
use crate::dkim::signature::DkimCoverage;
use crate::parse::{PartHeader, TransferEncoding, charset, joined_lines, select};

/// The fields about the form of the body.
const FORM_FIELDS: [&str; 3] = ["Content-Type", "Content-Transfer-Encoding", "Content-Disposition"];

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
        TransferEncoding::QuotedPrintable => {
            memchr::memchr(b'=', body).is_none() || evidence::is_quoted_printable(body)
        }
        TransferEncoding::Base64 => body.trim_ascii().is_empty() || evidence::is_base64(body),
    }
}

fn has_type(body: &[u8], form: &PartHeader) -> bool {
    if form.is_multipart() {
        let is_divided = |boundary: &Vec<u8>| is_divided(body, boundary) && evidence::has_subtype(body, form);
        return form.boundary.as_ref().is_some_and(is_divided);
    }
    let text = form.encoding.decode(body);
    match form.media_type.as_str() {
        "" | "text/plain" => {
            let shown = charset::decode(form.charset.as_deref(), &text);
            is_in_charset(&text, &shown, form)
                && (!form.has_soft_breaks
                    || shows_same(&shown, &joined_lines(&select::line_feeds(Cow::Borrowed(&*shown)))))
        }
        "text/html" => is_markup(&text) && is_in_charset(&text, &charset::decode(form.charset.as_deref(), &text), form),
        // Anything else is shown as an attachment.
        _ => false,
    }
}

/// Returns whether two texts differ in their white space and the signs of quotes at most: words are neither joined nor divided.
fn shows_same(one: &str, other: &str) -> bool {
    let is_word = |word: &&str| word.contains(|c| c != '>');
    one.split_whitespace().filter(is_word).eq(other.split_whitespace().filter(is_word))
}

/// Returns whether a text in its stated charset is the one that its bytes show without it, or its bytes make no sense in
/// another one.
fn is_in_charset(text: &[u8], shown: &str, form: &PartHeader) -> bool {
    let Some(label) = form.charset.as_deref() else { return true };
    // Some mailers add blanks and signs around it.
    if shown == charset::decode(None, text) {
        return true;
    }
    if std::str::from_utf8(text).is_ok() {
        return evidence::has_shifts(text, label);
    }
    let ascii = |all: &mut dyn Iterator<Item = bool>| all.filter(|is_ascii| *is_ascii).count();
    let kept = ascii(&mut text.iter().map(u8::is_ascii)) == ascii(&mut shown.chars().map(|c| c.is_ascii()));
    charset::is_known(label) && kept && !shown.contains(char::REPLACEMENT_CHARACTER)
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
        let parts = "Preamble\r\n--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n\
            --b\r\nContent-Type: text/html\r\n\r\n<p>Hi\r\n--b--\r\n\r\n";
        for (header, body) in [
            ("Subject: x", "Hi\r\n"),
            ("Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit", "Hé = 5\r\n"),
            ("Content-Type: multipart/alternative; boundary=b", parts),
            ("Content-Type: text/html", " \r\n<!doctype html><p>Hi"),
            ("Content-Type: text/html", "Hi there\r\n"),
            ("Content-Transfer-Encoding: quoted-printable", "H=C3=A9 soft=\r\nbreak\r\n"),
            ("Content-Transfer-Encoding: base64", "SGkgdGhlcmUsIEFubiE=\r\n"),
            ("Content-Type: text/html\r\nContent-Transfer-Encoding: base64", "PHA+SGkgQW5uPC9wPg==\r\n"),
            ("Content-Type: text/plain; charset=iso-2022-jp", "\u{1b}$B2q5D\u{1b}(B\r\n"),
            ("Content-Disposition: inline", "Hi\r\n"),
        ] {
            assert!(agrees_with(header, body), "{header} {body}");
        }
    }

    #[test]
    fn a_charset_that_reads_other_text_is_not() {
        let texts = ["zahle 5 € an Jörg\r\n", "Καλημέρα 5\r\n", "これは 5\r\n", "naïve café\r\n"];
        let labels =
            ["iso-8859-1", "windows-1252", "gb18030", "shift_jis", "koi8-r", "big5", "euc-kr", "utf-7", "utf-16"];
        for (text, label) in texts.iter().flat_map(|text| labels.map(|label| (text, label))) {
            // Bytes that don't fit the charset are shown as without it.
            let is_shown = charset::decode(Some(label), text.as_bytes()) == *text;
            let is_eight_bit = ["iso-8859-1", "windows-1252", "koi8-r"].contains(&label);
            assert!(!(is_eight_bit && is_shown), "{label} {text}");
            for header in ["text/plain; charset=", "text/html; charset="] {
                let text = if header.starts_with("text/html") { format!("<p>{text}") } else { (*text).to_owned() };
                let expected = charset::decode(Some(label), text.as_bytes()) == text;
                assert_eq!(agrees_with(&format!("Content-Type: {header}{label}"), &text), expected, "{label} {text}");
            }
        }
        for label in ["utf-8", "UTF8", "us-ascii"] {
            for text in texts {
                assert!(agrees_with(&format!("Content-Type: text/plain; charset={label}"), text), "{label} {text}");
            }
        }
        for label in ["iso-8859-1", "windows-1252", "gb18030", "shift_jis", "koi8-r", "big5", "us-ascii", "euc-kr"] {
            assert!(agrees_with(&format!("Content-Type: text/plain; charset={label}"), "Pay 5 to ann.\r\n"), "{label}");
        }
        let (header, body) = (&b"Content-Type: text/plain; charset=iso-8859-1\r\n\r\n"[..], &b"f\xfcr J\xf6rg\r\n"[..]);
        assert!(agrees(&SignedMessage::split(&[header, body].concat()), "Content-Type"));
    }

    #[test]
    fn flowed_text_joins_no_words() {
        for (body, expected) in [
            ("Total: 10 \r\n000 units. Price 5 \r\n0 EUR\r\n", false),
            ("https://a.example/x \r\ny\r\n", false),
            ("two blanks  \r\nbetween words  \r\nare kept\r\n", true),
            ("no soft\r\nbreaks\r\n", true),
            ("> quoted  \r\n> text\r\n-- \r\nAnn\r\n", true),
        ] {
            let flowed = "Content-Type: text/plain; format=flowed; delsp=yes";
            assert_eq!(agrees_with(flowed, body), expected, "{body}");
            assert!(agrees_with("Content-Type: text/plain; format=flowed", body), "{body}");
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
            ("Content-Transfer-Encoding: base64", "Pay 5 to ann.\r\n"),
            ("Content-Transfer-Encoding: quoted-printable", "a=b\r\n"),
            ("Content-Transfer-Encoding: quoted-printable", "a=4\r\n"),
            ("Content-Transfer-Encoding: quoted-printable", "https://a.example/?id=20&acct=31&x=41\r\n"),
            ("Content-Transfer-Encoding: quoted-printable", "sum =\r\n100 =\r\n200\r\n"),
            ("Content-Disposition: attachment", "Hi\r\n"),
        ] {
            assert!(!agrees_with(header, body), "{header} {body}");
        }
    }
}
