//! The first start of an empty store: a workspace with an owner, and its org-wide key (operations.md).
//!
//! Never touches a store in which there is a workspace.

use posthouse_domain::plan::Plan;
use posthouse_store::workspaces;

use super::BootError;
use crate::app::{
    App,
    create_workspace::{MadeWorkspace, NewWorkspace, create},
};

/// The owner of the first workspace: a person at this machine, until one signs in.
const OWNER: &str = "owner@localhost";

/// What the first start made.
pub(super) struct FirstRun {
    /// The workspace and its key.
    pub(super) made: MadeWorkspace,
}

/// Sets up an empty store; gives nothing when there is a workspace already.
pub(super) async fn run(app: &App) -> Result<Option<FirstRun>, BootError> {
    let new = NewWorkspace { name: "My workspace".to_owned(), owner: OWNER.to_owned(), plan: Plan::Team };
    let made = create(app.clock.as_ref(), &new);
    let stored = made.clone();
    let inserted = app
        .store
        .write(move |tx| -> posthouse_store::Result<bool> {
            if workspaces::any(tx)? {
                return Ok(false);
            }
            stored.insert(tx)?;
            Ok(true)
        })
        .await?;
    Ok(inserted.then_some(FirstRun { made }))
}
