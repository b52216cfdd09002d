//! The one gate that decides whether mail may be sent (decision 14): send, reply, forward and every later way ask here.
//!
//! Pure: the facts are loaded in the transaction that stores what the gate lets through, and passed in.

use crate::{
    error::{Code, Refusal},
    plan::Limit,
    time::{MINUTE_MS, Time},
};

/// The window of the burst limit in milliseconds.
pub const BURST_WINDOW_MS: i64 = 5 * MINUTE_MS;

/// What the gate looks at.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The time of the decision.
    pub now: Time,
    /// The emergency stop is in force.
    pub workspace_stopped: bool,
    /// The inbox is paused.
    pub inbox_paused: bool,
    /// The inbox is temporary.
    pub inbox_temporary: bool,
    /// The workspace is suspended.
    pub workspace_suspended: bool,
    /// The domain of the inbox is the workspace's own and not verified.
    pub domain_unverified: bool,
    /// Recipients whom the send or reply lists refuse.
    pub blocked: Vec<String>,
    /// Recipients with a suppression.
    pub suppressed: Vec<String>,
    /// Why the send would keep a loop going, if it would.
    pub loop_rule: Option<LoopRule>,
    /// Recipients of an unclaimed workspace; none where it is not one.
    pub recipients_day: Option<RecipientsDay>,
    /// Messages sent this month, and the limit.
    pub month: Use,
    /// Messages this inbox sent today, and the limit.
    pub inbox_day: Use,
    /// Messages the workspace sent today, and the limit.
    pub workspace_day: Use,
    /// Messages the workspace sent in the last five minutes, and the limit.
    pub burst: Use,
    /// When the oldest send of the burst window was made.
    pub burst_oldest: Option<Time>,
}

/// Whom an unclaimed workspace writes to today (contract §18.3). Who is answered in a conversation that came in, and took part
/// in it, is not counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecipientsDay {
    /// How many there were before.
    pub used: u64,
    /// Those of this message who were not among them.
    pub new: Vec<String>,
    /// How many there may be.
    pub max: u64,
}

/// How much of a limit is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// Used so far.
    pub used: u64,
    /// The limit; `None` is unlimited.
    pub limit: Limit,
}

impl Use {
    fn exhausted(self) -> Option<u64> {
        self.limit.filter(|limit| self.used >= *limit)
    }
}

/// Which rule of decision 18 a send breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopRule {
    /// It answers an automatic reply or a bounce that was answered before.
    AnsweredAutomaticReply,
    /// It answers one of our own messages that came back as new mail.
    OwnMessageReturned,
    /// More than 20 automated replies in one thread within an hour.
    TooManyRepliesInThread,
}

impl LoopRule {
    /// The name in `details.rule`.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            LoopRule::AnsweredAutomaticReply => "answered_automatic_reply",
            LoopRule::OwnMessageReturned => "own_message_returned",
            LoopRule::TooManyRepliesInThread => "too_many_replies_in_thread",
        }
    }
}

/// Decides, in the order of decision 14.
///
/// # Errors
/// The first rule that refuses.
pub fn may_send(facts: &Facts) -> Result<(), Refusal> {
    standing(facts)?;
    recipients(facts)?;
    unclaimed(facts)?;
    quotas(facts)
}

fn standing(facts: &Facts) -> Result<(), Refusal> {
    if facts.workspace_stopped {
        return Err(Refusal::new(
            Code::WorkspaceStopped,
            "The workspace is stopped: nothing is sent until an owner resumes it.",
        ));
    }
    if facts.inbox_paused {
        return Err(Refusal::new(Code::InboxPaused, "The inbox is paused: it receives and does not send."));
    }
    if facts.inbox_temporary {
        return Err(Refusal::new(Code::TemporaryInboxReceiveOnly, "A temporary inbox receives and does not send."));
    }
    if facts.workspace_suspended {
        return Err(Refusal::new(Code::OrgSuspended, "Sending is suspended for this workspace."));
    }
    if facts.domain_unverified {
        return Err(Refusal::new(Code::DomainNotVerified, "The domain of the inbox is not verified."));
    }
    Ok(())
}

fn recipients(facts: &Facts) -> Result<(), Refusal> {
    if !facts.blocked.is_empty() {
        let count = facts.blocked.len();
        let message = format!("The lists refuse {count} of the recipients; nothing was sent to anyone.");
        return Err(Refusal::new(Code::RecipientBlocked, message).detail("addresses", facts.blocked.clone()));
    }
    if !facts.suppressed.is_empty() {
        let count = facts.suppressed.len();
        let message = format!("{count} of the recipients bounced or complained before; nothing was sent to anyone.");
        return Err(Refusal::new(Code::RecipientSuppressed, message).detail("addresses", facts.suppressed.clone()));
    }
    if let Some(rule) = facts.loop_rule {
        let message = match rule {
            LoopRule::AnsweredAutomaticReply => {
                "The message is an automatic reply or a bounce, and was answered before."
            }
            LoopRule::OwnMessageReturned => "The message is one of this inbox's own that came back.",
            LoopRule::TooManyRepliesInThread => "The thread had 20 automated replies within the last hour.",
        };
        return Err(Refusal::new(Code::LoopDetected, message).detail("rule", rule.text()));
    }
    Ok(())
}

fn unclaimed(facts: &Facts) -> Result<(), Refusal> {
    let Some(RecipientsDay { used, new, max }) = &facts.recipients_day else { return Ok(()) };
    if new.is_empty() || used + new.len() as u64 <= *max {
        return Ok(());
    }
    let message = format!("An unclaimed workspace writes to {max} different people a day; this would be more.");
    Err(limit_refusal(Code::UnclaimedRecipientLimit, message, "recipients_per_day", *max)
        .detail("used", *used)
        .detail("addresses", new.clone())
        .retry_after(until_midnight_s(facts.now)))
}

/// Until the day's limits begin anew (UTC), in seconds.
fn until_midnight_s(now: Time) -> u64 {
    u64::try_from(now.next_day().since_ms(now) / 1_000 + 1).unwrap_or(1)
}

fn quotas(facts: &Facts) -> Result<(), Refusal> {
    let until_midnight_s = until_midnight_s(facts.now);
    if let Some(max) = facts.month.exhausted() {
        let message = format!("The plan's {max} emails of this month are used up.");
        return Err(limit_refusal(Code::PlanLimitEmails, message, "emails_per_month", max));
    }
    if let Some(max) = facts.inbox_day.exhausted() {
        let message = format!("This inbox has sent its {max} messages of today.");
        return Err(limit_refusal(Code::DailySendLimitExceeded, message, "daily_sends_per_inbox", max)
            .retry_after(until_midnight_s));
    }
    if let Some(max) = facts.workspace_day.exhausted() {
        let message = format!("The workspace has sent its {max} messages of today.");
        return Err(
            limit_refusal(Code::OrgDailyLimitExceeded, message, "daily_sends", max).retry_after(until_midnight_s)
        );
    }
    if let Some(max) = facts.burst.exhausted() {
        let message = format!("The workspace has sent {max} messages within five minutes.");
        let free_at = facts.burst_oldest.unwrap_or(facts.now).plus_ms(BURST_WINDOW_MS);
        let wait_s = u64::try_from(free_at.since_ms(facts.now) / 1_000 + 1).unwrap_or(1);
        return Err(limit_refusal(Code::RateLimited, message, "sends_per_5min", max)
            .detail("window_seconds", 300)
            .retry_after(wait_s));
    }
    Ok(())
}

fn limit_refusal(code: Code, message: String, limit: &str, max: u64) -> Refusal {
    Refusal::new(code, message).detail("limit", limit).detail("max", max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clear() -> Facts {
        let free = Use { used: 0, limit: Some(1) };
        Facts {
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
            month: free,
            inbox_day: free,
            workspace_day: free,
            burst: free,
            burst_oldest: None,
        }
    }

    #[test]
    fn refusals_come_in_the_order_of_decision_14() {
        assert_eq!(may_send(&clear()), Ok(()));
        let full = Use { used: 1, limit: Some(1) };
        type Break = fn(&mut Facts, Use);
        let rules: [(Code, Break); 13] = [
            (Code::WorkspaceStopped, |f, _| f.workspace_stopped = true),
            (Code::InboxPaused, |f, _| f.inbox_paused = true),
            (Code::TemporaryInboxReceiveOnly, |f, _| f.inbox_temporary = true),
            (Code::OrgSuspended, |f, _| f.workspace_suspended = true),
            (Code::DomainNotVerified, |f, _| f.domain_unverified = true),
            (Code::RecipientBlocked, |f, _| f.blocked = vec!["a@b.example".into()]),
            (Code::RecipientSuppressed, |f, _| f.suppressed = vec!["a@b.example".into()]),
            (Code::LoopDetected, |f, _| f.loop_rule = Some(LoopRule::OwnMessageReturned)),
            (Code::UnclaimedRecipientLimit, |f, _| {
                f.recipients_day = Some(RecipientsDay { used: 20, new: vec!["a@b.example".into()], max: 20 });
            }),
            (Code::PlanLimitEmails, |f, full| f.month = full),
            (Code::DailySendLimitExceeded, |f, full| f.inbox_day = full),
            (Code::OrgDailyLimitExceeded, |f, full| f.workspace_day = full),
            (Code::RateLimited, |f, full| f.burst = full),
        ];
        for first in 0..rules.len() {
            let mut facts = clear();
            for (_, apply) in &rules[first..] {
                apply(&mut facts, full);
            }
            assert_eq!(may_send(&facts).map_err(|r| r.code), Err(rules[first].0));
        }
    }

    #[test]
    fn an_unclaimed_workspace_writes_to_so_many_people_a_day_and_to_those_again() {
        let with = |used, new: &[&str]| {
            let new = new.iter().map(|address| (*address).to_owned()).collect();
            may_send(&Facts { recipients_day: Some(RecipientsDay { used, new, max: 20 }), ..clear() })
        };
        assert_eq!(with(20, &[]), Ok(()));
        assert_eq!(with(18, &["a@b.example", "c@b.example"]), Ok(()));
        let refusal = with(19, &["a@b.example", "c@b.example"]).expect_err("one too many");
        assert_eq!((refusal.code, refusal.details["max"].as_u64()), (Code::UnclaimedRecipientLimit, Some(20)));
        assert_eq!(refusal.retry_after_s, Some(43_201), "until midnight");
    }

    #[test]
    fn unlimited_is_never_exhausted_and_the_burst_says_when_it_frees() {
        let mut facts = clear();
        facts.burst = Use { used: u64::MAX, limit: None };
        assert_eq!(may_send(&facts), Ok(()));
        facts.burst = Use { used: 20, limit: Some(20) };
        facts.burst_oldest = Some(facts.now.plus_ms(-259_500));
        let refusal = may_send(&facts).expect_err("over the limit");
        assert_eq!(refusal.retry_after_s, Some(41));
        assert_eq!(refusal.details["limit"], "sends_per_5min");
        assert_eq!(refusal.details["window_seconds"], 300);
    }
}
