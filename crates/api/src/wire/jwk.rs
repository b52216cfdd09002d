//! Public keys in request bodies, as JSON Web Keys (RFC 7517).

use posthouse_mail::jose::jwk::PublicJwk;
use serde_json::{Value, json};

use super::{BodyValue, Problems, expected};

/// A public key on P-256 or Ed25519.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicJwkBody(pub PublicJwk);

impl BodyValue for PublicJwkBody {
    fn schema() -> Value {
        // The last of 43 characters has four bits of the 32 bytes.
        let coordinate = json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$" });
        json!({ "title": "PublicJwk", "oneOf": [
            {
                "type": "object",
                "title": "Ed25519Jwk",
                "required": ["kty", "crv", "x"],
                "properties": { "kty": { "const": "OKP" }, "crv": { "const": "Ed25519" }, "x": coordinate.clone() },
            },
            {
                "type": "object",
                "title": "P256Jwk",
                "required": ["kty", "crv", "x", "y"],
                "properties": {
                    "kty": { "const": "EC" }, "crv": { "const": "P-256" }, "x": coordinate.clone(), "y": coordinate,
                },
            },
        ] })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(members) = value.as_object() else { return expected("an object", value, path, problems) };
        match PublicJwk::parse(members) {
            Ok(key) => Some(Self(key)),
            Err(problem) => problems.add(path, problem.to_string()),
        }
    }
}
