//! Keys that agents hold: their registration by proof, and their end.

use posthouse_mail::jose::{jwk::PublicJwk, jws::CompactJws};
use serde_json::Value;

pub use crate::error::ProofProblem;

use crate::{
    agent_message::freshness::{Freshness, SKEW_S, VALID_S, freshness, nonce},
    error::{Detail, ErrorCode, Refusal},
    id::{InboxId, WorkspaceId},
    time::{SECOND_MS, Time},
};

/// The `typ` of the proof that registers a key.
pub const PROOF_TYPE: &str = "service-key-proof+jwt";
/// The audience of a proof.
pub const PROOF_AUDIENCE: &str = "service:agent-key";
/// Active keys of one agent.
pub const ACTIVE_MAX: usize = 3;
/// Keys of one agent, with retired and revoked ones.
pub const KEYS_MAX: usize = 20;

named! {
    /// The status of a key.
    AgentKeyStatus {
        /// It signs.
        Active = "active",
        /// It no longer signs; its signatures stay valid.
        Retired = "retired",
        /// Signatures from its revocation on are invalid.
        Revoked = "revoked",
    }
}

impl ProofProblem {
    /// Returns the refusal of a registration.
    #[must_use]
    pub fn refusal(self) -> Refusal {
        let problem = match self {
            Self::Malformed => {
                "must be a compact JSON Web Signature with the algorithm EdDSA or ES256, without `crit`, and with the claims `aud`, `sub`, `jkt`, `iat` (whole seconds) and `nonce` (16 to 128 characters)"
            }
            Self::WrongType => "must have the `typ` `service-key-proof+jwt` in its header",
            Self::WrongKey => "must have the thumbprint of `public_jwk` as `kid` in its header and as the claim `jkt`",
            Self::BadSignature => "must be signed with the private key of `public_jwk`",
            Self::WrongAudience => "must have the claim `aud` with the value `service:agent-key`",
            Self::WrongSubject => "must have the claim `sub` with the address of the inbox in lower case",
            Self::IssuedInFuture => "must not have an `iat` in the future: check the clock",
            Self::TooOld => "must not be older than five minutes",
            Self::Replayed => "must have a `nonce` that wasn't used before",
        };
        Refusal::new(ErrorCode::InvalidKeyProof, format!("`proof` {problem}.")).detail(Detail::ProofReason(self))
    }
}

/// A key of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentKey {
    /// The workspace of the agent.
    pub workspace: WorkspaceId,
    /// The inbox or identity of the agent.
    pub inbox: InboxId,
    /// The thumbprint of the key.
    pub kid: String,
    /// The public key.
    pub public: PublicJwk,
    /// When it was registered.
    pub created_at: Time,
    pub retired_at: Option<Time>,
    /// From when on its signatures are invalid.
    pub revoked_at: Option<Time>,
    /// Why it was revoked.
    pub revocation_reason: Option<String>,
    /// When a message was last sent with a signature of the key.
    pub last_used_at: Option<Time>,
}

impl AgentKey {
    /// Returns the status.
    #[must_use]
    pub const fn status(&self) -> AgentKeyStatus {
        match (self.revoked_at, self.retired_at) {
            (Some(_), _) => AgentKeyStatus::Revoked,
            (None, Some(_)) => AgentKeyStatus::Retired,
            (None, None) => AgentKeyStatus::Active,
        }
    }

    /// Returns whether a signature with this date, in seconds, counts.
    #[must_use]
    pub fn verifies(&self, iat: i64) -> bool {
        self.revoked_at.is_none_or(|at| at.millis() > iat.saturating_mul(SECOND_MS))
    }
}

/// A valid proof, except that its nonce may have been used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyProof {
    pub nonce: String,
    /// When the nonce can be forgotten.
    pub forgotten_at: Time,
}

impl KeyProof {
    /// Checks the proof that an agent at `address` holds the private key.
    ///
    /// # Errors
    /// Returns what is wrong with it.
    pub fn check(proof: &str, key: &PublicJwk, address: &str, now: Time) -> Result<Self, ProofProblem> {
        let jws = CompactJws::parse(proof).ok_or(ProofProblem::Malformed)?;
        let text = |name: &str| jws.claims.get(name).and_then(Value::as_str);
        if jws.header_text("typ") != Some(PROOF_TYPE) {
            return Err(ProofProblem::WrongType);
        }
        let kid = key.thumbprint();
        if jws.header_text("kid") != Some(kid.as_str()) || text("jkt") != Some(kid.as_str()) {
            return Err(ProofProblem::WrongKey);
        }
        if !jws.is_signed_by(key) {
            return Err(ProofProblem::BadSignature);
        }
        if text("aud") != Some(PROOF_AUDIENCE) {
            return Err(ProofProblem::WrongAudience);
        }
        if text("sub") != Some(address.to_lowercase().as_str()) {
            return Err(ProofProblem::WrongSubject);
        }
        let iat = jws.claims.get("iat").and_then(Value::as_i64).ok_or(ProofProblem::Malformed)?;
        let nonce = nonce(&jws.claims).ok_or(ProofProblem::Malformed)?;
        match freshness(iat, now) {
            Freshness::Fresh => {}
            Freshness::Future => return Err(ProofProblem::IssuedInFuture),
            Freshness::Old => return Err(ProofProblem::TooOld),
        }
        let forgotten_at = Time::from_millis((iat + VALID_S + SKEW_S).saturating_mul(SECOND_MS));
        Ok(Self { nonce, forgotten_at })
    }
}

/// Checks that an agent with these keys may register another one.
///
/// # Errors
/// Returns `agent_key_exists` or `agent_key_limit`.
pub fn check_registration(keys: &[AgentKey], kid: &str) -> Result<(), Refusal> {
    if keys.iter().any(|key| key.kid == kid) {
        let message = "The agent registered this key before; a key is never registered twice.";
        return Err(Refusal::new(ErrorCode::AgentKeyExists, message));
    }
    let active = keys.iter().filter(|key| key.status() == AgentKeyStatus::Active).count();
    let problem = if keys.len() >= KEYS_MAX {
        Some(("keys, with retired and revoked ones", KEYS_MAX))
    } else if active >= ACTIVE_MAX {
        Some(("active keys", ACTIVE_MAX))
    } else {
        None
    };
    problem.map_or(Ok(()), |(what, max)| {
        let message = format!("The agent has {max} {what}; that is the maximum.");
        Err(Refusal::new(ErrorCode::AgentKeyLimit, message).detail(Detail::Max(max as u64)))
    })
}
