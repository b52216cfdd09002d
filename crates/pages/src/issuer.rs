//! `/oidc/…`: the issuer of identity tokens, an OpenID Connect provider (`docs/reference/identity.md`). Apps and browsers
//! call it without an API key. Errors of the token and userinfo endpoints have the form of OAuth 2.0 (RFC 6749 §5.2).

mod authorize;
mod documents;
mod token;
mod userinfo;

use axum::http::header;
use posthouse_http::prelude::*;
use posthouse_http::response::oauth::open;

use crate::form::OAuthQuery;

/// Path of the token endpoint.
const TOKEN: &str = "/oidc/token";
/// Path of the userinfo endpoint.
const USERINFO: &str = "/oidc/userinfo";

pub(crate) fn routes() -> Vec<Route> {
    let preflight = |path, name| {
        Operation::public(Method::Options, path, name)
            .summary("Allows apps in browsers to call the endpoint.")
            .responds_with(204, None)
            .oauth_errors()
            .page(allow)
    };
    let mut routes = documents::routes();
    routes.extend(authorize::routes());
    routes.extend(token::routes());
    routes.extend(userinfo::routes());
    routes.push(preflight(TOKEN, "allowToken"));
    routes.push(preflight(USERINFO, "allowUserinfo"));
    routes
}

async fn allow(_: Arc<Service>, _: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let fields = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    Ok(open(RouteResponse::empty()).with_fields(fields))
}
