//! Images of the pages of an attachment, for a person who compares them with the text. A separate process draws them.

use bytes::Bytes;
use posthouse_domain::{Caller, ErrorCode, ExtractionErrorCode, Refusal};
use posthouse_store::Tx;

use super::text::{self, TextRequest};
use crate::{messages::raw, ports::FileToRead, service::Service};

const NO_IMAGES: &str = "Download the file with `GET /v1/attachments/{id}` instead.";

/// Returns the image of a page as PNG. Pages count from 0.
///
/// # Errors
/// Returns `not_found` if the attachment or the page is missing or invisible, `message_withheld`, `forbidden` if the file has a
/// link that only an owner may see, or `extraction_unavailable` if the file has no images of pages.
pub async fn render(service: &Service, caller: Caller, of: TextRequest, index: usize) -> Result<Bytes, Refusal> {
    let workspace = caller.workspace;
    let find = move |tx: &mut Tx| text::find(tx, &caller, of);
    service.read(workspace, find).await?;
    if !service.config.files.extraction {
        return Err(unavailable("This server doesn't read files."));
    }
    // A waiting request holds no file.
    let _turn = service.uploads.turn(workspace).await;
    let (file, mut download) = raw::file(service, caller, of.attachment, of.opt_ins).await?;
    let mut bytes = Vec::new();
    while let Some(chunk) = download.next_chunk().await? {
        bytes.extend_from_slice(&chunk);
    }
    let content_type = file.content_type.to_ascii_lowercase();
    let wanted = FileToRead { filename: file.filename, content_type, bytes: bytes.into() };
    match service.file_reader.page_image(wanted, index).await {
        Ok(image) => image.ok_or_else(|| Refusal::not_found("page")),
        Err(error) if error.code == ExtractionErrorCode::UnsupportedType => {
            Err(unavailable("Only PDF files have images of pages."))
        }
        Err(error) => Err(unavailable(&error.message)),
    }
}

fn unavailable(problem: &str) -> Refusal {
    Refusal::new(ErrorCode::ExtractionUnavailable, problem).with_fix(NO_IMAGES)
}
