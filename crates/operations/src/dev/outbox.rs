//! `GET /dev/outbox`: mail that `delivery.mode = "capture"` kept on this machine.
//!
//! Responses never claim that captured mail was sent: each entry is marked as captured.

use posthouse_api::{views::TimestampView, views::delivery::DeliveryView};
use posthouse_app::messages::raw;
use posthouse_app::outbound::captured::{self, CapturedMessage};
use posthouse_call::prelude::*;
use posthouse_domain::WorkspaceId;
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
        Operation::new(Method::Get, "/dev/outbox/{id}/raw", "getRawCapturedMessage", Permission::MessagesRead)
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
        limit: Limit,
    }
}

/// A captured message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CapturedMessage")]
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
#[schemars(rename = "Envelope")]
struct EnvelopeView<'a> {
    /// The return path of the first recipient.
    from: &'a str,
    /// The captured recipients.
    to: Vec<&'a str>,
    /// The return path of each recipient, in the order of `to`.
    return_paths: Vec<&'a str>,
}

async fn list(service: Arc<Service>, input: Input<OutboxQuery>) -> Result<Outcome, Refusal> {
    let page = captured::page(&service, input.caller, paging(input.query.cursor, input.query.limit)).await?;
    Outcome::page(&service, &page, |entry| view(entry, &service.config.base_url))
}

async fn raw_message(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "message")?;
    let raw = raw::captured(&service, input.caller, id).await?;
    Ok(Outcome::typed(200, "message/rfc822", raw))
}

fn view<'a>(entry: &'a CapturedMessage, base_url: &str) -> OutboxView<'a> {
    let m = &entry.message;
    OutboxView {
        id: m.id.into(),
        inbox_id: m.inbox.into(),
        captured: true,
        envelope: EnvelopeView {
            from: entry.return_paths.first().map_or("", String::as_str),
            to: entry.deliveries.iter().map(|delivery| delivery.address.as_str()).collect(),
            return_paths: entry.return_paths.iter().map(String::as_str).collect(),
        },
        delivery: entry.deliveries.iter().map(DeliveryView::of).collect(),
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
