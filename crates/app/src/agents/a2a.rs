//! Signed A2A cards of listed agents.

use posthouse_api::views::agent::{ShownAgent, a2a};
use posthouse_domain::{ErrorCode, Refusal, SigningPurpose};
use posthouse_mail::jose::canonical::canonical_json;
use serde_json::{Value, json};

use crate::{service::Service, signing::sign};

/// The type of the signature (A2A 1.0 §8.4).
const TYPE: &str = "JOSE";

/// An A2A card with its signature.
#[derive(Clone, Debug)]
pub struct SignedCard {
    pub card: Value,
    /// What two signed cards with the same content and key have in common.
    pub identity: String,
}

/// Returns the A2A card of a listed agent. It is signed if agent messages are switched on: a JSON Web Signature over the
/// canonical form (RFC 8785) of the card without signatures.
///
/// # Errors
/// Returns `internal_error` if the service has no key.
pub async fn card(service: &Service, shown: &ShownAgent<'_>) -> Result<SignedCard, Refusal> {
    let mut card = a2a::card(shown);
    let canonical = canonical_json(&card);
    if !service.config.agents.messaging {
        return Ok(SignedCard { card, identity: canonical });
    }
    let signer = sign::signer(service, SigningPurpose::AgentMessages).await.map_err(|error| unsigned(&error))?;
    let header = json!({ "alg": "ES256", "typ": TYPE, "kid": signer.kid(), "jku": shown.urls.server_keys() });
    let signature = signer.sign_detached(&header, canonical.as_bytes()).map_err(|error| unsigned(&error))?;
    card["signatures"] = json!([{ "protected": signature.protected, "signature": signature.signature }]);
    Ok(SignedCard { card, identity: format!("{} {canonical}", signer.kid()) })
}

fn unsigned(error: &dyn std::fmt::Display) -> Refusal {
    tracing::error!(cause = %error, "directory.card_not_signed");
    Refusal::new(ErrorCode::Internal, "The card couldn't be signed.")
}
