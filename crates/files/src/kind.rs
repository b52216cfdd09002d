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
    /// An office document in an encrypted container ([MS-OFFCRYPTO]).
    EncryptedOffice,
    /// A document of Office 97 to 2003, whose text isn't read.
    OldOffice,
    /// A file that isn't what its name, its media type or its first bytes say.
    Damaged,
    /// Anything else.
    Unsupported,
}

/// Name endings of formats that are recognized by their first bytes.
const BINARY_ENDINGS: [&str; 29] = [
    "pdf", "docx", "docm", "dotx", "dotm", "xlsx", "xlsm", "xltx", "xltm", "pptx", "pptm", "ppsx", "potx", "odt",
    "ods", "odp", "ott", "ots", "otp", "epub", "msg", "png", "jpg", "jpeg", "gif", "tif", "tiff", "webp", "bmp",
];
const TEXT_ENDINGS: [&str; 11] = ["rtf", "txt", "text", "md", "csv", "tsv", "html", "htm", "xhtml", "eml", "ics"];
/// The same as prefixes of media types.
const BINARY_TYPES: [&str; 11] = [
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.",
    "application/vnd.oasis.opendocument.",
    "application/epub",
    "application/vnd.ms-outlook",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/tiff",
    "image/webp",
    "image/bmp",
];
const TEXT_TYPES: [&str; 4] = ["application/rtf", "application/xhtml", "text/", "message/rfc822"];

/// What a file should be by its name or, if that has no known ending, by its media type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StatedForm {
    Binary,
    Text,
    Unknown,
}

impl StatedForm {
    fn of(hints: &FileHints) -> Self {
        let ending = hints.ending();
        let is_of = |types: &[&str]| types.iter().any(|known| hints.content_type.starts_with(known));
        if BINARY_ENDINGS.contains(&&*ending) {
            Self::Binary
        } else if TEXT_ENDINGS.contains(&&*ending) {
            Self::Text
        } else if is_of(&BINARY_TYPES) {
            Self::Binary
        } else if is_of(&TEXT_TYPES) {
            Self::Text
        } else {
            Self::Unknown
        }
    }
}

impl FileHints {
    /// Returns the ending of the name in lower case, without the dot.
    fn ending(&self) -> String {
        let name = self.filename.as_deref().unwrap_or_default();
        name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
    }
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
    let head = &bytes[..bytes.len().min(PDF_HEADER_BYTES_MAX)];
    let found = by_magic(bytes)
        .or_else(|| head.windows(5).any(|window| window == b"%PDF-").then_some(FileKind::Pdf))
        .or_else(|| by_words(hints, bytes))
        .unwrap_or(FileKind::Unsupported);
    match (found, StatedForm::of(hints)) {
        (FileKind::Unsupported, StatedForm::Binary | StatedForm::Text) | (FileKind::Plain, StatedForm::Binary) => {
            FileKind::Damaged
        }
        (found, _) => found,
    }
}

fn by_magic(bytes: &[u8]) -> Option<FileKind> {
    if bytes.starts_with(b"%PDF-") {
        return Some(FileKind::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return Some(of_archive(bytes));
    }
    if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return Some(of_compound(bytes));
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
    let ending = hints.ending();
    let extension = ending.as_str();
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
