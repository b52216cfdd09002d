//! `/v1/inboxes/{id}/agent/keys`: keys that an agent holds.

use posthouse_api::views::agent_key::{AgentKeyView, AgentKeysView};
use posthouse_api::wire::{PublicJwkBody, SignatureText};
use posthouse_app::agent_keys::{self, KeyRevocation, NewAgentKey};
use posthouse_call::prelude::*;
use posthouse_domain::Time;

/// Path of the keys of an agent.
const ALL: &str = "/v1/inboxes/{id}/agent/keys";
/// Path that retires a key.
const RETIRE: &str = "/v1/inboxes/{id}/agent/keys/{kid}/retire";
/// Path that revokes a key.
const REVOKE: &str = "/v1/inboxes/{id}/agent/keys/{kid}/revoke";
/// Longest reason of a revocation in characters.
const REASON_CHARS_MAX: usize = 500;

pub(super) fn operations() -> Vec<Operation> {
    use Permission::{IdentityManage, InboxesRead};
    [
        Operation::new(Method::Get, ALL, "listAgentKeys", InboxesRead)
            .summary("Lists the keys of an agent, newest first, with retired and revoked ones, without pages.")
            .responds::<AgentKeysView>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::AgentKeysDisabled])
            .handle(list),
        Operation::new(Method::Post, ALL, "registerAgentKey", IdentityManage)
            .summary(
                "Registers a key that the agent holds, with a proof signed by it. An agent has at most 3 active keys, \
                 and 20 in all.",
            )
            .responds::<AgentKeyView>(201)
            .errors(&[
                ErrorCode::TemporaryInboxReceiveOnly,
                ErrorCode::NotFound,
                ErrorCode::AgentKeyExists,
                ErrorCode::AgentKeyLimit,
                ErrorCode::InvalidKeyProof,
                ErrorCode::AgentKeysDisabled,
            ])
            .handle(register),
        Operation::new(Method::Post, RETIRE, "retireAgentKey", IdentityManage)
            .summary("Retires a key: it no longer signs, and its signatures stay valid.")
            .without_body()
            .responds::<AgentKeyView>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::AgentKeyRevoked, ErrorCode::AgentKeysDisabled])
            .handle(retire),
        Operation::new(Method::Post, REVOKE, "revokeAgentKey", IdentityManage)
            .destructive()
            .summary("Revokes a key: signatures with a date from `since` on are invalid.")
            .responds::<AgentKeyView>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::AgentKeysDisabled])
            .handle(revoke),
    ]
    .into_iter()
    .map(|route: Operation| route.behind_switch(agent_keys::check_enabled))
    .collect()
}

object! {
    /// A key to register.
    struct RegisterKeyBody {
        /// The public key, as a JSON Web Key on Ed25519 or P-256, without a private member.
        public_jwk: PublicJwkBody,
        /// A compact JSON Web Signature by the new key, with the `typ` `service-key-proof+jwt`, the thumbprint of the
        /// key as `kid`, and the claims `aud` (`service:agent-key`), `sub` (the address of the inbox), `jkt` (the
        /// thumbprint), `iat` and `nonce`. It is valid once, for five minutes.
        proof: SignatureText,
    }
}

object! {
    /// The revocation of a key.
    struct RevokeKeyBody {
        /// Why the key is revoked, for people.
        reason: Option<BoundedText<1, REASON_CHARS_MAX>>,
        /// The time from which signatures are invalid. Default: now.
        since: Option<Time>,
    }
}

async fn list(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let agent: InboxId = input.path.id("id", "inbox")?;
    let keys = agent_keys::list(&service, input.caller, agent).await?;
    Outcome::json(200, &AgentKeysView { data: keys.iter().map(AgentKeyView::of).collect() })
}

async fn register(service: Arc<Service>, input: Input<EmptyInput, RegisterKeyBody>) -> Result<Outcome, Refusal> {
    let agent: InboxId = input.path.id("id", "inbox")?;
    let new = NewAgentKey { public: input.body.public_jwk.0, proof: input.body.proof.0 };
    let key = agent_keys::register(&service, input.caller, agent, new).await?;
    Outcome::json(201, &AgentKeyView::of(&key))
}

async fn retire(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let agent: InboxId = input.path.id("id", "inbox")?;
    let key = agent_keys::retire(&service, input.caller, agent, input.path.text("kid").to_owned()).await?;
    Outcome::json(200, &AgentKeyView::of(&key))
}

async fn revoke(service: Arc<Service>, input: Input<EmptyInput, RevokeKeyBody>) -> Result<Outcome, Refusal> {
    let agent: InboxId = input.path.id("id", "inbox")?;
    let RevokeKeyBody { reason, since } = input.body;
    let kid = input.path.text("kid").to_owned();
    let revocation = KeyRevocation { kid, reason: reason.map(|reason| reason.0), since };
    let key = agent_keys::revoke(&service, input.caller, agent, revocation).await?;
    Outcome::json(200, &AgentKeyView::of(&key))
}
