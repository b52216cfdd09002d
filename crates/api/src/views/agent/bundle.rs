//! The bundle of an own agent: its inbox, card, keys and standing.

use posthouse_domain::agent::{Agent, Assurance, SanctionKind, Standing, card::CardVisibility};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::{CardView, PublishedKey, ShownAgent};
use crate::views::{TimestampView, inbox::InboxView, name_of};

/// An agent of the caller's workspace.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentBundle")]
pub struct AgentBundleView {
    /// Inbox or identity.
    pub inbox: InboxView,
    /// Sign-in with the agent.
    pub identity: BundleIdentityView,
    /// Card; null if the agent has none.
    pub card: Option<CardView>,
    /// Keys behind its signatures.
    pub keys: BundleKeysView,
    /// How messages reach the agent: always `relay`.
    pub routing: &'static str,
    /// Who sees the card.
    #[schemars(schema_with = "name_of::<CardVisibility>")]
    pub visibility: &'static str,
    /// `no_card`, or the standing of the agent.
    #[schemars(schema_with = "bundle_status")]
    pub status: &'static str,
    /// What is known about who is behind the agent.
    #[schemars(schema_with = "name_of::<Assurance>")]
    pub assurance: &'static str,
    /// `domain_verified`, if the address is at a domain that the workspace verified.
    pub badges: Vec<&'static str>,
    /// Domain that the workspace verified.
    pub domain: Option<String>,
    /// Handle, such as `@acme/support`.
    pub handle: Option<String>,
    /// What the operator or reports decided against the agent; null if nothing. The operator ends it.
    pub sanction: Option<AgentSanctionView>,
}

/// A decision against an agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentSanction")]
pub struct AgentSanctionView {
    /// `suspended` by the operator, or `reported`: reports hid the listing.
    #[schemars(schema_with = "name_of::<SanctionKind>")]
    pub kind: &'static str,
    /// The operator's reason.
    pub reason: Option<String>,
    /// Parties whose reports counted: domains, and addresses at large mailbox providers.
    pub parties: Vec<String>,
    /// Time of the decision.
    pub since: TimestampView,
    /// Time at which you asked for a review with `POST /v1/inboxes/{id}/agent/review`.
    pub review_requested_at: Option<TimestampView>,
}

/// Sign-in with an agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentIdentityState")]
pub struct BundleIdentityView {
    /// Whether identity tokens can be requested.
    pub enabled: bool,
    /// Whether the agent can sign in to apps now.
    pub sign_in_ready: bool,
}

/// The keys behind the signatures of an own agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentBundleKeys")]
pub struct BundleKeysView {
    /// Key of the service.
    pub server: ServerKeyView,
    /// Keys that the agent holds.
    pub agent: Vec<PublishedKey>,
}

/// The key with which the service signs messages of agents.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "AgentServerKey")]
pub struct ServerKeyView {
    /// Id of the key that signs now; null if agent messages are switched off.
    pub kid: Option<String>,
    /// URL of all keys.
    pub jwks_uri: String,
}

fn bundle_status(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["no_card", "active", "revoked", "suspended"] })
}

/// What a bundle shows beside the agent itself.
pub struct BundleParts {
    /// Inbox or identity.
    pub inbox: InboxView,
    /// Keys behind its signatures.
    pub keys: BundleKeysView,
    /// Sign-in with the agent.
    pub identity: BundleIdentityView,
    /// What was decided against it.
    pub sanction: Option<AgentSanctionView>,
}

impl AgentBundleView {
    /// Returns the bundle of an agent. `card` is its card with what views show.
    #[must_use]
    pub fn of(agent: &Agent, card: Option<&ShownAgent<'_>>, parts: BundleParts) -> Self {
        let status = match card {
            Some(shown) => agent.standing(shown.now).text(),
            // A suspension outlives the card.
            None if agent.sanction == Some(SanctionKind::Suspended) => Standing::Suspended.text(),
            None => "no_card",
        };
        Self {
            inbox: parts.inbox,
            identity: parts.identity,
            keys: parts.keys,
            routing: "relay",
            visibility: card.map_or(CardVisibility::Private, |shown| shown.card.visibility).text(),
            status,
            assurance: agent.assurance().text(),
            badges: agent.badges(),
            domain: agent.verified_domain().map(str::to_owned),
            handle: agent.handle(),
            card: card.map(ShownAgent::full),
            sanction: parts.sanction,
        }
    }
}
