//! The owner of the first workspace, whom the sign-in page and a start name in the loopback profile: a person who signs in
//! with another address there would open a second, empty workspace.

use posthouse_domain::WorkspaceId;
use posthouse_store::{Error, Tx, workspaces};

use crate::service::{ReadScope, Service};

/// The first workspace and its owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstOwner {
    pub workspace: WorkspaceId,
    /// The owner's address.
    pub email: String,
}

/// Returns the owner of the first workspace; `None` outside the loopback profile, where strangers could read it, and
/// before there is a workspace with an owner.
pub async fn first_owner(service: &Service) -> Result<Option<FirstOwner>, Error> {
    if !service.config.is_loopback_profile() {
        return Ok(None);
    }
    service.read(ReadScope::Service, load).await
}

fn load(tx: &mut Tx) -> Result<Option<FirstOwner>, Error> {
    let first = workspaces::list(tx, WorkspaceId::SERVICE, 1)?.into_iter().next();
    let owned = first.filter(|workspace| !workspace.owner_email.is_empty());
    Ok(owned.map(|workspace| FirstOwner { workspace: workspace.id, email: workspace.owner_email }))
}
