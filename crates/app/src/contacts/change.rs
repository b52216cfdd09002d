//! Updates and deletes contacts, at a caller's request (`docs/decisions/receiving.md#0054-contacts-come-from-mail`).

use posthouse_domain::contact::{BULK_DELETE_MAX, LABELS_MAX};
use posthouse_domain::{
    Caller, Contact, ContactFieldSource, ContactId, ContactKind, LabelChange, Metadata, Refusal, metadata,
};
use posthouse_store::{Tx, contact_list, contacts, dialect::IDS_MAX};

pub use posthouse_store::contact_list::ContactBulkFilter;

use crate::service::Service;

/// A change of a contact.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ContactChange {
    /// The new name, or `None` inside to clear it; mail doesn't change it afterwards.
    pub name: Option<Option<String>>,
    /// The new notes, or `None` inside to clear them.
    pub notes: Option<Option<String>>,
    /// Metadata to merge; null deletes a key.
    pub metadata: Metadata,
    /// Labels added and removed.
    pub labels: LabelChange,
    /// The new kind; mail doesn't change it afterwards.
    pub kind: Option<ContactKind>,
}

/// Changes a contact and returns it.
///
/// # Errors
/// Returns `not_found` if the contact is missing or `invalid_request` for too many labels or keys.
pub async fn change(
    service: &Service,
    caller: Caller,
    id: ContactId,
    change: ContactChange,
) -> Result<Contact, Refusal> {
    let work = move |tx: &mut Tx| {
        let before = contacts::lock(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("contact"))?;
        let after = changed(&before, &change)?;
        contacts::update(tx, &before, &after)?;
        Ok::<_, Refusal>(after)
    };
    service.write(work).await
}

fn changed(before: &Contact, change: &ContactChange) -> Result<Contact, Refusal> {
    let mut after = before.clone();
    if let Some(name) = &change.name {
        (after.name, after.name_source) = (name.clone(), ContactFieldSource::Manual);
    }
    if let Some(kind) = change.kind {
        (after.kind, after.kind_source) = (kind, ContactFieldSource::Manual);
    }
    if let Some(notes) = &change.notes {
        after.notes.clone_from(notes);
    }
    after.labels = change.labels.applied_up_to(&before.labels, LABELS_MAX)?;
    after.metadata_json = metadata::merged(&before.metadata_json, &change.metadata)?;
    Ok(after)
}

/// Deletes a contact; its mail stays. With `forget`, received mail doesn't create the contact again.
///
/// # Errors
/// Returns `not_found` if the contact is missing.
pub async fn delete(service: &Service, caller: Caller, id: ContactId, forget: bool) -> Result<(), Refusal> {
    let key = service.address_key()?;
    let work = move |tx: &mut Tx| {
        let contact = contacts::lock(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("contact"))?;
        if forget {
            contacts::block_creation(tx, caller.workspace, &key.digest(caller.workspace, &contact.address))?;
        }
        contacts::delete(tx, caller.workspace, &[id])?;
        Ok::<_, Refusal>(())
    };
    service.write(work).await
}

/// The result of a bulk deletion of contacts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ContactDeletionCounts {
    /// The number of contacts that match.
    pub matched: u64,
    /// The number of contacts that were deleted.
    pub deleted: u64,
}

/// Deletes up to [`BULK_DELETE_MAX`] contacts, or only counts them with `dry_run`.
pub async fn delete_many(
    service: &Service,
    caller: Caller,
    bulk: ContactBulkFilter,
    forget: bool,
    dry_run: bool,
) -> Result<ContactDeletionCounts, Refusal> {
    let workspace = caller.workspace;
    if dry_run {
        let matched = service.read(workspace, move |tx| contact_list::count(tx, workspace, &bulk)).await?;
        return Ok(ContactDeletionCounts { matched, deleted: 0 });
    }
    let key = service.address_key()?;
    let work = move |tx: &mut Tx| {
        let matched = contact_list::count(tx, workspace, &bulk)?;
        let taken = contact_list::matching(tx, workspace, &bulk, BULK_DELETE_MAX)?;
        let mut deleted = 0;
        for chunk in taken.chunks(IDS_MAX) {
            if forget {
                for (_, address) in chunk {
                    contacts::block_creation(tx, workspace, &key.digest(workspace, address))?;
                }
            }
            let ids: Vec<ContactId> = chunk.iter().map(|(id, _)| *id).collect();
            deleted += contacts::delete(tx, workspace, &ids)?;
        }
        Ok::<_, Refusal>(ContactDeletionCounts { matched, deleted })
    };
    service.write(work).await
}
