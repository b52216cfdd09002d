//! The checks that decide whether a message may be sent. All sending passes them: send, reply, forward and drafts.
//!
//! Pure: the facts are loaded in the transaction that stores the message, and passed in. For the order of the checks see
//! docs/decisions/sending.md#0026-one-gate.

pub mod loop_rule;

pub use loop_rule::LoopRule;

use crate::{
    error::{Detail, ErrorCode, LimitName, Refusal},
    outbound_policy::{OutboundFacts, OutboundVerdict},
    plan::Limit,
    suspension::Suspension,
    time::{MINUTE_MS, Time},
};

/// The window of the burst limit, in milliseconds.
pub const BURST_WINDOW_MS: i64 = 5 * MINUTE_MS;

/// What a message is sent for, which decides the checks that apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SendPurpose {
    /// An agent, a person or the service writes to somebody. All checks apply.
    #[default]
    Message,
    /// A workspace has the service ask a person something: to claim it, or to confirm an address. The mail draws on a budget
    /// of the service, so no limit of the workspace applies.
    Request,
    /// The service writes a mail of its own. Its budgets were checked before; a stop, a pause, a suspension or a used-up
    /// limit of a workspace must not keep people from signing in or from learning about it. See
    /// docs/decisions/people.md#0062-escalations-pass-a-stop.
    Service,
}

/// The facts that the checks depend on.
#[derive(Clone, Debug)]
pub struct SendFacts {
    /// What the message is sent for.
    pub purpose: SendPurpose,
    /// The time of the decision.
    pub now: Time,
    /// Whether the emergency stop is active.
    pub workspace_stopped: bool,
    pub inbox_paused: bool,
    pub inbox_temporary: bool,
    pub workspace_suspended: bool,
    /// Why it is suspended.
    pub suspension: Option<Suspension>,
    /// Whether the inbox's domain is a custom one that is not verified.
    pub domain_unverified: bool,
    /// Recipients that the send or reply lists block.
    pub blocked: Vec<String>,
    /// Recipients whose address is suppressed.
    pub suppressed: Vec<String>,
    /// The loop rule that the message violates, if any.
    pub loop_rule: Option<LoopRule>,
    /// Where the recipients come from, and which secrets the message contains.
    pub outbound: OutboundFacts,
    /// The recipients of an unclaimed workspace today; `None` for other workspaces.
    pub recipients_day: Option<DailyRecipients>,
    /// Messages sent this month, and the limit.
    pub month: LimitUsage,
    /// What the workspace stores, and what the message would add.
    pub storage: StorageNeed,
    /// Messages that this inbox sent today, and the limit.
    pub inbox_day: LimitUsage,
    /// Messages that the workspace sent today, and the limit.
    pub workspace_day: LimitUsage,
    /// Messages that the workspace sent in the last five minutes, and the limit.
    pub burst: LimitUsage,
    /// The time of the oldest send in the burst window.
    pub burst_oldest: Option<Time>,
}

/// The distinct recipients of an unclaimed workspace today. Participants of an inbound conversation that is replied to
/// don't count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DailyRecipients {
    /// The number of recipients so far.
    pub used: u64,
    /// The recipients of this message that are new today.
    pub new: Vec<String>,
    /// The limit.
    pub max: u64,
}

/// The usage of a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitUsage {
    /// The usage so far.
    pub used: u64,
    /// The limit; `None` means unlimited.
    pub limit: Limit,
}

impl LimitUsage {
    fn exhausted(self) -> Option<u64> {
        self.limit.filter(|limit| self.used >= *limit)
    }
}

/// What a workspace stores, and what a message or draft would add, in bytes. The default adds nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StorageNeed {
    /// The bytes stored so far.
    pub used: u64,
    /// The bytes to add.
    pub added: u64,
    /// The limit of the plan; `None` means unlimited.
    pub limit: Limit,
}

impl StorageNeed {
    /// Checks whether the bytes may be added.
    ///
    /// # Errors
    /// Returns `plan_limit_storage` if the workspace would store more than its limit.
    pub fn check(self) -> Result<(), Refusal> {
        let Self { used, added, limit } = self;
        let Some(max) = limit.filter(|max| added > 0 && used.saturating_add(added) > *max) else { return Ok(()) };
        let message = format!("The workspace stores {used} of the {max} bytes in its plan; {added} more don't fit.");
        Err(limit_refusal(ErrorCode::PlanLimitStorage, message, LimitName::StorageBytes, max)
            .detail(Detail::Used(used)))
    }
}

/// Checks whether a message may be sent, or is kept as a draft.
///
/// # Errors
/// Returns the refusal of the first check that fails.
pub fn may_send(facts: &SendFacts) -> Result<OutboundVerdict, Refusal> {
    if facts.purpose == SendPurpose::Service {
        check_inbox(facts)?;
        return Ok(OutboundVerdict::Send);
    }
    check_status(facts)?;
    check_recipients(facts)?;
    let verdict = facts.outbound.decide()?;
    if facts.purpose == SendPurpose::Request || verdict != OutboundVerdict::Send {
        // A draft uses no limit until it is sent.
        return Ok(verdict);
    }
    check_unclaimed(facts)?;
    check_quotas(facts)?;
    Ok(verdict)
}

fn check_status(facts: &SendFacts) -> Result<(), Refusal> {
    if facts.workspace_stopped {
        return Err(Refusal::new(
            ErrorCode::WorkspaceStopped,
            "The workspace is stopped; it can't send until an owner resumes it.",
        ));
    }
    if facts.inbox_paused {
        return Err(Refusal::new(ErrorCode::InboxPaused, "The inbox is paused; it receives mail but can't send."));
    }
    if facts.workspace_suspended && !facts.inbox_temporary {
        let unknown = || Refusal::new(ErrorCode::OrgSuspended, "Sending is suspended for this workspace.");
        return Err(facts.suspension.as_ref().map_or_else(unknown, Suspension::refusal));
    }
    check_inbox(facts)
}

/// Checks that the inbox can send at all.
fn check_inbox(facts: &SendFacts) -> Result<(), Refusal> {
    if facts.inbox_temporary {
        return Err(Refusal::new(
            ErrorCode::TemporaryInboxReceiveOnly,
            "Temporary inboxes receive mail but can't send.",
        ));
    }
    if facts.domain_unverified {
        return Err(Refusal::new(ErrorCode::DomainNotVerified, "The inbox's domain is not verified."));
    }
    Ok(())
}

fn check_recipients(facts: &SendFacts) -> Result<(), Refusal> {
    if !facts.blocked.is_empty() {
        let message =
            format!("The message has {}; nothing was sent.", pluralize(facts.blocked.len(), "blocked recipient"));
        return Err(Refusal::new(ErrorCode::RecipientBlocked, message).detail(Detail::Addresses(facts.blocked.clone())));
    }
    if !facts.suppressed.is_empty() {
        let message =
            format!("The message has {}; nothing was sent.", pluralize(facts.suppressed.len(), "suppressed recipient"));
        return Err(
            Refusal::new(ErrorCode::RecipientSuppressed, message).detail(Detail::Addresses(facts.suppressed.clone()))
        );
    }
    if let Some(rule) = facts.loop_rule {
        let message = match rule {
            LoopRule::AnsweredAutomaticReply => {
                "The message is an automatic reply or a bounce, and was already answered."
            }
            LoopRule::OwnMessageReturned => "The message was sent by this inbox and came back.",
            LoopRule::TooManyRepliesInThread => {
                "The inbox already sent 20 replies in this thread within the last hour."
            }
        };
        return Err(Refusal::new(ErrorCode::LoopDetected, message).detail(Detail::Rule(rule)));
    }
    Ok(())
}

/// Returns `1 noun` or `2 nouns`.
fn pluralize(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn check_unclaimed(facts: &SendFacts) -> Result<(), Refusal> {
    let Some(DailyRecipients { used, new, max }) = &facts.recipients_day else { return Ok(()) };
    if new.is_empty() || used + new.len() as u64 <= *max {
        return Ok(());
    }
    let message = format!(
        "An unclaimed workspace can send to {max} different recipients a day; this message exceeds that limit."
    );
    Err(limit_refusal(ErrorCode::UnclaimedRecipientLimit, message, LimitName::RecipientsPerDay, *max)
        .detail(Detail::Used(*used))
        .detail(Detail::Addresses(new.clone()))
        .retry_after(until_midnight_s(facts.now)))
}

/// Returns the seconds until the daily limits reset at midnight (UTC).
#[must_use]
pub fn until_midnight_s(now: Time) -> u64 {
    u64::try_from(now.next_day().since_ms(now) / 1_000 + 1).unwrap_or(1)
}

fn check_quotas(facts: &SendFacts) -> Result<(), Refusal> {
    let until_midnight_s = until_midnight_s(facts.now);
    if let Some(max) = facts.month.exhausted() {
        let message = format!("The plan's limit of {max} emails per month is used up.");
        return Err(limit_refusal(ErrorCode::PlanLimitEmails, message, LimitName::EmailsPerMonth, max));
    }
    if let Some(max) = facts.inbox_day.exhausted() {
        let message = format!("The inbox has reached its limit of {max} messages per day.");
        return Err(limit_refusal(ErrorCode::DailySendLimitExceeded, message, LimitName::DailySendsPerInbox, max)
            .retry_after(until_midnight_s));
    }
    if let Some(max) = facts.workspace_day.exhausted() {
        let message = format!("The workspace has reached its limit of {max} messages per day.");
        return Err(limit_refusal(ErrorCode::OrgDailyLimitExceeded, message, LimitName::DailySends, max)
            .retry_after(until_midnight_s));
    }
    if let Some(max) = facts.burst.exhausted() {
        let message = format!("The workspace has reached its limit of {max} messages in 5 minutes.");
        let free_at = facts.burst_oldest.unwrap_or(facts.now).plus_ms(BURST_WINDOW_MS);
        let wait_s = u64::try_from(free_at.since_ms(facts.now) / 1_000 + 1).unwrap_or(1);
        return Err(limit_refusal(ErrorCode::RateLimited, message, LimitName::SendsPer5Minutes, max)
            .detail(Detail::WindowSeconds(300))
            .retry_after(wait_s));
    }
    facts.storage.check()
}

fn limit_refusal(code: ErrorCode, message: String, limit: LimitName, max: u64) -> Refusal {
    Refusal::new(code, message).detail(Detail::Limit(limit)).detail(Detail::Max(max))
}

#[cfg(test)]
mod tests;
