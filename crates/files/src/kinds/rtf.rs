//! Rich Text Format 1.9.1.

use std::collections::HashMap;

use encoding_rs::Encoding;

use crate::{FileError, FileText, limits::RTF_DEPTH_MAX, output::TextWriter};

/// Fonts whose character set is known.
const FONTS_MAX: usize = 2_000;
/// Digits of the parameter of a control word.
const DIGITS_MAX: usize = 10;

/// Groups whose text is not of the document.
const DESTINATIONS: [&str; 25] = [
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "listtable",
    "listoverridetable",
    "revtbl",
    "rsidtbl",
    "generator",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "xmlnstbl",
    "fldinst",
    "filetbl",
];

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let mut reader = RtfReader::new(bytes);
    while let Some(byte) = reader.take() {
        let is_start = std::mem::take(&mut reader.is_start);
        match byte {
            b'{' => reader.open()?,
            b'}' => reader.close(),
            b'\\' => reader.control(is_start),
            b'\r' | b'\n' => {}
            byte => reader.byte(byte),
        }
        if reader.out.is_full() {
            break;
        }
    }
    reader.flush();
    let is_open = !reader.outer.is_empty();
    let text = reader.out.finish();
    // The end of a text is often lost; a file that ends before its text is damaged.
    if is_open && text.is_empty() { Err(FileError::parse("The file ends before its text.")) } else { Ok(text) }
}

/// The state of a group.
#[derive(Clone, Copy)]
struct Group {
    is_skipped: bool,
    /// Whether the text stands for markup of the HTML that the file was made of.
    is_markup: bool,
    /// Whether the text is deleted, and only kept for a review.
    is_deleted: bool,
    /// Whether the text is of the table of fonts.
    is_fonts: bool,
    /// The character set of the font.
    encoding: &'static Encoding,
    /// Characters that stand for a Unicode character where it is unknown.
    fallback_chars: usize,
}

impl Group {
    fn is_hidden(&self) -> bool {
        self.is_skipped || self.is_markup || self.is_deleted
    }
}

struct RtfReader<'a> {
    bytes: &'a [u8],
    at: usize,
    out: TextWriter,
    group: Group,
    outer: Vec<Group>,
    /// Whether nothing of the group was read yet.
    is_start: bool,
    /// The character set of fonts without their own.
    encoding: &'static Encoding,
    /// The character sets of fonts by their number.
    fonts: HashMap<i64, &'static Encoding>,
    /// The font that the table describes.
    font: i64,
    /// Bytes of the code page that are not decoded yet.
    pending: Vec<u8>,
    /// Characters to leave out after a Unicode character.
    left_out: usize,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    is_in_row: bool,
}

impl<'a> RtfReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            out: TextWriter::default(),
            group: Group {
                is_skipped: false,
                is_markup: false,
                is_deleted: false,
                is_fonts: false,
                encoding: encoding_rs::WINDOWS_1252,
                fallback_chars: 1,
            },
            outer: Vec::new(),
            is_start: false,
            encoding: encoding_rs::WINDOWS_1252,
            fonts: HashMap::new(),
            font: 0,
            pending: Vec::new(),
            left_out: 0,
            high: None,
            is_in_row: false,
        }
    }

    fn take(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn open(&mut self) -> Result<(), FileError> {
        self.flush();
        if self.outer.len() >= RTF_DEPTH_MAX {
            return Err(FileError::too_large("The file nests groups too deeply."));
        }
        self.outer.push(self.group);
        self.left_out = 0;
        self.is_start = true;
        Ok(())
    }

    fn close(&mut self) {
        self.flush();
        self.left_out = 0;
        if let Some(group) = self.outer.pop() {
            self.group = group;
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.left_out > 0 {
            self.left_out -= 1;
        } else if !self.group.is_hidden() {
            self.pending.push(byte);
        }
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            self.high = None;
            self.out.push(&self.group.encoding.decode_without_bom_handling(&pending).0);
        }
    }

    fn push(&mut self, text: &str) {
        if !self.group.is_hidden() {
            self.flush();
            self.out.push(text);
        }
    }

    /// Reads a control word or symbol, which may be the first one of its group.
    fn control(&mut self, is_start: bool) {
        let Some(first) = self.take() else { return };
        if !first.is_ascii_alphabetic() {
            // Elsewhere it means nothing.
            return match first {
                // Writers mark notes as if readers could leave them out.
                b'*' => self.group.is_skipped |= is_start && !self.bytes[self.at..].starts_with(b"\\footnote"),
                _ => self.symbol(first),
            };
        }
        let start = self.at - 1;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            self.at += 1;
        }
        let bytes = self.bytes;
        let word = std::str::from_utf8(&bytes[start..self.at]).unwrap_or_default();
        let parameter = self.parameter();
        if self.peek() == Some(b' ') {
            self.at += 1;
        }
        self.word(word, parameter);
    }

    fn parameter(&mut self) -> Option<i64> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        while self.at - start <= DIGITS_MAX && self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'\'' => {
                let digits = self.bytes.get(self.at..self.at + 2).and_then(|two| std::str::from_utf8(two).ok());
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                self.at = (self.at + 2).min(self.bytes.len());
                byte.into_iter().for_each(|byte| self.byte(byte));
            }
            b'~' => self.push(" "),
            b'_' => self.push("-"),
            b'\\' | b'{' | b'}' => self.byte(symbol),
            b'\r' | b'\n' => self.push("\n"),
            _ => {}
        }
    }

    fn word(&mut self, word: &str, parameter: Option<i64>) {
        match word {
            "par" | "sect" if self.is_in_row => self.push(" "),
            "par" | "line" | "sect" | "page" | "softline" => self.push("\n"),
            "tab" => self.push("\t"),
            "intbl" => self.is_in_row = true,
            "pard" => self.is_in_row = false,
            "cell" | "nestcell" => self.push("\t"),
            "row" | "nestrow" => {
                self.is_in_row = false;
                self.flush();
                self.out.end_line();
            }
            "emdash" => self.push("—"),
            "endash" => self.push("–"),
            "bullet" => self.push("•"),
            "lquote" => self.push("‘"),
            "rquote" => self.push("’"),
            "ldblquote" => self.push("“"),
            "rdblquote" => self.push("”"),
            "emspace" | "enspace" | "qmspace" => self.push(" "),
            "u" => self.unicode(parameter.unwrap_or_default()),
            "uc" => self.group.fallback_chars = usize::try_from(parameter.unwrap_or(1)).unwrap_or(0).min(8),
            "ansicpg" => self.set_encoding(code_page(parameter.unwrap_or(1252))),
            "mac" => self.set_encoding(encoding_rs::MACINTOSH),
            "fonttbl" => (self.group.is_skipped, self.group.is_fonts) = (true, true),
            "f" if self.group.is_fonts => self.font = parameter.unwrap_or_default(),
            "fcharset" if self.group.is_fonts && self.fonts.len() < FONTS_MAX => {
                let encoding = parameter.and_then(charset);
                self.fonts.extend(encoding.map(|encoding| (self.font, encoding)));
            }
            "f" => {
                self.flush();
                let of_font = self.fonts.get(&parameter.unwrap_or_default()).copied();
                self.group.encoding = of_font.unwrap_or(self.encoding);
            }
            "plain" => {
                self.flush();
                (self.group.encoding, self.group.is_deleted) = (self.encoding, false);
            }
            "deleted" => {
                self.flush();
                self.group.is_deleted = parameter != Some(0);
            }
            // Text that only HTML made of this doesn't have ([MS-OXRTFEX]).
            "htmlrtf" => {
                self.flush();
                self.group.is_markup = parameter != Some(0);
            }
            "bin" => {
                let bytes = usize::try_from(parameter.unwrap_or_default()).unwrap_or(0);
                self.at = self.at.saturating_add(bytes).min(self.bytes.len());
            }
            word if DESTINATIONS.contains(&word) => self.group.is_skipped = true,
            _ => {}
        }
    }

    fn set_encoding(&mut self, encoding: &'static Encoding) {
        (self.encoding, self.group.encoding) = (encoding, encoding);
    }

    fn unicode(&mut self, code: i64) {
        self.left_out = self.group.fallback_chars;
        if self.group.is_hidden() {
            return;
        }
        self.flush();
        let unit = (code & 0xffff) as u16;
        match (self.high.take(), unit) {
            (_, 0xd800..=0xdbff) => self.high = Some(unit),
            (high, unit) => {
                let units = high.into_iter().chain([unit]);
                char::decode_utf16(units).flatten().for_each(|c| self.out.push_char(c));
            }
        }
    }
}

/// Returns the encoding of the character set of a font; `None` for that of the document.
fn charset(number: i64) -> Option<&'static Encoding> {
    Some(code_page(match number {
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
