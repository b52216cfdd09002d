//! The pages that links in mail open (`docs/decisions/people.md#0025-links-in-mail`).

use axum::http::{HeaderName, header};
use posthouse_domain::{ErrorCode, Refusal};

use super::style_policy::{FormTarget, style_policy};
use crate::route::{RequestInfo, RouteResponse};

/// The content type of a page.
pub const HTML: &str = "text/html; charset=utf-8";

/// The style of the pages. Their policy names its hash.
const STYLE: &str = include_str!("link_page/style.css");

/// Returns the response to a link that doesn't work: a page for a browser, which is the same for a used, an expired, a
/// forged and a removed link; otherwise the error. `title` and `next_step` are HTML.
///
/// # Errors
/// Returns the refusal if the client is no browser, or if the link isn't the reason.
pub fn refused(
    refusal: Refusal,
    request: &RequestInfo,
    title: &str,
    next_step: &str,
) -> Result<RouteResponse, Refusal> {
    if refusal.code != ErrorCode::InvalidToken || !request.wants_html {
        return Err(refusal);
    }
    let content = format!(
        "<p>This link does not work: it was already used, was replaced by a newer one, or has expired.</p><p>{next_step}</p>"
    );
    Ok(response(refusal.code.status(), title, &content))
}

/// Returns a page. `title` and `content` are HTML.
#[must_use]
pub fn response(status: u16, title: &str, content: &str) -> RouteResponse {
    let text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>{content}</body></html>\n"
    );
    let fields = [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    let page = RouteResponse::typed(status, HTML, text).with_fields(fields);
    page.with(header::CONTENT_SECURITY_POLICY, style_policy(STYLE, FormTarget::Server))
}
