//! The recipients' side of mail between workspaces: stores the copies of a message in a transaction of the recipients'
//! workspace, then settles the sent message in a transaction of the sender's. See
//! `docs/decisions/sending.md#0059-local-delivery`.
//!
//! Each step is repeatable: the row of the delivery records that the copies are stored, and the entries of the sent
//! message that they are settled. The row is deleted last. Deliveries from one inbox to one workspace happen in the
//! order in which they were sent, whichever job runs first.

use std::sync::Arc;

use posthouse_domain::{
    Channel, EnvelopeId, IdGenerator, InboxId, JobKind, JobReason, Judged, LimitName, LocalDeliveryState, MessageId,
    Plans, ServiceMailKind, Time, WorkspaceId,
};
use posthouse_mail::{address::Address, trace};
use posthouse_store::contents::{self, RawLocation, StoredRaw};
use posthouse_store::local_deliveries::{self, LocalDelivery, LocalOutcome};
use posthouse_store::senders::{self, Sender};
use posthouse_store::{
    Error, Result as StoreResult, Tx, blobs, deliveries, inboxes, jobs, service_mails, storage, workspaces,
};

use super::{own_results, received};
use crate::keyring::instance_key::AddressKey;
use crate::limits::{
    blocking_pool::{WorkClass, WorkOwner, WorkStop},
    storage_limit,
};
use crate::mailbox::{
    self, ReceivedCopy, Visibility, judge::Judge, parse::ParsedMail, parse::Provenance, parse::parse_message,
};
use crate::outbound::deliver::{local, prepare};
use crate::service::{ReadScope, Service};
use crate::signing::agent_copy::{self, AgentCopy, CheckedSender, CopyKey, CopySigner};

/// Deliveries of one sender that a job reads at once.
const BATCH_MAX: u32 = 16;

/// Identifies a local delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalDeliveryRef {
    /// The workspace of the recipients.
    pub workspace: WorkspaceId,
    /// The delivery.
    pub id: EnvelopeId,
}

/// The next step of a local delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalDeliveryStep {
    /// The delivery is over, and its job is deleted.
    Done,
    /// There is no such delivery any more.
    Gone,
    /// The sender may not send now.
    Hold(JobReason),
    /// The workspace of the recipients is full.
    Full {
        /// When to try again; `None` for a delivery that only waits for an earlier one.
        at: Option<Time>,
    },
}

/// The result of an attempt to store the copies.
enum StoreAttempt {
    Ended(LocalOutcome),
    /// Nothing was stored, because the workspace of the recipients stores as much as its plan allows.
    Full {
        /// The storage of the plan, in bytes.
        max: u64,
    },
}

/// Runs a delivery after the earlier ones of its sender.
///
/// # Errors
/// Returns an error if a store call fails. The delivery then continues where it was.
pub async fn run(service: &Arc<Service>, reference: LocalDeliveryRef) -> StoreResult<LocalDeliveryStep> {
    let mut step = LocalDeliveryStep::Gone;
    loop {
        let Some(batch) = service.read(ReadScope::Service, move |tx| load(tx, reference)).await? else {
            return Ok(step);
        };
        let is_ready = |loaded: &LoadedDelivery| batch.hold.is_none() || loaded.raw.is_none();
        let (mut outcomes, mut failure, mut waits, mut full) = (Vec::new(), None, false, None);
        for loaded in batch.deliveries {
            if !is_ready(&loaded) {
                waits = true;
                continue;
            }
            match outcome(service, &loaded).await {
                Ok(Some(StoreAttempt::Ended(outcome))) => outcomes.push((loaded.delivery, outcome)),
                Ok(None) => {}
                // A later delivery must not overtake one of these.
                Ok(Some(StoreAttempt::Full { max })) => {
                    full = Some((loaded.delivery, max));
                    break;
                }
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        finish(service, outcomes).await?;
        step = LocalDeliveryStep::Done;
        match (failure, batch.hold) {
            (Some(error), _) => return Err(error),
            (None, Some(reason)) if waits => return Ok(LocalDeliveryStep::Hold(reason)),
            _ => {}
        }
        if let Some((delivery, max)) = full
            && let Some(step) = postpone(service, delivery, max, reference).await?
        {
            return Ok(step);
        }
    }
}

/// Records that the workspace of the recipients is full, and returns when to try again. A job does so for its own delivery
/// only, so that each attempt counts once. Returns `None` if the delivery ended.
async fn postpone(
    service: &Service,
    delivery: LocalDelivery,
    storage_max: u64,
    reference: LocalDeliveryRef,
) -> StoreResult<Option<LocalDeliveryStep>> {
    if delivery.id != reference.id {
        return Ok(Some(LocalDeliveryStep::Full { at: None }));
    }
    let schedule_ms = service.config.delivery.retry_schedule_ms.clone();
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let settle = move |tx: &mut Tx| {
        deliveries::lock(tx, delivery.sender_workspace, delivery.message)?;
        local::settle_full(tx, &delivery, storage_max, &schedule_ms, &ids, now)
    };
    service.metrics.limit_refused(LimitName::StorageBytes);
    if let Some(at) = service.write(settle).await? {
        return Ok(Some(LocalDeliveryStep::Full { at: Some(at) }));
    }
    give_up(service, reference, "The recipient's storage was full until the message expired.".to_owned()).await?;
    Ok(None)
}

/// Ends a delivery whose job is dead: recipients without a copy fail. Returns whether there was anything to end.
pub async fn give_up(service: &Service, reference: LocalDeliveryRef, why: String) -> StoreResult<bool> {
    let LocalDeliveryRef { workspace, id } = reference;
    let write = move |tx: &mut Tx| {
        let Some(delivery) = local_deliveries::take(tx, workspace, id)? else { return Ok::<_, Error>(None) };
        if let Some(outcome) = recorded(&delivery) {
            return Ok(Some((delivery, outcome)));
        }
        let outcome = LocalOutcome::Failed(why.clone());
        contents::delete_pending(tx, workspace, delivery.content)?;
        local_deliveries::settle(tx, &delivery, &outcome)?;
        Ok(Some((delivery, outcome)))
    };
    let Some(ended) = service.write(write).await? else { return Ok(false) };
    finish(service, vec![ended]).await?;
    Ok(true)
}

/// The deliveries that a job handles together.
struct DeliveryBatch {
    /// Why the sender may not send now.
    hold: Option<JobReason>,
    /// The oldest deliveries of the sender, in order.
    deliveries: Vec<LoadedDelivery>,
}

struct LoadedDelivery {
    delivery: LocalDelivery,
    /// The bytes of the copies; `None` if nothing remains to be stored.
    raw: Option<StoredRaw>,
    /// What signatures of the copies state, unless it changes before they are stored.
    expected: Option<ExpectedCopies>,
    /// Whether the service asks the recipient to confirm something.
    is_request: bool,
}

/// The sender and the recipients of copies that are to be signed.
#[derive(Clone)]
struct ExpectedCopies {
    sender: Sender,
    /// The addresses of the recipients.
    recipients: Vec<String>,
}

/// Returns the oldest deliveries from the sender of a delivery to its workspace; `None` if the delivery is over.
fn load(tx: &mut Tx, reference: LocalDeliveryRef) -> StoreResult<Option<DeliveryBatch>> {
    let Some(own) = local_deliveries::get(tx, reference.workspace, reference.id)? else { return Ok(None) };
    let sender =
        (workspaces::get(tx, own.sender_workspace)?, inboxes::get(tx, own.sender_workspace, own.sender_inbox)?);
    let hold = match &sender {
        (Some(workspace), Some(inbox)) => prepare::hold_reason(workspace, inbox),
        _ => None,
    };
    let mut deliveries = Vec::new();
    for delivery in local_deliveries::oldest_from(tx, own.workspace, own.sender_inbox, BATCH_MAX)? {
        let raw = match delivery.state {
            LocalDeliveryState::Pending => {
                let missing = || Error::Inconsistent("a local delivery has no content".into());
                Some(contents::raw(tx, delivery.workspace, delivery.content)?.ok_or_else(missing)?)
            }
            LocalDeliveryState::Stored | LocalDeliveryState::Failed => None,
        };
        let is_to_sign = raw.is_some() && delivery.signed.is_some();
        let expected = if is_to_sign { Some(expected_copies(tx, &delivery)?) } else { None };
        let is_request = delivery.sender_workspace == WorkspaceId::SERVICE
            && service_mails::of_message(tx, delivery.message)?
                .is_some_and(|written| written.kind == ServiceMailKind::Confirmation);
        deliveries.push(LoadedDelivery { delivery, raw, expected, is_request });
    }
    Ok(Some(DeliveryBatch { hold, deliveries }))
}

fn expected_copies(tx: &mut Tx, delivery: &LocalDelivery) -> StoreResult<ExpectedCopies> {
    let mut recipients = Vec::new();
    for recipient in &delivery.recipients {
        recipients.extend(inboxes::get(tx, delivery.workspace, recipient.inbox)?.map(|inbox| inbox.address));
    }
    Ok(ExpectedCopies { sender: senders::get(tx, delivery.sender_workspace, delivery.sender_inbox)?, recipients })
}

/// Returns the outcome that the row of a delivery records.
fn recorded(delivery: &LocalDelivery) -> Option<LocalOutcome> {
    match delivery.state {
        LocalDeliveryState::Pending => None,
        LocalDeliveryState::Stored => Some(LocalOutcome::Stored { missing: delivery.missing.clone() }),
        LocalDeliveryState::Failed => Some(LocalOutcome::Failed(delivery.detail.clone().unwrap_or_default())),
    }
}

/// Stores the copies of a delivery unless that happened before. Returns the outcome; `None` if the delivery is over.
async fn outcome(service: &Service, loaded: &LoadedDelivery) -> StoreResult<Option<StoreAttempt>> {
    let Some(raw) = &loaded.raw else { return Ok(recorded(&loaded.delivery).map(StoreAttempt::Ended)) };
    let signer = copy_signer(service, &loaded.delivery).await?;
    let (mail, signer) = parse_and_sign(service, loaded, raw.clone(), signer).await?;
    let key = service.address_key().map_err(|refusal| Error::Unavailable(refusal.message.into()))?;
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let reference = LocalDeliveryRef { workspace: loaded.delivery.workspace, id: loaded.delivery.id };
    let storage = StorageClaim { plans: service.config.plans, bytes: raw.bytes };
    let copies = NewCopies { mail, key, signer, storage };
    service.write(move |tx| store_copies(tx, reference, &copies, &ids.clone(), now)).await
}

/// Returns the signer of the copies; `None` for ordinary mail.
async fn copy_signer(service: &Service, delivery: &LocalDelivery) -> StoreResult<Option<CopySigner>> {
    let Some(content) = &delivery.signed else { return Ok(None) };
    let key: CopyKey = agent_copy::key(service).await.map_err(|error| Error::Unavailable(error.to_string().into()))?;
    Ok(Some(CopySigner::new(key, content.clone())))
}

/// Parses the copy, which was parsed before when the message was accepted, and signs it.
async fn parse_and_sign(
    service: &Service,
    loaded: &LoadedDelivery,
    raw: StoredRaw,
    mut signer: Option<CopySigner>,
) -> StoreResult<(ParsedMail, Option<CopySigner>)> {
    let delivery = &loaded.delivery;
    let bytes_max = usize::try_from(raw.bytes).unwrap_or(usize::MAX);
    let packed = match raw.place {
        RawLocation::Inline(packed) => packed.into(),
        RawLocation::Blob(name) => service.blobs.read(&name.parse()?).await?,
    };
    let from = sender(delivery)?;
    let (hostname, workspace) = (service.config.hostname.clone(), delivery.sender_workspace);
    let requested = delivery.requested.clone();
    let channel = if delivery.signed.is_some() { Channel::Agent } else { Channel::Email };
    let (disclosed, expected, is_request) = (delivery.disclosed, loaded.expected.clone(), loaded.is_request);
    let (ids, now, judge) = (service.clock.ids(), service.clock.now(), Judge::of(service));
    let work = move |_: &WorkStop| {
        let raw = blobs::decompress(&packed, bytes_max)?;
        let results = own_results(&from);
        let provenance = Provenance { mail_from: Some(&from), results: &results, authserv_id: &hostname, is_request };
        let mut mail = received(parse_message(&raw, Some(provenance)), workspace, requested.as_ref());
        if !is_request {
            mail.mask_requested();
        }
        mail.set_disclosure_verified(disclosed);
        judge.screen(&mut mail);
        mail.judged = if is_request { Judged::Unavailable } else { judge.judge(&mail) };
        if let (Some(signer), Some(expected)) = (&mut signer, expected) {
            signer.sign_early(expected.sender, expected.recipients, &ids, now)?;
        }
        Ok((ParsedMail { channel, ..mail }, signer))
    };
    let owner = WorkOwner { class: WorkClass::Receive, workspace };
    let parsed = service.blocking_pool.run_for(owner, bytes_max, work).await;
    parsed.map_err(|refusal| Error::Internal(refusal.message.into()))?
}

fn sender(delivery: &LocalDelivery) -> StoreResult<Address> {
    let broken = |_| Error::Inconsistent("a local delivery has no valid sender".into());
    Address::parse(&delivery.mail_from).map_err(broken)
}

/// What the transaction that stores the copies needs.
struct NewCopies {
    mail: ParsedMail,
    key: AddressKey,
    /// Signs agent messages.
    signer: Option<CopySigner>,
    storage: StorageClaim,
}

/// The bytes that the copies of a delivery share, and the limits that they count for.
#[derive(Clone, Copy)]
struct StorageClaim {
    plans: Plans,
    bytes: u64,
}

/// Stores one copy in each inbox that still exists and records the outcome, unless another worker did. Without room for
/// them in the plan, nothing is recorded.
fn store_copies(
    tx: &mut Tx,
    reference: LocalDeliveryRef,
    new: &NewCopies,
    ids: &IdGenerator,
    now: Time,
) -> StoreResult<Option<StoreAttempt>> {
    let NewCopies { mail, key, signer, storage: claim } = new;
    let LocalDeliveryRef { workspace, id } = reference;
    let Some(delivery) = local_deliveries::take(tx, workspace, id)? else { return Ok(None) };
    if let Some(outcome) = recorded(&delivery) {
        return Ok(Some(StoreAttempt::Ended(outcome)));
    }
    let need = storage_limit::need(tx, &claim.plans, workspace, claim.bytes)?;
    if let Err(refusal) = need.check() {
        return Ok(Some(StoreAttempt::Full { max: refusal.max().unwrap_or_default() }));
    }
    // Another unit may fill the workspace until the commit. Then this attempt fails, and the next one records it.
    storage::limit(tx, &claim.plans);
    inboxes::lock_all(tx, delivery.recipients.iter().map(|recipient| (workspace, recipient.inbox)).collect())?;
    let trace = trace::return_path(&sender(&delivery)?.smtp_form());
    let sender = match &delivery.signed {
        Some(content) => Some(CheckedSender::read(tx, delivery.sender_workspace, delivery.sender_inbox, content)?),
        None => None,
    };
    let agent = signer.as_ref().zip(sender.as_ref()).map(|(signer, sender)| AgentCopy { sender, signer });
    let copy = ReceivedCopy {
        mail,
        content: delivery.content,
        trace: &trace,
        reports_on: &[],
        key,
        visibility: Visibility::Shown,
        plans: &claim.plans,
        imitation: None,
        agent,
    };
    let (mut reached, mut missing): (Vec<InboxId>, Vec<u32>) = (Vec::new(), Vec::new());
    for recipient in &delivery.recipients {
        if reached.contains(&recipient.inbox) {
            continue;
        }
        match inboxes::live(tx, workspace, recipient.inbox, now)? {
            Some(inbox) => {
                mailbox::receive(tx, copy, &inbox, ids, now)?;
                reached.push(inbox.id);
            }
            None => missing.push(recipient.position),
        }
    }
    if reached.is_empty() {
        contents::delete_pending(tx, workspace, delivery.content)?;
    } else {
        contents::count_pending(tx, workspace, claim.bytes);
    }
    let outcome = LocalOutcome::Stored { missing };
    local_deliveries::settle(tx, &delivery, &outcome)?;
    Ok(Some(StoreAttempt::Ended(outcome)))
}

/// Settles the sent messages of deliveries from one inbox, then deletes the deliveries with their jobs.
async fn finish(service: &Service, ended: Vec<(LocalDelivery, LocalOutcome)>) -> StoreResult<()> {
    let Some((first, _)) = ended.first() else { return Ok(()) };
    let (sender, ids, now) = (first.sender_workspace, service.clock.ids(), service.clock.now());
    let over: Vec<LocalDeliveryRef> =
        ended.iter().map(|(delivery, _)| LocalDeliveryRef { workspace: delivery.workspace, id: delivery.id }).collect();
    let settle = move |tx: &mut Tx| -> StoreResult<()> {
        // All messages are locked before anything else, in the order of all units.
        let mut messages: Vec<MessageId> = ended.iter().map(|(delivery, _)| delivery.message).collect();
        messages.sort_unstable();
        for message in messages {
            deliveries::lock(tx, sender, message)?;
        }
        let ids = ids.clone();
        ended.iter().try_for_each(|(delivery, outcome)| local::settle(tx, delivery, outcome, &ids, now))
    };
    service.write(settle).await?;
    let delete = move |tx: &mut Tx| -> StoreResult<()> {
        over.iter().try_for_each(|LocalDeliveryRef { workspace, id }| {
            local_deliveries::delete(tx, *workspace, *id)?;
            jobs::cancel(tx, JobKind::LocalDelivery, id.0)
        })
    };
    service.write(delete).await
}
