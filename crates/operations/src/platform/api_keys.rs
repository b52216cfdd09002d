//! `/platform/api-keys`: the workspace's API keys.

use posthouse_api::{views::TimestampView, views::name_of, wire::has_member, wire::member};
use posthouse_app::people::keys::{self, KeyRequest, KeyScope};
use posthouse_call::prelude::*;
use posthouse_domain::{ApiKey, KeyOwnerKind, Permissions, Role, Scope};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// Longest name of a key, in characters.
const NAME_CHARS_MAX: usize = 100;
/// Most permissions in a request.
const PERMISSIONS_MAX: usize = 50;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, "/platform/api-keys", "listApiKeys", Role::Member)
            .summary(
                "Lists the API keys, newest first, revoked ones included, with what each belongs to. Secrets are never listed.",
            )
            .responds::<PageView<ApiKeyView>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(list),
        Operation::session(Method::Post, "/platform/api-keys", "createApiKey", Role::Member)
            .summary("Creates an API key. The response shows the secret, once. Only owners create org-wide keys.")
            .responds::<CreatedKeyView>(201)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::PlanLimitApiKeys])
            .handle(create),
        Operation::session(Method::Delete, "/platform/api-keys/{id}", "revokeApiKey", Role::Member)
            .summary("Revokes an API key, and ends its streams. Only owners revoke org-wide keys.")
            .responds_with(204, None)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(revoke),
    ]
}

query! {
    /// Page of a list of keys.
    struct KeyListQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of keys per page. Default: 25.
        limit: Limit,
    }
}

choice! {
    /// A set of permissions.
    enum KeyPreset {
        /// Every permission.
        Full = "full",
        /// What an agent needs that works with mail.
        Agent = "agent",
        /// Sends and drafts.
        SendOnly = "send_only",
        /// Every permission that reads.
        ReadOnly = "read_only",
        /// Reads and approves drafts.
        Approve = "approve",
    }
}

choice! {
    /// What a key reaches.
    enum KeyReach {
        /// The workspace, including the emergency stop and changes of handles.
        Org = "org",
        /// The workspace.
        Workspace = "workspace",
        /// One inbox or identity.
        Inbox = "inbox",
    }
}

object! {
    /// An API key to create.
    struct KeyBody {
        /// The name.
        name: BoundedLine<1, NAME_CHARS_MAX>,
        /// A set of permissions. Default: `full`.
        preset: Option<KeyPreset>,
        /// Permissions, in place of a preset.
        permissions: Option<BoundedList<Permission, 1, PERMISSIONS_MAX>>,
        /// What the key reaches. Default: `workspace`, or `inbox` with an `inbox_id`.
        scope: Option<KeyReach>,
        /// The inbox or identity of a key with the scope `inbox`.
        inbox_id: Option<Uuid>,
    }
    check one_choice, schema has_one_choice;
}

/// [`one_choice`] as a condition of JSON Schema.
fn has_one_choice() -> Value {
    let is = |scopes: &[&str]| json!({ "required": ["scope"], "properties": { "scope": { "enum": scopes } } });
    let no_inbox = json!({ "properties": { "inbox_id": { "type": "null" } } });
    json!({ "allOf": [
        { "not": { "allOf": [has_member("preset", "string"), has_member("permissions", "array")] } },
        { "if": is(&["inbox"]), "then": has_member("inbox_id", "string") },
        { "if": is(&["org", "workspace"]), "then": no_inbox },
    ] })
}

/// Reports members that contradict each other.
fn one_choice(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let has = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    if has("preset") && has("permissions") {
        problems.add::<()>(&member(path, "permissions"), "must not be given with `preset`");
    }
    match (given.get("scope").and_then(Value::as_str), has("inbox_id")) {
        (Some("inbox"), false) => problems.add::<()>(&member(path, "inbox_id"), "must be given for the scope `inbox`"),
        (Some("org" | "workspace"), true) => {
            problems.add::<()>(&member(path, "inbox_id"), "must be given for the scope `inbox` only")
        }
        _ => None,
    };
}

/// An API key without its secret.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiKey")]
struct ApiKeyView {
    id: Uuid,
    name: String,
    /// The first characters of the secret.
    prefix: String,
    /// `org`, `workspace` or `inbox`.
    scope: &'static str,
    inbox_id: Option<Uuid>,
    /// What the key belongs to, and ends with.
    owner: KeyOwnerView,
    /// Person that the key belongs to; null for keys of the operator and of agents.
    member_id: Option<Uuid>,
    permissions: Vec<&'static str>,
    created_at: TimestampView,
    /// Last request, to the minute.
    last_used_at: Option<TimestampView>,
    /// Client address of that request.
    last_used_ip: Option<String>,
    /// `User-Agent` of that request, or `SMTP`.
    last_used_user_agent: Option<String>,
    revoked_at: Option<TimestampView>,
}

/// What a key belongs to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyOwner")]
struct KeyOwnerView {
    #[schemars(schema_with = "name_of::<KeyOwnerKind>")]
    kind: &'static str,
    /// Id of the workspace, inbox, identity or person.
    id: Uuid,
}

/// A new API key with its secret.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CreatedApiKey")]
struct CreatedKeyView {
    api_key: ApiKeyView,
    /// The secret, which is shown only in this response.
    key: String,
}

impl KeyPreset {
    fn grants(self) -> Permissions {
        Permissions::preset(self.text()).unwrap_or_default()
    }
}

impl ApiKeyView {
    fn of(key: &ApiKey) -> Self {
        Self {
            id: key.id.into(),
            name: key.name.clone(),
            prefix: key.shown.clone(),
            scope: key.scope.text(),
            inbox_id: key.scope.key_inbox().map(Into::into),
            owner: KeyOwnerView { kind: key.owner().kind().text(), id: key.owner().id() },
            member_id: key.member.map(Into::into),
            permissions: key.permissions.names().collect(),
            created_at: key.created_at.into(),
            last_used_at: key.last_used_at.map(Into::into),
            last_used_ip: key.last_client.ip.clone(),
            last_used_user_agent: key.last_client.user_agent.clone(),
            revoked_at: key.revoked_at.map(Into::into),
        }
    }
}

async fn list(service: Arc<Service>, input: Input<KeyListQuery>) -> Result<Outcome, Refusal> {
    let page = keys::list(&service, input.caller, paging(input.query.cursor, input.query.limit)).await?;
    Outcome::page(&service, &page, ApiKeyView::of)
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, KeyBody>) -> Result<Outcome, Refusal> {
    let body = input.body;
    let permissions = match (body.permissions, body.preset) {
        (Some(listed), _) => Permissions::of(&listed.0),
        (None, Some(preset)) => preset.grants(),
        (None, None) => Permissions::full(),
    };
    let scope = match (body.inbox_id, body.scope) {
        (Some(inbox), _) => KeyScope::Inbox(inbox.into()),
        (None, Some(KeyReach::Org)) => KeyScope::Whole(Scope::Org),
        (None, _) => KeyScope::Whole(Scope::Workspace),
    };
    let wanted = KeyRequest { name: body.name.0, permissions, scope };
    let created = keys::create(&service, input.caller, wanted).await?;
    let view = CreatedKeyView { api_key: ApiKeyView::of(&created.key), key: created.secret.reveal().to_owned() };
    Outcome::json(201, &view)
}

async fn revoke(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    keys::revoke(&service, input.caller, input.path.id("id", "API key")?).await?;
    Ok(Outcome::empty())
}
