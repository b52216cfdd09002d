//! Creates workspaces with an owner and a first API key, and single API keys.
//!
//! The functions create values from the clock's time and randomness; the caller stores them in one transaction.

use posthouse_domain::{
    auth::{ApiKeySecret, KEY_RANDOM_CHARS, Permissions, Scope},
    id::{IdGenerator, UserId, WorkspaceId},
    plan::Plan,
    workspace::{AiProcessing, ClaimStatus, Workspace},
};
use posthouse_store::{Result, Tx, keys, workspaces};

use crate::{
    people::{members, sign_in::OperatorLink},
    ports::Clock,
};

/// The operator's choices for a workspace.
#[derive(Clone, Debug)]
pub struct NewWorkspace {
    /// The workspace's name.
    pub name: String,
    /// The owner's address.
    pub owner: String,
    /// The workspace's plan.
    pub plan: Plan,
}

/// A workspace and its org-wide key with every permission, not stored yet.
#[derive(Clone, Debug)]
pub struct CreatedWorkspace {
    /// The workspace.
    pub workspace: Workspace,
    /// The key's row.
    pub key: keys::ApiKey,
    /// The secret, shown in one response only.
    pub secret: ApiKeySecret,
    /// The id of the owner, if the address is new.
    pub owner: UserId,
    /// Signs the owner in, once.
    pub link: OperatorLink,
}

/// The properties of an API key to create.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// The key's name.
    pub name: String,
    /// The key's scope.
    pub scope: Scope,
    /// The key's permissions.
    pub permissions: Permissions,
}

/// A key, not stored yet.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    /// The key's row.
    pub key: keys::ApiKey,
    /// The secret, shown in one response only.
    pub secret: ApiKeySecret,
}

/// Creates a workspace with an owner and its org-wide key. It doesn't need to be claimed.
#[must_use]
pub fn create(clock: &dyn Clock, new: &NewWorkspace) -> CreatedWorkspace {
    let (ids, now) = (clock.ids(), clock.now());
    let id: WorkspaceId = ids.next();
    let workspace = Workspace {
        id,
        name: new.name.clone(),
        owner_email: new.owner.clone(),
        plan: new.plan,
        suspended: false,
        claim: ClaimStatus::NotApplicable,
        claimed_at: None,
        notice: None,
        stopped_at: None,
        stop_reason: None,
        ai_processing: AiProcessing::Categorize,
        screening: true,
        daily_send_limit: None,
        ai_disclosure: posthouse_domain::workspace::AiDisclosure::NONE,
        retention_days: None,
        created_at: now,
    };
    let first =
        NewKey { workspace: id, name: "first key".to_owned(), scope: Scope::Org, permissions: Permissions::full() };
    let CreatedKey { key, secret } = new_key(clock, &ids, first);
    let link = OperatorLink::new(clock, &new.owner, id);
    CreatedWorkspace { workspace, key, secret, owner: ids.next(), link }
}

/// Creates an API key.
#[must_use]
pub fn new_key(clock: &dyn Clock, ids: &IdGenerator, new: NewKey) -> CreatedKey {
    let mut random = [0; 2 * KEY_RANDOM_CHARS];
    clock.random(&mut random);
    let secret = ApiKeySecret::from_random(&random);
    let key = keys::ApiKey {
        workspace: new.workspace,
        id: ids.next(),
        name: new.name,
        shown: secret.display_prefix().to_owned(),
        scope: new.scope,
        permissions: new.permissions,
        created_at: clock.now(),
        last_used_at: None,
        revoked_at: None,
    };
    CreatedKey { key, secret }
}

impl CreatedWorkspace {
    /// Stores the workspace and its key.
    ///
    /// # Errors
    /// Returns an error if the database call fails.
    pub fn insert(&self, tx: &mut Tx) -> Result<()> {
        workspaces::insert(tx, &self.workspace)?;
        let (workspace, now) = (&self.workspace, self.workspace.created_at);
        members::found(tx, workspace.id, &workspace.owner_email, self.owner, now)?;
        self.link.insert(tx)?;
        keys::insert(tx, &self.key, &self.secret.digest())
    }
}

impl CreatedKey {
    /// Stores the key.
    ///
    /// # Errors
    /// Returns an error if the database call fails.
    pub fn insert(&self, tx: &mut Tx) -> Result<()> {
        keys::insert(tx, &self.key, &self.secret.digest())
    }
}
