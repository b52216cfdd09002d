//! The checks that decide whether a message may be sent. All sending passes them: send, reply, forward and drafts.
//!
//! Pure: the facts are loaded in the transaction that stores the message, and passed in. For the order of the checks see
//! docs/decisions/0026-one-gate-decides-sends.md.

pub mod loop_rule;

pub use loop_rule::LoopRule;

use crate::{
    error::{Detail, ErrorCode, LimitName, Refusal},
    plan::Limit,
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
    /// The service asks a person on call to confirm, or tells an owner that one did. The lists don't apply: they limit
    /// to whom agents write.
    OnCallNotice,
    /// The service asks a person to claim the workspace. The recipient doesn't count toward the daily recipients of an
    /// unclaimed workspace: one that used them up must still be able to ask for an owner.
    Claim,
    /// The service escalates something to people who agreed to it. Only the inbox must be able to send: a stop, a pause,
    /// a suspension or a used-up limit must not keep people from learning about it. See
    /// docs/decisions/0062-escalations-pass-a-stop.md.
    Escalation,
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
    /// Whether the inbox is paused.
    pub inbox_paused: bool,
    /// Whether the inbox is temporary.
    pub inbox_temporary: bool,
    /// Whether the workspace is suspended.
    pub workspace_suspended: bool,
    /// Whether the inbox's domain is a custom one that is not verified.
    pub domain_unverified: bool,
    /// Recipients that the send or reply lists block.
    pub blocked: Vec<String>,
    /// Recipients whose address is suppressed.
    pub suppressed: Vec<String>,
    /// The loop rule that the message violates, if any.
    pub loop_rule: Option<LoopRule>,
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

/// Checks whether a message may be sent.
///
/// # Errors
/// Returns the refusal of the first check that fails.
pub fn may_send(facts: &SendFacts) -> Result<(), Refusal> {
    if facts.purpose == SendPurpose::Escalation {
        return check_inbox(facts);
    }
    check_status(facts)?;
    check_recipients(facts)?;
    check_unclaimed(facts)?;
    check_quotas(facts)
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
        return Err(Refusal::new(ErrorCode::OrgSuspended, "Sending is suspended for this workspace."));
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
    if !facts.blocked.is_empty() && facts.purpose != SendPurpose::OnCallNotice {
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
            LoopRule::TooManyRepliesInThread => "The thread already had 20 automated replies in the last hour.",
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
mod tests {
    use super::*;

    fn unrestricted() -> SendFacts {
        let unused = LimitUsage { used: 0, limit: Some(1) };
        SendFacts {
            purpose: SendPurpose::Message,
            now: Time::from_millis(1_767_268_800_000),
            workspace_stopped: false,
            inbox_paused: false,
            inbox_temporary: false,
            workspace_suspended: false,
            domain_unverified: false,
            blocked: vec![],
            suppressed: vec![],
            loop_rule: None,
            recipients_day: None,
            month: unused,
            storage: StorageNeed { used: 0, added: 1, limit: Some(1) },
            inbox_day: unused,
            workspace_day: unused,
            burst: unused,
            burst_oldest: None,
        }
    }

    #[test]
    fn checks_run_in_a_fixed_order() {
        assert_eq!(may_send(&unrestricted()), Ok(()));
        let full = LimitUsage { used: 1, limit: Some(1) };
        type Break = fn(&mut SendFacts, LimitUsage);
        let rules: [(ErrorCode, Break); 14] = [
            (ErrorCode::WorkspaceStopped, |f, _| f.workspace_stopped = true),
            (ErrorCode::InboxPaused, |f, _| f.inbox_paused = true),
            (ErrorCode::TemporaryInboxReceiveOnly, |f, _| f.inbox_temporary = true),
            (ErrorCode::OrgSuspended, |f, _| f.workspace_suspended = true),
            (ErrorCode::DomainNotVerified, |f, _| f.domain_unverified = true),
            (ErrorCode::RecipientBlocked, |f, _| f.blocked = vec!["a@b.example".into()]),
            (ErrorCode::RecipientSuppressed, |f, _| f.suppressed = vec!["a@b.example".into()]),
            (ErrorCode::LoopDetected, |f, _| f.loop_rule = Some(LoopRule::OwnMessageReturned)),
            (ErrorCode::UnclaimedRecipientLimit, |f, _| {
                f.recipients_day = Some(DailyRecipients { used: 20, new: vec!["a@b.example".into()], max: 20 });
            }),
            (ErrorCode::PlanLimitEmails, |f, full| f.month = full),
            (ErrorCode::DailySendLimitExceeded, |f, full| f.inbox_day = full),
            (ErrorCode::OrgDailyLimitExceeded, |f, full| f.workspace_day = full),
            (ErrorCode::RateLimited, |f, full| f.burst = full),
            (ErrorCode::PlanLimitStorage, |f, _| f.storage.added = 2),
        ];
        for first in 0..rules.len() {
            let mut facts = unrestricted();
            for (_, apply) in &rules[first..] {
                apply(&mut facts, full);
            }
            assert_eq!(may_send(&facts).map_err(|r| r.code), Err(rules[first].0));
        }
    }

    #[test]
    fn mail_to_people_on_call_skips_checks() {
        let full = LimitUsage { used: 1, limit: Some(1) };
        let facts = |purpose| SendFacts {
            purpose,
            workspace_stopped: true,
            inbox_paused: true,
            workspace_suspended: true,
            blocked: vec!["a@b.example".into()],
            month: full,
            ..unrestricted()
        };
        assert_eq!(may_send(&facts(SendPurpose::Escalation)), Ok(()));
        for (change, code) in [
            ((|facts| facts.inbox_temporary = true) as fn(&mut SendFacts), ErrorCode::TemporaryInboxReceiveOnly),
            (|facts| facts.domain_unverified = true, ErrorCode::DomainNotVerified),
        ] {
            let mut facts = facts(SendPurpose::Escalation);
            change(&mut facts);
            assert_eq!(may_send(&facts).map_err(|refusal| refusal.code), Err(code));
        }
        let notice = facts(SendPurpose::OnCallNotice);
        assert_eq!(may_send(&notice).map_err(|refusal| refusal.code), Err(ErrorCode::WorkspaceStopped));
        let blocked = SendFacts { purpose: SendPurpose::OnCallNotice, blocked: notice.blocked, ..unrestricted() };
        assert_eq!(may_send(&blocked), Ok(()));
        let claim = SendFacts { purpose: SendPurpose::Claim, ..blocked };
        assert_eq!(may_send(&claim).map_err(|refusal| refusal.code), Err(ErrorCode::RecipientBlocked));
    }

    #[test]
    fn storage_is_filled_to_its_last_byte() {
        let need = |used, added, limit| StorageNeed { used, added, limit }.check();
        assert_eq!(need(90, 10, Some(100)), Ok(()));
        assert_eq!(need(u64::MAX, u64::MAX, None), Ok(()));
        assert_eq!(need(200, 0, Some(100)), Ok(()), "what adds nothing is always allowed");
        let refusal = need(90, 11, Some(100)).expect_err("one byte too many");
        assert_eq!((refusal.code, refusal.max()), (ErrorCode::PlanLimitStorage, Some(100)));
        assert_eq!(need(u64::MAX, 1, Some(100)).map_err(|refusal| refusal.code), Err(ErrorCode::PlanLimitStorage));
    }

    #[test]
    fn unclaimed_workspace_has_a_daily_recipient_limit() {
        let with = |used, new: &[&str]| {
            let new = new.iter().map(|address| (*address).to_owned()).collect();
            may_send(&SendFacts { recipients_day: Some(DailyRecipients { used, new, max: 20 }), ..unrestricted() })
        };
        assert_eq!(with(20, &[]), Ok(()));
        assert_eq!(with(18, &["a@b.example", "c@b.example"]), Ok(()));
        let refusal = with(19, &["a@b.example", "c@b.example"]).expect_err("one too many");
        assert_eq!(
            (refusal.code, refusal.wire_details()["max"].as_u64()),
            (ErrorCode::UnclaimedRecipientLimit, Some(20))
        );
        assert_eq!(refusal.retry_after_s, Some(43_201), "until midnight");
    }

    #[test]
    fn unlimited_is_never_exhausted_and_burst_refusal_has_retry_after() {
        let mut facts = unrestricted();
        facts.burst = LimitUsage { used: u64::MAX, limit: None };
        assert_eq!(may_send(&facts), Ok(()));
        facts.burst = LimitUsage { used: 20, limit: Some(20) };
        facts.burst_oldest = Some(facts.now.plus_ms(-259_500));
        let refusal = may_send(&facts).expect_err("over the limit");
        assert_eq!(refusal.retry_after_s, Some(41));
        assert_eq!(refusal.wire_details()["limit"], "sends_per_5min");
        assert_eq!(refusal.wire_details()["window_seconds"], 300);
    }
}
