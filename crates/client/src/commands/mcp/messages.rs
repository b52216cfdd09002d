//! Messages of the bridge: which ones it reads, and those that it answers itself.

use std::io::Write;

use serde_json::{Value, json};

use crate::error::ClientError;

/// The problem of a longer line, and what to do.
pub(super) const TOO_LARGE: &str = "the message is larger than 64 MiB; attach large files by their path";
/// The problem of another line, and what to do.
pub(super) const NOT_JSON: &str = "the line is not JSON; write each message as JSON in one line";
/// The problem of a batch before the sign-up, and what to do.
pub(super) const BATCH_WITHOUT_KEY: &str =
    "there is no API key, so batches are not answered; send one message in each line";

/// Returns the problem of a value that is no message of JSON-RPC 2.0, and what to do. Its answer has no id, as over HTTP.
pub(super) fn invalid_message(message: &Value) -> Option<&'static str> {
    let Value::Object(members) = message else {
        let text = "the message must be a JSON object; write each message as an object in one line";
        return (!message.is_array()).then_some(text);
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("the message must have \"jsonrpc\": \"2.0\"; add it");
    }
    let is_answer = members.contains_key("result") || members.contains_key("error");
    if members.get("method").map_or(!is_answer, |method| !method.is_string()) {
        return Some("the message must name its method as a string; add it");
    }
    if members.get("params").is_some_and(|params| !params.is_object() && !params.is_null()) {
        return Some("the message must have an object as params; correct it");
    }
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    if !is_answer && members.get("id").is_some_and(|id| !is_id(id)) {
        return Some("the message must have a string or an integer as id; correct it");
    }
    None
}

/// Returns the id of a request, or `None` for a notification or the answer to a request of the server.
pub(super) fn request_id(message: &Value) -> Option<&Value> {
    message.get("id").filter(|_| message.get("result").is_none() && message.get("error").is_none())
}

/// Names the option of `posthouse mcp` in an error, in place of the parameter of the endpoint, which its client doesn't see.
pub(super) fn name_the_option(error: &mut Value) {
    for place in ["/message", "/data/fix"] {
        if let Some(Value::String(text)) = error.pointer_mut(place) {
            *text = text.replace("Connect with `?profile=", "Start `posthouse mcp` with `--profile-tools ");
        }
    }
}

/// Returns what the client gets of an answer. An error without an id belongs to what was asked: it gets the id of a
/// request, and a notification has no answer. A batch has no id of its own.
pub(super) fn addressed(mut answer: Value, asked: &Value) -> Option<Value> {
    let is_unaddressed = answer["error"].is_object() && answer["id"].is_null();
    if is_unaddressed && !asked.is_array() {
        answer["id"] = request_id(asked)?.clone();
    }
    Some(answer)
}

/// Returns an error of the bridge. The text has the problem and, after a semicolon, what to do.
pub(super) fn error_message(id: &Value, code: i32, text: &str) -> Value {
    error_of(id, code, &ClientError::Failed(text.to_owned()))
}

/// Returns the answer to a request that failed here. As those of the server, it has the next step in `data.fix`.
pub(super) fn error_of(id: &Value, code: i32, error: &ClientError) -> Value {
    let (problem, fix) = error.problem_and_fix();
    let error = json!({ "code": code, "message": format!("{problem}. {fix}"), "data": { "fix": fix } });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

pub(super) fn tool_error(id: &Value, code: &str, error: &ClientError) -> Value {
    let (problem, fix) = error.problem_and_fix();
    tool_result(id, &json!({ "error": { "code": code, "message": problem, "hint": fix } }), true)
}

/// Returns the result of a tool that failed here: with the error of the API, or with a code of the bridge.
pub(super) fn failed_tool(id: &Value, error: &ClientError) -> Value {
    let code = match error {
        ClientError::Api(error) => {
            let mut shown = json!({
                "code": error.code, "message": error.message, "status": error.status, "hint": error.fix
            });
            if error.body["details"].is_object() {
                shown["details"] = error.body["details"].clone();
            }
            return tool_result(id, &json!({ "error": shown }), true);
        }
        ClientError::Usage(_) => "invalid_input",
        ClientError::Unreachable(_) | ClientError::TimedOut(_) => "network_error",
        ClientError::Failed(_) | ClientError::OutputClosed => "internal_error",
    };
    tool_error(id, code, error)
}

pub(super) fn tool_result(id: &Value, shown: &Value, is_error: bool) -> Value {
    let content = json!([{ "type": "text", "text": format!("{shown:#}") }]);
    json!({ "jsonrpc": "2.0", "id": id, "result": { "resultType": "complete", "content": content, "isError": is_error } })
}

/// Writes one message as one line.
pub(super) fn write(message: &Value) -> Result<(), ClientError> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{message}").and_then(|()| out.flush()).map_err(|_| ClientError::OutputClosed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_option_of_the_command() {
        let hint = "The profile `read` has no tool `send_email`. Connect with `?profile=reply`.";
        let mut error = json!({ "message": hint, "data": { "fix": "Connect with `?profile=reply`." } });
        name_the_option(&mut error);
        assert_eq!(error["data"]["fix"], "Start `posthouse mcp` with `--profile-tools reply`.");
        assert!(!error.to_string().contains("?profile"), "{error}");
    }

    #[test]
    fn errors_of_the_bridge_have_a_next_step() {
        let unreachable = ClientError::Unreachable("cannot reach http://x; start the server".to_owned());
        let all = [
            error_message(&Value::Null, -32700, NOT_JSON),
            error_message(&Value::Null, -32600, TOO_LARGE),
            error_of(&json!(1), -32000, &unreachable),
            error_of(&json!(1), -32000, &ClientError::Failed("the answer is no message".to_owned())),
        ];
        for answer in all {
            let error = &answer["error"];
            let fix = error["data"]["fix"].as_str().unwrap();
            assert!(fix.ends_with('.') && error["message"].as_str().unwrap().ends_with(fix), "{answer}");
        }
        let failed = failed_tool(&json!(1), &unreachable);
        let shown: Value = serde_json::from_str(failed["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        let wanted =
            json!({ "code": "network_error", "message": "cannot reach http://x", "hint": "Start the server." });
        assert_eq!(shown["error"], wanted);
    }

    /// Each value that is no message gets an answer without an id; each message is passed on.
    #[test]
    fn a_value_that_is_no_message_is_refused() {
        let refused = [
            json!(5),
            json!(-1.5),
            json!("x"),
            json!(""),
            Value::Null,
            json!(true),
            json!(false),
            json!({}),
            json!({ "id": 1 }),
            json!({ "method": "ping", "id": 1 }),
            json!({ "jsonrpc": "1.0", "method": "ping", "id": 1 }),
            json!({ "jsonrpc": 2.0, "method": "ping", "id": 1 }),
            json!({ "jsonrpc": "2.0" }),
            json!({ "jsonrpc": "2.0", "id": 1 }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": 7 }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": null }),
            json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": {}, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": true, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [] }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x" }),
        ];
        for message in &refused {
            let problem = invalid_message(message).unwrap_or_else(|| panic!("{message} is no message"));
            let answer = error_message(&Value::Null, -32600, problem);
            assert!(answer["id"].is_null() && answer["error"]["code"] == -32600, "{answer}");
            assert_ne!(answer["error"]["message"], answer["error"]["data"]["fix"]);
        }
        for message in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": "a", "method": "ping", "params": {} }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized", "params": null }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
            json!({ "jsonrpc": "2.0", "id": null, "error": { "code": 1 } }),
            json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]),
        ] {
            assert_eq!(invalid_message(&message), None, "{message}");
        }
    }

    #[test]
    fn refusals_of_the_api_keep_their_details() {
        let details = json!({ "fields": [{ "path": "kind", "problem": "must be a string" }] });
        let body = json!({ "code": "invalid_request", "message": "2 fields are invalid.", "details": details });
        let refused = ClientError::Api(Box::new(crate::error::ApiError::of(400, &body, "")));
        let failed = failed_tool(&json!(1), &refused);
        let shown: Value = serde_json::from_str(failed["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(shown["error"]["details"], details);
    }

    #[test]
    fn errors_without_an_id_belong_to_their_request() {
        let refused = || error_message(&Value::Null, -32600, "no");
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call" });
        let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let reply = json!({ "jsonrpc": "2.0", "id": 7, "result": {} });
        assert_eq!(addressed(refused(), &call).unwrap()["id"], 7);
        assert_eq!(addressed(refused(), &notification), None);
        assert_eq!(addressed(refused(), &reply), None);
        assert_eq!(addressed(refused(), &json!([call])), Some(refused()));
        let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {} });
        for other in [progress, error_message(&json!(8), -32600, "no"), json!([refused()])] {
            assert_eq!(addressed(other.clone(), &call), Some(other));
        }
    }
}
