//! Keys that agents hold: registered with a proof, retired and revoked. Writes `agent_keys` and `agent_nonces`.

use posthouse_domain::{
    AgentKey, AgentKeyStatus, Caller, ErrorCode, Inbox, InboxId, KeyProof, ProofProblem, Refusal, SECOND_MS, Time,
    agent_key::check_registration, agent_message::freshness::SKEW_S,
};
use posthouse_mail::jose::jwk::PublicJwk;
use posthouse_store::{Tx, agent_keys, agent_keys::AgentKeyRef, inboxes};

use crate::{access::visible, service::Service};

/// When a client may ask again whether keys of agents are switched on, in seconds.
const DISABLED_RETRY_S: u64 = 3_600;

/// A request to register a key.
#[derive(Clone, Debug)]
pub struct NewAgentKey {
    /// The public key.
    pub public: PublicJwk,
    /// The proof that the agent holds the private key.
    pub proof: String,
}

/// Checks that keys of agents are switched on.
///
/// # Errors
/// Returns `agent_keys_disabled`.
pub fn check_enabled(service: &Service) -> Result<(), Refusal> {
    if service.config.agents.agent_keys {
        return Ok(());
    }
    let message = "Keys of agents are switched off on this server.";
    Err(Refusal::new(ErrorCode::AgentKeysDisabled, message).retry_after(DISABLED_RETRY_S))
}

/// Returns the keys of an agent, newest first.
///
/// # Errors
/// Returns `agent_keys_disabled` or `not_found`.
pub async fn list(service: &Service, caller: Caller, agent: InboxId) -> Result<Vec<AgentKey>, Refusal> {
    check_enabled(service)?;
    let load = move |tx: &mut Tx| {
        let inbox = visible::inbox_or_identity(tx, &caller, agent)?;
        Ok::<_, Refusal>(agent_keys::of_agent(tx, inbox.workspace, inbox.id)?)
    };
    service.read(caller.workspace, load).await
}

/// Registers a key.
///
/// # Errors
/// Returns `agent_keys_disabled`, `not_found`, `temporary_inbox_receive_only`, `invalid_key_proof`, or `agent_key_exists`,
/// `agent_key_limit`.
pub async fn register(
    service: &Service,
    caller: Caller,
    agent: InboxId,
    new: NewAgentKey,
) -> Result<AgentKey, Refusal> {
    check_enabled(service)?;
    let now = service.clock.now();
    service.write(move |tx| insert(tx, &caller, agent, &new, now)).await
}

fn insert(tx: &mut Tx, caller: &Caller, agent: InboxId, new: &NewAgentKey, now: Time) -> Result<AgentKey, Refusal> {
    let inbox = locked(tx, caller, agent)?;
    if inbox.temporary {
        let message = "A temporary inbox only receives, so it can't have keys.";
        return Err(Refusal::new(ErrorCode::TemporaryInboxReceiveOnly, message));
    }
    let proof = KeyProof::check(&new.proof, &new.public, &inbox.address, now).map_err(ProofProblem::refusal)?;
    let key = AgentKey {
        workspace: inbox.workspace,
        inbox: inbox.id,
        kid: new.public.thumbprint(),
        public: new.public.clone(),
        created_at: now,
        retired_at: None,
        revoked_at: None,
        revocation_reason: None,
        last_used_at: None,
    };
    check_registration(&agent_keys::of_agent(tx, inbox.workspace, inbox.id)?, &key.kid)?;
    let reference = AgentKeyRef { workspace: inbox.workspace, inbox: inbox.id, kid: &key.kid };
    if !agent_keys::use_nonce(tx, reference, &proof.nonce, proof.forgotten_at)? {
        return Err(ProofProblem::Replayed.refusal());
    }
    agent_keys::insert(tx, &key)?;
    tracing::info!(workspace_id = %key.workspace, inbox_id = %key.inbox, kid = key.kid, "agent_key.registered");
    Ok(key)
}

/// Retires a key: it no longer signs, and its signatures stay valid. Retiring a retired key changes nothing.
///
/// # Errors
/// Returns `agent_keys_disabled`, `not_found`, or `agent_key_revoked`.
pub async fn retire(service: &Service, caller: Caller, agent: InboxId, kid: String) -> Result<AgentKey, Refusal> {
    check_enabled(service)?;
    let now = service.clock.now();
    let write = move |tx: &mut Tx| {
        let mut key = find(tx, &caller, agent, &kid)?;
        match key.status() {
            AgentKeyStatus::Active => {
                key.retired_at = Some(now);
                agent_keys::set_end(tx, &key)?;
            }
            AgentKeyStatus::Retired => {}
            AgentKeyStatus::Revoked => {
                return Err(Refusal::new(ErrorCode::AgentKeyRevoked, "The key is revoked, so it can't be retired."));
            }
        }
        Ok(key)
    };
    service.write(write).await
}

/// A request to revoke a key.
#[derive(Clone, Debug)]
pub struct KeyRevocation {
    /// The key.
    pub kid: String,
    /// Why it is revoked.
    pub reason: Option<String>,
    /// From when on its signatures are invalid; now without a value.
    pub since: Option<Time>,
}

/// Revokes a key: signatures with a later date are invalid. Revoking it again can only move that date back.
///
/// # Errors
/// Returns `agent_keys_disabled`, `not_found`, or `invalid_request` for a date in the future.
pub async fn revoke(
    service: &Service,
    caller: Caller,
    agent: InboxId,
    revocation: KeyRevocation,
) -> Result<AgentKey, Refusal> {
    check_enabled(service)?;
    let now = service.clock.now();
    // Clocks differ by seconds, and a leaked key must not stay valid because of that.
    let since = revocation.since.unwrap_or(now);
    if since.since_ms(now) > SKEW_S * SECOND_MS {
        return Err(Refusal::invalid_field("since", "must not be in the future"));
    }
    let since = since.min(now);
    let write = move |tx: &mut Tx| {
        let mut key = find(tx, &caller, agent, &revocation.kid)?;
        key.revoked_at = Some(key.revoked_at.map_or(since, |earlier| earlier.min(since)));
        key.revocation_reason = revocation.reason.clone().or(key.revocation_reason);
        agent_keys::set_end(tx, &key)?;
        Ok::<_, Refusal>(key)
    };
    service.write(write).await
}

/// Returns a key of an agent; locks the agent, so that its keys change one after the other.
fn find(tx: &mut Tx, caller: &Caller, agent: InboxId, kid: &str) -> Result<AgentKey, Refusal> {
    let inbox = locked(tx, caller, agent)?;
    let key = agent_keys::get(tx, AgentKeyRef { workspace: inbox.workspace, inbox: inbox.id, kid })?;
    key.ok_or_else(|| Refusal::not_found("key"))
}

fn locked(tx: &mut Tx, caller: &Caller, agent: InboxId) -> Result<Inbox, Refusal> {
    let inbox = visible::inbox_or_identity(tx, caller, agent)?;
    inboxes::lock(tx, inbox.workspace, inbox.id)?.ok_or_else(|| Refusal::not_found("inbox"))
}
