//! Signs identity tokens, and checks the signature of those that come back. Only ES256 with a key of this service counts,
//! whatever the header of a token says (RFC 8725 §3.1).

use posthouse_api::views::signing_key::ServiceKeyView;
use posthouse_domain::{ErrorCode, HOUR_MS, Refusal, SigningPurpose};
use posthouse_mail::{jose::jwk::JwsAlgorithm, jose::jws::CompactJws};
use posthouse_store::Tx;
use serde_json::Value;

use crate::{service::ReadScope, service::Service, signing::published, signing::sign, signing::sign::ServiceSigner};

/// The `typ` of an identity token.
const TYPE: &str = "JWT";
/// How long a key is published after it stopped signing, in milliseconds: longer than any token is valid.
const PUBLISHED_AFTER_MS: i64 = HOUR_MS;

/// Returns the key that signs now. Get it before the transaction that issues a token.
pub(super) async fn signer(service: &Service) -> Result<ServiceSigner, Refusal> {
    sign::signer(service, SigningPurpose::Identity).await.map_err(|error| {
        tracing::error!(cause = %error, "identity.no_signing_key");
        Refusal::new(ErrorCode::Internal, "The identity token couldn't be signed.")
    })
}

/// Signs the claims of an identity token.
pub(super) fn sign(signer: &ServiceSigner, claims: &Value) -> Result<String, Refusal> {
    signer.sign(TYPE, claims).map_err(|error| {
        tracing::error!(cause = %error, "identity.not_signed");
        Refusal::new(ErrorCode::Internal, "The identity token couldn't be signed.")
    })
}

/// Returns the claims of an identity token that this service signed; `None` for any other text.
pub(super) async fn verify(service: &Service, token: &str) -> Result<Option<Value>, Refusal> {
    // A compact signature has no white space; the parser allows it for mail.
    if token.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return Ok(None);
    }
    let Some(jws) = CompactJws::parse(token) else { return Ok(None) };
    if jws.algorithm != JwsAlgorithm::Es256 || jws.header_text("typ") != Some(TYPE) {
        return Ok(None);
    }
    let claims = Value::Object(jws.claims.clone());
    let work = move |tx: &mut Tx| published::check(tx, SigningPurpose::Identity, &jws);
    let signature = service.read(ReadScope::Service, work).await.map_err(Refusal::from)?;
    // A revoked key verifies nothing, as in the published keys, because a thief can choose any `iat`.
    let is_valid = signature.is_some_and(|signature| signature.is_genuine && signature.times.revoked_at.is_none());
    Ok(is_valid.then_some(claims))
}

/// Returns the keys that verify identity tokens, newest first, without revoked ones: libraries don't know that state.
///
/// # Errors
/// Returns `internal_error` if there is no key.
pub async fn keys(service: &Service) -> Result<Vec<ServiceKeyView>, Refusal> {
    signer(service).await?;
    let since = service.clock.now().plus_ms(-PUBLISHED_AFTER_MS);
    let keys = published::keys(service, SigningPurpose::Identity, Some(since)).await?;
    Ok(keys.into_iter().filter(|key| !key.is_revoked()).collect())
}
