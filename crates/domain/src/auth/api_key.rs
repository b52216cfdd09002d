//! API keys as owners see them, and their last use.

use crate::{
    auth::{KeyOwner, Permissions, Scope},
    id::{KeyId, UserId, WorkspaceId},
    inbox::InboxKind,
    time::Time,
};

/// An API key as listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiKey {
    pub workspace: WorkspaceId,
    pub id: KeyId,
    /// Its display name.
    pub name: String,
    /// The first characters of the secret.
    pub shown: String,
    pub scope: Scope,
    /// The kind of the inbox of an inbox-scoped key.
    pub inbox_kind: Option<InboxKind>,
    /// The person that it belongs to; `None` for keys of the operator and of agents.
    pub member: Option<UserId>,
    pub permissions: Permissions,
    pub created_at: Time,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Time>,
    /// The client of that use.
    pub last_client: KeyClient,
    pub revoked_at: Option<Time>,
}

impl ApiKey {
    /// Returns what the key ends with.
    #[must_use]
    pub fn owner(&self) -> KeyOwner {
        match (self.scope.key_inbox(), self.member) {
            (Some(identity), _) if self.inbox_kind == Some(InboxKind::Identity) => KeyOwner::Identity(identity),
            (Some(inbox), _) => KeyOwner::Inbox(inbox),
            (None, Some(member)) => KeyOwner::Member(member),
            (None, None) => KeyOwner::Workspace(self.workspace),
        }
    }
}

/// A client that used a key.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyClient {
    /// Its address.
    pub ip: Option<String>,
    /// Its `User-Agent`, shortened.
    pub user_agent: Option<String>,
}
