//! Published keys of the service, as JSON Web Keys (RFC 7517).

use posthouse_domain::{
    signing_key::{SigningKeyStatus, SigningKeyTimes},
    time::Time,
};
use posthouse_mail::jose::jwk::PublicJwk;
use schemars::JsonSchema;
use serde::Serialize;

use super::{TimestampView, name_of};

/// A set of published keys.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ServiceKeys")]
pub struct ServiceKeysView {
    /// Newest first.
    pub keys: Vec<ServiceKeyView>,
}

/// A key of the service, as a JSON Web Key.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ServiceKey")]
pub struct ServiceKeyView {
    /// SHA-256 thumbprint of the key (RFC 7638).
    kid: String,
    /// `EC`
    kty: &'static str,
    /// `P-256`
    crv: &'static str,
    x: String,
    y: String,
    /// `ES256`
    alg: &'static str,
    /// `sig`
    r#use: &'static str,
    /// `active`, `retired` (no longer signs; its signatures stay valid) or `revoked`.
    #[schemars(schema_with = "name_of::<SigningKeyStatus>")]
    status: &'static str,
    created_at: TimestampView,
    /// Time at which the key stopped signing, or will.
    #[serde(skip_serializing_if = "Option::is_none")]
    retired_at: Option<TimestampView>,
    /// Time from which signatures of the key are invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<TimestampView>,
}

impl ServiceKeyView {
    /// Returns whether the signatures of the key are no longer valid.
    #[must_use]
    pub fn is_revoked(&self) -> bool {
        self.revoked_at.is_some()
    }

    /// Returns the view of a key.
    #[must_use]
    pub fn of(kid: &str, key: &PublicJwk, times: &SigningKeyTimes, now: Time) -> Self {
        let json = key.to_json();
        let member = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        Self {
            kid: kid.to_owned(),
            kty: "EC",
            crv: "P-256",
            x: member("x"),
            y: member("y"),
            alg: key.algorithm().text(),
            r#use: "sig",
            status: times.status(now).text(),
            created_at: times.created_at.into(),
            retired_at: times.retired_at.map(Into::into),
            revoked_at: times.revoked_at.map(Into::into),
        }
    }
}
