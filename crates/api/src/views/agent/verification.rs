//! The result of checking a signature or the standing of an agent.

use posthouse_domain::{
    agent::{Agent, Assurance, Standing},
    time::Time,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::views::TimestampView;

/// The result of checking a signature or the standing of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SignatureVerification")]
pub struct VerificationView {
    /// Whether the signature is genuine and its sender is active now.
    valid: bool,
    /// Standing of the sender; null if it is unknown.
    #[schemars(schema_with = "standing")]
    status: Option<&'static str>,
    /// Address of the sender; null if the signature is not genuine.
    from: Option<String>,
    /// What is known about who is behind the sender.
    #[schemars(schema_with = "assurance")]
    assurance: Option<&'static str>,
    /// Key of the signature.
    kid: Option<String>,
    /// Time that the signature states.
    signed_at: Option<TimestampView>,
    /// Whether the sender has a card.
    card: bool,
    /// `server` or `agent`; null for a check of an address.
    signer: Option<&'static str>,
    /// Why it is not valid.
    reasons: Vec<&'static str>,
    /// Time at which the key of an agent was revoked, or null; only for a signature of an agent. Signatures with an
    /// earlier date still pass, although the date is only what the signer states.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_revoked_at: Option<NullableTime>,
}

/// A time, or null.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
struct NullableTime(Option<TimestampView>);

/// Whose key made a signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signer {
    /// The service.
    Server,
    /// The agent that sent the message.
    Agent {
        /// When its key was revoked.
        key_revoked_at: Option<Time>,
    },
}

fn standing(_: &mut SchemaGenerator) -> Schema {
    nullable_names(Standing::ALL.iter().map(|one| one.text()).collect())
}

fn assurance(_: &mut SchemaGenerator) -> Schema {
    nullable_names(Assurance::ALL.iter().map(|one| one.text()).collect())
}

fn nullable_names(names: Vec<&'static str>) -> Schema {
    let all: Vec<Option<&str>> = names.into_iter().map(Some).chain([None]).collect();
    json_schema!({ "type": ["string", "null"], "enum": all })
}

/// What a check found out about a genuine signature.
#[derive(Clone, Debug)]
pub struct CompleteVerification {
    /// Whose key it is.
    pub signer: Signer,
    /// The key.
    pub kid: String,
    /// The time that the signature states.
    pub signed_at: Time,
    /// Why the signature doesn't count.
    pub reasons: Vec<&'static str>,
}

impl Signer {
    const fn text(self) -> &'static str {
        match self {
            Signer::Server => "server",
            Signer::Agent { .. } => "agent",
        }
    }
}

impl VerificationView {
    /// Returns the result for something of which nothing is certain.
    #[must_use]
    pub fn refused(reason: &'static str) -> Self {
        Self {
            valid: false,
            status: None,
            from: None,
            assurance: None,
            kid: None,
            signed_at: None,
            card: false,
            signer: None,
            reasons: vec![reason],
            key_revoked_at: None,
        }
    }

    /// Returns the result for an agent, and for its signature if there is one.
    #[must_use]
    pub fn of(agent: &Agent, address: &str, now: Time, signature: Option<CompleteVerification>) -> Self {
        let standing = agent.standing(now);
        let mut view = Self::standing(address, standing, signature);
        if standing != Standing::Deleted {
            view.assurance = Some(agent.assurance().text());
            view.card = agent.card.is_some();
        }
        view
    }

    /// Returns the result for a signature of an agent that doesn't exist any more.
    #[must_use]
    pub fn without_agent(address: &str, standing: Standing, signature: CompleteVerification) -> Self {
        Self::standing(address, standing, Some(signature))
    }

    fn standing(address: &str, standing: Standing, signature: Option<CompleteVerification>) -> Self {
        let mut reasons = signature.as_ref().map(|signature| signature.reasons.clone()).unwrap_or_default();
        let signer = signature.as_ref().map(|signature| signature.signer);
        reasons.extend(match standing {
            Standing::Active => None,
            Standing::Revoked => Some("agent_revoked"),
            Standing::Suspended => Some("agent_suspended"),
            Standing::Deleted => Some("agent_deleted"),
        });
        Self {
            valid: reasons.is_empty(),
            status: Some(standing.text()),
            from: Some(address.to_owned()),
            assurance: None,
            signed_at: signature.as_ref().map(|signature| signature.signed_at.into()),
            card: false,
            signer: signer.map(Signer::text),
            key_revoked_at: match signer {
                Some(Signer::Agent { key_revoked_at }) => Some(NullableTime(key_revoked_at.map(Into::into))),
                Some(Signer::Server) | None => None,
            },
            kid: signature.map(|signature| signature.kid),
            reasons,
        }
    }
}
