//! Request heads that the HTTP library accepts and RFC 9112 forbids: heads that two parsers interpret differently allow
//! request smuggling past a proxy. The refusal closes the connection.
//!
//! If a request has both `Content-Length` and `Transfer-Encoding`, the library keeps only the latter, so this check
//! cannot detect it (RFC 9112 §6.1 allows it).

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::{self, HeaderValue, Version, header};
use axum::response::Response;
use posthouse_domain::{ErrorCode, Refusal};

use crate::{Api, router};

/// Returns the refusal of a malformed head.
pub(crate) fn refusal<T>(request: &http::Request<T>) -> Option<Refusal> {
    let fields = request.headers();
    if fields.get_all(header::HOST).iter().count() > 1 {
        let refusal = Refusal::new(ErrorCode::InvalidRequest, "The request has several `Host` headers.");
        return Some(refusal.with_fix("Send `Host` once, with the name of this server."));
    }
    if request.version() == Version::HTTP_11 && !fields.contains_key(header::HOST) {
        // RFC 9112 §3.2
        let refusal = Refusal::new(ErrorCode::InvalidRequest, "The request has no `Host` header.");
        return Some(refusal.with_fix("Send `Host` with the name of this server, as every HTTP client library does."));
    }
    let mut codings = fields.get_all(header::TRANSFER_ENCODING).iter();
    let is_known = |value: &HeaderValue| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked");
    if codings.next().is_some_and(|value| !is_known(value)) || codings.next().is_some() {
        let refusal = Refusal::new(ErrorCode::InvalidRequest, "Only `Transfer-Encoding: chunked` is supported.");
        return Some(
            refusal.with_fix("Send the body with `Content-Length`, or with `Transfer-Encoding: chunked` alone."),
        );
    }
    None
}

/// Refuses such a request. Its sender is uncertain, so the response contains nothing about a workspace.
pub(crate) async fn refuse(api: Arc<Api>, request: Request, refusal: Refusal) -> Result<Response, Infallible> {
    let mut response = router::refuse(&api, request, refusal).await;
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    Ok(response)
}

/// Refuses a request for another host. The connection stays open: behind a proxy it also carries requests of other
/// clients.
pub(crate) async fn refuse_host(api: Arc<Api>, request: Request, refusal: Refusal) -> Result<Response, Infallible> {
    Ok(router::refuse(&api, request, refusal).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_heads_are_refused() {
        type Row = (Version, &'static [(&'static str, &'static str)], bool);
        let table: [Row; 10] = [
            (Version::HTTP_11, &[("host", "x")], true),
            (Version::HTTP_11, &[], false),
            (Version::HTTP_10, &[], true),
            (Version::HTTP_11, &[("host", "")], true),
            (Version::HTTP_11, &[("host", "x"), ("host", "x")], false),
            (Version::HTTP_11, &[("host", "x"), ("transfer-encoding", " Chunked ")], true),
            (Version::HTTP_11, &[("host", "x"), ("transfer-encoding", "gzip, chunked")], false),
            (
                Version::HTTP_11,
                &[("host", "x"), ("transfer-encoding", "gzip"), ("transfer-encoding", "chunked")],
                false,
            ),
            (Version::HTTP_11, &[("host", "x"), ("transfer-encoding", "chunked, chunked")], false),
            (Version::HTTP_11, &[("host", "x"), ("transfer-encoding", "identity")], false),
        ];
        for (version, fields, is_fine) in table {
            let mut request = http::Request::builder().version(version);
            for (name, value) in fields {
                request = request.header(*name, *value);
            }
            let refusal = refusal(&request.body(()).expect("a request"));
            assert_eq!(refusal.is_none(), is_fine, "{version:?} {fields:?}: {refusal:?}");
        }
    }
}
