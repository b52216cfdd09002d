//! Subscriptions by webhook.

use std::sync::Arc;

use posthouse_app::Service;
use posthouse_app::events::stream::check_can_subscribe;
use posthouse_app::webhooks::subscriptions::subscribe::{self, DeliveryStatus, GrantedSubscription, SubscribeRequest};
use posthouse_app::webhooks::subscriptions::unsubscribe;
use posthouse_domain::{Caller, Time, webhook::subscription::SubscriptionKey};
use serde_json::{Value, json};

use super::failure;
use super::params::{self, ModeRule, WantedEvents, WebhookParams};
use crate::client::Client;
use crate::protocol::{Failure, Request};

/// Subscribes a client, or renews its subscription.
pub(super) async fn subscribe(
    service: &Arc<Service>,
    client: &Client<'_>,
    request: &Request,
) -> Result<Value, Failure> {
    let (caller, wanted) = (client.caller.caller, params::read(service, &request.params)?);
    let WebhookParams { url, secret } = params::read_delivery(&request.params, ModeRule::Required)?;
    let ttl = params::read_ttl(&request.params)?;
    let secret = secret.ok_or_else(|| failure::of(&params::missing_secret()))?;
    check_can_subscribe(&caller).map_err(|refusal| failure::of(&refusal))?;
    let from = wanted.request.from;
    let request = SubscribeRequest { key: key(&caller, &wanted, url)?, secret, from, ttl };
    let granted = subscribe::subscribe(service, caller, request).await;
    Ok(view(&granted.map_err(|error| failure::of_subscribe(&error))?))
}

/// Ends a subscription.
pub(super) async fn unsubscribe(
    service: &Arc<Service>,
    client: &Client<'_>,
    request: &Request,
) -> Result<Value, Failure> {
    let (caller, wanted) = (client.caller.caller, params::read(service, &request.params)?);
    let url = params::read_delivery(&request.params, ModeRule::Optional)?.url;
    let key = key(&caller, &wanted, url)?;
    unsubscribe::unsubscribe(service, caller, key).await.map_err(|refusal| failure::of(&refusal))?;
    Ok(json!({}))
}

fn key(caller: &Caller, wanted: &WantedEvents, url: String) -> Result<SubscriptionKey, Failure> {
    let subscriber = caller.credential().map_err(|refusal| failure::of(&refusal))?;
    Ok(SubscriptionKey { subscriber, url, kind: wanted.request.kind, arguments: wanted.request.arguments })
}

fn view(granted: &GrantedSubscription) -> Value {
    let mut view = json!({
        "id": granted.id,
        "refreshBefore": granted.refresh_before.to_string(),
        "cursor": granted.cursor.map(|cursor| cursor.to_string()),
        "truncated": granted.is_truncated,
    });
    if let Some(status) = &granted.status {
        view["deliveryStatus"] = status_view(status);
    }
    view
}

fn status_view(status: &DeliveryStatus) -> Value {
    let mut view = json!({
        "active": true,
        "lastDeliveryAt": status.last_delivery_at.map(|at: Time| at.to_string()),
        "lastError": status.last_error.map(|error| error.text()),
    });
    if let Some(since) = status.failed_since {
        view["failedSince"] = json!(since.to_string());
    }
    view
}
