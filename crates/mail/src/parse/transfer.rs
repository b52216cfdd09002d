//! Content transfer encodings (RFC 2045 §6): base64 and quoted-printable, read leniently.
//!
//! Never fails: bytes outside an encoding are passed over (base64) or kept as they stand (quoted-printable).
//! Output is never longer than input.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;

/// How the body of a part is encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// `7bit`, `8bit`, `binary`, nothing, or a word nobody knows: the bytes as they are.
    #[default]
    Identity,
    Base64,
    QuotedPrintable,
}

impl Encoding {
    /// Reads the value of a Content-Transfer-Encoding field.
    pub(crate) fn from_value(value: &str) -> Self {
        let word = value.split([';', ' ', '\t', '(']).next().unwrap_or_default();
        if word.eq_ignore_ascii_case("base64") {
            Encoding::Base64
        } else if word.eq_ignore_ascii_case("quoted-printable") {
            Encoding::QuotedPrintable
        } else {
            Encoding::Identity
        }
    }

    /// The decoded bytes.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Encoding::Identity => Cow::Borrowed(bytes),
            Encoding::Base64 => Cow::Owned(base64(bytes)),
            Encoding::QuotedPrintable => Cow::Owned(quoted_printable(bytes)),
        }
    }
}

/// Decodes base64; bytes outside the alphabet are passed over.
pub(crate) fn base64(bytes: &[u8]) -> Vec<u8> {
    if let Some(decoded) = base64_decode(bytes) {
        return decoded;
    }
    let kept: Vec<u8> =
        bytes.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte)).collect();
    base64_decode(&kept).unwrap_or_default()
}

/// Decodes quoted-printable; an `=` that introduces nothing valid is kept.
pub(crate) fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let end = &line[content.len()..];
        let content = trim_blanks_end(content);
        let (content, soft) = match content.strip_suffix(b"=") {
            Some(before) => (before, true),
            None => (content, false),
        };
        quoted_line(content, &mut out);
        if !soft {
            out.extend_from_slice(end);
        }
    }
    out
}

fn quoted_line(line: &[u8], out: &mut Vec<u8>) {
    let mut rest = line;
    while let Some(at) = rest.iter().position(|&byte| byte == b'=') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        match hex_pair(rest) {
            Some(value) => {
                out.push(value);
                rest = &rest[2..];
            }
            None => out.push(b'='),
        }
    }
    out.extend_from_slice(rest);
}

/// The value of two hexadecimal digits at the start of `bytes`.
pub(crate) fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let high = char::from(*bytes.first()?).to_digit(16)?;
    let low = char::from(*bytes.get(1)?).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

fn trim_blanks_end(line: &[u8]) -> &[u8] {
    let blanks = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[..line.len() - blanks]
}
