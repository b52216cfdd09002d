//! What shows that a body has a form by itself: programs write it so, and it makes no sense to people in another form.

use super::lines;
use crate::parse::{PartHeader, TransferEncoding};

/// Longest line of quoted-printable and base64 text (RFC 2045 §6.7, §6.8), with room for encoders that ignore it.
const ENCODED_LINE_BYTES_MAX: usize = 998;
/// The shortest line of base64 that another one follows. Words are shorter.
const BASE64_LINE_BYTES_MIN: usize = 32;
/// The shortest text in base64, which is more than a word.
const BASE64_BYTES_MIN: usize = 16;
/// Bytes of a word that no language has.
const WORD_BYTES_MAX: usize = 40;
/// The shortest line that encoders break. People end shorter ones.
const BROKEN_LINE_BYTES_MIN: usize = 60;

/// Returns whether a body is base64: lines of one length, and what they encode is text or longer than a word.
pub(super) fn is_base64(body: &[u8]) -> bool {
    let all: Vec<&[u8]> = lines(body).filter(|line| !line.is_empty()).collect();
    let Some((last, first)) = all.split_last() else { return false };
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
    let length = first.first().map_or(0, |line| line.len());
    let are_equal = first.iter().all(|line| line.len() == length && line.iter().all(is_letter));
    let bare = last.trim_ascii_end();
    let padding = bare.iter().rev().take_while(|byte| **byte == b'=').count();
    let count = first.len() * length + bare.len();
    if !are_equal
        || !first.is_empty() && !(BASE64_LINE_BYTES_MIN..=ENCODED_LINE_BYTES_MAX).contains(&length)
        || first.is_empty() && bare.len() > ENCODED_LINE_BYTES_MAX
        || !bare[..bare.len() - padding].iter().all(is_letter)
        || padding > 2
        || count % 4 != 0 && padding > 0
        || count < BASE64_BYTES_MIN
    {
        return false;
    }
    let decoded = TransferEncoding::Base64.decode(body);
    let is_text = || {
        std::str::from_utf8(&decoded)
            .is_ok_and(|text| !text.chars().any(|c| c.is_control() && !matches!(c, '\r' | '\n' | '\t' | '\u{1b}')))
    };
    count > WORD_BYTES_MAX || is_text()
}

/// Returns whether a body is quoted-printable: every `=` is an escape, and either one is of a byte that only this encoding
/// writes so, or encoders have a reason for each.
pub(super) fn is_quoted_printable(body: &[u8]) -> bool {
    let (mut is_certain, mut are_usual) = (false, true);
    for line in lines(body) {
        if line.len() > ENCODED_LINE_BYTES_MAX {
            return false;
        }
        for at in memchr::memchr_iter(b'=', line) {
            let byte = match line.get(at + 1..) {
                None | Some([]) => {
                    are_usual &= line.len() >= BROKEN_LINE_BYTES_MIN;
                    continue;
                }
                Some([high, low, ..]) => match (digit(*high), digit(*low)) {
                    (Some(high), Some(low)) => high << 4 | low,
                    _ => return false,
                },
                Some([_]) => return false,
            };
            let ends_line = matches!(&line[at + 3..], [] | [b'=']);
            is_certain |= byte == b'=' || !byte.is_ascii();
            are_usual &= match byte {
                b' ' | b'\t' => ends_line,
                b'.' | b'F' => at == 0,
                _ => !byte.is_ascii_alphanumeric(),
            };
        }
    }
    is_certain || are_usual
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Returns whether a text in ASCII has the escapes of a charset in which other bytes don't matter.
pub(super) fn has_shifts(text: &[u8], charset: &str) -> bool {
    let charset = charset.trim().to_ascii_lowercase();
    match charset.as_str() {
        "hz-gb-2312" => text.is_ascii() && text.windows(2).any(|pair| pair == b"~{"),
        name => name.starts_with("iso-2022-") && text.is_ascii() && memchr::memchr2(0x1b, 0x0e, text).is_some(),
    }
}

/// Returns whether the parts of a body are those of its subtype. Another one shows other parts of the same body: of an
/// alternative readers see the last, of related parts the first.
pub(super) fn has_subtype(body: &[u8], form: &PartHeader) -> bool {
    let parts = parts(body, form.boundary.as_deref().unwrap_or_default());
    let is_named = |part: &PartHeader| part.is_attachment || part.filename.is_some() || part.content_id.is_some();
    let kind =
        |part: &PartHeader| if part.media_type.is_empty() { "text/plain".to_owned() } else { part.media_type.clone() };
    let is_shown = |part: &PartHeader| !is_named(part) && (kind(part).starts_with("text/") || part.is_multipart());
    // Programs write the text first and its HTML after it.
    let html = parts.iter().position(|part| is_shown(part) && holds_html(part, &kind(part)));
    let text = parts.iter().position(|part| is_shown(part) && kind(part) == "text/plain");
    let is_alternative = parts.len() > 1 && text.zip(html).is_some_and(|(text, html)| text < html);
    match form.media_type.as_str() {
        "multipart/alternative" => {
            let mut kinds: Vec<String> = parts.iter().map(kind).collect();
            kinds.sort_unstable();
            let are_distinct = kinds.windows(2).all(|pair| pair[0] != pair[1]);
            are_distinct && !parts.iter().any(|part| part.is_attachment)
        }
        "multipart/related" => !is_alternative && parts.iter().skip(1).all(|part| !is_shown(part)),
        "multipart/signed" | "multipart/encrypted" | "multipart/report" => true,
        _ => !is_alternative,
    }
}

/// Returns whether a part is HTML, or HTML with its images.
fn holds_html(part: &PartHeader, kind: &str) -> bool {
    kind == "text/html" || part.media_type == "multipart/related"
}

/// Returns the headers of the parts directly in a body.
fn parts(body: &[u8], boundary: &[u8]) -> Vec<PartHeader> {
    let delimiter = [b"--", boundary].concat();
    let mut parts = Vec::new();
    let mut at = 0;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        if line.trim_ascii_end() == delimiter {
            parts.push(PartHeader::read(&body[at..]));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_more_than_words() {
        use base64::{Engine as _, engine::general_purpose::STANDARD};
        for text in
            ["Hi there, Ann", "Grüße aus Köln", "これはテストです", "Pay 5 EUR to ann, please. Then go home.\r\n"]
        {
            let long = text.repeat(9);
            for (text, width) in [(text, 76), (&*long, 76), (&*long, 60), (&*long, 900), (&*long, 64)] {
                let encoded: Vec<u8> =
                    STANDARD.encode(text).as_bytes().chunks(width).flat_map(|line| [line, b"\r\n"].concat()).collect();
                assert!(is_base64(&encoded), "{text}");
            }
        }
        for word in [
            "Yes",
            "PAID",
            "Thanks",
            "Transfer1000",
            "Donaudampfschifffahrt",
            "Approved/Declined",
            "abcd\r\nefgh",
            "Pay\r\nann",
            "Hello+World+Ann1",
            "Pay 5",
            "",
            "=",
            "====",
        ] {
            assert!(!is_base64(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn quoted_printable_has_reasons_for_its_escapes() {
        let long = "a".repeat(70);
        for text in [
            "H=C3=A9 soft=\r\nbreak\r\n",
            "<a href=3D\"x\">\r\n",
            "ends with a blank=20\r\n",
            "=46rom here\r\n",
            &format!("{long}=\r\nb\r\n"),
            "=2E\r\n",
            "caf=E9",
        ] {
            assert!(is_quoted_printable(text.as_bytes()), "{text}");
        }
        for text in [
            "a=b",
            "a=4",
            "?id=20&acct=31",
            "x=41",
            "sum =\r\n100",
            "n=30=31",
            "=",
            "a=\r\nb\r\n",
            "q=5A",
            "x=2E5",
            "total=20 EUR",
        ] {
            assert!(!is_quoted_printable(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_subtype_shows_the_parts_that_were_meant() {
        let plain = "Content-Type: text/plain\r\n\r\nHi\r\n";
        let html = "Content-Type: text/html\r\n\r\n<p>Hi\r\n";
        let bare = "\r\nHi\r\n";
        let image = "Content-Type: image/png\r\nContent-ID: <a@b>\r\n\r\nx\r\n";
        let file = "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\r\nx\r\n";
        let page = "Content-Type: text/html; name=a.html\r\nContent-Disposition: attachment\r\n\r\nx\r\n";
        let related = "Content-Type: multipart/related; boundary=i\r\n\r\n--i--\r\n";
        let alternative = "Content-Type: multipart/alternative; boundary=i\r\n\r\n--i--\r\n";
        let calendar = "Content-Type: text/calendar\r\n\r\nx\r\n";
        for (subtype, parts, expected) in [
            ("alternative", &[plain, html][..], true),
            ("alternative", &[bare, html], true),
            ("alternative", &[plain, related], true),
            ("alternative", &[plain, html, calendar], true),
            ("alternative", &[html], true),
            ("alternative", &[plain, plain], false),
            ("alternative", &[plain, bare], false),
            ("alternative", &[plain, file], false),
            ("alternative", &[alternative, page], false),
            ("mixed", &[plain, file], true),
            ("mixed", &[alternative, file], true),
            ("mixed", &[plain, page], true),
            ("mixed", &[html, plain], true),
            ("mixed", &[plain, plain], true),
            ("mixed", &[html, file, html], true),
            ("mixed", &[plain, html], false),
            ("mixed", &[bare, html], false),
            ("mixed", &[plain, related], false),
            ("mixed", &[plain, file, html], false),
            ("related", &[html, image], true),
            ("related", &[alternative, image], true),
            ("related", &[html, file], true),
            ("related", &[plain, html], false),
            ("related", &[html, plain], false),
            ("related", &[plain, related], false),
            ("digest", &[plain, html], false),
        ] {
            let body: String = parts.iter().map(|part| format!("--b\r\n{part}")).collect();
            let form = format!("Content-Type: multipart/{subtype}; boundary=b\r\n");
            let form = PartHeader::read(form.as_bytes());
            assert_eq!(has_subtype(format!("{body}--b--\r\n").as_bytes(), &form), expected, "{subtype} {parts:?}");
        }
    }
}
