//! Heads that the HTTP library takes and RFC 9112 does not: what one reader of them understands otherwise than the next is how
//! requests are smuggled past a proxy. The connection ends with the refusal.
//!
//! Of a request with both fields of length the library hands on the transfer coding alone and leaves out `Content-Length`, so
//! that it cannot be seen here (RFC 9112 §6.1 allows it).

use std::{convert::Infallible, sync::Arc};

use axum::{
    extract::Request,
    http::{self, HeaderValue, Version, header},
    response::Response,
};
use posthouse_domain::error::{Code, Refusal};

use super::router;
use crate::app::App;

/// What is wrong with a head, if anything is.
pub(super) fn refusal<T>(request: &http::Request<T>) -> Option<Refusal> {
    let fields = request.headers();
    if fields.get_all(header::HOST).iter().count() > 1 {
        let refusal = Refusal::new(Code::InvalidRequest, "The request has several Host fields.");
        return Some(refusal.with_fix("Send Host once, with the name of this server."));
    }
    if request.version() == Version::HTTP_11 && !fields.contains_key(header::HOST) {
        // RFC 9112 §3.2
        let refusal = Refusal::new(Code::InvalidRequest, "The request has no Host field.");
        return Some(refusal.with_fix("Send Host with the name of this server, as every HTTP client library does."));
    }
    let mut codings = fields.get_all(header::TRANSFER_ENCODING).iter();
    let is_known = |value: &HeaderValue| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked");
    if codings.next().is_some_and(|value| !is_known(value)) || codings.next().is_some() {
        let refusal = Refusal::new(Code::InvalidRequest, "The transfer coding of the request is not chunked alone.");
        return Some(refusal.with_fix("Send the body as it is, with Content-Length or Transfer-Encoding: chunked."));
    }
    None
}

/// Answers such a request. Nobody can be sure whose it is, so nothing of a workspace is shown.
pub(super) async fn refuse(app: Arc<App>, request: Request, refusal: Refusal) -> Result<Response, Infallible> {
    let mut response = router::refuse(&app, request, refusal).await;
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    Ok(response)
}

/// Answers a request under a name that is not ours. The connection may go on: behind a proxy it has requests of others too.
pub(super) async fn misdirect(app: Arc<App>, request: Request, refusal: Refusal) -> Result<Response, Infallible> {
    Ok(router::refuse(&app, request, refusal).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_that_two_readers_may_understand_otherwise_is_refused() {
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
