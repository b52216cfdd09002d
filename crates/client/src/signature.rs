//! Signatures of webhook requests, as a server makes them (`docs/reference/webhooks.md`).

use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};

use crate::{entropy, error::ClientError};

/// The prefix of generated secrets.
const PREFIX: &str = "whsec_";

/// The secret of a webhook.
pub(crate) struct WebhookSecret(String);

/// The signatures of one request.
pub(crate) struct Signatures {
    /// `X-Service-Signature`: lower-case hex.
    pub(crate) service: String,
    /// `webhook-signature` of Standard Webhooks.
    pub(crate) standard: String,
}

impl WebhookSecret {
    /// Returns the secret that the caller chose, or a new one.
    ///
    /// # Errors
    /// Fails if the secret is empty or has control characters, or if there are no random numbers.
    pub(crate) fn new(given: Option<String>) -> Result<Self, ClientError> {
        match given {
            Some(text) if text.is_empty() || text.chars().any(char::is_control) => {
                Err(ClientError::Usage("--secret must be one line of 1 or more characters".to_owned()))
            }
            Some(text) => Ok(Self(text)),
            None => Ok(Self(format!("{PREFIX}{}", BASE64_STANDARD.encode(entropy::bytes::<32>()?)))),
        }
    }

    /// Returns the secret, to be shown once.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Signs the body of an event.
    pub(crate) fn sign(&self, event_id: &str, timestamp: i64, body: &[u8]) -> Signatures {
        let service = mac(self.0.as_bytes(), &[timestamp.to_string().as_bytes(), b".", body]);
        let decoded = self.0.strip_prefix(PREFIX).and_then(|text| BASE64_STANDARD.decode(text).ok());
        let key = decoded.unwrap_or_else(|| self.0.as_bytes().to_vec());
        let parts = [event_id.as_bytes(), b".", timestamp.to_string().as_bytes(), b".", body].concat();
        let standard = mac(&key, &[&parts]);
        Signatures {
            service: service.iter().map(|byte| format!("{byte:02x}")).collect(),
            standard: format!("v1,{}", BASE64_STANDARD.encode(standard)),
        }
    }
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    parts.iter().for_each(|part| context.update(part));
    context.sign().as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_documentation_holds() {
        let body = "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"type\":\"webhook.test\",\
                    \"created_at\":\"2027-01-15T08:00:00.000Z\",\"data\":{\"note\":\"café\"}}";
        let secret = WebhookSecret::new(Some("whsec_contract_vector_0001".to_owned())).unwrap();
        let signatures = secret.sign("id", 1_800_000_000, body.as_bytes());
        assert_eq!(signatures.service, "42a67e4eca11f4c9a886c92ef2180237c9fe60cec944220b11a8461bfcd77248");
    }

    #[test]
    fn standard_signatures_use_the_decoded_secret() {
        // The example of the Standard Webhooks specification.
        let secret = WebhookSecret::new(Some("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned())).unwrap();
        let signatures = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b"{\"test\": 2432232314}");
        assert_eq!(signatures.standard, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_are_generated_or_checked() {
        let secret = WebhookSecret::new(None).unwrap();
        assert!(secret.reveal().starts_with("whsec_") && secret.reveal().len() == 50);
        assert!(WebhookSecret::new(Some(String::new())).is_err() && WebhookSecret::new(Some("a\nb".into())).is_err());
    }
}
