//! Tools that send messages before their result: logs, progress, and requests to the client (revisions with a handshake).

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use posthouse_mcp::{Request, Revision};
use serde_json::{Map, Value, json};
use tokio::{sync::oneshot, time::timeout};

use crate::{content::said, fixtures::text};

/// How long a client may take to answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// The requests, by their ids, and how many there were.
#[derive(Default)]
struct Waiting {
    senders: HashMap<String, oneshot::Sender<Value>>,
    count: u64,
}

/// Requests to clients that aren't answered yet.
#[derive(Default)]
pub(crate) struct Questions {
    waiting: Mutex<Waiting>,
}

impl Questions {
    /// Calls a tool that sends messages; `None` for another one.
    pub(crate) fn stream(&self, request: &Request, revision: Revision) -> Option<BoxStream<'static, String>> {
        let is_stateless = revision.is_stateless();
        let messages = match text(request, "name") {
            "test_tool_with_progress" => progress(request),
            "test_tool_with_logging" if is_stateless => Vec::new(),
            "test_tool_with_logging" => logs(),
            name if !is_stateless => return self.ask(request, name),
            _ => return None,
        };
        let last = response(&request.id, said("Done."), is_stateless);
        Some(stream::iter(messages.into_iter().chain([last])).boxed())
    }

    /// Asks the client and returns its answer as the result.
    fn ask(&self, request: &Request, tool: &str) -> Option<BoxStream<'static, String>> {
        let (method, params) = question(request, tool)?;
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.count += 1;
        let (id, asked_by) = (format!("question-{}", waiting.count), request.id.clone());
        waiting.senders.retain(|_, sender| !sender.is_closed());
        waiting.senders.insert(id.clone(), sender);
        let question = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        let answered = async move {
            let result = match timeout(ANSWER_WITHIN, receiver).await {
                Ok(Ok(answer)) => said(&format!("The client answered: {answer}")),
                _ => said("The client didn't answer."),
            };
            response(&asked_by, result, false)
        };
        Some(stream::iter([question]).chain(stream::once(answered)).boxed())
    }

    /// Takes the answer of a client. Returns whether somebody waits for it.
    pub(crate) fn receive(&self, response: &Map<String, Value>) -> bool {
        let id = response.get("id").and_then(Value::as_str).unwrap_or_default();
        let sender = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).senders.remove(id);
        let answer = response.get("result").or_else(|| response.get("error")).cloned().unwrap_or_default();
        sender.is_some_and(|sender| sender.send(answer).is_ok())
    }
}

fn response(id: &Value, mut result: Value, is_stateless: bool) -> String {
    if is_stateless {
        result["resultType"] = json!("complete");
    }
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

fn logs() -> Vec<String> {
    let log = |words: &&str| notification("notifications/message", &json!({ "level": "info", "data": words }));
    ["Tool execution started", "Tool processing data", "Tool execution completed"].iter().map(log).collect()
}

fn progress(request: &Request) -> Vec<String> {
    let token = request.params.get("_meta").map(|meta| meta["progressToken"].clone()).unwrap_or_default();
    if token.is_null() {
        return Vec::new();
    }
    let step = |percent| {
        let params = json!({ "progressToken": token, "progress": percent, "total": 100 });
        notification("notifications/progress", &params)
    };
    [0, 50, 100].into_iter().map(step).collect()
}

/// Returns the method and the parameters of what a tool asks.
fn question(request: &Request, tool: &str) -> Option<(&'static str, Value)> {
    let argument = |name: &str| request.params.get("arguments").map(|given| given[name].clone()).unwrap_or_default();
    let form = |message: Value, properties: Value, required: &[&str]| {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        ("elicitation/create", json!({ "message": message, "requestedSchema": schema }))
    };
    let words = json!({ "type": "string" });
    Some(match tool {
        "test_sampling" => {
            let message = json!({ "role": "user", "content": { "type": "text", "text": argument("prompt") } });
            ("sampling/createMessage", json!({ "messages": [message], "maxTokens": 100 }))
        }
        "test_elicitation" => {
            form(argument("message"), json!({ "username": words, "email": words }), &["username", "email"])
        }
        "test_elicitation_sep1034_defaults" => form(json!("Please check the defaults."), defaults(), &[]),
        "test_elicitation_sep1330_enums" => form(json!("Please choose."), choices(), &[]),
        _ => return None,
    })
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    })
}
