//! Complete records: messages with their bodies, attachments, deliveries and approval.

use posthouse_domain::{
    Direction, HoldReason, InboxId, Message, MessageBodies, MessageId, Record, RecordView, ScreeningMode, WorkspaceId,
};

use super::{body_bytes, get, may_exceed};
use crate::{Result, Tx, approvals, attachments, contents, inboxes, recipients, workspaces};

/// Adds the related data to up to 100 messages of one workspace; keeps their order.
pub fn records(tx: &mut Tx, workspace: WorkspaceId, messages: Vec<Message>) -> Result<Vec<Record>> {
    records_in(tx, workspace, messages, RecordView::Full)
}

/// Like [`records`]. A summary reads of the bodies only the start of the new text.
pub fn records_in(
    tx: &mut Tx,
    workspace: WorkspaceId,
    messages: Vec<Message>,
    view: RecordView,
) -> Result<Vec<Record>> {
    let ids = |wanted: fn(&Message) -> bool| messages.iter().filter(|m| wanted(m)).map(|m| m.id).collect::<Vec<_>>();
    let contents: Vec<_> = messages.iter().map(|m| m.content).collect();
    let mut bodies = match view {
        RecordView::Full => contents::bodies(tx, workspace, &contents)?,
        RecordView::Summary => contents::summaries(tx, workspace, &contents)?,
    };
    let attachments = attachments::of(tx, workspace, &ids(|m| m.has_attachments))?;
    let deliveries = recipients::of(tx, workspace, &ids(|m| m.direction == Direction::Outbound))?;
    let screened = screened_inboxes(tx, workspace, &messages)?;
    let approvals = approvals::of(tx, workspace, &ids(|m| m.direction == Direction::Outbound))?;
    let shared = |id, rest: &[Message]| rest.iter().any(|m| m.content == id);
    let mut records = Vec::with_capacity(messages.len());
    for at in 0..messages.len() {
        let message = messages[at].clone();
        let index = bodies.iter().position(|content| content.id == message.content);
        let own = match index {
            Some(index) if shared(message.content, &messages[at + 1..]) => bodies[index].bodies.clone(),
            Some(index) => bodies.swap_remove(index).bodies,
            None => MessageBodies::default(),
        };
        let files = attachments.iter().filter(|a| a.message == message.id).cloned().collect();
        let delivered_to = deliveries.iter().filter(|d| d.message == message.id).map(|d| d.delivery.clone()).collect();
        let is_screened = screened.contains(&message.inbox) || message.held == Some(HoldReason::Rule);
        let withheld = message.is_held() && is_screened;
        let approval = approvals.iter().find(|approval| approval.message == message.id).cloned();
        let deliveries = delivered_to;
        records.push(Record {
            message,
            bodies: own,
            attachments: files,
            deliveries,
            withheld,
            approval,
            shows_release: false,
            view,
        });
    }
    Ok(records)
}

/// Returns the first of up to 100 messages with all their related data: as many as have bodies of `bytes_max` together,
/// but at least one. Nothing is read of the others.
pub fn records_within(
    tx: &mut Tx,
    workspace: WorkspaceId,
    mut messages: Vec<Message>,
    bytes_max: u64,
) -> Result<Vec<Record>> {
    if !may_exceed(messages.iter().map(|message| message.size_bytes).sum(), bytes_max) {
        return records(tx, workspace, messages);
    }
    let ids: Vec<MessageId> = messages.iter().map(|message| message.id).collect();
    let sizes = body_bytes(tx, workspace, &ids)?;
    let size = |message: &Message| sizes.iter().find(|(id, _)| *id == message.id).map_or(0, |(_, size)| *size);
    let (mut sum, mut count) = (0, 0);
    for message in &messages {
        sum += size(message);
        if count > 0 && sum > bytes_max {
            break;
        }
        count += 1;
    }
    messages.truncate(count);
    records(tx, workspace, messages)
}

/// Returns whether a message's content is withheld unless the caller requests held mail: the message is held, and its
/// inbox has screening enabled.
pub fn is_withheld(tx: &mut Tx, message: &Message) -> Result<bool> {
    if message.is_held() && message.held == Some(HoldReason::Rule) {
        return Ok(true);
    }
    Ok(message.is_held() && screening_mode(tx, message.workspace, message.inbox)? != ScreeningMode::Off)
}

/// Returns how the mail of an inbox is screened.
pub fn screening_mode(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId) -> Result<ScreeningMode> {
    if let Some(mode) = inboxes::get(tx, workspace, inbox)?.and_then(|inbox| inbox.screening) {
        return Ok(mode);
    }
    Ok(workspaces::get(tx, workspace)?.map_or(ScreeningMode::Hold, |workspace| workspace.screening.mode))
}

/// Returns the inboxes with held messages among these that withhold their content.
fn screened_inboxes(tx: &mut Tx, workspace: WorkspaceId, messages: &[Message]) -> Result<Vec<InboxId>> {
    let mut inboxes: Vec<InboxId> = messages.iter().filter(|m| m.is_held()).map(|m| m.inbox).collect();
    inboxes.sort_unstable();
    inboxes.dedup();
    let mut screened = Vec::new();
    for inbox in inboxes {
        if screening_mode(tx, workspace, inbox)? != ScreeningMode::Off {
            screened.push(inbox);
        }
    }
    Ok(screened)
}

/// Returns a message with all its related data.
pub fn record(tx: &mut Tx, workspace: WorkspaceId, id: MessageId) -> Result<Option<Record>> {
    let Some(message) = get(tx, workspace, id)? else { return Ok(None) };
    Ok(records(tx, workspace, vec![message])?.pop())
}
