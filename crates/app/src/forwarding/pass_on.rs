//! Forwards a received message to one address. The transaction that stores the sent message deletes the pending
//! forward, so a job that runs twice sends once.

use std::sync::Arc;

use posthouse_domain::{
    Caller, ErrorCode, ForwardId, ForwardingAddress, ForwardingFacts, ForwardingFailure, HOUR_MS, IdGenerator, Inbox,
    JobReason, MINUTE_MS, Message, MessageId, MessageRecipients, OptIns, PendingForward, Refusal, SECOND_MS, Time,
    WorkspaceId, forwarding as rules, forwarding::WAIT_MS_MAX, label::BLOCKED,
};
use posthouse_mail::{address::Address, address::Mailbox, forwarding as format, forwarding::ForwardHeader, thread};
use posthouse_store::{Result as StoreResult, Tx, answers, contents, forwarding, inboxes, messages, workspaces};
use serde_json::Value;

use crate::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use crate::outbound::accept::{self, AcceptHook};
use crate::outbound::compose::{self, OutgoingKind, OutgoingMessage};
use crate::outbound::{deliver::prepare::hold_reason, send_context::SendContext};
use crate::service::{ReadScope, Service};
use crate::{messages::raw, next_step::NextStep};

/// The interval between checks of a held forward, in milliseconds. Resuming triggers a check immediately.
const HELD_MS: i64 = 10 * MINUTE_MS;
/// The maximum number of `In-Reply-To` and `References` ids that are looked up.
const REFERENCES_MAX: usize = 5;

/// The state of a pending forward when its job runs.
enum ForwardState {
    Gone,
    Wait(JobReason),
    Stays(&'static str),
    Ready(Box<ForwardReady>),
}

#[derive(Clone)]
struct ForwardReady {
    forward: PendingForward,
    to: ForwardingAddress,
    inbox: Inbox,
    message: Message,
    /// The service's own `Authentication-Results` of the message.
    results: Option<String>,
}

impl AcceptHook for ForwardReady {
    /// Checks that the address still exists and that no other job forwarded the message.
    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let gone = || Refusal::not_found("forwarding address");
        forwarding::lock(tx, self.to.workspace, self.to.id)?.ok_or_else(gone)?;
        if forwarding::delete_pending(tx, self.forward.workspace, self.forward.id)? { Ok(()) } else { Err(gone()) }
    }

    fn settle(&self, tx: &mut Tx, _: MessageId, _: &Caller, _: &IdGenerator, now: Time) -> Result<(), Refusal> {
        Ok(forwarding::record_forwarded(tx, self.to.workspace, self.to.id, now)?)
    }
}

/// Forwards a message. An internal error drops the forward only at the last attempt.
pub async fn forward(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    id: ForwardId,
    is_last: bool,
) -> StoreResult<NextStep> {
    let now = service.clock.now();
    let ready = match service.read(ReadScope::Service, move |tx| find(tx, workspace, id)).await? {
        ForwardState::Gone => return Ok(NextStep::Done),
        ForwardState::Wait(why) => return Ok(NextStep::Hold { at: now.plus_ms(HELD_MS), why }),
        ForwardState::Stays(why) => return drop_forward(service, workspace, id, why).await,
        ForwardState::Ready(ready) => *ready,
    };
    let refusal = match send(service, &ready).await {
        Ok(None) => return Ok(NextStep::Done),
        Ok(Some(why)) => return drop_forward(service, workspace, id, why).await,
        Err(refusal) => refusal,
    };
    let wait = |ms, why| Ok(NextStep::Hold { at: now.plus_ms(ms), why });
    let waited_long = now.since_ms(ready.forward.created_at) > WAIT_MS_MAX;
    match refusal.code {
        ErrorCode::NotFound => Ok(NextStep::Done),
        ErrorCode::WorkspaceStopped => wait(HELD_MS, JobReason::WorkspaceStopped),
        ErrorCode::InboxPaused => wait(HELD_MS, JobReason::InboxPaused),
        ErrorCode::OrgSuspended => wait(HELD_MS, JobReason::WorkspaceSuspended),
        code if !waited_long && let Some(why) = wait_reason(code) => {
            let after_s = refusal.retry_after_s.and_then(|s| i64::try_from(s).ok());
            record_failure(service, &ready, &refusal).await?;
            wait(after_s.map_or(HOUR_MS, |s| s * SECOND_MS), why)
        }
        ErrorCode::Unavailable | ErrorCode::StoreDamaged | ErrorCode::ContentDamaged | ErrorCode::Internal
            if !is_last =>
        {
            Ok(NextStep::Retry)
        }
        _ => {
            record_failure(service, &ready, &refusal).await?;
            drop_forward(service, workspace, id, refusal.code.text()).await
        }
    }
}

/// Returns why a refused forward waits, if the refusal can end with time or with a check of the domain.
const fn wait_reason(code: ErrorCode) -> Option<JobReason> {
    match code {
        ErrorCode::PlanLimitEmails => Some(JobReason::PlanLimitEmails),
        ErrorCode::DailySendLimitExceeded => Some(JobReason::DailySendLimitExceeded),
        ErrorCode::OrgDailyLimitExceeded => Some(JobReason::OrgDailyLimitExceeded),
        ErrorCode::RateLimited => Some(JobReason::RateLimited),
        ErrorCode::UnclaimedRecipientLimit => Some(JobReason::UnclaimedRecipientLimit),
        ErrorCode::DomainNotVerified => Some(JobReason::DomainNotVerified),
        _ => None,
    }
}

/// Drops the forward; the message stays in the inbox.
async fn drop_forward(service: &Service, workspace: WorkspaceId, id: ForwardId, why: &str) -> StoreResult<NextStep> {
    tracing::info!(workspace_id = %workspace, forward_id = %id, why, "forward.skipped");
    service.write(move |tx| forwarding::delete_pending(tx, workspace, id).map(|_| NextStep::Done)).await
}

/// Records the refusal as the failure of the forwarding address.
async fn record_failure(service: &Service, ready: &ForwardReady, refusal: &Refusal) -> StoreResult<()> {
    let failure = ForwardingFailure { code: refusal.code.text().to_owned(), message: refusal.message.clone() };
    let (workspace, id) = (ready.to.workspace, ready.to.id);
    service.write(move |tx| forwarding::failed(tx, workspace, id, &failure)).await
}

fn find(tx: &mut Tx, tenant: WorkspaceId, id: ForwardId) -> StoreResult<ForwardState> {
    let Some(forward) = forwarding::pending(tx, tenant, id)? else { return Ok(ForwardState::Gone) };
    let message = messages::get(tx, tenant, forward.message)?;
    let (to, workspace) = (forwarding::get(tx, tenant, forward.to)?, workspaces::get(tx, tenant)?);
    let (Some(message), Some(to), Some(workspace)) = (message, to, workspace) else {
        return Ok(ForwardState::Stays("gone"));
    };
    let inbox = inboxes::get(tx, tenant, message.inbox)?.filter(|inbox| inbox.deleted_at.is_none());
    let Some(inbox) = inbox else { return Ok(ForwardState::Stays("gone")) };
    if let Some(why) = hold_reason(&workspace, &inbox) {
        return Ok(ForwardState::Wait(why));
    }
    let facts = ForwardingFacts {
        labels: &message.labels,
        skip_flagged: to.skip_flagged,
        withheld: message.labels.iter().any(|label| label == BLOCKED) || messages::is_withheld(tx, &message)?,
        is_loop: answers::was_sent(tx, &message)?,
        answers_itself: message.auto_reply && answers_itself(tx, &message, &to)?,
    };
    if let Err(why) = rules::check_forwarding(&facts) {
        return Ok(ForwardState::Stays(why.text()));
    }
    let results = results(tx, &message)?;
    Ok(ForwardState::Ready(Box::new(ForwardReady { forward, to, inbox, message, results })))
}

/// Returns whether an automatic message comes from the forwarding address or replies to a message sent there.
/// Forwarding a vacation notice would trigger another one.
fn answers_itself(tx: &mut Tx, message: &Message, to: &ForwardingAddress) -> StoreResult<bool> {
    if message.contact_address.as_deref() == Some(to.address.as_str()) {
        return Ok(true);
    }
    let answered = message.in_reply_to.iter().chain(message.references.iter().rev());
    for id in answered.take(REFERENCES_MAX) {
        let went_to = answers::sent_to(tx, message.workspace, message.inbox, id)?;
        let is_there = |text: &String| Address::parse(text).is_ok_and(|address| address.canonical_str() == to.address);
        if went_to.iter().any(is_there) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the service's own `Authentication-Results` of a received message.
fn results(tx: &mut Tx, message: &Message) -> StoreResult<Option<String>> {
    let found = contents::bodies(tx, message.workspace, &[message.content])?.pop();
    let headers: Value = found.and_then(|of| serde_json::from_str(&of.bodies.headers_json).ok()).unwrap_or_default();
    let ours = &headers["authentication-results"];
    Ok(ours.as_str().or_else(|| ours[0].as_str()).map(str::to_owned))
}

/// Sends the forward; returns the reason if the message must not be forwarded.
async fn send(service: &Arc<Service>, ready: &ForwardReady) -> Result<Option<&'static str>, Refusal> {
    let caller = Caller::service(ready.message.workspace, ready.inbox.id);
    let raw = raw::message(service, caller, ready.message.id, OptIns::ALL).await?;
    let message: MessageId = service.clock.ids().next();
    let found = ready.clone();
    let owner = WorkOwner { class: WorkClass::Content, workspace: found.message.workspace };
    let bytes = raw.len();
    let work =
        service.blocking_pool.run_for(owner, bytes, move |stop: &WorkStop| compose_raw(&found, &raw, message, stop));
    let Some(raw) = work.await?? else { return Ok(Some(rules::ForwardingSkipReason::Loop.text())) };
    let to = Address::parse(&ready.to.address).map_err(|_| unwritable())?;
    let people = MessageRecipients { to: vec![Mailbox::from(to)], ..MessageRecipients::default() };
    let subject = compose::bounded_subject(ready.message.subject.as_deref().unwrap_or_default());
    let outgoing = OutgoingMessage::new(message, people, subject).with_origin(OutgoingKind::AutomaticForward(raw));
    let context = SendContext::new(caller, ready.inbox.id);
    let hook = Box::new(ready.clone());
    accept::accept_with_hook(service, context, outgoing, ready.inbox.clone(), hook, Arc::new(|_| Ok(String::new())))
        .await?;
    Ok(None)
}

/// Composes the forward; returns `None` if the message is in a forwarding loop.
fn compose_raw(
    ready: &ForwardReady,
    raw: &[u8],
    message: MessageId,
    stop: &WorkStop,
) -> Result<Option<Vec<u8>>, Refusal> {
    let by = compose::author(&ready.inbox)?;
    if format::is_loop(raw, by.address()) {
        return Ok(None);
    }
    stop.check()?;
    let passing = ForwardHeader {
        by: &by,
        message_id: &thread::new_message_id(&message.to_string(), by.address().domain()),
        original_id: &ready.message.rfc_message_id,
        results: ready.results.as_deref(),
    };
    format::forwarded_message(raw, &passing).map(Some).map_err(|_| unwritable())
}

fn unwritable() -> Refusal {
    Refusal::new(ErrorCode::Internal, "The forward couldn't be composed.")
}
