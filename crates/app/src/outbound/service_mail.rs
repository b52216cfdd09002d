//! Mail from the service to a person, such as a sign-in link. It is sent from an inbox of the service's own workspace, so
//! that no stop, pause, suspension or limit of a customer's workspace holds it (`docs/decisions/0063-sign-in-by-mail.md`).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    id::{MessageId, WorkspaceId},
    inbox::{Inbox, InboxKind, Username},
    plan::Plan,
    send::MessageRecipients,
    workspace::{AiDisclosure, AiProcessing, ClaimStatus, Workspace},
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Tx, inboxes, workspaces};
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

/// A mail from the service to a person.
pub(crate) struct ServiceMail {
    /// The id of the stored message.
    pub(crate) message: MessageId,
    /// The recipient.
    pub(crate) to: Address,
    /// The subject, in ASCII.
    pub(crate) subject: &'static str,
    /// The text body, with placeholders for the token and the code.
    pub(crate) text: String,
    /// The token that replaces the placeholder in the sent bytes.
    pub(crate) token: Option<String>,
}

/// Sends a mail, together with the changes of `hook`.
///
/// # Errors
/// Returns a refusal of the gate, or an error if the database call fails.
pub(crate) async fn send(app: &Arc<App>, mail: ServiceMail, hook: Box<dyn QueueHook>) -> Result<(), Refusal> {
    let inbox = sender(app).await?;
    let author = compose::author(&inbox)?;
    let plain =
        PlainMail { message: mail.message, from: &author, to: &mail.to, subject: mail.subject, text: &mail.text };
    let unwritable = || Refusal::new(ErrorCode::Internal, "The mail couldn't be composed.");
    let raw = plain.compose(app.clock.now()).ok_or_else(unwritable)?;
    let people = MessageRecipients { to: vec![Mailbox::from(mail.to)], cc: Vec::new(), bcc: Vec::new() };
    let origin = OutgoingKind::Submitted(ComposedMessage { raw, answers: None, token: mail.token, is_by_agent: false });
    let outgoing = OutgoingMessage {
        message: mail.message,
        people,
        subject: mail.subject.to_owned(),
        content: empty_content(),
        origin,
        author: None,
    };
    let caller = Caller::service(inbox.workspace, inbox.id);
    let context = SendContext { caller, inbox: inbox.id, key: None, fence: None };
    queue::post_with_hook(app, context, outgoing, inbox, hook, Arc::new(|_| Ok(String::new()))).await?;
    Ok(())
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
