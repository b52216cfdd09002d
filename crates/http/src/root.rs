//! `/`: browsers are redirected to the API reference. Other clients get 404 `not_found`, which names the reference, so
//! that a wrong base URL is an error and not a page.

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderValue, Method, StatusCode, header},
    response::Response,
};
use posthouse_domain::error::{ErrorCode, Refusal};

/// The page that browsers get.
const REFERENCE: &str = "/docs";
/// What to do instead.
const FIX: &str =
    "Send requests to paths that begin with `/v1/`. The reference is at `/docs`, and as OpenAPI at `/v1/openapi.json`.";

/// Returns the redirection for a browser that asks for `/`.
pub(super) fn redirect(request: &Request) -> Option<Response> {
    let is_page = request.uri().path() == "/" && matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_page || !accepts_html(request) {
        return None;
    }
    let mut response = Response::new(Body::empty());
    // Not permanent, because another page may be here later.
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(REFERENCE));
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    Some(response)
}

/// Returns whether the request names HTML, as browsers do. `*/*` isn't enough: most programs send it.
fn accepts_html(request: &Request) -> bool {
    let fields = request.headers().get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut types = fields.flat_map(|field| field.split(',')).filter_map(|range| range.split(';').next());
    types.any(|name| name.trim().eq_ignore_ascii_case("text/html"))
}

/// Returns the error for a path without a route.
pub(super) fn no_route(request: &Request) -> Refusal {
    let refusal = Refusal::new(ErrorCode::NotFound, format!("There is no route `{}`.", request.uri().path()));
    if request.uri().path() == "/" { Refusal { fix: Some(FIX.to_owned()), ..refusal } } else { refusal }
}
