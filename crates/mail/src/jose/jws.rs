//! Compact JSON Web Signatures (RFC 7515 §7.1) with ES256 or Ed25519.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value, json};

use super::{
    jwk::{JwsAlgorithm, PublicJwk},
    key::{Es256Key, Es256KeyError},
    unique,
};

/// Longest text that is parsed, in bytes.
pub const JWS_BYTES_MAX: usize = 16_384;

/// The type and key of a signature to make: its protected header, with `alg` `ES256`.
#[derive(Clone, Copy, Debug)]
pub struct JwsHeader<'a> {
    /// `typ`
    pub typ: &'a str,
    /// `kid`
    pub kid: &'a str,
}

/// Signs a JSON payload. Members of the payload keep their order.
///
/// # Errors
/// Returns [`Es256KeyError`] if the key can't sign.
pub fn sign_compact(key: &Es256Key, header: JwsHeader<'_>, payload: &Value) -> Result<String, Es256KeyError> {
    let header = json!({ "alg": JwsAlgorithm::Es256.text(), "typ": header.typ, "kid": header.kid });
    let mut text = URL_SAFE_NO_PAD.encode(header.to_string());
    text.push('.');
    text.push_str(&URL_SAFE_NO_PAD.encode(payload.to_string()));
    let signature = key.sign(text.as_bytes())?;
    text.push('.');
    text.push_str(&URL_SAFE_NO_PAD.encode(signature));
    Ok(text)
}

/// A parsed signature that is not verified yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompactJws {
    /// The protected header.
    pub header: Map<String, Value>,
    /// The algorithm, which is never `none` or a symmetric one.
    pub algorithm: JwsAlgorithm,
    /// The claims.
    pub claims: Map<String, Value>,
    signed: String,
    signature: Vec<u8>,
}

impl CompactJws {
    /// Parses a signature with a JSON object as its payload. White space within the text is ignored, because mail
    /// programs fold long lines. Returns `None` for anything else, for other algorithms, for repeated names in header or
    /// payload, and for headers with critical extensions (RFC 7515 §4.1.11) or with `b64`, which other verifiers could read as
    /// another signed text (RFC 7797 §6).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > JWS_BYTES_MAX {
            return None;
        }
        let compact: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let (signed, signature) = compact.rsplit_once('.')?;
        let (header, payload) = signed.split_once('.')?;
        let header = object(header)?;
        let algorithm = JwsAlgorithm::parse(header.get("alg")?.as_str()?)?;
        if header.contains_key("crit") || header.contains_key("b64") {
            return None;
        }
        let (claims, signature) = (object(payload)?, URL_SAFE_NO_PAD.decode(signature).ok()?);
        Some(Self { header, algorithm, claims, signed: signed.to_owned(), signature })
    }

    /// Returns a text member of the header, such as `typ` or `kid`.
    #[must_use]
    pub fn header_text(&self, name: &str) -> Option<&str> {
        self.header.get(name).and_then(Value::as_str)
    }

    /// Returns the compact text without white space.
    #[must_use]
    pub fn compact(&self) -> String {
        format!("{}.{}", self.signed, URL_SAFE_NO_PAD.encode(&self.signature))
    }

    /// Returns whether the key made the signature. The algorithm of the header must be that of the key.
    #[must_use]
    pub fn is_signed_by(&self, key: &PublicJwk) -> bool {
        key.algorithm() == self.algorithm && key.verifies(self.signed.as_bytes(), &self.signature)
    }
}

/// Decodes a JSON object without repeated names, and without U+0000, which databases don't store.
fn object(part: &str) -> Option<Map<String, Value>> {
    let json = URL_SAFE_NO_PAD.decode(part).ok()?;
    if memchr::memmem::find(&json, br"\u0000").is_some() {
        return None;
    }
    unique::object(&json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(claims: &Value) -> (Es256Key, String) {
        let key = Es256Key::generate().expect("a key");
        let kid = key.public().thumbprint();
        let text = sign_compact(&key, JwsHeader { typ: "test+jwt", kid: &kid }, claims).expect("a signature");
        (key, text)
    }

    #[test]
    fn signature_verifies_with_its_key_alone() {
        let (key, text) = signed(&json!({ "a": 1 }));
        let parsed = CompactJws::parse(&text).expect("a signature");
        assert_eq!(parsed.header_text("typ"), Some("test+jwt"));
        assert_eq!(parsed.header_text("kid"), Some(key.public().thumbprint().as_str()));
        assert_eq!(parsed.claims["a"], json!(1));
        assert!(parsed.is_signed_by(key.public()));
        assert!(!parsed.is_signed_by(Es256Key::generate().expect("a key").public()));
        let folded = format!("{}\r\n {}", &text[..20], &text[20..]);
        assert_eq!(CompactJws::parse(&folded), Some(parsed));
    }

    #[test]
    fn every_changed_character_is_noticed() {
        let (key, text) = signed(&json!({ "a": 1 }));
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("text");
            // The last character of a part has unused bits, so another one may not be base64url at all.
            let is_valid = CompactJws::parse(&changed).is_some_and(|parsed| parsed.is_signed_by(key.public()));
            assert!(!is_valid, "{at}");
        }
    }

    #[test]
    fn other_algorithms_and_forms_are_rejected() {
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let with = |header: Value| format!("{}.{}.{}", part(header), part(json!({})), URL_SAFE_NO_PAD.encode([0; 64]));
        assert!(CompactJws::parse(&with(json!({ "alg": "ES256" }))).is_some());
        for header in [
            json!({ "alg": "none" }),
            json!({ "alg": "HS256" }),
            json!({ "alg": ["ES256"] }),
            json!({ "alg": "ES256", "crit": ["b64"], "b64": false }),
            json!({ "alg": "ES256", "b64": false }),
            json!({ "alg": "ES256", "b64": true }),
            json!({}),
            json!([]),
        ] {
            assert_eq!(CompactJws::parse(&with(header.clone())), None, "{header}");
        }
        for (header, claims) in
            [(r#"{"alg":"ES256","kid":"a","kid":"b"}"#, "{}"), (r#"{"alg":"ES256"}"#, r#"{"a":1,"a":2}"#)]
        {
            let text = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
            assert_eq!(CompactJws::parse(&format!("{text}.AA")), None, "{header} {claims}");
        }
        for text in ["", ".", "..", "a.b", "a.b.c", "e30.e30.AA.AA"] {
            assert_eq!(CompactJws::parse(text), None, "{text}");
        }
        assert_eq!(CompactJws::parse(&"A".repeat(JWS_BYTES_MAX + 1)), None);
    }
}
