//! Keys that agents hold, and the nonces of their signatures.

use posthouse_domain::{
    agent_key::AgentKey,
    id::{InboxId, WorkspaceId},
    time::Time,
};
use posthouse_mail::jose::jwk::PublicJwk;

use crate::{Error, Result, Tx, p, statements};

/// The columns in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT workspace_id, inbox_id, kid, public_key, created_at, retired_at, revoked_at, revocation_reason, last_used_at ",
            "FROM agent_keys ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO agent_keys (workspace_id, inbox_id, kid, public_key, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (workspace_id, inbox_id, kid) DO NOTHING";
    OF_AGENT = select!("WHERE workspace_id = $1 AND inbox_id = $2 ORDER BY created_at DESC, kid LIMIT $3");
    GET = select!("WHERE workspace_id = $1 AND inbox_id = $2 AND kid = $3");
    SET_END = "UPDATE agent_keys SET retired_at = $4, revoked_at = $5, revocation_reason = $6
        WHERE workspace_id = $1 AND inbox_id = $2 AND kid = $3";
    USED = "UPDATE agent_keys SET last_used_at = $4 WHERE workspace_id = $1 AND inbox_id = $2 AND kid = $3";
    USE_NONCE = "INSERT INTO agent_nonces (workspace_id, inbox_id, kid, nonce, expires_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (workspace_id, inbox_id, kid, nonce) DO NOTHING";
    NONCE = "SELECT nonce FROM agent_nonces WHERE workspace_id = $1 AND inbox_id = $2 AND kid = $3 AND nonce = $4";
    EXPIRED_NONCES = "SELECT workspace_id, inbox_id, kid, nonce FROM agent_nonces WHERE expires_at < $1 ORDER BY expires_at LIMIT $2";
    DELETE_NONCE = "DELETE FROM agent_nonces WHERE workspace_id = $1 AND inbox_id = $2 AND kid = $3 AND nonce = $4";
}

/// Identifies a key of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentKeyRef<'a> {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The inbox or identity.
    pub inbox: InboxId,
    /// The id of the key.
    pub kid: &'a str,
}

/// Stores a key. Returns whether the agent didn't have it.
pub fn insert(tx: &mut Tx, key: &AgentKey) -> Result<bool> {
    let public = key.public.to_json().to_string();
    Ok(tx.exec(&INSERT, p![key.workspace, key.inbox, key.kid, public, key.created_at])? > 0)
}

/// Returns all keys of an agent, newest first.
pub fn of_agent(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<Vec<AgentKey>> {
    let max = u32::try_from(posthouse_domain::agent_key::KEYS_MAX).unwrap_or(u32::MAX);
    tx.rows::<KeyRow>(&OF_AGENT, p![workspace, inbox, max])?.into_iter().map(KeyRow::key).collect()
}

/// Returns a key.
pub fn get(tx: &mut Tx, key: AgentKeyRef<'_>) -> Result<Option<AgentKey>> {
    tx.one::<KeyRow>(&GET, p![key.workspace, key.inbox, key.kid])?.map(KeyRow::key).transpose()
}

/// Stores when and why a key ended.
pub fn set_end(tx: &mut Tx, key: &AgentKey) -> Result<()> {
    let k = key;
    tx.exec(&SET_END, p![k.workspace, k.inbox, k.kid, k.retired_at, k.revoked_at, k.revocation_reason])?;
    Ok(())
}

/// Records that a message was sent with a signature of the key.
pub fn used(tx: &mut Tx, key: AgentKeyRef<'_>, now: Time) -> Result<()> {
    tx.exec(&USED, p![key.workspace, key.inbox, key.kid, now])?;
    Ok(())
}

/// Uses a nonce of a key. Returns whether it wasn't used before.
pub fn use_nonce(tx: &mut Tx, key: AgentKeyRef<'_>, nonce: &str, expires_at: Time) -> Result<bool> {
    Ok(tx.exec(&USE_NONCE, p![key.workspace, key.inbox, key.kid, nonce, expires_at])? > 0)
}

/// Returns whether a nonce of a key was used before.
pub fn is_nonce_used(tx: &mut Tx, key: AgentKeyRef<'_>, nonce: &str) -> Result<bool> {
    let used = tx.one::<(String,)>(&NONCE, p![key.workspace, key.inbox, key.kid, nonce])?;
    Ok(used.is_some())
}

/// Deletes nonces whose signatures are too old to be used again. Returns how many there were.
pub fn prune_nonces(tx: &mut Tx, before: Time, limit: u32) -> Result<u64> {
    let expired: Vec<NonceRow> = tx.rows(&EXPIRED_NONCES, p![before, limit])?;
    for row in &expired {
        tx.exec(&DELETE_NONCE, p![row.workspace_id, row.inbox_id, row.kid, row.nonce])?;
    }
    Ok(expired.len() as u64)
}

crate::row_struct!(NonceRow { workspace_id: WorkspaceId, inbox_id: InboxId, kid: String, nonce: String });

crate::row_struct!(KeyRow {
    workspace_id: WorkspaceId,
    inbox_id: InboxId,
    kid: String,
    public_key: String,
    created_at: Time,
    retired_at: Option<Time>,
    revoked_at: Option<Time>,
    revocation_reason: Option<String>,
    last_used_at: Option<Time>,
});

impl KeyRow {
    fn key(self) -> Result<AgentKey> {
        let jwk: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(&self.public_key).ok();
        let public = jwk.and_then(|members| PublicJwk::parse(&members).ok());
        Ok(AgentKey {
            workspace: self.workspace_id,
            inbox: self.inbox_id,
            kid: self.kid,
            public: public.ok_or_else(|| Error::Inconsistent("an agent key has no valid public key".into()))?,
            created_at: self.created_at,
            retired_at: self.retired_at,
            revoked_at: self.revoked_at,
            revocation_reason: self.revocation_reason,
            last_used_at: self.last_used_at,
        })
    }
}
