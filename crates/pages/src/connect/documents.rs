//! The metadata of the authorization server (RFC 8414) and of the MCP endpoint (RFC 9728).

use posthouse_api::views::connector::{AuthorizationServerView, ProtectedResourceView};
use posthouse_app::connectors::tokens::{CODE_GRANT, REFRESH_GRANT};
use posthouse_app::{connectors::resource, settings::AppConfig};
use posthouse_domain::{connector::SCOPE, identity::pkce};
use posthouse_http::prelude::*;

use super::{authorize, register, revoke, token};
use crate::form::OAuthQuery;

/// How long clients may cache the documents, in seconds.
const CACHED_S: u32 = 300;
/// What the consent screens of clients call the service.
const RESOURCE_NAME: &str = "Posthouse";

pub(super) fn routes() -> Vec<Route> {
    let of_resource = |path, name| {
        Operation::public(Method::Get, path, name)
            .summary("Returns the metadata of the MCP endpoint (RFC 9728).")
            .cross_origin()
            .responds::<ProtectedResourceView>(200)
            .responds_with(304, None)
            .page(protected_resource)
    };
    vec![
        Operation::public(Method::Get, "/.well-known/oauth-authorization-server", "getConnectorServerMetadata")
            .summary("Returns the metadata of the authorization server of connectors (RFC 8414).")
            .cross_origin()
            .responds::<AuthorizationServerView>(200)
            .responds_with(304, None)
            .page(authorization_server),
        of_resource("/.well-known/oauth-protected-resource", "getProtectedResourceMetadata"),
        // RFC 9728 §3.1 puts the path of the resource last.
        of_resource("/.well-known/oauth-protected-resource/mcp", "getMcpResourceMetadata"),
    ]
}

async fn authorization_server(service: Arc<Service>, input: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let document = server_document(&service.config);
    RouteResponse::cached_json(&input.request, CACHED_S, &document)
}

async fn protected_resource(service: Arc<Service>, input: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let document = ProtectedResourceView {
        resource: resource(&service.config),
        authorization_servers: [service.config.base_url.clone()],
        scopes_supported: [SCOPE],
        bearer_methods_supported: ["header"],
        resource_name: RESOURCE_NAME,
        resource_documentation: documentation(&service.config),
    };
    RouteResponse::cached_json(&input.request, CACHED_S, &document)
}

fn documentation(config: &AppConfig) -> String {
    format!("{}/docs", config.base_url)
}

fn server_document(config: &AppConfig) -> AuthorizationServerView {
    let at = |path: &str| format!("{}{path}", config.base_url);
    AuthorizationServerView {
        issuer: config.base_url.clone(),
        authorization_endpoint: at(authorize::PATH),
        token_endpoint: at(token::PATH),
        registration_endpoint: at(register::PATH),
        revocation_endpoint: at(revoke::PATH),
        scopes_supported: [SCOPE],
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: [CODE_GRANT, REFRESH_GRANT],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        code_challenge_methods_supported: [pkce::METHOD],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        service_documentation: documentation(config),
    }
}
