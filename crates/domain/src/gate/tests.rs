//! Tables of what the gate decides.

use super::*;
use crate::outbound_policy::{
    FindingKind, JudgedRecipient, OriginKind, OutboundFinding, OutboundPolicy, RecipientOrigin,
};

fn unrestricted() -> SendFacts {
    let unused = LimitUsage { used: 0, limit: Some(1) };
    SendFacts {
        purpose: SendPurpose::Message,
        now: Time::from_millis(1_767_268_800_000),
        workspace_stopped: false,
        inbox_paused: false,
        inbox_temporary: false,
        workspace_suspended: false,
        suspension: None,
        domain_unverified: false,
        blocked: vec![],
        suppressed: vec![],
        loop_rule: None,
        outbound: OutboundFacts::unguarded(),
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
    assert_eq!(may_send(&unrestricted()), Ok(OutboundVerdict::Send));
    let full = LimitUsage { used: 1, limit: Some(1) };
    type Break = fn(&mut SendFacts, LimitUsage);
    let rules: [(ErrorCode, Break); 16] = [
        (ErrorCode::WorkspaceStopped, |f, _| f.workspace_stopped = true),
        (ErrorCode::InboxPaused, |f, _| f.inbox_paused = true),
        (ErrorCode::TemporaryInboxReceiveOnly, |f, _| f.inbox_temporary = true),
        (ErrorCode::OrgSuspended, |f, _| f.workspace_suspended = true),
        (ErrorCode::DomainNotVerified, |f, _| f.domain_unverified = true),
        (ErrorCode::RecipientBlocked, |f, _| f.blocked = vec!["a@b.example".into()]),
        (ErrorCode::RecipientSuppressed, |f, _| f.suppressed = vec!["a@b.example".into()]),
        (ErrorCode::LoopDetected, |f, _| f.loop_rule = Some(LoopRule::OwnMessageReturned)),
        (ErrorCode::RecipientUnproven, |f, _| {
            let origin = RecipientOrigin::of(OriginKind::SeenOnly);
            (f.outbound.policy, f.outbound.is_approved) = (OutboundPolicy::Refuse, false);
            f.outbound.recipients = vec![JudgedRecipient { address: "a@b.example".into(), origin }];
        }),
        (ErrorCode::ContentBlocked, |f, _| {
            let (kind, place) = (FindingKind::CardNumber, "text".to_owned());
            (f.outbound.policy, f.outbound.is_approved) = (OutboundPolicy::Refuse, false);
            f.outbound.findings = vec![OutboundFinding { kind, place, start: 0, end: 16 }];
        }),
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
fn mail_of_the_service_skips_checks() {
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
    assert_eq!(may_send(&facts(SendPurpose::Service)), Ok(OutboundVerdict::Send));
    for (change, code) in [
        ((|facts| facts.inbox_temporary = true) as fn(&mut SendFacts), ErrorCode::TemporaryInboxReceiveOnly),
        (|facts| facts.domain_unverified = true, ErrorCode::DomainNotVerified),
    ] {
        let mut facts = facts(SendPurpose::Service);
        change(&mut facts);
        assert_eq!(may_send(&facts).map_err(|refusal| refusal.code), Err(code));
    }
}

#[test]
fn a_request_of_a_workspace_counts_for_no_limit_of_it() {
    let full = LimitUsage { used: 1, limit: Some(1) };
    let request = || SendFacts { purpose: SendPurpose::Request, month: full, workspace_day: full, ..unrestricted() };
    assert_eq!(may_send(&request()), Ok(OutboundVerdict::Send));
    let code = |facts| may_send(&facts).map_err(|refusal| refusal.code);
    let stopped = SendFacts { workspace_stopped: true, ..request() };
    assert_eq!(code(stopped), Err(ErrorCode::WorkspaceStopped));
    let blocked = SendFacts { blocked: vec!["a@b.example".into()], ..request() };
    assert_eq!(code(blocked), Err(ErrorCode::RecipientBlocked));
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
    assert_eq!(with(20, &[]), Ok(OutboundVerdict::Send));
    assert_eq!(with(18, &["a@b.example", "c@b.example"]), Ok(OutboundVerdict::Send));
    let refusal = with(19, &["a@b.example", "c@b.example"]).expect_err("one too many");
    assert_eq!((refusal.code, refusal.wire_details()["max"].as_u64()), (ErrorCode::UnclaimedRecipientLimit, Some(20)));
    assert_eq!(refusal.retry_after_s, Some(43_201), "until midnight");
}

#[test]
fn unlimited_is_never_exhausted_and_burst_refusal_has_retry_after() {
    let mut facts = unrestricted();
    facts.burst = LimitUsage { used: u64::MAX, limit: None };
    assert_eq!(may_send(&facts), Ok(OutboundVerdict::Send));
    facts.burst = LimitUsage { used: 20, limit: Some(20) };
    facts.burst_oldest = Some(facts.now.plus_ms(-259_500));
    let refusal = may_send(&facts).expect_err("over the limit");
    assert_eq!(refusal.retry_after_s, Some(41));
    assert_eq!(refusal.wire_details()["limit"], "sends_per_5min");
    assert_eq!(refusal.wire_details()["window_seconds"], 300);
}
