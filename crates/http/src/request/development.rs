//! Admission to development routes. They need no key, so two rules keep out pages of other sites: a page cannot send
//! the content type of mail without a preflight request, and browsers send the page's origin.

use axum::http::{header, request};
use posthouse_app::settings::AppConfig;
use posthouse_call::BodyRule;
use posthouse_domain::{ErrorCode, Refusal};

use crate::request::{body, origin};
use crate::route::Route;

/// Admits a request to a development route.
///
/// # Errors
/// Returns `forbidden` for a request from a page of another site, or `unsupported_media_type` if the content type is
/// missing or not that of the route.
pub(crate) fn admit(config: &AppConfig, route: &Route, head: &request::Parts, named: &str) -> Result<(), Refusal> {
    if !origin::own(config, &head.extensions, named).include_all(&head.headers) {
        let refusal = Refusal::new(ErrorCode::Forbidden, "The request comes from a page of another site.");
        return Err(
            refusal.with_fix("Call this route from a program that sends no `Origin`, or from a page of this service.")
        );
    }
    match route.operation.body {
        Some(rule) => check_type(rule, head),
        None => Ok(()),
    }
}

/// Checks the content type. Several types count as none.
fn check_type(rule: BodyRule, head: &request::Parts) -> Result<(), Refusal> {
    let mut given = head.headers.get_all(header::CONTENT_TYPE).iter();
    match (given.next().map(|value| String::from_utf8_lossy(value.as_bytes())), given.next()) {
        (Some(given), None) => body::check_essence(rule, &given),
        (Some(_), Some(_)) => Err(body::wrong_type(rule, "The request has several Content-Type headers")),
        (None, _) => Err(body::wrong_type(rule, "The request has no Content-Type")),
    }
}
