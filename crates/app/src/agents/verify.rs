//! Checks a signature of an agent message against the published keys, and the standing of its sender. Hashes of contents
//! are not checked: only the holder of the message can.

use posthouse_api::views::agent::{CompleteVerification, Signer, VerificationView};
use posthouse_domain::agent_message::{DELIVERY_TYPE, author, author::AUTHOR_TYPE};
use posthouse_domain::{Agent, Caller, Refusal, SECOND_MS, SigningPurpose, Standing, Time};
use posthouse_mail::{address::Address, jose::jws::CompactJws};
use posthouse_store::{Tx, agent_keys, agent_keys::AgentKeyRef, agents};
use serde_json::Value;

use super::switches;
use crate::{service::Service, signing::published};

/// What is verified.
#[derive(Clone, Debug)]
pub enum VerifiedThing {
    /// The signature of a message.
    Signature(String),
    /// The standing of an address.
    Address(Address),
}

/// Checks a signature, or the standing of an address. The result is never an error because something is invalid.
///
/// # Errors
/// Returns `directory_disabled`.
pub async fn verify(service: &Service, caller: Caller, thing: VerifiedThing) -> Result<VerificationView, Refusal> {
    switches::check(service)?;
    let (issuer, now) = (service.config.issuer(), service.clock.now());
    let load = move |tx: &mut Tx| match &thing {
        VerifiedThing::Address(address) => {
            let agent = agents::by_address(tx, &address.canonical())?;
            Ok(standing_of(agent.as_ref(), &address.canonical(), now))
        }
        VerifiedThing::Signature(text) => signature(tx, text, &issuer, now),
    };
    service.read(caller.workspace, load).await
}

fn standing_of(agent: Option<&Agent>, address: &str, now: Time) -> VerificationView {
    let Some(agent) = agent else { return VerificationView::refused("agent_not_found") };
    VerificationView::of(agent, address, now, None)
}

fn signature(tx: &mut Tx, text: &str, issuer: &str, now: Time) -> Result<VerificationView, Refusal> {
    let Some(jws) = CompactJws::parse(text) else { return Ok(VerificationView::refused("malformed")) };
    match jws.header_text("typ") {
        Some(DELIVERY_TYPE) => by_service(tx, &jws, issuer, now),
        Some(AUTHOR_TYPE) => by_agent(tx, &jws, now),
        _ => Ok(VerificationView::refused("wrong_type")),
    }
}

/// The claims of a signature that name its sender and time.
struct SignedClaims {
    from: String,
    /// The address of the sender's inbox: `from` without its tag.
    inbox: String,
    at: Time,
}

impl SignedClaims {
    fn of(jws: &CompactJws) -> Option<Self> {
        let from = jws.claims.get("from")?.as_str()?;
        let seconds = jws.claims.get("iat")?.as_i64()?;
        let from = Address::parse(from).ok()?;
        let at = Time::from_millis(seconds.checked_mul(SECOND_MS)?);
        Some(Self { from: from.canonical(), inbox: from.without_tag().canonical(), at })
    }
}

fn by_service(tx: &mut Tx, jws: &CompactJws, issuer: &str, now: Time) -> Result<VerificationView, Refusal> {
    let Some(found) = published::check(tx, SigningPurpose::AgentMessages, jws)? else {
        return Ok(VerificationView::refused("unknown_key"));
    };
    if !found.is_genuine {
        return Ok(VerificationView::refused("bad_signature"));
    }
    let Some(claims) = SignedClaims::of(jws) else { return Ok(VerificationView::refused("malformed")) };
    let mut reasons = Vec::new();
    if jws.claims.get("iss").and_then(Value::as_str) != Some(issuer) {
        reasons.push("wrong_issuer");
    }
    if !found.times.verifies(claims.at) {
        reasons.push("key_revoked");
    }
    let complete = CompleteVerification { signer: Signer::Server, kid: found.kid, signed_at: claims.at, reasons };
    sender(tx, &claims, complete, now)
}

/// Checks a signature against the keys that its sender registered.
fn by_agent(tx: &mut Tx, jws: &CompactJws, now: Time) -> Result<VerificationView, Refusal> {
    let has_version = jws.claims.get("v").and_then(Value::as_i64) == Some(author::VERSION);
    let Some(claims) = SignedClaims::of(jws).filter(|_| has_version) else {
        return Ok(VerificationView::refused("malformed"));
    };
    let (Some(kid), Some(agent)) = (jws.header_text("kid"), agents::by_address(tx, &claims.from)?) else {
        return Ok(VerificationView::refused("unknown_key"));
    };
    let reference = AgentKeyRef { workspace: agent.workspace, inbox: agent.inbox, kid };
    let Some(key) = agent_keys::get(tx, reference)? else { return Ok(VerificationView::refused("unknown_key")) };
    if !jws.is_signed_by(&key.public) {
        return Ok(VerificationView::refused("bad_signature"));
    }
    let is_revoked = key.revoked_at.is_some_and(|at| at <= claims.at);
    let complete = CompleteVerification {
        signer: Signer::Agent { key_revoked_at: key.revoked_at },
        kid: key.kid,
        signed_at: claims.at,
        reasons: if is_revoked { vec!["key_revoked"] } else { Vec::new() },
    };
    Ok(VerificationView::of(&agent, &claims.from, now, Some(complete)))
}

/// Adds the standing of the sender.
fn sender(
    tx: &mut Tx,
    claims: &SignedClaims,
    complete: CompleteVerification,
    now: Time,
) -> Result<VerificationView, Refusal> {
    Ok(match agents::by_address(tx, &claims.inbox)? {
        Some(agent) => VerificationView::of(&agent, &claims.from, now, Some(complete)),
        // Its workspace was deleted, too.
        None => VerificationView::without_agent(&claims.from, Standing::Deleted, complete),
    })
}
