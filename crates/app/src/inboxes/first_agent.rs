//! The agent that mail of the service names for a workspace.

use posthouse_domain::{Inbox, InboxKind, WorkspaceId};
use posthouse_store::{Result, Tx, inboxes};

/// Returns the first inbox of a workspace, or else its first identity: the agent that mail of the service names.
pub(crate) fn of(tx: &mut Tx, workspace: WorkspaceId) -> Result<Option<Inbox>> {
    match inboxes::first_of(tx, workspace)? {
        None => inboxes::first_of_kind(tx, workspace, InboxKind::Identity),
        found => Ok(found),
    }
}
