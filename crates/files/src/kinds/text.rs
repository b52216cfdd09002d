//! Plain text, tables with a delimiter, and HTML.

use std::borrow::Cow;

use posthouse_mail::{html, parse};

use crate::{FileError, FileText, output::TextWriter};

/// Lines of a table that show its delimiter.
const SNIFFED_LINES: usize = 10;
/// Characters of a table that show its delimiter.
const SNIFFED_CHARS: usize = 64 * 1024;

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
    let text = decode(bytes)?.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_start_matches('\u{feff}');
    let (delimiter, text) = stated_delimiter(text).unwrap_or_else(|| (delimiter(text), text));
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

/// Returns the delimiter that a first line states for Excel, such as `sep=;`, and the rows after it.
fn stated_delimiter(text: &str) -> Option<(char, &str)> {
    let (line, rows) = text.split_once('\n')?;
    let stated = line.trim_matches('"').strip_prefix("sep=")?;
    let mut chars = stated.chars();
    let delimiter = chars.next().filter(|c| !c.is_alphanumeric() && *c != '"')?;
    chars.next().is_none().then_some((delimiter, rows))
}

/// Returns the delimiter that splits the first rows most evenly: prose and decimals have commas, too, but not as many in each row.
fn delimiter(text: &str) -> char {
    // The last maximum wins.
    ['|', ',', ';', '\t'].into_iter().max_by_key(|delimiter| evenness(text, *delimiter)).unwrap_or(',')
}

/// Returns how evenly a delimiter splits the first rows: the rows that have it, and those with the most usual count of it; then
/// that count, without what can be decimal commas.
fn evenness(text: &str, delimiter: char) -> (usize, usize) {
    let rows = first_rows(text, delimiter);
    let with_it = rows.iter().filter(|row| row.all > 0);
    let alike = |wanted: &DelimiterCount| rows.iter().filter(|row| row.all == wanted.all).count();
    let usual = with_it.clone().max_by_key(|row| (alike(row), row.certain));
    usual.map_or((0, 0), |usual| (with_it.count() + alike(usual), usual.certain))
}

/// How often a row has a delimiter.
#[derive(Clone, Copy, Default)]
struct DelimiterCount {
    all: usize,
    /// Those that are not between two digits.
    certain: usize,
}

/// Returns the counts of a delimiter outside of quotes, in the first rows that aren't empty.
fn first_rows(text: &str, delimiter: char) -> Vec<DelimiterCount> {
    let (mut rows, mut row) = (Vec::new(), DelimiterCount::default());
    let (mut is_quoted, mut is_cell_start, mut before) = (false, true, '\n');
    let mut chars = text.chars().take(SNIFFED_CHARS).peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted || is_cell_start => is_quoted = !is_quoted,
            c if is_quoted && c != '"' => {}
            c if c == delimiter => {
                let is_decimal = before.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit);
                row.all += 1;
                row.certain += usize::from(!is_decimal);
            }
            '\n' if before != '\n' => rows.push(std::mem::take(&mut row)),
            _ => {}
        }
        is_cell_start = c == delimiter || c == '\n' || (is_cell_start && c.is_whitespace());
        before = c;
        if rows.len() == SNIFFED_LINES {
            return rows;
        }
    }
    rows.push(row);
    rows
}

/// Returns the text that a reader of the page sees.
pub(crate) fn html(bytes: &[u8]) -> Result<FileText, FileError> {
    let source = parse::html_of_file(bytes).ok_or_else(not_text)?;
    let mut out = TextWriter::default();
    if let Some(language) = language(&source) {
        out.set_language(language);
    }
    write_html(&mut out, &source);
    Ok(out.finish())
}

/// Writes what a reader of the page sees, and keeps what the page hides.
pub(crate) fn write_html(out: &mut TextWriter, source: &str) {
    let html::HtmlText { visible, hidden } = html::extract(source);
    write_lines(out, &visible);
    out.hide(&hidden);
}

/// Returns the `lang` attribute of the root element.
fn language(source: &str) -> Option<&str> {
    let at = source.find("<html")?;
    let tag = source[at..].split('>').next()?;
    let value = tag.split("lang=").nth(1)?.trim_start_matches(['"', '\'']);
    value.split(['"', '\'', ' ']).next()
}
