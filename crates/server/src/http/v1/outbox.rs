//! `GET /dev/outbox`: what would have left this machine (`delivery.mode = "capture"`, operations.md; decision 25).
//!
//! Never says that captured mail was sent to anybody: each entry is marked as captured.

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    delivery::CAPTURED,
    error::{Code, Refusal},
    message::{Channel, Delivery, Message},
    page::{Paging, Position},
};
use posthouse_store::{Tx, deliveries, inboxes, messages, recipients};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    app::{
        App,
        bounce_address::{self, ReturnPath},
    },
    http::{
        route::{Answer, Input, Route},
        wire::{Cursor, Limit, paging, query},
    },
    views::{Moment, PageView, message::DeliveryView},
};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/dev/outbox", "listOutbox", Permission::MessagesRead)
            .summary("Captured mail, newest first: it was kept on this machine, and nothing left it.")
            .development()
            .answers::<PageView<OutboxView<'_>>>(200)
            .errors(&[Code::InvalidCursor])
            .handle(list),
    ]
}

query! {
    /// Which page is wanted.
    struct OutboxQuery {
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most messages of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

/// A captured message.
#[derive(Serialize, JsonSchema)]
struct OutboxView<'a> {
    /// The message.
    id: Uuid,
    /// The inbox it was sent from.
    inbox_id: Uuid,
    /// Always true: nothing of it left this machine.
    captured: bool,
    /// The envelope it would have left with.
    envelope: EnvelopeView<'a>,
    /// What its delivery entries say.
    delivery: Vec<DeliveryView<'a>>,
    /// The Message-ID.
    rfc_message_id: &'a str,
    /// The subject.
    subject: Option<&'a str>,
    /// Its size in bytes.
    size_bytes: u64,
    /// Where its bytes are, for a key that may read messages.
    raw_url: String,
    /// When it was sent.
    created_at: Moment,
}

/// SMTP's envelope.
#[derive(Serialize, JsonSchema)]
struct EnvelopeView<'a> {
    /// The return path of the first recipient.
    from: &'a str,
    /// The recipients that it was captured for.
    to: Vec<&'a str>,
    /// The return path of each recipient, in the order of `to`.
    return_paths: Vec<&'a str>,
}

/// A captured message with what is shown of it.
struct Entry {
    message: Message,
    /// The return path of each captured recipient.
    return_paths: Vec<String>,
    /// The domain of the inbox.
    domain: String,
    captured: Vec<Delivery>,
}

async fn list(app: Arc<App>, input: Input<OutboxQuery>) -> Result<Answer, Refusal> {
    let (caller, query) = (input.caller, input.query);
    let paging = paging("outbox".to_owned(), query.cursor.as_ref(), query.limit)?;
    let (mut entries, next) = app.store.read(move |tx| page(tx, &caller, &paging)).await?;
    for entry in &mut entries {
        let message = entry.message.id;
        let positions = entry.captured.iter().map(|delivery| delivery.position);
        let paths = positions.map(|position| bounce_address::of(&app, ReturnPath { message, position }, &entry.domain));
        entry.return_paths = paths.collect::<Result<_, _>>().map_err(|error| {
            tracing::error!(cause = %error, "outbox.no_return_path");
            Refusal::new(Code::Internal, "The return paths cannot be made now.")
        })?;
    }
    let data = entries.iter().map(|entry| view(entry, &app.config.base_url)).collect();
    Answer::json(200, &PageView { data, next_cursor: next })
}

fn page(tx: &mut Tx, caller: &Caller, paging: &Paging) -> Result<(Vec<Entry>, Option<String>), Refusal> {
    let tenant = caller.workspace;
    let mut found = deliveries::captured(tx, tenant, caller.scope.inbox(), &paging.page())?;
    let next = paging.cut(&mut found, |last| Position { sort: last.created_at.millis(), id: last.message.0 });
    let ids: Vec<_> = found.iter().map(|captured| captured.message).collect();
    let mut messages = messages::get_many(tx, tenant, &ids)?;
    messages.sort_by_key(|message| ids.iter().position(|id| *id == message.id));
    let recipients = recipients::of(tx, tenant, &ids)?;
    let mut entries = Vec::with_capacity(messages.len());
    for message in messages {
        let Some(inbox) = inboxes::get(tx, tenant, message.inbox)? else { continue };
        let is_captured =
            |delivery: &Delivery| delivery.channel == Channel::Email && delivery.detail.as_deref() == Some(CAPTURED);
        let of_message = recipients.iter().filter(|of| of.message == message.id && is_captured(&of.delivery));
        let captured = of_message.map(|of| of.delivery.clone()).collect();
        entries.push(Entry { message, return_paths: Vec::new(), domain: inbox.domain, captured });
    }
    Ok((entries, next))
}

fn view<'a>(entry: &'a Entry, base_url: &str) -> OutboxView<'a> {
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
