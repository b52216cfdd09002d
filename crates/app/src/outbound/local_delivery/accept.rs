//! The sender's side of mail between workspaces: hands a message to the workspaces of its recipients, in the
//! transaction that accepts it.

use posthouse_domain::{
    EnvelopeId, IdGenerator, Inbox, JobKind, JobReason, LocalDeliveryState, Message, Time, WorkspaceId,
};
use posthouse_mail::address::Address;
use posthouse_store::jobs::{self, NewJob};
use posthouse_store::local_deliveries::{self, LocalDelivery, LocalRecipient};
use posthouse_store::{Result, Tx, contents};

use super::{LocalCopy, RecipientRoute};

/// The recipients of a message in another workspace.
pub struct OtherWorkspace {
    pub workspace: WorkspaceId,
    pub delivery: EnvelopeId,
    pub recipients: Vec<LocalRecipient>,
}

/// Returns the recipients on this service outside the sender's workspace, by workspace.
pub fn other_workspaces(
    sender: &Inbox,
    routes: &[(Address, RecipientRoute)],
    ids: &IdGenerator,
) -> Vec<OtherWorkspace> {
    let mut others: Vec<OtherWorkspace> = Vec::new();
    for (position, (_, route)) in (0u32..).zip(routes) {
        let RecipientRoute::Local(inbox) = route else { continue };
        if inbox.workspace == sender.workspace {
            continue;
        }
        let recipient = LocalRecipient { position, inbox: inbox.id };
        match others.iter_mut().find(|other| other.workspace == inbox.workspace) {
            Some(other) => other.recipients.push(recipient),
            None => others.push(OtherWorkspace {
                workspace: inbox.workspace,
                delivery: ids.next(),
                recipients: vec![recipient],
            }),
        }
    }
    others
}

/// Stores the content of a copy and the delivery in each workspace, with a job of that workspace. Only inserts rows, so
/// it waits for no other transaction.
pub fn enqueue(
    tx: &mut Tx,
    sent: &Message,
    copy: LocalCopy<'_>,
    others: Vec<OtherWorkspace>,
    ids: &IdGenerator,
    now: Time,
) -> Result<()> {
    for other in others {
        let delivery = LocalDelivery {
            workspace: other.workspace,
            id: other.delivery,
            sender_workspace: sent.workspace,
            sender_inbox: sent.inbox,
            message: sent.id,
            content: ids.next(),
            mail_from: copy.from.to_string(),
            requested: copy.requested.cloned(),
            signed: copy.signer.map(|signer| signer.content().clone()),
            disclosed: copy.disclosed,
            recipients: other.recipients,
            state: LocalDeliveryState::Pending,
            missing: Vec::new(),
            detail: None,
            created_at: sent.created_at,
        };
        contents::insert_pending(tx, delivery.workspace, delivery.content, copy.raw, &copy.mail.bodies)?;
        local_deliveries::insert(tx, &delivery)?;
        let job =
            NewJob::new(JobKind::LocalDelivery, JobReason::Queued, delivery.workspace, delivery.id.0, ids.next(), now)
                .in_group(sent.inbox.to_string());
        jobs::enqueue(tx, &job)?;
    }
    Ok(())
}
