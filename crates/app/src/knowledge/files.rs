//! The text of uploaded files.

use posthouse_domain::{ErrorCode, Refusal, knowledge::TITLE_CHARS_MAX};
use posthouse_mail::html;

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

/// The kinds of files whose text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileKind {
    Text,
    Html,
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

    /// Returns the text.
    ///
    /// # Errors
    /// Returns `unsupported_media_type` for other kinds of files, or `invalid_request` if the file isn't UTF-8 text.
    pub fn text(self) -> Result<String, Refusal> {
        let kind = self.kind().ok_or_else(|| {
            let message = format!("The text of `{}` can't be read.", self.filename);
            Refusal::new(ErrorCode::UnsupportedMediaType, message).with_fix("Upload plain text, Markdown or HTML.")
        })?;
        let text = String::from_utf8(self.content)
            .map_err(|_| Refusal::invalid_field("file", "must be UTF-8 text").with_fix("Save the file as UTF-8."))?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text).replace('\0', "");
        Ok(match kind {
            FileKind::Text => text,
            FileKind::Html => html::to_text(&text),
        })
    }

    fn kind(&self) -> Option<FileKind> {
        let ending = self.filename.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("html" | "htm" | "xhtml") => return Some(FileKind::Html),
            Some("txt" | "text" | "md" | "markdown" | "rst" | "adoc" | "csv" | "log") => return Some(FileKind::Text),
            _ => {}
        }
        let stated = self.content_type.as_deref().unwrap_or_default();
        let essence = stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "text/html" | "application/xhtml+xml" => Some(FileKind::Html),
            "text/plain" | "text/markdown" | "text/x-markdown" | "text/csv" => Some(FileKind::Text),
            _ => None,
        }
    }
}
