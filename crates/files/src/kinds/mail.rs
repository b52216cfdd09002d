//! Mail inside of mail: its header, its text, and the text of its attachments.

use posthouse_mail::{html, parse};

use super::text::write_lines;
use crate::{FileError, FileErrorCode, FileHints, FileText, limits::MAIL_DEPTH_MAX, output::TextWriter};

/// Attachments that are read.
const ATTACHMENTS_MAX: usize = 50;

pub(crate) fn read(bytes: &[u8], depth: usize) -> Result<FileText, FileError> {
    let mail = parse::parse(bytes);
    let mut out = TextWriter::default();
    for name in ["from", "to", "cc", "date", "subject"] {
        if let Some(value) = mail.headers.first(name) {
            field(&mut out, name, value);
        }
    }
    out.end_paragraph();
    write_lines(&mut out, mail.text.as_deref().unwrap_or_default());
    out.hide(&mail.html.as_deref().map(|source| html::extract(source).hidden).unwrap_or_default());
    for (at, file) in mail.attachments.iter().enumerate() {
        if out.is_full() || depth >= MAIL_DEPTH_MAX || at >= ATTACHMENTS_MAX {
            out.leave_out();
            break;
        }
        let (filename, content_type) = (file.filename.clone(), file.content_type.clone());
        let hints = FileHints { filename, content_type, ..FileHints::default() };
        attachment(&mut out, &hints, &file.bytes, depth);
    }
    Ok(out.finish())
}

pub(crate) fn field(out: &mut TextWriter, name: &str, value: &str) {
    let mut chars = name.chars();
    out.push(&chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect::<String>());
    out.push(": ");
    out.push(value);
    out.end_line();
}

/// Adds the text of an attachment after a line with its name. What is cut in it is cut in the mail.
pub(crate) fn attachment(out: &mut TextWriter, hints: &FileHints, bytes: &[u8], depth: usize) {
    out.end_paragraph();
    field(out, "attachment", hints.filename.as_deref().unwrap_or(&hints.content_type));
    match crate::read_nested(hints, bytes, depth + 1) {
        Ok(text) => {
            text.pages.iter().for_each(|page| write_lines(out, page));
            out.hide(&text.hidden);
            if text.is_truncated {
                out.leave_out();
            }
        }
        Err(error) if error.code == FileErrorCode::TooLarge => out.leave_out(),
        Err(_) => {}
    }
}
