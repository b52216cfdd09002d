//! The end of a subscription that its client didn't ask for.

use std::sync::Arc;

use posthouse_api::views::event::occurrence;
use posthouse_domain::{Permission, Time, Webhook, WebhookId, WorkspaceId};
use posthouse_store::{Result, Tx, webhook_deliveries as deliveries, webhooks};
use serde_json::json;

use super::{delivery::Envelope, verify, verify::Receiver};
use crate::access::authenticate::active_caller;
use crate::service::Service;
use crate::webhooks::{seal, url};

/// Why a subscription ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::webhooks) enum SubscriptionEnd {
    /// The client didn't renew it.
    Expired,
    /// The credential was revoked, or may no longer read the events.
    Revoked,
    /// The receiver answered 410.
    Gone,
}

impl SubscriptionEnd {
    /// Returns the error of attempts that weren't made.
    const fn text(self) -> &'static str {
        match self {
            Self::Expired => "the subscription ended, because its client didn't renew it",
            Self::Revoked => "the subscription ended, because its key was revoked",
            Self::Gone => "the subscription ended, because its receiver answered 410",
        }
    }
}

/// Returns why a subscription must end; `None` for one that goes on, and for a webhook.
pub(in crate::webhooks) fn must_end(tx: &mut Tx, webhook: &Webhook, now: Time) -> Result<Option<SubscriptionEnd>> {
    let Some(subscription) = webhook.subscription else { return Ok(None) };
    if webhook.is_expired(now) {
        return Ok(Some(SubscriptionEnd::Expired));
    }
    let caller = active_caller(tx, webhook.workspace, subscription.subscriber)?;
    let may_read = caller.is_some_and(|caller| caller.permissions().has(Permission::MessagesRead));
    Ok((!may_read).then_some(SubscriptionEnd::Revoked))
}

/// Ends a subscription, unless its client has renewed it since it was read.
pub(in crate::webhooks) fn end_if(tx: &mut Tx, webhook: &Webhook, why: SubscriptionEnd) -> Result<()> {
    let now = webhooks::lock(tx, webhook.workspace, webhook.id)?;
    if now.is_some_and(|now| now.subscription == webhook.subscription) {
        end(tx, webhook.workspace, webhook.id, why)?;
    }
    Ok(())
}

/// Deletes a subscription; the sweep deletes its attempts.
pub(in crate::webhooks) fn end(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId, why: SubscriptionEnd) -> Result<()> {
    if webhooks::delete(tx, workspace, id)? {
        deliveries::cancel(tx, workspace, id, why.text())?;
        tracing::info!(webhook_id = %id, reason = why.text(), "webhook.subscription_ended");
    }
    Ok(())
}

/// Tells the receiver that a subscription ended because access was revoked. It is told once: if it misses that, it stops
/// getting events, and the next renewal is refused.
pub(in crate::webhooks) async fn notify(service: Arc<Service>, webhook: Arc<Webhook>) {
    let (Ok(target), Ok(opened)) = (url::target(&service, &webhook.url), seal::open(&service, &webhook)) else {
        return;
    };
    let body = json!({ "type": "terminated", "error": occurrence::revoked() }).to_string();
    let envelope = Envelope::new(&service, "terminated");
    let receiver = Receiver { id: webhook.id, url: &target, secret: &opened.secret };
    let sent = verify::post(&service, receiver, envelope, body.into()).await;
    if let Err(error) = sent {
        tracing::debug!(webhook_id = %webhook.id, cause = %error, "webhook.end_not_delivered");
    }
}
