//! Tests of the fields that repeat parts of a message.

use axum::http::{HeaderName, HeaderValue};
use posthouse_mcp::Message;
use serde_json::json;

use super::*;

/// A request of the stateless revision.
fn request(method: &str, mut params: Value) -> Request {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    read(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

fn read(message: Value) -> Request {
    match Message::read(message) {
        Ok(Message::Request(request)) => request,
        other => panic!("not a request: {other:?}"),
    }
}

/// Fields of a request.
type Fields<'a> = &'a [(&'static str, &'static str)];

fn fields(list: &[(&'static str, &str)]) -> HeaderMap {
    let mut fields = HeaderMap::new();
    for (name, value) in list {
        fields.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    fields
}

#[test]
fn fields_must_agree_with_the_message() {
    let call = request("tools/call", json!({ "name": "get_message", "arguments": {} }));
    let (revision, method) = (("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"));
    let table: &[(Fields<'_>, Option<i64>)] = &[
        (&[revision, method, ("mcp-name", "get_message")], None),
        (&[revision, method, ("mcp-name", "=?base64?Z2V0X21lc3NhZ2U=?=")], None),
        (&[revision, method, ("mcp-name", "get_message"), ("mcp-name", "get_message")], None),
        (&[revision, method, ("mcp-name", "get_message"), ("mcp-name", "send_email")], Some(-32020)),
        (&[revision, method, ("mcp-name", "=?base64?!?=")], Some(-32020)),
        (&[revision, method, ("mcp-name", "send_email")], Some(-32020)),
        (&[revision, method], Some(-32020)),
        (&[revision, ("mcp-name", "get_message")], Some(-32020)),
        (&[revision, ("mcp-method", "Tools/Call"), ("mcp-name", "get_message")], Some(-32020)),
        (&[method, ("mcp-name", "get_message")], Some(-32020)),
        (&[("mcp-protocol-version", "2025-11-25"), method, ("mcp-name", "get_message")], Some(-32020)),
    ];
    for (given, wanted) in table {
        let given = fields(given);
        let found = MirroredFields::of(&given).revision(&call);
        assert_eq!(found.err().map(|failure| failure.code(Revision::July2026)), *wanted, "{given:?}");
    }
}

#[test]
fn the_revision_comes_from_the_message_or_the_field() {
    let ping = read(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    let table = [
        (None, Ok(Revision::March2025)),
        (Some("2025-06-18"), Ok(Revision::June2025)),
        (Some("2025-11-25"), Ok(Revision::November2025)),
        (Some("1900-01-01"), Err(-32022)),
        (Some("2026-07-28"), Err(-32020)),
    ];
    for (field, wanted) in table {
        let given: Vec<(&'static str, &str)> = field.into_iter().map(|text| ("mcp-protocol-version", text)).collect();
        let found = MirroredFields::of(&fields(&given)).revision(&ping);
        assert_eq!(found.map_err(|failure| failure.code(Revision::July2026)), wanted, "{field:?}");
    }
    let mut unknown = request("tools/list", json!({}));
    unknown.params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let given = fields(&[("mcp-protocol-version", "2099-01-01"), ("mcp-method", "tools/list")]);
    let failure = MirroredFields::of(&given).revision(&unknown).expect_err("the revision isn't served");
    assert_eq!(failure.code(Revision::July2026), -32022);
    assert_eq!(failure.data.unwrap()["requested"], "2099-01-01");
}
