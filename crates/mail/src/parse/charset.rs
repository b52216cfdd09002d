//! Decodes text in a named character set (RFC 2046 §4.1.2), or in the one that it is most likely in. Never fails:
//! undecodable bytes become U+FFFD.
//!
//! [`EncodedText::decode`] is the only place that decides about a character set: a mark of UTF-16, escape sequences, the
//! stated character set if the bytes fit it, the `<meta>` of HTML, UTF-8, what the rest of the message is in, and at last
//! the frequencies of letters in the bytes.

mod detect;
mod legacy;

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use mail_parser::decoders::charsets::map::charset_decoder;

pub(crate) use detect::CharsetDetector;

/// Number of bytes of a file that show whether it is text.
const SNIFFED_BYTES_MAX: usize = 8_192;

/// Returns the text of a file of any type; `None` if it isn't text.
#[must_use]
pub fn text_of_file(bytes: &[u8]) -> Option<Cow<'_, str>> {
    decode_file(bytes, false)
}

/// Returns the source of an HTML file, which may state its character set; `None` if it isn't text.
#[must_use]
pub fn html_of_file(bytes: &[u8]) -> Option<Cow<'_, str>> {
    decode_file(bytes, true)
}

fn decode_file(bytes: &[u8], is_html: bool) -> Option<Cow<'_, str>> {
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
        None => Some(EncodedText { bytes, label: None, is_html, hints: CharsetHints::default() }.decode()),
    }
}

/// What a message shows about the character set of its texts that don't state theirs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CharsetHints<'m> {
    /// The first 8-bit character set that a text part states.
    pub(crate) stated: Option<&'m str>,
    /// The character set that all its other texts together are most likely in.
    pub(crate) detected: Option<&'static Encoding>,
}

/// The bytes of a text, and what is known about their character set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EncodedText<'a, 'm> {
    pub(crate) bytes: &'a [u8],
    /// The stated character set.
    pub(crate) label: Option<&'m str>,
    /// Whether the text is HTML, which may state its character set itself.
    pub(crate) is_html: bool,
    pub(crate) hints: CharsetHints<'m>,
}

impl<'a> EncodedText<'a, '_> {
    /// Decodes the text. A byte order mark is removed.
    pub(crate) fn decode(&self) -> Cow<'a, str> {
        let bytes = self.bytes;
        if let Some(encoding) = detect::marked(bytes) {
            // Programs that don't know wide characters end the last line.
            return encoding.decode(bytes.strip_suffix(b"\r\n").unwrap_or(bytes)).0;
        }
        let label = self.label.map(str::trim).filter(|label| !is_ascii_label(label));
        if let Some(text) = detect::escaped(bytes, label) {
            return Cow::Owned(text);
        }
        let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let stated = label.and_then(|label| named(label, bytes));
        match stated {
            // Zeros are parts of wide characters, or damage: no other character set fits.
            Some(text) if is_readable(&text) || memchr::memchr(0, bytes).is_some() => text,
            stated => match std::str::from_utf8(unmarked) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => self.decode_as_likely(unmarked, stated),
            },
        }
    }

    /// Decodes a text that states no character set, or one that its bytes don't fit.
    fn decode_as_likely(&self, bytes: &'a [u8], mut stated: Option<Cow<'a, str>>) -> Cow<'a, str> {
        let meta = if self.is_html { detect::meta_label(bytes) } else { None };
        let named = |label: Option<&str>| label.and_then(|label| named(label, bytes)).filter(|text| is_readable(text));
        if let Some(text) = named(meta) {
            return text;
        }
        if is_mostly_utf8(bytes) {
            return String::from_utf8_lossy(bytes);
        }
        if let Some(text) = named(self.hints.stated) {
            return text;
        }
        let clean = |encoding: &'static Encoding| {
            let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
            (!has_errors).then_some(text)
        };
        // Bytes of ones are damage if no other byte isn't ASCII.
        let is_damage = || bytes.iter().all(|byte| byte.is_ascii() || *byte == 0xff);
        if let Some(stated) = stated.take_if(|_| is_damage()) {
            return stated;
        }
        let detected = || CharsetDetector::of(bytes).encoding(None);
        let likely = self.hints.detected.and_then(clean).or_else(|| clean(detected()));
        likely.or(stated).unwrap_or_else(|| encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0)
    }
}

/// Decodes bytes that nothing else is known about.
pub(crate) fn decode<'a>(label: Option<&str>, bytes: &'a [u8]) -> Cow<'a, str> {
    EncodedText { bytes, label, is_html: false, hints: CharsetHints::default() }.decode()
}

/// Decodes the raw value of a header field, which has no character set of its own: UTF-8 (RFC 6532 §3.2), or whatever
/// the message is in.
pub(crate) fn decode_field<'a>(bytes: &'a [u8], hints: CharsetHints<'_>) -> Cow<'a, str> {
    EncodedText { bytes, label: None, is_html: false, hints }.decode()
}

/// Decodes bytes in a named character set. Returns `None` if the name isn't known.
fn named<'a>(label: &str, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
    let label = label.trim();
    let label = legacy::known_as(label).unwrap_or(label);
    if let Some(text) = legacy::decode(label, bytes) {
        return Some(Cow::Owned(text));
    }
    let encoding = Encoding::for_label(label.as_bytes());
    if encoding == Some(UTF_8) {
        let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        // `from_utf8` checks valid text several times faster.
        return Some(std::str::from_utf8(unmarked).map_or_else(|_| String::from_utf8_lossy(unmarked), Cow::Borrowed));
    }
    if encoding == Some(ISO_2022_JP) {
        return Some(Cow::Owned(detect::iso_2022_jp_lossy(bytes)));
    }
    if let Some(decoder) = charset_decoder(label.as_bytes()) {
        return Some(Cow::Owned(decoder(bytes)));
    }
    encoding.map(|encoding| encoding.decode(bytes).0)
}

/// Returns whether a decoded text makes sense: one of the characters that aren't ASCII may be damaged, or one in each
/// [`READABLE_PER_BAD`].
fn is_readable(text: &str) -> bool {
    /// The least such characters for each that was not decoded.
    const READABLE_PER_BAD: usize = 2;
    if !text.contains(char::REPLACEMENT_CHARACTER) {
        return true;
    }
    let bad = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    let good = text.chars().filter(|c| !c.is_ascii()).count() - bad;
    good >= READABLE_PER_BAD * bad || good == 1 && bad == 1
}

/// Returns whether the bytes have at least as many valid characters of several bytes as invalid sequences. Text in
/// another character set hardly contains such characters by chance.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid >= invalid
}

/// Returns whether the bytes are neither ASCII nor UTF-8, so that their character set must be stated or detected.
pub(crate) fn is_eight_bit_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err() && !is_mostly_utf8(bytes)
}

/// Returns whether the label names an 8-bit character set, other than UTF-8, that contains ASCII: raw bytes of a header
/// can be in it, and nothing in ASCII becomes something else.
pub(crate) fn is_eight_bit(label: &str) -> bool {
    /// Shift sequences of UTF-7, HZ, ISO-2022-KR and ISO-2022-JP.
    const SHIFTS: &[u8] = b"Aa +AGE- ~{VP~} \x0eGQ\x0f \x1b$B8l\x1b(B";
    is_known(label)
        && !is_ascii_label(label.trim())
        && Encoding::for_label(label.trim().as_bytes()) != Some(UTF_8)
        && named(label, SHIFTS).is_some_and(|text| text.as_bytes() == SHIFTS)
}

/// Returns whether the label names UTF-8.
pub(crate) fn is_utf8(label: &str) -> bool {
    Encoding::for_label(label.trim().as_bytes()) == Some(UTF_8)
}

/// Returns whether the label names UTF-8 or a character set as [`is_eight_bit`] does.
fn is_eight_bit_or_utf8(label: &str) -> bool {
    is_utf8(label) || is_eight_bit(label)
}

/// Returns whether the character set has shift sequences, so that each encoded word in it is decoded on its own
/// (RFC 2047 §5).
pub(crate) fn is_stateful(label: &str) -> bool {
    is_known(label) && !is_ascii_label(label.trim()) && !is_eight_bit_or_utf8(label)
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

fn is_ascii_label(label: &str) -> bool {
    label.is_empty() || ["us-ascii", "ascii", "ansi_x3.4-1968"].iter().any(|name| label.eq_ignore_ascii_case(name))
}
