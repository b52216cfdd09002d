//! The apps of a workspace: create, change, delete, and replace the secret.

use posthouse_domain::identity::client::{CLIENT_ID_RANDOM_BYTES, CLIENTS_MAX, SECRET_RANDOM_BYTES, client_id};
use posthouse_domain::{
    Caller, ClaimStatus, ClientSecret, CursorPosition, Detail, ErrorCode, IdentityClient, IdentityClientId,
    IdentityClientType, IdentityScopes, Page, PageParameters, Refusal, SubjectType,
};
use posthouse_store::{Tx, identity_clients, identity_requests, identity_tokens, inboxes, workspaces};

use crate::{inboxes::names::NameRules, service::Service};

/// An app to create.
#[derive(Clone, Debug)]
pub struct NewIdentityClient {
    pub name: String,
    /// How it authenticates.
    pub kind: IdentityClientType,
    /// Where browsers may return to.
    pub redirect_uris: Vec<String>,
    /// What it may learn.
    pub allowed_scopes: IdentityScopes,
    /// How it knows agents.
    pub subject_type: SubjectType,
    /// Its home page.
    pub homepage_url: Option<String>,
}

/// A change of an app; `None` leaves a setting unchanged.
#[derive(Clone, Debug, Default)]
pub struct IdentityClientChange {
    pub name: Option<String>,
    /// Where browsers may return to.
    pub redirect_uris: Option<Vec<String>>,
    /// What it may learn.
    pub allowed_scopes: Option<IdentityScopes>,
    /// Its home page; `None` inside clears it.
    pub homepage_url: Option<Option<String>>,
    /// Whether agents can sign in.
    pub enabled: Option<bool>,
}

/// An app with its new secret.
#[derive(Clone, Debug)]
pub struct ClientWithSecret {
    /// The app.
    pub client: IdentityClient,
    /// The secret of a confidential app, shown in one response only.
    pub secret: Option<ClientSecret>,
}

/// Creates an app.
///
/// # Errors
/// Returns `unclaimed_workspace` or `plan_limit_identity_clients`.
pub async fn create(service: &Service, caller: Caller, new: NewIdentityClient) -> Result<ClientWithSecret, Refusal> {
    let secret = (new.kind == IdentityClientType::Confidential).then(|| draw_secret(service));
    let mut random = [0; CLIENT_ID_RANDOM_BYTES];
    service.clock.random(&mut random);
    let mut subject_salt = [0; 32];
    service.clock.random(&mut subject_salt);
    let now = service.clock.now();
    let client = IdentityClient {
        workspace: caller.workspace,
        id: service.clock.ids().next(),
        client_id: client_id(&random),
        name: new.name,
        kind: new.kind,
        redirect_uris: new.redirect_uris,
        allowed_scopes: new.allowed_scopes,
        subject_type: new.subject_type,
        subject_salt,
        homepage_url: new.homepage_url,
        secret_prefix: secret.as_ref().map(|secret| secret.display_prefix().to_owned()),
        secret_sha256: secret.as_ref().map(ClientSecret::digest),
        enabled: true,
        last_used_at: None,
        created_at: now,
        updated_at: now,
    };
    let created = client.clone();
    let rules = NameRules::of(&service.config);
    let work = move |tx: &mut Tx| {
        rules.check_display_name(tx, client.workspace, "name", &client.name)?;
        insert(tx, &client)
    };
    service.write(work).await?;
    tracing::info!(workspace_id = %created.workspace, client_id = created.client_id, "identity.client_created");
    Ok(ClientWithSecret { client: created, secret })
}

fn insert(tx: &mut Tx, client: &IdentityClient) -> Result<(), Refusal> {
    inboxes::take_workspace(tx, client.workspace)?;
    let tenant = workspaces::get(tx, client.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    if tenant.claim == ClaimStatus::Unclaimed {
        let refusal = Refusal::new(ErrorCode::UnclaimedWorkspace, "An unclaimed workspace can't have sign-in apps.");
        return Err(refusal.with_fix("Have a person claim the workspace first: `POST /v1/signup/claim`."));
    }
    if identity_clients::count(tx, client.workspace)? >= CLIENTS_MAX {
        let message = format!("The workspace already has {CLIENTS_MAX} sign-in apps, the maximum.");
        return Err(Refusal::new(ErrorCode::PlanLimitIdentityClients, message).detail(Detail::Max(CLIENTS_MAX)));
    }
    Ok(identity_clients::insert(tx, client)?)
}

fn draw_secret(service: &Service) -> ClientSecret {
    let mut random = [0; SECRET_RANDOM_BYTES];
    service.clock.random(&mut random);
    ClientSecret::from_random(&random)
}

/// Returns a page of apps, newest first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn page(service: &Service, caller: Caller, page: PageParameters) -> Result<Page<IdentityClient>, Refusal> {
    let workspace = caller.workspace;
    let list = page.of_list(format!("identity clients {workspace}"))?;
    let range = list.page();
    let found = service.read(workspace, move |tx| identity_clients::page(tx, workspace, range)).await?;
    Ok(list.page_of(found, |client| CursorPosition::of(client.created_at, client.id.0)))
}

/// Returns an app.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't have it.
pub async fn get(service: &Service, caller: Caller, id: IdentityClientId) -> Result<IdentityClient, Refusal> {
    let work = move |tx: &mut Tx| identity_clients::get(tx, caller.workspace, id)?.ok_or_else(missing);
    service.read(caller.workspace, work).await
}

fn missing() -> Refusal {
    Refusal::not_found("sign-in app")
}

/// Changes an app.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't have it or `invalid_request` if the redirect URIs don't fit its type.
pub async fn change(
    service: &Service,
    caller: Caller,
    id: IdentityClientId,
    change: IdentityClientChange,
) -> Result<IdentityClient, Refusal> {
    let (now, rules) = (service.clock.now(), NameRules::of(&service.config));
    let work = move |tx: &mut Tx| {
        let before = identity_clients::lock(tx, caller.workspace, id)?.ok_or_else(missing)?;
        let (mut client, change) = (before.clone(), change.clone());
        if let Some(name) = change.name.as_ref().filter(|name| **name != client.name) {
            rules.check_display_name(tx, caller.workspace, "name", name)?;
        }
        if let Some(uris) = change.redirect_uris {
            if client.kind == IdentityClientType::VerifyOnly {
                return Err(Refusal::invalid_field("redirect_uris", "is not used by an app that only verifies tokens"));
            }
            client.redirect_uris = uris;
        }
        client.name = change.name.unwrap_or(client.name);
        client.allowed_scopes = change.allowed_scopes.unwrap_or(client.allowed_scopes);
        client.homepage_url = change.homepage_url.unwrap_or(client.homepage_url);
        client.enabled = change.enabled.unwrap_or(client.enabled);
        if client != before {
            client.updated_at = now;
            identity_clients::update(tx, &client)?;
        }
        Ok(client)
    };
    service.write(work).await
}

/// Deletes an app: everything it holds is revoked, and its id is never used again.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't have it.
pub async fn delete(service: &Service, caller: Caller, id: IdentityClientId) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let client = identity_clients::lock(tx, caller.workspace, id)?.ok_or_else(missing)?;
        identity_tokens::delete_of_client(tx, &client.client_id)?;
        identity_requests::delete_of_client(tx, &client.client_id)?;
        identity_clients::delete(tx, &client)?;
        Ok::<_, Refusal>(client.client_id)
    };
    let client_id = service.write(work).await?;
    tracing::info!(workspace_id = %caller.workspace, client_id, "identity.client_deleted");
    Ok(())
}

/// Replaces the secret of a confidential app. The old one stops working at once.
///
/// # Errors
/// Returns `not_found` if the workspace doesn't have the app or it has no secret.
pub async fn replace_secret(
    service: &Service,
    caller: Caller,
    id: IdentityClientId,
) -> Result<ClientWithSecret, Refusal> {
    let (secret, now) = (draw_secret(service), service.clock.now());
    let (prefix, digest) = (secret.display_prefix().to_owned(), secret.digest());
    let work = move |tx: &mut Tx| {
        let mut client = identity_clients::lock(tx, caller.workspace, id)?.ok_or_else(missing)?;
        if client.kind != IdentityClientType::Confidential {
            let refusal = Refusal::new(ErrorCode::NotFound, "This app has no secret.");
            return Err(refusal.with_fix("Register a confidential app; apps of other types have no secret."));
        }
        client.secret_prefix = Some(prefix.clone());
        client.secret_sha256 = Some(digest);
        client.updated_at = now;
        identity_clients::update(tx, &client)?;
        Ok(client)
    };
    let client = service.write(work).await?;
    Ok(ClientWithSecret { client, secret: Some(secret) })
}
