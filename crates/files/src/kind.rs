//! What kind of file some bytes are: by their first bytes, then by name and media type.

use std::io::Cursor;

use posthouse_mail::parse;

use crate::FileHints;

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Text without markup, Markdown and program text.
    Plain,
    /// A table with a delimiter.
    Csv,
    /// HTML.
    Html,
    /// Rich Text Format.
    Rtf,
    /// PDF.
    Pdf,
    /// A document of Word.
    Docx,
    /// A workbook of Excel.
    Xlsx,
    /// A presentation of PowerPoint.
    Pptx,
    /// OpenDocument: text, table or presentation.
    Odf,
    /// A book.
    Epub,
    /// A mail (RFC 5322).
    Mail,
    /// A mail of Outlook.
    OutlookMail,
    /// A calendar (RFC 5545).
    Calendar,
    /// An image, which only OCR can read.
    Image,
    /// Anything else.
    Unsupported,
}

/// Bytes at the start of a PDF before its header.
const PDF_HEADER_BYTES_MAX: usize = 1_024;
/// Bytes of a text that show its kind.
const SNIFFED_BYTES_MAX: usize = 512;

const IMAGE_MAGIC: [&[u8]; 8] =
    [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*", b"BM", b"P4\n"];

/// Returns the kind of a file.
#[must_use]
pub fn detect(hints: &FileHints, bytes: &[u8]) -> FileKind {
    if let Some(kind) = by_magic(bytes) {
        return kind;
    }
    let head = &bytes[..bytes.len().min(PDF_HEADER_BYTES_MAX)];
    if head.windows(5).any(|window| window == b"%PDF-") {
        return FileKind::Pdf;
    }
    by_words(hints, bytes).unwrap_or(FileKind::Unsupported)
}

fn by_magic(bytes: &[u8]) -> Option<FileKind> {
    if bytes.starts_with(b"%PDF-") {
        return Some(FileKind::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return Some(of_archive(bytes));
    }
    if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        let is_mail =
            cfb::CompoundFile::open(Cursor::new(bytes)).is_ok_and(|file| file.exists("/__properties_version1.0"));
        return Some(if is_mail { FileKind::OutlookMail } else { FileKind::Unsupported });
    }
    if bytes.starts_with(b"{\\rtf") {
        return Some(FileKind::Rtf);
    }
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    if is_webp || IMAGE_MAGIC.iter().any(|magic| bytes.starts_with(magic)) {
        return Some(FileKind::Image);
    }
    None
}

fn of_archive(bytes: &[u8]) -> FileKind {
    let Ok(archive) = zip::ZipArchive::new(Cursor::new(bytes)) else { return FileKind::Unsupported };
    let has = |name: &str| archive.index_for_name(name).is_some();
    // Usually `word/document.xml`; the relations of the file name it.
    if archive.file_names().any(|name| name.starts_with("word/document") && name.ends_with(".xml")) {
        FileKind::Docx
    } else if has("xl/workbook.xml") {
        FileKind::Xlsx
    } else if has("ppt/presentation.xml") {
        FileKind::Pptx
    } else if has("META-INF/container.xml") {
        FileKind::Epub
    } else if has("content.xml") {
        FileKind::Odf
    } else {
        FileKind::Unsupported
    }
}

fn by_words(hints: &FileHints, bytes: &[u8]) -> Option<FileKind> {
    let text = parse::text_of_file(bytes)?;
    let start: String = text.trim_start_matches('\u{feff}').trim_start().chars().take(SNIFFED_BYTES_MAX).collect();
    let lower = start.to_ascii_lowercase();
    let name = hints.filename.as_deref().unwrap_or_default().to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let content_type = hints.content_type.as_str();
    Some(if lower.starts_with("begin:vcalendar") {
        FileKind::Calendar
    } else if content_type == "message/rfc822" || extension == "eml" {
        FileKind::Mail
    } else if matches!(content_type, "text/html" | "application/xhtml+xml")
        || matches!(extension, "html" | "htm" | "xhtml")
        || lower.starts_with("<!doctype html")
        || lower.starts_with("<html")
    {
        FileKind::Html
    } else if matches!(content_type, "text/csv" | "text/tab-separated-values") || matches!(extension, "csv" | "tsv") {
        FileKind::Csv
    } else {
        FileKind::Plain
    })
}
