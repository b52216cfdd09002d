//! What of a webhook is sealed at rest: secrets, and the owner's header fields, which may be credentials.

use posthouse_domain::{
    error::{Code, Refusal},
    id::WebhookId,
    webhook::Webhook,
};
use serde_json::{Map, Value};

use crate::app::{App, signing::InstanceKeyError};

/// Header fields as the owner gave them.
pub(super) type Headers = Vec<(String, String)>;

/// Something opened.
pub(super) struct Opened {
    /// The secret.
    pub(super) secret: String,
    /// The secret before the last rotation.
    pub(super) old_secret: Option<String>,
    /// The owner's header fields.
    pub(super) headers: Headers,
}

pub(super) fn secret(app: &App, id: WebhookId, secret: &str) -> Result<Vec<u8>, Refusal> {
    seal(app, secret.as_bytes(), &context(id, "secret"))
}

pub(super) fn headers(app: &App, id: WebhookId, headers: &[(String, String)]) -> Result<Vec<u8>, Refusal> {
    let object: Map<String, Value> =
        headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    seal(app, Value::Object(object).to_string().as_bytes(), &context(id, "headers"))
}

/// Opens what is sealed of a webhook.
pub(super) fn open(app: &App, webhook: &Webhook) -> Result<Opened, InstanceKeyError> {
    let key = app.vault.key(app)?;
    let text = |sealed: &[u8], what: &str| {
        let opened = key.open(sealed, &context(webhook.id, what))?;
        Ok::<_, InstanceKeyError>(String::from_utf8_lossy(&opened).into_owned())
    };
    let object: Map<String, Value> = serde_json::from_str(&text(&webhook.headers, "headers")?).unwrap_or_default();
    let field = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
    Ok(Opened {
        secret: text(&webhook.secret, "secret")?,
        old_secret: webhook.old_secret.as_deref().map(|sealed| text(sealed, "secret")).transpose()?,
        headers: object.into_iter().filter_map(field).collect(),
    })
}

/// The header fields of a webhook, for who may see them.
pub(super) fn open_headers(app: &App, webhook: &Webhook) -> Result<Headers, Refusal> {
    open(app, webhook).map(|opened| opened.headers).map_err(|error| unusable(&error))
}

fn seal(app: &App, text: &[u8], context: &str) -> Result<Vec<u8>, Refusal> {
    app.vault.key(app).and_then(|key| key.seal(text, context)).map_err(|error| unusable(&error))
}

fn unusable(error: &InstanceKeyError) -> Refusal {
    tracing::error!(cause = %error, "webhook.not_sealed");
    Refusal::new(Code::Internal, "The secrets of webhooks cannot be kept or read.")
}

/// What sealed text is bound to: one that was moved to another row does not open.
pub(in crate::app) fn context(id: WebhookId, what: &str) -> String {
    format!("webhook {id} {what}")
}
