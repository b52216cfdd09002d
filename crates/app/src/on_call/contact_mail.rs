//! Mail about one contact: asks a person to confirm, and notifies the owners of the workspace of the confirmation. Both pass the
//! gate, except its lists, and appear among the sent mail.

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    escalation::{OnCallContact, OnCallMailKind},
    forwarding::CONFIRMATION_LINK_MS,
    gate::SendPurpose,
    id::{IdGenerator, MessageId, OnCallContactId, WorkspaceId},
    inbox::Inbox,
    time::{DAY_MS, Time},
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result as StoreResult, Tx, inboxes, messages,
    on_call::{self, OnCallMail, OnCallToken},
    workspaces,
};

use super::{recipients, sender};
use crate::{
    app::App,
    inbound::recipient::served_domains,
    outbound::{
        link_mail::{self, LinkMail},
        notice::{self, PersonNotice},
        queue::{self, QueueHook},
    },
};

/// The path prefix of confirmation links.
const PATH: &str = "/confirm/on-call/";
/// The subject of confirmation mails.
const SUBJECT: &str = "Confirm that you are on call";
/// The screen of the dashboard that shows who is on call.
const ON_CALL_SETTINGS_PATH: &str = "/settings/on-call";
/// The subject of notices to owners.
const OWNER_SUBJECT: &str = "A person on call confirmed";

/// Identifies a contact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContactRef {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The contact.
    pub id: OnCallContactId,
}

/// The result of [`send_due`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContactMailResult {
    /// Nothing is due any more.
    Done,
    /// The workspace has no inbox that can send.
    NoSender,
}

/// What a mail about a contact needs.
struct DueMail {
    contact: OnCallContact,
    kind: OnCallMailKind,
    /// The inbox that sends it; `None` if no inbox of the workspace can.
    sender: Option<Inbox>,
    /// The address of the inbox that the contact is on call for; `None` for the workspace.
    about: Option<String>,
    /// The recipients: the contact, or all owners; empty if mail can't be sent to any.
    to: Vec<Address>,
}

/// The changes in the transaction that stores the mail.
struct ContactMailHook {
    contact: OnCallContact,
    kind: OnCallMailKind,
    token: Option<OnCallToken>,
}

impl QueueHook for ContactMailHook {
    fn purpose(&self) -> SendPurpose {
        SendPurpose::OnCallNotice
    }

    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let is_due = on_call::end_mail(tx, &self.contact, self.kind)?;
        if is_due { Ok(()) } else { Err(Refusal::not_found("contact")) }
    }

    fn settle(&self, tx: &mut Tx, message: MessageId, _: &Caller, _: &IdGenerator, now: Time) -> Result<(), Refusal> {
        if let Some(token) = &self.token {
            on_call::set_token(tx, &self.contact, token)?;
        }
        Ok(record(tx, self.contact.workspace, message, self.kind, now)?)
    }
}

/// Records a mail to people on call, in the transaction that stores it.
pub(super) fn record(
    tx: &mut Tx,
    workspace: WorkspaceId,
    message: MessageId,
    kind: OnCallMailKind,
    now: Time,
) -> StoreResult<()> {
    let Some(stored) = messages::get(tx, workspace, message)? else { return Ok(()) };
    let mail = OnCallMail { workspace, message, thread: stored.thread, kind, created_at: now };
    on_call::record_mail(tx, &mail)
}

/// Sends the mail about a contact that is due.
///
/// # Errors
/// Returns a refusal of the gate, or an error if the database call fails.
pub async fn send_due(app: &Arc<App>, which: ContactRef) -> Result<ContactMailResult, Refusal> {
    let served = served_domains(app);
    let Some(due) = app.store.read(move |tx| find(tx, which, &served)).await? else {
        return Ok(ContactMailResult::Done);
    };
    let DueMail { contact, kind, sender, about, to } = due;
    let Some(first) = to.first().cloned() else {
        tracing::warn!(workspace_id = %which.workspace, contact_id = %which.id, "on_call.no_recipient");
        give_up(app, which).await?;
        return Ok(ContactMailResult::Done);
    };
    let Some(inbox) = sender else { return Ok(ContactMailResult::NoSender) };
    let sent = if kind == OnCallMailKind::Confirmation {
        let mail = LinkMail { to: first, subject: SUBJECT, path: PATH };
        let place = about.unwrap_or_else(|| inbox.address.clone());
        let is_one_inbox = contact.inbox.is_some();
        let composed = link_mail::compose(app, &inbox, mail, |link| confirmation_text(&place, is_one_inbox, link))?;
        let expires_at = app.clock.now().plus_ms(CONFIRMATION_LINK_MS);
        let token = Some(OnCallToken { sha256: composed.token_sha256, expires_at });
        let hook = Box::new(ContactMailHook { contact, kind, token });
        let context = notice::service_context(&inbox);
        let render: queue::RenderResponse = Arc::new(|_| Ok(String::new()));
        queue::post_with_hook(app, context, composed.outgoing, inbox, hook, render).await.map(drop)
    } else {
        let text = owner_text(app, &contact, about.as_deref());
        let notice = PersonNotice { to, subject: OWNER_SUBJECT.to_owned(), text, reply_to: None };
        let hook = Box::new(ContactMailHook { contact, kind, token: None });
        notice::send_with_hook(app, inbox, notice, hook).await
    };
    match sent {
        // The contact was removed, or another worker sent the mail.
        Err(refusal) if refusal.code == ErrorCode::NotFound => Ok(ContactMailResult::Done),
        sent => sent.map(|()| ContactMailResult::Done),
    }
}

/// Gives up the mail about a contact that is due.
///
/// # Errors
/// Returns an error if the database call fails.
pub async fn give_up(app: &App, which: ContactRef) -> StoreResult<()> {
    let work = move |tx: &mut Tx| {
        let Some(contact) = on_call::contact(tx, which.workspace, which.id)? else { return Ok(()) };
        if let Some(kind) = contact.mail_due {
            on_call::end_mail(tx, &contact, kind)?;
        }
        Ok(())
    };
    app.store.write(work).await
}

fn find(tx: &mut Tx, which: ContactRef, served: &[String]) -> StoreResult<Option<DueMail>> {
    let Some(contact) = on_call::contact(tx, which.workspace, which.id)? else { return Ok(None) };
    let (Some(kind), Some(workspace)) = (contact.mail_due, workspaces::get(tx, which.workspace)?) else {
        return Ok(None);
    };
    let about = match contact.inbox {
        Some(inbox) => inboxes::get(tx, which.workspace, inbox)?.map(|inbox| inbox.address),
        None => None,
    };
    let to = if kind == OnCallMailKind::Confirmation {
        recipients::sendable(tx, &contact, served)?.into_iter().collect()
    } else {
        recipients::owners(tx, &workspace)?
    };
    let sender = sender::of(tx, which.workspace, contact.inbox, served)?;
    Ok(Some(DueMail { contact, kind, sender, about, to }))
}

fn confirmation_text(place: &str, is_one_inbox: bool, link: &str) -> String {
    let days = CONFIRMATION_LINK_MS / DAY_MS;
    let scope = if is_one_inbox { place.to_owned() } else { format!("the workspace of {place}") };
    format!(
        "The owner of {place} asks you to be on call for {scope}: the mail of an AI agent. If it needs a person, you \
         get a mail.\n\n\
         To agree, open this page and press the button. The link works once and expires after {days} days:\n\n\
         {link}\n\n\
         If you do not agree, ignore this message: you get nothing else until you agree.\n"
    )
}

fn owner_text(app: &App, contact: &OnCallContact, inbox: Option<&str>) -> String {
    let (address, base) = (&contact.address, &app.config.base_url);
    let (scope, settings) = match inbox {
        Some(inbox) => (inbox, format!("with the API, in the escalation settings of {inbox}:\n\n{base}/docs")),
        None => ("the workspace", format!("in the settings:\n\n{base}{ON_CALL_SETTINGS_PATH}")),
    };
    format!(
        "{address} confirmed to be on call for {scope} and gets a mail when something needs a person.\n\n\
         If you did not expect this, remove the address {settings}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_led_to_a_screen_of_the_dashboard() {
        let screens = include_str!("../../../../web/src/screens/routes.ts");
        let settings = include_str!("../../../../web/src/screens/settings/Settings.svelte");
        assert_eq!(ON_CALL_SETTINGS_PATH, "/settings/on-call");
        assert!(screens.contains("pattern: '/settings/:section'") && settings.contains("section === 'on-call'"));
    }
}
