//! `/platform/connector-requests`: programs that ask a person for access to the workspace.

use posthouse_api::views::connector::{
    ConnectorClientView, ConnectorDecisionView, ConnectorRequestView, ConnectorView, RedirectView, RequestErrorView,
};
use posthouse_api::wire::{has_member, member};
use posthouse_app::connectors::request::ConnectorRequest;
use posthouse_app::connectors::{approve, approve::ConnectorChoice, approve::DecidedRequest, request};
use posthouse_call::prelude::*;
use posthouse_domain::auth::SET_INBOXES_MAX;
use posthouse_domain::connector::{ConnectorPreset, REQUEST_BYTES_MAX};
use posthouse_domain::{ConnectorReach, Permissions, Role};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// Most permissions in a decision.
const PERMISSIONS_MAX: usize = 50;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, "/platform/connector-requests", "getConnectorRequest", Role::Member)
            .summary("Returns what a program that asks for access says about itself, and what is proven.")
            .responds::<ConnectorRequestView>(200)
            .errors(&[ErrorCode::RateLimited])
            .handle(read),
        Operation::session(Method::Post, "/platform/connector-requests", "decideConnectorRequest", Role::Member)
            .summary("Approves or denies the request of a program for access. The browser then goes to `return_to`.")
            .responds::<ConnectorDecisionView>(200)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::RateLimited])
            .handle(decide),
    ]
}

query! {
    /// A request of a program.
    struct ConnectorRequestQuery {
        /// Query with which the program opened `/oauth/authorize`, as it came.
        request: BoundedLine<1, REQUEST_BYTES_MAX>,
    }
}

choice! {
    /// Which part of the workspace a connector reaches.
    enum ReachChoice {
        /// The workspace, including the emergency stop and changes of handles. For owners.
        Org = "org",
        /// The workspace.
        Workspace = "workspace",
        /// Chosen inboxes and identities.
        Inboxes = "inboxes",
    }
}

choice! {
    /// A set of permissions.
    enum PresetChoice {
        /// Every permission that reads.
        Read = "read",
        /// What an agent needs that works with mail.
        Reply = "reply",
        /// Every permission.
        Admin = "admin",
    }
}

object! {
    /// A decision about a request of a program.
    struct DecisionBody {
        /// Query with which the program opened `/oauth/authorize`, as it came.
        request: BoundedLine<1, REQUEST_BYTES_MAX>,
        /// Whether the program gets access.
        approve: bool,
        /// Which part of the workspace it reaches. Default: `inboxes`.
        scope: Option<ReachChoice>,
        /// Inboxes and identities, for the scope `inboxes`.
        inbox_ids: Option<BoundedList<Uuid, 1, SET_INBOXES_MAX>>,
        /// A set of permissions. Default: `reply`.
        preset: Option<PresetChoice>,
        /// Permissions, in place of a preset.
        permissions: Option<BoundedList<Permission, 1, PERMISSIONS_MAX>>,
    }
    check one_choice, schema has_one_choice;
}

/// [`one_choice`] as a condition of JSON Schema.
fn has_one_choice() -> Value {
    let whole = json!({ "required": ["scope"], "properties": { "scope": { "enum": ["org", "workspace"] } } });
    let no_inboxes = json!({ "properties": { "inbox_ids": { "type": "null" } } });
    let approves = json!({ "required": ["approve"], "properties": { "approve": { "const": true } } });
    json!({ "allOf": [
        { "not": { "allOf": [has_member("preset", "string"), has_member("permissions", "array")] } },
        { "if": whole.clone(), "then": no_inboxes },
        { "if": { "allOf": [approves, { "not": whole }] }, "then": has_member("inbox_ids", "array") },
    ] })
}

/// Reports members that contradict each other.
fn one_choice(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let has = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    if has("preset") && has("permissions") {
        problems.add::<()>(&member(path, "permissions"), "must not be given with `preset`");
    }
    let is_whole = matches!(given.get("scope").and_then(Value::as_str), Some("org" | "workspace"));
    let approves = given.get("approve") == Some(&Value::Bool(true));
    match (is_whole, has("inbox_ids")) {
        (true, true) => {
            problems.add::<()>(&member(path, "inbox_ids"), "must be given for the scope `inboxes` only");
        }
        (false, false) if approves => {
            problems.add::<()>(&member(path, "inbox_ids"), "must be given for the scope `inboxes`");
        }
        _ => {}
    }
}

impl DecisionBody {
    fn choice(&self) -> ConnectorChoice {
        let reach = match self.scope {
            Some(ReachChoice::Org) => ConnectorReach::Org,
            Some(ReachChoice::Workspace) => ConnectorReach::Workspace,
            Some(ReachChoice::Inboxes) | None => ConnectorReach::Inboxes,
        };
        let preset = match self.preset {
            Some(PresetChoice::Read) => ConnectorPreset::Read,
            Some(PresetChoice::Reply) | None => ConnectorPreset::Reply,
            Some(PresetChoice::Admin) => ConnectorPreset::Admin,
        };
        let mut inboxes: Vec<InboxId> =
            self.inbox_ids.iter().flat_map(|ids| ids.0.iter().copied().map(InboxId)).collect();
        inboxes.sort_unstable();
        inboxes.dedup();
        let permissions =
            self.permissions.as_ref().map_or_else(|| preset.grants(), |listed| Permissions::of(&listed.0));
        ConnectorChoice { reach, inboxes, permissions }
    }
}

async fn read(service: Arc<Service>, input: Input<ConnectorRequestQuery>) -> Result<Outcome, Refusal> {
    let request = request::read(&service, &input.caller, &input.query.request.0).await?;
    Outcome::json(200, &view(&service, &request))
}

fn view(service: &Service, request: &ConnectorRequest) -> ConnectorRequestView {
    ConnectorRequestView {
        client: ConnectorClientView::of(&request.client),
        redirect: RedirectView::of(&request.redirect_uri),
        error: request.error().map(RequestErrorView::of),
        return_to: request.error().map(|error| request.return_to(service, Err(error))),
    }
}

async fn decide(service: Arc<Service>, input: Input<EmptyInput, DecisionBody>) -> Result<Outcome, Refusal> {
    let query = &input.body.request.0;
    let DecidedRequest { granted, return_to } = if input.body.approve {
        approve::approve(&service, input.caller, query, input.body.choice()).await?
    } else {
        approve::deny(&service, input.caller, query).await?
    };
    Outcome::json(200, &ConnectorDecisionView { connector: granted.as_ref().map(ConnectorView::of), return_to })
}
