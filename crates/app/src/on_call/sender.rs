//! The inbox that mail to people on call is sent from.

use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    inbox::Inbox,
};
use posthouse_store::{Result, Tx, inboxes, mail_domains};

/// Returns the inbox that the mail is about if it can send, and otherwise another of its workspace.
///
/// # Errors
/// Returns an error if the database call fails.
pub(super) fn of(
    tx: &mut Tx,
    workspace: WorkspaceId,
    about: Option<InboxId>,
    served: &[String],
) -> Result<Option<Inbox>> {
    let own = match about {
        Some(inbox) => inboxes::get(tx, workspace, inbox)?,
        None => None,
    };
    let first = inboxes::first_of(tx, workspace)?;
    let mut at_service = Vec::new();
    for domain in served {
        at_service.extend(inboxes::first_in_domain(tx, workspace, domain)?);
    }
    for inbox in own.into_iter().chain(first).chain(at_service) {
        if inbox.deleted_at.is_none() && !inbox.temporary && can_send(tx, &inbox, served)? {
            return Ok(Some(inbox));
        }
    }
    Ok(None)
}

/// Returns whether the domain of an inbox is verified or belongs to the service.
fn can_send(tx: &mut Tx, inbox: &Inbox, served: &[String]) -> Result<bool> {
    Ok(served.contains(&inbox.domain)
        || mail_domains::by_name(tx, inbox.workspace, &inbox.domain)?.is_some_and(|domain| domain.may_send()))
}
