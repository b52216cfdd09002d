//! `/v1/attachments`: downloads of the files of messages and drafts.

use posthouse_app::{drafts, messages::raw};
use posthouse_call::prelude::*;
use posthouse_domain::AttachmentId;

use super::{downloads::response, fields::ScreeningQuery};

/// The content type of a file whose own type is not a valid header value.
const UNKNOWN_TYPE: &str = "application/octet-stream";

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/attachments/{id}", "getAttachment", Permission::MessagesRead)
            .summary(
                "Downloads an attachment of a message, or of a draft if the key may read drafts, with the content \
                 type that its sender stated.",
            )
            .responds_with(200, Some("*/*"))
            .errors(&[ErrorCode::Forbidden, ErrorCode::MessageWithheld, ErrorCode::NotFound, ErrorCode::ContentDamaged])
            .handle(file),
    ]
}

async fn file(service: Arc<Service>, input: Input<ScreeningQuery>) -> Result<Outcome, Refusal> {
    let id: AttachmentId = input.path.id("id", "attachment")?;
    input.query.check(&input.caller)?;
    let (content_type, name, download) = match raw::file(&service, input.caller, id, input.query.opt_ins()).await {
        Ok((file, download)) => (file.content_type, file.filename, download),
        Err(refusal) if refusal.code == ErrorCode::NotFound => {
            let (file, download) = drafts::read_file(&service, input.caller, id)
                .await
                .map_err(|other| if other.code == ErrorCode::NotFound { refusal } else { other })?;
            (file.content_type, Some(file.filename), download)
        }
        Err(refusal) => return Err(refusal),
    };
    let is_shown = content_type.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let content_type = if is_shown { &content_type } else { UNKNOWN_TYPE };
    Ok(response(content_type, name.as_deref().unwrap_or("attachment"), download))
}
