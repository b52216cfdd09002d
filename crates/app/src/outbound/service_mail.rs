//! Mail from the service to a person, such as a sign-in link or an escalation. It is sent from an inbox of the service's own
//! workspace, so that a workspace needs no inbox for it and no stop, pause, suspension or limit of a workspace holds it
//! (`docs/decisions/0095-the-service-writes-its-own-mail.md`). Its budgets are those of `limits::service_mails`.

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    gate::SendPurpose,
    id::{IdGenerator, MessageId, WorkspaceId},
    inbox::{Inbox, InboxKind, Username},
    plan::Plan,
    send::MessageRecipients,
    service_mail::ServiceMailKind,
    time::Time,
    workspace::{AiDisclosure, AiProcessing, ClaimStatus, Workspace, WorkspaceOrigin},
};
use posthouse_mail::{
    address::{Address, Mailbox},
    autoreply::AutoSubmittedKind,
    build::{self, MimeMessage},
    thread,
};
use posthouse_store::{Tx, inboxes, service_mails, workspaces};
use serde_json::Map;

use super::{
    compose::{self, ComposedMessage, OutgoingKind, OutgoingMessage},
    plain_mail::PlainMail,
    queue::{self, QueueHook},
    send_context::SendContext,
    submission::empty_content,
};
use crate::{
    app::App,
    inboxes::create::{self, Lifespan, NewInbox},
};

/// The display name of the sender.
const SENDER_NAME: &str = "Posthouse";

/// A mail from the service to people.
pub(crate) struct ServiceMail {
    /// What it is about.
    pub(crate) kind: ServiceMailKind,
    /// The workspace that it is written for; a new person has none yet.
    pub(crate) workspace: Option<WorkspaceId>,
    /// The id of the stored message.
    pub(crate) message: MessageId,
    /// The recipients; one, if it has a link.
    pub(crate) to: Vec<Address>,
    /// The subject; in ASCII, if it has a link.
    pub(crate) subject: String,
    /// The text body, with placeholders for the token and the code.
    pub(crate) text: String,
    /// The token that replaces the placeholder in the sent bytes.
    pub(crate) token: Option<String>,
}

/// The changes of a hook, and the record for whom the mail was written.
struct ServiceMailHook {
    kind: ServiceMailKind,
    workspace: Option<WorkspaceId>,
    inner: Box<dyn QueueHook>,
}

impl QueueHook for ServiceMailHook {
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
pub(crate) async fn send(app: &Arc<App>, mail: ServiceMail, hook: Box<dyn QueueHook>) -> Result<(), Refusal> {
    let inbox = sender(app).await?;
    let author = compose::author(&inbox)?;
    let unwritable = || Refusal::new(ErrorCode::Internal, "The mail couldn't be composed.");
    let raw = raw(app, &mail, &author).ok_or_else(unwritable)?;
    let to = mail.to.into_iter().map(Mailbox::from).collect();
    let people = MessageRecipients { to, cc: Vec::new(), bcc: Vec::new() };
    let is_request = mail.kind == ServiceMailKind::Confirmation;
    let origin = OutgoingKind::Submitted(ComposedMessage {
        raw,
        answers: None,
        token: mail.token,
        is_by_agent: false,
        is_request,
    });
    let (message, subject) = (mail.message, mail.subject);
    let outgoing = OutgoingMessage { message, people, subject, content: empty_content(), origin, author: None };
    let caller = Caller::service(inbox.workspace, inbox.id);
    let context = SendContext { caller, inbox: inbox.id, key: None, fence: None };
    let hook = Box::new(ServiceMailHook { kind: mail.kind, workspace: mail.workspace, inner: hook });
    queue::post_with_hook(app, context, outgoing, inbox, hook, Arc::new(|_| Ok(String::new()))).await?;
    Ok(())
}

/// Composes the MIME of a mail; `None` if it can't be written.
fn raw(app: &App, mail: &ServiceMail, author: &Mailbox) -> Option<Vec<u8>> {
    let (message, now) = (mail.message, app.clock.now());
    if mail.token.is_some() {
        let to = mail.to.first()?;
        return PlainMail { message, from: author, to, subject: &mail.subject, text: &mail.text }.compose(now);
    }
    let to: Vec<Mailbox> = mail.to.iter().cloned().map(Mailbox::from).collect();
    let built = build::build(&MimeMessage {
        message_id: &thread::new_message_id(&message.to_string(), author.address().domain()),
        date_ms: now.millis(),
        from: author,
        to: &to,
        cc: &[],
        reply_to: &[],
        subject: &mail.subject,
        text: Some(&mail.text),
        html: None,
        attachments: &[],
        in_reply_to: None,
        references: &[],
        extra: &AutoSubmittedKind::AutoGenerated.fields(),
    });
    Some(built.ok()?.raw)
}

/// Returns the inbox that the service sends from; creates it for the first mail.
async fn sender(app: &App) -> Result<Inbox, Refusal> {
    let address = format!("{}@{}", Username::service_sender(), app.config.mail.default_domain);
    let find = move |tx: &mut Tx| inboxes::by_address(tx, &address);
    if let Some(inbox) = app.store.read(find.clone()).await? {
        return own(inbox);
    }
    let workspace = service_workspace(app);
    let new = NewInbox {
        kind: InboxKind::Mailbox,
        life: Lifespan::Permanent { username: Some(Username::service_sender()), client_id: None, domain: None },
        display_name: Some(SENDER_NAME.to_owned()),
        metadata: Map::new(),
    };
    let creation = create::plan(app, Caller::operator(WorkspaceId::SERVICE), new);
    let created = app.store.write(move |tx| {
        workspaces::insert(tx, &workspace)?;
        creation.execute(tx).map(drop)
    });
    match created.await {
        // Another process created it at the same time.
        Err(refusal) if refusal.code != ErrorCode::AddressTaken => return Err(refusal),
        _ => {}
    }
    let missing = || Refusal::new(ErrorCode::Internal, "The inbox of the service is missing.");
    own(app.store.read(find).await?.ok_or_else(missing)?)
}

/// Checks that the inbox belongs to the service: the local part is reserved, so nobody else can have it.
fn own(inbox: Inbox) -> Result<Inbox, Refusal> {
    let foreign = || Refusal::new(ErrorCode::Internal, "The address of the service belongs to a workspace.");
    if inbox.workspace == WorkspaceId::SERVICE { Ok(inbox) } else { Err(foreign()) }
}

fn service_workspace(app: &App) -> Workspace {
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
        screening: false,
        daily_send_limit: None,
        ai_disclosure: AiDisclosure::NONE,
        retention_days: None,
        created_at: app.clock.now(),
    }
}
