//! The host names that the service accepts (`http.allowed_hosts`). Without this check, a page of another site whose
//! name resolves to this address (DNS rebinding) would have the same origin as the service. See
//! `docs/decisions/api.md#0010-known-host-names-only`.
//!
//! Only the request target and `Host` count. Clients can forge `X-Forwarded-Host` and similar fields.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::{self, header};
use posthouse_domain::error::{ErrorCode, Refusal};
use posthouse_mail::address::Address;

use posthouse_app::settings::AcmeConfig;

/// Routes that accept any name: health checks know only the address of the service.
pub(crate) const ANY_HOST_PATHS: [&str; 2] = ["/healthz", "/readyz"];
/// The name of this machine, and the domain of further names for it (RFC 6761 §6.3).
const LOCALHOST: &str = "localhost";
/// Most characters of a name that a refusal repeats.
const SHOWN_CHARS_MAX: usize = 100;

/// The names of the service.
#[derive(Debug)]
pub(crate) struct AllowedHosts(Vec<String>);

impl AllowedHosts {
    /// Collects the hosts of `base_url` and the issuer, those of `http.allowed_hosts`, and the names of an ACME certificate: the
    /// authority sends its requests to each of them.
    pub(crate) fn of(own_urls: &[&str], further: &[String], acme: &AcmeConfig) -> Self {
        let host = |url: &&str| {
            let url = url.parse::<http::Uri>().ok()?;
            AuthorityHost::of(url.authority()?.as_str())?.into_name()
        };
        let mut names = further.to_vec();
        names.extend(own_urls.iter().filter_map(host));
        if acme.enabled {
            names.extend(acme.names.iter().cloned());
        }
        Self(names)
    }

    /// Returns the refusal of a request for another name.
    pub(crate) fn refusal<T>(&self, request: &http::Request<T>) -> Option<Refusal> {
        let named = named(request);
        if ANY_HOST_PATHS.contains(&request.uri().path()) || self.include(&named) {
            return None;
        }
        let message = if named.is_empty() {
            "The request doesn't name a host.".to_owned()
        } else {
            let shown: String = named.chars().take(SHOWN_CHARS_MAX).collect();
            format!("The host `{shown}` is not a host of this server.")
        };
        Some(Refusal::new(ErrorCode::MisdirectedRequest, message))
    }

    fn include(&self, named: &str) -> bool {
        match AuthorityHost::of(named) {
            Some(AuthorityHost::Address) => true,
            Some(AuthorityHost::Name(name)) => name.rsplit('.').next() == Some(LOCALHOST) || self.0.contains(&name),
            None => false,
        }
    }
}

/// Returns the authority of a request: that of an absolute target before that of `Host` (RFC 9112 §3.2.2).
pub(crate) fn named<T>(request: &http::Request<T>) -> String {
    if let Some(authority) = request.uri().authority() {
        return authority.as_str().to_owned();
    }
    let host = request.headers().get(header::HOST);
    host.map(|host| String::from_utf8_lossy(host.as_bytes()).trim_matches([' ', '\t']).to_owned()).unwrap_or_default()
}

/// The host of an authority, without its port.
#[derive(PartialEq, Eq, Debug)]
enum AuthorityHost {
    /// A name, in the form used in DNS.
    Name(String),
    /// An IP address, which DNS rebinding cannot redirect.
    Address,
}

impl AuthorityHost {
    /// Parses `host` or `host:port`. Returns `None` for anything else, including an authority with a user.
    fn of(authority: &str) -> Option<Self> {
        let (host, port) = match authority.strip_prefix('[') {
            Some(inner) => {
                let (address, rest) = inner.split_once(']')?;
                // A zone (RFC 6874) is a network interface of this machine.
                address.split('%').next()?.parse::<Ipv6Addr>().ok()?;
                (None, rest)
            }
            None => {
                let end = authority.find(':').unwrap_or(authority.len());
                (Some(&authority[..end]), &authority[end..])
            }
        };
        let digits = if port.is_empty() { "" } else { port.strip_prefix(':')? };
        // An empty port means the default port (RFC 3986 §3.2.3).
        let is_port = digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok();
        if !digits.is_empty() && !is_port {
            return None;
        }
        let Some(host) = host else { return Some(Self::Address) };
        if host.parse::<Ipv4Addr>().is_ok() {
            return Some(Self::Address);
        }
        let host = host.strip_suffix('.').unwrap_or(host);
        if !host.is_ascii() {
            let address = Address::parse(&format!("postmaster@{host}")).ok()?;
            return Some(Self::Name(address.domain().to_owned()));
        }
        let is_label = |label: &str| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        host.split('.').all(is_label).then(|| Self::Name(host.to_ascii_lowercase()))
    }

    fn into_name(self) -> Option<String> {
        match self {
            Self::Name(name) => Some(name),
            Self::Address => None,
        }
    }
}

/// Returns whether the host of a valid HTTP URL is this machine.
#[must_use]
pub(crate) fn is_on_loopback(url: &str) -> bool {
    let Ok(uri) = url.parse::<axum::http::Uri>() else { return false };
    let host = uri.host().unwrap_or_default();
    match host.trim_matches(['[', ']']).parse::<std::net::IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => {
            host.trim_end_matches('.').rsplit('.').next().is_some_and(|top| top.eq_ignore_ascii_case("localhost"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acme(enabled: bool) -> AcmeConfig {
        AcmeConfig {
            enabled,
            directory: String::new(),
            root: None,
            email: None,
            names: vec!["mx.example.com".to_owned()],
            external_account: None,
        }
    }

    fn hosts() -> AllowedHosts {
        let further = ["posthouse", "xn--bcher-kva.example"].map(str::to_owned);
        AllowedHosts::of(&["https://Mail.Example.com.:8443/x", "https://id.example.net/oidc"], &further, &acme(false))
    }

    #[test]
    fn service_names_and_addresses_are_accepted() {
        for good in [
            "mail.example.com",
            "MAIL.example.COM:8443",
            "mail.example.com:1",
            "mail.example.com.",
            "mail.example.com.:80",
            "mail.example.com:",
            "posthouse",
            "POSTHOUSE:8080",
            "xn--bcher-kva.example",
            "XN--BCHER-KVA.example",
            "bücher.example",
            "BÜCHER.example:80",
            "localhost",
            "LocalHost:8080",
            "localhost.",
            "app.localhost",
            "a.b.localhost:3000",
            "127.0.0.1",
            "203.0.113.7:8080",
            "0.0.0.0",
            "[::1]",
            "[::1]:8080",
            "[2001:DB8::1]",
            "[::ffff:127.0.0.1]:80",
            "[fe80::1%25eth0]:80",
        ] {
            assert!(hosts().include(good), "{good}");
        }
    }

    #[test]
    fn no_other_name_is_allowed() {
        for bad in [
            "",
            ":80",
            ".",
            "evil.example",
            "mail.example.com.evil.example",
            "evil-mail.example.com",
            "x.mail.example.com",
            "example.com",
            "com",
            "mail.example.com..",
            ".mail.example.com",
            "mail..example.com",
            "localhost.evil.example",
            "localhost..",
            ".localhost",
            "evillocalhost",
            "evil.example#.localhost",
            "evil.example/.localhost",
            "evil.example?.localhost",
            "localhost:evil.example",
            "localhost:80:80",
            "localhost:+80",
            "localhost:65536",
            "localhost@evil.example",
            "evil.example@localhost",
            "a:b@localhost",
            "@localhost",
            "localhost ",
            "local host",
            "localhost,evil.example",
            "localhost\t",
            "lo%63alhost",
            "127.0.0.1.evil.example",
            "127.0.0.1@evil.example",
            "127.1",
            "127.0.0.01",
            "2130706433",
            "0x7f.0.0.1",
            "::1",
            "::1:80",
            "[::1",
            "[::1]x",
            "[::1].evil.example",
            "[evil.example]",
            "[127.0.0.1]",
            "[::1%25]evil",
            "[v1.x]",
            "http://localhost",
            "*.localhost/",
            "\u{0}localhost",
        ] {
            assert!(!hosts().include(bad), "{bad}");
        }
    }

    #[test]
    fn an_absolute_target_goes_before_host() {
        let table = [
            ("/v1/account", Some("posthouse"), true),
            ("/v1/account", Some("evil.example"), false),
            ("/v1/account", Some(""), false),
            ("/v1/account", None, false),
            ("http://posthouse/v1/account", Some("evil.example"), true),
            ("http://evil.example/v1/account", Some("posthouse"), false),
            ("http://user@posthouse/v1/account", Some("posthouse"), false),
            ("posthouse:80", Some("evil.example"), true),
            ("*", Some("evil.example"), false),
            ("/healthz", Some("evil.example"), true),
            ("/readyz?x", None, true),
            ("http://evil.example/healthz", Some("posthouse"), true),
            ("/healthz/", Some("evil.example"), false),
            ("/metrics", Some("evil.example"), false),
        ];
        for (target, host, is_allowed) in table {
            let mut request = http::Request::builder().uri(target);
            if let Some(host) = host {
                request = request.header("host", host).header("x-forwarded-host", "posthouse");
            }
            let refusal = hosts().refusal(&request.body(()).unwrap());
            assert_eq!(refusal.is_none(), is_allowed, "{target} {host:?}: {refusal:?}");
        }
    }

    #[test]
    fn acme_names_are_accepted() {
        for enabled in [false, true] {
            let hosts = AllowedHosts::of(&["http://127.0.0.1:8080"], &[], &acme(enabled));
            assert_eq!(hosts.include("mx.example.com"), enabled);
        }
    }

    #[test]
    fn loopback_urls_are_recognized() {
        for url in [
            "http://127.0.0.1:8080",
            "http://127.9.9.9",
            "https://[::1]:1/x",
            "http://LocalHost",
            "http://a.localhost.",
        ] {
            assert!(is_on_loopback(url), "{url}");
        }
        for url in [
            "http://0.0.0.0",
            "http://[::]",
            "http://192.0.2.1",
            "http://localhost.example.com",
            "https://mail.example.com",
        ] {
            assert!(!is_on_loopback(url), "{url}");
        }
    }
}
