//! The hints of the tools, against what their operations declare.

use posthouse_call::Method;

use super::*;
use crate::catalogue::tools;

/// The tools that change something, and what a client may know about each: whether it can't be undone, and whether the same
/// call again has no further effect.
const CHANGES: [(&str, bool, bool); 22] = [
    ("create_inbox", false, false),
    ("create_temporary_inbox", false, false),
    ("pause_inbox", false, true),
    ("resume_inbox", false, true),
    ("create_identity", false, false),
    ("get_identity_token", false, false),
    ("request_claim", false, false),
    ("emergency_stop", true, true),
    ("claim_messages", false, false),
    ("ack_message", false, true),
    ("send_email", false, false),
    ("send_message", false, false),
    ("reply_to_email", false, false),
    ("reply_to_message", false, false),
    ("create_draft", false, false),
    ("send_draft", false, true),
    ("schedule_draft", false, false),
    ("cancel_draft", true, true),
    ("draft_reply", false, false),
    ("update_contact", false, true),
    ("update_escalation", false, true),
    ("update_agent_card", false, true),
];

fn table() -> OperationTable {
    let callable = posthouse_operations::operations().into_iter().filter(Operation::is_callable);
    callable.map(|operation| (operation.name, operation)).collect()
}

#[test]
fn every_tool_has_the_hints_of_its_operations() {
    let operations = table();
    let tools = tools(&operations);
    assert!(tools.len() >= 44, "{} tools", tools.len());
    for tool in &tools {
        let hints = entry(tool, &operations)["annotations"].clone();
        let change = CHANGES.iter().find(|(name, ..)| *name == tool.name);
        let (is_destructive, is_idempotent) = change.map_or((false, true), |(_, gone, again)| (*gone, *again));
        assert_eq!(hints["readOnlyHint"], change.is_none(), "{}", tool.name);
        assert_eq!(hints["destructiveHint"], is_destructive, "{}", tool.name);
        assert_eq!(hints["idempotentHint"], is_idempotent, "{}", tool.name);
        for call in &tool.calls {
            let effects = operations[call.operation].effects;
            assert!(!effects.writes || change.is_some(), "{} calls {}", tool.name, call.operation);
            assert!(!effects.destructive || is_destructive, "{} calls {}", tool.name, call.operation);
            assert!(effects.idempotent || !is_idempotent, "{} calls {}", tool.name, call.operation);
        }
    }
    let missing: Vec<_> = CHANGES.iter().filter(|(name, ..)| tools.iter().all(|tool| tool.name != *name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A tool that may make one of several calls is as careful as the most harmful of them.
#[test]
fn hints_cover_every_call_of_a_tool() {
    use crate::tool::ToolCall;
    let operations = table();
    let methods = [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete];
    let of = |method: Method| {
        let with_method = operations.values().filter(|operation| operation.method == method);
        with_method.min_by_key(|operation| operation.name).expect("each method is used")
    };
    for first in methods.map(of) {
        for second in methods.map(of) {
            let base = tools(&operations).into_iter().find(|tool| tool.name == "get_message").expect("a tool");
            let calls = vec![ToolCall::new(first.name, Vec::new()).when("a"), ToolCall::new(second.name, Vec::new())];
            let hints = entry(&crate::tool::Tool { calls, ..base }, &operations)["annotations"].clone();
            let (one, other) = (first.effects, second.effects);
            assert_eq!(hints["readOnlyHint"], !one.writes && !other.writes, "{} {}", first.name, second.name);
            assert_eq!(hints["destructiveHint"], one.destructive || other.destructive);
            assert_eq!(hints["idempotentHint"], one.idempotent && other.idempotent);
        }
    }
}
