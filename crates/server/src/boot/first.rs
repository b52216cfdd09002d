//! The first start of an empty store: a workspace with an owner, its org-wide key, a first inbox, and a welcome mail in
//! it that came through our own SMTP listener (operations.md).
//!
//! Workspace, key and inbox are one transaction, so that a start that breaks off leaves an empty store to the next. Never
//! touches a store in which there is a workspace.

use std::{net::SocketAddr, sync::Arc};

use posthouse_domain::{
    auth::{Caller, Permissions, Scope},
    error::{Code, Refusal},
    inbox::Username,
    plan::Plan,
};
use posthouse_mail::{
    address::{Address, Mailbox},
    autoreply::Marking,
    build::{self, Outgoing},
    smtp::client::{Config as SessionConfig, DeliveryResult, Message, Tls},
};
use posthouse_store::workspaces;
use serde_json::Map;

use super::BootError;
use crate::{
    app::{
        App,
        create_inbox::{self, Created, Lifespan, NewInbox},
        create_workspace::{MadeWorkspace, NewWorkspace, create},
    },
    ports::Peer,
};

/// The owner of the first workspace: a person at this machine, until one signs in.
const OWNER: &str = "owner@localhost";
/// The local part of the first inbox.
const FIRST_INBOX: &str = "welcome";
/// Who the welcome mail is from; nobody has a name below `.localhost` but this machine (RFC 6761 §6.3).
const GREETER: &str = "hello@posthouse.localhost";

/// What the first start made.
pub(super) struct FirstRun {
    /// The workspace and its key.
    pub(super) made: MadeWorkspace,
    /// The id of the first inbox.
    pub(super) inbox_id: String,
    /// Its address.
    pub(super) address: Address,
}

/// Sets up an empty store; gives nothing when there is a workspace already.
pub(super) async fn run(app: &App) -> Result<Option<FirstRun>, BootError> {
    let new = NewWorkspace { name: "My workspace".to_owned(), owner: OWNER.to_owned(), plan: Plan::Team };
    let made = create(app.clock.as_ref(), &new);
    let (stored, inbox) = (made.clone(), first_inbox(app, &made));
    let work = move |tx: &mut posthouse_store::Tx| -> Result<Option<Created>, Refusal> {
        if workspaces::any(tx)? {
            return Ok(None);
        }
        stored.insert(tx)?;
        inbox.carry_out(tx).map(Some)
    };
    let failed = |cause: String| BootError::Store(format!("the first inbox was not made: {cause}"));
    let created = match app.store.write(work).await {
        // Another process that started at the same time was first with it, behind our look.
        Err(refusal) if refusal.code == Code::AddressTaken && is_set_up(app).await? => None,
        created => created.map_err(|refusal| failed(refusal.message))?,
    };
    let Some(created) = created else { return Ok(None) };
    let view = serde_json::to_value(&created.view).unwrap_or_default();
    let inbox_id = view["id"].as_str().unwrap_or_default().to_owned();
    let address = Address::parse(&format!("{FIRST_INBOX}@{}", app.config.mail.default_domain));
    let address = address.map_err(|error| failed(error.to_string()))?;
    Ok(Some(FirstRun { made, inbox_id, address }))
}

async fn is_set_up(app: &App) -> Result<bool, BootError> {
    app.store.read(workspaces::any).await.map_err(|error| BootError::Store(error.to_string()))
}

fn first_inbox(app: &App, made: &MadeWorkspace) -> create_inbox::Plan {
    let caller =
        Caller { workspace: made.workspace.id, key: made.key.id, scope: Scope::Org, permissions: Permissions::full() };
    let username = Username::parse(FIRST_INBOX).ok();
    let new = NewInbox {
        life: Lifespan::Permanent { username, client_id: None, domain: None },
        display_name: Some("First inbox".to_owned()),
        metadata: Map::new(),
    };
    create_inbox::plan(app, caller, new)
}

/// Sends the welcome mail to our own listener, as any other server would. It is a greeting: not arriving is only logged.
pub(super) async fn welcome(app: Arc<App>, mut listener: SocketAddr, to: Address) {
    if listener.ip().is_unspecified() {
        listener.set_ip([127, 0, 0, 1].into());
    }
    let Some(message) = greeting(&app, &to) else { return };
    let peer = Peer {
        host: app.config.smtp.hostname.clone(),
        address: listener,
        session: SessionConfig { ehlo_name: "posthouse.localhost".to_owned(), tls: Tls::Opportunistic, auth: None },
        verify: false,
        source: None,
        connections_max: 1,
        messages_max: 1,
    };
    match app.smtp_out.offer(peer, message).await {
        Ok(answered) if answered.outcomes.iter().all(|one| one.result == DeliveryResult::Delivered) => {
            tracing::info!("welcome mail delivered");
        }
        Ok(answered) => {
            let said = answered.outcomes.first().map(|one| one.text.clone()).unwrap_or_default();
            tracing::warn!(said, "welcome.refused");
        }
        Err(failure) => tracing::warn!(cause = ?failure, "welcome.not_sent"),
    }
}

fn greeting(app: &App, to: &Address) -> Option<Message> {
    let from = Address::parse(GREETER).ok()?;
    let id = format!("{}@posthouse.localhost", app.clock.ids().next::<uuid::Uuid>());
    let text = format!(
        "Welcome to Posthouse.\n\nThis mail came to {} through the SMTP listener of your own server.\n\n\
         Read it: GET /v1/inboxes/{{id}}/messages. Answer it: POST /v1/inboxes/{{id}}/messages/{{message_id}}/reply.\n\
         Everything else is at {}/docs.\n",
        to.canonical(),
        app.config.base_url
    );
    let built = build::build(&Outgoing {
        message_id: &id,
        date_ms: app.clock.now().millis(),
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
        extra: &Marking::Generated.fields(),
    })
    .ok()?;
    Some(Message {
        mail_from: Some(from),
        recipients: vec![to.clone()],
        body: built.raw.into(),
        smtputf8: built.needs_smtputf8,
    })
}
