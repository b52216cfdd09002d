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

view! {
    /// A key that an agent holds.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "AgentKey")]
    pub struct AgentKeyView of key: &AgentKey {
        /// SHA-256 thumbprint of the key (RFC 7638).
        kid: String = key.kid.clone(),
        /// `EdDSA` or `ES256`.
        alg: &'static str = key.public.algorithm().text(),
        /// `active`, `retired` (no longer signs; its signatures stay valid) or `revoked`.
        #[schemars(schema_with = "name_of::<AgentKeyStatus>")]
        status: &'static str = key.status().text(),
        /// Public key as a JSON Web Key.
        public_jwk: Value = key.public.to_json(),
        created_at: TimestampView = key.created_at.into(),
        retired_at: Option<TimestampView> = key.retired_at.map(Into::into),
        /// Time from which signatures of the key are invalid.
        revoked_at: Option<TimestampView> = key.revoked_at.map(Into::into),
        revocation_reason: Option<String> = key.revocation_reason.clone(),
        /// Time of the latest message sent with a signature of the key.
        last_used_at: Option<TimestampView> = key.last_used_at.map(Into::into),
    }
}
