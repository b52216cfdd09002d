//! Reads drafts, at a caller's request.

use posthouse_domain::{Caller, CursorPosition, Draft, Page, PageParameters, PageRequest, Refusal};
use posthouse_store::{Tx, drafts::list};

pub use posthouse_store::drafts::list::DraftFilter;

use super::{DraftRef, find};
use crate::{access::visible, messages::mail_html, service::Service};

/// Renders a page of the drafts that the caller can access, newest first.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or invisible, `invalid_cursor`, or the error of `render`.
pub async fn page<T: Send + 'static>(
    service: &Service,
    caller: Caller,
    filter: DraftFilter,
    page: PageParameters,
    render: impl Fn(&Page<Draft>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let bytes_max = service.config.limits.page_bytes;
    let work = move |tx: &mut Tx| {
        filter.inbox.map_or(Ok(()), |inbox| visible::inbox(tx, &caller, inbox).map(drop))?;
        let list: PageRequest = page.of_list(format!("drafts: {filter:?}"))?;
        let found = list::page(tx, caller.workspace, &filter, list.page(), bytes_max)?;
        let is_cut = found.is_cut && found.drafts.len() < list.rows_to_fetch() as usize;
        let drafts = list.page_of(found.drafts, |draft| CursorPosition::of(draft.created_at, draft.id.0));
        render(&if is_cut { drafts.without_last() } else { drafts })
    };
    service.read(caller.workspace, work).await
}

/// Returns a draft.
///
/// # Errors
/// Returns `not_found` if the caller can't access it.
pub async fn get(service: &Service, caller: Caller, which: DraftRef) -> Result<Draft, Refusal> {
    service.read(caller.workspace, move |tx| Ok(find(tx, &caller, which)?.1)).await
}

/// Returns the HTML of a draft for a person.
///
/// # Errors
/// Returns `not_found` if the caller can't access the draft or it has no HTML, or the errors of
/// [`mail_html::of_message`].
pub async fn html(service: &Service, caller: Caller, which: DraftRef) -> Result<String, Refusal> {
    let html = get(service, caller, which).await?.content.html.ok_or_else(mail_html::no_html)?;
    mail_html::of_text(service, caller.workspace, html).await
}
