//! Creates API keys. A key is a value until the caller stores it.

use posthouse_domain::{
    auth::{ApiKeySecret, KEY_RANDOM_CHARS, Permissions, Scope},
    id::{IdGenerator, WorkspaceId},
};
use posthouse_store::{Result, Tx, keys};

use crate::ports::Clock;

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

impl CreatedKey {
    /// Stores the key.
    ///
    /// # Errors
    /// Returns an error if the database call fails.
    pub fn insert(&self, tx: &mut Tx) -> Result<()> {
        keys::insert(tx, &self.key, &self.secret.digest())
    }
}
