//! Keys that agents hold.

use posthouse_domain::agent_key::{AgentKey, AgentKeyStatus};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{TimestampView, name_of};

/// The keys of an agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentKeys")]
pub struct AgentKeysView {
    /// Newest first.
    pub data: Vec<AgentKeyView>,
}

/// A key that an agent holds.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentKey")]
pub struct AgentKeyView {
    /// SHA-256 thumbprint of the key (RFC 7638).
    kid: String,
    /// `EdDSA` or `ES256`.
    alg: &'static str,
    /// `active`, `retired` (no longer signs; its signatures stay valid) or `revoked`.
    #[schemars(schema_with = "name_of::<AgentKeyStatus>")]
    status: &'static str,
    /// Public key as a JSON Web Key.
    public_jwk: Value,
    created_at: TimestampView,
    retired_at: Option<TimestampView>,
    /// Time from which signatures of the key are invalid.
    revoked_at: Option<TimestampView>,
    revocation_reason: Option<String>,
    /// Time of the latest message sent with a signature of the key.
    last_used_at: Option<TimestampView>,
}

impl AgentKeyView {
    /// Returns the view of a key.
    #[must_use]
    pub fn of(key: &AgentKey) -> Self {
        Self {
            kid: key.kid.clone(),
            alg: key.public.algorithm().text(),
            status: key.status().text(),
            public_jwk: key.public.to_json(),
            created_at: key.created_at.into(),
            retired_at: key.retired_at.map(Into::into),
            revoked_at: key.revoked_at.map(Into::into),
            revocation_reason: key.revocation_reason.clone(),
            last_used_at: key.last_used_at.map(Into::into),
        }
    }
}
