//! Admission to development routes. They need no key, so two rules keep out pages of other sites: a page cannot send
//! the content type of mail without a preflight request, and browsers send the page's origin.

use axum::http::{Uri, header, request};
use posthouse_domain::error::{ErrorCode, Refusal};

use crate::{connection::client::HttpConnectionInfo, request::body, route::Route};
use posthouse_app::settings::AppConfig;
use posthouse_call::BodyRule;

/// Admits a request to a development route.
///
/// # Errors
/// Returns `forbidden` for a request from a page of another site, or `unsupported_media_type` if the content type is
/// missing or not that of the route.
pub(crate) fn admit(config: &AppConfig, route: &Route, head: &request::Parts, named: &str) -> Result<(), Refusal> {
    let is_tls = head.extensions.get::<HttpConnectionInfo>().is_some_and(|connection| connection.over_tls);
    let here = format!("{}://{named}", if is_tls { "https" } else { "http" });
    let own = [WebOrigin::of(&config.base_url), WebOrigin::of(&here)];
    for given in head.headers.get_all(header::ORIGIN) {
        let given = given.to_str().ok().and_then(WebOrigin::of);
        if given.is_none() || !own.contains(&given) {
            let refusal = Refusal::new(ErrorCode::Forbidden, "The request comes from a page of another site.");
            return Err(refusal
                .with_fix("Call this route from a program that sends no `Origin`, or from a page of this service."));
        }
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

/// A web origin (RFC 6454 §4).
#[derive(PartialEq, Eq, Debug)]
struct WebOrigin {
    is_https: bool,
    host: String,
    port: u16,
}

impl WebOrigin {
    fn of(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let is_https = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'))?;
        let port = authority.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        Some(Self { is_https, host: authority.host().to_ascii_lowercase(), port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_compared_by_scheme_host_and_port() {
        let same = [
            ("http://localhost", "http://LOCALHOST:80"),
            ("https://mail.example.com:443", "https://mail.example.com/x"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ];
        for (one, other) in same {
            assert!(WebOrigin::of(one).is_some() && WebOrigin::of(one) == WebOrigin::of(other), "{one} {other}");
        }
        let different = [
            ("http://localhost:8080", "http://localhost:3000"),
            ("http://localhost:8080", "https://localhost:8080"),
            ("http://localhost:8080", "http://evil.localhost:8080"),
            ("http://localhost:8080", "http://127.0.0.1:8080"),
        ];
        for (one, other) in different {
            assert_ne!(WebOrigin::of(one), WebOrigin::of(other));
        }
        for invalid in ["null", "", "localhost", "file:///x", "http://u@localhost", "chrome-extension://abc", "http://"]
        {
            assert_eq!(WebOrigin::of(invalid), None, "{invalid}");
        }
    }
}
