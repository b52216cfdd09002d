//! The HTML of a draft, as that of a message is shown.

use posthouse_app::{drafts, drafts::DraftRef};
use posthouse_call::prelude::*;

use crate::v1::messages::html::{RemoteImages, page};

pub(super) fn operation() -> Operation {
    Operation::new(Method::Get, "/v1/inboxes/{id}/drafts/{draft_id}/html", "getDraftHtml", Permission::DraftsRead)
        .summary("Shows the HTML of a draft as a page without scripts, forms and, by default, remote images.")
        .responds_with(200, Some("text/html; charset=utf-8"))
        .handle(read)
}

query! {
    /// How the HTML of a draft is shown.
    struct DraftHtmlQuery {
        /// Whether to load remote images. Default: off.
        remote: Option<RemoteImages>,
    }
}

async fn read(service: Arc<Service>, input: Input<DraftHtmlQuery>) -> Result<Outcome, Refusal> {
    let which = DraftRef { inbox: input.path.id("id", "inbox")?, draft: input.path.id("draft_id", "draft")? };
    let html = drafts::html(&service, input.caller, which).await?;
    Ok(page(html, input.query.remote == Some(RemoteImages::On)))
}
