//! URLs of apps: where a browser returns to after a sign-in, and home pages.

use ::url::{Host, Url};

/// The addresses whose port doesn't matter.
const LOOPBACK_ADDRESSES: [&str; 2] = ["127.0.0.1", "[::1]"];
/// The longest URL, in characters.
pub const URL_CHARS_MAX: usize = 2_000;

/// Returns what is wrong with a redirect URI. It is compared byte for byte later, except for the port of a loopback
/// address, so it has no pattern and no fragment (RFC 9700 §2.1); `http` is allowed to this machine only.
#[must_use]
pub fn redirect_uri_problem(text: &str) -> Option<String> {
    if text.contains('#') {
        return Some("must not have a fragment".to_owned());
    }
    if text.contains('*') {
        return Some("must not contain `*`; redirect URIs are compared exactly".to_owned());
    }
    let url = match parse(text) {
        Ok(url) => url,
        Err(problem) => return Some(problem),
    };
    if url.scheme() == "http" && !is_this_machine(&url) {
        return Some("must be https; http works only with `localhost`, 127.0.0.1 and [::1]".to_owned());
    }
    None
}

/// Returns whether two redirect URIs to a loopback address are equal but for their ports: a native app gets its port from
/// the operating system when it starts (RFC 8252 §7.3).
#[must_use]
pub fn differs_in_port(known: &str, uri: &str) -> bool {
    differs_in_port_at(&LOOPBACK_ADDRESSES, known, uri)
}

/// Returns whether two redirect URIs to one of these hosts are equal but for their ports.
pub(crate) fn differs_in_port_at(hosts: &[&str], known: &str, uri: &str) -> bool {
    match (without_port(hosts, known), without_port(hosts, uri)) {
        (Some(known), Some(uri_parts)) => known == uri_parts && redirect_uri_problem(uri).is_none(),
        _ => false,
    }
}

/// Splits an http URI with one of these hosts into the host and what is behind the port.
fn without_port<'u>(hosts: &[&'u str], uri: &'u str) -> Option<(&'u str, &'u str)> {
    let rest = uri.strip_prefix("http://")?;
    let address = hosts.iter().copied().find(|host| rest.starts_with(host))?;
    let behind = &rest[address.len()..];
    let path = match behind.strip_prefix(':') {
        Some(port) => port.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => behind,
    };
    (path.is_empty() || path.starts_with(['/', '?'])).then_some((address, path))
}

/// Returns what is wrong with the URL of a home page.
#[must_use]
pub fn homepage_problem(text: &str) -> Option<String> {
    parse(text).err()
}

/// Parses an http or https URL in printable ASCII with a host and without credentials.
fn parse(text: &str) -> Result<Url, String> {
    if text.is_empty() || text.len() > URL_CHARS_MAX {
        return Err(format!("must have 1 to {URL_CHARS_MAX} characters"));
    }
    if text.bytes().any(|byte| !byte.is_ascii_graphic() || matches!(byte, b'\\' | b'"' | b'<' | b'>' | b'`' | b'^')) {
        return Err("must be a URL in ASCII, with other characters percent-encoded".to_owned());
    }
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest.filter(|rest| !rest.starts_with('/')) else {
        return Err("must start with `https://`".to_owned());
    };
    if rest.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@')) {
        return Err("must not contain a username or password".to_owned());
    }
    let url = Url::parse(text).map_err(|error| format!("is not a valid URL ({error})"))?;
    if url.host_str().is_none_or(str::is_empty) { Err("has no host".to_owned()) } else { Ok(url) }
}

pub(crate) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Returns the origin of a URL for the policy of a page: `https://app.example:8443`.
#[must_use]
pub fn host(text: &str) -> String {
    Url::parse(text).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_a_loopback_address_does_not_matter() {
        let mut variants = 0;
        for host in ["127.0.0.1", "[::1]"] {
            for path in ["", "/", "/cb", "/cb?x=1", "/a/b", "?x"] {
                for (one, other) in [("", ":1"), (":80", ":51004"), (":8080", ""), (":3000", ":65535")] {
                    let (known, uri) = (format!("http://{host}{one}{path}"), format!("http://{host}{other}{path}"));
                    assert!(differs_in_port(&known, &uri), "{known} {uri}");
                    variants += 1;
                }
            }
        }
        assert!(variants >= 20);
        for (known, uri) in [
            ("http://127.0.0.1/cb", "http://127.0.0.1:1/other"),
            ("http://127.0.0.1/cb", "http://[::1]:1/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.10/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1@evil.example/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb"),
            ("http://127.0.0.1/cb", "https://127.0.0.1:1/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:99999/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb#x"),
            ("https://app.example/cb", "https://app.example:444/cb"),
            ("http://localhost/cb", "http://localhost:1/cb"),
        ] {
            assert!(!differs_in_port(known, uri), "{known} {uri}");
        }
    }

    #[test]
    fn redirect_uris_are_https_or_local() {
        for fine in [
            "https://app.example/callback",
            "https://app.example:8443/a?b=c",
            "https://app.example",
            "http://localhost:3000/cb",
            "http://127.0.0.1/cb",
            "http://[::1]:9/cb",
        ] {
            assert_eq!(redirect_uri_problem(fine), None, "{fine}");
        }
        for wrong in [
            "",
            "http://app.example/cb",
            "http://localhost.evil.example/cb",
            "http://127.0.0.1.evil.example/",
            "https://app.example/cb#x",
            "https://*.app.example/cb",
            "https://user@app.example/cb",
            "https://app.example@evil.example/",
            "https:///cb",
            "https://",
            "HTTPS://app.example/",
            "javascript:alert(1)",
            "data:text/html,x",
            "myapp://cb",
            "//app.example/cb",
            "https://app.example/a b",
            "https://app.example\\evil/",
            "https://app.example/\"",
            "https://äpp.example/",
        ] {
            assert!(redirect_uri_problem(wrong).is_some(), "{wrong}");
        }
        assert!(homepage_problem("http://app.example/").is_none() && homepage_problem("ftp://app.example").is_some());
    }
}
