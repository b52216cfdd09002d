//! The mail that tells the owner of a workspace that a webhook was disabled (decision 9).
//!
//! It goes from the workspace's first inbox, where it is seen among the sent mail too, and through the same gate as every
//! other message. It says that a program wrote it (RFC 3834).

use std::sync::Arc;

use posthouse_domain::{
    auth::{Caller, Permissions, Scope},
    error::{Code, Refusal},
    id::{KeyId, MessageId, WebhookId, WorkspaceId},
    inbox::Inbox,
    message::Kind,
    send::{Content, People},
    webhook::Webhook,
};
use posthouse_mail::{
    address::{Address, Mailbox},
    build::{self, Outgoing},
    thread,
};
use posthouse_store::{Tx, inboxes, messages::Record, webhooks, workspaces};
use uuid::Uuid;

use crate::app::{
    App,
    compose::{self, Letter, Origin, Submitted},
    post,
    send::Order,
};

/// What the mail is about.
const SUBJECT: &str = "A webhook was disabled";

/// Writes to the owner. Nothing to do: the webhook is gone or enabled again, or there is nobody to write from or to.
///
/// # Errors
/// What the gate refuses; the store's own.
pub async fn tell(app: &Arc<App>, workspace: WorkspaceId, id: WebhookId) -> Result<(), Refusal> {
    let found = app.store.read(move |tx| find(tx, workspace, id)).await?;
    let Some((webhook, owner, inbox)) = found else { return Ok(()) };
    let Ok(to) = Address::parse(&owner) else { return Ok(()) };
    let message: MessageId = app.clock.ids().next();
    let people = People { to: vec![Mailbox::cleaned(None, to)], cc: Vec::new(), bcc: Vec::new() };
    let raw = written(app, &webhook, (&inbox, message, &people))?;
    let content =
        Content { text: None, html: None, data_json: None, files: Vec::new(), labels: Vec::new(), kind: Kind::Message };
    let origin = Origin::Submitted(Submitted { raw, answers: None, token: None });
    let letter = Letter { message, people, subject: SUBJECT.to_owned(), content, origin };
    let caller = Caller { workspace, key: KeyId(Uuid::nil()), scope: Scope::Org, permissions: Permissions::full() };
    let order = Order { caller, inbox: inbox.id, key: None, fence: None };
    post::post(app, order, (letter, inbox), Arc::new(|record: &Record| Ok(record.message.id.to_string()))).await?;
    Ok(())
}

/// The webhook, who owns it, and the inbox to write from.
fn find(tx: &mut Tx, workspace: WorkspaceId, id: WebhookId) -> Result<Option<(Webhook, String, Inbox)>, Refusal> {
    let webhook = webhooks::get(tx, workspace, id)?.filter(|webhook| !webhook.enabled);
    let (tenant, inbox) = (workspaces::get(tx, workspace)?, inboxes::first_of(tx, workspace)?);
    let (Some(webhook), Some(tenant), Some(inbox)) = (webhook, tenant, inbox) else { return Ok(None) };
    Ok(Some((webhook, tenant.owner_email, inbox)))
}

fn written(
    app: &App,
    webhook: &Webhook,
    (inbox, message, people): (&Inbox, MessageId, &People),
) -> Result<Vec<u8>, Refusal> {
    let author = compose::author(inbox)?;
    let text = format!(
        "The webhook {} to {} was disabled: every attempt of the last 5 days failed.\n\n\
         What was answered: GET {base}/v1/webhooks/{}/deliveries\n\
         When the receiver works again: PATCH {base}/v1/webhooks/{} with {{\"enabled\": true}}.\n\
         It then gets what happens from then on; what happened meanwhile is kept for 30 days: GET {base}/v1/events\n",
        webhook.id,
        webhook.url,
        webhook.id,
        webhook.id,
        base = app.config.base_url
    );
    let built = build::build(&Outgoing {
        message_id: &thread::new_message_id(&message.to_string(), author.address().domain()),
        date_ms: app.clock.now().millis(),
        from: &author,
        to: &people.to,
        cc: &[],
        reply_to: &[],
        subject: SUBJECT,
        text: Some(&text),
        html: None,
        attachments: &[],
        in_reply_to: None,
        references: &[],
        extra: &[("Auto-Submitted", "auto-generated")],
    });
    let unwritable = |_| Refusal::new(Code::Internal, "The notice about a webhook cannot be written.");
    Ok(built.map_err(unwritable)?.raw)
}
