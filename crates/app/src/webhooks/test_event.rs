//! Attempts on request: a test event for one webhook, and redelivery of an event.

use posthouse_api::views::event::data::{self, TestedWebhook, WebhookTest};
use posthouse_domain::{Caller, EventKind, NewEvent, Refusal, StartedAttempt, WebhookDeliveryId, WebhookId};
use posthouse_store::{Tx, events, webhook_deliveries as deliveries, webhook_deliveries::AttemptRef};

use super::read;
use crate::{service::Service, webhooks::batch::pending};

/// The `note` of a test event.
const NOTE: &str = "This is a test event. If your receiver verified the signature and returned 2xx, it is ready.";

/// Sends a `webhook.test` event to one webhook, even if it is disabled.
///
/// # Errors
/// Returns `not_found` if the webhook is not in the workspace.
pub async fn test(service: &Service, caller: Caller, id: WebhookId) -> Result<StartedAttempt, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let ids = ids.clone();
        let webhook = read::visible(tx, &caller, id)?;
        let tried = StartedAttempt { event: ids.next(), delivery: ids.next() };
        let tested = TestedWebhook { id: id.into(), url: webhook.url };
        let event = NewEvent::new(EventKind::WebhookTest, caller.workspace, tried.event, now)
            .with_detail(data::text(&WebhookTest { webhook: tested, note: NOTE.to_owned() }));
        let delivery = pending(tried.delivery, id, &event.id, event.kind, 1, now);
        deliveries::insert(tx, caller.workspace, &delivery, None)?;
        events::append(tx, &event)?;
        Ok::<_, Refusal>(tried)
    };
    service.write(work).await
}

/// Sends the event of an attempt to the same webhook again, starting with attempt 1.
///
/// # Errors
/// Returns `not_found` if the webhook, attempt or event no longer exists.
pub async fn redeliver(
    service: &Service,
    caller: Caller,
    id: WebhookId,
    of: WebhookDeliveryId,
) -> Result<StartedAttempt, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        read::visible(tx, &caller, id)?;
        let attempt = AttemptRef { workspace: caller.workspace, webhook: id, id: of };
        let known = deliveries::get(tx, attempt)?.ok_or_else(|| Refusal::not_found("delivery"))?;
        if events::seq_of(tx, caller.workspace, known.event)?.is_none() {
            let gone = Refusal::not_found("event").with_fix("Use a newer delivery; events are kept for 30 days.");
            return Err(gone);
        }
        let tried = StartedAttempt { event: known.event, delivery: ids.clone().next() };
        let delivery = pending(tried.delivery, id, &known.event, known.kind, 1, now);
        deliveries::insert(tx, caller.workspace, &delivery, None)?;
        Ok::<_, Refusal>(tried)
    };
    service.write(work).await
}
