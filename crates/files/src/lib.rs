//! The text of files: PDF, office documents, mail, calendars, tables and plain text.
//!
//! Pure: bytes in, text out. Files come from strangers, so [`read`] may use much time or memory, or not return at all, for a
//! file made for that. Call it only in a process of its own whose memory and time are limited (`worker.rs` has the format of
//! its input and output). The [`limits`] keep ordinary files far below these bounds.

mod archive;
mod kind;
pub mod kinds;
pub mod limits;
mod output;
pub mod worker;
mod xml;

use serde::{Deserialize, Serialize};

pub use kind::{FileKind, detect};
pub use output::{FileText, PageImage};

/// What is known about a file beside its bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FileHints {
    /// Its name.
    pub filename: Option<String>,
    /// Its media type, in lower case.
    pub content_type: String,
    /// Whether pages without text are rasterized for OCR.
    pub rasterizes: bool,
    /// The index of a page whose image is wanted instead of the text.
    pub wanted_page: Option<usize>,
}

/// Why a file has no text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileError {
    /// The code.
    pub code: FileErrorCode,
    /// The problem, for people.
    pub message: String,
}

/// The kind of [`FileError`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileErrorCode {
    /// No text can be read from files of this type.
    UnsupportedType,
    /// The file is encrypted.
    Encrypted,
    /// The file is not a valid file of its type.
    ParseError,
    /// The file, or what it unpacks to, is too large.
    TooLarge,
}

impl FileError {
    fn new(code: FileErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    fn parse(message: impl Into<String>) -> Self {
        Self::new(FileErrorCode::ParseError, message)
    }

    fn too_large(message: impl Into<String>) -> Self {
        Self::new(FileErrorCode::TooLarge, message)
    }
}

/// Returns the text of a file.
///
/// # Errors
/// Returns why the file has no text.
pub fn read(hints: &FileHints, bytes: &[u8]) -> Result<FileText, FileError> {
    match hints.wanted_page {
        Some(index) => page_image(hints, bytes, index),
        None => read_nested(hints, bytes, 0),
    }
}

/// Returns the image of a page as a person sees it, in [`FileText::images`]. Only PDF has pages of a fixed form.
fn page_image(hints: &FileHints, bytes: &[u8], index: usize) -> Result<FileText, FileError> {
    if detect(hints, bytes) != FileKind::Pdf {
        return Err(FileError::new(FileErrorCode::UnsupportedType, "Files of this type have no images of pages."));
    }
    kinds::pdf::page_image(bytes, index)
}

/// Reads a file that is `depth` levels inside of another.
fn read_nested(hints: &FileHints, bytes: &[u8], depth: usize) -> Result<FileText, FileError> {
    if bytes.len() > limits::INPUT_BYTES_MAX {
        return Err(FileError::too_large(format!("The file is larger than {} bytes.", limits::INPUT_BYTES_MAX)));
    }
    match detect(hints, bytes) {
        FileKind::Plain => kinds::text::plain(bytes),
        FileKind::Csv => kinds::text::csv(bytes),
        FileKind::Html => kinds::text::html(bytes),
        FileKind::Rtf => kinds::rtf::read(bytes),
        FileKind::Pdf => kinds::pdf::read(hints, bytes),
        FileKind::Docx => kinds::docx::read(bytes, depth),
        FileKind::Xlsx => kinds::xlsx::read(bytes, depth),
        FileKind::Pptx => kinds::pptx::read(bytes, depth),
        FileKind::Odf => kinds::odf::read(bytes, depth),
        FileKind::Epub => kinds::epub::read(bytes),
        FileKind::Mail => kinds::mail::read(bytes, depth),
        FileKind::OutlookMail => kinds::msg::read(bytes, depth),
        FileKind::Calendar => kinds::ics::read(bytes),
        FileKind::Image => kinds::image::read(bytes),
        FileKind::EncryptedOffice => Err(FileError::new(FileErrorCode::Encrypted, "The file needs a password.")),
        FileKind::Damaged => Err(FileError::parse("The file is not a valid file of its type.")),
        FileKind::OldOffice | FileKind::Unsupported => {
            Err(FileError::new(FileErrorCode::UnsupportedType, "No text can be read from files of this type."))
        }
    }
}

#[cfg(test)]
mod tests;
