//! Text that a file states in place of what it draws (ISO 32000-2 §14.9.4): ligatures, hyphens of line ends, words in images.

use encoding_rs::UTF_16BE;
use hayro::{
    hayro_interpret::hayro_syntax::object::{Dict, String as PdfString},
    kurbo::Rect,
};

/// The most bytes of a stated text.
const BYTES_MAX: usize = 64 * 1024;
/// Begins and ends the code of a language within a text string.
const LANGUAGE_MARK: char = '\u{1b}';

/// Marked content whose text is stated.
pub(super) struct Replacement {
    /// The text, until it is written.
    pub(super) text: Option<String>,
    /// The nesting of the marked content.
    pub(super) depth: usize,
    /// What the content shows, other than glyphs.
    pub(super) area: Option<Rect>,
}

/// Returns the text that the properties of marked content state.
pub(super) fn stated_text(properties: &Dict<'_>) -> Option<String> {
    let stated: PdfString<'_> = properties.get(b"ActualText")?;
    let bytes = stated.as_bytes();
    Some(decode(&bytes[..bytes.len().min(BYTES_MAX)]))
}

/// Decodes a text string (ISO 32000-2 §7.9.2.2).
fn decode(bytes: &[u8]) -> String {
    let text = if let Some(utf16) = bytes.strip_prefix(b"\xfe\xff") {
        UTF_16BE.decode_without_bom_handling(utf16).0.into_owned()
    } else if let Some(utf8) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        String::from_utf8_lossy(utf8).into_owned()
    } else {
        bytes.iter().filter_map(|byte| of_document_encoding(*byte)).collect()
    };
    without_languages(&text)
}

/// Removes codes of languages, which the text has between two marks.
fn without_languages(text: &str) -> String {
    text.split(LANGUAGE_MARK).step_by(2).collect()
}

/// Returns a character of PDFDocEncoding (ISO 32000-2 annex D.3); `None` if it has none.
fn of_document_encoding(byte: u8) -> Option<char> {
    const ACCENTS: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const SIGNS: [char; 31] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł',
        'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž',
    ];
    match byte {
        0x18..=0x1f => Some(ACCENTS[usize::from(byte - 0x18)]),
        0x80..=0x9e => Some(SIGNS[usize::from(byte - 0x80)]),
        0xa0 => Some('€'),
        0x7f | 0x9f => None,
        byte => Some(char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_are_decoded() {
        let table: [(&[u8], &str); 8] = [
            (b"plain", "plain"),
            (b"\x84 \x93 \xa0 \x1f \xe9", "— ﬁ € ˜ é"),
            (b"\xfe\xff\x00f\x00i", "fi"),
            (b"\xfe\xff\xd8\x3d\xde\x00", "\u{1f600}"),
            (b"\xfe\xff\x00\x1b\x00d\x00e\x00\x1b\x00a", "a"),
            (b"\xef\xbb\xbf\xc3\xa9", "é"),
            (b"\xfe\xff\xd8", "\u{fffd}"),
            (b"", ""),
        ];
        for (bytes, text) in table {
            assert_eq!(decode(bytes), text, "{bytes:?}");
        }
    }
}
