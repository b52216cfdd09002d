//! What a message shows about its author and its delivery between agents. See `docs/reference/agent-messages.md`.

use posthouse_domain::agent_message::{
    AgentDelivery, Assurance, AuthorCoverage, AuthorProblem, AuthorSignature, UnsignedReason, disclosure::Disclosure,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::{TimestampView, name_of};

/// The delivery of a message from another inbox of this service.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentDelivery")]
pub struct AgentDeliveryView<'a> {
    /// Whether the service signed this copy.
    verified: bool,
    /// Address of the sender.
    from: &'a str,
    /// How much is known about who is behind the sender: `unclaimed`, `workspace` or `domain_verified`.
    #[schemars(schema_with = "name_of::<Assurance>")]
    assurance: &'static str,
    /// Time of the signature.
    signed_at: Option<TimestampView>,
    /// Key of the signature, in `agent-keys.json`.
    kid: Option<&'a str>,
    /// Compact JSON Web Signature of this copy.
    signature: Option<&'a str>,
    /// Why the copy isn't signed; absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_of::<UnsignedReason>", default)]
    reason: Option<&'static str>,
}

view! {
    /// The signature of an author with a key of its own.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "AuthorSignature")]
    pub struct AuthorSignatureView<'a> of author: &'a AuthorSignature {
        /// Whether an active key of the author made the signature when the message was delivered.
        verified: bool = author.problem.is_none(),
        /// Key of the author.
        kid: &'a str = &author.kid,
        /// `EdDSA` or `ES256`.
        alg: &'a str = &author.algorithm,
        /// Compact JSON Web Signature.
        signature: &'a str = &author.jws,
        /// Parts of the message that the signature covers. Anybody who handled the message can have changed the others.
        #[schemars(schema_with = "coverage")]
        covers: Vec<&'static str> = author.covers().into_iter().map(AuthorCoverage::text).collect(),
        /// Why the signature doesn't count; absent if it does.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "name_of::<AuthorProblem>", default)]
        reason: Option<&'static str> = author.problem.map(AuthorProblem::text),
    }
}

fn coverage(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": name_of::<AuthorCoverage>(generator) })
}

view! {
    /// What a message says about its author.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "AiDisclosureOfMessage")]
    pub struct DisclosureView<'a> of disclosure: &'a Disclosure {
        /// Whether it says that an agent wrote it.
        agent: bool = disclosure.agent,
        /// Domain or workspace for which the agent acts.
        on_behalf_of: Option<&'a str> = disclosure.parties.on_behalf_of.as_deref(),
        /// Workspace that operates the agent.
        operator: Option<&'a str> = disclosure.parties.operator.as_deref(),
        /// Whether the message is known to come from an inbox of this service. Otherwise anyone may have written the
        /// field.
        verified: bool = disclosure.verified,
        /// Value of the field, up to 300 characters.
        header: &'a str = &disclosure.header,
    }
}

impl<'a> AgentDeliveryView<'a> {
    /// Returns the view of a delivery; without its signature unless the content is open.
    #[must_use]
    pub fn of(delivery: &'a AgentDelivery, open: bool) -> Self {
        let signed = delivery.signature.as_ref().ok();
        Self {
            verified: signed.is_some(),
            from: &delivery.from,
            assurance: delivery.assurance.text(),
            signed_at: signed.map(|signed| signed.signed_at.into()),
            kid: signed.map(|signed| signed.kid.as_str()),
            signature: signed.filter(|_| open).map(|signed| signed.jws.as_str()),
            reason: delivery.signature.as_ref().err().map(|reason| reason.text()),
        }
    }
}
