//! Reads custom domains, at a caller's request.

use posthouse_domain::{Caller, CursorPosition, DomainId, MailDomain, Page, PageParameters, Refusal};
use posthouse_store::mail_domains;

use crate::service::Service;

/// Returns a page of the domains of the workspace, newest first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn page(service: &Service, caller: Caller, page: PageParameters) -> Result<Page<MailDomain>, Refusal> {
    let workspace = caller.workspace;
    let list = page.of_list("domains".to_owned())?;
    let range = list.page();
    let found = service.read(workspace, move |tx| mail_domains::page(tx, workspace, &range)).await?;
    Ok(list.page_of(found, |domain| CursorPosition::of(domain.created_at, domain.id.0)))
}

/// Returns a domain.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't have it.
pub async fn get(service: &Service, caller: Caller, id: DomainId) -> Result<MailDomain, Refusal> {
    let found = service.read(caller.workspace, move |tx| mail_domains::get(tx, caller.workspace, id)).await?;
    found.ok_or_else(|| Refusal::not_found("domain"))
}
