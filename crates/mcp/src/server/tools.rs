//! `tools/list` and `tools/call`.

use posthouse_call::authorize;
use posthouse_domain::{ErrorCode, Refusal, text::closest};
use serde_json::{Map, Value, json};

use super::{ListedTool, McpServer};
use crate::client::Client;
use crate::fence;
use crate::guidance::UsableTools;
use crate::invoke::Invoker;
use crate::protocol::{Failure, FailureKind, Revision};
use crate::tool::{GivenArguments, Presentation, Profile, Tool, decode, renamed};
use crate::views::{ViewOptions, message};

impl McpServer {
    /// Lists the tools of the profile that the permissions of the caller allow.
    pub(super) fn list_tools(&self, client: &Client<'_>) -> Vec<Value> {
        self.usable(client).map(|listed| listed.entry.clone()).collect()
    }

    fn usable<'a>(&'a self, client: &'a Client<'_>) -> impl Iterator<Item = &'a ListedTool> {
        let listed = self.tools.iter().filter(|listed| listed.tool.is_in(client.profile));
        listed.filter(|listed| self.may_use(client, &listed.tool))
    }

    /// Returns the names of the tools, and of those that a client can use.
    pub(super) fn usable_tools(&self, client: &Client<'_>) -> UsableTools<'_> {
        let all = self.tools.iter().map(|listed| listed.tool.name).collect();
        UsableTools { all, usable: self.usable(client).map(|listed| listed.tool.name).collect() }
    }

    /// Returns a tool by its name, whatever the profile.
    fn any_tool(&self, name: &str) -> Option<&Tool> {
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
                let fix = format!("Connect with `?profile={}`.", wanted.text());
                let message = format!("The profile `{}` has no tool `{name}`.", profile.text());
                Err(unknown(message).with_fix(fix))
            }
            None => {
                let names = self.tools.iter().map(|listed| listed.tool.name);
                let near = closest(name, names).map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
                Err(unknown(format!("No tool is named `{name}`.{near}")).with_fix("Use a tool of `tools/list`."))
            }
        }
    }
}

/// The argument that asks for a URL of each file.
const DOWNLOAD_URLS: &str = "include_download_urls";

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
        Some(after) => after(invoker, result, given).await,
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
        download_urls: flag(DOWNLOAD_URLS),
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
        Presentation::Outside(view) => {
            let options = options(given);
            match view(&result, &options) {
                Value::String(sentence) => content(&sentence),
                value => {
                    let warnings = message::warnings(&result);
                    let mut shown = content(&fence::fenced(invoker.service.clock.as_ref(), &value, &warnings));
                    if let Some(parts) = shown["content"].as_array_mut().filter(|_| options.download_urls) {
                        parts.extend(resource_links(invoker, &result));
                    }
                    shown
                }
            }
        }
    }
}

/// Returns a part for each file of a message, for clients that know such parts. Their names come from us: no text of a
/// stranger is outside of the fence.
fn resource_links(invoker: &Invoker<'_>, message: &Value) -> Vec<Value> {
    if invoker.revision < Revision::June2025 {
        return Vec::new();
    }
    let id = message["id"].as_str().unwrap_or_default();
    let files = message["attachments"].as_array().map(Vec::as_slice).unwrap_or_default();
    let part = |(number, file): (usize, &Value)| {
        let file_id = file["id"].as_str().unwrap_or_default();
        let uri = format!("attachment://{id}/{file_id}");
        let mut part = json!({ "type": "resource_link", "uri": uri, "name": format!("attachment-{number}") });
        part["size"] = file["size_bytes"].clone();
        if let Some(kind) = file["content_type"].as_str().filter(|kind| is_media_type(kind)) {
            part["mimeType"] = json!(kind);
        }
        part
    };
    (1..).zip(files).map(part).collect()
}

/// Returns whether a text is a media type without parameters.
fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        (1..=64).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-'))
    };
    text.split_once('/').is_some_and(|(kind, sub)| is_token(kind) && is_token(sub))
}

pub(super) fn content(text: &str) -> Value {
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
