//! Checks a signature of an agent message against the published keys, and the standing of its sender. Hashes of contents
//! are not checked: only the holder of the message can.

use posthouse_api::views::agent::{CompleteVerification, VerificationView};
use posthouse_domain::{
    agent::{Agent, Standing},
    auth::Caller,
    error::Refusal,
    signing_key::SigningPurpose,
    time::{SECOND_MS, Time},
};
use posthouse_mail::{address::Address, jose::jws::CompactJws};
use posthouse_store::{Tx, agents};

use super::switches;
use crate::{app::App, signing::published};

/// The type of signatures that the service makes for messages.
const MESSAGE_TYPE: &str = "service-msg+jwt";
/// The type of signatures that agents make with their own keys.
const AUTHOR_TYPE: &str = "service-author+jwt";

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
/// Returns `directory_disabled`, or an error if the database call fails.
pub async fn verify(app: &App, caller: Caller, thing: VerifiedThing) -> Result<VerificationView, Refusal> {
    switches::check(app)?;
    let (issuer, now) = (app.config.issuer(), app.clock.now());
    let load = move |tx: &mut Tx| match &thing {
        VerifiedThing::Address(address) => {
            let agent = agents::by_address(tx, &address.canonical())?;
            Ok(standing_of(agent.as_ref(), &address.canonical(), now))
        }
        VerifiedThing::Signature(text) => signature(tx, text, &issuer, now),
    };
    app.store.read_for(caller.workspace, load).await
}

fn standing_of(agent: Option<&Agent>, address: &str, now: Time) -> VerificationView {
    let Some(agent) = agent else { return VerificationView::refused("agent_not_found") };
    VerificationView::of(agent, address, now, None)
}

fn signature(tx: &mut Tx, text: &str, issuer: &str, now: Time) -> Result<VerificationView, Refusal> {
    let Some(jws) = CompactJws::parse(text) else { return Ok(VerificationView::refused("malformed")) };
    match jws.header_text("typ") {
        Some(MESSAGE_TYPE) => by_service(tx, &jws, issuer, now),
        Some(AUTHOR_TYPE) => by_agent(tx, &jws, now),
        _ => Ok(VerificationView::refused("wrong_type")),
    }
}

/// The claims of a signature that name its sender and time.
struct SignedClaims {
    from: String,
    at: Time,
}

impl SignedClaims {
    fn of(jws: &CompactJws) -> Option<Self> {
        let from = jws.claims.get("from")?.as_str()?;
        let seconds = jws.claims.get("iat")?.as_i64()?;
        let from = Address::parse(from).ok()?.canonical();
        Some(Self { from, at: Time::from_millis(seconds.checked_mul(SECOND_MS)?) })
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
    if jws.claims.get("iss").and_then(serde_json::Value::as_str) != Some(issuer) {
        reasons.push("wrong_issuer");
    }
    if !found.times.verifies(claims.at) {
        reasons.push("key_revoked");
    }
    let complete = CompleteVerification { signer: "server", kid: found.kid, signed_at: claims.at, key_revoked_at: None, reasons };
    sender(tx, &claims, complete, now)
}

fn by_agent(_: &mut Tx, _: &CompactJws, _: Time) -> Result<VerificationView, Refusal> {
    Ok(VerificationView::refused("unknown_key"))
}

/// Adds the standing of the sender.
fn sender(tx: &mut Tx, claims: &SignedClaims, complete: CompleteVerification, now: Time) -> Result<VerificationView, Refusal> {
    Ok(match agents::by_address(tx, &claims.from)? {
        Some(agent) => VerificationView::of(&agent, &claims.from, now, Some(complete)),
        // Its workspace was deleted, too.
        None => VerificationView::without_agent(&claims.from, Standing::Deleted, complete),
    })
}
