//! A new workspace with an owner and its first API key; and API keys by themselves (decisions 8 and 29).
//!
//! Values are made here from the clock's time and randomness; storing them is one transaction of the caller.

use posthouse_domain::{
    auth::{KEY_RANDOM_CHARS, Permissions, Scope, SecretKey},
    id::{Ids, WorkspaceId},
    plan::Plan,
    workspace::{AiProcessing, Claim, Workspace},
};
use posthouse_store::{Result, Tx, keys, workspaces};

use crate::ports::Clock;

/// What the operator chooses.
#[derive(Clone, Debug)]
pub struct NewWorkspace {
    /// What it is called.
    pub name: String,
    /// The owner's address.
    pub owner: String,
    /// Its plan.
    pub plan: Plan,
}

/// A workspace and its org-wide key with every permission, not stored yet.
#[derive(Clone, Debug)]
pub struct MadeWorkspace {
    /// The workspace.
    pub workspace: Workspace,
    /// The key's row.
    pub key: keys::Key,
    /// The key itself, for the one answer that shows it.
    pub secret: SecretKey,
}

/// What a new key is to be.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// What it is called.
    pub name: String,
    /// How far it reaches.
    pub scope: Scope,
    /// What it may do.
    pub permissions: Permissions,
}

/// A key, not stored yet.
#[derive(Clone, Debug)]
pub struct MadeKey {
    /// Its row.
    pub key: keys::Key,
    /// The key itself, for the one answer that shows it.
    pub secret: SecretKey,
}

/// Makes a workspace with an owner and its org-wide key. Nobody has to claim it.
#[must_use]
pub fn create(clock: &dyn Clock, new: &NewWorkspace) -> MadeWorkspace {
    let (ids, now) = (clock.ids(), clock.now());
    let id: WorkspaceId = ids.next();
    let workspace = Workspace {
        id,
        name: new.name.clone(),
        owner_email: new.owner.clone(),
        plan: new.plan,
        suspended: false,
        claim: Claim::NotApplicable,
        claimed_at: None,
        notice: None,
        stopped_at: None,
        stop_reason: None,
        ai_processing: AiProcessing::Categorize,
        screening: true,
        daily_send_limit: None,
        retention_days: None,
        created_at: now,
    };
    let first =
        NewKey { workspace: id, name: "first key".to_owned(), scope: Scope::Org, permissions: Permissions::full() };
    let MadeKey { key, secret } = new_key(clock, &ids, first);
    MadeWorkspace { workspace, key, secret }
}

/// Makes a key.
#[must_use]
pub fn new_key(clock: &dyn Clock, ids: &Ids, new: NewKey) -> MadeKey {
    let mut random = [0; 2 * KEY_RANDOM_CHARS];
    clock.random(&mut random);
    let secret = SecretKey::from_random(&random);
    let key = keys::Key {
        workspace: new.workspace,
        id: ids.next(),
        name: new.name,
        shown: secret.shown().to_owned(),
        scope: new.scope,
        permissions: new.permissions,
        created_at: clock.now(),
        last_used_at: None,
        revoked_at: None,
    };
    MadeKey { key, secret }
}

impl MadeWorkspace {
    /// Stores workspace and key.
    ///
    /// # Errors
    /// The store's own.
    pub fn insert(&self, tx: &mut Tx) -> Result<()> {
        workspaces::insert(tx, &self.workspace)?;
        keys::insert(tx, &self.key, &self.secret.digest())
    }
}

impl MadeKey {
    /// Stores the key.
    ///
    /// # Errors
    /// The store's own.
    pub fn insert(&self, tx: &mut Tx) -> Result<()> {
        keys::insert(tx, &self.key, &self.secret.digest())
    }
}
