//! Changes of a webhook: its settings, its secret and the end of it (contract §11.2; decision 10).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    event::{EventKind, Payload},
    id::{InboxId, WebhookId},
    time::Time,
    webhook::{ROTATION_MS, Webhook, secret_hint},
};
use posthouse_store::{Tx, events, webhook_deliveries as deliveries, webhooks};
use uuid::Uuid;

use super::{
    create::{check_inboxes, draw_secret},
    read::{self, Shown},
    seal, url,
};
use crate::app::App;

/// What attempts say that were given up because the owner disabled the webhook.
const DISABLED: &str = "the webhook was disabled";
/// Attempts that are deleted in one transaction.
const STEP: u32 = 1_000;

/// What the caller wants changed; what is `None` stays.
#[derive(Clone, Default)]
pub struct Change {
    /// Where events go.
    pub url: Option<String>,
    /// Their kinds.
    pub kinds: Option<Vec<EventKind>>,
    /// Of which inboxes; the inner `None`: of every one.
    pub inboxes: Option<Option<Vec<InboxId>>>,
    /// Whether new events go to it.
    pub enabled: Option<bool>,
    /// How much of an event it gets.
    pub payload: Option<Payload>,
    /// The owner's header fields, all of them.
    pub headers: Option<Vec<(String, String)>>,
}

/// Changes the settings. One that is enabled again begins at the end of the log: what happened meanwhile is in the list of
/// events.
///
/// # Errors
/// `not_found`, `invalid_webhook_url`, or the store's own.
pub async fn change(app: &Arc<App>, caller: Caller, id: WebhookId, change: Change) -> Result<Shown, Refusal> {
    let known = app.store.read(move |tx| read::visible(tx, &caller, id)).await?;
    // A webhook that goes where it went is not judged again: its owner only changes something else.
    if let Some(url) = change.url.as_deref().filter(|url| *url != known.url) {
        url::judge(app, url).await?;
    }
    let headers = change.headers.as_ref().map(|headers| seal::headers(app, id, headers)).transpose()?;
    let work = move |tx: &mut Tx| {
        let mut webhook = take(tx, &caller, id)?;
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
    let webhook = app.store.write(work).await?;
    read::shown(app, webhook).await
}

fn apply(webhook: &mut Webhook, change: &Change, headers: Option<&[u8]>) {
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

/// Replaces the secret; shows the new one. The old one signs beside it for a day.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn rotate(app: &Arc<App>, caller: Caller, id: WebhookId, secret: Option<String>) -> Result<Shown, Refusal> {
    let secret = secret.unwrap_or_else(|| draw_secret(app));
    let (sealed, hint) = (seal::secret(app, id, &secret)?, secret_hint(&secret));
    let until = app.clock.now().plus_ms(ROTATION_MS);
    let work = move |tx: &mut Tx| {
        let mut webhook = take(tx, &caller, id)?;
        webhook.old_secret = Some(std::mem::replace(&mut webhook.secret, sealed.clone()));
        webhook.old_secret_until = Some(until);
        webhook.secret_hint.clone_from(&hint);
        webhooks::update(tx, &webhook)?;
        Ok::<_, Refusal>(webhook)
    };
    let webhook = app.store.write(work).await?;
    Ok(Shown { secret: Some(secret), ..read::shown(app, webhook).await? })
}

/// Deletes a webhook and the list of its attempts.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn delete(app: &App, caller: Caller, id: WebhookId) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| match webhooks::delete(tx, caller.workspace, id)? {
        true => Ok(()),
        false => Err(Refusal::not_found("webhook")),
    };
    app.store.write(work).await?;
    // In small steps, so that nobody waits behind them; what a crash leaves is taken by the sweep.
    let place = (caller.workspace, id);
    while app.store.write(move |tx| deliveries::delete_below(tx, place, Uuid::max(), STEP)).await? > 0 {}
    Ok(())
}

fn take(tx: &mut Tx, caller: &Caller, id: WebhookId) -> Result<Webhook, Refusal> {
    webhooks::take(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("webhook"))
}

/// The end of what is kept of attempts: forgets those made before that time, and all of webhooks that are gone. Says how
/// many there were.
///
/// # Errors
/// The store's own.
pub async fn forget_attempts(app: &App, before: Time) -> posthouse_store::Result<u64> {
    let (mut after, mut count) = ((Uuid::nil(), Uuid::nil()), 0);
    let end = Uuid::from_u128(u128::try_from(before.millis()).unwrap_or(0) << 80);
    while let Some((workspace, id)) = app.store.read(move |tx| deliveries::next_webhook(tx, after)).await? {
        let is_there = app.store.read(move |tx| webhooks::get(tx, workspace, id)).await?.is_some();
        let below = if is_there { end } else { Uuid::max() };
        loop {
            let gone = app.store.write(move |tx| deliveries::delete_below(tx, (workspace, id), below, STEP)).await?;
            if gone == 0 {
                break;
            }
            count += gone;
        }
        after = (workspace.0, id.0);
    }
    Ok(count)
}
