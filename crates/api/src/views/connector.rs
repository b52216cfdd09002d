//! Connectors: programs that a person allowed to act in the workspace, and requests for that.

use posthouse_domain::{
    ClientKind, Connector, ConnectorClient, ConnectorReach, GrantedConnector, OAuthError, OAuthErrorCode,
    connector::client::{proven_host, redirect_target},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of, workspace::ActorView};

/// A connector.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Connector")]
pub struct ConnectorView {
    /// Connector id.
    pub id: Uuid,
    /// Program that has the access.
    pub client: ConnectorClientView,
    /// Where the program received the access.
    pub redirect: RedirectView,
    /// `org`, `workspace` or `inboxes`.
    #[schemars(schema_with = "name_of::<ConnectorReach>")]
    pub scope: &'static str,
    /// Inboxes and identities that it reaches; null if it reaches the workspace.
    pub inbox_ids: Option<Vec<Uuid>>,
    /// What it may do.
    pub permissions: Vec<&'static str>,
    /// Person who approved it. The access ends with the membership.
    pub approved_by: ActorView,
    /// Time of the approval.
    pub created_at: TimestampView,
    /// Time of its newest access token.
    pub last_used_at: Option<TimestampView>,
    /// Time at which the access ends unless it is used.
    pub expires_at: TimestampView,
}

/// The OAuth client of a connector.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorClient")]
pub struct ConnectorClientView {
    /// Id of the client: the URL of its metadata document, or the id of its registration.
    pub id: String,
    /// `document` or `registered`.
    #[schemars(schema_with = "name_of::<ClientKind>")]
    pub kind: &'static str,
    /// What the client calls itself. Nothing proves it.
    pub name: String,
    /// Home page that the client names. Nothing proves it.
    pub homepage_url: Option<String>,
    /// Host that publishes the metadata document, which is proven; null for a registered client.
    pub proven_host: Option<String>,
}

/// Where a browser returns to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorRedirect")]
pub struct RedirectView {
    /// Host, or scheme of a program.
    pub target: String,
    /// Whether it is a program on the person's own machine.
    pub is_local: bool,
}

/// A request for access that a person decides about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorRequest")]
pub struct ConnectorRequestView {
    /// Program that asks.
    pub client: ConnectorClientView,
    /// Where it receives the access.
    pub redirect: RedirectView,
    /// Why the request can't be approved; null if it can.
    pub error: Option<RequestErrorView>,
    /// Address that tells the program about the error; null without one.
    pub return_to: Option<String>,
}

/// Why a request can't be approved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorRequestError")]
pub struct RequestErrorView {
    /// Code of OAuth.
    #[schemars(schema_with = "name_of::<OAuthErrorCode>")]
    pub code: &'static str,
    /// What is wrong, for a developer.
    pub message: String,
}

/// The decision about a request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorDecision")]
pub struct ConnectorDecisionView {
    /// New connector; null if the request was denied.
    pub connector: Option<ConnectorView>,
    /// Address that continues in the program.
    pub return_to: String,
}

/// The metadata of the authorization server of connectors (RFC 8414).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuthorizationServer")]
pub struct AuthorizationServerView {
    /// URL of the authorization server.
    pub issuer: String,
    /// URL to which programs send browsers.
    pub authorization_endpoint: String,
    /// URL that exchanges codes and refresh tokens.
    pub token_endpoint: String,
    /// URL that registers clients (RFC 7591).
    pub registration_endpoint: String,
    /// URL that ends access (RFC 7009).
    pub revocation_endpoint: String,
    /// `mcp` only.
    pub scopes_supported: [&'static str; 1],
    /// `code` only.
    pub response_types_supported: [&'static str; 1],
    /// `query` only.
    pub response_modes_supported: [&'static str; 1],
    /// `authorization_code` and `refresh_token`.
    pub grant_types_supported: [&'static str; 2],
    /// `none` only: clients are public, and prove themselves with PKCE.
    pub token_endpoint_auth_methods_supported: [&'static str; 1],
    /// `none` only.
    pub revocation_endpoint_auth_methods_supported: [&'static str; 1],
    /// `S256` only.
    pub code_challenge_methods_supported: [&'static str; 1],
    /// Whether responses name the issuer (RFC 9207).
    pub authorization_response_iss_parameter_supported: bool,
    /// Whether the URL of a metadata document is a client id.
    pub client_id_metadata_document_supported: bool,
    /// Documentation.
    pub service_documentation: String,
}

/// The metadata of the resource that connectors use (RFC 9728).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProtectedResource")]
pub struct ProtectedResourceView {
    /// URL of the MCP endpoint, the audience of tokens.
    pub resource: String,
    /// URL of the authorization server.
    pub authorization_servers: [String; 1],
    /// `mcp` only.
    pub scopes_supported: [&'static str; 1],
    /// `header` only.
    pub bearer_methods_supported: [&'static str; 1],
    /// Name for people.
    pub resource_name: &'static str,
    /// Documentation.
    pub resource_documentation: String,
}

/// Tokens of a connector (RFC 6749 §5.1).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectorTokens")]
pub struct ConnectorTokensView {
    /// Access token for the MCP endpoint.
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: &'static str,
    /// Seconds until the access token expires.
    pub expires_in: i64,
    /// Token for the next access token. It works once.
    pub refresh_token: String,
    /// Always `mcp`.
    pub scope: &'static str,
}

/// A client that registered itself (RFC 7591 §3.2.1).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RegisteredClient")]
pub struct RegisteredClientView {
    /// Id of the client.
    pub client_id: String,
    /// Time of the registration, in seconds since 1970.
    pub client_id_issued_at: i64,
    /// Name of the client.
    pub client_name: String,
    /// Home page of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// Where browsers may return to.
    pub redirect_uris: Vec<String>,
    /// Always `none`.
    pub token_endpoint_auth_method: &'static str,
    /// `authorization_code` and `refresh_token`.
    pub grant_types: [&'static str; 2],
    /// `code` only.
    pub response_types: [&'static str; 1],
    /// Always `mcp`.
    pub scope: &'static str,
}

impl ConnectorView {
    /// Returns the view of a connector.
    #[must_use]
    pub fn of(granted: &GrantedConnector) -> Self {
        let connector = &granted.connector;
        let ids = || granted.inboxes.iter().map(|id| (*id).into()).collect();
        Self {
            id: connector.id.into(),
            client: ConnectorClientView::of_connector(connector),
            redirect: RedirectView::of(&connector.redirect_uri),
            scope: connector.reach.text(),
            inbox_ids: (connector.reach == ConnectorReach::Inboxes).then(ids),
            permissions: connector.permissions.names().collect(),
            approved_by: ActorView::of(&granted.approved_by),
            created_at: connector.created_at.into(),
            last_used_at: connector.last_used_at.map(Into::into),
            expires_at: connector.expires_at.into(),
        }
    }
}

impl ConnectorClientView {
    /// Returns the view of a client.
    #[must_use]
    pub fn of(client: &ConnectorClient) -> Self {
        Self::new(&client.client_id, client.kind, &client.name, client.uri.as_deref())
    }

    fn of_connector(connector: &Connector) -> Self {
        Self::new(&connector.client_id, connector.client_kind, &connector.client_name, connector.client_uri.as_deref())
    }

    fn new(id: &str, kind: ClientKind, name: &str, homepage_url: Option<&str>) -> Self {
        Self {
            id: id.to_owned(),
            kind: kind.text(),
            name: name.to_owned(),
            homepage_url: homepage_url.map(str::to_owned),
            proven_host: proven_host(id).filter(|_| kind == ClientKind::Document),
        }
    }
}

impl RedirectView {
    /// Returns the view of a redirect URI.
    #[must_use]
    pub fn of(uri: &str) -> Self {
        let target = redirect_target(uri);
        Self { target: target.name, is_local: target.is_local }
    }
}

impl RequestErrorView {
    /// Returns the view of an error.
    #[must_use]
    pub fn of(error: &OAuthError) -> Self {
        Self { code: error.code.text(), message: error.description.clone() }
    }
}
