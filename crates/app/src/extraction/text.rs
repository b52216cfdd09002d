//! Pages of the text of an attachment.

use posthouse_domain::{Attachment, AttachmentId, Caller, MessageId, OptIns, Refusal, TextPage};
use posthouse_store::{Tx, attachment_texts};

use crate::{access::visible, service::Service};

/// A request for a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextRequest {
    pub message: MessageId,
    pub attachment: AttachmentId,
    /// Where the page begins, in characters.
    pub offset: u64,
    /// Its longest length, in characters.
    pub chars_max: u64,
    /// Which withheld content the caller asked for, and may read.
    pub opt_ins: OptIns,
}

/// An attachment with a page of its text; without a page unless the text is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttachmentPage {
    pub attachment: Attachment,
    pub page: Option<TextPage>,
}

/// Returns a page of the text of an attachment.
///
/// # Errors
/// Returns `not_found` if the attachment is missing or invisible, or `message_withheld`.
pub async fn read(service: &Service, caller: Caller, request: TextRequest) -> Result<AttachmentPage, Refusal> {
    let read = move |tx: &mut Tx| {
        let attachment = find(tx, &caller, request)?;
        let is_done = attachment.extraction.as_ref().is_some_and(posthouse_domain::Extraction::is_done);
        let TextRequest { offset, chars_max, .. } = request;
        let page = if is_done {
            Some(attachment_texts::read(tx, caller.workspace, attachment.id, offset, chars_max)?)
        } else {
            None
        };
        Ok::<_, Refusal>(AttachmentPage { attachment, page })
    };
    service.read(caller.workspace, read).await
}

/// Returns an attachment whose text the caller may read.
pub(super) fn find(tx: &mut Tx, caller: &Caller, request: TextRequest) -> Result<Attachment, Refusal> {
    let (attachment, message) = visible::attachment(tx, caller, request.attachment)?;
    if message.id != request.message {
        return Err(Refusal::not_found("attachment"));
    }
    visible::opened(tx, &message, request.opt_ins)?;
    Ok(attachment)
}
