//! `GET /dev/outbox`: mail that `delivery.mode = "capture"` kept on this machine.
//!
//! Responses never claim that captured mail was sent: each entry is marked as captured.

use posthouse_api::{views::TimestampView, views::delivery::DeliveryView};
use posthouse_app::{mailbox::return_path, mailbox::return_path::ReturnPath, messages::raw};
use posthouse_call::prelude::*;
use posthouse_domain::{
    Channel, CursorPosition, Message, MessageId, Page, PageRequest, RecipientDelivery, WorkspaceId, delivery::CAPTURED,
};
use posthouse_store::{Tx, deliveries, inboxes, messages, recipients};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/dev/outbox", "listOutbox", Permission::MessagesRead)
            .summary("Lists captured mail, newest first. Captured mail never left this machine.")
            .development()
            .responds::<PageView<OutboxView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(list),
        Operation::new(Method::Get, "/dev/outbox/{id}/raw", "getCapturedRaw", Permission::MessagesRead)
            .workspace_wide()
            .summary("Downloads a captured message. The links in mail to people work.")
            .development()
            .responds_with(200, Some("message/rfc822"))
            .errors(&[ErrorCode::NotFound, ErrorCode::ContentDamaged])
            .handle(raw_message),
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
struct OutboxMessage {
    message: Message,
    /// The return path of each captured recipient.
    return_paths: Vec<String>,
    /// The domain of the inbox.
    domain: String,
    captured: Vec<RecipientDelivery>,
}

async fn list(service: Arc<Service>, input: Input<OutboxQuery>) -> Result<Outcome, Refusal> {
    let (caller, query) = (input.caller, input.query);
    let paging = paging("outbox".to_owned(), query.cursor.as_ref(), query.limit)?;
    let mut page = service.read(caller.workspace, move |tx| read_page(tx, &caller, &paging)).await?;
    for entry in page.rows_mut() {
        let message = entry.message.id;
        let positions = entry.captured.iter().map(|delivery| delivery.position);
        let paths =
            positions.map(|position| return_path::of(&service, ReturnPath { message, position }, &entry.domain));
        entry.return_paths = paths.collect::<Result<_, _>>().map_err(|error| {
            tracing::error!(cause = %error, "outbox.no_return_path");
            Refusal::new(ErrorCode::Internal, "The return paths couldn't be created.")
        })?;
    }
    Outcome::page(&service, &page, |entry| view(entry, &service.config.base_url))
}

async fn raw_message(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "message")?;
    let raw = raw::captured(&service, input.caller, id).await?;
    Ok(Outcome::typed(200, "message/rfc822", raw))
}

fn read_page(tx: &mut Tx, caller: &Caller, paging: &PageRequest) -> Result<Page<OutboxMessage>, Refusal> {
    let found = deliveries::captured(tx, caller.workspace, caller.scope().inbox(), &paging.page())?;
    let page = paging.page_of(found, |last| CursorPosition { sort: last.created_at.millis(), id: last.message.0 });
    page.try_map(|found| {
        let ids: Vec<MessageId> = found.iter().map(|captured| captured.message).collect();
        let own = load(tx, caller.workspace, &ids)?;
        let from_service = load(tx, WorkspaceId::SERVICE, &ids)?;
        Ok(own.into_iter().zip(from_service).map(|(own, from_service)| own.or(from_service)).collect())
    })
}

/// Loads captured messages; `None` for one that isn't in this workspace, or whose inbox no longer exists.
fn load(tx: &mut Tx, tenant: WorkspaceId, ids: &[MessageId]) -> Result<Vec<Option<OutboxMessage>>, Refusal> {
    let mut messages = messages::get_many(tx, tenant, ids)?;
    let recipients = recipients::of(tx, tenant, ids)?;
    let mut entries = Vec::with_capacity(ids.len());
    for id in ids {
        let message = messages.iter().position(|message| message.id == *id).map(|at| messages.swap_remove(at));
        let inbox = message.as_ref().map(|message| inboxes::get(tx, tenant, message.inbox)).transpose()?.flatten();
        let is_captured = |delivery: &RecipientDelivery| {
            delivery.channel == Channel::Email && delivery.detail.as_deref() == Some(CAPTURED)
        };
        let of_message = recipients.iter().filter(|of| of.message == *id && is_captured(&of.delivery));
        let captured = of_message.map(|of| of.delivery.clone()).collect();
        entries.push(message.zip(inbox).map(|(message, inbox)| OutboxMessage {
            message,
            return_paths: Vec::new(),
            domain: inbox.domain,
            captured,
        }));
    }
    Ok(entries)
}

fn view<'a>(entry: &'a OutboxMessage, base_url: &str) -> OutboxView<'a> {
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
        raw_url: match m.workspace {
            WorkspaceId::SERVICE => format!("{base_url}/dev/outbox/{}/raw", m.id),
            _ => format!("{base_url}/v1/messages/{}/raw", m.id),
        },
        created_at: m.created_at.into(),
    }
}
