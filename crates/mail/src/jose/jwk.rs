//! Public keys as JSON Web Keys: P-256 (RFC 7518 §6.2) and Ed25519 (RFC 8037), with their thumbprints (RFC 7638).

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, ED25519, ParsedPublicKey};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// Bytes of a coordinate, and of an Ed25519 key.
const COORDINATE_BYTES: usize = 32;
/// The prefix of an uncompressed point (SEC 1 §2.3.3).
const UNCOMPRESSED: u8 = 4;
/// Names of Ed25519 in `alg`: that of RFC 8037 and that of RFC 9864.
const ED25519_ALGORITHMS: [&str; 2] = ["EdDSA", "Ed25519"];
/// The lowest byte of the field prime 2^255 - 19. The others are `FF`, and the highest is `7F`.
const ED25519_PRIME_LOW: u8 = 0xed;
/// y coordinates of order 8 (RFC 8032 §5.1), in little-endian order.
const ED25519_ORDER_8: [[u8; COORDINATE_BYTES]; 2] = [
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];
/// Longest key in bytes of JSON. Members that are ignored, such as a chain of certificates, count.
const JWK_BYTES_MAX: usize = 16_384;
/// Members that only a private or symmetric key has (RFC 7518 §6, RFC 8037 §2).
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// The signature algorithm of a key (RFC 7518 §3.1, RFC 8037 §3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JwsAlgorithm {
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

impl JwsAlgorithm {
    /// Returns the name in the `alg` member.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    /// Returns the algorithm with this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Es256, Self::EdDsa].into_iter().find(|algorithm| algorithm.text() == text)
    }
}

/// A public key for signatures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PublicJwk {
    /// A point on the curve P-256.
    P256 {
        /// The x coordinate.
        x: [u8; COORDINATE_BYTES],
        /// The y coordinate.
        y: [u8; COORDINATE_BYTES],
    },
    /// An Ed25519 key.
    Ed25519 {
        /// The encoded point.
        x: [u8; COORDINATE_BYTES],
    },
}

/// Why a JSON Web Key is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JwkProblem {
    /// The key is longer than 16,384 bytes.
    #[error("must have at most {JWK_BYTES_MAX} bytes of JSON")]
    TooLong,
    /// The key contains a private or symmetric part.
    #[error("must be a public key, without `{0}`")]
    PrivateMember(&'static str),
    /// The key type or curve is not supported.
    #[error("must be an OKP key on Ed25519 or an EC key on P-256")]
    UnsupportedKey,
    /// A coordinate is missing, or isn't 32 bytes in base64url without padding.
    #[error("must have `{0}` with 32 bytes in base64url without padding")]
    Coordinate(&'static str),
    /// The point is not on the curve, or signatures for it need no private key.
    #[error("must be a point on its curve, of the order of the curve")]
    NotOnCurve,
    /// A member contradicts the key.
    #[error("must have the member `{0}` only with a value that fits the key")]
    Contradiction(&'static str),
}

impl PublicJwk {
    /// Parses a key. Members that describe the key (`alg`, `use`, `key_ops`, `kid`) may be present if they fit; others
    /// are ignored, and count for the length.
    ///
    /// # Errors
    /// Returns [`JwkProblem`] for anything but a public key on P-256 or Ed25519.
    pub fn parse(jwk: &Map<String, Value>) -> Result<Self, JwkProblem> {
        // Only writing a value to a string can't fail.
        if serde_json::to_string(jwk).is_ok_and(|text| text.len() > JWK_BYTES_MAX) {
            return Err(JwkProblem::TooLong);
        }
        if let Some(name) = PRIVATE_MEMBERS.into_iter().find(|name| jwk.contains_key(*name)) {
            return Err(JwkProblem::PrivateMember(name));
        }
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let key = match (text("kty"), text("crv")) {
            (Some("EC"), Some("P-256")) => Self::P256 { x: coordinate(jwk, "x")?, y: coordinate(jwk, "y")? },
            (Some("OKP"), Some("Ed25519")) => Self::Ed25519 { x: coordinate(jwk, "x")? },
            _ => return Err(JwkProblem::UnsupportedKey),
        };
        key.parsed().filter(|_| !key.has_small_order()).ok_or(JwkProblem::NotOnCurve)?;
        let fits = |name: &'static str, allowed: &[&str]| match jwk.get(name) {
            Some(value) if !value.as_str().is_some_and(|text| allowed.contains(&text)) => {
                Err(JwkProblem::Contradiction(name))
            }
            _ => Ok(()),
        };
        match key {
            Self::P256 { .. } => fits("alg", &[key.algorithm().text()])?,
            Self::Ed25519 { .. } => fits("alg", &ED25519_ALGORITHMS)?,
        }
        fits("use", &["sig"])?;
        fits("kid", &[&key.thumbprint()])?;
        if jwk.get("key_ops").is_some_and(|operations| !allows_to_verify(operations)) {
            return Err(JwkProblem::Contradiction("key_ops"));
        }
        Ok(key)
    }

    /// Returns the public key of an uncompressed point.
    pub(super) fn of_point(point: &[u8]) -> Option<Self> {
        let (prefix, coordinates) = point.split_first()?;
        let (x, y) = coordinates.split_at_checked(COORDINATE_BYTES)?;
        (*prefix == UNCOMPRESSED).then_some(Self::P256 { x: x.try_into().ok()?, y: y.try_into().ok()? })
    }

    /// Returns the algorithm of its signatures.
    #[must_use]
    pub const fn algorithm(&self) -> JwsAlgorithm {
        match self {
            Self::P256 { .. } => JwsAlgorithm::Es256,
            Self::Ed25519 { .. } => JwsAlgorithm::EdDsa,
        }
    }

    /// Returns the members of the key alone: `crv`, `kty`, `x` and, for P-256, `y`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::P256 { x, y } => {
                json!({ "crv": "P-256", "kty": "EC", "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y) })
            }
            Self::Ed25519 { x } => json!({ "crv": "Ed25519", "kty": "OKP", "x": URL_SAFE_NO_PAD.encode(x) }),
        }
    }

    /// Returns the SHA-256 thumbprint in base64url (RFC 7638). It is the key's `kid`.
    #[must_use]
    pub fn thumbprint(&self) -> String {
        // The members are in the order that RFC 7638 §3.2 requires, and need no escapes.
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.to_json().to_string()))
    }

    /// Returns whether a signature of these bytes is valid.
    #[must_use]
    pub fn verifies(&self, signed: &[u8], signature: &[u8]) -> bool {
        self.parsed().is_some_and(|key| key.verify_sig(signed, signature).is_ok())
    }

    /// Returns whether the order of an Ed25519 point divides 8, or its encoding isn't the canonical one. Anyone can make
    /// signatures that verify with a point of small order.
    fn has_small_order(&self) -> bool {
        let Self::Ed25519 { x: mut y } = *self else { return false };
        // The highest bit is the sign of x.
        y[COORDINATE_BYTES - 1] &= 0x7f;
        let [low, middle @ .., high] = y;
        let is_near_prime = middle.iter().all(|byte| *byte == 0xff) && high == 0x7f && low >= ED25519_PRIME_LOW - 1;
        let is_near_zero = middle.iter().all(|byte| *byte == 0) && high == 0 && low <= 1;
        is_near_prime || is_near_zero || ED25519_ORDER_8.contains(&y)
    }

    fn parsed(&self) -> Option<ParsedPublicKey> {
        match self {
            Self::P256 { x, y } => {
                let point: Vec<u8> = [UNCOMPRESSED].iter().chain(x).chain(y).copied().collect();
                ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).ok()
            }
            Self::Ed25519 { x } => ParsedPublicKey::new(&ED25519, x).ok(),
        }
    }
}

/// Returns whether the operations of a key include the one of a public key for signatures (RFC 7517 §4.3).
fn allows_to_verify(operations: &Value) -> bool {
    operations.as_array().is_some_and(|list| list.iter().any(|operation| operation == "verify"))
}

fn coordinate(jwk: &Map<String, Value>, name: &'static str) -> Result<[u8; COORDINATE_BYTES], JwkProblem> {
    let bytes = jwk.get(name).and_then(Value::as_str).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
    bytes.and_then(|bytes| bytes.try_into().ok()).ok_or(JwkProblem::Coordinate(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jwk(value: Value) -> Result<PublicJwk, JwkProblem> {
        PublicJwk::parse(value.as_object().expect("an object"))
    }

    #[test]
    fn thumbprint_is_that_of_rfc_8037() {
        // RFC 8037 §A.3.
        let key = jwk(json!({ "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }))
            .expect("a key");
        assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(key.algorithm().text(), "EdDSA");
    }

    #[test]
    fn other_keys_are_rejected() {
        let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
        let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0";
        let good = json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y });
        assert!(jwk(good.clone()).is_ok());
        let with = |name: &str, value: &str| {
            let mut changed = good.clone();
            changed[name] = json!(value);
            jwk(changed)
        };
        assert_eq!(with("d", "AAAA"), Err(JwkProblem::PrivateMember("d")));
        assert_eq!(with("crv", "P-384"), Err(JwkProblem::UnsupportedKey));
        assert_eq!(with("kty", "RSA"), Err(JwkProblem::UnsupportedKey));
        assert_eq!(with("x", &format!("{x}=")), Err(JwkProblem::Coordinate("x")));
        assert_eq!(with("y", &y[1..]), Err(JwkProblem::Coordinate("y")));
        assert_eq!(with("y", x), Err(JwkProblem::NotOnCurve));
        assert_eq!(with("alg", "EdDSA"), Err(JwkProblem::Contradiction("alg")));
        assert_eq!(with("use", "enc"), Err(JwkProblem::Contradiction("use")));
        assert_eq!(with("kid", "another"), Err(JwkProblem::Contradiction("kid")));
        assert_eq!(with("alg", "ES256"), jwk(good.clone()));
        for operations in [json!(["encrypt"]), json!([]), json!("verify"), json!(null), json!(["sign"])] {
            let mut changed = good.clone();
            changed["key_ops"] = operations.clone();
            assert_eq!(jwk(changed), Err(JwkProblem::Contradiction("key_ops")), "{operations}");
        }
        let mut allowed = good.clone();
        allowed["key_ops"] = json!(["verify"]);
        assert_eq!(jwk(allowed), jwk(good.clone()));
    }

    #[test]
    fn keys_are_short() {
        let with_certificates = |count: usize| {
            let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
            jwk(json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "x5c": vec!["A".repeat(1_000); count] }))
        };
        assert_eq!(with_certificates(16), with_certificates(1));
        assert_eq!(with_certificates(17), Err(JwkProblem::TooLong));
    }

    #[test]
    fn both_names_of_ed25519_fit() {
        let key = |alg: &str| {
            jwk(
                json!({ "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "alg": alg }),
            )
        };
        assert!(key("EdDSA").is_ok() && key("Ed25519").is_ok());
        assert_eq!(key("ES256"), Err(JwkProblem::Contradiction("alg")));
    }

    #[test]
    fn points_of_small_order_are_rejected() {
        // The canonical encodings of orders 1, 2, 4 and 8, and all that aren't canonical, with both signs of x.
        let small = |low: u8, fill: u8, high: u8| {
            let mut y = [fill; COORDINATE_BYTES];
            (y[0], y[COORDINATE_BYTES - 1]) = (low, high);
            y
        };
        let ends = [small(0, 0, 0), small(1, 0, 0)].into_iter().chain(ED25519_ORDER_8);
        let near_prime = (ED25519_PRIME_LOW - 1..=u8::MAX).map(|low| small(low, 0xff, 0x7f));
        for y in ends.chain(near_prime) {
            for sign in [0, 0x80] {
                let mut x = y;
                x[COORDINATE_BYTES - 1] |= sign;
                let key = jwk(json!({ "kty": "OKP", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode(x) }));
                assert_eq!(key, Err(JwkProblem::NotOnCurve), "{x:02x?}");
            }
        }
    }
}
