//! The decision of a person about a request for access.

use posthouse_api::views::{connector::ConnectorView, event::data};
use posthouse_domain::connector::{CODE_MS, CONNECTORS_MAX, IDLE_MS, client::UNUSED_MS, secret};
use posthouse_domain::{
    Caller, Connector, ConnectorCode, ConnectorReach, ErrorCode, EventKind, GrantedConnector, InboxId, NewEvent,
    OAuthError, OAuthErrorCode, Permissions, Refusal, Role,
};
use posthouse_store::{Tx, connector_clients, connectors, events, inboxes, users};

use super::{draw, request, request::ConnectorRequest};
use crate::access::{authenticate::no_session, connectors::load, visible};
use crate::{people::sessions, service::Service};

/// What a person allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectorChoice {
    /// Which part of the workspace.
    pub reach: ConnectorReach,
    /// The inboxes and identities, for [`ConnectorReach::Inboxes`].
    pub inboxes: Vec<InboxId>,
    pub permissions: Permissions,
}

/// A decided request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecidedRequest {
    /// The new connector; `None` if the request was denied.
    pub granted: Option<GrantedConnector>,
    /// Where the browser returns to.
    pub return_to: String,
}

/// Denies a request. Nothing is stored.
///
/// # Errors
/// Returns the errors of [`request::read`].
pub async fn deny(service: &Service, caller: Caller, query: &str) -> Result<DecidedRequest, Refusal> {
    let read = request::read(service, &caller, query).await?;
    let denied = OAuthError::new(OAuthErrorCode::AccessDenied, "The person denied the request.");
    let return_to = read.return_to(service, Err(read.error().unwrap_or(&denied)));
    Ok(DecidedRequest { granted: None, return_to })
}

/// Approves a request: stores the connector with an authorization code, and appends `connector.authorized`.
///
/// # Errors
/// Returns the errors of [`request::read`], `invalid_request` if the request can't be approved, `forbidden` if a member
/// allows what only owners may do or the workspace has too many connectors, `not_found` for an inbox, or `unauthorized` for
/// a person who was removed.
pub async fn approve(
    service: &Service,
    caller: Caller,
    query: &str,
    choice: ConnectorChoice,
) -> Result<DecidedRequest, Refusal> {
    let read = request::read(service, &caller, query).await?;
    let challenge = read.challenge.clone().map_err(|error| Refusal::invalid_field("request", error.description))?;
    let (now, ids) = (service.clock.now(), service.clock.ids());
    let code = secret::code(&draw(service.clock.as_ref()));
    let code_row = ConnectorCode { challenge, expires_at: now.plus_ms(CODE_MS), used_at: None };
    let mut connector = connector(&caller, &read, &choice)?;
    (connector.id, connector.created_at, connector.expires_at) = (ids.next(), now, code_row.expires_at);
    let return_to = read.return_to(service, Ok(&code));
    let digest = secret::digest(&code);
    let work = move |tx: &mut Tx| {
        let (ids, connector) = (ids.clone(), connector.clone());
        check(tx, &caller, &choice)?;
        connectors::insert(tx, &connector, &choice.inboxes, &code_row, &digest)?;
        connector_clients::keep(tx, &connector.client_id, now.plus_ms(IDLE_MS + UNUSED_MS))?;
        let granted = load(tx, connector)?;
        let detail = data::ConnectorAuthorized { connector: ConnectorView::of(&granted) };
        let event = NewEvent::new(EventKind::ConnectorAuthorized, caller.workspace, ids.next(), now);
        events::append(tx, &event.with_detail(data::text(&detail)))?;
        Ok::<_, Refusal>(granted)
    };
    let granted = service.write(work).await?;
    let Connector { workspace, id, user, .. } = &granted.connector;
    tracing::info!(workspace_id = %workspace, connector_id = %id, user_id = %user, "connector.authorized");
    Ok(DecidedRequest { granted: Some(granted), return_to })
}

/// Returns the connector of a choice, without an id and times.
fn connector(caller: &Caller, read: &ConnectorRequest, choice: &ConnectorChoice) -> Result<Connector, Refusal> {
    let client = &read.client;
    Ok(Connector {
        workspace: caller.workspace,
        id: uuid::Uuid::nil().into(),
        client_id: client.client_id.clone(),
        client_kind: client.kind,
        client_name: client.name.clone(),
        client_uri: client.uri.clone(),
        redirect_uri: read.redirect_uri.clone(),
        user: sessions::user(caller)?.user,
        reach: choice.reach,
        permissions: choice.permissions,
        created_at: client.created_at,
        last_used_at: None,
        expires_at: client.expires_at,
    })
}

/// Checks that the person may allow this now, and that the workspace has room for a connector.
fn check(tx: &mut Tx, caller: &Caller, choice: &ConnectorChoice) -> Result<(), Refusal> {
    let workspace = caller.workspace;
    inboxes::take_workspace(tx, workspace)?;
    // The person may have been removed or lost the role since the request began.
    let person = users::member(tx, workspace, sessions::user(caller)?.user)?;
    let person = person.filter(|person| person.joined_at.is_some()).ok_or_else(no_session)?;
    if choice.reach == ConnectorReach::Org && person.role != Role::Owner {
        return Err(Refusal::new(ErrorCode::Forbidden, "Only owners allow the scope `org`.")
            .with_fix("Choose the scope `workspace`, or ask an owner."));
    }
    if connectors::count(tx, workspace, CONNECTORS_MAX)? >= CONNECTORS_MAX {
        let message = format!("The workspace already has {CONNECTORS_MAX} connectors, the maximum.");
        return Err(Refusal::new(ErrorCode::Forbidden, message).with_fix("Revoke a connector first."));
    }
    for inbox in &choice.inboxes {
        visible::inbox_or_identity(tx, caller, *inbox)?;
    }
    Ok(())
}
