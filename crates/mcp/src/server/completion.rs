//! Completion of arguments that name an inbox, by its address.

use posthouse_api::wire::Problems;
use posthouse_call::Arguments;
use posthouse_domain::ErrorCode;
use serde_json::{Value, json};

use super::{prompts, resources};
use crate::invoke::Invoker;
use crate::protocol::{Failure, FailureKind, Request};

/// Largest number of suggestions, which the protocol fixes.
const VALUES_MAX: usize = 100;
/// Largest number of pages of inboxes that are searched, of 100 inboxes each.
const PAGES_MAX: usize = 10;

/// Completes an argument.
pub(super) async fn complete(invoker: &Invoker<'_>, request: &Request) -> Result<Value, Failure> {
    check_reference(request)?;
    let argument = request.object("argument")?;
    let name = argument.get("name").and_then(Value::as_str).unwrap_or_default();
    let typed = argument.get("value").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let member = match name {
        "inbox" => "address",
        "inbox_id" => "id",
        _ => return Ok(completion(&[])),
    };
    let mut values = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES_MAX {
        let page = page(invoker, cursor.take()).await?;
        for inbox in page["data"].as_array().into_iter().flatten() {
            let text = |name: &str| inbox[name].as_str().unwrap_or_default().to_owned();
            if text("address").contains(&typed) || text("id").starts_with(&typed) {
                values.push((!text("address").starts_with(&typed), text(member)));
            }
        }
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    // Addresses that begin as typed go first.
    values.sort_by_key(|(is_inside, _)| *is_inside);
    let values: Vec<String> = values.into_iter().map(|(_, value)| value).collect();
    Ok(completion(&values))
}

async fn page(invoker: &Invoker<'_>, cursor: Option<String>) -> Result<Value, Failure> {
    let cursor = cursor.map_or(String::new(), |cursor| format!("&cursor={cursor}"));
    let query = format!("limit=100&include_temporary=true{cursor}");
    let arguments = Arguments { query: Some(query), ..Arguments::default() };
    match invoker.call("listInboxes", arguments, Problems::default()).await {
        Ok(page) => Ok(page),
        Err(refusal) if refusal.code == ErrorCode::InsufficientPermissions => Ok(json!({ "data": [] })),
        Err(refusal) => Err(resources::failure(&refusal)),
    }
}

fn completion(values: &[String]) -> Value {
    let shown = &values[..values.len().min(VALUES_MAX)];
    json!({ "completion": { "values": shown, "total": values.len(), "hasMore": values.len() > VALUES_MAX } })
}

/// Checks that the reference names a prompt or a resource.
fn check_reference(request: &Request) -> Result<(), Failure> {
    let invalid = |message: &str| Err(Failure::new(FailureKind::InvalidParams, message));
    let reference = request.object("ref")?;
    let text = |name: &str| reference.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "ref/prompt" if prompts::exists(text("name")) => Ok(()),
        "ref/prompt" => invalid("`params.ref.name` must name a prompt of `prompts/list`."),
        "ref/resource" if !text("uri").is_empty() => Ok(()),
        "ref/resource" => invalid("`params.ref.uri` is required."),
        _ => invalid("`params.ref.type` must be `ref/prompt` or `ref/resource`."),
    }
}
