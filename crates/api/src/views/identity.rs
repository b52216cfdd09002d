//! The identity object: an agent without mail.

use posthouse_domain::{
    inbox::Inbox,
    metadata::{self, Metadata},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::TimestampView;

view! {
    /// An identity: an agent without mail.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Identity")]
    pub struct IdentityView of i: &Inbox {
        id: Uuid = i.id.into(),
        /// Always `identity`.
        kind: &'static str = i.kind.text(),
        /// Handle in the form of an address. No mail reaches it, and it is never reused.
        address: String = i.address.clone(),
        /// Part of the address before the @.
        username: String = i.username.clone(),
        /// Name for people.
        display_name: Option<String> = i.display_name.clone(),
        /// Caller's unique id, which makes creation idempotent.
        client_id: Option<String> = i.client_id.clone(),
        /// Caller's own keys and values.
        metadata: Metadata = metadata::read(&i.metadata_json),
        /// Whether the agent can sign in to apps.
        identity_enabled: bool = i.identity_enabled,
        /// `active` or `paused`.
        status: &'static str = if i.is_paused() { "paused" } else { "active" },
        /// Time of the pause; null if the identity is active.
        paused_at: Option<TimestampView> = i.paused_at.map(Into::into),
        /// Reason for the pause, for people.
        paused_reason: Option<String> = i.paused_reason.clone(),
        created_at: TimestampView = i.created_at.into(),
    }
}
