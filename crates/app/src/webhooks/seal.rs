//! Seals and opens a webhook's secrets and the owner's header fields, which may be credentials.

use posthouse_domain::{ErrorCode, Refusal, Webhook, WebhookId};
use serde_json::{Map, Value};

use crate::{keyring::context, keyring::instance_key::InstanceKeyError, service::Service};

/// Header fields as the owner sent them.
pub(super) type WebhookHeaderFields = Vec<(String, String)>;

/// A webhook's opened secrets.
pub(super) struct OpenedWebhookSecrets {
    /// The current secret.
    pub(super) secret: String,
    /// The secret before the last rotation.
    pub(super) old_secret: Option<String>,
    /// The owner's header fields.
    pub(super) headers: WebhookHeaderFields,
}

pub(super) fn secret(service: &Service, id: WebhookId, secret: &str) -> Result<Vec<u8>, Refusal> {
    seal(service, secret.as_bytes(), &context::webhook(id, "secret"))
}

pub(super) fn headers(service: &Service, id: WebhookId, headers: &[(String, String)]) -> Result<Vec<u8>, Refusal> {
    let object: Map<String, Value> =
        headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    seal(service, Value::Object(object).to_string().as_bytes(), &context::webhook(id, "headers"))
}

/// Opens the sealed secrets of a webhook.
pub(super) fn open(service: &Service, webhook: &Webhook) -> Result<OpenedWebhookSecrets, InstanceKeyError> {
    let key = service.keys.key(&service.config)?;
    let text = |sealed: &[u8], what: &str| {
        let opened = key.open(sealed, &context::webhook(webhook.id, what))?;
        Ok::<_, InstanceKeyError>(String::from_utf8_lossy(&opened).into_owned())
    };
    let object: Map<String, Value> = serde_json::from_str(&text(&webhook.headers, "headers")?).unwrap_or_default();
    let field = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
    Ok(OpenedWebhookSecrets {
        secret: text(&webhook.secret, "secret")?,
        old_secret: webhook.old_secret.as_deref().map(|sealed| text(sealed, "secret")).transpose()?,
        headers: object.into_iter().filter_map(field).collect(),
    })
}

/// Opens the header fields of a webhook, for callers that manage it.
pub(super) fn open_headers(service: &Service, webhook: &Webhook) -> Result<WebhookHeaderFields, Refusal> {
    open(service, webhook).map(|opened| opened.headers).map_err(|error| unusable(&error))
}

fn seal(service: &Service, text: &[u8], context: &str) -> Result<Vec<u8>, Refusal> {
    service.keys.key(&service.config).and_then(|key| key.seal(text, context)).map_err(|error| unusable(&error))
}

fn unusable(error: &InstanceKeyError) -> Refusal {
    tracing::error!(cause = %error, "webhook.not_sealed");
    Refusal::new(ErrorCode::Internal, "The webhook's secrets couldn't be sealed or opened.")
}
