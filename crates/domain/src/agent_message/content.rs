//! Hashes of the parts of a message, and the claims of a delivery signature.
//!
//! Hashes are SHA-256 in base64url without padding. Claims without a value are absent, never null.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_mail::jose::canonical::canonical_json;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Assurance, disclosure::DisclosureParties};
use crate::time::Time;

/// The version of the claims.
const VERSION: i64 = 1;

/// Returns the hash of bytes.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(bytes))
}

/// Returns the hash of a body. CRLF and CR count as LF.
#[must_use]
pub fn body_hash(body: &str) -> String {
    let normal = if body.contains('\r') {
        Cow::Owned(body.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(body)
    };
    hash(normal.as_bytes())
}

/// Returns the hash of structured data in its canonical form (RFC 8785). Text that isn't JSON counts as a string.
#[must_use]
pub fn data_hash(json: &str) -> String {
    let value: Value = serde_json::from_str(json).unwrap_or_else(|_| Value::from(json));
    hash(canonical_json(&value).as_bytes())
}

/// Returns the entry of an attachment: its digest in base64url.
#[must_use]
pub fn attachment_entry(sha256: &[u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(sha256)
}

/// Returns the sorted entries of attachments.
#[must_use]
pub fn attachment_entries<'a>(digests: impl IntoIterator<Item = &'a [u8; 32]>) -> Vec<String> {
    let mut entries: Vec<String> = digests.into_iter().map(attachment_entry).collect();
    entries.sort_unstable();
    entries
}

/// Returns the entry of an attachment with its name and media type: the hash of the entry of its bytes, the name and the
/// type, with a line feed between them.
#[must_use]
pub fn named_attachment_entry(sha256: &[u8; 32], name: &str, media_type: &str) -> String {
    hash(format!("{}\n{name}\n{media_type}", attachment_entry(sha256)).as_bytes())
}

/// Returns the bare address of a header form: the text in the angle brackets at its end, or all of it, in lower case.
#[must_use]
pub fn bare(text: &str) -> String {
    let trimmed = text.trim();
    let inner = trimmed.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')).map(|(_, inner)| inner);
    inner.unwrap_or(trimmed).trim().to_lowercase()
}

/// Returns the bare addresses of a list, each once, sorted by code point.
#[must_use]
pub fn address_set<T: AsRef<str>>(list: &[T]) -> Vec<String> {
    let mut set: Vec<String> = list.iter().map(|text| bare(text.as_ref())).filter(|one| !one.is_empty()).collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// What all signed copies of a message have in common. It is computed once, from the parts as the copies show them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SignedContent {
    /// `Message-ID`
    pub msg_id: String,
    /// The bare address of the author.
    pub from: String,
    /// The address set of `To`.
    pub to: Vec<String>,
    /// The address set of `Cc`.
    pub cc: Vec<String>,
    /// The hash of the subject.
    pub subject_sha256: Option<String>,
    /// The hash of the text.
    pub text_sha256: Option<String>,
    /// The hash of the HTML.
    pub html_sha256: Option<String>,
    /// The hash of the data.
    pub data_sha256: Option<String>,
    /// The entries of the attachments.
    pub att: Vec<String>,
    /// The name of the message type.
    #[serde(rename = "type")]
    pub kind: String,
    /// `In-Reply-To`
    pub in_reply_to: Option<String>,
    /// The parties that the message discloses.
    pub disclosure: Option<DisclosureParties>,
    /// The author's own signature.
    pub author: Option<SignedAuthor>,
}

/// An author's signature as stored until the copies are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SignedAuthor {
    /// The key.
    pub kid: String,
    /// `EdDSA` or `ES256`.
    pub alg: String,
    /// The compact JSON Web Signature, without white space.
    pub jws: String,
    /// `iat`, in seconds.
    pub iat: i64,
}

/// The claims that differ from copy to copy.
#[derive(Clone, Copy, Debug)]
pub struct CopyClaims<'a> {
    /// The issuer.
    pub issuer: &'a str,
    /// A random id of the signature.
    pub jti: &'a str,
    /// A random number for replay checks.
    pub nonce: &'a str,
    /// When it is signed.
    pub at: Time,
    /// The address of the recipient.
    pub recipient: &'a str,
    /// How much is known about the sender.
    pub assurance: Assurance,
    /// Whether the sender has a card.
    pub has_card: bool,
}

impl SignedContent {
    /// Returns the claims of the signature of one copy.
    #[must_use]
    pub fn claims(&self, copy: &CopyClaims<'_>) -> Value {
        let mut claims = json!({
            "iss": copy.issuer,
            "v": VERSION,
            "jti": copy.jti,
            "nonce": copy.nonce,
            "iat": copy.at.seconds(),
            "msg_id": self.msg_id,
            "from": self.from,
            "aud": bare(copy.recipient),
            "to": self.to,
            "cc": self.cc,
            "att": self.att,
            "type": self.kind,
            "assurance": copy.assurance.text(),
            "card": copy.has_card,
        });
        let optional = [
            ("subject_sha256", &self.subject_sha256),
            ("text_sha256", &self.text_sha256),
            ("html_sha256", &self.html_sha256),
            ("data_sha256", &self.data_sha256),
            ("in_reply_to", &self.in_reply_to),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                claims[name] = Value::from(value.as_str());
            }
        }
        if let Some(disclosure) = &self.disclosure {
            claims["disclosure"] = disclosure.claim();
        }
        if let Some(author) = &self.author {
            claims["agent_sig"] = json!({ "kid": author.kid, "jws_sha256": hash(author.jws.as_bytes()) });
        }
        claims
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_parts() {
        assert_eq!(hash(b"Quote: 40 units"), "ZrI2yxIV0lEkFVJGxXx18kyqUL-CkFmn852gPGs4aRE");
        let text = "6QJPGgfSnVKtOqXhoY6U2x86n9MrieOdR8RyzZkHHhM";
        for body in ["line one\r\nline two\r\n", "line one\nline two\n", "line one\rline two\r"] {
            assert_eq!(body_hash(body), text, "{body:?}");
        }
        assert_ne!(body_hash("line one\n\nline two\n"), text);
        for data in [
            r#"{"price":12.5,"qty":40,"sku":"A-40","tags":["b","a"]}"#,
            r#"{ "tags": ["b", "a"], "sku": "A-40", "qty": 40.0, "price": 1.25e1 }"#,
        ] {
            assert_eq!(data_hash(data), "p0kFL80cLYELVuwthB4wJjJbZwHiEKhl92uU4mm8OaY", "{data}");
        }
        let hello: [u8; 32] = Sha256::digest(b"hello").into();
        assert_eq!(attachment_entry(&hello), "LPJNul-wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ");
    }

    #[test]
    fn composed_and_decomposed_text_differ() {
        assert_ne!(body_hash("caf\u{e9}"), body_hash("cafe\u{301}"));
        assert_ne!(data_hash("{\"a\":\"caf\u{e9}\"}"), data_hash("{\"a\":\"cafe\u{301}\"}"));
    }

    #[test]
    fn addresses_are_bare_sorted_and_unique() {
        let list = ["B <b@x.example>", "A@X.example", "a@x.example", "", "<>", "\"<z>\" <C@x.example> "];
        assert_eq!(address_set(&list), ["a@x.example", "b@x.example", "c@x.example"]);
        assert_eq!(bare("a <b> c"), "a <b> c");
    }

    #[test]
    fn claims_without_a_value_are_absent() {
        let content = SignedContent {
            msg_id: "<m@x.example>".to_owned(),
            from: "a@x.example".to_owned(),
            to: vec!["b@x.example".to_owned()],
            cc: Vec::new(),
            subject_sha256: None,
            text_sha256: Some(hash(b"")),
            html_sha256: None,
            data_sha256: None,
            att: Vec::new(),
            kind: "message".to_owned(),
            in_reply_to: None,
            disclosure: None,
            author: None,
        };
        let copy = CopyClaims {
            issuer: "https://x.example/oidc",
            jti: "j",
            nonce: "n",
            at: Time::from_millis(1_999),
            recipient: "B <B@X.example>",
            assurance: Assurance::Workspace,
            has_card: false,
        };
        let expected = json!({
            "iss": "https://x.example/oidc", "v": 1, "jti": "j", "nonce": "n", "iat": 1, "msg_id": "<m@x.example>",
            "from": "a@x.example", "aud": "b@x.example", "to": ["b@x.example"], "cc": [], "att": [], "type": "message",
            "assurance": "workspace", "card": false, "text_sha256": hash(b""),
        });
        assert_eq!(content.claims(&copy), expected);
    }
}
