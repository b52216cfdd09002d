//! The text of a file while it is read.

use crate::FileError;
use crate::limits::{CHARS_MAX, PAGES_MAX, ROW_CELLS_MAX};

/// The text of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileText {
    /// The text of each page, sheet, slide or chapter; one for a file without such parts.
    pub pages: Vec<String>,
    /// Whether the file has parts of this kind, so that their number means something.
    pub is_paged: bool,
    /// Whether the text was cut at a limit.
    pub is_truncated: bool,
    /// The language that the file states (BCP 47).
    pub language: Option<String>,
    /// Text that the file hides from readers: by the style of HTML, or as hidden text of Word. Only a screen needs it.
    pub hidden: String,
    /// Pages to read by OCR.
    pub images: Vec<PageImage>,
}

impl FileText {
    /// Returns whether there is no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.pages.iter().all(|page| page.trim().is_empty())
    }
}

/// The image of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageImage {
    /// The index of the page.
    pub page: usize,
    /// The image, in PNG, JPEG, TIFF, GIF, WebP or BMP.
    pub bytes: Vec<u8>,
}

/// Collects text up to a limit.
#[derive(Debug, Default)]
pub(crate) struct TextWriter {
    pages: Vec<String>,
    page: String,
    is_paged: bool,
    chars: usize,
    cells: usize,
    is_full: bool,
    /// Whether something was left out before the end.
    is_cut: bool,
    language: Option<String>,
    hidden: String,
}

impl TextWriter {
    /// Returns whether nothing more is kept, so that reading can stop.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Marks the text as incomplete, and goes on.
    pub(crate) fn leave_out(&mut self) {
        self.is_cut = true;
    }

    /// Sets the language unless it is known.
    pub(crate) fn set_language(&mut self, language: &str) {
        let is_tag = (2..=35).contains(&language.len())
            && language.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if self.language.is_none() && is_tag {
            self.language = Some(language.to_owned());
        }
    }

    /// Adds text that readers don't see.
    pub(crate) fn hide(&mut self, text: &str) {
        let room = CHARS_MAX.saturating_sub(self.hidden.len() + 1);
        let text = &text[..text.floor_char_boundary(room)];
        if !text.trim().is_empty() {
            self.hidden.push_str(text);
            self.hidden.push('\n');
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        for c in text.chars() {
            self.push_char(c);
        }
    }

    pub(crate) fn push_char(&mut self, c: char) {
        if self.chars >= CHARS_MAX {
            self.is_full = true;
            return;
        }
        let c = match c {
            '\r' | '\u{c}' | '\u{b}' | '\u{2028}' | '\u{2029}' => '\n',
            '\u{a0}' => ' ',
            // Invisible, or no characters at all.
            '\u{ad}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => return,
            '\n' | '\t' => c,
            c if c.is_control() => return,
            c => c,
        };
        self.page.push(c);
        self.chars += 1;
    }

    /// Removes the spaces at the end of the text.
    pub(crate) fn trim_spaces(&mut self) {
        while self.page.ends_with(' ') {
            self.page.pop();
            self.chars -= 1;
        }
    }

    /// Adds lines before the text of the page so far.
    pub(crate) fn put_before(&mut self, lines: &[String]) {
        let page = std::mem::take(&mut self.page);
        self.chars -= page.chars().count();
        for line in lines {
            self.push(line);
            self.end_line();
        }
        self.push(&page);
    }

    /// Ends the line unless it is empty.
    pub(crate) fn end_line(&mut self) {
        self.cells = 0;
        while self.page.ends_with([' ', '\t']) {
            self.page.pop();
            self.chars -= 1;
        }
        if !self.page.is_empty() && !self.page.ends_with('\n') {
            self.push_char('\n');
        }
    }

    /// Ends the line and adds an empty one.
    pub(crate) fn end_paragraph(&mut self) {
        self.end_line();
        if !self.page.is_empty() && !self.page.ends_with("\n\n") {
            self.push_char('\n');
        }
    }

    /// Adds a cell to the row, with its line ends as spaces. A cell beyond the longest row is left out.
    pub(crate) fn cell(&mut self, text: &str) {
        if self.cells >= ROW_CELLS_MAX {
            self.is_cut |= !text.trim().is_empty();
            return;
        }
        if self.cells > 0 {
            self.push_char('\t');
        }
        self.cells += 1;
        for c in text.trim().chars() {
            let is_break = matches!(c, '\n' | '\t' | '\r' | '\u{b}' | '\u{c}' | '\u{2028}' | '\u{2029}');
            self.push_char(if is_break { ' ' } else { c });
        }
    }

    /// Begins the text of a page. Returns false if there are too many.
    pub(crate) fn begin_page(&mut self) -> bool {
        if self.is_paged {
            self.finish_page();
        }
        self.is_paged = true;
        if self.pages.len() >= PAGES_MAX {
            self.is_full = true;
            return false;
        }
        true
    }

    fn finish_page(&mut self) {
        let kept = self.page.trim_end().len();
        self.page.truncate(kept);
        self.cells = 0;
        self.pages.push(std::mem::take(&mut self.page));
    }

    /// Finishes a text whose parts are files of an archive. If parts are missing, the text is cut; if all are, the file is damaged.
    pub(crate) fn finish_parts(mut self, lacks_parts: bool) -> Result<FileText, FileError> {
        if lacks_parts && !self.is_paged {
            return Err(FileError::parse("The file lacks its parts."));
        }
        self.is_cut |= lacks_parts;
        Ok(self.finish())
    }

    pub(crate) fn finish(mut self) -> FileText {
        if !self.is_paged || self.pages.len() < PAGES_MAX {
            self.finish_page();
        }
        let Self { pages, is_paged, language, hidden, .. } = self;
        let is_truncated = self.is_full || self.is_cut;
        FileText { pages, is_paged, is_truncated, language, hidden, images: Vec::new() }
    }
}
