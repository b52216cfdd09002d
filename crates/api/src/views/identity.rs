//! The identity object: an agent without mail.

use posthouse_domain::{
    inbox::Inbox,
    metadata::{self, Metadata},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::TimestampView;

/// An identity: an agent without mail.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IdentityView {
    id: Uuid,
    /// Always `identity`.
    kind: &'static str,
    /// Handle in the form of an address. No mail reaches it, and it is never reused.
    address: String,
    /// Part of the address before the @.
    username: String,
    /// Name for people.
    display_name: Option<String>,
    /// Caller's unique id, which makes creation idempotent.
    client_id: Option<String>,
    /// Caller's own keys and values.
    metadata: Metadata,
    /// Whether the agent can sign in to apps.
    identity_enabled: bool,
    /// `active` or `paused`.
    status: &'static str,
    /// Time of the pause; null if the identity is active.
    paused_at: Option<TimestampView>,
    /// Reason for the pause, for people.
    paused_reason: Option<String>,
    created_at: TimestampView,
}

impl IdentityView {
    /// Returns the view of an identity.
    #[must_use]
    pub fn of(identity: &Inbox) -> Self {
        let i = identity;
        Self {
            id: i.id.into(),
            kind: i.kind.text(),
            address: i.address.clone(),
            username: i.username.clone(),
            display_name: i.display_name.clone(),
            client_id: i.client_id.clone(),
            metadata: metadata::read(&i.metadata_json),
            identity_enabled: i.identity_enabled,
            status: if i.is_paused() { "paused" } else { "active" },
            paused_at: i.paused_at.map(Into::into),
            paused_reason: i.paused_reason.clone(),
            created_at: i.created_at.into(),
        }
    }
}
