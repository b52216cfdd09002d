//! A received message passed on to one address. The job calls this; the row of the forward goes in the transaction that stores
//! the sent message, so a job that ran twice sends once.

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    forwarding::{self as rules, Facts, Failure, Forward, ForwardingAddress, WAIT_MS_MAX},
    id::{ForwardId, Ids, MessageId, WorkspaceId},
    inbox::Inbox,
    label::BLOCKED,
    message::Message,
    send::People,
    time::{HOUR_MS, MINUTE_MS, SECOND_MS, Time},
};
use posthouse_mail::{
    address::{Address, Mailbox},
    forwarding::{self as format, Passing},
    thread,
};
use posthouse_store::{Result as Stored, Tx, answers, contents, forwarding, inboxes, messages, workspaces};
use serde_json::Value;

use crate::app::{
    App,
    compose::{self, Letter, Origin},
    deliver::prepare::hold,
    next_step::NextStep,
    post::{self, Along},
    read_raw,
    send::Order,
    submit::nothing_composed,
};

/// How long what is held waits before it is looked at again, in milliseconds, if nobody resumes before.
const HELD_MS: i64 = 10 * MINUTE_MS;
/// Most ids of a mail that are looked up for what it answers.
const LOOKED_UP_MAX: usize = 5;

/// What is read before a mail is passed on.
enum Found {
    Gone,
    Wait(&'static str),
    Stays(&'static str),
    Ready(Box<Ready>),
}

#[derive(Clone)]
struct Ready {
    forward: Forward,
    to: ForwardingAddress,
    inbox: Inbox,
    message: Message,
    /// What was found about who sent it.
    results: Option<String>,
}

impl Along for Ready {
    /// Nobody passed it on meanwhile, and the address is still there.
    fn guard(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let gone = || Refusal::not_found("forwarding address");
        forwarding::take(tx, self.to.workspace, self.to.id)?.ok_or_else(gone)?;
        if forwarding::done(tx, self.forward.workspace, self.forward.id)? { Ok(()) } else { Err(gone()) }
    }

    fn settle(&self, tx: &mut Tx, _: MessageId, _: (&Caller, &Ids), now: Time) -> Result<(), Refusal> {
        Ok(forwarding::passed(tx, self.to.workspace, self.to.id, now)?)
    }
}

/// Passes a message on. The last attempt that fails by our own fault gives it up.
///
/// # Errors
/// The store's own.
pub async fn pass_on(app: &Arc<App>, place: (WorkspaceId, ForwardId), is_last: bool) -> Stored<NextStep> {
    let now = app.clock.now();
    let ready = match app.store.read(move |tx| find(tx, place)).await? {
        Found::Gone => return Ok(NextStep::Done),
        Found::Wait(why) => return Ok(NextStep::Hold { at: now.plus_ms(HELD_MS), why }),
        Found::Stays(why) => return stay(app, place, why).await,
        Found::Ready(ready) => *ready,
    };
    let refusal = match send(app, &ready).await {
        Ok(None) => return Ok(NextStep::Done),
        Ok(Some(why)) => return stay(app, place, why).await,
        Err(refusal) => refusal,
    };
    let wait = |ms, why| Ok(NextStep::Hold { at: now.plus_ms(ms), why });
    let waited_long = now.since_ms(ready.forward.created_at) > WAIT_MS_MAX;
    match refusal.code {
        Code::NotFound => Ok(NextStep::Done),
        Code::WorkspaceStopped => wait(HELD_MS, "workspace_stopped"),
        Code::InboxPaused => wait(HELD_MS, "inbox_paused"),
        Code::OrgSuspended => wait(HELD_MS, "workspace_suspended"),
        code if may_change(code) && !waited_long => {
            let after_s = refusal.retry_after_s.and_then(|s| i64::try_from(s).ok());
            note(app, &ready, &refusal).await?;
            wait(after_s.map_or(HOUR_MS, |s| s * SECOND_MS), code.text())
        }
        Code::Unavailable | Code::StoreDamaged | Code::ContentDamaged | Code::Internal if !is_last => {
            Ok(NextStep::Retry)
        }
        _ => {
            note(app, &ready, &refusal).await?;
            stay(app, place, refusal.code.text()).await
        }
    }
}

/// Whether a refusal is one that time or a check of the domain lifts.
const fn may_change(code: Code) -> bool {
    matches!(
        code,
        Code::PlanLimitEmails
            | Code::DailySendLimitExceeded
            | Code::OrgDailyLimitExceeded
            | Code::RateLimited
            | Code::UnclaimedRecipientLimit
            | Code::DomainNotVerified
    )
}

/// Leaves the message where it is.
async fn stay(app: &App, (workspace, id): (WorkspaceId, ForwardId), why: &str) -> Stored<NextStep> {
    tracing::info!(workspace_id = %workspace, forward_id = %id, why, "forward.stays");
    app.store.write(move |tx| forwarding::done(tx, workspace, id).map(|_| NextStep::Done)).await
}

/// Shows why with the address.
async fn note(app: &App, ready: &Ready, refusal: &Refusal) -> Stored<()> {
    let failure = Failure { code: refusal.code.text().to_owned(), message: refusal.message.clone() };
    let (workspace, id) = (ready.to.workspace, ready.to.id);
    app.store.write(move |tx| forwarding::failed(tx, workspace, id, &failure)).await
}

fn find(tx: &mut Tx, (tenant, id): (WorkspaceId, ForwardId)) -> Stored<Found> {
    let Some(forward) = forwarding::waiting(tx, tenant, id)? else { return Ok(Found::Gone) };
    let message = messages::get(tx, tenant, forward.message)?;
    let (to, workspace) = (forwarding::get(tx, tenant, forward.to)?, workspaces::get(tx, tenant)?);
    let (Some(message), Some(to), Some(workspace)) = (message, to, workspace) else {
        return Ok(Found::Stays("gone"));
    };
    let inbox = inboxes::get(tx, tenant, message.inbox)?.filter(|inbox| inbox.deleted_at.is_none());
    let Some(inbox) = inbox else { return Ok(Found::Stays("gone")) };
    if let Some(why) = hold(&workspace, &inbox) {
        return Ok(Found::Wait(why));
    }
    let facts = Facts {
        labels: &message.labels,
        skip_flagged: to.skip_flagged,
        withheld: message.labels.iter().any(|label| label == BLOCKED) || messages::is_withheld(tx, &message)?,
        goes_round: answers::was_sent(tx, &message)?,
        answers_itself: message.auto_reply && answers_itself(tx, &message, &to)?,
    };
    if let Err(why) = rules::judge(&facts) {
        return Ok(Found::Stays(why.text()));
    }
    let results = results(tx, &message)?;
    Ok(Found::Ready(Box::new(Ready { forward, to, inbox, message, results })))
}

/// Whether automatic mail comes from the address, or answers what was sent there: a vacation notice would answer itself.
fn answers_itself(tx: &mut Tx, message: &Message, to: &ForwardingAddress) -> Stored<bool> {
    if message.contact_address.as_deref() == Some(to.address.as_str()) {
        return Ok(true);
    }
    let answered = message.in_reply_to.iter().chain(message.references.iter().rev());
    for id in answered.take(LOOKED_UP_MAX) {
        let went_to = answers::sent_to(tx, (message.workspace, message.inbox), id)?;
        let is_there = |text: &String| Address::parse(text).is_ok_and(|address| address.canonical_str() == to.address);
        if went_to.iter().any(is_there) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Our own `Authentication-Results` of a received message.
fn results(tx: &mut Tx, message: &Message) -> Stored<Option<String>> {
    let found = contents::bodies(tx, message.workspace, &[message.content])?.pop();
    let headers: Value = found.and_then(|of| serde_json::from_str(&of.bodies.headers_json).ok()).unwrap_or_default();
    let ours = &headers["authentication-results"];
    Ok(ours.as_str().or_else(|| ours[0].as_str()).map(str::to_owned))
}

/// Sends it; says why it stays, if it does.
async fn send(app: &Arc<App>, ready: &Ready) -> Result<Option<&'static str>, Refusal> {
    let caller = Caller::service(ready.message.workspace, ready.inbox.id);
    let raw = read_raw::message(app, caller, ready.message.id, true).await?;
    let message: MessageId = app.clock.ids().next();
    let found = ready.clone();
    let work = app.apart.run_sized(raw.len(), move || rewritten(&found, &raw, message));
    let Some(raw) = work.await?? else { return Ok(Some(rules::Stays::Loop.text())) };
    let to = Address::parse(&ready.to.address).map_err(|_| unwritable())?;
    let letter = Letter {
        message,
        people: People { to: vec![Mailbox::from(to)], cc: Vec::new(), bcc: Vec::new() },
        subject: compose::bounded_subject(ready.message.subject.as_deref().unwrap_or_default()),
        content: nothing_composed(),
        origin: Origin::PassedOn(raw),
    };
    let order = Order { caller, inbox: ready.inbox.id, key: None, fence: None };
    let along = Box::new(ready.clone());
    post::post_along(app, order, (letter, ready.inbox.clone()), along, Arc::new(|_| Ok(String::new()))).await?;
    Ok(None)
}

/// The mail as it leaves; nothing for one that goes round.
fn rewritten(ready: &Ready, raw: &[u8], message: MessageId) -> Result<Option<Vec<u8>>, Refusal> {
    let by = compose::author(&ready.inbox)?;
    if format::goes_round(raw, by.address()) {
        return Ok(None);
    }
    let passing = Passing {
        by: &by,
        message_id: &thread::new_message_id(&message.to_string(), by.address().domain()),
        original_id: &ready.message.rfc_message_id,
        results: ready.results.as_deref(),
    };
    format::passed_on(raw, &passing).map(Some).map_err(|_| unwritable())
}

fn unwritable() -> Refusal {
    Refusal::new(Code::Internal, "The mail cannot be written as it would leave.")
}
