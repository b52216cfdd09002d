//! Plain text, tables with a delimiter, and HTML.

use std::borrow::Cow;

use posthouse_mail::{html, parse};

use crate::{FileError, FileText, output::TextWriter};

/// Lines of a table that show its delimiter.
const SNIFFED_LINES: usize = 10;

pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, FileError> {
    parse::text_of_file(bytes).ok_or_else(not_text)
}

fn not_text() -> FileError {
    FileError::parse("The file is not text.")
}

/// Returns plain text with line ends of one kind.
pub(crate) fn plain(bytes: &[u8]) -> Result<FileText, FileError> {
    let text = decode(bytes)?;
    let mut out = TextWriter::default();
    write_lines(&mut out, &text);
    Ok(out.finish())
}

/// Writes text as it is.
pub(crate) fn write_lines(out: &mut TextWriter, text: &str) {
    for line in text.replace("\r\n", "\n").split('\n') {
        out.push(line);
        out.push_char('\n');
        if out.is_full() {
            return;
        }
    }
}

/// Returns a table: a row on each line, with tabs between cells.
pub(crate) fn csv(bytes: &[u8]) -> Result<FileText, FileError> {
    let text = decode(bytes)?;
    let text = text.trim_start_matches('\u{feff}');
    let delimiter = delimiter(text);
    let mut out = TextWriter::default();
    let (mut cell, mut is_quoted, mut is_empty_row) = (String::new(), false, true);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' if is_quoted => is_quoted = false,
            '"' if cell.trim().is_empty() => (is_quoted, cell) = (true, String::new()),
            c if c == delimiter && !is_quoted => {
                out.cell(&std::mem::take(&mut cell));
                is_empty_row = false;
            }
            '\n' if !is_quoted => {
                if !is_empty_row || !cell.trim().is_empty() {
                    out.cell(&std::mem::take(&mut cell));
                }
                cell.clear();
                out.end_line();
                is_empty_row = true;
            }
            '\r' if !is_quoted => {}
            c => cell.push(c),
        }
        if out.is_full() {
            return Ok(out.finish());
        }
    }
    if !cell.is_empty() {
        out.cell(&cell);
    }
    Ok(out.finish())
}

/// Returns the delimiter that most of the first lines have.
fn delimiter(text: &str) -> char {
    let count = |delimiter: char| -> usize {
        text.lines().take(SNIFFED_LINES).map(|line| line.matches(delimiter).count().min(64)).sum()
    };
    // The last maximum wins.
    ['|', '\t', ';', ','].into_iter().max_by_key(|delimiter| count(*delimiter)).unwrap_or(',')
}

/// Returns the text that a reader of the page sees.
pub(crate) fn html(bytes: &[u8]) -> Result<FileText, FileError> {
    let source = parse::html_of_file(bytes).ok_or_else(not_text)?;
    let mut out = TextWriter::default();
    if let Some(language) = language(&source) {
        out.set_language(language);
    }
    write_lines(&mut out, &html::to_text(&source));
    Ok(out.finish())
}

/// Returns the `lang` attribute of the root element.
fn language(source: &str) -> Option<&str> {
    let at = source.find("<html")?;
    let tag = source[at..].split('>').next()?;
    let value = tag.split("lang=").nth(1)?.trim_start_matches(['"', '\'']);
    value.split(['"', '\'', ' ']).next()
}
