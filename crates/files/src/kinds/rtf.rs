//! Rich Text Format 1.9.1.

mod fonts;
mod words;

use encoding_rs::Encoding;

use self::fonts::RtfFonts;
pub(crate) use self::fonts::code_page;
use super::parts::{EndedPart, TextParts};
use crate::{
    FileError, FileText,
    limits::{CHARS_MAX, RTF_DEPTH_MAX},
    output::TextWriter,
};

/// Digits of the parameter of a control word.
const DIGITS_MAX: usize = 10;

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
    reader.out.hide(&reader.hidden);
    let text = reader.parts.finish(reader.out);
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
    /// Whether readers don't see the text.
    is_unseen: bool,
    /// Whether the text is the number or the bullet of a paragraph.
    is_label: bool,
    /// The font.
    font: Option<i64>,
    /// The character set of the font.
    encoding: &'static Encoding,
    /// Characters that stand for a Unicode character where it is unknown.
    fallback_chars: usize,
}

impl Group {
    fn is_left_out(&self) -> bool {
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
    fonts: RtfFonts,
    /// Parts, with whether the text around them is in a row.
    parts: TextParts<bool>,
    /// Text that readers don't see.
    hidden: String,
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
                is_unseen: false,
                is_label: false,
                font: None,
                encoding: encoding_rs::WINDOWS_1252,
                fallback_chars: 1,
            },
            outer: Vec::new(),
            is_start: false,
            encoding: encoding_rs::WINDOWS_1252,
            fonts: RtfFonts::default(),
            parts: TextParts::default(),
            hidden: String::new(),
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
        let Some(group) = self.outer.pop() else { return };
        self.set_unseen(group.is_unseen);
        self.group = group;
        if let Some(EndedPart { state, instruction }) = self.parts.end(self.outer.len(), &mut self.out) {
            self.is_in_row = state;
            let sign = instruction.and_then(|instruction| words::sign_of(&instruction));
            sign.into_iter().for_each(|sign| self.push(sign.encode_utf8(&mut [0; 4])));
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.left_out > 0 {
            self.left_out -= 1;
        } else if self.group.is_fonts {
            self.fonts.name(byte);
        } else if !self.group.is_left_out() {
            self.pending.push(byte);
        }
    }

    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        self.high = None;
        let text = match self.fonts.symbols(self.group.font) {
            Some(font) => pending.iter().filter_map(|byte| font.sign(u32::from(*byte))).collect(),
            None => self.group.encoding.decode_without_bom_handling(&pending).0,
        };
        self.write(&text);
    }

    fn push(&mut self, text: &str) {
        if !self.group.is_left_out() {
            self.flush();
            self.write(text);
        }
    }

    /// Writes text that is not left out.
    fn write(&mut self, text: &str) {
        if !self.group.is_unseen {
            self.out.push(text);
        } else if self.hidden.len() + text.len() <= CHARS_MAX {
            self.hidden.push_str(text);
        }
    }

    /// Ends a paragraph, or a line of it.
    fn break_line(&mut self, word: &str) {
        if self.is_in_row {
            return self.push(" ");
        }
        if self.group.is_unseen {
            self.flush();
            self.write("\n");
            self.out.end_line();
        } else {
            self.push("\n");
        }
        if word == "par" {
            self.parts.write_boxes(&mut self.out);
        }
    }

    /// Reads a control word or symbol, which may be the first one of its group.
    fn control(&mut self, is_start: bool) {
        let Some(first) = self.take() else { return };
        if !first.is_ascii_alphabetic() {
            // Elsewhere it means nothing.
            return match first {
                b'*' => self.group.is_skipped |= is_start && !self.is_kept(),
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

    /// Returns whether the control word that follows begins a group with text.
    fn is_kept(&self) -> bool {
        let rest = self.bytes[self.at..].strip_prefix(b"\\").unwrap_or_default();
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        words::KEPT.iter().any(|word| word.as_bytes() == &rest[..letters])
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
            "par" | "line" | "sect" | "page" | "softline" | "column" => self.break_line(word),
            "tab" if self.is_in_row || self.group.is_label => self.push(" "),
            "tab" => self.push("\t"),
            "intbl" => self.is_in_row = true,
            "pard" => self.is_in_row = false,
            "nestcell" | "nestrow" => self.push(" "),
            "cell" => {
                self.flush();
                self.out.trim_spaces();
                self.push("\t");
            }
            "row" => {
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
            "f" if self.group.is_fonts => self.fonts.begin(parameter.unwrap_or_default()),
            "fcharset" if self.group.is_fonts => self.fonts.set_charset(parameter.unwrap_or_default()),
            "f" => self.set_font(parameter.unwrap_or_default()),
            "plain" => {
                self.set_unseen(false);
                (self.group.encoding, self.group.font) = (self.encoding, None);
                self.group.is_deleted = false;
            }
            "v" => self.set_unseen(parameter != Some(0)),
            "listtext" | "pntext" => self.group.is_label = true,
            "chftn" => {
                let mark = self.parts.mark();
                self.push(&mark);
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
            _ => self.begin_group(word),
        }
    }

    /// Takes what a control word says about the text of its group.
    fn begin_group(&mut self, word: &str) {
        if self.group.is_skipped || words::DESTINATIONS.contains(&word) {
            self.group.is_skipped = true;
            return;
        }
        let Some((kind, depth)) = words::part(word).zip(self.outer.len().checked_sub(1)) else { return };
        self.flush();
        self.parts.begin(kind, depth, self.is_in_row, &mut self.out);
        self.is_in_row = false;
    }

    fn set_encoding(&mut self, encoding: &'static Encoding) {
        (self.encoding, self.group.encoding) = (encoding, encoding);
    }

    fn set_font(&mut self, number: i64) {
        self.flush();
        self.group.font = Some(number);
        self.group.encoding = self.fonts.encoding(number).unwrap_or(self.encoding);
    }

    fn set_unseen(&mut self, is_unseen: bool) {
        self.flush();
        if self.group.is_unseen && !is_unseen {
            self.hidden.push('\n');
        }
        self.group.is_unseen = is_unseen;
    }

    fn unicode(&mut self, code: i64) {
        self.left_out = self.group.fallback_chars;
        if self.group.is_left_out() {
            return;
        }
        self.flush();
        let unit = (code & 0xffff) as u16;
        if let 0xd800..=0xdbff = unit {
            self.high = Some(unit);
            return;
        }
        let units = self.high.take().into_iter().chain([unit]);
        let sign = |c: char| match self.fonts.symbols(self.group.font) {
            Some(font) => font.sign(u32::from(c)).unwrap_or(c),
            // A bullet of a font that the group doesn't name.
            None if self.group.is_label && matches!(c, '\u{f000}'..='\u{f0ff}') => '•',
            None => c,
        };
        let text: String = char::decode_utf16(units).flatten().map(sign).collect();
        self.write(&text);
    }
}
