//! `GET /dev/outbox`: mail that `delivery.mode = "capture"` kept on this machine.
//!
//! Responses never claim that captured mail was sent: each entry is marked as captured.

use crate::Api;
use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    delivery::CAPTURED,
    error::{ErrorCode, Refusal},
    message::{Channel, Message, RecipientDelivery},
    page::{CursorPosition, PageRequest},
};
use posthouse_store::{Tx, deliveries, inboxes, messages, recipients};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::route::{Route, RouteInput, RouteResponse};
use posthouse_api::{
    views::{PageView, TimestampView, message::DeliveryView},
    wire::{Cursor, Limit, paging, query},
};
use posthouse_app::inbound::return_path::{self, ReturnPath};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/dev/outbox", "listOutbox", Permission::MessagesRead)
            .summary("Lists captured mail, newest first. Captured mail never left this machine.")
            .development()
            .answers::<PageView<OutboxView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(list),
    ]
}

query! {
    /// Page of a list of captured messages.
    struct OutboxQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of messages per page. Default: 25.
        limit: Option<Limit>,
    }
}

/// A captured message.
#[derive(Serialize, JsonSchema)]
struct OutboxView<'a> {
    /// The id of the message.
    id: Uuid,
    /// The inbox that sent the message.
    inbox_id: Uuid,
    /// Always true: the message was not sent to other hosts.
    captured: bool,
    /// The envelope the message would have been sent with.
    envelope: EnvelopeView<'a>,
    /// Delivery state per captured recipient.
    delivery: Vec<DeliveryView<'a>>,
    /// The Message-ID.
    rfc_message_id: &'a str,
    /// The subject.
    subject: Option<&'a str>,
    /// Size of the message in bytes.
    size_bytes: u64,
    /// URL of the raw message, for keys that may read messages.
    raw_url: String,
    /// When the message was sent.
    created_at: TimestampView,
}

/// An SMTP envelope.
#[derive(Serialize, JsonSchema)]
struct EnvelopeView<'a> {
    /// The return path of the first recipient.
    from: &'a str,
    /// The captured recipients.
    to: Vec<&'a str>,
    /// The return path of each recipient, in the order of `to`.
    return_paths: Vec<&'a str>,
}

/// A captured message and the data its view needs.
struct CapturedMessage {
    message: Message,
    /// The return path of each captured recipient.
    return_paths: Vec<String>,
    /// The domain of the inbox.
    domain: String,
    captured: Vec<RecipientDelivery>,
}

async fn list(app: Arc<Api>, input: RouteInput<OutboxQuery>) -> Result<RouteResponse, Refusal> {
    let (caller, query) = (input.caller, input.query);
    let paging = paging("outbox".to_owned(), query.cursor.as_ref(), query.limit)?;
    let (mut entries, next) = app.store.read(move |tx| page(tx, &caller, &paging)).await?;
    for entry in &mut entries {
        let message = entry.message.id;
        let positions = entry.captured.iter().map(|delivery| delivery.position);
        let paths = positions.map(|position| return_path::of(&app, ReturnPath { message, position }, &entry.domain));
        entry.return_paths = paths.collect::<Result<_, _>>().map_err(|error| {
            tracing::error!(cause = %error, "outbox.no_return_path");
            Refusal::new(ErrorCode::Internal, "The return paths couldn't be created.")
        })?;
    }
    let data = entries.iter().map(|entry| view(entry, &app.config.base_url)).collect();
    RouteResponse::json(200, &PageView { data, next_cursor: next })
}

fn page(tx: &mut Tx, caller: &Caller, paging: &PageRequest) -> Result<(Vec<CapturedMessage>, Option<String>), Refusal> {
    let tenant = caller.workspace;
    let mut found = deliveries::captured(tx, tenant, caller.scope().inbox(), &paging.page())?;
    let next = paging.cut(&mut found, |last| CursorPosition { sort: last.created_at.millis(), id: last.message.0 });
    let ids: Vec<_> = found.iter().map(|captured| captured.message).collect();
    let mut messages = messages::get_many(tx, tenant, &ids)?;
    messages.sort_by_key(|message| ids.iter().position(|id| *id == message.id));
    let recipients = recipients::of(tx, tenant, &ids)?;
    let mut entries = Vec::with_capacity(messages.len());
    for message in messages {
        let Some(inbox) = inboxes::get(tx, tenant, message.inbox)? else { continue };
        let is_captured = |delivery: &RecipientDelivery| {
            delivery.channel == Channel::Email && delivery.detail.as_deref() == Some(CAPTURED)
        };
        let of_message = recipients.iter().filter(|of| of.message == message.id && is_captured(&of.delivery));
        let captured = of_message.map(|of| of.delivery.clone()).collect();
        entries.push(CapturedMessage { message, return_paths: Vec::new(), domain: inbox.domain, captured });
    }
    Ok((entries, next))
}

fn view<'a>(entry: &'a CapturedMessage, base_url: &str) -> OutboxView<'a> {
    let m = &entry.message;
    OutboxView {
        id: m.id.into(),
        inbox_id: m.inbox.into(),
        captured: true,
        envelope: EnvelopeView {
            from: entry.return_paths.first().map_or("", String::as_str),
            to: entry.captured.iter().map(|delivery| delivery.address.as_str()).collect(),
            return_paths: entry.return_paths.iter().map(String::as_str).collect(),
        },
        delivery: entry.captured.iter().map(DeliveryView::of).collect(),
        rfc_message_id: &m.rfc_message_id,
        subject: m.subject.as_deref(),
        size_bytes: m.size_bytes,
        raw_url: format!("{base_url}/v1/messages/{}/raw", m.id),
        created_at: m.created_at.into(),
    }
}
