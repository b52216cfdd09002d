//! Tests of the decision table.

use super::*;
use crate::id::MessageId;

fn facts(policy: OutboundPolicy, is_seen_only: bool, has_secret: bool) -> OutboundFacts {
    let kind = if is_seen_only { OriginKind::SeenOnly } else { OriginKind::Contact };
    let finding = OutboundFinding { kind: FindingKind::Code, place: "text".to_owned(), start: 3, end: 9 };
    OutboundFacts {
        policy,
        is_approved: false,
        recipients: vec![JudgedRecipient { address: "a@x.example".to_owned(), origin: RecipientOrigin::of(kind) }],
        findings: if has_secret { vec![finding] } else { Vec::new() },
        is_unread: false,
        is_draft_only: false,
        held_before: None,
    }
}

fn outcome(facts: &OutboundFacts) -> &'static str {
    match facts.decide() {
        Ok(OutboundVerdict::Send) => "sent",
        Ok(OutboundVerdict::Hold(hold)) => hold.reason.text(),
        Err(refusal) => refusal.code.text(),
    }
}

#[test]
fn each_policy_decides_about_each_risk() {
    for policy in OutboundPolicy::ALL.iter().copied() {
        for (is_seen_only, has_secret) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut facts = facts(policy, is_seen_only, has_secret);
            let expected = match policy {
                OutboundPolicy::Off | OutboundPolicy::Label => "sent",
                OutboundPolicy::Hold | OutboundPolicy::Refuse if is_seen_only => "recipient_unproven",
                OutboundPolicy::Hold | OutboundPolicy::Refuse if has_secret => "content_blocked",
                OutboundPolicy::Hold | OutboundPolicy::Refuse => "sent",
            };
            assert_eq!(outcome(&facts), expected, "{policy:?} {is_seen_only} {has_secret}");
            let labels = usize::from(is_seen_only) + usize::from(has_secret);
            assert_eq!(facts.labels().len(), if policy == OutboundPolicy::Off { 0 } else { labels });
            facts.is_approved = true;
            assert_eq!((outcome(&facts), facts.labels().len()), ("sent", 0), "approved");
        }
    }
}

#[test]
fn a_refusal_names_the_address_and_its_message_but_no_secret() {
    let mut unproven = facts(OutboundPolicy::Refuse, true, false);
    let message = MessageId(uuid::Uuid::from_u128(7));
    unproven.recipients[0].origin.message = Some(message);
    let refusal = unproven.decide().expect_err("refused");
    let details = refusal.wire_details();
    assert_eq!(details["recipients"][0]["address"], "a@x.example");
    assert_eq!(details["recipients"][0]["message_id"], message.to_string());
    assert!(refusal.fix.is_some_and(|fix| fix.contains(&message.to_string())));
    let refusal = facts(OutboundPolicy::Refuse, false, true).decide().expect_err("refused");
    let expected = serde_json::json!([{ "kind": "code", "where": "text", "start": 3, "end": 9 }]);
    assert_eq!(refusal.wire_details()["findings"], expected);
}

#[test]
fn a_message_with_a_file_that_was_not_read_is_held_back_where_secrets_are() {
    for policy in OutboundPolicy::ALL.iter().copied() {
        let facts = OutboundFacts { is_unread: true, ..facts(policy, false, false) };
        let expected = match policy {
            OutboundPolicy::Off | OutboundPolicy::Label => "sent",
            OutboundPolicy::Hold | OutboundPolicy::Refuse => "content_blocked",
        };
        assert_eq!(outcome(&facts), expected, "{policy:?}");
        assert_eq!(outcome(&OutboundFacts { is_approved: true, ..facts }), "sent", "{policy:?}, approved");
    }
}
