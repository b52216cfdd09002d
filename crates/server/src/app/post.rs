//! The one write that stores a sent message, whatever made it: send, reply and forward end here (architecture, «Mail out»).
//!
//! The mail is built and understood before; inside the transaction stand the gate, the counters, the message, its
//! recipients, the copies on this service, the jobs for elsewhere, the events and the idempotency record. Nothing is
//! stored of a message that is refused.

use std::{borrow::Cow, sync::Arc};

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    gate,
    id::{Ids, MessageId},
    inbox::Inbox,
    message::{DeliveryStatus, Status},
    plan::Plans,
    send::DATA_FILE_NAME,
    time::Time,
};
use posthouse_mail::{
    address::{Address, Mailbox},
    smtp::client::normalise_line_ends,
};
use posthouse_store::{
    Tx,
    contents::{Raw, RawPlace},
    idempotency::{self, Claim, Recorded},
    messages::{self, Record},
    recipients::Signed,
    unclaimed, usage, workspaces,
};

use super::{
    App,
    compose::{self, Letter, Origin},
    deliver_here::{self, Way},
    judge_sending,
    receive::{place, served_among, served_domains},
    sealed_link,
    send::Order,
    signing::{self, AddressKey, DomainKeys, SigningError},
    understand::{Mail, Provenance, understand},
    visible,
};

mod decide;
mod write;

pub use decide::{Decision, Left, RecipientDecision, decide};

/// Attempts beyond the schedule: a process that dies in one has used it up without trying.
const SPARE_ATTEMPTS: usize = 200;
/// The status of a message that was taken.
const ACCEPTED: u16 = 202;

/// Makes the body of the answer from the stored message, inside the transaction, so that it can be stored with it.
pub type Render = Arc<dyn Fn(&Record) -> Result<String, Refusal> + Send + Sync>;

/// The answer to a request to send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Posted {
    /// Status and body.
    pub answer: Recorded,
    /// Whether it is the answer to an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// What the transaction needs to know of the configuration.
#[derive(Clone)]
struct House {
    plans: Plans,
    /// The domains of the service itself.
    own: [String; 2],
    /// They, and those of workspaces that recipients are at.
    served: Vec<String>,
    /// How long a recipient elsewhere is tried, in milliseconds.
    expiry_ms: i64,
    /// How often.
    attempts_max: u32,
    /// Hashes the addresses of forgotten contacts.
    key: AddressKey,
}

/// A message with everything done that can be done before the transaction.
struct Ready {
    order: Order,
    house: House,
    letter: Letter,
    from: Address,
    /// What is known of it in the sender's inbox.
    sent: Mail,
    /// What is known of it in the inboxes of this service that get it.
    received: Option<Mail>,
    /// The bytes that they get, where those are not the ones that the sender sees.
    opened: Option<Raw>,
    /// The signatures that it leaves with, where they could be made.
    signed: Option<Signed>,
    /// What else the message changes.
    along: Option<Box<dyn Along>>,
    now: Time,
}

/// What the transaction of a message changes beside it: the draft that it was, the address that it asks or serves.
pub(super) trait Along: Send + Sync {
    /// Refuses when what the message was made of is not so any more.
    ///
    /// # Errors
    /// The refusal, or the store's own.
    fn guard(&self, tx: &mut Tx) -> Result<(), Refusal>;

    /// Writes what changes.
    ///
    /// # Errors
    /// A refusal that undoes the message too, or the store's own.
    fn settle(&self, tx: &mut Tx, message: MessageId, by: (&Caller, &Ids), now: Time) -> Result<(), Refusal>;
}

/// Queues a message.
///
/// # Errors
/// `message_too_large`, `idempotency_key_reused`, `not_found`, what the gate refuses, the store's own.
pub async fn post(app: &Arc<App>, order: Order, written: (Letter, Inbox), render: Render) -> Result<Posted, Refusal> {
    let built = ready(app, order, written).await?;
    queue(app, built, render).await
}

/// Queues a message whose transaction changes something else too.
///
/// # Errors
/// As [`post`], and what goes along with it refuses.
pub(super) async fn post_along(
    app: &Arc<App>,
    order: Order,
    written: (Letter, Inbox),
    along: Box<dyn Along>,
    render: Render,
) -> Result<Posted, Refusal> {
    let (ready, raw) = ready(app, order, written).await?;
    queue(app, (Ready { along: Some(along), ..ready }, raw), render).await
}

async fn queue(app: &Arc<App>, (mut ready, raw): (Ready, Vec<u8>), render: Render) -> Result<Posted, Refusal> {
    if let Some(refusal) = size_refusal(app, &ready) {
        return Err(refusal);
    }
    let keys = signing_keys(app, &ready, &raw).await;
    let (blobs, bytes, now) = (app.blobs.clone(), raw.len(), ready.now);
    let work = move || {
        let signed = keys.and_then(|keys| keys.sign(&raw, now).inspect_err(unsigned).ok());
        blobs.compress(&raw).map(|compressed| (signed, compressed))
    };
    let (signed, compressed) = app.apart.run_sized(bytes, work).await??;
    ready.signed = signed;
    let raw = place(app, compressed, bytes).await?;
    let (ids, workspace) = (app.clock.ids(), ready.order.caller.workspace);
    let posted = app.store.write(move |tx| store(tx, &ready, &raw, &render, &ids.clone())).await;
    if posted.as_ref().is_err_and(|refusal| refusal.code == Code::OrgSuspended) {
        // That it was found out is undone with the message.
        app.store.write(move |tx| judge_sending::judge(tx, workspace, [], now)).await?;
    }
    posted
}

/// The keys that can sign the message now: none where it does not leave, or leaves with other bytes.
async fn signing_keys(app: &App, ready: &Ready, raw: &[u8]) -> Option<Arc<DomainKeys>> {
    let is_away = |address: &&Address| !deliver_here::is_served(address, &ready.house.served);
    let leaves_as_is =
        !app.captures() && ready.letter.people.deliveries().iter().any(is_away) && !sealed_link::is_in(raw);
    if !leaves_as_is {
        return None;
    }
    let keys = signing::keys_of(app, ready.order.caller.workspace, ready.from.domain()).await;
    keys.inspect_err(unsigned).ok().flatten()
}

/// Nobody is refused for it: the delivery signs, or says to the operator why mail waits.
fn unsigned(error: &SigningError) {
    tracing::warn!(cause = %error, "signing.put_off");
}

/// Builds the mail and understands it as its readers will.
async fn ready(
    app: &Arc<App>,
    order: Order,
    (mut letter, inbox): (Letter, Inbox),
) -> Result<(Ready, Vec<u8>), Refusal> {
    let now = app.clock.now();
    let author = compose::author(&inbox)?;
    let house = House {
        plans: app.config.plans,
        own: served_domains(app),
        served: served_among(app, &letter.people.deliveries()).await?,
        expiry_ms: app.config.delivery.retry_schedule_ms.iter().sum(),
        attempts_max: u32::try_from(app.config.delivery.retry_schedule_ms.len() + SPARE_ATTEMPTS).unwrap_or(u32::MAX),
        key: app.address_key()?,
    };
    let hostname = app.config.smtp.hostname.clone();
    let files_bytes = letter.content.files.iter().map(|file| file.bytes.len()).sum::<usize>();
    let bytes = files_bytes + letter.origin.raw().map_or(0, |raw| raw.len());
    let blobs = app.blobs.clone();
    let work = move || -> Result<(Ready, Vec<u8>), Refusal> {
        let here = |address: &Address| deliver_here::is_served(address, &house.served);
        let (some_here, some_away) = {
            let all = letter.people.deliveries();
            (all.iter().any(|a| here(a)), all.iter().any(|a| !here(a)))
        };
        let raw = match letter.origin.raw() {
            Some(raw) => as_it_leaves(std::mem::take(raw)),
            None => {
                compose::complete(&mut letter.content, some_away);
                compose::raw(&letter, &author, now)?
            }
        };
        let opened = opened(&letter, &raw);
        let from = author.into_address();
        let results = deliver_here::own_results(&from);
        let provenance = Provenance { mail_from: Some(&from), results: &results, authserv_id: &hostname };
        let received = some_here.then(|| {
            let agent_of = Some(order.caller.workspace);
            Mail { agent_of, ..received(&letter, opened.as_ref().unwrap_or(&raw), provenance, some_away) }
        });
        let sent = written(&letter, understand(&raw, None));
        let inline = |bytes: Vec<u8>| -> posthouse_store::Result<Raw> {
            Ok(Raw { place: RawPlace::Inline(blobs.compress(&bytes)?), bytes: bytes.len() as u64 })
        };
        let opened = opened.map(inline).transpose()?;
        Ok((Ready { order, house, letter, from, sent, received, opened, signed: None, along: None, now }, raw))
    };
    app.apart.run_sized(bytes, work).await?
}

/// Mail that somebody else wrote, without what SMTP does not carry: what is signed and shown is what leaves.
fn as_it_leaves(raw: Vec<u8>) -> Vec<u8> {
    match normalise_line_ends(&raw) {
        Cow::Borrowed(_) => raw,
        Cow::Owned(changed) => changed,
    }
}

/// The bytes with the token of their link in its place, where the stored ones do not show it.
fn opened(letter: &Letter, raw: &[u8]) -> Option<Vec<u8>> {
    let Origin::Submitted(submitted) = &letter.origin else { return None };
    submitted.token.as_deref().and_then(|token| sealed_link::replaced(raw, token))
}

/// What the author wrote stays as it was written, and not as a mail program reads it; what a mail program wrote is read as
/// one reads it. Of mail that is passed on, the sender sees whom it went to.
fn written(letter: &Letter, mut mail: Mail) -> Mail {
    let shown = |list: &[Mailbox]| list.iter().map(ToString::to_string).collect();
    match letter.origin {
        Origin::Submitted(_) => return mail,
        Origin::PassedOn(_) => {
            (mail.to, mail.cc) = (shown(&letter.people.to), Vec::new());
            return mail;
        }
        Origin::New | Origin::Answers(_) | Origin::Forwards => {}
    }
    let content = &letter.content;
    (mail.to, mail.cc) = (shown(&letter.people.to), shown(&letter.people.cc));
    mail.subject = Some(letter.subject.clone());
    mail.bodies.text = content.text.clone().or(mail.bodies.text);
    mail.bodies.html = content.html.clone().or(mail.bodies.html);
    mail.data = content.data_json.clone();
    mail.kind = content.kind;
    mail.labels = content.labels.clone();
    mail
}

/// The copy for inboxes of this service: the data is itself there, and so not a file.
fn received(letter: &Letter, raw: &[u8], provenance: Provenance<'_>, has_data_file: bool) -> Mail {
    let mail = understand(raw, Some(provenance));
    let mut mail = if let Origin::PassedOn(_) = letter.origin { mail } else { written(letter, mail) };
    mail.labels = Vec::new();
    mail.channel = posthouse_domain::message::Channel::Agent;
    if has_data_file && letter.content.data_json.is_some() {
        mail.files.pop_if(|file| file.filename.as_deref() == Some(DATA_FILE_NAME));
    }
    mail
}

fn size_refusal(app: &App, ready: &Ready) -> Option<Refusal> {
    let (bytes, max) = (ready.sent.size_bytes, app.config.smtp.message_bytes_max);
    let message = format!("The message is {bytes} bytes as it would be sent; at most {max} are.");
    (bytes > max).then(|| {
        Refusal::new(Code::MessageTooLarge, message).detail("message_size_bytes", bytes).detail("max_bytes", max)
    })
}

fn store(tx: &mut Tx, ready: &Ready, raw: &Raw, render: &Render, ids: &Ids) -> Result<Posted, Refusal> {
    let order = &ready.order;
    if let Some(answer) = claimed(tx, order.key.as_ref(), ready.now)? {
        return Ok(Posted { answer, replayed: true });
    }
    let inbox = visible::inbox(tx, &order.caller, order.inbox)?;
    if let Some(fence) = &order.fence {
        fence.check(tx, &order.caller, ready.now)?;
    }
    if let Some(along) = &ready.along {
        along.guard(tx)?;
    }
    let workspace = workspaces::get(tx, inbox.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let used = usage::sent(tx, inbox.workspace, inbox.id, ready.now)?;
    let facts = decide::facts(tx, ready, (&workspace, &inbox), used)?;
    gate::may_send(&facts)?;
    if let Some(today) = &facts.recipients_day {
        unclaimed::note(tx, workspace.id, &today.new, ready.now)?;
    }
    let ways = ways(tx, ready)?;
    let id = write::message(tx, ready, raw, (&inbox, &ways), ids)?;
    if let Some(along) = &ready.along {
        along.settle(tx, id, (&order.caller, ids), ready.now)?;
    }
    let body = render(&accepted(tx, &inbox, id)?)?;
    let answer = Recorded { status: ACCEPTED, body };
    if let Some(key) = &order.key {
        idempotency::answer(tx, key, &answer)?;
    }
    Ok(Posted { answer, replayed: false })
}

/// Claims the idempotency key of a request; gives the answer to an earlier one with the same key. Whoever asks has seen to it
/// that the caller may see what the answer is about.
///
/// # Errors
/// `idempotency_key_reused`, or the store's own.
pub(super) fn claimed(tx: &mut Tx, key: Option<&idempotency::Key>, now: Time) -> Result<Option<Recorded>, Refusal> {
    let Some(key) = key else { return Ok(None) };
    repeated(idempotency::claim(tx, key, now)?)
}

/// The answer to an earlier request with the same key, if there is one.
///
/// # Errors
/// `idempotency_key_reused`.
pub(super) fn repeated(claim: Claim) -> Result<Option<Recorded>, Refusal> {
    match claim {
        Claim::Fresh => Ok(None),
        Claim::Answered(answer) => Ok(Some(answer)),
        Claim::Reused => Err(Refusal::new(
            Code::IdempotencyKeyReused,
            "This Idempotency-Key was used for another request within the last 24 hours.",
        )),
    }
}

/// The way to each recipient.
fn ways(tx: &mut Tx, ready: &Ready) -> posthouse_store::Result<Vec<(Address, Way)>> {
    let all = ready.letter.people.deliveries();
    all.into_iter()
        .map(|address| Ok((address.clone(), deliver_here::way(tx, address, &ready.house.served, ready.now)?)))
        .collect()
}

/// The message as the answer shows it: queued, with the ways it will take (API document, States; contract §4.5).
fn accepted(tx: &mut Tx, inbox: &Inbox, id: MessageId) -> Result<Record, Refusal> {
    let record = messages::record(tx, inbox.workspace, id)?;
    let mut record = record.ok_or_else(|| Refusal::new(Code::Internal, "The message was not stored."))?;
    record.message.status = Status::Queued;
    record.message.sent_at = None;
    for entry in &mut record.deliveries {
        (entry.status, entry.attempts) = (DeliveryStatus::Queued, 0);
        (entry.smtp_code, entry.enhanced_code, entry.detail, entry.class) = (None, None, None, None);
    }
    Ok(record)
}
