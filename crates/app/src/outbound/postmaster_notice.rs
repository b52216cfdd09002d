//! Notifies a person about mail to postmaster and abuse addresses (RFC 5321 §4.5.1, RFC 2142). Such mail is stored in
//! an inbox that an agent reads, so a person gets a notice by mail: `mail.postmaster` for the service's own domains,
//! the workspace owner for the others. See `docs/decisions/receiving.md#0050-role-addresses-reach-people`.
//!
//! A notice covers several messages and is sent at most every 15 minutes, so that incoming mail can't flood a person
//! or use up the sending limits of a workspace.

use std::sync::Arc;

use posthouse_domain::{Inbox, MINUTE_MS, MessageId, Record, Refusal, WorkspaceId};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Result as StoreResult, Tx, inboxes, messages, role_mail, role_mail::RoleMail, workspaces};

use super::{notice, written_mail::WrittenMail};
use crate::{mailbox::recipient, service::ReadScope, service::Service};

/// The maximum number of messages per notice.
const MESSAGES_MAX: u32 = 20;
/// The maximum number of characters of a message's text in a notice.
const TEXT_CHARS_MAX: usize = 2_000;
/// The minimum time between two notices of a workspace, in milliseconds.
pub const NOTICE_INTERVAL_MS: i64 = 15 * MINUTE_MS;
/// The domain of the placeholder owner address that the first start creates; it receives no mail.
const PLACEHOLDER_DOMAIN: &str = "localhost";

/// The result of [`send_notice`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoticeResult {
    /// No message is waiting.
    Nothing,
    /// The oldest messages were handled; more may be waiting.
    Sent,
}

/// Drops the pending notices of a workspace; the messages stay in the inbox.
pub async fn drop_pending(service: &Arc<Service>, workspace: WorkspaceId) -> StoreResult<()> {
    service.write(move |tx| role_mail::delete_all(tx, workspace)).await
}

/// Sends a notice about the oldest waiting messages of a workspace.
///
/// # Errors
/// Returns a refusal of the gate.
pub async fn send_notice(service: &Arc<Service>, workspace: WorkspaceId) -> Result<NoticeResult, Refusal> {
    let waiting = service.read(ReadScope::Service, move |tx| role_mail::oldest(tx, workspace, MESSAGES_MAX)).await?;
    if waiting.is_empty() {
        return Ok(NoticeResult::Nothing);
    }
    let served = recipient::served_domains(service);
    let is_ours = |one: &RoleMail| served.iter().any(|domain| one.address.ends_with(&format!("@{domain}")));
    // A notice has one recipient, so it covers only messages for that recipient.
    let first_is_ours = waiting.first().is_some_and(is_ours);
    let included: Vec<RoleMail> = waiting.into_iter().filter(|one| is_ours(one) == first_is_ours).collect();
    let ids: Vec<MessageId> = included.iter().map(|one| one.message).collect();
    let read = move |tx: &mut Tx| find(tx, workspace, &included);
    if let Some((owner, inbox, records)) = service.read(ReadScope::Service, read).await? {
        let person = service.config.mail.postmaster.clone().filter(|_| first_is_ours).unwrap_or(owner);
        match notice_recipient(&person) {
            Some(to) if !records.is_empty() => {
                notice::send(service, inbox, compose_notice(service, to, &records)).await?
            }
            _ => tracing::warn!(workspace_id = %workspace, "postmaster.no_notice_recipient"),
        }
    }
    service.write(move |tx| role_mail::delete(tx, workspace, &ids)).await?;
    Ok(NoticeResult::Sent)
}

/// A message and the role address that it was sent to.
type About = (String, Record);

fn find(
    tx: &mut Tx,
    workspace: WorkspaceId,
    included: &[RoleMail],
) -> StoreResult<Option<(String, Inbox, Vec<About>)>> {
    let (tenant, inbox) = (workspaces::get(tx, workspace)?, inboxes::first_of(tx, workspace)?);
    let (Some(tenant), Some(inbox)) = (tenant, inbox) else { return Ok(None) };
    let mut records = Vec::new();
    for one in included {
        records.extend(messages::record(tx, workspace, one.message)?.map(|record| (one.address.clone(), record)));
    }
    Ok(Some((tenant.owner_email, inbox, records)))
}

/// Parses the recipient of a notice. Excludes role addresses, which would loop, and the placeholder owner.
fn notice_recipient(text: &str) -> Option<Address> {
    Address::parse(text).ok().filter(|person| !recipient::is_role(person) && person.domain() != PLACEHOLDER_DOMAIN)
}

fn compose_notice(service: &Service, to: Address, records: &[About]) -> WrittenMail {
    let subject = match records {
        [(address, record)] => format!("Mail for {address}: {}", record.message.subject.as_deref().unwrap_or_default()),
        _ => format!("{} messages for postmaster and abuse", records.len()),
    };
    let mut text = "Mail for postmaster or abuse has arrived. You get this notice because such mail should reach a \
                    person (RFC 5321 section 4.5.1, RFC 2142).\n"
        .to_owned();
    for (address, record) in records {
        let message = &record.message;
        let body: String = record.bodies.text.as_deref().unwrap_or_default().chars().take(TEXT_CHARS_MAX).collect();
        let quoted: String = body.lines().map(|line| format!("> {line}\n")).collect();
        text.push_str(&format!(
            "\nTo: {address}\nFrom: {}\nSubject: {}\nFull message: GET {}/v1/messages/{}\n\n{quoted}",
            message.from,
            message.subject.as_deref().unwrap_or_default(),
            service.config.base_url,
            message.id
        ));
    }
    // A reply to a notice about one message goes to its author.
    let author = |record: &Record| Mailbox::parse(&record.message.from).ok().map(Mailbox::into_address);
    let reply_to = if let [(_, record)] = records { author(record) } else { None };
    let subject: String = subject.chars().take(200).collect();
    WrittenMail::new(service.clock.ids().next(), vec![to], subject, text).with_reply_to(reply_to)
}
