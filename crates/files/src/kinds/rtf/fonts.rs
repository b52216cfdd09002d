//! Fonts of RTF: their character sets, and the signs of those that have no letters.

use std::collections::HashMap;

use encoding_rs::Encoding;

use crate::kinds::symbols::SymbolFont;

/// Fonts that are known.
const FONTS_MAX: usize = 2_000;
/// Bytes of the name of a font.
const NAME_BYTES_MAX: usize = 100;
/// The character set of fonts whose characters are no letters.
const SYMBOLS: i64 = 2;

/// The table of fonts.
#[derive(Default)]
pub(super) struct RtfFonts {
    encodings: HashMap<i64, &'static Encoding>,
    symbols: HashMap<i64, SymbolFont>,
    /// The font that the table describes.
    number: i64,
    has_symbols: bool,
    name: String,
}

impl RtfFonts {
    /// Begins the description of a font.
    pub(super) fn begin(&mut self, number: i64) {
        (self.number, self.has_symbols) = (number, false);
        self.name.clear();
    }

    /// Takes the character set of the font that is described.
    pub(super) fn set_charset(&mut self, charset: i64) {
        self.has_symbols = charset == SYMBOLS;
        if self.encodings.len() < FONTS_MAX {
            self.encodings.extend(encoding_of(charset).map(|encoding| (self.number, encoding)));
        }
    }

    /// Takes a byte of the name of the font that is described.
    pub(super) fn name(&mut self, byte: u8) {
        if byte != b';' && self.name.len() < NAME_BYTES_MAX {
            return self.name.push(char::from(byte));
        }
        if self.has_symbols && self.symbols.len() < FONTS_MAX {
            self.symbols.extend(SymbolFont::named(&self.name).map(|font| (self.number, font)));
        }
        self.name.clear();
    }

    /// Returns the encoding of a font; `None` for that of the document.
    pub(super) fn encoding(&self, number: i64) -> Option<&'static Encoding> {
        self.encodings.get(&number).copied()
    }

    /// Returns the signs of a font that has no letters.
    pub(super) fn symbols(&self, number: Option<i64>) -> Option<&SymbolFont> {
        self.symbols.get(&number?)
    }
}

/// Returns the encoding of a character set; `None` for that of the document.
fn encoding_of(charset: i64) -> Option<&'static Encoding> {
    Some(code_page(match charset {
        77 => 10_000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178..=180 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    }))
}

/// Returns the encoding of a Windows code page.
pub(crate) fn code_page(number: i64) -> &'static Encoding {
    let label = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10_000 => "macintosh".to_owned(),
        65_001 => "utf-8".to_owned(),
        number => format!("windows-{number}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
}
