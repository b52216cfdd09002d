//! Contacts changed, deleted and forgotten by callers (API document, Contacts; contract §8).

use posthouse_domain::{
    auth::Caller,
    contact::{BULK_MAX, Contact, ContactKind, LABELS_MAX, Source},
    error::Refusal,
    id::ContactId,
    label::LabelChange,
    metadata::{self, Metadata},
};
use posthouse_store::{
    Tx,
    contact_list::{self, Bulk},
    contacts,
    dialect::IDS_MAX,
};

use super::App;

/// What a caller changes of a contact.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ContactChange {
    /// A new name, or none; from then on mail does not change it.
    pub name: Option<Option<String>>,
    /// New notes, or none.
    pub notes: Option<Option<String>>,
    /// Metadata to merge; null deletes a key.
    pub metadata: Metadata,
    /// Labels added and removed.
    pub labels: LabelChange,
    /// A new kind; from then on mail does not change it.
    pub kind: Option<ContactKind>,
}

/// Changes a contact and gives it as it is then.
///
/// # Errors
/// `not_found`; `invalid_request` for too many labels or keys; the store's own.
pub async fn change(app: &App, caller: Caller, id: ContactId, change: ContactChange) -> Result<Contact, Refusal> {
    let work = move |tx: &mut Tx| {
        let before = contacts::take(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("contact"))?;
        let after = changed(&before, &change)?;
        contacts::update(tx, &before, &after)?;
        Ok::<_, Refusal>(after)
    };
    app.store.write(work).await
}

fn changed(before: &Contact, change: &ContactChange) -> Result<Contact, Refusal> {
    let mut after = before.clone();
    if let Some(name) = &change.name {
        (after.name, after.name_source) = (name.clone(), Source::Manual);
    }
    if let Some(kind) = change.kind {
        (after.kind, after.kind_source) = (kind, Source::Manual);
    }
    if let Some(notes) = &change.notes {
        after.notes.clone_from(notes);
    }
    after.labels = change.labels.applied_up_to(&before.labels, LABELS_MAX)?;
    after.metadata_json = metadata::merged(&before.metadata_json, &change.metadata)?;
    Ok(after)
}

/// Deletes a contact; its mail stays. With `forget` received mail does not make it again.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn delete(app: &App, caller: Caller, id: ContactId, forget: bool) -> Result<(), Refusal> {
    let key = app.address_key()?;
    let work = move |tx: &mut Tx| {
        let contact = contacts::take(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("contact"))?;
        if forget {
            contacts::forget(tx, caller.workspace, &key.digest(caller.workspace, &contact.address))?;
        }
        contacts::delete(tx, caller.workspace, &[id])?;
        Ok::<_, Refusal>(())
    };
    app.store.write(work).await
}

/// What became of contacts that are deleted together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Deleted {
    /// How many there were.
    pub matched: u64,
    /// How many were deleted.
    pub deleted: u64,
}

/// Deletes up to [`BULK_MAX`] contacts together, or only counts them.
///
/// # Errors
/// The store's own.
pub async fn delete_many(
    app: &App,
    caller: Caller,
    bulk: Bulk,
    forget: bool,
    dry_run: bool,
) -> Result<Deleted, Refusal> {
    let workspace = caller.workspace;
    if dry_run {
        let matched = app.store.read(move |tx| contact_list::count(tx, workspace, &bulk)).await?;
        return Ok(Deleted { matched, deleted: 0 });
    }
    let key = app.address_key()?;
    let work = move |tx: &mut Tx| {
        let matched = contact_list::count(tx, workspace, &bulk)?;
        let taken = contact_list::taken(tx, workspace, &bulk, BULK_MAX)?;
        let mut deleted = 0;
        for chunk in taken.chunks(IDS_MAX) {
            if forget {
                for (_, address) in chunk {
                    contacts::forget(tx, workspace, &key.digest(workspace, address))?;
                }
            }
            let ids: Vec<ContactId> = chunk.iter().map(|(id, _)| *id).collect();
            deleted += contacts::delete(tx, workspace, &ids)?;
        }
        Ok::<_, Refusal>(Deleted { matched, deleted })
    };
    app.store.write(work).await
}
