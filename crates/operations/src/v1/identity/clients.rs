//! `/v1/identity/clients`: the apps of a workspace that agents sign in to. See `docs/reference/identity.md`.

use posthouse_api::views::identity_client::{IdentityClientView, SecretIdentityClientView};
use posthouse_api::wire::{BodyValue, Patch, Replacement, ShownName, expected, member};
use posthouse_app::sign_in_with::clients::{self, IdentityClientChange, NewIdentityClient};
use posthouse_call::prelude::*;
use posthouse_domain::identity::app_url::{URL_CHARS_MAX, homepage_problem, redirect_uri_problem};
use posthouse_domain::identity::client::{NAME_CHARS_MAX, REDIRECT_URIS_MAX};
use posthouse_domain::{ClientSecret, IdentityClientType, IdentityScopes, SubjectType};
use serde_json::{Map, Value, json};

use crate::v1::scopes::AllowedScopeList;

/// Path of all apps.
const ALL: &str = "/v1/identity/clients";
/// Path of one app.
const ONE: &str = "/v1/identity/clients/{id}";

pub(in crate::v1) fn operations() -> Vec<Operation> {
    let route = |method, path, name| Operation::new(method, path, name, Permission::IdentityManage).workspace_wide();
    vec![
        route(Method::Post, ALL, "createIdentityClient")
            .summary("Registers an app that agents can sign in to. Only this response contains its secret.")
            .responds::<SecretIdentityClientView>(201)
            .errors(&[ErrorCode::UnclaimedWorkspace, ErrorCode::PlanLimitIdentityClients])
            .handle(create),
        route(Method::Get, ALL, "listIdentityClients")
            .summary("Lists the apps of the workspace, newest first.")
            .responds::<PageView<IdentityClientView>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(page),
        route(Method::Get, ONE, "getIdentityClient")
            .summary("Returns one app, without its secret.")
            .responds::<IdentityClientView>(200)
            .handle(one),
        route(Method::Patch, ONE, "updateIdentityClient")
            .summary("Updates an app. Its type and subject type never change.")
            .responds::<IdentityClientView>(200)
            .handle(update),
        route(Method::Delete, ONE, "deleteIdentityClient")
            .summary("Deletes an app for good. The tokens and sign-ins that it holds stop working.")
            .responds_with(204, None)
            .handle(delete),
        route(Method::Post, "/v1/identity/clients/{id}/secret", "rotateIdentityClientSecret")
            .summary("Replaces the secret of a confidential app. The old one stops working at once.")
            .without_body()
            .responds::<SecretIdentityClientView>(200)
            .handle(rotate),
    ]
}

choice! {
    /// How an app authenticates.
    enum ClientType {
        /// With a secret, from a server.
        Confidential = "confidential",
        /// Without a secret, in a browser or on a device.
        Public = "public",
        /// It only verifies tokens that agents give it.
        VerifyOnly = "verify_only",
    }
}

choice! {
    /// How an app knows an agent.
    enum ClientSubjectType {
        /// By an id that no other app knows.
        Pairwise = "pairwise",
        /// By the id of its inbox or identity.
        Public = "public",
    }
}

/// A redirect URI.
#[derive(Debug)]
struct RedirectUri(String);

impl BodyValue for RedirectUri {
    fn schema() -> Value {
        json!({ "type": "string", "format": "redirect-uri", "minLength": 1, "maxLength": URL_CHARS_MAX })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        url(value, path, problems, redirect_uri_problem).map(Self)
    }
}

/// The URL of a home page.
#[derive(Debug)]
struct HomepageUrl(String);

impl BodyValue for HomepageUrl {
    fn schema() -> Value {
        json!({ "type": "string", "format": "homepage-url", "minLength": 1, "maxLength": URL_CHARS_MAX })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        url(value, path, problems, homepage_problem).map(Self)
    }
}

fn url(value: &Value, path: &str, problems: &mut Problems, check: impl Fn(&str) -> Option<String>) -> Option<String> {
    let Some(text) = value.as_str() else { return expected("a string", value, path, problems) };
    match check(text) {
        Some(problem) => problems.add(path, problem),
        None => Some(text.to_owned()),
    }
}

object! {
    /// An app to register.
    struct CreateIdentityClientBody {
        /// The name that agents and people see.
        name: ShownName<NAME_CHARS_MAX>,
        /// `confidential` with a secret, `public` without one, or `verify_only` without a browser flow.
        r#type = "type": ClientType,
        /// Where browsers may return to: https, or http on this machine. Compared exactly. Required unless `verify_only`,
        /// which must not have any.
        redirect_uris: Option<BoundedList<RedirectUri, 1, REDIRECT_URIS_MAX>>,
        /// What the app may learn, separated by spaces, with `openid`. Default: `openid email profile`.
        allowed_scopes: Option<AllowedScopeList>,
        /// The ids by which the app knows agents: those that only it gets (`pairwise`), or the public ones. Never changes.
        /// Default: `pairwise`.
        subject_type: Option<ClientSubjectType>,
        /// The home page of the app.
        homepage_url: Option<HomepageUrl>,
    }
    check uris_fit_type, schema uris_of_type;
}

object! {
    /// Changes to an app. Omitted members stay unchanged.
    struct UpdateIdentityClientBody {
        /// The name that agents and people see.
        name: Replacement<ShownName<NAME_CHARS_MAX>>,
        /// Where browsers may return to; they replace the existing ones.
        redirect_uris: Replacement<BoundedList<RedirectUri, 1, REDIRECT_URIS_MAX>>,
        /// What the app may learn, separated by spaces, with `openid`.
        allowed_scopes: Replacement<AllowedScopeList>,
        /// The home page of the app. Null clears it.
        homepage_url: Patch<HomepageUrl>,
        /// Whether agents can sign in.
        enabled: Replacement<bool>,
    }
}

query! {
    /// Page of a list.
    struct IdentityClientListQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of items per page. Default: 25.
        limit: Limit,
    }
}

fn uris_fit_type(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let has_uris = given.get("redirect_uris").is_some_and(|value| !value.is_null());
    match given.get("type").and_then(Value::as_str) {
        Some("verify_only") if has_uris => {
            problems.add::<()>(&member(path, "redirect_uris"), "is not used by an app that only verifies tokens");
        }
        Some("confidential" | "public") if !has_uris => {
            problems.add::<()>(&member(path, "redirect_uris"), "is required for this type");
        }
        _ => {}
    }
}

/// [`uris_fit_type`] as a condition of JSON Schema.
fn uris_of_type() -> Value {
    let of = |kinds: &[&str], uris: &str| json!({ "type": { "enum": kinds }, "redirect_uris": { "type": uris } });
    json!({ "anyOf": [
        { "required": ["type"], "properties": of(&["verify_only"], "null") },
        { "required": ["type", "redirect_uris"], "properties": of(&["confidential", "public"], "array") },
    ] })
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateIdentityClientBody>) -> Result<Outcome, Refusal> {
    let created = clients::create(&service, input.caller, input.body.parse()).await?;
    with_secret(201, &created)
}

fn with_secret(status: u16, created: &clients::ClientWithSecret) -> Result<Outcome, Refusal> {
    let secret = created.secret.as_ref().map(ClientSecret::reveal).map(str::to_owned);
    Outcome::json(status, &SecretIdentityClientView::of(&created.client, secret))
}

async fn page(service: Arc<Service>, input: Input<IdentityClientListQuery>) -> Result<Outcome, Refusal> {
    let page = clients::page(&service, input.caller, paging(input.query.cursor, input.query.limit)).await?;
    Outcome::page(&service, &page, IdentityClientView::of)
}

async fn one(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "sign-in app")?;
    Outcome::json(200, &IdentityClientView::of(&clients::get(&service, input.caller, id).await?))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateIdentityClientBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "sign-in app")?;
    let changed = clients::change(&service, input.caller, id, input.body.parse()).await?;
    Outcome::json(200, &IdentityClientView::of(&changed))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "sign-in app")?;
    clients::delete(&service, input.caller, id).await?;
    Ok(Outcome::empty())
}

async fn rotate(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "sign-in app")?;
    with_secret(200, &clients::replace_secret(&service, input.caller, id).await?)
}

impl CreateIdentityClientBody {
    fn parse(self) -> NewIdentityClient {
        NewIdentityClient {
            name: self.name.0,
            kind: match self.r#type {
                ClientType::Confidential => IdentityClientType::Confidential,
                ClientType::Public => IdentityClientType::Public,
                ClientType::VerifyOnly => IdentityClientType::VerifyOnly,
            },
            redirect_uris: self.redirect_uris.map(uris).unwrap_or_default(),
            allowed_scopes: self.allowed_scopes.map_or(IdentityScopes::CLIENT_DEFAULT, |list| list.0),
            subject_type: match self.subject_type {
                Some(ClientSubjectType::Public) => SubjectType::Public,
                Some(ClientSubjectType::Pairwise) | None => SubjectType::Pairwise,
            },
            homepage_url: self.homepage_url.map(|url| url.0),
        }
    }
}

impl UpdateIdentityClientBody {
    fn parse(self) -> IdentityClientChange {
        IdentityClientChange {
            name: self.name.0.map(|line| line.0),
            redirect_uris: self.redirect_uris.0.map(uris),
            allowed_scopes: self.allowed_scopes.0.map(|list| list.0),
            homepage_url: match self.homepage_url {
                Patch::Keep => None,
                Patch::Clear => Some(None),
                Patch::Set(url) => Some(Some(url.0)),
            },
            enabled: self.enabled.0,
        }
    }
}

fn uris(list: BoundedList<RedirectUri, 1, REDIRECT_URIS_MAX>) -> Vec<String> {
    list.0.into_iter().map(|uri| uri.0).collect()
}
