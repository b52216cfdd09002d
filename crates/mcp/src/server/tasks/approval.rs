//! Drafts that are sent after a person approves them.

use std::borrow::Cow;

use posthouse_api::wire::Problems;
use posthouse_call::{Arguments, PathParams};
use posthouse_domain::{ErrorCode, Refusal};
use serde_json::{Map, Value, json};

use super::super::{
    resources,
    tools::{called, failed, shown},
};
use super::{Progress, created, handle::Handle};
use crate::invoke::Invoker;
use crate::protocol::Failure;
use crate::tool::Tool;

/// The tool that writes drafts.
pub(super) const TOOL: &str = "create_draft";
/// How often a client should look, in milliseconds. People take minutes.
pub(super) const POLL_MS: u64 = 30_000;

/// The argument that makes a task.
const FLAG: &str = "wait_for_approval";
/// How long a person has, in milliseconds: a week.
const LIFETIME_MS: i64 = 7 * 86_400_000;
/// What to do after a draft got its files over a link: its call is over, so no task can end with it.
const AFTER_FILES: &str =
    "The response has the id of the draft. Call get_draft with it to see what the person decided.";
const WAITING: &str = "The draft waits for a person, who approves it or sends it back in the dashboard.";

/// Tells the client that it may wait for the person.
pub(super) fn extend_schema(schema: &mut Value) {
    let description = "Makes a task that ends when a person has approved the draft or sent it back.";
    schema["properties"][FLAG] = json!({ "type": "boolean", "description": description });
}

/// Returns the arguments of the tool itself, and what a client does that waits for the person without a task.
pub(super) fn of_tool(arguments: &Map<String, Value>) -> (Cow<'_, Map<String, Value>>, Option<&'static str>) {
    let Some(waits) = arguments.get(FLAG).and_then(Value::as_bool) else { return (Cow::Borrowed(arguments), None) };
    let mut own = arguments.clone();
    own.remove(FLAG);
    (Cow::Owned(own), waits.then_some(AFTER_FILES))
}

/// Writes the draft, and makes a task for its approval if the client asked for it.
pub(super) async fn start(invoker: &Invoker<'_>, tool: &Tool, arguments: &Map<String, Value>) -> Option<Value> {
    let flag = arguments.get(FLAG)?.as_bool()?;
    let (arguments, _) = of_tool(arguments);
    Some(match called(invoker, tool, &arguments).await {
        Ok(draft) if flag && draft["send_at"].is_null() => {
            let of_draft = [("inbox_id", &draft["inbox_id"]), ("draft_id", &draft["id"])];
            let of_draft = of_draft.into_iter().map(|(name, id)| (name.to_owned(), id.clone())).collect();
            match Handle::new(invoker, TOOL, of_draft, LIFETIME_MS) {
                Ok(handle) => created(&handle, WAITING),
                Err(refusal) => failed(&refusal),
            }
        }
        Ok(draft) => shown(invoker, tool, draft, &arguments),
        Err(refusal) => failed(&refusal),
    })
}

/// Looks whether a person has decided.
pub(super) async fn progress(invoker: &Invoker<'_>, tool: &Tool, handle: &Handle) -> Result<Progress, Failure> {
    let draft = match of_draft(invoker, "getDraft", handle).await {
        Ok(draft) => draft,
        Err(refusal) => return Ok(Progress::Completed(failed(&refusal))),
    };
    let is_open = ["draft", "scheduled", "sending"].contains(&draft["status"].as_str().unwrap_or_default());
    if draft["status"] == "cancelled" {
        return Ok(Progress::Cancelled);
    }
    // A draft that nobody decided about in time is shown as it is: it still waits.
    let is_late = invoker.service.clock.now() >= handle.ends_at;
    if !is_open || is_late || !draft["sent_back"].is_null() {
        return Ok(Progress::Completed(shown(invoker, tool, draft, &Map::new())));
    }
    Ok(Progress::Working(WAITING))
}

/// Cancels the draft, so that nobody approves what the client no longer wants.
pub(super) async fn cancel(invoker: &Invoker<'_>, handle: &Handle) -> Result<Value, Failure> {
    match of_draft(invoker, "cancelDraft", handle).await {
        Ok(_) => Ok(json!({})),
        // It was decided before: the client hears of it when it looks.
        Err(refusal) if refusal.code.status() == 409 || refusal.code == ErrorCode::NotFound => Ok(json!({})),
        Err(refusal) => Err(resources::failure(&refusal)),
    }
}

async fn of_draft(invoker: &Invoker<'_>, operation: &str, handle: &Handle) -> Result<Value, Refusal> {
    let text = |name: &str| handle.arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let path = PathParams::of([("id", text("inbox_id")), ("draft_id", text("draft_id"))].into_iter());
    invoker.call(operation, Arguments { path, ..Arguments::default() }, Problems::default()).await
}
