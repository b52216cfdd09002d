//! Requests that need input of the client before they have a result (SEP-2322, revision 2026-07-28).

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use posthouse_mcp::{Failure, FailureKind, Request};
use serde_json::{Value, json};

use crate::{
    content::said,
    fixtures::{declares, text},
};

/// States that the client brings back. Only one that was given out is accepted.
#[derive(Default)]
pub(crate) struct Rounds {
    states: Mutex<HashSet<String>>,
}

impl Rounds {
    /// Answers a request that needs input; `None` for another request.
    pub(crate) fn answer(&self, request: &Request) -> Option<Result<Value, Failure>> {
        let name = text(request, "name");
        if request.method == "prompts/get" {
            return (name == "test_input_required_result_prompt").then(|| Ok(prompt(request)));
        }
        Some(match name {
            "test_streaming_elicitation" | "test_input_required_result_elicitation" => Ok(greeting(request)),
            "test_input_required_result_sampling" => Ok(match input(request, "capital_question") {
                Some(answer) => said(answer["content"]["text"].as_str().unwrap_or_default()),
                None => asks(json!({ "capital_question": sampling("What is the capital of France?") }), None),
            }),
            "test_input_required_result_list_roots" => Ok(match input(request, "client_roots") {
                Some(answer) => said(&answer["roots"].to_string()),
                None => asks(json!({ "client_roots": roots() }), None),
            }),
            "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
                self.confirmed(request)
            }
            "test_input_required_result_multiple_inputs" => self.several(request),
            "test_input_required_result_multi_round" => self.steps(request),
            "test_input_required_result_capabilities" => Ok(answerable(request)),
            _ => return None,
        })
    }

    fn new_state(&self) -> Option<String> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let state = format!("state-{}", states.len());
        states.insert(state.clone());
        Some(state)
    }

    /// Checks the state that the client brings back.
    fn check(&self, request: &Request) -> Result<(), Failure> {
        let is_known =
            self.states.lock().unwrap_or_else(PoisonError::into_inner).contains(text(request, "requestState"));
        let refused = || Failure::new(FailureKind::InvalidParams, "`params.requestState` is not one of this server.");
        is_known.then_some(()).ok_or_else(refused)
    }

    fn confirmed(&self, request: &Request) -> Result<Value, Failure> {
        if input(request, "confirm").is_some() {
            return self.check(request).map(|()| said("state-ok"));
        }
        let question = elicitation("Please confirm", &json!({ "ok": { "type": "boolean" } }));
        Ok(asks(json!({ "confirm": question }), self.new_state()))
    }

    fn several(&self, request: &Request) -> Result<Value, Failure> {
        if ["user_name", "greeting", "client_roots"].iter().all(|name| input(request, name).is_some()) {
            return self.check(request).map(|()| said("All three are here."));
        }
        let requests = json!({
            "user_name": name_question("What is your name?"),
            "greeting": sampling("Generate a greeting"),
            "client_roots": roots(),
        });
        Ok(asks(requests, self.new_state()))
    }

    fn steps(&self, request: &Request) -> Result<Value, Failure> {
        if input(request, "step2").is_some() {
            return self.check(request).map(|()| said("Both steps are done."));
        }
        if input(request, "step1").is_some() {
            self.check(request)?;
            let color = json!({ "color": { "type": "string" } });
            let question = elicitation("Step 2: What is your favorite color?", &color);
            return Ok(asks(json!({ "step2": question }), self.new_state()));
        }
        Ok(asks(json!({ "step1": name_question("Step 1: What is your name?") }), self.new_state()))
    }
}

/// Returns what the client answered; `None` if that isn't an object.
fn input<'a>(request: &'a Request, name: &str) -> Option<&'a Value> {
    request.params.get("inputResponses")?.get(name).filter(|answer| answer.is_object())
}

fn asks(requests: Value, state: Option<String>) -> Value {
    let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    result
}

fn elicitation(message: &str, properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(|all| all.keys()).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

fn name_question(message: &str) -> Value {
    elicitation(message, &json!({ "name": { "type": "string" } }))
}

fn sampling(words: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": words } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 100 } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

fn greeting(request: &Request) -> Value {
    match input(request, "user_name").and_then(|answer| answer["content"]["name"].as_str()) {
        Some(name) => said(&format!("Hello, {name}!")),
        None => asks(json!({ "user_name": name_question("What is your name?") }), None),
    }
}

/// Asks only what the client says that it can answer.
fn answerable(request: &Request) -> Value {
    let mut requests = json!({});
    if declares(request, "sampling") {
        requests["thought"] = sampling("Say something.");
    }
    if declares(request, "elicitation") {
        requests["user_name"] = name_question("What is your name?");
    }
    asks(requests, None)
}

fn prompt(request: &Request) -> Value {
    let Some(answer) = input(request, "user_context") else {
        let context = json!({ "context": { "type": "string" } });
        return asks(json!({ "user_context": elicitation("What context should the prompt use?", &context) }), None);
    };
    let words = format!("Use this context: {}", answer["content"]["context"].as_str().unwrap_or_default());
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": words } }] })
}
