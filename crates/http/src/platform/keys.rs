//! `/platform/api-keys`: the workspace's API keys.

use crate::Api;
use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Permissions, Scope},
    error::{ErrorCode, Refusal},
    user::Role,
};
use posthouse_store::keys::ApiKey;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::route::{Route, RouteInput, RouteResponse};
use posthouse_api::{
    views::{TimestampView, user::ListView},
    wire::{BoundedLine, BoundedList, EmptyInput, object},
};
use posthouse_app::people::keys::{self, KeyRequest, KeyScope};

/// Longest name of a key, in characters.
const NAME_CHARS_MAX: usize = 100;
/// Most permissions in a request.
const PERMISSIONS_MAX: usize = 50;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::session(Method::GET, "/platform/api-keys", "listApiKeys", Role::Member)
            .summary(
                "Lists the API keys, newest first, revoked ones included, without pages. Secrets are never listed.",
            )
            .answers::<ListView<ApiKeyView>>(200)
            .handle(list),
        Route::session(Method::POST, "/platform/api-keys", "createApiKey", Role::Member)
            .summary("Creates an API key. The response shows the secret, once. Only owners create org-wide keys.")
            .answers::<CreatedKeyView>(201)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(create),
        Route::session(Method::DELETE, "/platform/api-keys/{id}", "revokeApiKey", Role::Member)
            .summary("Revokes an API key, and ends its streams. Only owners revoke org-wide keys.")
            .answers_with(204, None)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(revoke),
    ]
}

object! {
    /// An API key to create.
    struct KeyBody {
        /// The name.
        name: BoundedLine<1, NAME_CHARS_MAX>,
        /// A set of permissions: `full`, `agent`, `send_only`, `read_only` or `approve`. Default: `full`.
        preset: Option<BoundedLine<1, 20>>,
        /// Permissions, in place of a preset.
        permissions: Option<BoundedList<BoundedLine<1, 40>, 1, PERMISSIONS_MAX>>,
        /// `org`, `workspace` or `inbox`. Default: `workspace`, or `inbox` with an `inbox_id`.
        scope: Option<BoundedLine<1, 20>>,
        /// The inbox of a key with the scope `inbox`.
        inbox_id: Option<Uuid>,
    }
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
    permissions: Vec<&'static str>,
    created_at: TimestampView,
    /// Last request, to the minute.
    last_used_at: Option<TimestampView>,
    revoked_at: Option<TimestampView>,
}

/// A new API key with its secret.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CreatedApiKey")]
struct CreatedKeyView {
    api_key: ApiKeyView,
    /// The secret, which is shown only in this response.
    key: String,
}

impl ApiKeyView {
    fn of(key: &ApiKey) -> Self {
        Self {
            id: key.id.into(),
            name: key.name.clone(),
            prefix: key.shown.clone(),
            scope: key.scope.text(),
            inbox_id: key.scope.inbox().map(Into::into),
            permissions: key.permissions.names().collect(),
            created_at: key.created_at.into(),
            last_used_at: key.last_used_at.map(Into::into),
            revoked_at: key.revoked_at.map(Into::into),
        }
    }
}

async fn list(app: Arc<Api>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    let data = keys::list(&app, input.caller).await?.iter().map(ApiKeyView::of).collect();
    RouteResponse::json(200, &ListView { data })
}

async fn create(app: Arc<Api>, input: RouteInput<EmptyInput, KeyBody>) -> Result<RouteResponse, Refusal> {
    let body = input.body;
    let permissions = match (&body.preset, &body.permissions) {
        (Some(_), Some(_)) => return Err(Refusal::invalid_field("permissions", "must not be given with `preset`")),
        (None, Some(names)) => {
            let names: Vec<&str> = names.0.iter().map(|name| name.0.as_str()).collect();
            let unknown =
                |name: String| Refusal::invalid_field("permissions", format!("has the unknown name `{name}`"));
            Permissions::parse(&names.join(",")).map_err(unknown)?
        }
        (preset, None) => {
            let preset = preset.as_ref().map_or("full", |preset| preset.0.as_str());
            let unknown =
                || Refusal::invalid_field("preset", "must be `full`, `agent`, `send_only`, `read_only` or `approve`");
            Permissions::preset(preset).ok_or_else(unknown)?
        }
    };
    let scope = match (body.scope.as_ref().map(|scope| scope.0.as_str()), body.inbox_id) {
        (None | Some("inbox"), Some(inbox)) => KeyScope::Inbox(inbox.into()),
        (Some("org"), None) => KeyScope::Whole(Scope::Org),
        (None | Some("workspace"), None) => KeyScope::Whole(Scope::Workspace),
        (Some("inbox"), None) => return Err(Refusal::invalid_field("inbox_id", "must be given for the scope `inbox`")),
        (Some("org" | "workspace"), Some(_)) => {
            return Err(Refusal::invalid_field("inbox_id", "must be given for the scope `inbox` only"));
        }
        (Some(_), _) => return Err(Refusal::invalid_field("scope", "must be `org`, `workspace` or `inbox`")),
    };
    let wanted = KeyRequest { name: body.name.0, permissions, scope };
    let created = keys::create(&app, input.caller, wanted).await?;
    let view = CreatedKeyView { api_key: ApiKeyView::of(&created.key), key: created.secret.reveal().to_owned() };
    RouteResponse::json(201, &view)
}

async fn revoke(app: Arc<Api>, input: RouteInput) -> Result<RouteResponse, Refusal> {
    keys::revoke(&app, input.caller, input.path.id("id", "API key")?).await?;
    Ok(RouteResponse::empty())
}
