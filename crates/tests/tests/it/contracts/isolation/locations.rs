//! The locations of ids in a request, read from the OpenAPI description.

use posthouse_http::route::Route;
use serde_json::Value;

use super::tenant::Tenant;

/// What an id refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum IdKind {
    Inbox,
    Identity,
    Message,
    Thread,
    Attachment,
    Draft,
    DraftFile,
    Contact,
    ContactAddress,
    SuppressedAddress,
    ListEntry,
    Knowledge,
    Webhook,
    IdentityClient,
    /// A code that a browser shows; it belongs to no tenant.
    ApprovalCode,
    WebhookDelivery,
    Domain,
    ForwardingAddress,
    Event,
    Lease,
    Cursor,
}

impl IdKind {
    /// Returns whether it belongs to the workspace and not to one inbox.
    pub(super) const fn is_of_workspace(self) -> bool {
        matches!(
            self,
            Self::Contact
                | Self::ContactAddress
                | Self::SuppressedAddress
                | Self::Webhook
                | Self::IdentityClient
                | Self::WebhookDelivery
                | Self::Domain
        )
    }
}

/// The location of an id in the requests of a route: `path:id`, `query:inbox_id`, `body:/ids[]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct IdLocation {
    pub(super) name: String,
    pub(super) kind: IdKind,
    /// Whether the path has other ids.
    has_others: bool,
}

impl IdLocation {
    /// Returns the tenants whose ids fill the rest of the path: the caller, and in a second request the victim.
    pub(super) fn others<'a>(&self, own_tenant: &'a Tenant, victim: &'a Tenant) -> Vec<&'a Tenant> {
        if self.has_others { vec![own_tenant, victim] } else { vec![own_tenant] }
    }
}

/// Locations with a name like that of an id, and the reason why they hold no tenant's id.
const EXEMPT: &[(&str, &str, &str)] = &[
    ("retireAgentKey", "path:kid", "the thumbprint of a public key, looked up within its agent"),
    ("revokeAgentKey", "path:kid", "the thumbprint of a public key, looked up within its agent"),
    ("authorize", "query:client_id", "an app: agents of every workspace sign in to it"),
    ("authorizeByForm", "body:/client_id", "an app: agents of every workspace sign in to it"),
    ("exchangeToken", "body:/client_id", "an app, which authenticates with its secret or a code"),
    ("exchangeToken", "body:/subject_token", "a secret that needs no key"),
    ("createInbox", "body:/client_id", "the caller's own name for an inbox, unique within its workspace"),
    ("createIdentity", "body:/client_id", "the caller's own name for an identity, unique within its workspace"),
    ("createInbox", "body:/card/capabilities/skills[]/id", "the caller's own name for a skill, unique within its card"),
    ("createKnowledge", "body:/source_id", "the caller's own name for a source, unique in its scope"),
    ("getThreadDigest", "query:cursor", "a position in the thread of the path, which others can't name"),
    ("getKnowledgeVersion", "path:version", "a number of the document in the path"),
    ("getAttachmentPage", "path:page", "a number of the file in the path"),
    (
        "createIdentity",
        "body:/card/capabilities/skills[]/id",
        "the caller's own name for a skill, unique within its card",
    ),
    ("updateAgentCard", "body:/capabilities/skills[]/id", "the caller's own name for a skill, unique within its card"),
    ("listPublicAgents", "query:cursor", "public, for listed agents"),
    ("showDirectory", "query:cursor", "public, for listed agents"),
    ("getPublicAgent", "path:address", "public, for listed agents"),
    ("getPublicA2aCard", "path:address", "public, for listed agents"),
    ("getPublicAgentOasf", "path:address", "public, for listed agents"),
    ("getPublicAgentKeys", "path:address", "public, for listed agents"),
    ("getPublicAgentByHandle", "path:workspace", "public, for listed agents"),
    ("getPublicAgentByHandle", "path:agent", "public, for listed agents"),
    ("showAgent", "path:address", "public, for listed agents"),
    ("decideSignIn", "path:code", "a code of any browser; who sends it signs in as an agent of its own"),
    ("awaitSignIn", "path:secret", "a secret that needs no key"),
    ("showClaim", "path:token", "a secret that needs no key"),
    ("claimWorkspace", "path:token", "a secret that needs no key"),
    ("getAcmeChallenge", "path:token", "public, for the certificate authority"),
    ("showForwardingConfirmation", "path:token", "a secret that needs no key"),
    ("confirmForwarding", "path:token", "a secret that needs no key"),
    ("showOnCallConfirmation", "path:token", "a secret that needs no key"),
    ("confirmOnCall", "path:token", "a secret that needs no key"),
    ("downloadLinkedFile", "path:token", "a secret that replaces a key"),
    ("uploadLinkedFiles", "path:token", "a secret that replaces a key"),
    ("openStream", "query:token", "a secret that replaces a key"),
    ("signIn", "body:/token", "a secret that needs no key"),
    ("updateRule", "path:id", "no key opens the route; `routes/platform` tries other people"),
    ("deleteRule", "path:id", "no key opens the route; `routes/platform` tries other people"),
    ("createRule", "body:/inbox_id", "no key opens the route; `routes/platform` tries other people"),
    ("updateRule", "body:/inbox_id", "no key opens the route; `routes/platform` tries other people"),
    ("previewRule", "body:/inbox_id", "no key opens the route; `routes/platform` tries other people"),
    ("endSession", "path:id", "no key opens the route; `routes/platform` tries other people"),
    (
        "acceptInvitation",
        "path:id",
        "no key opens the route; `regressions/ignored_invitation_joined` tries other people",
    ),
    (
        "declineInvitation",
        "path:id",
        "no key opens the route; `regressions/ignored_invitation_joined` tries other people",
    ),
    ("listApiKeys", "query:cursor", "no key opens the route; a cursor is bound to its workspace"),
    ("revokeApiKey", "path:id", "no key opens the route; `routes/platform` tries other people"),
    ("createApiKey", "body:/inbox_id", "no key opens the route; `routes/platform` tries other people"),
    ("updateMember", "path:id", "no key opens the route; `routes/platform` tries other people"),
    ("listDeliveryAttempts", "query:cursor", "a position among the attempts of one message, whose id is tried"),
    ("switchWorkspace", "path:id", "no key opens the route; `routes/platform` tries other people"),
    ("listConnectors", "query:cursor", "no key opens the route; a cursor is bound to its workspace"),
    ("revokeConnector", "path:id", "no key opens the route; `routes/connectors` tries other people"),
    ("decideConnectorRequest", "body:/inbox_ids[]", "no key opens the route; `routes/connectors` tries other people"),
    ("authorizeConnector", "query:client_id", "a client of every workspace"),
    ("authorizeConnectorByForm", "body:/client_id", "a client of every workspace"),
    ("exchangeConnectorToken", "body:/client_id", "a client, which proves itself with a code or token"),
    ("exchangeConnectorToken", "body:/refresh_token", "a secret that needs no key"),
    ("revokeConnectorToken", "body:/client_id", "a client, which proves itself with a token"),
    ("revokeConnectorToken", "body:/token", "a secret that needs no key"),
    ("removeMember", "path:id", "no key opens the route; `routes/platform` tries other people"),
    ("listThreads", "query:after", "a time"),
    ("listInboxThreads", "query:after", "a time"),
];

/// Returns every location of a route.
///
/// # Panics
/// Panics if a location has neither a kind nor an exemption.
pub(super) fn locations(document: &Value, route: &Route) -> Vec<IdLocation> {
    let in_path = route.operation.path.matches('{').count();
    let kind_of = |name: String| {
        if EXEMPT.iter().any(|exempt| (exempt.0, exempt.1) == (route.operation.name, name.as_str())) {
            return None;
        }
        let kind = kind(route, &name);
        let kind =
            kind.unwrap_or_else(|| panic!("{} of {} needs a kind of id, or an exemption", name, route.operation.name));
        let has_others = in_path > usize::from(name.starts_with("path:")) && name.starts_with("path:");
        Some(IdLocation { name, kind, has_others })
    };
    names(document, route).into_iter().filter_map(kind_of).collect()
}

/// Returns the exemptions whose location isn't in the document.
pub(super) fn unused_exemptions(document: &Value) -> Vec<String> {
    let routes = posthouse::all_routes();
    let is_there = |(route, name, _): &&(&str, &str, &str)| {
        let found = routes.iter().find(|other| other.operation.name == *route);
        found.is_some_and(|found| names(document, found).iter().any(|other| other == name))
    };
    EXEMPT.iter().filter(|exempt| !is_there(exempt)).map(|exempt| format!("{exempt:?}")).collect()
}

fn names(document: &Value, route: &Route) -> Vec<String> {
    let operation = &document["paths"][route.operation.path][route.method().as_str().to_ascii_lowercase()];
    assert_eq!(operation["operationId"], route.operation.name, "the document lists every route");
    let mut names = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let shared = parameter["$ref"].as_str().map(|reference| target(document, reference));
        let parameter = shared.unwrap_or(parameter);
        let (location, name) = (parameter["in"].as_str().unwrap(), parameter["name"].as_str().unwrap());
        if location == "path" || (location == "query" && (is_id(name) || has_uuid(&parameter["schema"]))) {
            names.push(format!("{location}:{name}"));
        }
    }
    for (_, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        walk(
            document,
            &content["schema"],
            &mut LocationWalk { path: "body:".to_owned(), names: &mut names },
            &mut Vec::new(),
        );
    }
    names.sort();
    names.dedup();
    // A list of ids and its items are one location.
    let items: Vec<String> = names.iter().filter_map(|name| name.strip_suffix("[]").map(str::to_owned)).collect();
    names.retain(|name| !items.contains(name));
    names
}

/// Returns whether a member of that name holds an id.
fn is_id(name: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or(name);
    matches!(last, "id" | "ids" | "token" | "lease")
        || matches!(name, "cursor" | "after" | "in_reply_to" | "references")
}

fn has_uuid(schema: &Value) -> bool {
    schema.to_string().contains(r#""format":"uuid""#)
}

/// A walk over a schema.
struct LocationWalk<'n> {
    /// The location of the current schema.
    path: String,
    /// The locations of ids.
    names: &'n mut Vec<String>,
}

fn target<'a>(document: &'a Value, reference: &str) -> &'a Value {
    document.pointer(reference.trim_start_matches('#')).expect("the document has what it refers to")
}

/// Collects the locations below a schema. `open` holds the shared schemas that contain it, to end recursion.
fn walk<'a>(document: &'a Value, schema: &'a Value, found: &mut LocationWalk<'_>, open: &mut Vec<&'a str>) {
    if let Some(reference) = schema["$ref"].as_str() {
        if !open.contains(&reference) {
            open.push(reference);
            walk(document, target(document, reference), found, open);
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
        found.names.push(found.path.clone());
    }
    let path = found.path.clone();
    if schema["items"].is_object() {
        found.path = format!("{path}[]");
        walk(document, &schema["items"], found, open);
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        found.path = format!("{path}/{name}");
        if is_id(name) {
            found.names.push(found.path.clone());
        }
        walk(document, member, found, open);
    }
    found.path = path;
}

/// Returns what an id in that location refers to.
pub(super) fn kind(route: &Route, location: &str) -> Option<IdKind> {
    let (part, name) = location.split_once(':')?;
    if part == "path" {
        let segments: Vec<&str> = route.operation.path.split('/').collect();
        let at = segments.iter().position(|segment| *segment == format!("{{{name}}}"))?;
        return of_collection(segments[at - 1]);
    }
    let last = name.rsplit('/').next()?.trim_end_matches("[]");
    Some(match (route.operation.name, last) {
        ("listEvents", "cursor" | "after") => IdKind::Event,
        (_, "cursor") => IdKind::Cursor,
        (_, "inbox_id" | "inbox_ids") => IdKind::Inbox,
        (_, "thread_id") => IdKind::Thread,
        (_, "reply_to_message_id") | ("reportAgent", "message_id") => IdKind::Message,
        (_, "lease_id") => IdKind::Lease,
        ("batchGetMessages" | "batchUpdateMessages", "ids") => IdKind::Message,
        ("updateDraft", "id") => IdKind::DraftFile,
        _ => return None,
    })
}

fn of_collection(name: &str) -> Option<IdKind> {
    Some(match name {
        "inboxes" => IdKind::Inbox,
        "identities" => IdKind::Identity,
        "messages" | "outbox" => IdKind::Message,
        "threads" => IdKind::Thread,
        "attachments" => IdKind::Attachment,
        "drafts" => IdKind::Draft,
        "contacts" => IdKind::Contact,
        "by-address" => IdKind::ContactAddress,
        "suppressions" => IdKind::SuppressedAddress,
        "lists" => IdKind::ListEntry,
        "knowledge" => IdKind::Knowledge,
        "webhooks" => IdKind::Webhook,
        "clients" => IdKind::IdentityClient,
        "approvals" => IdKind::ApprovalCode,
        "deliveries" => IdKind::WebhookDelivery,
        "events" => IdKind::Event,
        "domains" => IdKind::Domain,
        "forwarding" => IdKind::ForwardingAddress,
        _ => return None,
    })
}
