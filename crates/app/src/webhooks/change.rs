//! Changes a webhook's settings, rotates its secret, deletes it.

use std::sync::Arc;

use posthouse_domain::webhook::{OLD_SECRET_VALID_MS, secret_hint};
use posthouse_domain::{Caller, EventKind, EventPayload, InboxId, Refusal, Time, Webhook, WebhookDetails, WebhookId};
use posthouse_store::{Tx, events, webhook_deliveries as deliveries, webhooks};
use uuid::Uuid;

use super::{create::check_inboxes, create::draw_secret, read, seal, url};
use crate::service::{ReadScope, Service};

/// The error of attempts that were canceled because the owner disabled the webhook.
const DISABLED: &str = "the webhook was disabled";
/// Maximum attempts deleted in one transaction.
const STEP: u32 = 1_000;

/// The requested changes; `None` keeps the current value.
#[derive(Clone, Default)]
pub struct WebhookChange {
    /// The URL that receives events.
    pub url: Option<String>,
    /// The event types to send.
    pub kinds: Option<Vec<EventKind>>,
    /// The inboxes whose events are sent; the inner `None` means all.
    pub inboxes: Option<Option<Vec<InboxId>>>,
    /// Whether new events are sent.
    pub enabled: Option<bool>,
    /// The payload form of events.
    pub payload: Option<EventPayload>,
    /// The owner's header fields; replaces the current ones.
    pub headers: Option<Vec<(String, String)>>,
}

/// Changes the settings. A webhook that is enabled again starts at the end of the log; `GET /v1/events` lists what it
/// missed.
///
/// # Errors
/// Returns `not_found` if the webhook is not in the workspace or `invalid_webhook_url` if the new URL is not allowed.
pub async fn change(
    service: &Arc<Service>,
    caller: Caller,
    id: WebhookId,
    change: WebhookChange,
) -> Result<WebhookDetails, Refusal> {
    let known = service.read(caller.workspace, move |tx| read::visible(tx, &caller, id)).await?;
    // An unchanged URL isn't checked again, so that other settings can change while its host doesn't resolve.
    if let Some(url) = change.url.as_deref().filter(|url| *url != known.url) {
        url::check_url(service, url).await?;
    }
    let headers = change.headers.as_ref().map(|headers| seal::headers(service, id, headers)).transpose()?;
    let work = move |tx: &mut Tx| {
        let mut webhook = lock(tx, &caller, id)?;
        let was_enabled = webhook.enabled;
        if let Some(wanted) = &change.inboxes {
            check_inboxes(tx, &caller, wanted.as_deref())?;
        }
        apply(&mut webhook, &change, headers.as_deref());
        if webhook.enabled && !was_enabled {
            webhook.cursor = events::head(tx, caller.workspace)?;
            webhook.failing_since = None;
        }
        webhooks::update(tx, &webhook)?;
        if was_enabled && !webhook.enabled {
            deliveries::cancel(tx, caller.workspace, id, DISABLED)?;
        }
        Ok::<_, Refusal>(webhook)
    };
    let webhook = service.write(work).await?;
    read::with_details(service, webhook).await
}

fn apply(webhook: &mut Webhook, change: &WebhookChange, headers: Option<&[u8]>) {
    if let Some(url) = &change.url {
        webhook.url.clone_from(url);
    }
    if let Some(kinds) = &change.kinds {
        webhook.kinds.clone_from(kinds);
    }
    if let Some(inboxes) = &change.inboxes {
        webhook.inboxes.clone_from(inboxes);
    }
    if let Some(headers) = headers {
        webhook.headers = headers.to_vec();
    }
    webhook.enabled = change.enabled.unwrap_or(webhook.enabled);
    webhook.payload = change.payload.unwrap_or(webhook.payload);
}

/// Replaces the secret and returns the new one. The old secret also signs for a day.
///
/// # Errors
/// Returns `not_found` if the webhook is not in the workspace.
pub async fn rotate(
    service: &Arc<Service>,
    caller: Caller,
    id: WebhookId,
    secret: Option<String>,
) -> Result<WebhookDetails, Refusal> {
    let secret = secret.unwrap_or_else(|| draw_secret(service));
    let (sealed, hint) = (seal::secret(service, id, &secret)?, secret_hint(&secret));
    let until = service.clock.now().plus_ms(OLD_SECRET_VALID_MS);
    let work = move |tx: &mut Tx| {
        let mut webhook = lock(tx, &caller, id)?;
        webhook.old_secret = Some(std::mem::replace(&mut webhook.secret, sealed.clone()));
        webhook.old_secret_until = Some(until);
        webhook.secret_hint.clone_from(&hint);
        webhooks::update(tx, &webhook)?;
        Ok::<_, Refusal>(webhook)
    };
    let webhook = service.write(work).await?;
    Ok(WebhookDetails { secret: Some(secret), ..read::with_details(service, webhook).await? })
}

/// Deletes a webhook and its attempts.
///
/// # Errors
/// Returns `not_found` if the webhook is not in the workspace.
pub async fn delete(service: &Service, caller: Caller, id: WebhookId) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        lock(tx, &caller, id)?;
        webhooks::delete(tx, caller.workspace, id)?;
        Ok::<_, Refusal>(())
    };
    service.write(work).await?;
    // Small transactions keep other writers from waiting; the sweep deletes what a crash leaves behind.
    let workspace = caller.workspace;
    while service.write(move |tx| deliveries::delete_below(tx, workspace, id, Uuid::max(), STEP)).await? > 0 {}
    Ok(())
}

fn lock(tx: &mut Tx, caller: &Caller, id: WebhookId) -> Result<Webhook, Refusal> {
    let webhook = webhooks::lock(tx, caller.workspace, id)?.filter(|webhook| webhook.subscription.is_none());
    webhook.ok_or_else(|| Refusal::not_found("webhook"))
}

/// Deletes attempts older than `before` and all attempts of deleted webhooks, and returns how many.
pub async fn prune_attempts(service: &Service, before: Time) -> posthouse_store::Result<u64> {
    let (mut after, mut count) = (None, 0);
    let end = Uuid::from_u128(u128::try_from(before.millis()).unwrap_or(0) << 80);
    while let Some(next) = service.read(ReadScope::Service, move |tx| deliveries::next_webhook(tx, after)).await? {
        let (workspace, id) = (next.workspace, next.webhook);
        let is_there = service.read(ReadScope::Service, move |tx| webhooks::get(tx, workspace, id)).await?.is_some();
        let below = if is_there { end } else { Uuid::max() };
        loop {
            let gone = service.write(move |tx| deliveries::delete_below(tx, workspace, id, below, STEP)).await?;
            if gone == 0 {
                break;
            }
            count += gone;
        }
        after = Some(next);
    }
    Ok(count)
}
