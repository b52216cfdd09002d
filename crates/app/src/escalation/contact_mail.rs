//! Mail about one contact: asks a person to confirm, and notifies the owners of the workspace of the confirmation. The
//! service writes both, so the workspace needs no inbox.

use std::sync::Arc;

use posthouse_domain::{
    Caller, DAY_MS, ErrorCode, IdGenerator, MailClass, MessageId, OnCallContact, OnCallContactId, OnCallMail,
    OnCallMailKind, Refusal, ServiceMailKind, Time, WorkspaceId, forwarding::CONFIRMATION_LINK_MS,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, inboxes, on_call, on_call::OnCallToken, workspaces};

use super::recipients;
use crate::limits::service_mails::{CountedMail, ServiceMailCounter};
use crate::outbound::accept::{AcceptHook, request, request::PersonRequest};
use crate::outbound::link_mail::{self, LinkMail};
use crate::outbound::service_mail::{self, ServiceMail};
use crate::outbound::written_mail::WrittenMail;
use crate::service::{ReadScope, Service};
use crate::{inboxes::first_agent, mailbox::recipient::served_domains};

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
    pub workspace: WorkspaceId,
    pub id: OnCallContactId,
}

/// What a mail about a contact needs.
struct DueMail {
    contact: OnCallContact,
    kind: OnCallMailKind,
    /// The address of the inbox that the contact is on call for; `None` for the workspace.
    about: Option<String>,
    /// The address of an agent of the workspace; `None` if it has none.
    agent: Option<String>,
    /// The recipients: the contact, or all owners; empty if mail can't be sent to any.
    to: Vec<Address>,
}

/// The changes in the transaction that stores the mail.
struct ContactMailHook {
    contact: OnCallContact,
    kind: OnCallMailKind,
    /// The link of a confirmation mail, and its recipient.
    asked: Option<(OnCallToken, Address)>,
    own: [String; 2],
    /// Counts notices to owners, and those; the request of a confirmation mail was counted.
    counter: ServiceMailCounter,
    owners: Vec<Address>,
    now: Time,
}

impl AcceptHook for ContactMailHook {
    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        if !on_call::end_mail(tx, &self.contact, self.kind)? {
            return Err(Refusal::not_found("contact"));
        }
        let Some((_, to)) = &self.asked else { return Ok(()) };
        let (workspace, own) = (self.contact.workspace, self.own.as_slice());
        request::check(tx, &PersonRequest { workspace, inbox: None, caller: None, to, own }, self.now)
    }

    fn settle(&self, tx: &mut Tx, message: MessageId, _: &Caller, _: &IdGenerator, now: Time) -> Result<(), Refusal> {
        match &self.asked {
            Some((token, _)) => drop(on_call::set_token(tx, &self.contact, token)?),
            None => count_members(tx, &self.counter, &self.owners, now)?,
        }
        Ok(record(tx, self.contact.workspace, message, self.kind, now)?)
    }
}

/// Counts a mail to people on call, or to owners.
pub(super) fn count_members(
    tx: &mut Tx,
    counter: &ServiceMailCounter,
    to: &[Address],
    now: Time,
) -> Result<(), Refusal> {
    let (class, kind) = (MailClass::Members, ServiceMailKind::OnCall);
    for address in to {
        counter.count(tx, &CountedMail { class, kind, to: address.canonical_str(), network: None }, now)?;
    }
    Ok(())
}

/// Records a mail to people on call, in the transaction that stores it.
pub(super) fn record(
    tx: &mut Tx,
    workspace: WorkspaceId,
    message: MessageId,
    kind: OnCallMailKind,
    now: Time,
) -> StoreResult<()> {
    on_call::record_mail(tx, &OnCallMail { workspace, message, kind, created_at: now })
}

/// Sends the mail about a contact that is due.
///
/// # Errors
/// Returns a refusal of the gate or `rate_limited`.
pub async fn send_due(service: &Arc<Service>, which: ContactRef) -> Result<(), Refusal> {
    let served = served_domains(service);
    let Some(due) = service.read(ReadScope::Service, move |tx| find(tx, which, &served)).await? else { return Ok(()) };
    if due.to.is_empty() {
        tracing::warn!(workspace_id = %which.workspace, contact_id = %which.id, "on_call.no_recipient");
        give_up(service, which).await?;
        return Ok(());
    }
    let (mail, hook) = write(service, due)?;
    match service_mail::send(service, mail, Box::new(hook)).await {
        // The contact was removed, or another worker sent the mail.
        Err(refusal) if refusal.code == ErrorCode::NotFound => Ok(()),
        sent => sent,
    }
}

/// Writes the mail.
fn write(service: &Service, due: DueMail) -> Result<(ServiceMail, ContactMailHook), Refusal> {
    let DueMail { contact, kind, about, agent, mut to } = due;
    let (now, workspace) = (service.clock.now(), contact.workspace);
    let (mail, asked) = if kind == OnCallMailKind::Confirmation {
        let person = to.swap_remove(0);
        let mail = LinkMail {
            kind: ServiceMailKind::Confirmation,
            workspace,
            to: person.clone(),
            subject: SUBJECT,
            path: PATH,
        };
        let scope = Scope { about: about.as_deref(), agent: agent.as_deref(), base_url: &service.config.base_url };
        let written = link_mail::write(service, mail, |link| confirmation_text(&scope, link))?;
        let expires_at = now.plus_ms(CONFIRMATION_LINK_MS);
        (written.mail, Some((OnCallToken { sha256: written.token_sha256, expires_at }, person)))
    } else {
        let text = owner_text(service, &contact, about.as_deref());
        let mail = WrittenMail::new(service.clock.ids().next(), to.clone(), OWNER_SUBJECT, text);
        (ServiceMail { kind: ServiceMailKind::OnCall, workspace: Some(workspace), mail }, None)
    };
    let (own, counter) = (served_domains(service), ServiceMailCounter::of(service)?);
    Ok((mail, ContactMailHook { contact, kind, asked, own, counter, owners: to, now }))
}

/// Gives up the mail about a contact that is due.
pub async fn give_up(service: &Service, which: ContactRef) -> StoreResult<()> {
    let work = move |tx: &mut Tx| {
        let Some(contact) = on_call::contact(tx, which.workspace, which.id)? else { return Ok(()) };
        if let Some(kind) = contact.mail_due {
            on_call::end_mail(tx, &contact, kind)?;
        }
        Ok(())
    };
    service.write(work).await
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
    let agent = first_agent::of(tx, which.workspace)?.map(|agent| agent.address);
    Ok(Some(DueMail { contact, kind, about, agent, to }))
}

/// What a person is asked to be on call for.
struct Scope<'a> {
    /// The inbox; `None` for the workspace.
    about: Option<&'a str>,
    /// An agent of the workspace, which names it.
    agent: Option<&'a str>,
    base_url: &'a str,
}

fn confirmation_text(scope: &Scope<'_>, link: &str) -> String {
    let days = CONFIRMATION_LINK_MS / DAY_MS;
    let scope_name =
        scope.about.or(scope.agent).map_or_else(|| format!("a workspace on {}", scope.base_url), str::to_owned);
    let scope = match (scope.about, scope.agent) {
        (None, Some(agent)) => format!("the workspace of {agent}"),
        _ => scope_name.clone(),
    };
    format!(
        "The owner of {scope_name} asks you to be on call for {scope}: the mail of an AI agent. If it needs a person, you \
         get a mail.\n\n\
         To agree, open this page and press the button. The link works once and expires after {days} days:\n\n\
         {link}\n\n\
         If you do not agree, ignore this message: you get nothing else until you agree.\n"
    )
}

fn owner_text(service: &Service, contact: &OnCallContact, inbox: Option<&str>) -> String {
    let (address, base) = (&contact.address, &service.config.base_url);
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
