//! Subscribes an MCP client to events by webhook, and renews its subscription.

use std::sync::Arc;

use posthouse_domain::{
    Caller, ClaimStatus, ErrorCode, EventSubscription, Refusal, Time, Webhook, WebhookDeliveryStatus, WebhookId,
    page::PageRange, webhook::secret_hint, webhook::subscription::REPLACED_SECRET_VALID_MS,
    webhook::subscription::SUBSCRIPTIONS_MAX, webhook::subscription::SubscriptionKey,
    webhook::subscription::SuggestedTtl, webhook::subscription::checked_secret, webhook::subscription::expiry,
    webhook::subscription::subscription_id,
};
use posthouse_store::{Tx, webhook_deliveries as deliveries, webhooks, workspaces};

use super::verify::{self, CallbackProblem, Receiver};
use super::watermark::settled_up_to;
use crate::events::cursor::{EventCursor, ResumeRequest, resume};
use crate::events::log::EventFilter;
use crate::service::Service;
use crate::webhooks::{seal, url};

/// The error of attempts of an earlier subscription with the same key.
const REPLACED: &str = "the subscription ended, and its client subscribed again";
/// Attempts that are searched for the last error.
const ATTEMPTS_SEARCHED: u32 = 20;

/// A subscription that a client wants.
#[derive(Clone, Debug)]
pub struct SubscribeRequest {
    /// What determines the subscription.
    pub key: SubscriptionKey,
    /// The secret that signs.
    pub secret: String,
    /// Where to begin, if there is no such subscription yet.
    pub from: ResumeRequest,
    /// The suggested life.
    pub ttl: SuggestedTtl,
}

/// A subscription, as its client sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GrantedSubscription {
    pub id: String,
    /// When the client must have renewed it.
    pub refresh_before: Time,
    /// A position before which the client has everything, if it is known.
    pub cursor: Option<EventCursor>,
    /// Whether events after the client's cursor are left out.
    pub is_truncated: bool,
    /// The deliveries so far; `None` for a new subscription.
    pub status: Option<DeliveryStatus>,
}

/// How the deliveries of a subscription went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeliveryStatus {
    /// When the receiver last acknowledged an event.
    pub last_delivery_at: Option<Time>,
    /// The last problem, while every attempt fails.
    pub last_error: Option<CallbackProblem>,
    /// Since when every attempt fails.
    pub failed_since: Option<Time>,
}

/// Why a client isn't subscribed.
#[derive(Clone, PartialEq, Debug)]
pub enum SubscribeError {
    /// The request is refused.
    Refused(Refusal),
    /// The receiver didn't confirm its URL.
    Callback(CallbackProblem),
}

impl From<Refusal> for SubscribeError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<posthouse_store::Error> for SubscribeError {
    fn from(error: posthouse_store::Error) -> Self {
        Self::Refused(error.into())
    }
}

/// Subscribes a client, or renews its subscription.
///
/// # Errors
/// Returns `invalid_request` for a secret, `invalid_webhook_url`, `not_found` for an inbox, `unclaimed_workspace` or
/// `plan_limit_webhooks`, or the problem of the receiver.
pub async fn subscribe(
    service: &Arc<Service>,
    caller: Caller,
    request: SubscribeRequest,
) -> Result<GrantedSubscription, SubscribeError> {
    let secret = checked_secret(&request.secret).ok_or_else(invalid_secret)?;
    url::check_url(service, &request.key.url).await?;
    let (id, now) = (request.key.id(), service.clock.now());
    let key = request.key.clone();
    let known = service.read(caller.workspace, move |tx| look_up(tx, &caller, &key, now)).await?;
    if !known.is_verified {
        let target = url::target(service, &request.key.url).map_err(|problem| verify::unusable_url(&problem))?;
        let receiver = Receiver { id, url: &target, secret: &secret };
        verify::verify(service, receiver).await.map_err(SubscribeError::Callback)?;
    }
    let grant = Grant {
        id,
        caller,
        sealed: seal::secret(service, id, &secret)?,
        hint: secret_hint(&secret),
        headers: seal::headers(service, id, &[])?,
        is_rotated: known.webhook.as_ref().is_some_and(|webhook| is_other_secret(service, webhook, &secret)),
        inboxes: known.filter.inboxes,
        now,
        request,
    };
    Ok(service.write(move |tx| grant.write(tx)).await?)
}

fn invalid_secret() -> Refusal {
    Refusal::invalid_field("delivery.secret", "must be `whsec_` followed by the base64 of 24 to 64 random bytes")
}

/// What is known about a subscription before its receiver is asked.
struct KnownSubscription {
    webhook: Option<Webhook>,
    filter: EventFilter,
    is_verified: bool,
}

fn look_up(tx: &mut Tx, caller: &Caller, key: &SubscriptionKey, now: Time) -> Result<KnownSubscription, Refusal> {
    let filter = EventFilter::of(tx, caller, vec![key.kind], key.arguments.inbox.map(|inbox| vec![inbox]))?;
    let workspace = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    if workspace.claim == ClaimStatus::Unclaimed {
        let what = "An unclaimed workspace can't have event subscriptions by webhook.";
        return Err(Refusal::new(ErrorCode::UnclaimedWorkspace, what));
    }
    let webhook = webhooks::get(tx, caller.workspace, key.id())?.filter(|webhook| !webhook.is_expired(now));
    if webhook.is_none() {
        check_count(tx, caller, now)?;
    }
    let is_verified = webhooks::is_verified(tx, caller.workspace, key.subscriber, &key.url, now)?;
    Ok(KnownSubscription { webhook, filter, is_verified })
}

fn check_count(tx: &mut Tx, caller: &Caller, now: Time) -> Result<(), Refusal> {
    if webhooks::count_subscriptions(tx, caller.workspace, now)? < SUBSCRIPTIONS_MAX {
        return Ok(());
    }
    let what = format!("The workspace already has {SUBSCRIPTIONS_MAX} event subscriptions, the maximum.");
    Err(Refusal::new(ErrorCode::PlanLimitWebhooks, what).with_fix(
        "End a subscription that you no longer need with `events/unsubscribe`, or use poll or push delivery.",
    ))
}

fn is_other_secret(service: &Service, webhook: &Webhook, secret: &str) -> bool {
    seal::open(service, webhook).is_ok_and(|opened| opened.secret != secret)
}

/// A subscription to store.
#[derive(Clone)]
struct Grant {
    id: WebhookId,
    caller: Caller,
    request: SubscribeRequest,
    sealed: Vec<u8>,
    hint: String,
    headers: Vec<u8>,
    is_rotated: bool,
    inboxes: Option<Vec<posthouse_domain::InboxId>>,
    now: Time,
}

impl Grant {
    fn write(&self, tx: &mut Tx) -> Result<GrantedSubscription, Refusal> {
        let workspace = self.caller.workspace;
        if let Some(renewed) = self.renew(tx)? {
            return Ok(renewed);
        }
        // An expired one that wasn't deleted yet, or attempts that were left behind.
        webhooks::delete(tx, workspace, self.id)?;
        deliveries::cancel(tx, workspace, self.id, REPLACED)?;
        check_count(tx, &self.caller, self.now)?;
        let point = resume(tx, workspace, self.request.from)?;
        let webhook = self.webhook(point.seq);
        if !webhooks::insert(tx, &webhook)? {
            // Another call with the same key was faster.
            return self.renew(tx)?.ok_or_else(|| Refusal::new(ErrorCode::Unavailable, "Subscribe again."));
        }
        let cursor = match self.request.from.cursor {
            Some(cursor) if !point.is_truncated => cursor,
            _ => EventCursor::at(tx, workspace, point.seq)?,
        };
        Ok(self.granted(Some(cursor), point.is_truncated, None))
    }

    /// Renews a subscription that hasn't ended. Its position stays: the client's cursor is behind it.
    fn renew(&self, tx: &mut Tx) -> Result<Option<GrantedSubscription>, Refusal> {
        let found = webhooks::lock(tx, self.caller.workspace, self.id)?;
        let Some(mut webhook) = found.filter(|webhook| !webhook.is_expired(self.now)) else { return Ok(None) };
        if self.is_rotated {
            webhook.old_secret = Some(std::mem::replace(&mut webhook.secret, self.sealed.clone()));
            webhook.old_secret_until = Some(self.now.plus_ms(REPLACED_SECRET_VALID_MS));
            webhook.secret_hint.clone_from(&self.hint);
        }
        webhook.subscription = Some(self.subscription());
        webhooks::update(tx, &webhook)?;
        let cursor = settled_up_to(tx, &webhook)?;
        let status = delivery_status(tx, &webhook)?;
        Ok(Some(self.granted(cursor.or(self.request.from.cursor), false, Some(status))))
    }

    fn subscription(&self) -> EventSubscription {
        let expires_at = expiry(self.now, self.request.ttl);
        EventSubscription { subscriber: self.request.key.subscriber, expires_at }
    }

    fn webhook(&self, seq: i64) -> Webhook {
        let key = &self.request.key;
        Webhook {
            workspace: self.caller.workspace,
            id: self.id,
            url: key.url.clone(),
            kinds: vec![key.kind],
            inboxes: self.inboxes.clone(),
            enabled: true,
            payload: key.arguments.payload.unwrap_or_default(),
            headers: self.headers.clone(),
            secret: self.sealed.clone(),
            secret_hint: self.hint.clone(),
            old_secret: None,
            old_secret_until: None,
            cursor: seq,
            failing_since: None,
            last_success_at: None,
            last_failure_at: None,
            created_at: self.now,
            subscription: Some(self.subscription()),
        }
    }

    fn granted(
        &self,
        cursor: Option<EventCursor>,
        is_truncated: bool,
        status: Option<DeliveryStatus>,
    ) -> GrantedSubscription {
        let refresh_before = self.subscription().expires_at;
        GrantedSubscription { id: subscription_id(self.id), refresh_before, cursor, is_truncated, status }
    }
}

fn delivery_status(tx: &mut Tx, webhook: &Webhook) -> Result<DeliveryStatus, Refusal> {
    let last_error = if webhook.failing_since.is_some() {
        let newest = PageRange { after: None, limit: ATTEMPTS_SEARCHED };
        let attempts = deliveries::page(tx, webhook.workspace, webhook.id, newest)?;
        let failed = attempts.iter().find(|attempt| attempt.status == WebhookDeliveryStatus::Failed);
        failed.map(CallbackProblem::of_attempt)
    } else {
        None
    };
    Ok(DeliveryStatus { last_delivery_at: webhook.last_success_at, last_error, failed_since: webhook.failing_since })
}
