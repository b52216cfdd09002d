//! Keys that agents hold, and the nonces of their signatures.

use posthouse_domain::{AgentKey, InboxId, Time, WorkspaceId, agent_key::KEYS_MAX};

use crate::{Result, Tx, statements};

statements! {
    /// Stores a key. Returns whether the agent didn't have it.
    pub fn insert(key: row &AgentKey) -> bool =
        "{insert agent_keys} ON CONFLICT (workspace_id, inbox_id, kid) DO NOTHING";
    /// Returns all keys of an agent, newest first.
    pub fn of_agent(workspace: WorkspaceId, inbox: InboxId; limit = KEYS_MAX as u64) -> Vec<AgentKey> =
        "SELECT {agent_keys} FROM agent_keys WHERE workspace_id = :workspace AND inbox_id = :inbox ORDER BY created_at DESC, kid LIMIT :limit";
    /// Returns a key.
    pub fn get(key: AgentKeyRef<'_> { workspace, inbox, kid }) -> Option<AgentKey> =
        "SELECT {agent_keys} FROM agent_keys WHERE workspace_id = :workspace AND inbox_id = :inbox AND kid = :kid";
    /// Stores when and why a key ended.
    pub fn set_end(key: &AgentKey { workspace, inbox, kid, retired_at, revoked_at, revocation_reason }) =
        "UPDATE agent_keys SET retired_at = :retired_at, revoked_at = :revoked_at, revocation_reason = :revocation_reason
        WHERE workspace_id = :workspace AND inbox_id = :inbox AND kid = :kid";
    /// Records that a message was sent with a signature of the key.
    pub fn used(key: AgentKeyRef<'_> { workspace, inbox, kid }, now: Time) =
        "UPDATE agent_keys SET last_used_at = :now WHERE workspace_id = :workspace AND inbox_id = :inbox AND kid = :kid";
    /// Uses a nonce of a key. Returns whether it wasn't used before.
    pub fn use_nonce(key: AgentKeyRef<'_> { workspace, inbox, kid }, nonce: &str, expires_at: Time) -> bool =
        "INSERT INTO agent_nonces (workspace_id, inbox_id, kid, nonce, expires_at) VALUES (:workspace, :inbox, :kid, :nonce, :expires_at)
        ON CONFLICT (workspace_id, inbox_id, kid, nonce) DO NOTHING";
    /// Returns whether a nonce of a key was used before.
    pub fn is_nonce_used(key: AgentKeyRef<'_> { workspace, inbox, kid }, nonce: &str) -> bool =
        "SELECT nonce FROM agent_nonces WHERE workspace_id = :workspace AND inbox_id = :inbox AND kid = :kid AND nonce = :nonce";
    /// Returns up to `limit` nonces whose signatures are too old to be used again.
    fn expired_nonces(before: Time, limit: u32) -> Vec<Nonce> =
        "SELECT workspace_id, inbox_id, kid, nonce FROM agent_nonces WHERE expires_at < :before ORDER BY expires_at LIMIT :limit";
    fn delete_nonce(used: &Nonce { workspace, inbox, kid, nonce }) =
        "DELETE FROM agent_nonces WHERE workspace_id = :workspace AND inbox_id = :inbox AND kid = :kid AND nonce = :nonce";
}

/// Identifies a key of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentKeyRef<'a> {
    pub workspace: WorkspaceId,
    /// The inbox or identity.
    pub inbox: InboxId,
    /// The id of the key.
    pub kid: &'a str,
}

/// Deletes nonces whose signatures are too old to be used again; returns how many there were.
pub fn prune_nonces(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let expired = expired_nonces(tx, before, limit)?;
    for nonce in &expired {
        delete_nonce(tx, nonce)?;
    }
    Ok(expired.len() as u64)
}

crate::row_struct!(Nonce { workspace = workspace_id: WorkspaceId, inbox = inbox_id: InboxId, kid: String, nonce: String });
