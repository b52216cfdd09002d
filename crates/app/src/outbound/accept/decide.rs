//! Collects the facts for the gate, and returns its decision without sending (`dry_run`). See
//! `docs/decisions/sending.md#0026-one-gate`.

use std::sync::Arc;

use posthouse_domain::gate::{self, BURST_WINDOW_MS};
use posthouse_domain::send::{BOUNCE_LABEL, REPLY_WINDOW_MS, loop_rule};
use posthouse_domain::{
    Channel, ClaimStatus, DailyRecipients, Direction, DraftHold, Inbox, Limit, LimitUsage, ListDirection, Message,
    OriginKind, OutboundFinding, OutboundVerdict, RecipientOrigin, Refusal, ReplyFacts, SendFacts, StorageNeed,
    SuppressionReason, Time, Workspace, list, workspace::UNCLAIMED_RECIPIENTS_PER_DAY,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result as StoreResult, Tx, answers, lists, mail_domains, message_list::InboxRef, suppressions, unclaimed, usage,
    workspaces,
};

use super::{AcceptHook, AcceptedMessage, author, correspondents::correspondents, judge, prepare, size_refusal};
use crate::outbound::local_delivery::{self, RecipientRoute};
use crate::outbound::{compose::OutgoingMessage, send_context::SendContext};
use crate::workspaces::{provoked, suspension};
use crate::{access::visible, limits::storage_limit, service::Service};

/// The result of a dry run.
#[derive(Clone, PartialEq, Debug)]
pub struct SendDecision {
    /// The refusal; `None` if the message would be sent.
    pub refusal: Option<Refusal>,
    /// Why the message would become a draft; `None` if it would be sent or refused.
    pub hold: Option<DraftHold>,
    /// The labels that it would get.
    pub labels: Vec<&'static str>,
    /// The secrets in it.
    pub findings: Vec<OutboundFinding>,
    /// The decision for each recipient.
    pub recipients: Vec<RecipientDecision>,
    /// The size of the composed message, in bytes.
    pub message_size_bytes: u64,
    /// The number of messages that the limits still allow, before this one.
    pub left: RemainingLimits,
}

/// The decision for one recipient of a dry run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecipientDecision {
    pub address: String,
    /// `agent` or `email`.
    pub channel: Channel,
    /// Whether the message is refused because the address is suppressed.
    pub suppressed: bool,
    /// Whether the message is refused by a send or reply list.
    pub blocked: bool,
    /// Where the address comes from.
    pub origin: RecipientOrigin,
}

/// The remaining messages of each limit; `None` means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RemainingLimits {
    /// Monthly limit of the workspace.
    pub month: Limit,
    /// Daily limit of the inbox.
    pub inbox_day: Limit,
    /// Daily limit of the workspace.
    pub workspace_day: Limit,
    /// Burst limit of the workspace in five minutes.
    pub burst: Limit,
}

/// Makes the decision of a send without storing anything.
///
/// # Errors
/// Returns `not_found` or `invalid_request`.
pub async fn decide(
    service: &Arc<Service>,
    context: SendContext,
    message: OutgoingMessage,
    inbox: Inbox,
) -> Result<SendDecision, Refusal> {
    let (accepted, _) = prepare(service, context, message, inbox).await?;
    decide_prepared(service, *accepted).await
}

/// [`decide`] for a message that comes from a draft.
///
/// # Errors
/// Returns the errors of [`decide`].
pub(crate) async fn decide_with_hook(
    service: &Arc<Service>,
    context: SendContext,
    message: OutgoingMessage,
    inbox: Inbox,
    hook: Box<dyn AcceptHook>,
) -> Result<SendDecision, Refusal> {
    let (mut accepted, _) = prepare(service, context, message, inbox).await?;
    accepted.hook = Some(hook);
    decide_prepared(service, *accepted).await
}

async fn decide_prepared(service: &Arc<Service>, accepted: AcceptedMessage) -> Result<SendDecision, Refusal> {
    let size = size_refusal(service, &accepted);
    service.read(accepted.context.caller.workspace, move |tx| decision(tx, &accepted, size.clone())).await
}

fn decision(tx: &mut Tx, accepted: &AcceptedMessage, size: Option<Refusal>) -> Result<SendDecision, Refusal> {
    let inbox = visible::inbox(tx, &accepted.context.caller, accepted.context.inbox)?;
    let workspace = workspaces::get(tx, inbox.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let used = usage::current(tx, inbox.workspace, inbox.id, accepted.now)?;
    let storage = storage_limit::need(tx, &accepted.config.plans, workspace.id, added_bytes(accepted))?;
    let facts = facts(tx, accepted, &workspace, &inbox, used, storage)?;
    let signature = match &accepted.author {
        Some((claims, content)) => author::check(tx, &inbox, claims, content, accepted.now)?.err(),
        None => None,
    };
    let recipients = accepted.message.people.deliveries().into_iter().map(|address| RecipientDecision {
        address: address.to_string(),
        channel: if local_delivery::is_served(address, &accepted.config.served) {
            accepted.local_channel()
        } else {
            Channel::Email
        },
        suppressed: facts.suppressed.iter().any(|suppressed| suppressed == address.canonical_str()),
        blocked: facts.blocked.iter().any(|blocked| blocked == address.canonical_str()),
        origin: facts
            .outbound
            .recipients
            .iter()
            .find(|one| one.address == address.canonical_str())
            .map_or(RecipientOrigin::of(OriginKind::Caller), |one| one.origin),
    });
    let left = |of: LimitUsage| of.limit.map(|limit| limit.saturating_sub(of.used));
    let recipients = recipients.collect();
    let (refusal, hold) = match size.or(signature).map_or_else(|| gate::may_send(&facts), Err) {
        Ok(OutboundVerdict::Send) => (None, None),
        Ok(OutboundVerdict::Hold(hold)) => (None, Some(hold)),
        Err(refusal) => (Some(refusal), None),
    };
    Ok(SendDecision {
        hold,
        labels: facts.outbound.labels(),
        findings: facts.outbound.findings.clone(),
        recipients,
        message_size_bytes: accepted.sent.size_bytes,
        left: RemainingLimits {
            month: left(facts.month),
            inbox_day: left(facts.inbox_day),
            workspace_day: left(facts.workspace_day),
            burst: left(facts.burst),
        },
        refusal,
    })
}

/// Reads the facts for the gate, in the transaction that acts on its decision.
pub(super) fn facts(
    tx: &mut Tx,
    accepted: &AcceptedMessage,
    workspace: &Workspace,
    inbox: &Inbox,
    used: usage::SentCounts,
    storage: StorageNeed,
) -> StoreResult<SendFacts> {
    let plan = accepted.config.plans.of(workspace.plan);
    let people = accepted.message.people.deliveries();
    let (burst, burst_oldest) = match plan.sends_per_5_minutes {
        Some(_) => answers::sent_since(tx, workspace.id, accepted.now.plus_ms(-BURST_WINDOW_MS))?,
        None => (0, None),
    };
    let looping = match accepted.message.answers() {
        Some(original) => loop_rule(&answered(tx, original, accepted.now)?),
        None => None,
    };
    let suspension = workspace.suspension.clone();
    let suspended = workspace.suspended || suspension::is_overdue(tx, workspace.id, used.workspace_day, accepted.now)?;
    Ok(SendFacts {
        purpose: accepted.purpose(),
        now: accepted.now,
        workspace_stopped: workspace.stopped_at.is_some(),
        inbox_paused: inbox.is_paused(),
        inbox_temporary: inbox.temporary,
        workspace_suspended: suspended,
        suspension,
        domain_unverified: unverified(tx, accepted, inbox)?,
        blocked: blocked(tx, accepted, inbox, &people)?,
        suppressed: suppressed(tx, accepted, workspace, &people)?,
        loop_rule: looping,
        outbound: judge::facts(tx, accepted, workspace, inbox)?,
        recipients_day: recipients_day(tx, accepted, workspace, &people)?,
        month: LimitUsage { used: used.month, limit: plan.emails_per_month },
        storage,
        inbox_day: LimitUsage { used: used.inbox_day, limit: plan.daily_sends_per_inbox },
        workspace_day: LimitUsage { used: used.workspace_day, limit: workspace.daily_send_limit.or(plan.daily_sends) },
        burst: LimitUsage { used: burst, limit: plan.sends_per_5_minutes },
        burst_oldest,
    })
}

/// Returns the bytes that sending stores in the workspace: the message, and a content that its own recipients share.
fn added_bytes(accepted: &AcceptedMessage) -> u64 {
    let copies = 1 + u64::from(accepted.received.is_some());
    accepted.sent.size_bytes.saturating_mul(copies)
}

/// Returns the recipients that an unclaimed workspace would write to for the first time today; `None` if the workspace
/// is claimed. In a reply within a thread that others began, correspondents don't count.
fn recipients_day(
    tx: &mut Tx,
    accepted: &AcceptedMessage,
    workspace: &Workspace,
    people: &[&Address],
) -> StoreResult<Option<DailyRecipients>> {
    if workspace.claim != ClaimStatus::Unclaimed {
        return Ok(None);
    }
    let known = unclaimed::recipients(tx, workspace.id, accepted.now)?;
    let received = accepted.message.answers().filter(|original| original.direction == Direction::Inbound);
    let answered = match received {
        Some(original) if unclaimed::starts_with_received(tx, workspace.id, original.thread)? => {
            correspondents(tx, original, people, accepted.now)?.iter().map(Address::canonical).collect()
        }
        _ => Vec::new(),
    };
    let mut new: Vec<String> = Vec::new();
    for address in people.iter().map(|person| person.canonical()) {
        if ![&known, &answered, &new].into_iter().any(|all| all.contains(&address)) {
            new.push(address);
        }
    }
    Ok(Some(DailyRecipients { used: known.len() as u64, new, max: UNCLAIMED_RECIPIENTS_PER_DAY }))
}

/// Returns whether the inbox uses a custom domain that is not verified or was deleted.
fn unverified(tx: &mut Tx, accepted: &AcceptedMessage, inbox: &Inbox) -> StoreResult<bool> {
    is_unverified(tx, &accepted.config.own, inbox)
}

/// Returns whether an inbox uses a domain, other than these of the service, that is not verified or was deleted.
pub(crate) fn is_unverified(tx: &mut Tx, own: &[String], inbox: &Inbox) -> StoreResult<bool> {
    if own.contains(&inbox.domain) {
        return Ok(false);
    }
    let domain = mail_domains::by_name(tx, inbox.workspace, &inbox.domain)?;
    Ok(!domain.is_some_and(|domain| domain.may_send()))
}

/// Returns the recipients that the lists block. Reply lists apply to everyone whom the original message names. Send lists
/// apply to all who aren't its proven correspondents, so that a reply can't bypass them.
fn blocked(tx: &mut Tx, accepted: &AcceptedMessage, inbox: &Inbox, people: &[&Address]) -> StoreResult<Vec<String>> {
    let participants = match accepted.message.answers() {
        Some(original) => correspondents(tx, original, people, accepted.now)?,
        None => Vec::new(),
    };
    let (answered, others): (Vec<&Address>, Vec<&Address>) =
        people.iter().partition(|&&person| participants.contains(person));
    let named = accepted.message.answers().map(provoked::named).unwrap_or_default();
    let unproven = others.iter().copied().filter(|person| named.contains(person.canonical_str()));
    let replied: Vec<&Address> = answered.into_iter().chain(unproven).collect();
    let mut blocked = blocked_by(tx, inbox, ListDirection::Reply, &replied)?;
    blocked.extend(blocked_by(tx, inbox, ListDirection::Send, &others)?);
    blocked.sort_unstable();
    blocked.dedup();
    Ok(blocked)
}

/// Returns the people that the send lists of an inbox block.
pub(crate) fn blocked_sends(tx: &mut Tx, inbox: &Inbox, people: &[&Address]) -> StoreResult<Vec<String>> {
    blocked_by(tx, inbox, ListDirection::Send, people)
}

fn blocked_by(tx: &mut Tx, inbox: &Inbox, direction: ListDirection, people: &[&Address]) -> StoreResult<Vec<String>> {
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let inbox_ref = InboxRef { workspace: inbox.workspace, inbox: inbox.id };
    let patterns: Vec<Vec<String>> = people.iter().map(|person| list::patterns_of(person)).collect();
    let mut all: Vec<&str> = patterns.iter().flatten().map(String::as_str).collect();
    all.sort_unstable();
    all.dedup();
    let found = lists::matching(tx, inbox_ref, direction, &all)?;
    let refused = people
        .iter()
        .zip(&patterns)
        .filter(|(_, patterns)| found.hits(patterns.iter().map(String::as_str)).stop(found.allow_only));
    Ok(refused.map(|(person, _)| person.canonical()).collect())
}

/// Returns the suppressed recipients. A bounce suppression of a local address no longer applies once its inbox exists.
fn suppressed(
    tx: &mut Tx,
    accepted: &AcceptedMessage,
    workspace: &Workspace,
    people: &[&Address],
) -> StoreResult<Vec<String>> {
    // A person whose mailbox was full once must still be able to sign in.
    if workspace.id == posthouse_domain::id::WorkspaceId::SERVICE {
        return Ok(Vec::new());
    }
    let canonical: Vec<&str> = people.iter().map(|address| address.canonical_str()).collect();
    let mut suppressed = Vec::new();
    for (address, reason) in suppressions::of_addresses(tx, workspace.id, &canonical)? {
        let known = people.iter().find(|person| person.canonical_str() == address);
        if let (SuppressionReason::Bounce, Some(person)) = (reason, known)
            && let RecipientRoute::Local(_) =
                local_delivery::route_of(tx, person, &accepted.config.served, accepted.now)?
        {
            continue;
        }
        suppressed.push(address);
    }
    Ok(suppressed)
}

/// Reads the facts about the original message that the loop rules need.
fn answered(tx: &mut Tx, original: &Message, now: Time) -> StoreResult<ReplyFacts> {
    let is_received = original.direction == Direction::Inbound;
    let is_bounce = original.labels.iter().any(|label| label == BOUNCE_LABEL);
    Ok(ReplyFacts {
        automatic: is_received && (original.auto_reply || is_bounce),
        returned: is_received && answers::was_sent(tx, original)?,
        answers: answers::of(tx, original.workspace, original.id)?,
        recent_replies: answers::in_thread(tx, original.workspace, original.thread, now.plus_ms(-REPLY_WINDOW_MS))?,
    })
}
