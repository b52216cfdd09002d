//! Reads webhooks and their attempts.

pub use posthouse_domain::webhook::WebhookDetails;
use std::sync::Arc;

use posthouse_domain::{
    AttemptDetails, Caller, CursorPosition, Page, PageParameters, Refusal, Webhook, WebhookDelivery, WebhookDeliveryId,
    WebhookId,
};
use posthouse_store::{Tx, webhook_deliveries as deliveries, webhook_deliveries::AttemptRef, webhooks};
use sha2::{Digest, Sha256};

use super::{payloads, seal};
use crate::service::Service;

/// Returns a webhook of the caller's workspace; event subscriptions of MCP clients aren't shown. Keys with inbox scope have no access to webhooks, so scope isn't
/// checked here.
///
/// # Errors
/// Returns `not_found` if the webhook is not in the workspace.
pub fn visible(tx: &mut Tx, caller: &Caller, id: WebhookId) -> Result<Webhook, Refusal> {
    let webhook = webhooks::get(tx, caller.workspace, id)?.filter(|webhook| webhook.subscription.is_none());
    webhook.ok_or_else(|| Refusal::not_found("webhook"))
}

/// Returns one webhook.
///
/// # Errors
/// Returns `not_found` if the webhook is not in the workspace.
pub async fn get(service: &Arc<Service>, caller: Caller, id: WebhookId) -> Result<WebhookDetails, Refusal> {
    let webhook = service.read(caller.workspace, move |tx| visible(tx, &caller, id)).await?;
    with_details(service, webhook).await
}

/// Returns a page of webhooks, newest first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn page(
    service: &Arc<Service>,
    caller: Caller,
    page: PageParameters,
) -> Result<Page<WebhookDetails>, Refusal> {
    let list = page.of_list(format!("webhooks {}", caller.workspace))?;
    let (range, now) = (list.page(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let found = webhooks::page(tx, caller.workspace, range)?;
        let ids: Vec<WebhookId> = found.iter().map(|webhook| webhook.id).take(100).collect();
        let counts = webhooks::counts(tx, caller.workspace, &ids, now)?;
        Ok::<_, Refusal>((found, counts))
    };
    let (found, counts) = service.read(caller.workspace, work).await?;
    let with = |webhook: Webhook| {
        let own = counts.iter().find(|(id, _)| *id == webhook.id).map(|(_, counts)| *counts).unwrap_or_default();
        Ok(WebhookDetails { headers: seal::open_headers(service, &webhook)?, webhook, secret: None, counts: own })
    };
    let found = found.into_iter().map(with).collect::<Result<Vec<_>, Refusal>>()?;
    Ok(list.page_of(found, |last| CursorPosition::of(last.webhook.created_at, last.webhook.id.0)))
}

/// Returns a page of a webhook's attempts, newest first.
///
/// # Errors
/// Returns `invalid_cursor`, or `not_found` if the webhook is not in the workspace.
pub async fn attempts(
    service: &Service,
    caller: Caller,
    id: WebhookId,
    page: PageParameters,
) -> Result<Page<WebhookDelivery>, Refusal> {
    let list = page.of_list(format!("webhook deliveries {} {id}", caller.workspace))?;
    let range = list.page();
    let work = move |tx: &mut Tx| {
        visible(tx, &caller, id)?;
        Ok::<_, Refusal>(deliveries::page(tx, caller.workspace, id, range)?)
    };
    let found = service.read(caller.workspace, work).await?;
    Ok(list.page_of(found, |attempt| CursorPosition::of(attempt.created_at, attempt.id.0)))
}

/// Returns one attempt with what it sent and received.
///
/// # Errors
/// Returns `not_found` if the webhook or the attempt is not in the workspace.
pub async fn attempt(
    service: &Arc<Service>,
    caller: Caller,
    id: WebhookId,
    of: WebhookDeliveryId,
) -> Result<AttemptDetails, Refusal> {
    let attempt = AttemptRef { workspace: caller.workspace, webhook: id, id: of };
    let work = move |tx: &mut Tx| {
        let webhook = visible(tx, &caller, id)?;
        let delivery = deliveries::get(tx, attempt)?.ok_or_else(|| Refusal::not_found("delivery"))?;
        Ok::<_, Refusal>((webhook, delivery, deliveries::exchange(tx, attempt)?))
    };
    let (webhook, delivery, exchange) = service.read(caller.workspace, work).await?;
    let wanted = vec![(delivery.event, payloads::BodyForm::of(&webhook))];
    let rendered = payloads::render(service, caller.workspace, wanted).await?;
    let body = rendered.into_iter().find_map(|rendered| rendered.json);
    let sent = exchange.as_ref().map(|exchange| exchange.body_sha256);
    let body_as_sent = body.as_ref().is_some_and(|body| Some(Sha256::digest(body).into()) == sent);
    Ok(AttemptDetails { delivery, exchange, body: body.map(Vec::from), body_as_sent })
}

/// Completes a webhook with the details that the API shows.
pub(super) async fn with_details(service: &Service, webhook: Webhook) -> Result<WebhookDetails, Refusal> {
    let (workspace, id, now) = (webhook.workspace, webhook.id, service.clock.now());
    let counts = service.read(workspace, move |tx| webhooks::counts(tx, workspace, &[id], now)).await?;
    let counts = counts.first().map(|(_, counts)| *counts).unwrap_or_default();
    Ok(WebhookDetails { headers: seal::open_headers(service, &webhook)?, webhook, secret: None, counts })
}
