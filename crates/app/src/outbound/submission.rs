//! SMTP submission (RFC 6409): logins, and messages composed by a mail program.
//!
//! The bytes stay as submitted except for `From`, `Sender`, `Date`, `Message-ID` and removed fields. Only the envelope
//! determines the recipients.

use std::{net::IpAddr, sync::Arc};

use posthouse_domain::{
    ApiKeySecret, Caller, Detail, DraftId, ErrorCode, Inbox, InboxId, Message, MessageId, MessageRecipients,
    Permission, Record, Refusal, RefusalReason,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_mail::parse::{self, AddressEntry};
use posthouse_mail::submission::{SubmissionError, SubmissionHost, SubmittedMessage};
use posthouse_mail::{header, thread};
use posthouse_store::{Tx, inboxes, messages};

use super::compose::{self, ComposedMessage, OutgoingKind, OutgoingMessage};
use super::send_context::SendContext;
use crate::access::{authenticate::authenticate, authenticate::key_client, authorize::require_permission, visible};
use crate::{inboxes::names::NameRules, outbound::accept, service::Service};

/// What the last use of a key shows for a mail program.
const USER_AGENT: &str = "SMTP";

/// An authenticated SMTP login: a key that may send, and its inbox.
#[derive(Clone, Debug)]
pub struct SubmissionLogin {
    key: ApiKeySecret,
    client: IpAddr,
    inbox: InboxId,
    address: Address,
}

impl SubmissionLogin {
    /// Returns whether an address reaches the inbox: its own address, with or without a plus tag.
    #[must_use]
    pub fn is(&self, address: &Address) -> bool {
        *address == self.address || address.without_tag() == self.address
    }

    /// Returns the address of the inbox.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }
}

/// A message with its envelope.
#[derive(Debug)]
pub struct SubmissionRequest {
    /// The envelope recipients.
    pub recipients: Vec<Address>,
    /// The bytes as submitted.
    pub raw: Vec<u8>,
}

/// The result of a submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Submitted {
    /// It is queued.
    Queued(MessageId),
    /// It waits for an approval as a draft.
    Held(DraftId),
}

/// Checks the user name (the address of an inbox) and the password (a key that may send from it) of a client.
///
/// # Errors
/// Returns `unauthorized`, `insufficient_permissions`, or `not_found` if the key can't access the inbox.
pub async fn log_in(service: &Service, user: &str, password: &str, client: IpAddr) -> Result<SubmissionLogin, Refusal> {
    let unknown =
        || Refusal::new(ErrorCode::Unauthorized, "The username must be an inbox address, the password an API key.");
    let address = Address::parse(user.trim()).map_err(|_| unknown())?;
    let key = ApiKeySecret::parse(password.trim()).ok_or_else(unknown)?;
    let caller = authenticate(service, &key, key_client(client, Some(USER_AGENT))).await?.caller;
    require_permission(&caller, Permission::MessagesSend)?;
    let canonical = address.canonical();
    let inbox = service.read(caller.workspace, move |tx| inbox_of(tx, &caller, &canonical)).await?;
    let address = Address::parse(&inbox.address).map_err(|_| unknown())?;
    Ok(SubmissionLogin { key, client, inbox: inbox.id, address })
}

fn inbox_of(tx: &mut Tx, caller: &Caller, address: &str) -> Result<Inbox, Refusal> {
    let found = inboxes::by_address(tx, address)?.ok_or_else(|| Refusal::not_found("inbox"))?;
    visible::inbox(tx, caller, found.id)
}

/// Queues a submitted message.
///
/// # Errors
/// Returns `unauthorized` if the key was revoked, `forbidden` if the author is not the inbox, or the errors of
/// [`super::send::send`].
pub async fn submit(
    service: &Arc<Service>,
    login: &SubmissionLogin,
    submission: SubmissionRequest,
) -> Result<Submitted, Refusal> {
    let caller = authenticate(service, &login.key, key_client(login.client, Some(USER_AGENT))).await?.caller;
    require_permission(&caller, Permission::MessagesSend)?;
    let draft = SubmittedMessage::read(&submission.raw).map_err(|problem| malformed(&problem))?;
    check_authors(login, draft.authors())?;
    let message: MessageId = service.clock.ids().next();
    let own_id = thread::new_message_id(&message.to_string(), login.address.domain());
    let (config, date_ms) = (&service.config, service.clock.now().millis());
    let names = [&*config.hostname, &*config.mail.default_domain, &*config.mail.temporary_domain];
    let raw = draft.complete(SubmissionHost { message_id: &own_id, date_ms, names: &names });
    let SubmittedHeader { people, subject, in_reply_to, author_name } = read_header(&raw, submission.recipients);
    let (id, rules) = (login.inbox, NameRules::of(&service.config));
    let read = move |tx: &mut Tx| {
        if let Some(name) = &author_name {
            rules.check_display_name(tx, caller.workspace, "from", name)?;
        }
        origin(tx, &caller, id, in_reply_to.as_deref())
    };
    let (inbox, answers) = service.read(caller.workspace, read).await?;
    let composed = ComposedMessage { answers: answers.map(Box::new), is_by_agent: true, ..ComposedMessage::new(raw) };
    let outgoing = OutgoingMessage::new(message, people, compose::bounded_subject(&subject))
        .with_origin(OutgoingKind::Submitted(composed));
    let context = SendContext::new(caller, id);
    let render = Arc::new(|record: &Record| Ok(record.message.id.to_string()));
    let response = accept::accept(service, context, outgoing, inbox, render).await?;
    Ok(response.held.map_or(Submitted::Queued(message), Submitted::Held))
}

/// Returns the refusal of a header that other software could parse differently.
fn malformed(problem: &SubmissionError) -> Refusal {
    Refusal::new(ErrorCode::InvalidRequest, format!("{problem}."))
        .detail(Detail::Reason(RefusalReason::MalformedHeader))
        .with_fix("Correct the header and send the message again.")
}

fn check_authors(login: &SubmissionLogin, authors: &[Address]) -> Result<(), Refusal> {
    let Some(other) = authors.iter().find(|author| !login.is(author)) else { return Ok(()) };
    let own = &login.address;
    let message = format!(
        "A From, Sender, Resent-From or Resent-Sender header is {other}; it must be {own}, the inbox of this session's login."
    );
    Err(Refusal::new(ErrorCode::Forbidden, message)
        .with_fix("Set these headers to the address of the inbox that you log in as."))
}

/// What the header of a submitted message says.
struct SubmittedHeader {
    /// The recipients, with those missing in the header as `Bcc`.
    people: MessageRecipients,
    subject: String,
    /// The `In-Reply-To` message id.
    in_reply_to: Option<String>,
    /// The display name of the author.
    author_name: Option<String>,
}

fn read_header(raw: &[u8], envelope: Vec<Address>) -> SubmittedHeader {
    let head = parse::parse(header::section(raw));
    let named = |parties: Vec<AddressEntry>| -> Vec<Mailbox> {
        let mailboxes = parties.into_iter().filter_map(|party| party.mailbox);
        mailboxes.filter(|mailbox| envelope.contains(mailbox.address())).collect()
    };
    let mut people = MessageRecipients { to: named(head.to), cc: named(head.cc), bcc: Vec::new() };
    for address in &envelope {
        let is_named = people.deliveries().contains(&address);
        if !is_named {
            people.bcc.push(Mailbox::from(address.clone()));
        }
    }
    let author_name = head.author.ok().and_then(|author| author.mailbox().name().map(str::to_owned));
    SubmittedHeader { people, subject: head.subject.unwrap_or_default(), in_reply_to: head.in_reply_to, author_name }
}

/// Returns the inbox, and the message of this inbox that `in_reply_to` names.
fn origin(
    tx: &mut Tx,
    caller: &Caller,
    id: InboxId,
    in_reply_to: Option<&str>,
) -> Result<(Inbox, Option<Message>), Refusal> {
    let inbox = visible::inbox(tx, caller, id)?;
    let Some(answered) = in_reply_to else { return Ok((inbox, None)) };
    let referred = messages::by_rfc_id(tx, inbox.workspace, inbox.id, answered)?;
    let message = match referred {
        Some(referred) => messages::get(tx, inbox.workspace, referred.id)?,
        None => None,
    };
    Ok((inbox, message))
}
