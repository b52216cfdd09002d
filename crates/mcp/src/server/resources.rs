//! Resources: inboxes, messages and their parts, by URI.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use posthouse_api::wire::Problems;
use posthouse_call::{Arguments, PathParams};
use posthouse_domain::{ErrorCode, Refusal};
use serde_json::{Map, Value, json};

use crate::fence;
use crate::invoke::{Invoker, OperationTable};
use crate::protocol::{Failure, FailureKind, Request};
use crate::views::{ViewOptions, message, workspace};

/// Number of inboxes on a page.
const PAGE: u32 = 100;
/// Largest mail or file that is returned in full, in bytes.
const BLOB_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Longest text of a message, in characters: people read it, and clients choose what a model sees.
const TEXT_CHARS_MAX: usize = 200_000;

/// A family of resources.
struct ResourceFamily {
    template: &'static str,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    media_type: &'static str,
    operation: &'static str,
}

/// The families. `{…}` is one segment of the URI.
const FAMILIES: [ResourceFamily; 5] = [
    ResourceFamily {
        template: "inbox://{inbox_id}",
        name: "inbox",
        title: "Inbox",
        description: "An inbox: its address and state.",
        media_type: "application/json",
        operation: "getInbox",
    },
    ResourceFamily {
        template: "message://{message_id}",
        name: "message",
        title: "Message",
        description: "A message with its whole text. Untrusted.",
        media_type: "text/plain",
        operation: "getMessage",
    },
    ResourceFamily {
        template: "message://{message_id}/raw",
        name: "raw-message",
        title: "Raw message",
        description: "A message as it was received or sent (RFC 5322), up to 4 MiB. Untrusted.",
        media_type: "message/rfc822",
        operation: "getRawMessage",
    },
    ResourceFamily {
        template: "attachment://{message_id}/{attachment_id}",
        name: "attachment",
        title: "Attachment",
        description: "The file itself, up to 4 MiB. Untrusted.",
        media_type: "application/octet-stream",
        operation: "getAttachment",
    },
    ResourceFamily {
        template: "attachment://{message_id}/{attachment_id}/text",
        name: "attachment-text",
        title: "Text of an attachment",
        description: "The text of an attachment. Untrusted.",
        media_type: "text/plain",
        operation: "getAttachmentText",
    },
];

/// Lists the inboxes of the caller.
pub(super) async fn list(invoker: &Invoker<'_>, request: &Request) -> Result<Value, Failure> {
    let mut query = format!("limit={PAGE}&include_temporary=true");
    if let Some(cursor) = request.params.get("cursor").and_then(Value::as_str) {
        query.push_str("&cursor=");
        query.extend(utf8_percent_encode(cursor, NON_ALPHANUMERIC));
    }
    let arguments = Arguments { query: Some(query), ..Arguments::default() };
    let page = match invoker.call("listInboxes", arguments, Problems::default()).await {
        Ok(page) => page,
        // A key without the permission has no resources to list, but may read messages.
        Err(refusal) if refusal.code == ErrorCode::InsufficientPermissions => json!({ "data": [] }),
        Err(refusal) => return Err(failure(&refusal)),
    };
    let resource = |inbox: &Value| {
        let id = inbox["id"].as_str().unwrap_or_default();
        json!({
            "uri": format!("inbox://{id}"),
            "name": inbox["address"],
            "title": inbox["display_name"].as_str().or(inbox["address"].as_str()),
            "mimeType": "application/json",
        })
    };
    let inboxes = page["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut result = json!({ "resources": inboxes.iter().map(resource).collect::<Vec<_>>() });
    if page["next_cursor"].is_string() {
        result["nextCursor"] = page["next_cursor"].clone();
    }
    Ok(result)
}

/// Lists the templates of URIs whose operations exist.
pub(super) fn templates(operations: &OperationTable) -> Value {
    let known = FAMILIES.iter().filter(|family| operations.contains_key(family.operation));
    let template = |family: &ResourceFamily| {
        json!({
            "uriTemplate": family.template,
            "name": family.name,
            "title": family.title,
            "description": family.description,
            "mimeType": family.media_type,
        })
    };
    json!({ "resourceTemplates": known.map(template).collect::<Vec<_>>() })
}

/// Reads a resource.
pub(super) async fn read(invoker: &Invoker<'_>, request: &Request) -> Result<Value, Failure> {
    let uri = request.text("uri")?;
    let known = FAMILIES.iter().filter(|family| invoker.operations.contains_key(family.operation));
    let matched = known.into_iter().find_map(|family| Some((family, matched(family.template, uri)?)));
    let Some((family, values)) = matched else { return Err(not_found(uri)) };
    let content = match family.name {
        "raw-message" => blob(invoker, family, arguments(&values)).await,
        "attachment" => attachment(invoker, family, &values).await,
        _ => text(invoker, family, &values).await,
    };
    let mut content = content.map_err(|refusal| match refusal.code {
        ErrorCode::NotFound => not_found(uri),
        _ => failure(&refusal),
    })?;
    content.insert("uri".to_owned(), json!(uri));
    content.entry("mimeType").or_insert_with(|| json!(family.media_type));
    Ok(json!({ "contents": [content] }))
}

/// Returns the values of a template's variables in a URI.
fn matched<'a>(template: &'static str, uri: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    let (mut pattern, mut given) = (template.split('/'), uri.split('/'));
    let mut values = Vec::new();
    loop {
        match (pattern.next(), given.next()) {
            (None, None) => return Some(values),
            (Some(wanted), Some(found)) => match wanted.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) if !found.is_empty() => values.push((name, found)),
                None if wanted == found => {}
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// Returns the arguments for the variables of a URI: the id of the path is that of the first one.
fn arguments(values: &[(&'static str, &str)]) -> Arguments {
    let first = values.first().map(|(_, value)| ("id", *value));
    let all = first.into_iter().chain(values.iter().copied());
    Arguments { path: PathParams::of(all), ..Arguments::default() }
}

async fn text(
    invoker: &Invoker<'_>,
    family: &ResourceFamily,
    values: &[(&'static str, &str)],
) -> Result<Map<String, Value>, Refusal> {
    let result = invoker.call(family.operation, arguments(values), Problems::default()).await?;
    let clock = invoker.service.clock.as_ref();
    let text = match family.name {
        "inbox" => fence::pretty(&workspace::inbox(result)),
        "message" => {
            let options = ViewOptions { max_chars: Some(TEXT_CHARS_MAX), full_text: true, ..ViewOptions::default() };
            fence::fenced(clock, &message::one(&result, &options), &message::warnings(&result))
        }
        _ => fence::fenced_text(clock, result["text"].as_str().unwrap_or_default(), &[]),
    };
    Ok([("text".to_owned(), Value::String(text))].into_iter().collect())
}

/// Returns the bytes of a mail or a file, which no model reads as text.
async fn blob(
    invoker: &Invoker<'_>,
    family: &ResourceFamily,
    arguments: Arguments,
) -> Result<Map<String, Value>, Refusal> {
    let bytes = invoker.bytes(family.operation, arguments, Problems::default(), BLOB_BYTES_MAX).await?;
    let blob = BASE64_STANDARD.encode(bytes);
    Ok([("blob".to_owned(), Value::String(blob))].into_iter().collect())
}

/// Returns a file of a message, with its type.
async fn attachment(
    invoker: &Invoker<'_>,
    family: &ResourceFamily,
    values: &[(&'static str, &str)],
) -> Result<Map<String, Value>, Refusal> {
    let message = invoker.call("getMessage", arguments(values), Problems::default()).await?;
    let id = values.last().map_or("", |(_, value)| *value);
    let files = message["attachments"].as_array().map(Vec::as_slice).unwrap_or_default();
    let file = files.iter().find(|file| file["id"] == id).ok_or_else(|| Refusal::not_found("attachment"))?;
    let path = PathParams::of(std::iter::once(("id", id)));
    let mut content = blob(invoker, family, Arguments { path, ..Arguments::default() }).await?;
    content.insert("mimeType".to_owned(), file["content_type"].clone());
    Ok(content)
}

fn not_found(uri: &str) -> Failure {
    let message = "No such resource, or this key can't access it.";
    Failure::new(FailureKind::ResourceNotFound, message).with_data(json!({ "uri": uri }))
}

/// Returns the error of JSON-RPC for a refused call.
pub(super) fn failure(refusal: &Refusal) -> Failure {
    let kind = match refusal.code.status() {
        400 | 404 | 422 => FailureKind::InvalidParams,
        500.. => FailureKind::Internal,
        _ => FailureKind::Refused,
    };
    Failure::of(kind, refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_match_their_templates() {
        let table = [
            ("inbox://{inbox_id}", "inbox://1", Some(vec![("inbox_id", "1")])),
            ("message://{message_id}", "message://1/raw", None),
            ("message://{message_id}/raw", "message://1/raw", Some(vec![("message_id", "1")])),
            ("message://{message_id}/raw", "message:///raw", None),
            ("message://{message_id}", "inbox://1", None),
            (
                "attachment://{message_id}/{attachment_id}/text",
                "attachment://1/2/text",
                Some(vec![("message_id", "1"), ("attachment_id", "2")]),
            ),
        ];
        for (template, uri, wanted) in table {
            assert_eq!(matched(template, uri), wanted, "{template} {uri}");
        }
    }
}
