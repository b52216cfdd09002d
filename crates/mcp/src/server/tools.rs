//! `tools/list` and `tools/call`.

use posthouse_call::authorize;
use posthouse_domain::{ErrorCode, Refusal, text::closest};
use serde_json::{Map, Value, json};

use super::McpServer;
use crate::client::Client;
use crate::fence;
use crate::invoke::Invoker;
use crate::protocol::{Failure, FailureKind};
use crate::tool::{GivenArguments, Presentation, Profile, Tool, decode, renamed};
use crate::views::{ViewOptions, message};

impl McpServer {
    /// Lists the tools of the profile that the permissions of the caller allow.
    pub(super) fn list_tools(&self, client: &Client<'_>) -> Vec<Value> {
        let listed = self.tools.iter().filter(|listed| listed.tool.is_in(client.profile));
        let usable = listed.filter(|listed| self.may_use(client, &listed.tool));
        usable.map(|listed| listed.entry.clone()).collect()
    }

    /// Returns a tool by its name, whatever the profile.
    pub(super) fn any_tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().map(|listed| &listed.tool).find(|tool| tool.name == name)
    }

    fn may_use(&self, client: &Client<'_>, tool: &Tool) -> bool {
        let may = |name| self.operations.get(name).is_some_and(|one| authorize(&client.caller.caller, one).is_ok());
        tool.calls.iter().any(|call| may(call.operation))
    }

    /// Returns a tool of the profile.
    ///
    /// # Errors
    /// Returns `InvalidParams` if the profile has no such tool.
    pub(super) fn tool(&self, name: &str, profile: Profile) -> Result<&Tool, Failure> {
        let unknown = |message: String| Failure::new(FailureKind::InvalidParams, message);
        match self.any_tool(name) {
            Some(tool) if tool.is_in(profile) => Ok(tool),
            Some(tool) => {
                let wanted = tool.profiles.first().copied().unwrap_or(Profile::All);
                Err(unknown(format!(
                    "The profile `{}` has no tool `{name}`. Connect with `?profile={}`.",
                    profile.text(),
                    wanted.text()
                )))
            }
            None => {
                let names = self.tools.iter().map(|listed| listed.tool.name);
                let near = closest(name, names).map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
                Err(unknown(format!("There is no tool `{name}`.{near}")))
            }
        }
    }
}

/// Calls a tool.
pub(super) async fn call(invoker: &Invoker<'_>, tool: &Tool, arguments: &Map<String, Value>) -> Value {
    match called(invoker, tool, arguments).await {
        Ok(result) => shown(invoker, tool, result, arguments),
        Err(refusal) => failed(&refusal),
    }
}

/// Calls the operations of a tool, and returns their result.
///
/// # Errors
/// Returns the refusal, with the names of the tool's arguments.
pub(super) async fn called(invoker: &Invoker<'_>, tool: &Tool, given: &Map<String, Value>) -> Result<Value, Refusal> {
    let call = tool.call_for(given);
    let added = match tool.before {
        Some(before) => before(invoker, given).await?,
        None => Map::new(),
    };
    let decoded = decode(tool, call, GivenArguments { client: given, added: &added });
    let called = invoker.call(call.operation, decoded.arguments, decoded.problems).await;
    let result = called.map_err(|refusal| renamed(call, refusal))?;
    match tool.after {
        Some(after) => after(invoker, result).await,
        None => Ok(result),
    }
}

/// Returns what the client asked to see. The values were checked.
fn options(given: &Map<String, Value>) -> ViewOptions {
    let number = |name: &str| given.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    let flag = |name: &str| given.get(name).and_then(Value::as_bool).unwrap_or_default();
    ViewOptions {
        max_chars: number("max_chars"),
        offset: number("offset").unwrap_or_default(),
        full_text: flag("include_full_text"),
        html: flag("include_html"),
    }
}

/// Returns the result of a tool as its client sees it.
pub(super) fn shown(invoker: &Invoker<'_>, tool: &Tool, result: Value, given: &Map<String, Value>) -> Value {
    match tool.presentation {
        Presentation::Own { view, .. } => {
            let value = view(result);
            let mut shown = content(&fence::pretty(&value));
            shown["structuredContent"] = value;
            shown
        }
        Presentation::Outside(view) => match view(&result, &options(given)) {
            Value::String(sentence) => content(&sentence),
            value => {
                let warnings = message::warnings(&result);
                content(&fence::fenced(invoker.service.clock.as_ref(), &value, &warnings))
            }
        },
    }
}

fn content(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": false })
}

/// Returns the result of a tool that was refused.
pub(super) fn failed(refusal: &Refusal) -> Value {
    let mut error = json!({
        "code": refusal.code.text(),
        "message": refusal.whole_message(),
        "status": refusal.code.status(),
        "hint": hint(refusal),
    });
    if !refusal.details.is_empty() {
        error["details"] = Value::Object(refusal.wire_details());
    }
    let text = fence::pretty(&json!({ "error": error }));
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}

/// Returns the next action. Models repeat what failed, so after a stop they are told not to; the command or route that ends it
/// is for people.
fn hint(refusal: &Refusal) -> &str {
    match refusal.code {
        ErrorCode::WorkspaceStopped => {
            "Don't try again: tell the user. Only an owner can end the stop, in the dashboard."
        }
        ErrorCode::InboxPaused => "Don't try again: tell the user. A person resumes the inbox, in the dashboard.",
        _ => refusal.fix.as_deref().unwrap_or(refusal.code.fix()),
    }
}
