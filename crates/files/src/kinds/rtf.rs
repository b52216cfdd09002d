//! Rich Text Format 1.9.1.

use encoding_rs::Encoding;

use crate::{FileError, FileText, limits::RTF_DEPTH_MAX, output::TextWriter};

/// Digits of the parameter of a control word.
const DIGITS_MAX: usize = 10;

/// Groups whose text is not of the document.
const DESTINATIONS: [&str; 26] = [
    "fonttbl",
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
        match byte {
            b'{' => reader.open()?,
            b'}' => reader.close(),
            b'\\' => reader.control(),
            b'\r' | b'\n' => {}
            byte => reader.byte(byte),
        }
        if reader.out.is_full() {
            break;
        }
    }
    reader.flush();
    Ok(reader.out.finish())
}

/// The state of a group.
#[derive(Clone, Copy)]
struct Group {
    is_skipped: bool,
    /// Characters that stand for a Unicode character where it is unknown.
    fallback_chars: usize,
}

struct RtfReader<'a> {
    bytes: &'a [u8],
    at: usize,
    out: TextWriter,
    group: Group,
    outer: Vec<Group>,
    encoding: &'static Encoding,
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
            group: Group { is_skipped: false, fallback_chars: 1 },
            outer: Vec::new(),
            encoding: encoding_rs::WINDOWS_1252,
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
        } else if !self.group.is_skipped {
            self.pending.push(byte);
        }
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            self.out.push(&self.encoding.decode_without_bom_handling(&pending).0);
        }
    }

    fn push(&mut self, text: &str) {
        if !self.group.is_skipped {
            self.flush();
            self.out.push(text);
        }
    }

    fn control(&mut self) {
        let Some(first) = self.take() else { return };
        if !first.is_ascii_alphabetic() {
            return self.symbol(first);
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
            b'*' => self.group.is_skipped = true,
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
            "ansicpg" => self.encoding = code_page(parameter.unwrap_or(1252)),
            "mac" => self.encoding = encoding_rs::MACINTOSH,
            "bin" => {
                let bytes = usize::try_from(parameter.unwrap_or_default()).unwrap_or(0);
                self.at = self.at.saturating_add(bytes).min(self.bytes.len());
            }
            word if DESTINATIONS.contains(&word) => self.group.is_skipped = true,
            _ => {}
        }
    }

    fn unicode(&mut self, code: i64) {
        self.left_out = self.group.fallback_chars;
        if self.group.is_skipped {
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

/// Returns the encoding of a Windows code page.
fn code_page(number: i64) -> &'static Encoding {
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
