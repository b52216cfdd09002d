//! The text of uploaded files.

use std::borrow::Cow;

use bytes::Bytes;
use posthouse_domain::{
    ErrorCode, ExtractionError, ExtractionErrorCode, Refusal, WorkspaceId, knowledge::TITLE_CHARS_MAX,
};
use posthouse_mail::{html, parse};

use crate::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use crate::{ports::FileToRead, service::Service};

/// An uploaded file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnowledgeFile {
    /// The name of the file.
    pub filename: String,
    /// The content type that the caller states.
    pub content_type: Option<String>,
    /// The bytes.
    pub content: Vec<u8>,
}

/// How the text of a file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileKind {
    /// It is text.
    Text,
    /// It is HTML.
    Html,
    /// By a process of its own, as the files of mail are.
    Process,
}

impl KnowledgeFile {
    /// Returns the title that the document gets unless the caller names one: the file's name without its ending.
    #[must_use]
    pub fn title(&self) -> String {
        let name = self.filename.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
        let stem = if stem.trim().is_empty() { "Untitled" } else { stem.trim() };
        stem.chars().filter(|c| !c.is_control()).take(TITLE_CHARS_MAX).collect()
    }

    /// Returns the text. A file that isn't text is read by a process of its own, within the workspace's share of them.
    ///
    /// # Errors
    /// Returns `unsupported_media_type` if no text can be read from files of this kind, or `invalid_request` if the file can't
    /// be read.
    pub async fn text(self, service: &Service, workspace: WorkspaceId) -> Result<String, Refusal> {
        let kind = self.kind();
        if kind == FileKind::Process {
            return self.read(service, workspace).await;
        }
        let owner = WorkOwner { class: WorkClass::Search, workspace };
        let content = self.content;
        service.blocking_pool.run_for(owner, 0, move |_: &WorkStop| decoded(&content, kind)).await?
    }

    async fn read(self, service: &Service, workspace: WorkspaceId) -> Result<String, Refusal> {
        if !service.config.files.extraction {
            let message = format!("This server doesn't read files such as `{}`.", self.filename);
            return Err(Refusal::new(ErrorCode::UnsupportedMediaType, message).with_fix(TEXT_ONLY));
        }
        if self.is_no_image() {
            let message = format!("`{}` is not an image.", self.filename);
            return Err(Refusal::new(ErrorCode::UnsupportedMediaType, message).with_fix("Name the file by what it is."));
        }
        let _turn = service.uploads.turn(workspace).await;
        let content_type = self.content_type.unwrap_or_default().to_ascii_lowercase();
        let filename = Some(self.filename.clone());
        let wanted = FileToRead { filename, content_type, bytes: Bytes::from(self.content) };
        match service.file_reader.read(wanted).await {
            // A document has no pages: what separates them ends a paragraph.
            Ok(read) if !read.truncated => Ok(read.text.replace('\u{c}', "\n")),
            Ok(_) => {
                let refusal = Refusal::invalid_field("file", "has more text than a document may have");
                Err(refusal.with_fix("Split the file into several documents."))
            }
            Err(error) => Err(refusal(&self.filename, &error)),
        }
    }

    /// Returns whether the file is text under the name of an image, which could be read as text by its content.
    fn is_no_image(&self) -> bool {
        let ending = self.filename.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        ending.is_some_and(|ending| IMAGE_ENDINGS.contains(&ending.as_str()))
            && std::str::from_utf8(&self.content).is_ok()
    }

    fn kind(&self) -> FileKind {
        let ending = self.filename.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("html" | "htm" | "xhtml") => return FileKind::Html,
            Some("txt" | "text" | "md" | "markdown" | "rst" | "adoc" | "csv" | "log") => return FileKind::Text,
            Some(ending) if PROCESS_ENDINGS.contains(&ending) => return FileKind::Process,
            _ => {}
        }
        let stated = self.content_type.as_deref().unwrap_or_default();
        let essence = stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "text/html" | "application/xhtml+xml" => FileKind::Html,
            "text/plain" | "text/markdown" | "text/x-markdown" | "text/csv" => FileKind::Text,
            _ => FileKind::Process,
        }
    }
}

/// Decodes a text in the character set that a mail with it would be read in.
fn decoded(content: &[u8], kind: FileKind) -> Result<String, Refusal> {
    let is_html = kind == FileKind::Html;
    let text = if is_html { parse::html_of_file(content) } else { parse::text_of_file(content) };
    // A text with some zeros is damaged, and still a text.
    let text = text.or_else(|| std::str::from_utf8(content).ok().map(Cow::Borrowed));
    let text = text.ok_or_else(|| Refusal::invalid_field("file", "is not text").with_fix(TEXT_ENDING))?;
    Ok(if is_html { html::to_text(&text) } else { text.replace('\0', "") })
}

/// Endings of files that are read by a process, whatever content type is stated.
const PROCESS_ENDINGS: [&str; 13] =
    ["pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "rtf", "epub", "eml", "msg", "ics", "tsv"];

/// Endings of images.
const IMAGE_ENDINGS: [&str; 8] = ["png", "jpg", "jpeg", "gif", "tif", "tiff", "webp", "bmp"];

const TEXT_ENDING: &str = "Upload a text, or name the file by what it is.";

const TEXT_ONLY: &str = "Upload plain text, Markdown or HTML.";

/// Returns the refusal of a file without text.
fn refusal(filename: &str, error: &ExtractionError) -> Refusal {
    let is_unsupported = matches!(
        error.code,
        ExtractionErrorCode::UnsupportedType | ExtractionErrorCode::OcrUnavailable | ExtractionErrorCode::OcrError
    );
    if is_unsupported {
        let message = format!("The text of `{filename}` can't be read. {}", error.message);
        return Refusal::new(ErrorCode::UnsupportedMediaType, message)
            .with_fix("Upload text, Markdown, HTML, PDF, or an office document.");
    }
    let problem = match error.code {
        ExtractionErrorCode::Encrypted => "needs a password",
        ExtractionErrorCode::TooLarge => "unpacks to more than a file may have",
        ExtractionErrorCode::Timeout => "takes too much time or memory to read",
        _ => "is not a valid file of its type",
    };
    Refusal::invalid_field("file", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_how_a_file_is_read_and_else_its_type_does() {
        let table = [
            ("a.md", None, FileKind::Text),
            ("a.HTML", Some("text/plain"), FileKind::Html),
            ("a.pdf", Some("text/plain"), FileKind::Process),
            ("notes", Some("text/markdown; charset=utf-8"), FileKind::Text),
            ("page", Some("text/html"), FileKind::Html),
            ("scan.png", Some("image/png"), FileKind::Process),
            ("unknown", None, FileKind::Process),
        ];
        for (filename, content_type, kind) in table {
            let content_type = content_type.map(str::to_owned);
            let file = KnowledgeFile { filename: filename.to_owned(), content_type, content: Vec::new() };
            assert_eq!(file.kind(), kind, "{filename}");
        }
    }
}
