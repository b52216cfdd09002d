//! Webhooks and their attempts, for who manages them.

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    id::WebhookId,
    page::Page,
    webhook::{Delivery, Webhook},
};
use posthouse_store::{
    Tx, webhook_deliveries as deliveries,
    webhooks::{self, Counts},
};

use super::seal;
use crate::app::App;

/// A webhook with everything that is shown of it.
#[derive(Clone)]
pub struct Shown {
    /// The webhook.
    pub webhook: Webhook,
    /// The owner's header fields.
    pub headers: Vec<(String, String)>,
    /// The secret, in the one answer that shows it.
    pub secret: Option<String>,
    /// How its attempts went lately.
    pub counts: Counts,
}

/// The webhook of the caller's workspace. Keys of one inbox do not come here (contract §28).
///
/// # Errors
/// `not_found`, or the store's own.
pub fn visible(tx: &mut Tx, caller: &Caller, id: WebhookId) -> Result<Webhook, Refusal> {
    webhooks::get(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("webhook"))
}

/// One webhook.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn one(app: &Arc<App>, caller: Caller, id: WebhookId) -> Result<Shown, Refusal> {
    let webhook = app.store.read(move |tx| visible(tx, &caller, id)).await?;
    shown(app, webhook).await
}

/// A page of webhooks, newest first.
///
/// # Errors
/// The store's own.
pub async fn page(app: &Arc<App>, caller: Caller, page: Page) -> Result<Vec<Shown>, Refusal> {
    let now = app.clock.now();
    let work = move |tx: &mut Tx| {
        let found = webhooks::page(tx, caller.workspace, page)?;
        let ids: Vec<WebhookId> = found.iter().map(|webhook| webhook.id).take(100).collect();
        let counts = webhooks::counts(tx, caller.workspace, &ids, now)?;
        Ok::<_, Refusal>((found, counts))
    };
    let (found, counts) = app.store.read(work).await?;
    let with = |webhook: Webhook| {
        let own = counts.iter().find(|(id, _)| *id == webhook.id).map(|(_, counts)| *counts).unwrap_or_default();
        Ok(Shown { headers: seal::open_headers(app, &webhook)?, webhook, secret: None, counts: own })
    };
    found.into_iter().map(with).collect()
}

/// A page of the attempts of a webhook, newest first.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn attempts(app: &App, caller: Caller, id: WebhookId, page: Page) -> Result<Vec<Delivery>, Refusal> {
    let work = move |tx: &mut Tx| {
        visible(tx, &caller, id)?;
        Ok::<_, Refusal>(deliveries::page(tx, caller.workspace, id, page)?)
    };
    app.store.read(work).await
}

/// Adds to a webhook what is shown of it.
pub(super) async fn shown(app: &App, webhook: Webhook) -> Result<Shown, Refusal> {
    let (workspace, id, now) = (webhook.workspace, webhook.id, app.clock.now());
    let counts = app.store.read(move |tx| webhooks::counts(tx, workspace, &[id], now)).await?;
    let counts = counts.first().map(|(_, counts)| *counts).unwrap_or_default();
    Ok(Shown { headers: seal::open_headers(app, &webhook)?, webhook, secret: None, counts })
}
