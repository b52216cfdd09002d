//! Records an escalation together with its cause. It is recorded only if somebody confirmed to be on call, and if it
//! isn't a response to mail that the service sent to people on call.

use posthouse_domain::{
    Draft, DraftId, Escalation, EscalationTrigger, IdGenerator, InboxId, JobKind, JobReason, Message, MessageId, Time,
    WorkspaceId, escalation::ESCALATIONS_PENDING_MAX,
};
use posthouse_store::{Result, Tx, escalations, jobs, jobs::NewJob, messages};

use super::{effective, response};

/// What an escalation is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EscalationSubject<'a> {
    /// The workspace.
    Workspace(WorkspaceId),
    /// A message.
    Message(&'a Message),
    /// A draft.
    Draft(&'a Draft),
}

impl EscalationSubject<'_> {
    fn workspace(&self) -> WorkspaceId {
        match self {
            Self::Workspace(id) => *id,
            Self::Message(message) => message.workspace,
            Self::Draft(draft) => draft.workspace,
        }
    }

    fn inbox(&self) -> Option<InboxId> {
        match self {
            Self::Workspace(_) => None,
            Self::Message(message) => Some(message.inbox),
            Self::Draft(draft) => Some(draft.inbox),
        }
    }

    fn message(&self) -> Option<MessageId> {
        if let Self::Message(message) = self { Some(message.id) } else { None }
    }

    fn draft(&self) -> Option<DraftId> {
        if let Self::Draft(draft) = self { Some(draft.id) } else { None }
    }

    /// Returns whether the subject continues a conversation that the service began with people on call.
    fn is_response(&self, tx: &mut Tx) -> Result<bool> {
        match self {
            Self::Workspace(_) => Ok(false),
            Self::Message(message) => response::is_response(tx, message),
            Self::Draft(draft) => match draft.answers {
                Some(answered) => match messages::get(tx, draft.workspace, answered)? {
                    Some(message) => response::is_response(tx, &message),
                    None => Ok(false),
                },
                None => Ok(false),
            },
        }
    }
}

/// Records an escalation and enqueues its job, if the trigger is on.
pub(crate) fn raise(
    tx: &mut Tx,
    trigger: EscalationTrigger,
    subject: EscalationSubject<'_>,
    ids: &IdGenerator,
    now: Time,
) -> Result<()> {
    let (workspace, inbox) = (subject.workspace(), subject.inbox());
    let effective = effective::load(tx, workspace, inbox)?;
    let is_anyone_on_call = effective.contacts.iter().any(|contact| contact.confirmed_at.is_some());
    if !effective.triggers.has(trigger) || !is_anyone_on_call || subject.is_response(tx)? {
        return Ok(());
    }
    if escalations::count(tx, workspace, inbox, trigger)? >= ESCALATIONS_PENDING_MAX {
        return Ok(());
    }
    let escalation = Escalation {
        workspace,
        id: ids.next(),
        inbox,
        trigger,
        message: subject.message(),
        draft: subject.draft(),
        digest_at: None,
        created_at: now,
    };
    escalations::insert(tx, &escalation)?;
    enqueue(tx, workspace, ids, now)
}

/// Makes the job of a workspace due now, if something waits: its settings changed.
pub(crate) fn reconsider(tx: &mut Tx, workspace: WorkspaceId, ids: &IdGenerator, now: Time) -> Result<()> {
    if escalations::pending(tx, workspace, 1)?.is_empty() { Ok(()) } else { enqueue(tx, workspace, ids, now) }
}

fn enqueue(tx: &mut Tx, workspace: WorkspaceId, ids: &IdGenerator, now: Time) -> Result<()> {
    let job = NewJob::new(JobKind::Escalation, JobReason::Escalated, workspace, workspace.0, ids.next(), now);
    // A job that waits for a digest must run now.
    jobs::enqueue(tx, &job)
}

/// Records the escalations that new labels of a message cause.
pub(crate) fn raise_labels<'a>(
    tx: &mut Tx,
    message: &Message,
    added: impl IntoIterator<Item = &'a str>,
    ids: &IdGenerator,
    now: Time,
) -> Result<()> {
    for trigger in EscalationTrigger::of_labels(added) {
        raise(tx, trigger, EscalationSubject::Message(message), ids, now)?;
    }
    Ok(())
}
