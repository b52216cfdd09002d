//! Creates an inbox or identity together with its card.

use posthouse_api::views::agent::CardView;
use posthouse_domain::{Caller, Permission, Refusal};
use posthouse_store::{Tx, agents};

use super::{change, change::CardChange, view::AgentViewer, view::CardAudience};
use crate::inboxes::create::{self, CreatedInbox, NewInbox};
use crate::{access::authorize::require_permission, service::Service};

/// An inbox or identity with the card that its creation asked for.
#[derive(Debug)]
pub struct CreatedAgent {
    /// The inbox or identity.
    pub created: CreatedInbox,
    /// Its card, if the request had one.
    pub card: Option<CardView>,
}

/// Creates an inbox or identity, with a card if one is given. A repeated request with the same `client_id` returns the
/// existing one and leaves its card unchanged.
///
/// # Errors
/// Returns the errors of [`create::create`]; with a card also `insufficient_permissions` and the errors of
/// [`change::change`].
pub async fn create(
    service: &Service,
    caller: Caller,
    new: NewInbox,
    card: Option<CardChange>,
) -> Result<CreatedAgent, Refusal> {
    let Some(card) = card else {
        return Ok(CreatedAgent { created: create::create(service, caller, new).await?, card: None });
    };
    require_permission(&caller, Permission::DirectoryWrite)?;
    let (creation, write) = (create::plan(service, caller, new), change::plan(service, card)?);
    let viewer = AgentViewer::of(service);
    let work = move |tx: &mut Tx| {
        let created = creation.execute(tx)?;
        let id = created.inbox.id;
        let agent =
            if created.is_new { Some(write.execute(tx, &caller, id)?) } else { agents::get(tx, caller.workspace, id)? };
        let card = match &agent {
            Some(agent) => viewer.card(tx, agent, CardAudience::Workspace(caller.workspace))?,
            None => None,
        };
        Ok::<_, Refusal>(CreatedAgent { created, card })
    };
    service.write(work).await
}
