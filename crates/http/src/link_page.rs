//! The pages that links in mail open (`docs/decisions/0025-links-in-mail.md`).

use axum::http::{HeaderName, HeaderValue, header};

use super::route::RouteResponse;

/// The content type of a page.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Returns a page. `title` and `content` are HTML.
pub(crate) fn response(status: u16, title: &str, content: &str) -> RouteResponse {
    let text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title></head><body><h1>{title}</h1>{content}</body></html>\n"
    );
    let fields = [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    ];
    let page = RouteResponse::typed(status, HTML, text);
    fields.into_iter().fold(page, |page, (name, value)| page.with(name, HeaderValue::from_static(value)))
}
