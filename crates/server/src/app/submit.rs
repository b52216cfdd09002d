//! A mail program's own message: who may hand one in, and the way of every sent message for it (decision 16, RFC 6409).
//!
//! The bytes stay as they were submitted, but for `Bcc`, `Return-Path`, `Date` and `Message-ID`; who gets it is the envelope's business alone.

use std::sync::Arc;

use posthouse_domain::{
    auth::{Caller, Permission, SecretKey},
    error::{Code, Refusal},
    id::{InboxId, MessageId},
    inbox::Inbox,
    message::{Kind, Message},
    send::{Content, People},
};
use posthouse_mail::{
    address::{Address, Mailbox},
    header,
    parse::{self, Party},
    submission::{Draft, Problem},
    thread,
};
use posthouse_store::{
    Tx, inboxes,
    messages::{self, Record},
};

use super::{
    App, REASON_MALFORMED,
    compose::{self, Letter, Origin, Submitted},
    post,
    recognise::{needs, recognise},
    send::Order,
    visible,
};

/// Somebody who logged in: a key that may send, and the inbox that it sends from.
#[derive(Clone, Debug)]
pub struct Login {
    key: SecretKey,
    inbox: InboxId,
    address: Address,
}

impl Login {
    /// Whether an address is the inbox: its own, or one with a tag behind a plus, which reaches it as well.
    #[must_use]
    pub fn is(&self, address: &Address) -> bool {
        *address == self.address || address.without_tag() == self.address
    }

    /// The address of the inbox.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }
}

/// A message with its envelope.
#[derive(Debug)]
pub struct Submission {
    /// Who gets it.
    pub recipients: Vec<Address>,
    /// Its bytes as they came.
    pub raw: Vec<u8>,
}

/// Checks user and password: the address of an inbox, and a key that may send from it.
///
/// # Errors
/// `unauthorized`, `insufficient_permissions`, `not_found` for an inbox that the key does not see, the store's own.
pub async fn log_in(app: &App, user: &str, password: &str) -> Result<Login, Refusal> {
    let unknown = || Refusal::new(Code::Unauthorized, "The user must be an inbox address, the password an API key.");
    let address = Address::parse(user.trim()).map_err(|_| unknown())?;
    let key = SecretKey::parse(password.trim()).ok_or_else(unknown)?;
    let caller = recognise(app, &key).await?.caller;
    needs(&caller, Permission::MessagesSend)?;
    let canonical = address.canonical();
    let inbox = app.store.read(move |tx| inbox_of(tx, &caller, &canonical)).await?;
    Ok(Login { key, inbox: inbox.id, address: Address::parse(&inbox.address).map_err(|_| unknown())? })
}

fn inbox_of(tx: &mut Tx, caller: &Caller, address: &str) -> Result<Inbox, Refusal> {
    let found = inboxes::by_address(tx, address)?.ok_or_else(|| Refusal::not_found("inbox"))?;
    visible::inbox(tx, caller, found.id)
}

/// Queues a submitted message.
///
/// # Errors
/// `unauthorized` for a key that was revoked since, `forbidden` for another author than the inbox, otherwise as
/// [`super::send::send`].
pub async fn submit(app: &Arc<App>, login: &Login, submission: Submission) -> Result<MessageId, Refusal> {
    let caller = recognise(app, &login.key).await?.caller;
    needs(&caller, Permission::MessagesSend)?;
    let draft = Draft::read(&submission.raw).map_err(|problem| malformed(&problem))?;
    check_authors(login, draft.authors())?;
    let message: MessageId = app.clock.ids().next();
    let own_id = thread::new_message_id(&message.to_string(), login.address.domain());
    let raw = draft.complete(&own_id, app.clock.now().millis());
    let (people, subject, in_reply_to) = read_header(&raw, submission.recipients);
    let id = login.inbox;
    let (inbox, answers) = app.store.read(move |tx| origin(tx, &caller, id, in_reply_to.as_deref())).await?;
    let letter = Letter {
        message,
        people,
        subject: compose::bounded_subject(&subject),
        content: nothing_composed(),
        origin: Origin::Submitted(Submitted { raw, answers: answers.map(Box::new), token: None }),
    };
    let order = Order { caller, inbox: id, key: None, fence: None };
    post::post(app, order, (letter, inbox), Arc::new(|record: &Record| Ok(record.message.id.to_string()))).await?;
    Ok(message)
}

/// Refuses a header that other readers could read in another way than it was checked here.
fn malformed(problem: &Problem) -> Refusal {
    Refusal::new(Code::InvalidRequest, format!("{problem}."))
        .detail("reason", REASON_MALFORMED)
        .with_fix("Correct the header and send the message again.")
}

fn check_authors(login: &Login, authors: &[Address]) -> Result<(), Refusal> {
    let Some(other) = authors.iter().find(|author| !login.is(author)) else { return Ok(()) };
    let own = &login.address;
    let message = format!("The From or Sender header is {other}; it must be {own}, for which this session logged in.");
    Err(Refusal::new(Code::Forbidden, message).with_fix("Write as the inbox that you log in for."))
}

/// Who gets it, as the header has them, the hidden ones behind; its subject; the message it answers.
fn read_header(raw: &[u8], envelope: Vec<Address>) -> (People, String, Option<String>) {
    let head = parse::parse(header::section(raw));
    let named = |parties: Vec<Party>| -> Vec<Mailbox> {
        let mailboxes = parties.into_iter().filter_map(|party| party.mailbox);
        mailboxes.filter(|mailbox| envelope.contains(mailbox.address())).collect()
    };
    let mut people = People { to: named(head.to), cc: named(head.cc), bcc: Vec::new() };
    for address in &envelope {
        let is_named = people.deliveries().contains(&address);
        if !is_named {
            people.bcc.push(Mailbox::from(address.clone()));
        }
    }
    (people, head.subject.unwrap_or_default(), head.in_reply_to)
}

/// The inbox, and the message of it that is answered.
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

/// The bytes say it all.
pub(super) fn nothing_composed() -> Content {
    Content { text: None, html: None, data_json: None, files: Vec::new(), labels: Vec::new(), kind: Kind::Message }
}
