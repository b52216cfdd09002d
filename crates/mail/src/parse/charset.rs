//! Decodes text in a named character set (RFC 2046 §4.1.2). Never fails: undecodable bytes become U+FFFD.

mod legacy;

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use mail_parser::decoders::charsets::map::charset_decoder;

/// Number of bytes of an HTML body that are searched for a character set declaration.
const META_SEARCH_BYTES_MAX: usize = 2_048;

/// Decodes `bytes`. If the label is missing, unknown or ASCII, the bytes are decoded as UTF-8 if valid, otherwise as
/// windows-1252, which such mail usually means. A byte order mark is removed.
pub(crate) fn decode<'a>(label: Option<&str>, bytes: &'a [u8]) -> Cow<'a, str> {
    let label = label.map(str::trim).unwrap_or_default();
    let label = legacy::known_as(label).unwrap_or(label);
    if let Some(text) = legacy::decode(label, bytes) {
        return Cow::Owned(text);
    }
    if is_ascii_label(label) || label.eq_ignore_ascii_case("utf-8") {
        return decode_unlabeled(bytes, label.eq_ignore_ascii_case("utf-8"));
    }
    if let Some(decoder) = charset_decoder(label.as_bytes()) {
        return Cow::Owned(decoder(bytes));
    }
    match Encoding::for_label(label.as_bytes()) {
        Some(encoding) if encoding != UTF_8 => encoding.decode(bytes).0,
        _ => decode_unlabeled(bytes, false),
    }
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

fn decode_unlabeled(bytes: &[u8], is_utf8: bool) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if is_utf8 => String::from_utf8_lossy(bytes),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
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
