//! The first start of an empty store: creates a workspace, an org-wide API key and an inbox, and sends a welcome mail
//! through the SMTP listener.
//!
//! Workspace, key and inbox are one transaction, so that an interrupted start leaves an empty store. A store that has a
//! workspace is never changed.

use std::{net::SocketAddr, sync::Arc};

use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    inbox::{InboxKind, Username},
    plan::Plan,
};
use posthouse_mail::{
    address::{Address, Mailbox},
    autoreply::AutoSubmittedKind,
    build::{self, MimeMessage},
    smtp::client::{ClientConfig as SessionConfig, DeliveryResult, OutboundMessage, TlsPolicy},
};
use posthouse_store::workspaces;
use serde_json::Map;

use super::BootError;
use posthouse_app::{
    inboxes::create::{self, CreatedInbox, Lifespan, NewInbox},
    people::new_workspace::{CreatedWorkspace, NewWorkspace, create},
    ports::Peer,
    service::ReadScope,
    service::Service,
};

/// The owner of the first workspace.
const OWNER: &str = "owner@localhost";
/// The local part of the first inbox.
const FIRST_INBOX: &str = "welcome";
/// The sender of the welcome mail. Names below `.localhost` are always this machine (RFC 6761 §6.3).
const SENDER: &str = "hello@posthouse.localhost";

/// The records that the first start created.
pub(super) struct FirstRun {
    /// The workspace and its key.
    pub(super) created: CreatedWorkspace,
    /// The id of the first inbox.
    pub(super) inbox_id: String,
    /// The address of the first inbox.
    pub(super) address: Address,
}

/// Sets up an empty store. Returns `None` if there is a workspace.
pub(super) async fn run(service: &Service) -> Result<Option<FirstRun>, BootError> {
    let new = NewWorkspace { name: "My workspace".to_owned(), owner: OWNER.to_owned(), plan: Plan::Team };
    let made = create(service.clock.as_ref(), &new);
    let (stored, inbox) = (made.clone(), first_inbox(service, &made));
    let work = move |tx: &mut posthouse_store::Tx| -> Result<Option<CreatedInbox>, Refusal> {
        if workspaces::any(tx)? {
            return Ok(None);
        }
        stored.insert(tx)?;
        inbox.execute(tx).map(Some)
    };
    let failed = |cause: String| BootError::Store(format!("cannot create the first inbox: {cause}"));
    let created = match service.write(work).await {
        // Another process that started at the same time has set up the store.
        Err(refusal) if refusal.code == ErrorCode::AddressTaken && is_set_up(service).await? => None,
        created => created.map_err(|refusal| failed(refusal.message))?,
    };
    let Some(created) = created else { return Ok(None) };
    let view = serde_json::to_value(&created.view).unwrap_or_default();
    let inbox_id = view["id"].as_str().unwrap_or_default().to_owned();
    let address = Address::parse(&format!("{FIRST_INBOX}@{}", service.config.mail.default_domain));
    let address = address.map_err(|error| failed(error.to_string()))?;
    Ok(Some(FirstRun { created: made, inbox_id, address }))
}

async fn is_set_up(service: &Service) -> Result<bool, BootError> {
    service.read(ReadScope::Service, workspaces::any).await.map_err(|error| BootError::Store(error.to_string()))
}

fn first_inbox(service: &Service, made: &CreatedWorkspace) -> create::InboxCreation {
    let caller = Caller::operator(made.workspace.id);
    let username = Username::parse(FIRST_INBOX).ok();
    let new = NewInbox {
        kind: InboxKind::Mailbox,
        life: Lifespan::Permanent { username, client_id: None, domain: None },
        display_name: Some("First inbox".to_owned()),
        metadata: Map::new(),
    };
    create::plan(service, caller, new)
}

/// Sends the welcome mail to the SMTP listener, as another server would. A failure is only logged.
pub(super) async fn send_welcome(service: Arc<Service>, mut listener: SocketAddr, to: Address) {
    if listener.ip().is_unspecified() {
        listener.set_ip([127, 0, 0, 1].into());
    }
    let Some(message) = welcome_message(&service, &to) else { return };
    let peer = Peer {
        host: service.config.hostname.clone(),
        address: listener,
        session: SessionConfig {
            ehlo_name: "posthouse.localhost".to_owned(),
            tls: TlsPolicy::Opportunistic,
            auth: None,
        },
        verify: false,
        source: None,
        connections_max: 1,
        messages_max: 1,
    };
    match service.smtp_out.offer(peer, message).await {
        Ok(answered) if answered.outcomes.iter().all(|one| one.result == DeliveryResult::Delivered) => {
            tracing::info!("welcome mail delivered");
        }
        Ok(answered) => {
            let reply = answered.outcomes.first().map(|one| one.text.clone()).unwrap_or_default();
            tracing::warn!(reply, "welcome.refused");
        }
        Err(failure) => tracing::warn!(cause = ?failure, "welcome.not_sent"),
    }
}

fn welcome_message(service: &Service, to: &Address) -> Option<OutboundMessage> {
    let from = Address::parse(SENDER).ok()?;
    let id = format!("{}@posthouse.localhost", service.clock.ids().next::<uuid::Uuid>());
    let text = format!(
        "Welcome to Posthouse.\n\nThis mail was delivered to {} through the SMTP listener of your server.\n\n\
         Read it: GET /v1/inboxes/{{id}}/messages. Reply to it: POST /v1/inboxes/{{id}}/messages/{{message_id}}/reply.\n\
         The API reference is at {}/docs.\n",
        to.canonical(),
        service.config.base_url
    );
    let built = build::build(&MimeMessage {
        message_id: &id,
        date_ms: service.clock.now().millis(),
        from: &Mailbox::new(Some("Posthouse"), from.clone()).ok()?,
        to: &[Mailbox::new(None, to.clone()).ok()?],
        cc: &[],
        reply_to: &[],
        subject: "Welcome to Posthouse",
        text: Some(&text),
        html: None,
        attachments: &[],
        in_reply_to: None,
        references: &[],
        extra: &AutoSubmittedKind::AutoGenerated.fields(),
    })
    .ok()?;
    Some(OutboundMessage {
        mail_from: Some(from),
        recipients: vec![to.clone()],
        body: built.raw.into(),
        smtputf8: built.needs_smtputf8,
    })
}
