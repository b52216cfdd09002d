//! The one write that stores a sent message, whatever made it: send, reply and forward end here (architecture, «Mail out»).
//!
//! The mail is built and understood before; inside the transaction stand the gate, the counters, the message, its
//! recipients, the copies on this service, the jobs for elsewhere, the events and the idempotency record. Nothing is
//! stored of a message that is refused.

use std::sync::Arc;

use posthouse_domain::{
    error::{Code, Refusal},
    gate,
    id::{Ids, MessageId},
    inbox::Inbox,
    message::{DeliveryStatus, Status},
    plan::Plans,
    send::DATA_FILE_NAME,
    time::Time,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{
    Tx,
    contents::Raw,
    idempotency::{self, Claim, Recorded},
    messages::{self, Record},
    usage, workspaces,
};

use super::{
    App,
    compose::{self, Letter, Origin},
    deliver_here::{self, Way},
    draft::Sealed,
    receive::{APART_BYTES_MIN, place, served_among, served_domains},
    send::Order,
    signing::AddressKey,
    understand::{Mail, Provenance, understand},
    visible,
};

mod decide;
mod write;

pub use decide::{Decision, Left, RecipientDecision, decide};

/// Attempts beyond the schedule: a process that dies in one has used it up without trying.
const SPARE_ATTEMPTS: usize = 20;
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
    /// The draft that becomes this message.
    draft: Option<Sealed>,
    now: Time,
}

/// Queues a message.
///
/// # Errors
/// `message_too_large`, `idempotency_key_reused`, `not_found`, what the gate refuses, the store's own.
pub async fn post(app: &Arc<App>, order: Order, written: (Letter, Inbox), render: Render) -> Result<Posted, Refusal> {
    let built = ready(app, order, written).await?;
    queue(app, built, render).await
}

/// Queues the message that a draft becomes; the draft's compare-and-set is part of the same transaction.
///
/// # Errors
/// As [`post`], and `draft_not_editable`.
pub(super) async fn post_draft(
    app: &Arc<App>,
    order: Order,
    written: (Letter, Inbox),
    draft: Sealed,
    render: Render,
) -> Result<Posted, Refusal> {
    let (ready, raw) = ready(app, order, written).await?;
    queue(app, (Ready { draft: Some(draft), ..ready }, raw), render).await
}

async fn queue(app: &Arc<App>, (ready, raw): (Ready, Vec<u8>), render: Render) -> Result<Posted, Refusal> {
    if let Some(refusal) = size_refusal(app, &ready) {
        return Err(refusal);
    }
    let blobs = app.blobs.clone();
    let compressed = apart_if(app, raw.len(), move || Ok((blobs.compress(&raw)?, raw.len()))).await?;
    let raw = place(app, compressed.0, compressed.1).await?;
    let ids = app.clock.ids();
    app.store.write(move |tx| store(tx, &ready, &raw, &render, &ids.clone())).await
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
    let large = files_bytes + if let Origin::Submitted(submitted) = &letter.origin { submitted.raw.len() } else { 0 };
    apart_if(app, large, move || {
        let here = |address: &Address| deliver_here::is_served(address, &house.served);
        let (some_here, some_away) = {
            let all = letter.people.deliveries();
            (all.iter().any(|a| here(a)), all.iter().any(|a| !here(a)))
        };
        let raw = match &mut letter.origin {
            Origin::Submitted(submitted) => std::mem::take(&mut submitted.raw),
            _ => {
                compose::complete(&mut letter.content, some_away);
                compose::raw(&letter, &author, now)?
            }
        };
        let from = author.into_address();
        let results = deliver_here::own_results(&from);
        let provenance = Provenance { mail_from: Some(&from), results: &results, authserv_id: &hostname };
        let received = some_here.then(|| {
            let agent_of = Some(order.caller.workspace);
            Mail { agent_of, ..received(&letter, &raw, provenance, some_away) }
        });
        let sent = written(&letter, understand(&raw, None));
        Ok((Ready { order, house, letter, from, sent, received, draft: None, now }, raw))
    })
    .await
}

/// What the author wrote stays as it was written, and not as a mail program reads it; what a mail program wrote is read as
/// one reads it.
fn written(letter: &Letter, mut mail: Mail) -> Mail {
    if let Origin::Submitted(_) = letter.origin {
        return mail;
    }
    let content = &letter.content;
    let shown = |list: &[Mailbox]| list.iter().map(ToString::to_string).collect();
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
    let mut mail = written(letter, understand(raw, Some(provenance)));
    mail.labels = Vec::new();
    mail.channel = posthouse_domain::message::Channel::Agent;
    if has_data_file && letter.content.data_json.is_some() {
        mail.files.pop_if(|file| file.filename.as_deref() == Some(DATA_FILE_NAME));
    }
    mail
}

async fn apart_if<T: Send + 'static>(
    app: &App,
    bytes: usize,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    if bytes < APART_BYTES_MIN { work() } else { app.apart.run(work).await? }
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
    if let Some(key) = &order.key {
        match idempotency::claim(tx, key, ready.now)? {
            Claim::Fresh => {}
            Claim::Answered(answer) => return Ok(Posted { answer, replayed: true }),
            Claim::Reused => {
                return Err(Refusal::new(
                    Code::IdempotencyKeyReused,
                    "This Idempotency-Key was used for another request within the last 24 hours.",
                ));
            }
        }
    }
    let inbox = visible::inbox(tx, &order.caller, order.inbox)?;
    if let Some(fence) = &order.fence {
        fence.check(tx, &order.caller, ready.now)?;
    }
    if let Some(draft) = &ready.draft {
        draft.guard(tx)?;
    }
    let workspace = workspaces::get(tx, inbox.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let used = usage::sent(tx, inbox.workspace, inbox.id, ready.now)?;
    gate::may_send(&decide::facts(tx, ready, (&workspace, &inbox), used)?)?;
    let ways = ways(tx, ready)?;
    let id = write::message(tx, ready, raw, (&inbox, &ways), ids)?;
    if let Some(draft) = &ready.draft {
        draft.settle(tx, id, (&order.caller, ids), ready.now)?;
    }
    let body = render(&accepted(tx, &inbox, id)?)?;
    let answer = Recorded { status: ACCEPTED, body };
    if let Some(key) = &order.key {
        idempotency::answer(tx, key, &answer)?;
    }
    Ok(Posted { answer, replayed: false })
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
