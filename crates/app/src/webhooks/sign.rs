//! Webhook signatures: two schemes over the same bytes (`docs/reference/webhooks.md#signatures`; Standard Webhooks
//! 1.0.0). Pure functions.

use aws_lc_rs::hmac;
use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_domain::webhook::SECRET_PREFIX;

/// The secrets that currently sign.
#[derive(Clone, Copy)]
pub struct SigningSecrets<'a> {
    /// The current secret.
    pub current: &'a str,
    /// The previous secret, for a day after a rotation.
    pub old: Option<&'a str>,
}

/// Returns the header fields that sign a body, for an event id and a time in Unix seconds.
#[must_use]
pub fn fields(secrets: SigningSecrets<'_>, id: &str, seconds: i64, body: &[u8]) -> Vec<(&'static str, String)> {
    let timestamp = seconds.to_string();
    let mut fields =
        vec![("X-Service-Signature", service(secrets.current, &timestamp, body)), ("X-Service-Timestamp", timestamp)];
    fields.extend(standard_fields(secrets, id, seconds, body));
    fields
}

/// Returns the header fields of Standard Webhooks alone.
#[must_use]
pub fn standard_fields(
    secrets: SigningSecrets<'_>,
    id: &str,
    seconds: i64,
    body: &[u8],
) -> Vec<(&'static str, String)> {
    let timestamp = seconds.to_string();
    let mut standard = standard(secrets.current, id, &timestamp, body);
    if let Some(old) = secrets.old {
        standard = format!("{standard} {}", self::standard(old, id, &timestamp, body));
    }
    vec![("webhook-id", id.to_owned()), ("webhook-timestamp", timestamp), ("webhook-signature", standard)]
}

/// Returns the `X-Service-Signature`: lower-case hex, keyed with the secret as the API shows it.
fn service(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let tag = tag(secret.as_bytes(), &[timestamp, "."], body);
    tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns one Standard Webhooks signature.
fn standard(secret: &str, id: &str, timestamp: &str, body: &[u8]) -> String {
    let tag = tag(&standard_key(secret), &[id, ".", timestamp, "."], body);
    format!("v1,{}", STANDARD.encode(tag.as_ref()))
}

/// Returns the decoded bytes of `whsec_<base64>`, or the UTF-8 bytes of any other secret.
fn standard_key(secret: &str) -> Vec<u8> {
    let decoded = secret.strip_prefix(SECRET_PREFIX).and_then(|text| STANDARD.decode(text).ok());
    decoded.filter(|bytes| !bytes.is_empty()).unwrap_or_else(|| secret.as_bytes().to_vec())
}

fn tag(key: &[u8], head: &[&str], body: &[u8]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    head.iter().for_each(|part| context.update(part.as_bytes()));
    context.update(body);
    context.sign()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented check value (`docs/reference/webhooks.md#signatures`).
    #[test]
    fn service_signature_matches_documented_check_value() {
        let body = r#"{"id":"00000000-0000-4000-8000-000000000001","type":"webhook.test","created_at":"2027-01-15T08:00:00.000Z","data":{"note":"café"}}"#;
        let secrets = SigningSecrets { current: "whsec_contract_vector_0001", old: None };
        let fields = fields(secrets, "00000000-0000-4000-8000-000000000001", 1_800_000_000, body.as_bytes());
        let field = |name: &str| fields.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str());
        let expected = "42a67e4eca11f4c9a886c92ef2180237c9fe60cec944220b11a8461bfcd77248";
        assert_eq!(field("X-Service-Signature"), Some(expected));
        assert_eq!(field("X-Service-Timestamp"), Some("1800000000"));
    }

    /// The example of the Standard Webhooks reference libraries.
    #[test]
    fn standard_signature_matches_reference_example_and_both_secrets_sign_after_rotation() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let body = br#"{"test": 2432232314}"#;
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(standard(secret, id, "1614265330", body), expected);
        let fields = fields(SigningSecrets { current: "other", old: Some(secret) }, id, 1_614_265_330, body);
        let both = &fields.iter().find(|(name, _)| *name == "webhook-signature").expect("a signature").1;
        let (first, second) = both.split_once(' ').expect("two signatures");
        assert_eq!((first, second), (standard("other", id, "1614265330", body).as_str(), expected));
    }

    #[test]
    fn secrets_that_are_not_base64_sign_as_utf8_bytes() {
        for text in ["whsec_contract_vector_0001", "whsec_", "plain", "whsec_YQ"] {
            assert_eq!(standard_key(text), text.as_bytes(), "{text}");
        }
        assert_eq!(standard_key("whsec_YQ=="), b"a");
    }
}
