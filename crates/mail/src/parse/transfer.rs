//! Content transfer encodings (RFC 2045 §6): lenient decoding of base64 and quoted-printable.
//!
//! Never fails: invalid bytes are skipped in base64 and kept in quoted-printable. The output is never longer than the
//! input.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use memchr::memchr;

/// The content transfer encoding of a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum TransferEncoding {
    /// `7bit`, `8bit`, `binary`, missing or unknown: the bytes aren't decoded.
    #[default]
    Identity,
    Base64,
    QuotedPrintable,
}

impl TransferEncoding {
    /// Parses the value of a `Content-Transfer-Encoding` field.
    pub(crate) fn from_value(value: &str) -> Self {
        let word = value.split([';', ' ', '\t', '(']).next().unwrap_or_default();
        if word.eq_ignore_ascii_case("base64") {
            TransferEncoding::Base64
        } else if word.eq_ignore_ascii_case("quoted-printable") {
            TransferEncoding::QuotedPrintable
        } else {
            TransferEncoding::Identity
        }
    }

    /// Returns the decoded bytes.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        match self {
            TransferEncoding::Identity => Cow::Borrowed(bytes),
            TransferEncoding::Base64 => Cow::Owned(base64(bytes)),
            TransferEncoding::QuotedPrintable => Cow::Owned(quoted_printable(bytes)),
        }
    }
}

/// Decodes a body in pieces.
///
/// Unlike `TransferEncoding::decode`, it handles only what encoders produce; see
/// [`crate::parse::ParsedAttachment::decoder`].
#[derive(Debug, Clone)]
pub struct TransferDecoder(DecoderState);

#[derive(Debug, Clone)]
enum DecoderState {
    Identity,
    Base64 {
        /// Decoded bits that don't fill a byte group yet.
        bits: u32,
        /// The number of digits in `bits`, 0 to 3.
        digits: u8,
        /// Whether padding ended the data.
        has_ended: bool,
    },
}

impl TransferDecoder {
    /// Creates a decoder; `None` for quoted-printable, whose lines can be of any length.
    pub(crate) fn new(encoding: TransferEncoding) -> Option<Self> {
        match encoding {
            TransferEncoding::Identity => Some(Self(DecoderState::Identity)),
            TransferEncoding::Base64 => Some(Self(DecoderState::Base64 { bits: 0, digits: 0, has_ended: false })),
            TransferEncoding::QuotedPrintable => None,
        }
    }

    /// Decodes the next piece.
    pub fn decode<'a>(&mut self, piece: &'a [u8]) -> Cow<'a, [u8]> {
        let DecoderState::Base64 { bits, digits, has_ended } = &mut self.0 else { return Cow::Borrowed(piece) };
        let mut out = Vec::with_capacity(piece.len() / 4 * 3 + 3);
        for byte in piece {
            if *has_ended {
                break;
            }
            let Some(value) = base64_digit(*byte) else {
                if *byte == b'=' {
                    *has_ended = true;
                    out.extend_from_slice(partial_group(*bits, *digits).as_slice());
                }
                continue;
            };
            *bits = *bits << 6 | value;
            *digits += 1;
            if *digits == 4 {
                out.extend_from_slice(&bits.to_be_bytes()[1..]);
                (*bits, *digits) = (0, 0);
            }
        }
        Cow::Owned(out)
    }

    /// Returns the last bytes of data without padding.
    pub fn finish(&mut self) -> Vec<u8> {
        match self.0 {
            DecoderState::Base64 { bits, digits, has_ended: false } => partial_group(bits, digits),
            DecoderState::Base64 { has_ended: true, .. } | DecoderState::Identity => Vec::new(),
        }
    }
}

/// Returns the value of a base64 digit.
const fn base64_digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value as u32)
}

/// Returns the bytes of a last group with less than four digits.
fn partial_group(bits: u32, digits: u8) -> Vec<u8> {
    match digits {
        2 => vec![(bits >> 4) as u8],
        3 => vec![(bits >> 10) as u8, (bits >> 2) as u8],
        _ => Vec::new(),
    }
}

/// Decodes base64 and skips bytes outside the alphabet.
pub(crate) fn base64(bytes: &[u8]) -> Vec<u8> {
    if let Some(decoded) = base64_decode(bytes) {
        return decoded;
    }
    let kept: Vec<u8> =
        bytes.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte)).collect();
    base64_decode(&kept).unwrap_or_default()
}

/// Decodes quoted-printable and keeps an `=` that doesn't begin a valid escape.
pub(crate) fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(memchr(b'\n', rest).map_or(rest.len(), |at| at + 1));
        rest = after;
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let end = &line[content.len()..];
        let content = trim_blanks_end(content);
        let (content, soft) = match content.strip_suffix(b"=") {
            Some(before) => (before, true),
            None => (content, false),
        };
        decode_quoted_line(content, &mut out);
        if !soft {
            out.extend_from_slice(end);
        }
    }
    out
}

fn decode_quoted_line(line: &[u8], out: &mut Vec<u8>) {
    let mut rest = line;
    while let Some(at) = memchr(b'=', rest) {
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

/// Returns the value of the two hexadecimal digits at the start of `bytes`.
pub(crate) fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let high = char::from(*bytes.first()?).to_digit(16)?;
    let low = char::from(*bytes.get(1)?).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

fn trim_blanks_end(line: &[u8]) -> &[u8] {
    let blanks = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[..line.len() - blanks]
}

#[cfg(test)]
mod tests {
    use ::base64::{Engine as _, engine::general_purpose::STANDARD};
    use proptest::prelude::*;

    use super::*;

    /// Decodes a body in pieces of the given sizes, repeated.
    fn decode_in_pieces(encoding: TransferEncoding, body: &[u8], sizes: &[usize]) -> Vec<u8> {
        let (mut decoder, mut rest, mut out) = (TransferDecoder::new(encoding).expect("a decoder"), body, Vec::new());
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(rest.len().min(*size));
            out.extend_from_slice(&decoder.decode(piece));
            rest = after;
        }
        out.extend_from_slice(&decoder.finish());
        out
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_decode_to_the_same_bytes(
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
            sizes in proptest::collection::vec(1usize..90, 1..6),
            is_padded in any::<bool>(),
        ) {
            let mut encoded = STANDARD.encode(&bytes);
            if !is_padded {
                encoded.truncate(encoded.trim_end_matches('=').len());
            }
            let lines: Vec<&str> =
                encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
            let body = lines.join("\r\n") + "\r\n";
            prop_assert_eq!(&decode_in_pieces(TransferEncoding::Base64, body.as_bytes(), &sizes), &bytes);
            prop_assert_eq!(&decode_in_pieces(TransferEncoding::Identity, &bytes, &sizes), &bytes);
        }
    }
}
