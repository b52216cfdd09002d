//! Creates API keys. A key is a value until the caller stores it.

use posthouse_domain::auth::{KEY_RANDOM_CHARS, may_create_key};
use posthouse_domain::{
    ApiKey, ApiKeySecret, IdGenerator, KeyClient, Permissions, Plans, Refusal, Scope, UserId, WorkspaceId,
};
use posthouse_store::{Tx, inboxes, keys, workspaces};

use crate::ports::Clock;

/// The properties of an API key to create.
#[derive(Clone, Debug)]
pub struct NewKey {
    pub workspace: WorkspaceId,
    /// The key's name.
    pub name: String,
    /// The key's scope.
    pub scope: Scope,
    /// The key's permissions.
    pub permissions: Permissions,
    /// The person to whom it belongs; `None` for keys of the operator and of agents.
    pub member: Option<UserId>,
}

/// A key, not stored yet.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    pub key: ApiKey,
    /// The secret, shown in one response only.
    pub secret: ApiKeySecret,
}

/// Creates an API key.
#[must_use]
pub fn new_key(clock: &dyn Clock, ids: &IdGenerator, new: NewKey) -> CreatedKey {
    let mut random = [0; 2 * KEY_RANDOM_CHARS];
    clock.random(&mut random);
    let secret = ApiKeySecret::from_random(&random);
    let key = ApiKey {
        workspace: new.workspace,
        id: ids.next(),
        name: new.name,
        shown: secret.display_prefix().to_owned(),
        scope: new.scope,
        inbox_kind: None,
        member: new.member,
        permissions: new.permissions,
        created_at: clock.now(),
        last_used_at: None,
        last_client: KeyClient::default(),
        revoked_at: None,
    };
    CreatedKey { key, secret }
}

impl CreatedKey {
    /// Stores the key, unless the workspace has as many active keys as its plan allows.
    ///
    /// # Errors
    /// Returns `plan_limit_api_keys` or `not_found` if there is no such workspace.
    pub fn insert(&mut self, tx: &mut Tx, plans: &Plans) -> Result<(), Refusal> {
        let id = self.key.workspace;
        inboxes::take_workspace(tx, id)?;
        let workspace = workspaces::get(tx, id)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        if let Some(max) = workspace.limits(plans).api_keys {
            may_create_key(keys::count_active(tx, id, max)?, max)?;
        }
        if let Some(inbox) = self.key.scope.key_inbox() {
            self.key.inbox_kind = inboxes::get(tx, id, inbox)?.map(|inbox| inbox.kind);
        }
        Ok(keys::insert(tx, &self.key, &self.secret.digest())?)
    }
}
