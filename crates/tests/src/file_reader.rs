//! A reader of files in the process of the test. The process that the server starts for each file is tested with the binary.

use bytes::Bytes;
use posthouse_app::ports::{BoxFuture, FileReader, FileToRead};
use posthouse_domain::{ExtractedText, ExtractionError, ExtractionErrorCode, ExtractionMethod};
use posthouse_files::{FileErrorCode, FileHints, FileText};

/// Reads files of tests, which are no threat.
#[derive(Clone, Copy, Debug)]
pub struct InProcessReader;

impl FileReader for InProcessReader {
    fn read(&self, file: FileToRead) -> BoxFuture<'_, Result<ExtractedText, ExtractionError>> {
        Box::pin(std::future::ready(read(file, None).and_then(text)))
    }

    fn page_image(&self, file: FileToRead, index: usize) -> BoxFuture<'_, Result<Option<Bytes>, ExtractionError>> {
        let image = |read: FileText| read.images.into_iter().next().map(|image| image.bytes.into());
        Box::pin(std::future::ready(read(file, Some(index)).map(image)))
    }
}

fn read(file: FileToRead, wanted_page: Option<usize>) -> Result<FileText, ExtractionError> {
    let FileToRead { filename, content_type, bytes } = file;
    let hints = FileHints { filename, content_type, rasterizes: false, wanted_page };
    posthouse_files::read(&hints, &bytes).map_err(|error| {
        let code = match error.code {
            FileErrorCode::UnsupportedType => ExtractionErrorCode::UnsupportedType,
            FileErrorCode::Encrypted => ExtractionErrorCode::Encrypted,
            FileErrorCode::ParseError => ExtractionErrorCode::ParseError,
            FileErrorCode::TooLarge => ExtractionErrorCode::TooLarge,
        };
        ExtractionError { code, message: error.message }
    })
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
        hidden: read.hidden,
    })
}
