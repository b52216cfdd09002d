//! What the gate is asked, and its decision without a send (`dry_run`, decision 14).

use std::sync::Arc;

use posthouse_domain::{
    error::Refusal,
    gate::{self, BURST_WINDOW_MS, Facts, RecipientsDay, Use},
    inbox::Inbox,
    list::{self, ListDirection},
    message::{Channel, Direction, Message},
    plan::Limit,
    send::{Answered, BOUNCE_LABEL, RECIPIENTS_MAX, REPLY_WINDOW_MS, loop_rule},
    time::Time,
    workspace::{Claim, UNCLAIMED_RECIPIENTS_PER_DAY, Workspace},
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{
    Result as Stored, Tx, answers, lists, mail_domains,
    message_list::Place,
    suppressions::{self, Reason},
    threads, unclaimed, usage, workspaces,
};

use super::{Ready, ready, size_refusal};
use crate::app::{
    App,
    compose::Letter,
    deliver_here::{self, Way},
    judge_sending,
    send::Order,
    visible,
};

/// What would become of a message.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// Why it would be refused; nothing when it would be sent.
    pub refusal: Option<Refusal>,
    /// Where it would go.
    pub recipients: Vec<RecipientDecision>,
    /// Its size as it would be sent, in bytes.
    pub message_size_bytes: u64,
    /// How many more messages the limits let through, this one not counted.
    pub left: Left,
}

/// A recipient of a message that is not sent yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecipientDecision {
    /// The address.
    pub address: String,
    /// `agent` or `email`.
    pub channel: Channel,
    /// Whether its suppression refuses the message.
    pub suppressed: bool,
    /// Whether the send or reply lists refuse the message.
    pub blocked: bool,
}

/// What is left of the limits; none is unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    /// Of the month.
    pub month: Limit,
    /// Of the inbox's day.
    pub inbox_day: Limit,
    /// Of the workspace's day.
    pub workspace_day: Limit,
    /// Of these five minutes.
    pub burst: Limit,
}

/// Decides as a send would, and stores nothing.
///
/// # Errors
/// `not_found`, `invalid_request`, the store's own.
pub async fn decide(app: &Arc<App>, order: Order, written: (Letter, Inbox)) -> Result<Decision, Refusal> {
    let (ready, _) = ready(app, order, written).await?;
    let size = size_refusal(app, &ready);
    app.store.read(move |tx| decision(tx, &ready, size.clone())).await
}

fn decision(tx: &mut Tx, ready: &Ready, size: Option<Refusal>) -> Result<Decision, Refusal> {
    let inbox = visible::inbox(tx, &ready.order.caller, ready.order.inbox)?;
    let workspace = workspaces::get(tx, inbox.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let used = usage::so_far(tx, inbox.workspace, inbox.id, ready.now)?;
    let facts = facts(tx, ready, (&workspace, &inbox), used)?;
    let recipients = ready.letter.people.deliveries().into_iter().map(|address| RecipientDecision {
        address: address.to_string(),
        channel: if deliver_here::is_served(address, &ready.house.served) { Channel::Agent } else { Channel::Email },
        suppressed: facts.suppressed.iter().any(|suppressed| suppressed == address.canonical_str()),
        blocked: facts.blocked.iter().any(|blocked| blocked == address.canonical_str()),
    });
    let left = |of: Use| of.limit.map(|limit| limit.saturating_sub(of.used));
    Ok(Decision {
        recipients: recipients.collect(),
        message_size_bytes: ready.sent.size_bytes,
        left: Left {
            month: left(facts.month),
            inbox_day: left(facts.inbox_day),
            workspace_day: left(facts.workspace_day),
            burst: left(facts.burst),
        },
        refusal: size.or_else(|| gate::may_send(&facts).err()),
    })
}

/// The facts that the gate looks at, read in the transaction that acts on its decision.
pub(super) fn facts(
    tx: &mut Tx,
    ready: &Ready,
    (workspace, inbox): (&Workspace, &Inbox),
    used: usage::Sent,
) -> Stored<Facts> {
    let plan = ready.house.plans.of(workspace.plan);
    let people = ready.letter.people.deliveries();
    let (burst, burst_oldest) = match plan.sends_per_5_minutes {
        Some(_) => answers::sent_since(tx, workspace.id, ready.now.plus_ms(-BURST_WINDOW_MS))?,
        None => (0, None),
    };
    let looping = match ready.letter.answers() {
        Some(original) => loop_rule(&answered(tx, original, ready.now)?),
        None => None,
    };
    let suspended = workspace.suspended || judge_sending::is_overdue(tx, workspace.id, used.workspace_day, ready.now)?;
    Ok(Facts {
        now: ready.now,
        workspace_stopped: workspace.stopped_at.is_some(),
        inbox_paused: inbox.is_paused(),
        inbox_temporary: inbox.temporary,
        workspace_suspended: suspended,
        domain_unverified: unverified(tx, ready, inbox)?,
        blocked: blocked(tx, ready, inbox, &people)?,
        suppressed: suppressed(tx, ready, workspace, &people)?,
        loop_rule: looping,
        recipients_day: recipients_day(tx, ready, workspace, &people)?,
        month: Use { used: used.month, limit: plan.emails_per_month },
        inbox_day: Use { used: used.inbox_day, limit: plan.daily_sends_per_inbox },
        workspace_day: Use { used: used.workspace_day, limit: workspace.daily_send_limit.or(plan.daily_sends) },
        burst: Use { used: burst, limit: plan.sends_per_5_minutes },
        burst_oldest,
    })
}

/// Whom an unclaimed workspace would write to for the first time today. Who is answered in a conversation that others began,
/// and took part in it, does not count (contract §18.3).
fn recipients_day(
    tx: &mut Tx,
    ready: &Ready,
    workspace: &Workspace,
    people: &[&Address],
) -> Stored<Option<RecipientsDay>> {
    if workspace.claim != Claim::Unclaimed {
        return Ok(None);
    }
    let known = unclaimed::recipients(tx, workspace.id, ready.now)?;
    let in_talk = match ready.letter.answers() {
        Some(original) if unclaimed::was_begun_by_others(tx, workspace.id, original.thread)? => {
            threads::get(tx, workspace.id, original.thread)?.map(|thread| thread.participants).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let mut new: Vec<String> = Vec::new();
    for address in people.iter().map(|person| person.canonical()) {
        if ![&known, &in_talk, &new].into_iter().any(|all| all.contains(&address)) {
            new.push(address);
        }
    }
    Ok(Some(RecipientsDay { used: known.len() as u64, new, max: UNCLAIMED_RECIPIENTS_PER_DAY }))
}

/// Whether the inbox is at a domain of the workspace's own that is not verified, or not there any more.
fn unverified(tx: &mut Tx, ready: &Ready, inbox: &Inbox) -> Stored<bool> {
    if ready.house.own.contains(&inbox.domain) {
        return Ok(false);
    }
    let domain = mail_domains::by_name(tx, inbox.workspace, &inbox.domain)?;
    Ok(!domain.is_some_and(|domain| domain.may_send()))
}

/// Those among the recipients whom the lists refuse. The reply lists are for those who took part in what is answered; the
/// send lists for everybody else, so that an answer is no way around them.
fn blocked(tx: &mut Tx, ready: &Ready, inbox: &Inbox, people: &[&Address]) -> Stored<Vec<String>> {
    let took_part: Vec<Address> = ready.letter.answers().map(took_part).unwrap_or_default();
    let (answered, others): (Vec<&Address>, Vec<&Address>) =
        people.iter().partition(|&&person| took_part.contains(person));
    let place = Place { workspace: inbox.workspace, inbox: inbox.id };
    let mut blocked = Vec::new();
    for (direction, people) in [(ListDirection::Reply, answered), (ListDirection::Send, others)] {
        if people.is_empty() {
            continue;
        }
        let patterns: Vec<Vec<String>> = people.iter().map(|person| list::patterns_of(person)).collect();
        let mut all: Vec<&str> = patterns.iter().flatten().map(String::as_str).collect();
        all.sort_unstable();
        all.dedup();
        let found = lists::matching(tx, place, direction, &all)?;
        let refused = people
            .iter()
            .zip(&patterns)
            .filter(|(_, patterns)| found.hits(patterns.iter().map(String::as_str)).stop(found.allow_only));
        blocked.extend(refused.map(|(person, _)| person.canonical()));
    }
    Ok(blocked)
}

/// Everybody who is named in a message.
fn took_part(original: &Message) -> Vec<Address> {
    let reply_to = original.reply_to.as_deref().and_then(|all| Mailbox::parse_list(all, RECIPIENTS_MAX).ok());
    let named = std::iter::once(&original.from).chain(&original.to).chain(&original.cc).chain(&original.bcc);
    named
        .filter_map(|text| Mailbox::parse(text).ok())
        .chain(reply_to.unwrap_or_default())
        .map(Mailbox::into_address)
        .collect()
}

/// The suppressed ones among the recipients. An address of this server that bounced while there was no such inbox is open
/// again once there is one.
fn suppressed(tx: &mut Tx, ready: &Ready, workspace: &Workspace, people: &[&Address]) -> Stored<Vec<String>> {
    let canonical: Vec<&str> = people.iter().map(|address| address.canonical_str()).collect();
    let mut suppressed = Vec::new();
    for (address, reason) in suppressions::among(tx, workspace.id, &canonical)? {
        let known = people.iter().find(|person| person.canonical_str() == address);
        if let (Reason::Bounce, Some(person)) = (reason, known)
            && let Way::Here(_) = deliver_here::way(tx, person, &ready.house.served, ready.now)?
        {
            continue;
        }
        suppressed.push(address);
    }
    Ok(suppressed)
}

fn answered(tx: &mut Tx, original: &Message, now: Time) -> Stored<Answered> {
    let is_received = original.direction == Direction::Inbound;
    let is_bounce = original.labels.iter().any(|label| label == BOUNCE_LABEL);
    Ok(Answered {
        automatic: is_received && (original.auto_reply || is_bounce),
        returned: is_received && answers::was_sent(tx, original)?,
        answers: answers::of(tx, original.workspace, original.id)?,
        recent_replies: answers::in_thread(tx, original.workspace, original.thread, now.plus_ms(-REPLY_WINDOW_MS))?,
    })
}
