//! The names under which the service answers (`http.allowed_hosts`). A page of another site whose name leads to this address
//! (DNS rebinding) would be of the same origin as we are, if we answered under that name.
//!
//! Only the request target and `Host` count: `X-Forwarded-Host` and the like are for a proxy to say and for nobody to believe.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::{self, header};
use posthouse_domain::error::{Code, Refusal};
use posthouse_mail::address::Address;

use crate::config::Config;

/// Routes that answer under any name: what asks after the health of the service knows only its address.
pub(super) const UNDER_ANY_NAME: [&str; 2] = ["/healthz", "/readyz"];
/// The name of this machine, and the domain of more of them (RFC 6761 §6.3).
const LOCALHOST: &str = "localhost";
/// Most characters of a name that a refusal repeats.
const SHOWN_CHARS_MAX: usize = 100;

/// The names of the service.
#[derive(Debug)]
pub(super) struct Hosts(Vec<String>);

impl Hosts {
    /// The host of `base_url`, those of `http.allowed_hosts`, and those of the certificate that is got by ACME: the authority
    /// asks under each of them.
    pub(super) fn of(config: &Config) -> Self {
        let base = config.base_url.parse::<http::Uri>().ok();
        let base = base.as_ref().and_then(http::Uri::authority).and_then(|authority| Host::of(authority.as_str()));
        let mut names = config.http.allowed_hosts.clone();
        names.extend(base.and_then(Host::into_name));
        if config.smtp.acme {
            names.extend(config.acme.names.iter().cloned());
        }
        Self(names)
    }

    /// What a request under another name is told.
    pub(super) fn refusal<T>(&self, request: &http::Request<T>) -> Option<Refusal> {
        let named = named(request);
        if UNDER_ANY_NAME.contains(&request.uri().path()) || self.include(&named) {
            return None;
        }
        let message = if named.is_empty() {
            "The request does not name a host.".to_owned()
        } else {
            let shown: String = named.chars().take(SHOWN_CHARS_MAX).collect();
            format!("This service does not answer under the name '{shown}'.")
        };
        Some(Refusal::new(Code::MisdirectedRequest, message))
    }

    fn include(&self, named: &str) -> bool {
        match Host::of(named) {
            Some(Host::Address) => true,
            Some(Host::Name(name)) => name.rsplit('.').next() == Some(LOCALHOST) || self.0.contains(&name),
            None => false,
        }
    }
}

/// The authority that a request names: that of an absolute target before that of `Host` (RFC 9112 §3.2.2).
pub(super) fn named<T>(request: &http::Request<T>) -> String {
    if let Some(authority) = request.uri().authority() {
        return authority.as_str().to_owned();
    }
    let host = request.headers().get(header::HOST);
    host.map(|host| String::from_utf8_lossy(host.as_bytes()).trim_matches([' ', '\t']).to_owned()).unwrap_or_default()
}

/// What an authority names, without its port.
#[derive(PartialEq, Eq, Debug)]
enum Host {
    /// A name, in the form that DNS knows.
    Name(String),
    /// An IP address: no name leads elsewhere.
    Address,
}

impl Host {
    /// Reads `host` or `host:port`; none for anything else, and for a user before it.
    fn of(authority: &str) -> Option<Self> {
        let (host, port) = match authority.strip_prefix('[') {
            Some(inner) => {
                let (address, rest) = inner.split_once(']')?;
                // A zone (RFC 6874) is an interface of this machine.
                address.split('%').next()?.parse::<Ipv6Addr>().ok()?;
                (None, rest)
            }
            None => {
                let end = authority.find(':').unwrap_or(authority.len());
                (Some(&authority[..end]), &authority[end..])
            }
        };
        let digits = if port.is_empty() { "" } else { port.strip_prefix(':')? };
        // An empty port is the usual one (RFC 3986 §3.2.3).
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

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> Hosts {
        let mut config = Config::loopback();
        config.base_url = "https://Mail.Example.com.:8443/x".to_owned();
        config.http.allowed_hosts = vec!["posthouse".to_owned(), "xn--bcher-kva.example".to_owned()];
        Hosts::of(&config)
    }

    #[test]
    fn the_names_of_the_service_and_addresses_are_allowed() {
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
    fn the_names_of_a_certificate_by_acme_are_ours() {
        let mut config = Config::loopback();
        config.acme.names = vec!["mx.example.com".to_owned()];
        assert!(!Hosts::of(&config).include("mx.example.com"));
        config.smtp.acme = true;
        assert!(Hosts::of(&config).include("mx.example.com"));
    }
}
