//! What kind of file some bytes are: by their first bytes, then by name and media type.

use std::io::Cursor;

use posthouse_mail::{
    file_type::{FileFormat, StatedType},
    parse,
};

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
    /// An office document in an encrypted container ([MS-OFFCRYPTO]).
    EncryptedOffice,
    /// A document of Office 97 to 2003, whose text isn't read.
    OldOffice,
    /// A file that isn't what its name, its media type or its first bytes say.
    Damaged,
    /// Anything else.
    Unsupported,
}

/// Bytes of a text that show its kind.
const SNIFFED_BYTES_MAX: usize = 512;

/// Returns the kind of a file: what its content shows. Name and media type only say what kind of text a text is, and whether a
/// content that shows nothing is a damaged file of a known kind or one of another kind.
#[must_use]
pub fn detect(hints: &FileHints, bytes: &[u8]) -> FileKind {
    let stated = StatedType::of(hints.filename.as_deref(), &hints.content_type);
    let found = match FileFormat::of(bytes) {
        Some(FileFormat::Pdf) => FileKind::Pdf,
        Some(FileFormat::Zip) => of_archive(bytes),
        Some(FileFormat::Compound) => of_compound(bytes),
        Some(FileFormat::Rtf) => FileKind::Rtf,
        Some(FileFormat::Image(_)) => FileKind::Image,
        None => by_words(stated, bytes).unwrap_or(FileKind::Unsupported),
    };
    match (found, stated) {
        (FileKind::Unsupported, Some(_)) | (FileKind::Plain, Some(StatedType::Binary)) => FileKind::Damaged,
        (found, _) => found,
    }
}

/// Returns the kind of a compound file, in which older programs also stored documents.
fn of_compound(bytes: &[u8]) -> FileKind {
    let Ok(file) = cfb::CompoundFile::open(Cursor::new(bytes)) else { return FileKind::Damaged };
    let has_any = |names: &[&str]| names.iter().any(|name| file.exists(name));
    if file.exists("/__properties_version1.0") {
        FileKind::OutlookMail
    } else if file.exists("/EncryptedPackage") {
        FileKind::EncryptedOffice
    } else if has_any(&["/WordDocument", "/Workbook", "/Book", "/PowerPoint Document"]) {
        FileKind::OldOffice
    } else {
        FileKind::Unsupported
    }
}

fn of_archive(bytes: &[u8]) -> FileKind {
    let Ok(archive) = zip::ZipArchive::new(Cursor::new(bytes)) else { return FileKind::Damaged };
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

fn by_words(stated: Option<StatedType>, bytes: &[u8]) -> Option<FileKind> {
    let text = parse::text_of_file(bytes)?;
    let start: String = text.trim_start_matches('\u{feff}').trim_start().chars().take(SNIFFED_BYTES_MAX).collect();
    let lower = start.to_ascii_lowercase();
    if lower.starts_with("begin:vcalendar") {
        return Some(FileKind::Calendar);
    }
    let is_page = lower.starts_with("<!doctype html") || lower.starts_with("<html");
    Some(match stated {
        Some(StatedType::Mail) => FileKind::Mail,
        Some(StatedType::Html) => FileKind::Html,
        _ if is_page => FileKind::Html,
        Some(StatedType::Table) => FileKind::Csv,
        _ => FileKind::Plain,
    })
}
