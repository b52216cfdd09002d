//! Reads contacts, at a caller's request.

use posthouse_domain::{
    Caller, Contact, ContactId, ContactKind, CursorPosition, DomainCount, Page, PageParameters, Refusal, Thread,
    contact::THREADS_MAX,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, contact_list, contacts};

pub use posthouse_store::contact_list::ContactFilter;

use crate::service::Service;

/// A contact with its newest threads.
#[derive(Clone, PartialEq, Debug)]
pub struct ContactWithThreads {
    pub contact: Contact,
    /// Up to [`THREADS_MAX`] threads; for a key of one inbox, only those of that inbox.
    pub threads: Vec<Thread>,
}

/// Returns a page of contacts, most recently seen first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn page(
    service: &Service,
    caller: Caller,
    filter: ContactFilter,
    page: PageParameters,
) -> Result<Page<Contact>, Refusal> {
    let workspace = caller.workspace;
    let list = page.of_list(format!("contacts of {workspace}: {filter:?}"))?;
    let (after, rows) = (list.after, list.rows_to_fetch());
    let found = service.read(workspace, move |tx| contact_list::page(tx, workspace, &filter, after, rows)).await?;
    Ok(list.page_of(found, |contact| CursorPosition::of(contact.last_seen_at, contact.id.0)))
}

/// Returns up to `limit` domains of contacts of these kinds, most contacts first; without kinds, of all contacts.
pub async fn domains(
    service: &Service,
    caller: Caller,
    kinds: Vec<ContactKind>,
    limit: usize,
) -> Result<Vec<DomainCount>, Refusal> {
    let workspace = caller.workspace;
    Ok(service.read(workspace, move |tx| contact_list::domains(tx, workspace, &kinds, limit)).await?)
}

/// Returns a contact.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't have it.
pub async fn get(service: &Service, caller: Caller, id: ContactId) -> Result<ContactWithThreads, Refusal> {
    one(service, caller, move |tx| contacts::get(tx, caller.workspace, id)).await
}

/// Returns the contact with an address, given in any equivalent form.
///
/// # Errors
/// Returns `not_found` if the workspace has no contact with that address.
pub async fn by_address(service: &Service, caller: Caller, address: &str) -> Result<ContactWithThreads, Refusal> {
    let address = Address::parse(address.trim()).map_err(|_| missing())?.canonical();
    one(service, caller, move |tx| contacts::by_address(tx, caller.workspace, &address)).await
}

async fn one(
    service: &Service,
    caller: Caller,
    find: impl Fn(&mut Tx) -> StoreResult<Option<Contact>> + Send + 'static,
) -> Result<ContactWithThreads, Refusal> {
    let work = move |tx: &mut Tx| {
        let contact = find(tx)?.ok_or_else(missing)?;
        let threads = visible_threads(tx, &caller, &contact)?;
        Ok::<_, Refusal>(ContactWithThreads { contact, threads })
    };
    service.read(caller.workspace, work).await
}

/// Returns the newest threads with a contact in the inboxes that the caller can access.
fn visible_threads(tx: &mut Tx, caller: &Caller, contact: &Contact) -> StoreResult<Vec<Thread>> {
    let scope = caller.scope();
    let Some(inboxes) = scope.inboxes() else { return contacts::threads(tx, contact, None, THREADS_MAX) };
    let mut found = Vec::new();
    for inbox in inboxes {
        found.extend(contacts::threads(tx, contact, Some(*inbox), THREADS_MAX)?);
    }
    found.sort_by_key(|thread: &Thread| std::cmp::Reverse((thread.last_message_at, thread.id)));
    found.truncate(THREADS_MAX);
    Ok(found)
}

fn missing() -> Refusal {
    Refusal::not_found("contact")
}
