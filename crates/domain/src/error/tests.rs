//! The codes of the closed list.

use super::*;

#[test]
fn codes_are_sorted_by_status_and_have_unique_names() {
    assert!(ErrorCode::ALL.is_sorted_by_key(|code| code.status()));
    let names: std::collections::HashSet<_> = ErrorCode::ALL.iter().map(|code| code.text()).collect();
    assert_eq!(names.len(), ErrorCode::ALL.len());
}

#[test]
fn body_contains_code_fix_details_and_request_id() {
    let refusal = Refusal::invalid_field("to[0]", "must be an address");
    let body = refusal.body("r1");
    assert_eq!(body["error"]["code"], "invalid_request");
    assert_eq!(body["error"]["details"]["fields"][0]["path"], "to[0]");
    assert_eq!(body["error"]["request_id"], "r1");
    assert!(body["error"]["fix"].as_str().is_some_and(|fix| fix.ends_with('.')));
}
