//! Creates an inbox or identity together with its card.

use posthouse_domain::{
    auth::{Caller, Permission},
    error::Refusal,
};
use posthouse_store::Tx;

use super::change::{self, CardChange};
use crate::{
    access::authorize::require_permission,
    app::App,
    inboxes::create::{self, CreatedInbox, NewInbox},
};

/// Creates an inbox or identity, with a card if one is given. A repeated request with the same `client_id` returns the
/// existing one and leaves its card unchanged.
///
/// # Errors
/// Returns the errors of [`create::create`]; with a card also `insufficient_permissions` and the errors of
/// [`change::change`].
pub async fn create(
    app: &App,
    caller: Caller,
    new: NewInbox,
    card: Option<CardChange>,
) -> Result<CreatedInbox, Refusal> {
    let Some(card) = card else { return create::create(app, caller, new).await };
    require_permission(&caller, Permission::DirectoryWrite)?;
    let (creation, write) = (create::plan(app, caller, new), change::plan(app, card)?);
    let work = move |tx: &mut Tx| {
        let created = creation.execute(tx)?;
        if created.is_new {
            write.execute(tx, &caller, created.inbox.id)?;
        }
        Ok(created)
    };
    app.store.write(work).await
}
