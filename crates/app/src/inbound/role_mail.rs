//! Queues the notice about mail to postmaster and abuse addresses (RFC 5321 §4.5.1, RFC 2142).

use posthouse_domain::{IdGenerator, JobKind, JobReason, MessageId, Time, WorkspaceId};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, jobs, jobs::NewJob, role_mail, role_mail::RoleMail};

use crate::mailbox::parse::ParsedMail;

/// Queues a notice about a message to a role address, in the transaction that stores it. Mail from the null sender gets
/// no notice, because it is an automatic report.
pub fn enqueue_notice(
    tx: &mut Tx,
    workspace: WorkspaceId,
    message: MessageId,
    mail: &ParsedMail,
    recipient: &Address,
    ids: &IdGenerator,
    now: Time,
) -> StoreResult<()> {
    if mail.null_sender {
        return Ok(());
    }
    if !role_mail::add(tx, workspace, &RoleMail { message, address: recipient.canonical() }, now)? {
        return Ok(());
    }
    let job = NewJob::new(JobKind::RoleNotice, JobReason::Received, workspace, workspace.0, ids.next(), now);
    jobs::enqueue_missing(tx, &job)
}
