//! `/oauth/…`: the authorization server of connectors, programs that a person allows to act in the workspace
//! (`docs/reference/connectors.md`). Programs and browsers call it without an API key. It is not the issuer of identity
//! tokens, which is at `/oidc/…`.

mod authorize;
mod documents;
mod register;
mod revoke;
mod token;

use axum::http::header;
use posthouse_app::limits::client_network;
use posthouse_http::prelude::*;
use posthouse_http::response::oauth::open;
use sha2::{Digest, Sha256};

use crate::form::OAuthQuery;

/// Path of the authorization endpoint.
const AUTHORIZE: &str = "/oauth/authorize";
/// Path of the token endpoint.
const TOKEN: &str = "/oauth/token";
/// Path of the registration endpoint.
const REGISTER: &str = "/oauth/register";
/// Path of the revocation endpoint.
const REVOKE: &str = "/oauth/revoke";

pub(crate) fn routes() -> Vec<Route> {
    let preflight = |path, name| {
        Operation::public(Method::Options, path, name)
            .summary("Allows programs in browsers to call the endpoint.")
            .responds_with(204, None)
            .oauth_errors()
            .page(allow)
    };
    let mut routes = documents::routes();
    routes.extend(authorize::routes());
    routes.extend(token::routes());
    routes.extend(register::routes());
    routes.extend(revoke::routes());
    routes.push(preflight(TOKEN, "allowConnectorToken"));
    routes.push(preflight(REGISTER, "allowClientRegistration"));
    routes.push(preflight(REVOKE, "allowTokenRevocation"));
    routes
}

async fn allow(_: Arc<Service>, _: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let fields = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, mcp-protocol-version"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    Ok(open(RouteResponse::empty()).with_fields(fields))
}

/// Returns what a request to an endpoint is counted by: the client and the address. So strangers can't use up the limit of
/// a client.
fn counted_as(client_id: &str, request: &RequestInfo) -> [u8; 32] {
    let network = client_network(request.client_ip).to_string();
    Sha256::new().chain_update(client_id).chain_update("\n").chain_update(network).finalize().into()
}
