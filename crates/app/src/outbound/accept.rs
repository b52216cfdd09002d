//! Stores outgoing messages; send, reply and forward all use this write. See `docs/FLOWS.md`.
//!
//! The message is composed and parsed first. One transaction then checks the gate and stores the counters, the
//! message, its recipients, the local copies, the delivery jobs, the events and the idempotency record. A refused
//! message leaves nothing behind.

use std::sync::Arc;

use composition::Composition;
use copy_signing::{CopySigning, SenderFacts};
use posthouse_domain::{
    AuthorClaims, AuthoredContent, Caller, Channel, DeliveryStatus, Detail, DkimSignatures, Draft, DraftHold,
    ErrorCode, IdGenerator, Inbox, JudgedRecipient, MessageId, MessageStatus, OutboundFinding, OutboundVerdict,
    OutgoingContent, Plans, Record, RecordView, Refusal, SendPurpose, StorageNeed, Time, gate,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Tx, approvals, contacts, contents::StoredRaw, idempotency, idempotency::RecordedResponse,
    local_deliveries::RequestedFields, storage, unclaimed, usage, workspaces,
};
use write::WrittenMessage;

use super::{compose, compose::OutgoingMessage, send_context::SendContext};
use crate::keyring::{instance_key::AddressKey, sealed_link, signer::DomainKeys, signer::SigningError};
use crate::mailbox::{judge::Judge, parse::ParsedMail, recipient::served_domains, recipient::served_domains_of};
use crate::outbound::local_delivery::{self, RecipientRoute};
use crate::{
    access::visible,
    domains::dkim,
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    messages::raw::store_raw,
    service::Service,
    signing::agent_copy::CopySigner,
    workspaces::suspension,
};

mod author;
mod composition;
mod copy_signing;
mod correspondents;
mod decide;
mod judge;
pub(crate) mod request;
mod write;

pub use super::response::{RenderResponse, SendResponse};
pub(crate) use super::response::{claimed, recorded_response};
pub(crate) use decide::decide_with_hook;
pub use decide::{RecipientDecision, RemainingLimits, SendDecision, decide};

/// Job attempts beyond the retry schedule, because a process crash uses up an attempt without trying.
const SPARE_ATTEMPTS: usize = 200;
/// The HTTP status of an accepted message.
const ACCEPTED: u16 = 202;

/// Why the transaction of a message stores nothing.
enum NotStored {
    /// The message is refused.
    Refused(Refusal),
    /// The message becomes a draft.
    Held(Box<HeldOutcome>),
}

/// Why a message becomes a draft, and what is known about its recipients.
struct HeldOutcome {
    hold: DraftHold,
    origins: Vec<JudgedRecipient>,
}

impl From<Refusal> for NotStored {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<posthouse_store::Error> for NotStored {
    fn from(error: posthouse_store::Error) -> Self {
        Self::Refused(error.into())
    }
}

/// What the transaction of a message returns.
enum AcceptedResponse {
    /// The response, which an idempotency key repeats.
    Recorded(SendResponse),
    /// The stored message; its response isn't rendered yet.
    ToRender(Box<Record>),
}

/// The configuration that the transaction needs.
#[derive(Clone)]
struct AcceptConfig {
    plans: Plans,
    /// The service's own domains.
    own: [String; 2],
    /// The service's own domains, and workspace domains of recipients.
    served: Vec<String>,
    /// Time until a remote recipient expires, in milliseconds.
    expiry_ms: i64,
    /// The maximum number of attempts of a delivery job.
    attempts_max: u32,
    /// Hashes the addresses of forgotten contacts.
    key: AddressKey,
    /// Whether mail between inboxes of this service is agent messages.
    agent_messaging: bool,
    /// The issuer of this service, which the signature of an author may name as its audience.
    issuer: String,
}

/// A composed message, ready for the transaction.
struct AcceptedMessage {
    context: SendContext,
    config: AcceptConfig,
    message: OutgoingMessage,
    from: Address,
    /// The parsed message as the sender's inbox stores it.
    sent: ParsedMail,
    /// The parsed message as local recipients store it.
    received: Option<ParsedMail>,
    /// The fields of the request that replace those of the header in local copies.
    requested: Option<RequestedFields>,
    /// The bytes for local recipients, if they differ from those that the sender sees.
    local_raw: Option<StoredRaw>,
    /// Signs the copies on this service; `None` for ordinary mail.
    copy_signer: Option<CopySigner>,
    /// The author's signature with the parts that it must cover.
    author: Option<(AuthorClaims, AuthoredContent)>,
    /// The DKIM signatures, if the message could be signed now.
    signed: Option<DkimSignatures>,
    /// The secrets in the message.
    findings: Vec<OutboundFinding>,
    /// Whether some of its files weren't read, so that they may have more.
    has_unread_files: bool,
    /// The content as it was before the message was composed, if the message may become a draft.
    given: Option<OutgoingContent>,
    /// Other changes in the transaction of the message.
    hook: Option<Box<dyn AcceptHook>>,
    now: Time,
}

impl AcceptedMessage {
    /// Returns what the message is sent for.
    fn purpose(&self) -> SendPurpose {
        self.hook.as_ref().map_or(SendPurpose::Message, |hook| hook.purpose())
    }

    /// Returns how recipients on this service get the message.
    fn local_channel(&self) -> Channel {
        if self.copy_signer.is_some() { Channel::Agent } else { Channel::Email }
    }
}

/// What is known about a draft that is being sent.
#[derive(Clone, Copy)]
pub(crate) struct JudgedDraft<'a> {
    pub(crate) draft: &'a Draft,
    /// Whether somebody has approved it, so that nothing holds it.
    pub(crate) is_approved: bool,
    /// Whether its recipients were judged when it was scheduled.
    pub(crate) is_judged: bool,
}

/// Changes of other records in the transaction that stores a message, such as the draft that the message was made
/// from.
pub(crate) trait AcceptHook: Send + Sync {
    /// Returns what the message is sent for.
    fn purpose(&self) -> SendPurpose {
        SendPurpose::Message
    }

    /// Returns the draft that the message is made from.
    fn draft(&self) -> Option<JudgedDraft<'_>> {
        None
    }

    /// Keeps the draft until a person approves it, and returns it; `None` if the message isn't made from one.
    ///
    /// # Errors
    /// Returns a refusal if the draft can't be kept.
    fn hold(
        &self,
        _tx: &mut Tx,
        _hold: &DraftHold,
        _origins: &[JudgedRecipient],
        _ids: &IdGenerator,
        _now: Time,
    ) -> Result<Option<Draft>, Refusal> {
        Ok(None)
    }

    /// Checks that the records that the message was made from are unchanged.
    ///
    /// # Errors
    /// Returns the refusal of the check.
    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal>;

    /// Writes the changes.
    ///
    /// # Errors
    /// Returns a refusal that rolls the message back too.
    fn settle(
        &self,
        tx: &mut Tx,
        message: MessageId,
        caller: &Caller,
        ids: &IdGenerator,
        now: Time,
    ) -> Result<(), Refusal>;
}

/// Accepts a message for sending.
///
/// # Errors
/// Returns `message_too_large`, `idempotency_key_reused`, or `not_found`, a refusal of the gate.
pub async fn accept(
    service: &Arc<Service>,
    context: SendContext,
    message: OutgoingMessage,
    inbox: Inbox,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let (accepted, raw) = prepare(service, context, message, inbox).await?;
    store_accepted(service, accepted, raw, render).await
}

/// Accepts a message together with other changes.
///
/// # Errors
/// Returns the errors of [`accept`], and those of `hook`.
pub(crate) async fn accept_with_hook(
    service: &Arc<Service>,
    context: SendContext,
    message: OutgoingMessage,
    inbox: Inbox,
    hook: Box<dyn AcceptHook>,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    let (mut accepted, raw) = prepare(service, context, message, inbox).await?;
    accepted.hook = Some(hook);
    store_accepted(service, accepted, raw, render).await
}

async fn store_accepted(
    service: &Arc<Service>,
    mut accepted: Box<AcceptedMessage>,
    raw: Vec<u8>,
    render: RenderResponse,
) -> Result<SendResponse, Refusal> {
    if let Some(refusal) = size_refusal(service, &accepted) {
        return Err(refusal);
    }
    let keys = signing_keys(service, &accepted, &raw).await;
    let (blobs, bytes, now) = (service.blobs.clone(), raw.len(), accepted.now);
    let work = move |_: &WorkStop| {
        let signed = keys.and_then(|keys| keys.sign(&raw, now).inspect_err(log_unsigned).ok());
        blobs.compress(&raw).map(|compressed| (signed, compressed))
    };
    let workspace = accepted.context.caller.workspace;
    let owner = WorkOwner { class: WorkClass::Compose, workspace };
    let (signed, compressed) = service.blocking_pool.run_for(owner, bytes, work).await??;
    accepted.signed = signed;
    let raw = store_raw(service, compressed, bytes).await?;
    let ids = service.clock.ids();
    let (render_in_unit, accepted) = (Arc::clone(&render), Arc::new(*accepted));
    let to_store = Arc::clone(&accepted);
    let stored = service.write(move |tx| store(tx, &to_store, &raw, &render_in_unit, &ids.clone())).await;
    let stored = match stored {
        Ok(stored) => Ok(stored),
        Err(NotStored::Refused(refusal)) => Err(refusal),
        Err(NotStored::Held(outcome)) => return judge::keep(service, &accepted, *outcome).await,
    };
    if let Err(refusal) = &stored {
        judge::count_refusal(service, refusal.code);
    }
    if stored.as_ref().is_err_and(|refusal| refusal.code == ErrorCode::OrgSuspended) {
        // The suspension was rolled back together with the message.
        service.write(move |tx| suspension::record_incidents(tx, workspace, Vec::new(), now)).await?;
    }
    match stored? {
        AcceptedResponse::Recorded(response) => Ok(response),
        AcceptedResponse::ToRender(record) => {
            let owner = WorkOwner { class: WorkClass::Respond, workspace };
            let work = move |_: &WorkStop| render_response(&render, &record);
            service.blocking_pool.run_for(owner, bytes, work).await?
        }
    }
}

fn render_response(render: &RenderResponse, record: &Record) -> Result<SendResponse, Refusal> {
    let answer = RecordedResponse { status: ACCEPTED, body: render(record)? };
    Ok(SendResponse::new(answer))
}

/// Returns the keys that can sign the message now; `None` if no remote server gets exactly these bytes.
async fn signing_keys(service: &Service, accepted: &AcceptedMessage, raw: &[u8]) -> Option<Arc<DomainKeys>> {
    let is_remote = |address: &&Address| !local_delivery::is_served(address, &accepted.config.served);
    let is_sent_unchanged =
        !service.captures() && accepted.message.people.deliveries().iter().any(is_remote) && !sealed_link::is_in(raw);
    if !is_sent_unchanged {
        return None;
    }
    let keys = dkim::keys_of(service, accepted.context.caller.workspace, accepted.from.domain()).await;
    keys.inspect_err(log_unsigned).ok().flatten()
}

/// Logs a signing failure. The message is accepted anyway: the delivery attempt signs it, or logs why it can't.
fn log_unsigned(error: &SigningError) {
    tracing::warn!(cause = %error, "signing.deferred");
}

/// Composes the message and parses it the way its recipients will.
async fn prepare(
    service: &Arc<Service>,
    context: SendContext,
    mut outgoing: OutgoingMessage,
    inbox: Inbox,
) -> Result<(Box<AcceptedMessage>, Vec<u8>), Refusal> {
    let now = service.clock.now();
    let author = compose::author(&inbox)?;
    let config = AcceptConfig {
        agent_messaging: service.config.agents.messaging,
        issuer: service.config.issuer(),
        plans: service.config.plans,
        own: served_domains(service),
        served: served_domains_of(service, &outgoing.people.deliveries()).await?,
        expiry_ms: service.config.delivery.retry_schedule_ms.iter().sum(),
        attempts_max: u32::try_from(service.config.delivery.retry_schedule_ms.len() + SPARE_ATTEMPTS)
            .unwrap_or(u32::MAX),
        key: service.address_key()?,
    };
    let SenderFacts { workspace, has_draft_only_mail, signing } =
        copy_signing::read(service, &config, &outgoing, &inbox).await?;
    let search = judge::search_facts(service, &workspace, &outgoing, now).await?;
    let bytes = outgoing.content.bytes() + outgoing.origin.raw().map_or(0, |raw| raw.len());
    let composition = Composition {
        context,
        config,
        workspace,
        inbox,
        author,
        has_draft_only_mail,
        signing,
        search,
        hostname: service.config.hostname.clone(),
        blobs: service.blobs.clone(),
        judge: Judge::of(service),
        ids: service.clock.ids(),
        now,
    };
    let owner = WorkOwner { class: WorkClass::Compose, workspace: composition.workspace.id };
    service.blocking_pool.run_for(owner, bytes, move |_: &WorkStop| composition.compose(outgoing)).await?
}

fn size_refusal(service: &Service, accepted: &AcceptedMessage) -> Option<Refusal> {
    let (bytes, max) = (accepted.sent.size_bytes, service.config.message_bytes_max);
    let message = format!("The message would be {bytes} bytes; the maximum is {max} bytes.");
    (bytes > max).then(|| {
        Refusal::new(ErrorCode::MessageTooLarge, message)
            .detail(Detail::MessageSizeBytes(bytes))
            .detail(Detail::MaxBytes(max))
    })
}

fn store(
    tx: &mut Tx,
    accepted: &AcceptedMessage,
    raw: &StoredRaw,
    render: &RenderResponse,
    ids: &IdGenerator,
) -> Result<AcceptedResponse, NotStored> {
    let context = &accepted.context;
    if let Some(answer) = claimed(tx, context.key.as_ref(), accepted.now)? {
        return Ok(AcceptedResponse::Recorded(SendResponse::replay(answer)));
    }
    let inbox = visible::inbox(tx, &context.caller, context.inbox)?;
    if let Some(fence) = &context.fence {
        fence.check(tx, &context.caller, accepted.now)?;
    }
    if let Some(hook) = &accepted.hook {
        hook.check_unchanged(tx)?;
    }
    if let Some((claims, content)) = &accepted.author {
        author::accept(tx, &inbox, claims, content, accepted.now)?;
    }
    let workspace = workspaces::get(tx, inbox.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    // Mail of the service has budgets of its own.
    let counts = accepted.purpose() != SendPurpose::Service;
    let used = if counts {
        usage::sent(tx, inbox.workspace, inbox.id, accepted.now)?
    } else {
        usage::current(tx, inbox.workspace, inbox.id, accepted.now)?
    };
    // The end of the transaction checks the stored bytes, after all other reasons.
    let facts = decide::facts(tx, accepted, &workspace, &inbox, used, StorageNeed::default())?;
    if let OutboundVerdict::Hold(hold) = gate::may_send(&facts)? {
        return Err(NotStored::Held(Box::new(HeldOutcome { hold, origins: facts.outbound.recipients })));
    }
    if counts {
        storage::limit(tx, &accepted.config.plans);
    }
    if let Some(today) = facts.recipients_day.as_ref().filter(|_| counts) {
        unclaimed::add(tx, workspace.id, &today.new, accepted.now)?;
    }
    let routes = routes_of(tx, accepted)?;
    let to = write::Destination { inbox: &inbox, routes: &routes, outbound: &facts.outbound };
    let written = write::message(tx, accepted, raw, to, ids)?;
    if let Some(hook) = &accepted.hook {
        hook.settle(tx, written.message.id, &context.caller, ids, accepted.now)?;
    }
    let record = response_record(tx, accepted, written)?;
    // Without a key the response is rendered after the commit, so that a large one doesn't hold the writer (SQLite) or
    // the locked rows (PostgreSQL).
    let Some(key) = &context.key else { return Ok(AcceptedResponse::ToRender(Box::new(record))) };
    let response = render_response(render, &record)?;
    idempotency::answer(tx, key, &response.answer)?;
    Ok(AcceptedResponse::Recorded(response))
}

/// Returns the route of each recipient.
fn routes_of(tx: &mut Tx, accepted: &AcceptedMessage) -> posthouse_store::Result<Vec<(Address, RecipientRoute)>> {
    let all = accepted.message.people.deliveries();
    all.into_iter()
        .map(|address| {
            Ok((address.clone(), local_delivery::route_of(tx, address, &accepted.config.served, accepted.now)?))
        })
        .collect()
}

/// Returns the message as the response shows it: queued, whatever local recipients already received. Only what the rows
/// of the message don't have is read.
fn response_record(
    tx: &mut Tx,
    accepted: &AcceptedMessage,
    written: WrittenMessage,
) -> posthouse_store::Result<Record> {
    let WrittenMessage { mut message, attachments, deliveries } = written;
    let workspace = message.workspace;
    if let Some(address) = &message.contact_address {
        message.contact = contacts::by_address(tx, workspace, address)?.map(|contact| contact.id);
    }
    let approval = match &accepted.hook {
        Some(_) => approvals::of(tx, workspace, &[message.id])?.pop(),
        None => None,
    };
    let (bodies, view) = (accepted.sent.bodies.clone(), RecordView::Full);
    let mut record =
        Record { message, bodies, attachments, deliveries, withheld: false, approval, shows_release: false, view };
    record.message.status = MessageStatus::Queued;
    record.message.sent_at = None;
    for entry in &mut record.deliveries {
        (entry.status, entry.attempts) = (DeliveryStatus::Queued, 0);
        (entry.smtp_code, entry.enhanced_code, entry.detail, entry.class) = (None, None, None, None);
    }
    Ok(record)
}
