//! Tasks: calls of tools that end later (the extension `io.modelcontextprotocol/tasks`, SEP-2663).
//!
//! Two things take long here: a message that hasn't come, and a person who hasn't decided. Nothing is stored for either,
//! except that a wait was cancelled. The id of a task holds what it waits for and a code, and each `tasks/get` looks whether
//! it has happened, with the permissions of its caller. So a task survives a restart, ends with the rights of its client, and
//! needs no limit of its own.

mod approval;
mod handle;
mod wait;

use std::borrow::Cow;

use posthouse_domain::Time;
use serde_json::{Map, Value, json};

use super::resources;
use crate::invoke::Invoker;
use crate::protocol::{Failure, FailureKind, Request};
use crate::tool::Tool;

use handle::Handle;

/// The name of the extension.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// What a task has come to.
enum Progress {
    /// It goes on.
    Working(&'static str),
    /// It ended with the result of the tool.
    Completed(Value),
    /// Somebody cancelled what it waited for.
    Cancelled,
}

/// Returns whether the client of a request knows tasks. Each request of a stateless revision says it again.
pub(super) fn are_known_to(request: &Request) -> bool {
    request.capability(EXTENSION).is_some()
}

/// Adds to the entry of a tool what it can do for a client that knows tasks.
pub(super) fn extend_entry(entry: &mut Value) {
    match entry["name"].as_str() {
        Some(name) if wait::TOOLS.contains(&name) => wait::extend_schema(&mut entry["inputSchema"]),
        Some(approval::TOOL) => approval::extend_schema(&mut entry["inputSchema"]),
        _ => {}
    }
}

/// Returns the arguments of a call without those that a client that knows tasks has on top, and how the call goes on after
/// it was made; `None` if it goes on as any other.
pub(super) fn of_tool<'a>(
    tool: &Tool,
    arguments: &'a Map<String, Value>,
) -> (Cow<'a, Map<String, Value>>, Option<&'static str>) {
    if tool.name == approval::TOOL { approval::of_tool(arguments) } else { (Cow::Borrowed(arguments), None) }
}

/// Calls a tool that may become a task; `None` for any other call.
pub(super) async fn start(invoker: &Invoker<'_>, tool: &Tool, arguments: &Map<String, Value>) -> Option<Value> {
    match tool.name {
        name if wait::TOOLS.contains(&name) => wait::start(invoker, tool, arguments).await,
        approval::TOOL => approval::start(invoker, tool, arguments).await,
        _ => None,
    }
}

/// Answers `tasks/get`, `tasks/update` and `tasks/cancel`.
///
/// # Errors
/// Returns `MissingCapability` to a client that doesn't know tasks, `InvalidParams` for an id that no task has, and
/// `MethodNotFound` for another method.
pub(super) async fn answer<'a>(
    tool_named: impl Fn(&str) -> Option<&'a Tool>,
    invoker: &Invoker<'_>,
    request: &Request,
) -> Result<Value, Failure> {
    let method = request.method.as_str();
    if !["tasks/get", "tasks/update", "tasks/cancel"].contains(&method) {
        return Err(Failure::new(FailureKind::MethodNotFound, format!("Tasks have no method `{method}`.")));
    }
    if !are_known_to(request) {
        return Err(missing_capability());
    }
    let parsed = Handle::parse(invoker, request.text("taskId")?).map_err(|refusal| resources::failure(&refusal))?;
    let handle = parsed.ok_or_else(no_task)?;
    let tool = tool_named(&handle.tool).filter(|tool| can_start(tool.name)).ok_or_else(no_task)?;
    match method {
        "tasks/get" => Ok(shown(&handle, progress(invoker, tool, &handle).await?, invoker.service.clock.now())),
        "tasks/cancel" if tool.name == approval::TOOL => approval::cancel(invoker, &handle).await,
        "tasks/cancel" => wait::cancel(invoker, &handle).await,
        // No task asks its client for anything, so it has nothing to update.
        _ => Ok(json!({})),
    }
}

fn can_start(name: &str) -> bool {
    name == approval::TOOL || wait::TOOLS.contains(&name)
}

async fn progress(invoker: &Invoker<'_>, tool: &Tool, handle: &Handle) -> Result<Progress, Failure> {
    match handle.tool.as_str() {
        approval::TOOL => approval::progress(invoker, tool, handle).await,
        _ => wait::progress(invoker, tool, handle).await,
    }
}

/// Returns the result of a call that became a task.
fn created(handle: &Handle, message: &str) -> Value {
    let mut task = head(handle, handle.created_at, "working");
    task["resultType"] = json!("task");
    task["statusMessage"] = json!(message);
    task
}

fn shown(handle: &Handle, progress: Progress, now: Time) -> Value {
    match progress {
        Progress::Working(message) => {
            let mut task = head(handle, handle.created_at, "working");
            task["statusMessage"] = json!(message);
            task
        }
        Progress::Completed(result) => {
            let mut task = head(handle, now, "completed");
            task["result"] = result;
            task
        }
        Progress::Cancelled => head(handle, now, "cancelled"),
    }
}

fn head(handle: &Handle, updated_at: Time, status: &str) -> Value {
    json!({
        "taskId": handle.id,
        "status": status,
        "createdAt": handle.created_at.to_string(),
        "lastUpdatedAt": updated_at.to_string(),
        "ttlMs": handle.lifetime_ms(),
        "pollIntervalMs": if handle.tool == approval::TOOL { approval::POLL_MS } else { wait::POLL_MS },
    })
}

fn no_task() -> Failure {
    Failure::new(FailureKind::InvalidParams, "No task has this id.")
        .with_fix("Pass the `taskId` that the call returned, with the same workspace.")
}

fn missing_capability() -> Failure {
    let wanted = json!({ "requiredCapabilities": { "extensions": { (EXTENSION): {} } } });
    let message = format!("Tasks need a client that declares the extension `{EXTENSION}` in each request.");
    Failure::new(FailureKind::MissingCapability, message).with_data(wanted)
}
