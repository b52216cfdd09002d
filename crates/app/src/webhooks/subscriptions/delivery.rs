//! The header fields and the body of a delivery to an MCP client.

use bytes::Bytes;
use posthouse_api::views::event::occurrence::with_cursor;
use posthouse_domain::{Webhook, WebhookId, webhook::subscription::subscription_id};

use super::watermark::watermark;
use crate::ports::HttpHeader;
use crate::service::Service;
use crate::webhooks::{LeasedAttempt, USER_AGENT, sign, sign::SigningSecrets};

/// Random bytes of the id of an envelope that is no event.
const MESSAGE_BYTES: usize = 12;

/// A message that is no event: a verification or an end.
pub(super) struct Envelope {
    /// The `webhook-id`.
    pub(super) message_id: String,
}

impl Envelope {
    pub(super) fn new(service: &Service, name: &str) -> Self {
        let mut random = [0; MESSAGE_BYTES];
        service.clock.random(&mut random);
        let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { message_id: format!("msg_{name}_{hex}") }
    }
}

/// Returns the header fields of a request: those of Standard Webhooks and the id of the subscription.
pub(in crate::webhooks) fn header_fields(
    id: WebhookId,
    message_id: &str,
    secrets: SigningSecrets<'_>,
    seconds: i64,
    body: &[u8],
) -> Vec<HttpHeader> {
    let mut fields = vec![
        HttpHeader::new("Content-Type", "application/json"),
        HttpHeader::new("User-Agent", USER_AGENT),
        HttpHeader::new("X-MCP-Subscription-Id", subscription_id(id)),
    ];
    let signed = sign::standard_fields(secrets, message_id, seconds, body);
    fields.extend(signed.into_iter().map(|(name, value)| HttpHeader::new(name, value)));
    fields
}

/// Returns the `webhook-id` of an attempt.
pub(in crate::webhooks) fn message_id(service: &Service, leased: &LeasedAttempt) -> String {
    match service.config.mcp.events_message_ids {
        true => format!("msg_{}", leased.delivery),
        false => leased.event.to_string(),
    }
}

/// Returns the body of an attempt: the event, with the cursor up to which the client has everything once it has this event.
/// Without a known cursor, it has none: a client then keeps the one before.
pub(in crate::webhooks) async fn body(
    service: &Service,
    webhook: &Webhook,
    leased: &LeasedAttempt,
    occurrence: &Bytes,
) -> Bytes {
    let (workspace, id, event) = (webhook.workspace, webhook.id, leased.event);
    let found =
        service.read(workspace, move |tx| Ok::<_, posthouse_domain::Refusal>(watermark(tx, workspace, id, event)?));
    let cursor = found.await.ok().flatten();
    let (Some(cursor), Ok(text)) = (cursor, std::str::from_utf8(occurrence)) else { return occurrence.clone() };
    with_cursor(text, cursor.into()).into()
}
