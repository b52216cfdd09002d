//! Waits that are longer than a request may take.

use posthouse_app::messages::cancelled_waits;
use posthouse_domain::Refusal;
use serde_json::{Map, Value, json};

use super::super::{
    resources,
    tools::{called, failed, shown},
};
use super::{Progress, created, handle::Handle};
use crate::invoke::Invoker;
use crate::protocol::Failure;
use crate::tool::Tool;

/// The tools that wait for messages.
pub(super) const TOOLS: [&str; 2] = ["wait_for_email", "get_verification_code"];
/// How often a client should look, in milliseconds.
pub(super) const POLL_MS: u64 = 5_000;

/// The argument with the longest time, in seconds.
const TIMEOUT: &str = "timeout_seconds";
/// The longest time that a call waits itself, in seconds. A longer one makes a task.
const CALL_SECONDS_MAX: i64 = 60;
/// The longest time that a task waits, in seconds: a day.
const TASK_SECONDS_MAX: i64 = 86_400;
/// How long one look takes at most, in seconds: the shortest time that the operation has.
const LOOK_SECONDS: i64 = 1;
const WAITING: &str = "No matching message has arrived yet.";

/// Tells the client that it may wait longer.
pub(super) fn extend_schema(schema: &mut Value) {
    let argument = &mut schema["properties"][TIMEOUT];
    argument["maximum"] = json!(TASK_SECONDS_MAX);
    argument["description"] = json!("Longest time to wait in seconds. Default: 30. Over 60 makes a task.");
}

/// Looks once, and makes a task for the rest of a long wait.
pub(super) async fn start(invoker: &Invoker<'_>, tool: &Tool, arguments: &Map<String, Value>) -> Option<Value> {
    let seconds = arguments.get(TIMEOUT).and_then(Value::as_i64).filter(|seconds| *seconds > CALL_SECONDS_MAX)?;
    if seconds > TASK_SECONDS_MAX {
        // The operation would name the longest time of a call, and this client may wait longer.
        let problem = format!("must be at most {TASK_SECONDS_MAX}");
        return Some(failed(&Refusal::invalid_field(TIMEOUT, problem)));
    }
    let now = invoker.source.arrived_at;
    let mut arguments = arguments.clone();
    arguments.insert(TIMEOUT.to_owned(), json!(LOOK_SECONDS));
    if arguments.get("since").is_none_or(Value::is_null) {
        arguments.insert("since".to_owned(), json!(now.to_string()));
    }
    let handle = match Handle::new(invoker, tool.name, arguments, seconds * 1_000) {
        Ok(handle) => handle,
        Err(refusal) => return Some(failed(&refusal)),
    };
    Some(match look(invoker, tool, &handle.arguments).await {
        Some(result) => result,
        None if handle.fits() => created(&handle, WAITING),
        // Only a filter that no address or subject has makes it that long: the call itself names the problem.
        None => return None,
    })
}

/// Looks whether the message has come.
pub(super) async fn progress(invoker: &Invoker<'_>, tool: &Tool, handle: &Handle) -> Result<Progress, Failure> {
    let caller = invoker.caller.caller;
    let is_cancelled = cancelled_waits::is_cancelled(invoker.service, caller, &handle.id).await;
    if is_cancelled.map_err(|refusal| resources::failure(&refusal))? {
        return Ok(Progress::Cancelled);
    }
    if let Some(result) = look(invoker, tool, &handle.arguments).await {
        return Ok(Progress::Completed(result));
    }
    if invoker.service.clock.now() < handle.ends_at {
        return Ok(Progress::Working(WAITING));
    }
    Ok(Progress::Completed(shown(invoker, tool, json!({ "data": null }), &handle.arguments)))
}

/// Ends the task at once: from now on it is cancelled, also if a message comes.
pub(super) async fn cancel(invoker: &Invoker<'_>, handle: &Handle) -> Result<Value, Failure> {
    let caller = invoker.caller.caller;
    let cancelled = cancelled_waits::cancel(invoker.service, caller, &handle.id, handle.ends_at).await;
    cancelled.map(|()| json!({})).map_err(|refusal| resources::failure(&refusal))
}

/// Returns the result of the tool if a message is there or the call was refused.
async fn look(invoker: &Invoker<'_>, tool: &Tool, arguments: &Map<String, Value>) -> Option<Value> {
    match called(invoker, tool, arguments).await {
        Ok(result) if result["data"].is_null() => None,
        Ok(result) => Some(shown(invoker, tool, result, arguments)),
        Err(refusal) => Some(failed(&refusal)),
    }
}
