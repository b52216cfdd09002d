//! What bytes show about their character set: marks, escape sequences, the `<meta>` of HTML, and frequencies.

use std::borrow::Cow;
use std::sync::LazyLock;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257,
};
use memchr::{memchr, memmem};

use super::legacy;
use crate::wordlist::{self, WordTable};

/// Number of bytes of an HTML body that are searched for a character set declaration.
const META_SEARCH_BYTES_MAX: usize = 16 * 1024;
/// Number of bytes whose frequencies are compared.
const DETECTED_BYTES_MAX: usize = 32 * 1024;
/// Number of bytes of a top-level domain that can affect what is detected.
const TOP_LEVEL_BYTES_MAX: usize = 24;

/// Returns the encoding of a text that begins with the byte order mark of UTF-16 (RFC 2781 §3.2).
pub(super) fn marked(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        // The mark of UTF-32.
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, _, _, ..] => Some(UTF_16LE),
        [0xfe, 0xff, _, _, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Decodes 7-bit text with the escape sequences of ISO-2022-JP (RFC 1468) or ISO-2022-KR (RFC 1557), which no other text
/// has. Returns `None` if there are none, if they aren't valid, or if `label` names a character set with sequences of its
/// own.
pub(super) fn escaped(bytes: &[u8], label: Option<&str>) -> Option<String> {
    memchr(b'\x1b', bytes)?;
    let is_plain = || label.is_none_or(|label| !super::is_known(label) || super::is_eight_bit_or_utf8(label));
    if !bytes.is_ascii() || !is_plain() {
        return None;
    }
    if memmem::find(bytes, b"\x1b$)C").is_some() && memchr(0x0e, bytes).is_some() {
        return legacy::decode(legacy::ISO_2022_KR, bytes);
    }
    iso_2022_jp(bytes)
}

/// Decodes ISO-2022-JP. Returns `None` if there are no escape sequences to Japanese characters and back to ASCII, or if
/// they aren't valid.
fn iso_2022_jp(bytes: &[u8]) -> Option<String> {
    memmem::find(bytes, b"\x1b$").or_else(|| memmem::find(bytes, b"\x1b(I"))?;
    let last = memchr::memrchr(b'\x1b', bytes)?;
    if !bytes[last..].starts_with(b"\x1b(") {
        return None;
    }
    let text = without_empty_runs(bytes);
    let decoded = ISO_2022_JP.decode_without_bom_handling_and_without_replacement(&text)?;
    Some(decoded.into_owned())
}

/// Decodes text that is declared as ISO-2022-JP, with U+FFFD for what isn't valid.
pub(super) fn iso_2022_jp_lossy(bytes: &[u8]) -> String {
    ISO_2022_JP.decode_without_bom_handling(&without_empty_runs(bytes)).0.into_owned()
}

/// Leaves out each escape sequence that another one follows directly, as where two encoded words meet. Decoders take
/// such a pair for an attack, and mark it.
fn without_empty_runs(bytes: &[u8]) -> Cow<'_, [u8]> {
    /// The length of the escape sequences of ISO-2022-JP.
    const LENGTH: usize = 3;
    let is_empty_run = |at: usize| bytes.get(at) == Some(&b'\x1b') && bytes.get(at + LENGTH) == Some(&b'\x1b');
    if !memchr::memchr_iter(b'\x1b', bytes).any(is_empty_run) {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if is_empty_run(at) {
            at += LENGTH;
            continue;
        }
        out.push(bytes[at]);
        at += 1;
    }
    Cow::Owned(out)
}

/// Returns the character set that a `<meta>` near the start of an HTML text states. One that doesn't contain ASCII can't
/// be meant, because the element itself is read in it.
pub(super) fn meta_label(html: &[u8]) -> Option<&str> {
    let window = html.get(..META_SEARCH_BYTES_MAX).unwrap_or(html);
    let mut opens = memchr::memchr_iter(b'<', window);
    opens.find_map(|open| {
        let tag = &window[open + 1..];
        let is_meta = tag.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"meta"));
        if !is_meta {
            return None;
        }
        let tag = &tag[..memchr(b'>', tag)?];
        let label = charset_of(tag)?;
        Some(if label.to_ascii_lowercase().starts_with("utf-16") { UTF_8.name() } else { label })
    })
}

/// Returns the value after `charset=` in a tag.
fn charset_of(tag: &[u8]) -> Option<&str> {
    const KEY: &[u8] = b"charset";
    let start = tag.windows(KEY.len()).position(|bytes| bytes.eq_ignore_ascii_case(KEY))?;
    let value = tag[start + KEY.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value).trim_ascii_start();
    let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"-_.:".contains(byte);
    let end = value.iter().position(is_end).unwrap_or(value.len());
    std::str::from_utf8(&value[..end]).ok().filter(|label| super::is_known(label))
}

/// The character sets of Latin script, which the frequencies of a few letters don't tell apart.
static LATIN: LazyLock<[(&Encoding, WordTable); 4]> = LazyLock::new(|| {
    [
        (WINDOWS_1250, WordTable::new(|| wordlist::table(WORDS, "windows-1250"))),
        (WINDOWS_1252, WordTable::new(|| wordlist::table(WORDS, "windows-1252"))),
        (WINDOWS_1254, WordTable::new(|| wordlist::table(WORDS, "windows-1254"))),
        (WINDOWS_1257, WordTable::new(|| wordlist::table(WORDS, "windows-1257"))),
    ]
});

/// Frequent words of languages that have letters at different places in the sets of [`LATIN`].
const WORDS: &str = include_str!("words.txt");

/// Returns the character set of Latin script in which a text has the most frequent words, or `likely` if none has more.
fn by_words(text: &[u8], likely: &'static Encoding) -> &'static Encoding {
    let count = |encoding: &'static Encoding, table: &WordTable| {
        let text = encoding.decode_without_bom_handling(text).0.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_ascii());
        words.filter(|word| table.binary_search(word).is_ok()).count()
    };
    let counts = LATIN.iter().map(|(encoding, table)| (count(encoding, table), *encoding == likely, *encoding));
    let best = counts.max_by_key(|(words, is_likely, _)| (*words, *is_likely));
    best.filter(|(words, ..)| *words > 0).map_or(likely, |(_, _, encoding)| encoding)
}

/// Detects the most likely character set of texts that aren't UTF-8, from the frequencies of their letters and from words.
pub(crate) struct CharsetDetector {
    detector: EncodingDetector,
    /// The beginnings of the texts.
    texts: Vec<u8>,
}

impl CharsetDetector {
    /// Creates a detector without texts.
    pub(crate) fn new() -> Self {
        Self { detector: EncodingDetector::new(Iso2022JpDetection::Deny), texts: Vec::new() }
    }

    /// Creates the detector of one text.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut detector = Self::new();
        detector.add(bytes);
        detector
    }

    /// Returns whether no text was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns how many bytes of further texts are read.
    pub(crate) fn bytes_left(&self) -> usize {
        DETECTED_BYTES_MAX.saturating_sub(self.texts.len())
    }

    /// Adds a text. Only its beginning is read.
    pub(crate) fn add(&mut self, text: &[u8]) {
        let read = &text[..text.len().min(self.bytes_left())];
        self.texts.extend_from_slice(read);
        // A line end keeps the last byte of a text apart from the first one of the next.
        self.texts.push(b'\n');
    }

    /// Returns the most likely character set. `top_level` is the last label of the author's domain, because each country
    /// has its own.
    pub(crate) fn encoding(mut self, top_level: Option<&str>) -> &'static Encoding {
        let is_usable = |label: &&str| {
            label.len() <= TOP_LEVEL_BYTES_MAX && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        };
        self.detector.feed(&self.texts, true);
        let likely = self.detector.guess(top_level.filter(is_usable).map(str::as_bytes), Utf8Detection::Deny);
        let is_latin = LATIN.iter().any(|(encoding, _)| *encoding == likely);
        if is_latin { by_words(&self.texts, likely) } else { likely }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_words_are_sorted() {
        for (encoding, table) in LATIN.iter() {
            assert!(table.is_sorted(), "{}", encoding.name());
        }
    }
}
