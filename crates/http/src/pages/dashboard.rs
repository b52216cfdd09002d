//! The dashboard: the files of `web/dist`, embedded in the binary. Every page of it is the same document, so that a
//! link to any screen opens; other clients get the API's error for an unknown path.

use std::{borrow::Cow, collections::HashMap, io::Write, sync::OnceLock};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, header},
    response::Response,
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use posthouse_domain::error::{ErrorCode, Refusal};
use rust_embed::RustEmbed;

/// The built dashboard (`npm run build` in `web/`).
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct DashboardFiles;

/// The document of every page.
const DOCUMENT: &str = "index.html";
/// Paths below which a browser gets the API's errors and not a page.
const NOT_PAGES: &[&str] =
    &["/v1/", "/platform/", "/dev/", "/assets/", "/confirm/", "/.well-known/", "/oidc/", "/oauth/", "/directory/"];
/// Pages for clients that accept any type (`*/*`), not only for those that name HTML: the root, and the targets of links in
/// mail, because programs that check links don't name HTML.
const PAGES_FOR_ALL: &[&str] = &["/", "/sign-in"];
/// Prefixes of further such pages.
const BELOW_FOR_ALL: &[&str] = &["/inbox/", "/approvals/", "/settings/"];
/// What pages may load. Mail is shown in a frame with a stricter policy of its own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/// The names of assets contain a hash of their content.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// What to do instead of requesting an unknown path.
const FIX: &str = "Check the path. The reference is at `/docs`, and as OpenAPI at `/v1/openapi.json`.";
/// Level of compression. Each file is compressed once, when it is first asked for.
const ZSTD_LEVEL: i32 = 12;

/// The files, compressed when the first is asked for.
#[derive(Default)]
pub(crate) struct Dashboard(OnceLock<HashMap<String, DashboardFile>>);

/// A file of the dashboard.
struct DashboardFile {
    plain: Bytes,
    /// With each encoding that makes it smaller, the best first.
    encoded: Vec<(&'static str, Bytes)>,
}

impl Dashboard {
    /// Returns the response to a browser that asks for a page or a file of the dashboard.
    pub(crate) fn response(&self, request: &Request) -> Option<Response> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return None;
        }
        let path = request.uri().path();
        if let Some(file) = path.strip_prefix('/').filter(|_| path.starts_with("/assets/")) {
            return self.file_response(file, FOR_EVER, request);
        }
        let is_for_all = PAGES_FOR_ALL.contains(&path) || BELOW_FOR_ALL.iter().any(|prefix| path.starts_with(prefix));
        let is_accepted = accepts_html(request.headers()) || (is_for_all && accepts_anything(request.headers()));
        let is_page = is_accepted && !NOT_PAGES.iter().any(|prefix| path.starts_with(prefix));
        if is_page { self.file_response(DOCUMENT, "no-cache", request) } else { None }
    }

    fn file_response(&self, name: &str, caching: &'static str, request: &Request) -> Option<Response> {
        let file = self.files().get(name)?;
        let accepted = request.headers().get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let encoded = file.encoded.iter().find(|(name, _)| accepted.is_some_and(|accepted| accepts(accepted, name)));
        let body = encoded.map_or(&file.plain, |(_, bytes)| bytes);
        let mut response = Response::new(Body::from(body.clone()));
        let headers = response.headers_mut();
        if let Some((name, _)) = encoded {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        for (name, value) in [
            (header::CONTENT_TYPE, content_type(name)),
            (header::CACHE_CONTROL, caching),
            (header::VARY, "Accept, Accept-Encoding"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::X_FRAME_OPTIONS, "DENY"),
            // Names in mail that a person reads are not looked up.
            (header::X_DNS_PREFETCH_CONTROL, "off"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        Some(response)
    }

    fn files(&self) -> &HashMap<String, DashboardFile> {
        self.0.get_or_init(|| {
            let file = |name: Cow<'static, str>| {
                let plain = DashboardFiles::get(&name)?.data;
                let compressed = [("zstd", zstd::bulk::compress(&plain, ZSTD_LEVEL)), ("gzip", gzip(&plain))];
                let smaller = |(name, bytes): (&'static str, std::io::Result<Vec<u8>>)| {
                    let bytes = bytes.ok().filter(|bytes| bytes.len() < plain.len())?;
                    Some((name, Bytes::from(bytes)))
                };
                let encoded = compressed.into_iter().filter_map(smaller).collect();
                let file = DashboardFile { plain: Bytes::from(plain.into_owned()), encoded };
                Some((name.into_owned(), file))
            };
            DashboardFiles::iter().filter_map(file).collect()
        })
    }
}

fn gzip(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}

/// Returns whether `Accept-Encoding` names an encoding, with a weight above 0 (RFC 9110 §12.5.3).
fn accepts(accepted: &str, encoding: &str) -> bool {
    accepted.split(',').any(|range| {
        let (name, weight) = range.split_once(';').unwrap_or((range, ""));
        let is_refused = weight.trim().strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()) == Some(0.0);
        name.trim().eq_ignore_ascii_case(encoding) && !is_refused
    })
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// Returns whether the request names HTML, as browsers do. `*/*` isn't enough: most programs send it.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut types = fields.flat_map(|field| field.split(',')).filter_map(|range| range.split(';').next());
    types.any(|name| name.trim().eq_ignore_ascii_case("text/html"))
}

/// Returns whether the client accepts any type: without `Accept`, or with `*/*` alone.
fn accepts_anything(headers: &HeaderMap) -> bool {
    let mut fields = headers.get_all(header::ACCEPT).iter();
    match (fields.next(), fields.next()) {
        (None, _) => true,
        (Some(only), None) => only.to_str().is_ok_and(|only| only.split(';').next().map(str::trim) == Some("*/*")),
        (Some(_), Some(_)) => false,
    }
}

/// Returns the error for a path without a route.
pub fn no_route(request: &Request) -> Refusal {
    Refusal::new(ErrorCode::NotFound, format!("There is no route `{}`.", request.uri().path())).with_fix(FIX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn request(path: &str, accept: &str) -> Request {
        Request::builder().uri(path).header("accept", accept).body(Body::empty()).unwrap()
    }

    #[test]
    fn browsers_get_the_document_for_every_screen_and_other_clients_an_error() {
        let dashboard = Dashboard::default();
        let response = |request: &Request| dashboard.response(request);
        for path in ["/", "/inbox", "/inbox/1/threads/2", "/sign-in", "/approvals/x"] {
            let page = response(&request(path, "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")).unwrap();
            assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8", "{path}");
            assert!(!page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().contains("unsafe"));
            assert!(response(&request(path, "application/json")).is_none(), "{path}");
            assert!(response(&request(path, "application/json, */*;q=0.5")).is_none(), "{path}");
        }
        for (path, is_page) in [
            ("/", true),
            ("/sign-in", true),
            ("/inbox/1/2", true),
            ("/approvals/1/2", true),
            ("/settings/on-call", true),
            ("/inbox", false),
            ("/inboxes", false),
            ("/sign-in/x", false),
            ("/messages", false),
        ] {
            assert_eq!(response(&request(path, "*/*")).is_some(), is_page, "{path}");
            let silent = Request::builder().uri(path).body(Body::empty()).unwrap();
            assert_eq!(response(&silent).is_some(), is_page, "{path}");
        }
        for path in ["/v1/nowhere", "/platform/nowhere", "/dev/nowhere", "/assets/nowhere.js"] {
            assert!(response(&request(path, "text/html")).is_none(), "{path}");
        }
    }

    #[test]
    fn a_file_is_compressed_as_the_browser_accepts() {
        let dashboard = Dashboard::default();
        for (accepted, encoding) in [
            ("gzip, deflate, br, zstd", Some("zstd")),
            ("gzip, deflate, br", Some("gzip")),
            ("zstd;q=0, gzip;q=0.5", Some("gzip")),
            ("br", None),
            ("gzip;q=0", None),
        ] {
            let mut asked = request("/", "text/html");
            asked.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            let served = dashboard.response(&asked).unwrap();
            let named = served.headers().get(header::CONTENT_ENCODING).and_then(|value| value.to_str().ok());
            assert_eq!(named, encoding, "{accepted}");
        }
        let file = &dashboard.files()[DOCUMENT];
        let (_, bytes) = file.encoded.iter().find(|(name, _)| *name == "gzip").unwrap();
        let mut plain = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut plain).unwrap();
        assert_eq!(plain, file.plain);
    }

    #[test]
    fn every_asset_of_the_document_is_served_and_cached_for_ever() {
        let dashboard = Dashboard::default();
        let response = |request: &Request| dashboard.response(request);
        let document = String::from_utf8(dashboard.files()[DOCUMENT].plain.to_vec()).unwrap();
        let assets: Vec<&str> = document.split('"').filter(|text| text.starts_with("/assets/")).collect();
        assert!(!assets.is_empty(), "{document}");
        for asset in assets {
            let served = response(&request(asset, "*/*")).unwrap();
            assert_eq!(served.headers()[header::CACHE_CONTROL], FOR_EVER, "{asset}");
            assert_ne!(served.headers()[header::CONTENT_TYPE], "application/octet-stream", "{asset}");
        }
    }
}
