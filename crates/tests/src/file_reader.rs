//! A reader of files in the process of the test. The process that the server starts for each file is tested with the binary.

use posthouse_app::ports::{BoxFuture, FileReader, FileToRead};
use posthouse_domain::{ExtractedText, ExtractionError, ExtractionErrorCode, ExtractionMethod};
use posthouse_files::{FileErrorCode, FileHints, FileText};

/// Reads files of tests, which are no threat.
#[derive(Clone, Copy, Debug)]
pub struct InProcessReader;

impl FileReader for InProcessReader {
    fn read(&self, file: FileToRead) -> BoxFuture<'_, Result<ExtractedText, ExtractionError>> {
        let hints = FileHints { filename: file.filename, content_type: file.content_type, rasterizes: false };
        let read = posthouse_files::read(&hints, &file.bytes).map_err(|error| {
            let code = match error.code {
                FileErrorCode::UnsupportedType => ExtractionErrorCode::UnsupportedType,
                FileErrorCode::Encrypted => ExtractionErrorCode::Encrypted,
                FileErrorCode::ParseError => ExtractionErrorCode::ParseError,
                FileErrorCode::TooLarge => ExtractionErrorCode::TooLarge,
            };
            ExtractionError { code, message: error.message }
        });
        Box::pin(std::future::ready(read.and_then(text)))
    }
}

fn text(read: FileText) -> Result<ExtractedText, ExtractionError> {
    if !read.images.is_empty() {
        let message = "The file needs OCR, which this server doesn't have.".to_owned();
        return Err(ExtractionError { code: ExtractionErrorCode::OcrUnavailable, message });
    }
    Ok(ExtractedText {
        method: ExtractionMethod::Text,
        text: read.pages.join("\n\u{c}"),
        pages: read.is_paged.then(|| u32::try_from(read.pages.len()).unwrap_or(u32::MAX)),
        language: read.language,
        truncated: read.is_truncated,
    })
}
