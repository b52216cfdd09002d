//! The published signing keys, and signatures checked against them.

use posthouse_api::views::signing_key::ServiceKeyView;
use posthouse_domain::{SigningKeyTimes, SigningPurpose, Time};
use posthouse_mail::{jose::jwk::PublicJwk, jose::jws::CompactJws};
use posthouse_store::{Error, Result, Tx, signing_keys};
use serde_json::Value;

use crate::service::{ReadScope, Service};

/// Returns the keys of a purpose for publication, newest first, without those that stopped signing before
/// `since`.
pub async fn keys(service: &Service, purpose: SigningPurpose, since: Option<Time>) -> Result<Vec<ServiceKeyView>> {
    let now = service.clock.now();
    let stored = service.read(ReadScope::Statement, move |tx| signing_keys::all(tx, purpose)).await?;
    let is_published = |times: &SigningKeyTimes| match (since, times.retired_at) {
        (Some(since), Some(retired_at)) => retired_at >= since,
        _ => true,
    };
    let published = stored.iter().filter(|key| is_published(&key.times));
    published.map(|key| Ok(ServiceKeyView::of(&key.kid, &public(&key.public_key)?, &key.times, now))).collect()
}

/// A signature by the service, with the times of its key.
#[derive(Clone, Debug)]
pub struct ServiceSignature {
    /// The id of the key.
    pub kid: String,
    /// The times of the key, which say whether it was revoked.
    pub times: SigningKeyTimes,
    /// Whether the key made the signature.
    pub is_genuine: bool,
}

/// Checks a signature against the key that its header names. Returns `None` if the service has no such key for the
/// purpose. The caller checks `typ`, the claims and the revocation of the key.
pub fn check(tx: &mut Tx, purpose: SigningPurpose, jws: &CompactJws) -> Result<Option<ServiceSignature>> {
    let Some(kid) = jws.header_text("kid") else { return Ok(None) };
    let Some(stored) = signing_keys::get(tx, kid)?.filter(|key| key.purpose == purpose) else { return Ok(None) };
    let is_genuine = jws.is_signed_by(&public(&stored.public_key)?);
    Ok(Some(ServiceSignature { kid: stored.kid, times: stored.times, is_genuine }))
}

fn public(text: &str) -> Result<PublicJwk> {
    let jwk = serde_json::from_str(text).ok();
    let key = jwk.as_ref().and_then(Value::as_object).and_then(|members| PublicJwk::parse(members).ok());
    key.ok_or_else(|| Error::Inconsistent("a signing key has no valid public key".into()))
}
