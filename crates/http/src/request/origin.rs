//! The origin of the page that sent a request (`Origin`, RFC 6454). Programs send none.

use axum::http::{Extensions, HeaderMap, Uri, header};
use posthouse_app::settings::AppConfig;

use crate::connection::client::HttpConnectionInfo;

/// Origins whose pages may send a request.
#[derive(Debug)]
pub(crate) struct AllowedOrigins(Vec<WebOrigin>);

/// Returns the origins of this service: that of `base_url`, and that of the request itself, whose host is `named`.
pub(crate) fn own(config: &AppConfig, connection: &Extensions, named: &str) -> AllowedOrigins {
    let is_tls = connection.get::<HttpConnectionInfo>().is_some_and(|connection| connection.over_tls);
    let here = format!("{}://{named}", if is_tls { "https" } else { "http" });
    AllowedOrigins([config.base_url.as_str(), &here].into_iter().filter_map(WebOrigin::of).collect())
}

impl AllowedOrigins {
    /// Adds origins.
    pub(crate) fn and(mut self, texts: &[String]) -> Self {
        self.0.extend(texts.iter().filter_map(|text| WebOrigin::of(text)));
        self
    }

    /// Returns whether every origin that the request names is allowed.
    pub(crate) fn include_all(&self, headers: &HeaderMap) -> bool {
        all(headers, |origin| self.0.contains(origin))
    }

    /// [`AllowedOrigins::include_all`], and pages of this machine, which its user chose to run.
    pub(crate) fn include_all_or_loopback(&self, headers: &HeaderMap) -> bool {
        all(headers, |origin| origin.is_on_loopback() || self.0.contains(origin))
    }
}

fn all(headers: &HeaderMap, is_allowed: impl Fn(&WebOrigin) -> bool) -> bool {
    let mut given = headers.get_all(header::ORIGIN).iter();
    given.all(|text| text.to_str().ok().and_then(WebOrigin::of).is_some_and(|origin| is_allowed(&origin)))
}

/// A web origin (RFC 6454 §4).
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct WebOrigin {
    is_https: bool,
    host: String,
    port: u16,
}

impl WebOrigin {
    /// Parses an origin of the web. Other origins, such as `null`, are none.
    pub(crate) fn of(text: &str) -> Option<Self> {
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

    /// Returns whether the page is served by this machine.
    fn is_on_loopback(&self) -> bool {
        let host = self.host.trim_matches(['[', ']']);
        match host.parse::<std::net::IpAddr>() {
            Ok(address) => address.to_canonical().is_loopback(),
            Err(_) => host.rsplit('.').next() == Some("localhost"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_this_machine_are_recognized() {
        for (text, wanted) in [
            ("http://localhost:6274", true),
            ("http://app.localhost", true),
            ("https://127.0.0.9", true),
            ("http://[::1]:80", true),
            ("http://localhost.evil.example", false),
            ("http://127.0.0.1.evil.example", false),
            ("http://192.0.2.1", false),
        ] {
            assert_eq!(WebOrigin::of(text).unwrap().is_on_loopback(), wanted, "{text}");
        }
    }

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
