//! Reads mail that `delivery.mode = "capture"` kept on this machine.

use posthouse_domain::{
    Caller, Channel, CursorPosition, ErrorCode, Message, MessageId, Page, PageParameters, RecipientDelivery, Refusal,
    WorkspaceId, delivery::CAPTURED,
};
use posthouse_store::{Tx, deliveries, inboxes, messages, recipients};

use crate::{mailbox::return_path, mailbox::return_path::ReturnPath, service::Service};

/// A captured message.
#[derive(Clone, PartialEq, Debug)]
pub struct CapturedMessage {
    pub message: Message,
    /// The delivery state of each captured recipient.
    pub deliveries: Vec<RecipientDelivery>,
    /// The return path of each captured recipient.
    pub return_paths: Vec<String>,
}

/// A captured message, and the domain of the inbox that sent it.
type Found = (CapturedMessage, String);

/// Returns a page of the captured messages that the caller can access, newest first: those of its workspace, and those
/// that the service sent to the people of the workspace.
///
/// # Errors
/// Returns `invalid_cursor`, or `internal_error` if the instance key cannot be read.
pub async fn page(service: &Service, caller: Caller, page: PageParameters) -> Result<Page<CapturedMessage>, Refusal> {
    let (workspace, inbox) = (caller.workspace, caller.scope().narrow(None)?);
    let list = page.of_list("outbox".to_owned())?;
    let work = move |tx: &mut Tx| {
        let found = deliveries::captured(tx, workspace, inbox, &list.page())?;
        let page = list.page_of(found, |last| CursorPosition::of(last.created_at, last.message.0));
        page.try_map(|found| {
            let ids: Vec<MessageId> = found.iter().map(|captured| captured.message).collect();
            let own = load(tx, workspace, &ids)?;
            let from_service = load(tx, WorkspaceId::SERVICE, &ids)?;
            Ok::<_, Refusal>(
                own.into_iter().zip(from_service).map(|(own, from_service)| own.or(from_service)).collect(),
            )
        })
    };
    let mut page: Page<Found> = service.read(workspace, work).await?;
    for (captured, domain) in page.rows_mut() {
        captured.return_paths = return_paths(service, captured, domain)?;
    }
    page.try_map(|found| Ok(found.into_iter().map(|(captured, _)| Some(captured)).collect()))
}

/// Loads captured messages; `None` for one that isn't in this workspace, or whose inbox no longer exists.
fn load(tx: &mut Tx, tenant: WorkspaceId, ids: &[MessageId]) -> Result<Vec<Option<Found>>, Refusal> {
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
        let deliveries = of_message.map(|of| of.delivery.clone()).collect();
        let captured = |message| CapturedMessage { message, deliveries, return_paths: Vec::new() };
        entries.push(message.zip(inbox).map(|(message, inbox)| (captured(message), inbox.domain)));
    }
    Ok(entries)
}

fn return_paths(service: &Service, captured: &CapturedMessage, domain: &str) -> Result<Vec<String>, Refusal> {
    let message = captured.message.id;
    let of = |delivery: &RecipientDelivery| {
        return_path::of(service, ReturnPath { message, position: delivery.position }, domain)
    };
    captured.deliveries.iter().map(of).collect::<Result<_, _>>().map_err(|error| {
        tracing::error!(cause = %error, "outbox.no_return_path");
        Refusal::new(ErrorCode::Internal, "The return paths couldn't be created.")
    })
}
