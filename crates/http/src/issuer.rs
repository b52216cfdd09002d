//! `/oidc/…`: the issuer of identity tokens, an OpenID Connect provider (`docs/reference/identity.md`). Apps and browsers
//! call it without an API key. Errors have the form of OAuth 2.0 (RFC 6749 §5.2).

mod authorize;
mod documents;
mod error;
mod form;
mod token;
mod userinfo;

use axum::{
    http::{HeaderName, HeaderValue, Method, header},
    response::Response,
};

use self::form::OAuthQuery;
use crate::{
    Api,
    route::{PublicInput, Route, RouteResponse},
};
use posthouse_domain::error::{ErrorCode, Refusal};
use serde_json::{Value, json};
use std::sync::Arc;

/// Path of the token endpoint.
const TOKEN: &str = "/oidc/token";
/// Path of the userinfo endpoint.
const USERINFO: &str = "/oidc/userinfo";

pub(crate) fn routes() -> Vec<Route> {
    let preflight = |path, name| {
        Route::public(Method::OPTIONS, path, name)
            .summary("Allows apps in browsers to call the endpoint.")
            .answers_with(204, None)
            .handle(allow)
    };
    let mut routes = documents::routes();
    routes.extend(authorize::routes());
    routes.extend(token::routes());
    routes.extend(userinfo::routes());
    routes.push(preflight(TOKEN, "allowToken"));
    routes.push(preflight(USERINFO, "allowUserinfo"));
    routes
}

/// Returns the response of a refusal of an endpoint whose clients expect errors of OAuth 2.0; `None` for other paths.
/// The router uses it for every refusal of these routes, whichever check made it. A method that they don't have is no request
/// of OAuth.
pub(crate) fn refused(path: &str, refusal: &Refusal) -> Option<Response> {
    let is_of_route = refusal.code != ErrorCode::MethodNotAllowed;
    (is_of_route && has_oauth_errors(path)).then(|| error::service(refusal).into_response())
}

/// Returns whether the errors of a path have the form of OAuth 2.0.
pub(crate) fn has_oauth_errors(path: &str) -> bool {
    [TOKEN, USERINFO].contains(&path)
}

/// Returns the security requirements of a public route, for the OpenAPI description.
pub(crate) fn security(route: &Route) -> Value {
    match route.path {
        _ if route.method == Method::OPTIONS => json!([]),
        TOKEN => json!([{ "appSecret": [] }, {}]),
        USERINFO => json!([{ "accessToken": [] }]),
        _ => json!([]),
    }
}

async fn allow(_: Arc<Api>, _: PublicInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let fields = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    Ok(with_fields(open(RouteResponse::empty()), fields))
}

/// Lets pages of every site read a response: no cookie is involved.
fn open(response: RouteResponse) -> RouteResponse {
    response.with(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"))
}

/// Forbids caches to store a response with a token (RFC 6749 §5.1).
fn uncached(response: RouteResponse) -> RouteResponse {
    with_fields(open(response), [(header::CACHE_CONTROL, "no-store"), (header::PRAGMA, "no-cache")])
}

fn with_fields<const N: usize>(response: RouteResponse, fields: [(HeaderName, &'static str); N]) -> RouteResponse {
    fields.into_iter().fold(response, |response, (name, value)| response.with(name, HeaderValue::from_static(value)))
}
