//! Steps of tools that need more than one operation.

use futures_util::{FutureExt as _, future::BoxFuture};
use posthouse_api::wire::Problems;
use posthouse_call::{Arguments, PathParams};
use posthouse_domain::{FileDirection, Refusal};
use serde_json::{Map, Value, json};

use crate::invoke::Invoker;
use crate::links;

/// The parts of a card that an update replaces together, and where the bundle of an agent has them.
const CAPABILITIES: [(&str, &str); 4] = [
    ("skills", "/card/skills"),
    ("accepts_types", "/card/accepts/types"),
    ("languages", "/card/accepts/languages"),
    ("input_modes", "/card/accepts/input_modes"),
];

fn with_id(id: &Value) -> Arguments {
    let id = id.as_str().unwrap_or_default();
    Arguments { path: PathParams::of(std::iter::once(("id", id))), ..Arguments::default() }
}

/// Adds the message that a code or link is from, for its labels.
pub(super) fn message_of_verification<'a>(
    invoker: &'a Invoker<'a>,
    mut result: Value,
    _: &'a Map<String, Value>,
) -> BoxFuture<'a, Result<Value, Refusal>> {
    async move {
        let id = result["data"]["message_id"].clone();
        if !id.is_null() {
            result["message"] = invoker.call("getMessage", with_id(&id), Problems::default()).await?;
        }
        Ok(result)
    }
    .boxed()
}

/// Adds a URL to each file of a message, if the client asked for them.
pub(super) fn download_urls<'a>(
    invoker: &'a Invoker<'a>,
    mut message: Value,
    given: &'a Map<String, Value>,
) -> BoxFuture<'a, Result<Value, Refusal>> {
    async move {
        let files = message["attachments"].as_array_mut().filter(|files| !files.is_empty());
        let Some(files) = files.filter(|_| given.get("include_download_urls") == Some(&Value::Bool(true))) else {
            return Ok(message);
        };
        let calls = files.iter().map(|file| links::download(file["id"].as_str().unwrap_or_default())).collect();
        let created = links::create(invoker, FileDirection::Download, calls).await?;
        for (file, link) in files.iter_mut().zip(created) {
            file["download_url"] = json!(link.url);
        }
        Ok(message)
    }
    .boxed()
}

/// Verifies the signature of a message, or explains why there is nothing to verify.
pub(super) fn verify_signature<'a>(
    invoker: &'a Invoker<'a>,
    message: Value,
    _: &'a Map<String, Value>,
) -> BoxFuture<'a, Result<Value, Refusal>> {
    async move {
        let agent = &message["agent"];
        let explanation = if message["direction"] == "outbound" {
            "You sent this message. Only received messages are signed."
        } else if agent.is_null() {
            "This is ordinary email: no agent signature. Its labels say whether the author is proven."
        } else if agent["signature"].is_null() {
            "The service didn't sign this copy, so nothing proves who sent it."
        } else {
            let body = json!({ "signature": agent["signature"] }).to_string();
            let arguments = Arguments { body: body.into(), ..Arguments::default() };
            let verification = invoker.call("verifyAgent", arguments, Problems::default()).await?;
            return Ok(json!({ "verification": verification }));
        };
        Ok(json!({ "explanation": explanation }))
    }
    .boxed()
}

/// Adds the capabilities of the present card that the client leaves out: an update replaces all of them.
pub(super) fn keep_capabilities<'a>(
    invoker: &'a Invoker<'a>,
    given: &'a Map<String, Value>,
) -> BoxFuture<'a, Result<Map<String, Value>, Refusal>> {
    async move {
        if !CAPABILITIES.iter().any(|(name, _)| given.contains_key(*name))
            || !given.get("inbox_id").is_some_and(Value::is_string)
        {
            return Ok(Map::new());
        }
        let bundle = invoker.call("getAgent", with_id(&given["inbox_id"]), Problems::default()).await?;
        let present = CAPABILITIES.iter().filter_map(|(name, place)| {
            let value = bundle.pointer(place).filter(|value| !value.is_null())?;
            Some(((*name).to_owned(), value.clone()))
        });
        Ok(present.collect())
    }
    .boxed()
}

/// Requires a change.
pub(super) fn one_change<'a>(
    _: &'a Invoker<'a>,
    given: &'a Map<String, Value>,
) -> BoxFuture<'a, Result<Map<String, Value>, Refusal>> {
    let changes = ["notes", "metadata", "add_labels", "remove_labels"];
    let result = if given.keys().all(|name| name == "contact_id") {
        let problem = format!("is required, unless `{}` is given", changes[1..].join("`, `"));
        Err(Refusal::invalid_field(changes[0], problem))
    } else {
        Ok(Map::new())
    };
    std::future::ready(result).boxed()
}
