//! Lists, creates and removes suppressions, at a caller's request.

use posthouse_domain::{
    Caller, NamedCursorPosition, Page, PageParameters, PageRequest, Refusal, Suppression, SuppressionReason,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, suppressions};

pub use posthouse_store::suppressions::SuppressionFilter;

use crate::service::Service;

/// The result of adding a suppression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedSuppression {
    /// The suppression in its current state.
    pub suppression: Suppression,
    /// Whether this request created it.
    pub is_new: bool,
}

/// Returns a page of suppressions, newest first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn page(
    service: &Service,
    caller: Caller,
    filter: SuppressionFilter,
    page: PageParameters,
) -> Result<Page<Suppression>, Refusal> {
    let workspace = caller.workspace;
    let list: PageRequest<NamedCursorPosition> = page.of_list(format!("suppressions of {workspace}: {filter:?}"))?;
    let (after, rows) = (list.after.clone(), list.rows_to_fetch());
    let work = move |tx: &mut Tx| suppressions::page(tx, workspace, &filter, after.as_ref(), rows);
    let found = service.read(workspace, work).await?;
    Ok(list.page_of(found, |s| NamedCursorPosition { sort: s.created_at.millis(), name: s.address.clone() }))
}

/// Suppresses an address; an address that is already suppressed keeps its reason.
pub async fn add(service: &Service, caller: Caller, address: &Address) -> Result<AddedSuppression, Refusal> {
    let new = Suppression {
        workspace: caller.workspace,
        address: address.canonical(),
        reason: SuppressionReason::Manual,
        detail: None,
        message: None,
        created_at: service.clock.now(),
    };
    let work = move |tx: &mut Tx| {
        let is_new = suppressions::insert(tx, &new)?;
        let existing = if is_new { None } else { suppressions::get(tx, new.workspace, &new.address)? };
        Ok::<_, Refusal>(AddedSuppression { suppression: existing.unwrap_or_else(|| new.clone()), is_new })
    };
    service.write(work).await
}

/// Removes the suppression of an address, given in any equivalent form.
///
/// # Errors
/// Returns `not_found` if the address is not suppressed.
pub async fn remove(service: &Service, caller: Caller, address: &str) -> Result<(), Refusal> {
    let missing = || Refusal::not_found("suppression");
    let address = Address::parse(address).map_err(|_| missing())?.canonical();
    let work = move |tx: &mut Tx| Ok::<_, Refusal>(suppressions::remove(tx, caller.workspace, &address)?);
    if service.write(work).await? { Ok(()) } else { Err(missing()) }
}
