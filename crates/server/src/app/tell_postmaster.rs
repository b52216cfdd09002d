//! Mail to postmaster and abuse reaches a person (RFC 5321 §4.5.1, RFC 2142). It is stored in an inbox (decision 17), which an
//! agent reads; so the person behind it is told by mail: whoever `mail.postmaster` names for the domains of the service, the
//! owner of the workspace for the others. A few mails are told together, and never more often than every quarter of an hour, so
//! that nobody can flood a person or use up what a workspace may send.

use std::sync::Arc;

use posthouse_domain::{
    error::Refusal,
    id::{Ids, MessageId, WorkspaceId},
    inbox::Inbox,
    time::{MINUTE_MS, Time},
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{
    Result as Stored, Tx, inboxes,
    jobs::{self, NewJob},
    messages::{self, Record},
    role_mail::{self, RoleMail},
    workspaces,
};

use super::{
    App,
    notice::{self, Notice},
    receive,
    understand::Mail,
};

/// Mails that are told of in one notice.
const TOLD_MAX: u32 = 20;
/// Characters of a mail's text that a notice shows.
const TEXT_CHARS_MAX: usize = 2_000;
/// Least time between two notices of a workspace, in milliseconds.
pub const PAUSE_MS: i64 = 15 * MINUTE_MS;
/// How often a notice is tried that the gate refuses, an hour apart.
pub const ATTEMPTS_MAX: u32 = 48;
/// A domain of this machine, where nobody reads mail: the owner of a first start has an address there.
const NOBODYS_DOMAIN: &str = "localhost";

/// What comes of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// There was nothing, or nobody to tell.
    Nothing,
    /// A notice is on its way; there may be more to tell.
    Sent,
}

/// Notes in the transaction that stores a mail that its person is to be told of it. Reports of mail servers are no letters.
///
/// # Errors
/// The store's own.
pub fn note(
    tx: &mut Tx,
    (workspace, message): (WorkspaceId, MessageId),
    (mail, recipient): (&Mail, &Address),
    ids: &Ids,
    now: Time,
) -> Stored<()> {
    if mail.null_sender {
        return Ok(());
    }
    if !role_mail::add(tx, workspace, &RoleMail { message, address: recipient.canonical() }, now)? {
        return Ok(());
    }
    let job = NewJob {
        id: ids.next(),
        kind: jobs::ROLE_NOTICE,
        workspace,
        subject: workspace.0,
        lane: String::new(),
        run_at: now,
        attempt_max: ATTEMPTS_MAX,
        why: "received",
        created_at: now,
    };
    jobs::enqueue_missing(tx, &job)
}

/// Gives up what cannot be told; it stays in the inbox.
///
/// # Errors
/// The store's own.
pub async fn give_up(app: &Arc<App>, workspace: WorkspaceId) -> Stored<()> {
    app.store.write(move |tx| role_mail::forget(tx, workspace)).await
}

/// Tells the person of a workspace of the oldest mail that waits.
///
/// # Errors
/// What the gate refuses; the store's own.
pub async fn tell(app: &Arc<App>, workspace: WorkspaceId) -> Result<Told, Refusal> {
    let waiting = app.store.read(move |tx| role_mail::oldest(tx, workspace, TOLD_MAX)).await?;
    if waiting.is_empty() {
        return Ok(Told::Nothing);
    }
    let served = receive::served_domains(app);
    let is_ours = |one: &RoleMail| served.iter().any(|domain| one.address.ends_with(&format!("@{domain}")));
    // All of one notice are for one person.
    let first_is_ours = waiting.first().is_some_and(is_ours);
    let told: Vec<RoleMail> = waiting.into_iter().filter(|one| is_ours(one) == first_is_ours).collect();
    let ids: Vec<MessageId> = told.iter().map(|one| one.message).collect();
    let read = move |tx: &mut Tx| find(tx, workspace, &told);
    if let Some((owner, inbox, records)) = app.store.read(read).await? {
        let person = app.config.mail.postmaster.clone().filter(|_| first_is_ours).unwrap_or(owner);
        match person_of(&person) {
            Some(to) if !records.is_empty() => notice::send(app, inbox, written(app, to, &records)).await?,
            _ => tracing::warn!(workspace_id = %workspace, "postmaster.nobody_to_tell"),
        }
    }
    app.store.write(move |tx| role_mail::done(tx, workspace, &ids)).await?;
    Ok(Told::Sent)
}

/// A message, and the address it was for.
type About = (String, Record);

fn find(tx: &mut Tx, workspace: WorkspaceId, told: &[RoleMail]) -> Stored<Option<(String, Inbox, Vec<About>)>> {
    let (tenant, inbox) = (workspaces::get(tx, workspace)?, inboxes::first_of(tx, workspace)?);
    let (Some(tenant), Some(inbox)) = (tenant, inbox) else { return Ok(None) };
    let mut records = Vec::new();
    for one in told {
        records.extend(messages::record(tx, workspace, one.message)?.map(|record| (one.address.clone(), record)));
    }
    Ok(Some((tenant.owner_email, inbox, records)))
}

/// Somebody who can be told by mail: not the role itself, and not the nobody of a first start.
fn person_of(text: &str) -> Option<Address> {
    Address::parse(text).ok().filter(|person| !receive::is_role(person) && person.domain() != NOBODYS_DOMAIN)
}

fn written(app: &App, to: Address, records: &[About]) -> Notice {
    let subject = match records {
        [(address, record)] => format!("Mail for {address}: {}", record.message.subject.as_deref().unwrap_or_default()),
        _ => format!("{} mails for postmaster and abuse", records.len()),
    };
    let mut text = "Mail for postmaster or abuse has come in. You are told because it should reach a person \
                    (RFC 5321 section 4.5.1, RFC 2142).\n"
        .to_owned();
    for (address, record) in records {
        let message = &record.message;
        let body: String = record.bodies.text.as_deref().unwrap_or_default().chars().take(TEXT_CHARS_MAX).collect();
        let quoted: String = body.lines().map(|line| format!("> {line}\n")).collect();
        text.push_str(&format!(
            "\nTo: {address}\nFrom: {}\nSubject: {}\nWhole message: GET {}/v1/messages/{}\n\n{quoted}",
            message.from,
            message.subject.as_deref().unwrap_or_default(),
            app.config.base_url,
            message.id
        ));
    }
    // A notice about one mail can be answered to who wrote it.
    let author = |record: &Record| Mailbox::parse(&record.message.from).ok().map(Mailbox::into_address);
    let reply_to = if let [(_, record)] = records { author(record) } else { None };
    Notice { to, subject: subject.chars().take(200).collect(), text, reply_to }
}
