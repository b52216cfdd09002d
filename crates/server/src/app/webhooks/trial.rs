//! Attempts that somebody asks for: a test event for one webhook, and an event once more (contract §11.2; decision 11).

use posthouse_domain::{
    auth::Caller,
    error::Refusal,
    event::{EventKind, NewEvent},
    id::{EventId, WebhookDeliveryId, WebhookId},
};
use posthouse_store::{
    Tx, events,
    webhook_deliveries::{self as deliveries, Place},
};

use super::{read, round::pending};
use crate::{
    app::App,
    views::event::data::{self, TestedWebhook, WebhookTest},
};

/// What a test event says to people.
const NOTE: &str = "This is a test. A receiver that checks the signature and answers 2xx is ready for events.";

/// What was set on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tried {
    /// The event.
    pub event: EventId,
    /// The attempt.
    pub delivery: WebhookDeliveryId,
}

/// Sends a `webhook.test` to that webhook and to no other, disabled or not.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn test(app: &App, caller: Caller, id: WebhookId) -> Result<Tried, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        let ids = ids.clone();
        let webhook = read::visible(tx, &caller, id)?;
        let tried = Tried { event: ids.next(), delivery: ids.next() };
        let tested = TestedWebhook { id: id.into(), url: webhook.url };
        let event = NewEvent {
            workspace: caller.workspace,
            id: tried.event,
            kind: EventKind::WebhookTest,
            inbox: None,
            thread: None,
            message: None,
            detail_json: data::text(&WebhookTest { webhook: tested, note: NOTE.to_owned() }),
            at: now,
        };
        let delivery = pending(tried.delivery, id, (&event.id, event.kind, 1), now);
        deliveries::insert(tx, caller.workspace, &delivery, None)?;
        events::append(tx, &event)?;
        Ok::<_, Refusal>(tried)
    };
    app.store.write(work).await
}

/// Sends the event of an attempt to the same webhook again, from the first attempt on.
///
/// # Errors
/// `not_found`, also when the event is no longer in the log, or the store's own.
pub async fn redeliver(app: &App, caller: Caller, id: WebhookId, of: WebhookDeliveryId) -> Result<Tried, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let work = move |tx: &mut Tx| {
        read::visible(tx, &caller, id)?;
        let place = Place { workspace: caller.workspace, webhook: id, id: of };
        let known = deliveries::get(tx, place)?.ok_or_else(|| Refusal::not_found("delivery"))?;
        if events::seq_of(tx, caller.workspace, known.event)?.is_none() {
            let gone = Refusal::not_found("event").with_fix("Events are kept 30 days; this one can no longer be sent.");
            return Err(gone);
        }
        let tried = Tried { event: known.event, delivery: ids.clone().next() };
        let delivery = pending(tried.delivery, id, (&known.event, known.kind, 1), now);
        deliveries::insert(tx, caller.workspace, &delivery, None)?;
        Ok::<_, Refusal>(tried)
    };
    app.store.write(work).await
}
