//! Mail from the service to a person, such as a sign-in link or an escalation. It is sent from an inbox of the service's own
//! workspace, so that a workspace needs no inbox for it and no stop, pause, suspension or limit of a workspace holds it
//! (`docs/decisions/people.md#0095-the-services-own-mail`). Its budgets are those of `limits::service_mails`.

use std::sync::Arc;

use posthouse_domain::{
    AiDisclosure, AiProcessing, Caller, ClaimStatus, ErrorCode, IdGenerator, Inbox, InboxKind, MessageId,
    OutboundPolicy, Plan, Refusal, ScreeningMode, ScreeningSettings, SendPurpose, ServiceMailKind, Time, Username,
    Workspace, WorkspaceId, WorkspaceOrigin,
};
use posthouse_store::{Tx, inboxes, service_mails, workspaces};
use serde_json::Map;

use super::{accept, accept::AcceptHook, compose, send_context::SendContext, written_mail::WrittenMail};
use crate::inboxes::create::{self, Lifespan, NewInbox};
use crate::service::{ReadScope, Service};

/// The display name of the sender.
const SENDER_NAME: &str = "Posthouse";

/// A mail from the service to people.
pub(crate) struct ServiceMail {
    /// What it is about.
    pub(crate) kind: ServiceMailKind,
    /// The workspace that it is written for; a new person has none yet.
    pub(crate) workspace: Option<WorkspaceId>,
    pub(crate) mail: WrittenMail,
}

/// The changes of a hook, and the record for whom the mail was written.
struct ServiceMailHook {
    kind: ServiceMailKind,
    workspace: Option<WorkspaceId>,
    inner: Box<dyn AcceptHook>,
}

impl AcceptHook for ServiceMailHook {
    fn purpose(&self) -> SendPurpose {
        SendPurpose::Service
    }

    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        self.inner.check_unchanged(tx)
    }

    fn settle(
        &self,
        tx: &mut Tx,
        message: MessageId,
        caller: &Caller,
        ids: &IdGenerator,
        now: Time,
    ) -> Result<(), Refusal> {
        self.inner.settle(tx, message, caller, ids, now)?;
        match self.workspace {
            Some(workspace) => Ok(service_mails::insert(tx, workspace, message, self.kind, now)?),
            None => Ok(()),
        }
    }
}

/// Sends a mail, together with the changes of `hook`.
///
/// # Errors
/// Returns the refusals of `hook`.
pub(crate) async fn send(service: &Arc<Service>, mail: ServiceMail, hook: Box<dyn AcceptHook>) -> Result<(), Refusal> {
    let inbox = sender(service).await?;
    let author = compose::author(&inbox)?;
    let unwritable = || Refusal::new(ErrorCode::Internal, "The mail couldn't be composed.");
    let ServiceMail { kind, workspace, mail } = mail;
    let written = mail.asking(kind == ServiceMailKind::Confirmation);
    let outgoing = written.compose(&author, service.clock.now()).ok_or_else(unwritable)?;
    let context = SendContext::of_service(&inbox);
    let hook = Box::new(ServiceMailHook { kind, workspace, inner: hook });
    accept::accept_with_hook(service, context, outgoing, inbox, hook, Arc::new(|_| Ok(String::new()))).await?;
    Ok(())
}

/// Returns the inbox that the service sends from; creates it for the first mail.
async fn sender(service: &Service) -> Result<Inbox, Refusal> {
    let address = format!("{}@{}", Username::service_sender(), service.config.mail.default_domain);
    let find = move |tx: &mut Tx| inboxes::by_address(tx, &address);
    if let Some(inbox) = service.read(ReadScope::Service, find.clone()).await? {
        return own(inbox);
    }
    let workspace = service_workspace(service);
    let new = NewInbox {
        kind: InboxKind::Mailbox,
        life: Lifespan::Permanent { username: Some(Username::service_sender()), client_id: None, domain: None },
        display_name: Some(SENDER_NAME.to_owned()),
        metadata: Map::new(),
    };
    let creation = create::plan(service, Caller::operator(WorkspaceId::SERVICE), new);
    let created = service.write(move |tx| {
        workspaces::insert(tx, &workspace)?;
        creation.execute(tx).map(drop)
    });
    match created.await {
        // Another process created it at the same time.
        Err(refusal) if refusal.code != ErrorCode::AddressTaken => return Err(refusal),
        _ => {}
    }
    let missing = || Refusal::new(ErrorCode::Internal, "The inbox of the service is missing.");
    own(service.read(ReadScope::Service, find).await?.ok_or_else(missing)?)
}

/// Checks that the inbox belongs to the service: the local part is reserved, so nobody else can have it.
fn own(inbox: Inbox) -> Result<Inbox, Refusal> {
    let foreign = || Refusal::new(ErrorCode::Internal, "The address of the service belongs to a workspace.");
    if inbox.workspace == WorkspaceId::SERVICE { Ok(inbox) } else { Err(foreign()) }
}

fn service_workspace(service: &Service) -> Workspace {
    Workspace {
        id: WorkspaceId::SERVICE,
        name: SENDER_NAME.to_owned(),
        owner_email: String::new(),
        plan: Plan::Team,
        suspended: false,
        suspension: None,
        origin: WorkspaceOrigin::Operator,
        claim: ClaimStatus::NotApplicable,
        claimed_at: None,
        notice: None,
        stopped_at: None,
        stop_reason: None,
        ai_processing: AiProcessing::Off,
        screening: ScreeningSettings { mode: ScreeningMode::Off, ..ScreeningSettings::DEFAULT },
        outbound_policy: OutboundPolicy::Off,
        daily_send_limit: None,
        ai_disclosure: AiDisclosure::NONE,
        retention_days: None,
        created_at: service.clock.now(),
    }
}
