//! Signup challenges. A challenge is not stored: it carries its difficulty and expiry with a message authentication code.
//! Only used challenges are stored, until they expire.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_domain::{ErrorCode, Refusal, Time, signup::CHALLENGE_MS, signup::is_solved};
use serde_json::{Value, json};

use crate::{keyring::instance_key::InstanceKey, service::Service};

/// The version of the form of challenges.
const VERSION: &str = "v1";
/// When a client may ask again whether self-signup is switched on, in seconds.
const DISABLED_RETRY_S: u64 = 3_600;
/// Random bytes of a challenge.
const NONCE_BYTES: usize = 16;

/// A challenge for the response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IssuedChallenge {
    /// The text to solve: `v1.<base64url of JSON>.<base64url of a code>`.
    pub text: String,
    /// The zero bits that a solution must produce.
    pub difficulty: u32,
    pub expires_at: Time,
}

/// A challenge with a correct solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedChallenge {
    /// The random part, which identifies it.
    pub nonce: Vec<u8>,
    pub expires_at: Time,
}

/// The facts that a challenge carries, as JSON: `n`, `d` and `e`.
struct ChallengePayload {
    /// `n`: the random part, in base64url.
    nonce: Vec<u8>,
    /// `d`
    difficulty: u32,
    /// `e`: in Unix milliseconds.
    expires_at: Time,
}

impl ChallengePayload {
    fn text(&self) -> String {
        let (nonce, expires_at) = (URL_SAFE_NO_PAD.encode(&self.nonce), self.expires_at.millis());
        json!({ "n": nonce, "d": self.difficulty, "e": expires_at }).to_string()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let json: Value = serde_json::from_slice(bytes).ok()?;
        Some(Self {
            nonce: URL_SAFE_NO_PAD.decode(json["n"].as_str()?).ok()?,
            difficulty: u32::try_from(json["d"].as_u64()?).ok()?,
            expires_at: Time::from_millis(json["e"].as_i64()?),
        })
    }
}

/// Creates a challenge.
///
/// # Errors
/// Returns `signup_disabled`, or `internal_error` if the instance key cannot be read.
pub fn issue(service: &Service) -> Result<IssuedChallenge, Refusal> {
    check_enabled(service)?;
    let mut nonce = [0; NONCE_BYTES];
    service.clock.random(&mut nonce);
    let (difficulty, expires_at) = (service.config.signup.difficulty, service.clock.now().plus_ms(CHALLENGE_MS));
    let payload = ChallengePayload { nonce: nonce.to_vec(), difficulty, expires_at };
    let signed = format!("{VERSION}.{}", URL_SAFE_NO_PAD.encode(payload.text()));
    let code = URL_SAFE_NO_PAD.encode(key(service)?.challenge_code(signed.as_bytes()));
    Ok(IssuedChallenge { text: format!("{signed}.{code}"), difficulty, expires_at })
}

/// Checks a challenge of this service and its solution. The caller must check that the challenge wasn't used.
///
/// # Errors
/// Returns `invalid_solution`, `challenge_expired`, or `internal_error` if the instance key cannot be read.
pub(super) fn verify(service: &Service, challenge: &str, solution: &str) -> Result<SolvedChallenge, Refusal> {
    let payload = authenticated(key(service)?, challenge)
        .ok_or_else(|| Refusal::new(ErrorCode::InvalidSolution, "The challenge isn't one that this server created."))?;
    let expires_at = payload.expires_at;
    if service.clock.now() >= expires_at {
        return Err(Refusal::new(ErrorCode::ChallengeExpired, format!("The challenge expired at {expires_at}.")));
    }
    if !is_solved(challenge, solution, payload.difficulty) {
        let message = format!(
            "SHA-256 of the challenge, a colon and the solution must start with {} zero bits.",
            payload.difficulty
        );
        return Err(Refusal::new(ErrorCode::InvalidSolution, message));
    }
    Ok(SolvedChallenge { nonce: payload.nonce, expires_at })
}

/// Returns the payload of a challenge whose code is correct.
fn authenticated(key: &InstanceKey, challenge: &str) -> Option<ChallengePayload> {
    let (signed, code) = challenge.rsplit_once('.')?;
    let payload = signed.strip_prefix(VERSION)?.strip_prefix('.')?;
    let code = URL_SAFE_NO_PAD.decode(code).ok()?;
    if !key.has_challenge_code(signed.as_bytes(), &code) {
        return None;
    }
    ChallengePayload::parse(&URL_SAFE_NO_PAD.decode(payload).ok()?)
}

/// Checks that self-signup is switched on.
pub(super) fn check_enabled(service: &Service) -> Result<(), Refusal> {
    if service.config.signup.enabled {
        return Ok(());
    }
    let message = "Self-signup is switched off on this server.";
    Err(Refusal::new(ErrorCode::SignupDisabled, message).retry_after(DISABLED_RETRY_S))
}

/// Returns the refusal of a challenge that was used before.
pub(super) fn used() -> Refusal {
    Refusal::new(ErrorCode::InvalidSolution, "The challenge was already used.")
}

fn key(service: &Service) -> Result<&InstanceKey, Refusal> {
    service.keys.key(&service.config).map_err(|error| {
        tracing::error!(cause = %error, "signup.no_instance_key");
        Refusal::new(ErrorCode::Internal, "The challenge couldn't be processed.")
    })
}
