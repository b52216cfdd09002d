//! Where an id can stand in a request, read from the OpenAPI document.

use posthouse_server::http::route::Route;
use serde_json::Value;

use super::side::Side;

/// What an id is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum IdKind {
    Inbox,
    Message,
    Thread,
    Attachment,
    Draft,
    DraftFile,
    Contact,
    ContactAddress,
    SuppressedAddress,
    ListEntry,
    Webhook,
    WebhookDelivery,
    Domain,
    ForwardingAddress,
    Event,
    Lease,
    Cursor,
}

impl IdKind {
    /// Whether it is the workspace's, and not one inbox's.
    pub(super) const fn is_of_workspace(self) -> bool {
        matches!(
            self,
            Self::Contact
                | Self::ContactAddress
                | Self::SuppressedAddress
                | Self::Webhook
                | Self::WebhookDelivery
                | Self::Domain
        )
    }
}

/// A place for an id in the requests of a route: `path:id`, `query:inbox_id`, `body:/ids[]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) kind: IdKind,
    /// Whether the path has other ids.
    has_others: bool,
}

impl Place {
    /// Whose the other ids of the path are: mine, and in another request the victim's.
    pub(super) fn others<'a>(&self, own: &'a Side, victim: &'a Side) -> Vec<&'a Side> {
        if self.has_others { vec![own, victim] } else { vec![own] }
    }
}

/// Places whose name looks like an id's, and why nobody's id can stand there.
pub(super) const EXEMPT: [(&str, &str, &str); 7] = [
    ("createInbox", "body:/client_id", "the caller's own name for an inbox, which is known in his workspace alone"),
    ("getAcmeChallenge", "path:token", "answers a certificate authority, for everybody"),
    ("showForwardingConfirmation", "path:token", "a secret of its own, which needs no key"),
    ("confirmForwarding", "path:token", "a secret of its own, which needs no key"),
    ("openStream", "query:token", "a secret of its own, which stands for a key"),
    ("listThreads", "query:after", "a time"),
    ("listInboxThreads", "query:after", "a time"),
];

/// Every place of a route.
///
/// # Panics
/// Where a place has neither a kind nor an exemption.
pub(super) fn places(document: &Value, route: &Route) -> Vec<Place> {
    let in_path = route.path.matches('{').count();
    let kind_of = |name: String| {
        if EXEMPT.iter().any(|exempt| (exempt.0, exempt.1) == (route.name, name.as_str())) {
            return None;
        }
        let kind = kind(route, &name);
        let kind = kind.unwrap_or_else(|| panic!("{} of {} needs a kind of id, or an exemption", name, route.name));
        let has_others = in_path > usize::from(name.starts_with("path:")) && name.starts_with("path:");
        Some(Place { name, kind, has_others })
    };
    names(document, route).into_iter().filter_map(kind_of).collect()
}

/// Whether the document has what the exemption is about.
pub(super) fn is_there(document: &Value, (route, name, _): &(&str, &str, &str)) -> bool {
    let found = posthouse_server::http::routes::all().into_iter().find(|other| other.name == *route);
    found.is_some_and(|found| names(document, &found).iter().any(|other| other == name))
}

fn names(document: &Value, route: &Route) -> Vec<String> {
    let operation = &document["paths"][route.path][route.method.as_str().to_ascii_lowercase()];
    assert_eq!(operation["operationId"], route.name, "the document has every route");
    let mut names = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let (place, name) = (parameter["in"].as_str().unwrap(), parameter["name"].as_str().unwrap());
        if place == "path" || (place == "query" && (is_id(name) || has_uuid(&parameter["schema"]))) {
            names.push(format!("{place}:{name}"));
        }
    }
    for (_, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        walk(document, &content["schema"], &mut ("body:".to_owned(), &mut names), &mut Vec::new());
    }
    names.sort();
    names.dedup();
    // A list of ids is one place, and its items are.
    let items: Vec<String> = names.iter().filter_map(|name| name.strip_suffix("[]").map(str::to_owned)).collect();
    names.retain(|name| !items.contains(name));
    names
}

/// Whether a member of that name holds an id.
fn is_id(name: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or(name);
    matches!(last, "id" | "ids" | "token" | "lease")
        || matches!(name, "cursor" | "after" | "in_reply_to" | "references")
}

fn has_uuid(schema: &Value) -> bool {
    schema.to_string().contains(r#""format":"uuid""#)
}

/// Collects the places below a schema; `open` are the shared schemas that it is inside of.
fn walk<'a>(document: &'a Value, schema: &'a Value, found: &mut (String, &mut Vec<String>), open: &mut Vec<&'a str>) {
    if let Some(reference) = schema["$ref"].as_str() {
        if !open.contains(&reference) {
            open.push(reference);
            let target =
                document.pointer(reference.trim_start_matches('#')).expect("the document has what it refers to");
            walk(document, target, found, open);
            open.pop();
        }
        return;
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        for one in schema[choice].as_array().into_iter().flatten() {
            walk(document, one, found, open);
        }
    }
    if schema["format"] == "uuid" {
        found.1.push(found.0.clone());
    }
    let path = found.0.clone();
    if schema["items"].is_object() {
        found.0 = format!("{path}[]");
        walk(document, &schema["items"], found, open);
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        found.0 = format!("{path}/{name}");
        if is_id(name) {
            found.1.push(found.0.clone());
        }
        walk(document, member, found, open);
    }
    found.0 = path;
}

/// What an id in that place is of.
pub(super) fn kind(route: &Route, place: &str) -> Option<IdKind> {
    let (part, name) = place.split_once(':')?;
    if part == "path" {
        let segments: Vec<&str> = route.path.split('/').collect();
        let at = segments.iter().position(|segment| *segment == format!("{{{name}}}"))?;
        return of_collection(segments[at - 1]);
    }
    let last = name.rsplit('/').next()?.trim_end_matches("[]");
    Some(match (route.name, last) {
        ("listEvents", "cursor" | "after") => IdKind::Event,
        (_, "cursor") => IdKind::Cursor,
        (_, "inbox_id" | "inbox_ids") => IdKind::Inbox,
        (_, "thread_id") => IdKind::Thread,
        (_, "reply_to_message_id") => IdKind::Message,
        (_, "lease_id") => IdKind::Lease,
        ("batchGetMessages" | "batchUpdateMessages", "ids") => IdKind::Message,
        ("updateDraft", "id") => IdKind::DraftFile,
        _ => return None,
    })
}

fn of_collection(name: &str) -> Option<IdKind> {
    Some(match name {
        "inboxes" => IdKind::Inbox,
        "messages" => IdKind::Message,
        "threads" => IdKind::Thread,
        "attachments" => IdKind::Attachment,
        "drafts" => IdKind::Draft,
        "contacts" => IdKind::Contact,
        "by-address" => IdKind::ContactAddress,
        "suppressions" => IdKind::SuppressedAddress,
        "lists" => IdKind::ListEntry,
        "webhooks" => IdKind::Webhook,
        "deliveries" => IdKind::WebhookDelivery,
        "domains" => IdKind::Domain,
        "forwarding" => IdKind::ForwardingAddress,
        _ => return None,
    })
}
