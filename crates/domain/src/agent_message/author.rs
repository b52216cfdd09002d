//! Signatures of authors with a key of their own: the claims, and the checks when a message is sent.

use posthouse_mail::jose::jws::CompactJws;
use serde_json::{Map, Value};

pub use crate::error::AuthorRefusal;

use super::{
    AuthorSignature,
    content::{SignedAuthor, address_set, bare},
    freshness::{Freshness, SKEW_S, VALID_S, freshness, nonce},
};
use crate::{
    agent_key::{AgentKey, AgentKeyStatus},
    error::{Detail, ErrorCode, Refusal},
    message::MessageKind,
    time::{SECOND_MS, Time},
};

/// The `typ` of the signature of an author.
pub const AUTHOR_TYPE: &str = "service-author+jwt";
/// The version of the claims.
pub const VERSION: i64 = 1;

impl AuthorRefusal {
    /// Returns the refusal of a send.
    #[must_use]
    pub fn refusal(self, message: impl Into<String>) -> Refusal {
        Refusal::new(ErrorCode::InvalidAgentSignature, message).detail(Detail::AuthorReason(self))
    }
}

/// A signature of an author with well-formed claims. Neither key nor content are checked yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuthorClaims {
    jws: CompactJws,
    kid: String,
    iat: i64,
    /// `exp` and `nbf`, in seconds.
    expires: Option<i64>,
    not_before: Option<i64>,
    nonce: String,
    has_handles: bool,
}

/// What a message contains, as far as its author signs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuthoredContent {
    /// The issuer of the service, which `aud` may name.
    pub issuer: String,
    /// The address of the sending inbox.
    pub from: String,
    /// The recipients in `To`.
    pub to: Vec<String>,
    /// The recipients in `Cc`.
    pub cc: Vec<String>,
    /// Whether the request named a recipient by handle, so that its signature can't cover the recipients.
    pub has_handles: bool,
    /// The hash of the subject.
    pub subject_sha256: String,
    /// The hash of the text, if the request has one.
    pub text_sha256: Option<String>,
    /// The hash of the HTML, if the request has one.
    pub html_sha256: Option<String>,
    /// The hash of the data, if the request has one.
    pub data_sha256: Option<String>,
    /// The sorted entries of the attachments of the request.
    pub att: Vec<String>,
    /// The sorted entries of the attachments with their names and types.
    pub att_names: Vec<String>,
    /// The message type.
    pub kind: MessageKind,
    /// The `Message-ID` of the message that this one replies to.
    pub in_reply_to: Option<String>,
}

impl AuthorClaims {
    /// Parses a signature.
    ///
    /// # Errors
    /// Returns `invalid_agent_signature` with the reason `invalid_signature`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let invalid = |problem: &str| AuthorRefusal::InvalidSignature.refusal(format!("`agent_signature` {problem}"));
        let jws = CompactJws::parse(text)
            .ok_or_else(|| invalid("must be a compact JSON Web Signature with the algorithm EdDSA or ES256."))?;
        if jws.header_text("typ") != Some(AUTHOR_TYPE) {
            return Err(invalid("must have the `typ` `service-author+jwt` in its header."));
        }
        let kid = jws.header_text("kid").ok_or_else(|| invalid("must name its key in `kid`."))?.to_owned();
        if jws.claims.get("v").and_then(Value::as_i64) != Some(VERSION) {
            return Err(invalid("must have the claim `v` with the value 1."));
        }
        let iat = jws.claims.get("iat").and_then(Value::as_i64);
        let iat = iat.ok_or_else(|| invalid("must have the claim `iat` in whole seconds."))?;
        let date = |name: &str| match jws.claims.get(name) {
            None => Ok(None),
            Some(value) => {
                let seconds = value.as_i64();
                seconds.map(Some).ok_or_else(|| invalid("must have `exp` and `nbf` in whole seconds, or not at all."))
            }
        };
        let (expires, not_before) = (date("exp")?, date("nbf")?);
        let nonce = nonce(&jws.claims).ok_or_else(|| invalid("must have a `nonce` of 16 to 128 characters."))?;
        Ok(Self { jws, kid, iat, expires, not_before, nonce, has_handles: false })
    }

    /// Sets whether the request names a recipient by handle. The author doesn't know its address, so the signature
    /// can't cover the recipients.
    #[must_use]
    pub fn for_handles(self, has_handles: bool) -> Self {
        Self { has_handles, ..self }
    }

    /// Returns whether the request names a recipient by handle.
    #[must_use]
    pub const fn has_handles(&self) -> bool {
        self.has_handles
    }

    /// Returns the id of the key.
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// Returns the nonce.
    #[must_use]
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// Returns when the nonce can be forgotten.
    #[must_use]
    pub fn forgotten_at(&self) -> Time {
        Time::from_millis(self.iat.saturating_add(VALID_S + SKEW_S).saturating_mul(SECOND_MS))
    }

    /// Checks key, content and date. The caller checks that the nonce was not used.
    ///
    /// # Errors
    /// Returns `invalid_agent_signature` with the reason.
    pub fn check(&self, key: Option<&AgentKey>, content: &AuthoredContent, now: Time) -> Result<(), Refusal> {
        let key = key.ok_or_else(|| AuthorRefusal::UnknownKey.refusal("The inbox has no key with this `kid`."))?;
        match key.status() {
            AgentKeyStatus::Active => {}
            AgentKeyStatus::Retired => {
                return Err(AuthorRefusal::UnknownKey.refusal("The key is retired and can't sign any more."));
            }
            AgentKeyStatus::Revoked => return Err(AuthorRefusal::KeyRevoked.refusal("The key is revoked.")),
        }
        if !self.jws.is_signed_by(&key.public) {
            return Err(AuthorRefusal::InvalidSignature.refusal("The key of `kid` didn't make the signature."));
        }
        if !is_audience(self.jws.claims.get("aud"), content) {
            let message = "The claim `aud` names neither this service nor a recipient.";
            return Err(AuthorRefusal::WrongAudience.refusal(message));
        }
        if let Some(claim) = mismatch(&self.jws.claims, content) {
            let message = format!("The claim `{claim}` doesn't match the message.");
            return Err(AuthorRefusal::ContentMismatch.refusal(message));
        }
        if self.expires.is_some_and(|expires| expires <= now.seconds()) {
            return Err(AuthorRefusal::TooOld.refusal("The signature has expired: its `exp` is past."));
        }
        if self.not_before.is_some_and(|from| from > now.seconds().saturating_add(SKEW_S)) {
            return Err(AuthorRefusal::IssuedInFuture.refusal("The claim `nbf` is in the future: check the clock."));
        }
        match freshness(self.iat, now) {
            Freshness::Fresh => Ok(()),
            Freshness::Future => {
                Err(AuthorRefusal::IssuedInFuture.refusal("The claim `iat` is in the future: check the clock."))
            }
            Freshness::Old => Err(AuthorRefusal::TooOld.refusal("The signature is older than five minutes.")),
        }
    }

    /// Returns the signature as the sent message shows it.
    #[must_use]
    pub fn signature(&self) -> AuthorSignature {
        let SignedAuthor { kid, alg, jws, .. } = self.signed();
        AuthorSignature { kid, algorithm: alg, jws, problem: None }
    }

    /// Returns the signature for delivery.
    #[must_use]
    pub fn signed(&self) -> SignedAuthor {
        SignedAuthor {
            kid: self.kid.clone(),
            alg: self.jws.algorithm.text().to_owned(),
            jws: self.jws.compact(),
            iat: self.iat,
        }
    }
}

/// Returns whether `aud` is absent, or names this service or a recipient in each entry.
fn is_audience(aud: Option<&Value>, content: &AuthoredContent) -> bool {
    let is_known = |one: &Value| {
        one.as_str().is_some_and(|one| {
            let recipients = content.to.iter().chain(&content.cc);
            one.trim_end_matches('/') == content.issuer || recipients.map(|to| bare(to)).any(|to| to == bare(one))
        })
    };
    match aud {
        None | Some(Value::Null) => true,
        Some(Value::Array(all)) => !all.is_empty() && all.iter().all(is_known),
        Some(one) => is_known(one),
    }
}

/// Returns the first claim that doesn't match the content. A part needs its claim if the request has it, and must not
/// have one otherwise. Subject, recipients and `in_reply_to` may be left out. A null claim counts as absent.
fn mismatch(claims: &Map<String, Value>, content: &AuthoredContent) -> Option<&'static str> {
    let claim = |name: &str| claims.get(name).filter(|value| !value.is_null());
    let text = |name: &str| claim(name).map(|value| value.as_str().unwrap_or_default());
    // Verifiers compare the claim itself with the bare address.
    if text("from") != Some(bare(&content.from).as_str()) {
        return Some("from");
    }
    if text("type") != Some(content.kind.text()) {
        return Some("type");
    }
    if claim("att").and_then(strings).map(sorted).as_ref() != Some(&content.att) {
        return Some("att");
    }
    let names = claim("att_names");
    if names.is_some() && names.and_then(strings).map(sorted).as_ref() != Some(&content.att_names) {
        return Some("att_names");
    }
    let parts = [
        ("text_sha256", &content.text_sha256),
        ("html_sha256", &content.html_sha256),
        ("data_sha256", &content.data_sha256),
    ];
    if let Some((name, _)) = parts.into_iter().find(|(name, hash)| text(name) != hash.as_deref()) {
        return Some(name);
    }
    if text("subject_sha256").is_some_and(|hash| hash != content.subject_sha256) {
        return Some("subject_sha256");
    }
    if claim("in_reply_to").is_some() && text("in_reply_to") != content.in_reply_to.as_deref() {
        return Some("in_reply_to");
    }
    let to = address_set(&content.to);
    let cc: Vec<String> = address_set(&content.cc).into_iter().filter(|address| !to.contains(address)).collect();
    let covers = |name: &str, addresses: &[String]| match claim(name) {
        None => true,
        Some(value) => !content.has_handles && strings(value).is_some_and(|list| address_set(&list) == addresses),
    };
    match (covers("to", &to), covers("cc", &cc)) {
        (false, _) => Some("to"),
        (true, false) => Some("cc"),
        (true, true) => None,
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort_unstable();
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn content() -> AuthoredContent {
        AuthoredContent {
            issuer: "https://posthouse.example/oidc".to_owned(),
            from: "a@x.example".to_owned(),
            to: vec!["B <b@x.example>".to_owned(), "c@x.example".to_owned()],
            cc: vec!["c@x.example".to_owned(), "d@x.example".to_owned()],
            has_handles: false,
            subject_sha256: "s".to_owned(),
            text_sha256: Some("t".to_owned()),
            html_sha256: None,
            data_sha256: Some("d".to_owned()),
            att: vec!["1".to_owned(), "2".to_owned()],
            att_names: vec!["3".to_owned(), "4".to_owned()],
            kind: MessageKind::Task,
            in_reply_to: None,
        }
    }

    fn claims() -> Value {
        json!({
            "from": "a@x.example", "type": "task", "att": ["2", "1"], "text_sha256": "t", "html_sha256": null,
            "data_sha256": "d", "subject_sha256": "s", "to": ["c@x.example", "b@x.example"], "cc": ["d@x.example"],
        })
    }

    fn found(claims: &Value, content: &AuthoredContent) -> Option<&'static str> {
        mismatch(claims.as_object().expect("an object"), content)
    }

    #[test]
    fn claims_cover_what_the_request_has() {
        assert_eq!(found(&claims(), &content()), None);
        let mut fewer = claims();
        for name in ["subject_sha256", "to", "cc"] {
            fewer.as_object_mut().expect("an object").remove(name);
        }
        assert_eq!(found(&fewer, &content()), None);
        assert_eq!(found(&fewer, &AuthoredContent { has_handles: true, ..content() }), None);
        assert_eq!(found(&claims(), &AuthoredContent { has_handles: true, ..content() }), Some("to"));
    }

    #[test]
    fn the_audience_is_this_service_or_a_recipient() {
        for (aud, is_known) in [
            (json!(null), true),
            (json!("https://posthouse.example/oidc"), true),
            (json!("https://posthouse.example/oidc/"), true),
            (json!("B@x.example"), true),
            (json!(["d@x.example", "c@x.example"]), true),
            (json!("https://other.example"), false),
            (json!("a@x.example"), false),
            (json!(["b@x.example", "https://other.example"]), false),
            (json!([]), false),
            (json!(1), false),
        ] {
            assert_eq!(is_audience(Some(&aud), &content()), is_known, "{aud}");
        }
        assert!(is_audience(None, &content()));
    }

    #[test]
    fn each_changed_claim_is_named() {
        let cases = [
            ("from", json!("b@x.example")),
            ("from", json!("A@x.example")),
            ("from", json!("A <a@x.example>")),
            ("type", json!("message")),
            ("type", json!(null)),
            ("att", json!(["1"])),
            ("att", json!(null)),
            ("att", json!("1")),
            ("att_names", json!(["3"])),
            ("att_names", json!(3)),
            ("text_sha256", json!("x")),
            ("text_sha256", json!(null)),
            ("html_sha256", json!("x")),
            ("data_sha256", json!(null)),
            ("subject_sha256", json!(1)),
            ("in_reply_to", json!("<m>")),
            ("to", json!(["b@x.example"])),
            ("cc", json!(["c@x.example", "d@x.example"])),
        ];
        for (name, value) in cases {
            let mut changed = claims();
            changed[name] = value.clone();
            assert_eq!(found(&changed, &content()), Some(name), "{name} {value}");
        }
    }
}
