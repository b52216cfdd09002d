//! The lists of contacts: their state, and their replacement by a request.

use posthouse_domain::{
    Detail, ErrorCode, FieldProblem, IdGenerator, InboxId, JobKind, JobReason, OnCallContact, OnCallMailKind, Refusal,
    Suppression, SuppressionReason, Time, WorkspaceId,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, jobs, jobs::NewJob, on_call, suppressions};

use crate::{limits::confirmations::ConfirmationCounter, mailbox::recipient::is_own_address};

/// The list of contacts of an inbox, or that of the workspace.
#[derive(Clone, Copy)]
pub(super) struct ContactList {
    pub(super) workspace: WorkspaceId,
    pub(super) inbox: Option<InboxId>,
}

/// What a request of a client to change contacts needs.
pub(super) struct AskingClient {
    /// The service's own domains.
    pub(super) served: [String; 2],
    pub(super) counter: ConfirmationCounter,
}

/// A contact, and whether mail reaches it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OnCallContactState {
    pub contact: OnCallContact,
    /// Why nothing is sent to it any more: mail to it bounced, or it complained.
    pub failure: Option<Suppression>,
}

/// Returns the contacts of a list in their order, with their state.
pub(super) fn states(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: Option<InboxId>,
) -> StoreResult<Vec<OnCallContactState>> {
    let contacts = on_call::contacts(tx, workspace, inbox)?;
    with_state(tx, contacts)
}

/// Returns contacts with their state.
pub(super) fn with_state(tx: &mut Tx, contacts: Vec<OnCallContact>) -> StoreResult<Vec<OnCallContactState>> {
    let with_failure = contacts.into_iter().map(|contact| {
        let failure = suppressions::get(tx, contact.workspace, &contact.address)?.filter(is_failure);
        Ok(OnCallContactState { contact, failure })
    });
    with_failure.collect()
}

/// Returns whether a suppression ends mail to a person on call. One that was added by hand doesn't: an agent could
/// silence the people who watch it.
fn is_failure(suppression: &Suppression) -> bool {
    match suppression.reason {
        SuppressionReason::Bounce | SuppressionReason::Complaint => true,
        SuppressionReason::Manual => false,
    }
}

/// Replaces a list. Contacts that stay keep their state; new ones are asked to confirm, and so is a pending one whose
/// link has expired.
pub(super) fn replace(
    tx: &mut Tx,
    list: ContactList,
    addresses: &[Address],
    asking: &AskingClient,
    ids: &IdGenerator,
    now: Time,
) -> Result<(), Refusal> {
    let there = on_call::contacts(tx, list.workspace, list.inbox)?;
    let is_known = |address: &&Address| there.iter().any(|known| known.address == address.canonical_str());
    check_new(tx, list.workspace, addresses, &asking.served, is_known)?;
    for gone in there.iter().filter(|known| !addresses.iter().any(|new| new.canonical_str() == known.address)) {
        on_call::delete(tx, gone)?;
        jobs::cancel(tx, JobKind::OnCallMail, gone.id.0)?;
    }
    let mut kept: Vec<String> = Vec::new();
    for address in addresses.iter().map(Address::canonical) {
        if kept.contains(&address) {
            continue;
        }
        let position = u32::try_from(kept.len()).unwrap_or(u32::MAX);
        kept.push(address.clone());
        if let Some(known) = there.iter().find(|known| known.address == address) {
            on_call::move_to(tx, known, position)?;
            if is_link_expired(tx, known, now)? {
                request_confirmation(tx, known, &asking.counter, ids, now)?;
            }
            continue;
        }
        let contact = OnCallContact {
            workspace: list.workspace,
            id: ids.next(),
            inbox: list.inbox,
            address,
            confirmed_at: None,
            mail_due: None,
            created_at: now,
        };
        on_call::insert(tx, &contact, position)?;
        request_confirmation(tx, &contact, &asking.counter, ids, now)?;
    }
    Ok(())
}

/// Checks that new addresses can be contacts.
fn check_new(
    tx: &mut Tx,
    workspace: WorkspaceId,
    addresses: &[Address],
    served: &[String],
    is_known: impl Fn(&&Address) -> bool,
) -> Result<(), Refusal> {
    let mut problems = Vec::new();
    for (at, address) in addresses.iter().enumerate() {
        if is_own_address(tx, address, served)? {
            let problem = "is an address of this service; a person on call needs a mailbox elsewhere".to_owned();
            problems.push(FieldProblem { path: format!("contacts[{at}]"), problem });
        }
    }
    if !problems.is_empty() {
        return Err(Refusal::invalid(&problems));
    }
    let mut suppressed = Vec::new();
    for address in addresses.iter().filter(|address| !is_known(address)) {
        if suppressions::get(tx, workspace, address.canonical_str())?.is_some() {
            suppressed.push(address.canonical());
        }
    }
    if suppressed.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(ErrorCode::RecipientSuppressed, "The workspace sends nothing to a new contact.")
        .with_fix("Leave out the addresses in `details.addresses`, or delete their suppressions.")
        .detail(Detail::Addresses(suppressed)))
}

/// Returns whether a contact is pending and its link doesn't work any more.
fn is_link_expired(tx: &mut Tx, contact: &OnCallContact, now: Time) -> StoreResult<bool> {
    if contact.confirmed_at.is_some() || contact.mail_due.is_some() {
        return Ok(false);
    }
    let end = on_call::link_end(tx, contact.workspace, contact.id)?;
    Ok(end.is_none_or(|end| end <= now))
}

/// Makes the confirmation mail to a contact due, if the workspace and the address didn't have too many.
fn request_confirmation(
    tx: &mut Tx,
    contact: &OnCallContact,
    counter: &ConfirmationCounter,
    ids: &IdGenerator,
    now: Time,
) -> Result<(), Refusal> {
    counter.count(tx, contact.workspace, &contact.address, ids, now)?;
    on_call::set_mail_due(tx, contact, OnCallMailKind::Confirmation)?;
    Ok(enqueue_mail(tx, contact, ids, now)?)
}

/// Enqueues the job that sends the mail about a contact.
pub(super) fn enqueue_mail(tx: &mut Tx, contact: &OnCallContact, ids: &IdGenerator, now: Time) -> StoreResult<()> {
    let job = NewJob::new(JobKind::OnCallMail, JobReason::Added, contact.workspace, contact.id.0, ids.next(), now);
    jobs::enqueue(tx, &job)
}
