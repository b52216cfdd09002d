//! Decodes text in a named character set (RFC 2046 §4.1.2). Never fails: undecodable bytes become U+FFFD.

mod legacy;

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use mail_parser::decoders::charsets::map::charset_decoder;

/// Number of bytes of an HTML body that are searched for a character set declaration.
const META_SEARCH_BYTES_MAX: usize = 2_048;

/// Number of bytes of a file that show whether it is text.
const SNIFFED_BYTES_MAX: usize = 8_192;

/// Returns the text of a file of any type; `None` if it isn't text.
#[must_use]
pub fn text_of_file(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let start = bytes.get(..SNIFFED_BYTES_MAX).unwrap_or(bytes);
    // A zero is the first or the second byte of nearly all characters of UTF-16, and in no other text.
    let zeros = |parity: usize| start.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), start.len() / 2);
    let wide = match start {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ if odd > pairs / 2 && even < pairs / 8 => Some(UTF_16LE),
        _ if even > pairs / 2 && odd < pairs / 8 => Some(UTF_16BE),
        _ => None,
    };
    match wide {
        Some(encoding) => Some(encoding.decode(bytes).0),
        None if even + odd > 0 || start.starts_with(b"%PDF-") => None,
        None => Some(decode_unlabeled(bytes)),
    }
}

/// Decodes `bytes`. If the label is missing, unknown or ASCII, the bytes are decoded by [`decode_unlabeled`]. A byte
/// order mark is removed.
pub(crate) fn decode<'a>(label: Option<&str>, bytes: &'a [u8]) -> Cow<'a, str> {
    let label = label.map(str::trim).unwrap_or_default();
    let label = legacy::known_as(label).unwrap_or(label);
    if let Some(text) = legacy::decode(label, bytes) {
        return Cow::Owned(text);
    }
    let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if Encoding::for_label(label.as_bytes()) == Some(UTF_8) {
        // `from_utf8` checks valid text several times faster.
        return std::str::from_utf8(unmarked).map_or_else(|_| String::from_utf8_lossy(unmarked), Cow::Borrowed);
    }
    if is_ascii_label(label) {
        return decode_unlabeled(unmarked);
    }
    if let Some(decoder) = charset_decoder(label.as_bytes()) {
        return Cow::Owned(decoder(bytes));
    }
    match Encoding::for_label(label.as_bytes()) {
        Some(encoding) => encoding.decode(bytes).0,
        None => decode_unlabeled(unmarked),
    }
}

/// Decodes bytes without a stated character set: as UTF-8, with U+FFFD for each invalid sequence, or as windows-1252,
/// which such mail usually means.
///
/// They count as UTF-8 unless they have more invalid sequences than valid characters of several bytes. Text in another
/// character set hardly contains such characters by chance.
pub(crate) fn decode_unlabeled(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    if is_mostly_utf8(bytes) {
        return String::from_utf8_lossy(bytes);
    }
    WINDOWS_1252.decode_without_bom_handling(bytes).0
}

/// Returns whether the bytes have at least as many valid characters of several bytes as invalid sequences.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid >= invalid
}

/// Decodes the raw value of a header field, which has no character set of its own: as ISO-2022-JP (RFC 1468) if it has
/// valid escape sequences, as UTF-8 (RFC 6532 §3.2) if it is or nearly is, or in `body_charset`, the 8-bit character set
/// that the body of the message declares, or else by [`decode_unlabeled`].
pub(crate) fn decode_field<'a>(bytes: &'a [u8], body_charset: Option<&str>) -> Cow<'a, str> {
    let is_ascii = bytes.is_ascii();
    if is_ascii && let Some(text) = iso_2022_jp(bytes) {
        return Cow::Owned(text);
    }
    let Some(label) = body_charset.filter(|_| !is_ascii && !is_mostly_utf8(bytes)) else {
        return decode_unlabeled(bytes);
    };
    let text = decode(Some(label), bytes);
    let bad = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    let good = text.chars().filter(|c| !c.is_ascii()).count() - bad;
    if good > bad { text } else { decode_unlabeled(bytes) }
}

/// Decodes ISO-2022-JP. Returns `None` if there are no escape sequences to Japanese characters and back to ASCII, or if
/// they aren't valid.
fn iso_2022_jp(bytes: &[u8]) -> Option<String> {
    memchr::memmem::find(bytes, b"\x1b$")?;
    let last = memchr::memrchr(b'\x1b', bytes)?;
    if !bytes[last..].starts_with(b"\x1b(") {
        return None;
    }
    ISO_2022_JP.decode_without_bom_handling_and_without_replacement(bytes).map(Cow::into_owned)
}

/// Returns whether the label names an 8-bit character set, other than UTF-8, that contains ASCII: raw bytes of a header
/// can be in it, and nothing in ASCII becomes something else.
pub(crate) fn is_eight_bit(label: &str) -> bool {
    /// Shift sequences of UTF-7, HZ, ISO-2022-KR and ISO-2022-JP.
    const SHIFTS: &[u8] = b"Aa +AGE- ~{VP~} \x0eGQ\x0f \x1b$B8l\x1b(B";
    is_known(label)
        && !is_ascii_label(label.trim())
        && Encoding::for_label(label.trim().as_bytes()) != Some(UTF_8)
        && decode(Some(label), SHIFTS).as_bytes() == SHIFTS
}

/// Returns whether [`decode`] knows this character set.
pub(crate) fn is_known(label: &str) -> bool {
    let label = label.trim();
    is_own(label) || Encoding::for_label(label.as_bytes()).is_some() || charset_decoder(label.as_bytes()).is_some()
}

/// Returns whether only [`decode`] supports this label; the decoders of the dependencies would lose such text.
pub(crate) fn is_own(label: &str) -> bool {
    legacy::known_as(label).is_some()
}

/// Decodes an HTML body, which may declare its character set itself.
pub(crate) fn decode_html<'a>(label: Option<&str>, bytes: &'a [u8]) -> Cow<'a, str> {
    if label.is_none() && std::str::from_utf8(bytes).is_err() {
        return decode(meta_label(bytes), bytes);
    }
    decode(label, bytes)
}

fn is_ascii_label(label: &str) -> bool {
    label.is_empty() || ["us-ascii", "ascii", "ansi_x3.4-1968"].iter().any(|name| label.eq_ignore_ascii_case(name))
}

/// Returns the value of the first `charset=` near the start of an HTML text.
fn meta_label(html: &[u8]) -> Option<&str> {
    const KEY: &[u8] = b"charset=";
    let window = html.get(..META_SEARCH_BYTES_MAX).unwrap_or(html);
    let start = window.windows(KEY.len()).position(|bytes| bytes.eq_ignore_ascii_case(KEY))?;
    let value = window[start + KEY.len()..].trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
    let end =
        value.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"-_.:".contains(byte)).unwrap_or(value.len());
    std::str::from_utf8(&value[..end]).ok()
}
