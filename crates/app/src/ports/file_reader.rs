//! The reader of files: the text of an attachment, read in a process of its own.

use bytes::Bytes;
use posthouse_domain::{ExtractedText, ExtractionError};

use super::BoxFuture;

/// A file to read.
#[derive(Clone, Debug)]
pub struct FileToRead {
    /// Its name.
    pub filename: Option<String>,
    /// Its media type.
    pub content_type: String,
    pub bytes: Bytes,
}

/// A reader of files. Files come from strangers, so reading must not harm this process, whatever they contain.
pub trait FileReader: Send + Sync + 'static {
    /// Returns the text of a file, or why it has no text.
    fn read(&self, file: FileToRead) -> BoxFuture<'_, Result<ExtractedText, ExtractionError>>;

    /// Returns the image of a page, counted from 0, as PNG; `None` if the file has no such page.
    fn page_image(&self, file: FileToRead, index: usize) -> BoxFuture<'_, Result<Option<Bytes>, ExtractionError>>;
}
