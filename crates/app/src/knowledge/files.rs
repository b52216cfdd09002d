//! The text of uploaded files.

use std::borrow::Cow;

use bytes::Bytes;
use posthouse_domain::{
    ErrorCode, ExtractionError, ExtractionErrorCode, Refusal, WorkspaceId, knowledge::TITLE_CHARS_MAX,
};
use posthouse_mail::{
    file_type::{FileFormat, StatedType},
    html, parse,
};

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
        let is_html = match self.text_type() {
            Some(StatedType::Html) => true,
            Some(_) => false,
            None => return self.read(service, workspace).await,
        };
        let owner = WorkOwner { class: WorkClass::Search, workspace };
        let content = self.content;
        service.blocking_pool.run_for(owner, 0, move |_: &WorkStop| decoded(&content, is_html)).await?
    }

    async fn read(self, service: &Service, workspace: WorkspaceId) -> Result<String, Refusal> {
        if !service.config.files.extraction {
            let message = format!("This server doesn't read files such as `{}`.", self.filename);
            return Err(Refusal::new(ErrorCode::UnsupportedMediaType, message).with_fix(TEXT_ONLY));
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

    /// Returns what kind of text the file is, if it is text or HTML by its name and its content.
    fn text_type(&self) -> Option<StatedType> {
        let stated = StatedType::of(Some(&self.filename), self.content_type.as_deref().unwrap_or_default())?;
        let is_text = matches!(stated, StatedType::Text | StatedType::Table | StatedType::Html);
        (is_text && FileFormat::of(&self.content).is_none()).then_some(stated)
    }
}

/// Decodes a text in the character set that a mail with it would be read in.
fn decoded(content: &[u8], is_html: bool) -> Result<String, Refusal> {
    let text = if is_html { parse::html_of_file(content) } else { parse::text_of_file(content) };
    // A text with some zeros is damaged, and still a text.
    let text = text.or_else(|| std::str::from_utf8(content).ok().map(Cow::Borrowed));
    let text = text.ok_or_else(|| Refusal::invalid_field("file", "is not text").with_fix(TEXT_ENDING))?;
    Ok(if is_html { html::to_text(&text) } else { text.replace('\0', "") })
}

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
    fn a_text_is_one_by_its_name_and_its_content() {
        type Upload = (&'static str, Option<&'static str>, &'static [u8], Option<StatedType>);
        let table: [Upload; 10] = [
            ("a.md", None, b"x", Some(StatedType::Text)),
            ("a.HTML", Some("text/plain"), b"x", Some(StatedType::Html)),
            ("a.csv", None, b"a;b", Some(StatedType::Table)),
            ("a.pdf", Some("text/plain"), b"x", None),
            ("notes", Some("text/markdown; charset=utf-8"), b"x", Some(StatedType::Text)),
            ("scan.png", Some("image/png"), b"x", None),
            ("a.rtf", None, b"x", None),
            ("unknown", None, b"x", None),
            ("a.txt", None, b"%PDF-1.7", None),
            ("a.md", None, b"PK\x03\x04", None),
        ];
        for (filename, content_type, content, expected) in table {
            let (content_type, content) = (content_type.map(str::to_owned), content.to_vec());
            let file = KnowledgeFile { filename: filename.to_owned(), content_type, content };
            assert_eq!(file.text_type(), expected, "{filename}");
        }
    }
}
