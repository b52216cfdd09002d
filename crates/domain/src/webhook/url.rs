//! Validates the URL of a webhook and extracts the connection target.
//!
//! Hosts are parsed as browsers do (WHATWG URL), so `http://2130706433/` and `http://0x7f.1/` are recognized as the IP
//! addresses they are. Names are not resolved here: their addresses are checked at each attempt, and the connection
//! uses a checked address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::delivery::is_special_purpose;

/// Suffixes of names that exist only within a network (RFC 6761, RFC 6762, RFC 8375, and ICANN's `internal`).
const INTERNAL: &[&str] =
    &["localhost", "local", "internal", "home.arpa", "intranet", "lan", "corp", "home", "private"];
/// Lower ports belong to well-known services. Of those, only 80 and 443 are allowed.
const UNPRIVILEGED_PORT_MIN: u16 = 1_024;

/// Which webhook URLs the operator allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WebhookUrlRules {
    /// Also allows `http:`.
    pub http: bool,
    /// Allows hosts in private and other special-purpose networks.
    pub private_networks: bool,
}

/// The host of a URL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WebhookHost {
    /// A name, in A-label form.
    Name(String),
    /// An address.
    Address(IpAddr),
}

/// The connection target of a URL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebhookTarget {
    /// Whether to use TLS.
    pub https: bool,
    pub host: WebhookHost,
    pub port: u16,
    /// The path and query.
    pub path: String,
    /// The value of the `Host` header field.
    pub authority: String,
}

/// Parses and validates the URL of a webhook.
///
/// # Errors
/// Describes the problem as the end of a sentence that starts with "the URL".
pub fn parse_url(text: &str, rules: WebhookUrlRules) -> Result<WebhookTarget, String> {
    let url = ::url::Url::parse(text).map_err(|error| format!("is not a valid URL ({error})"))?;
    let https = match url.scheme() {
        "https" => true,
        "http" if rules.http => false,
        "http" => return Err("must start with `https://`".to_owned()),
        other => return Err(format!("must start with `https://`, not `{other}:`")),
    };
    if !url.username().is_empty() || url.password().is_some() || has_userinfo(text) {
        return Err("must not contain a username or password; use `headers` for credentials".to_owned());
    }
    let port = url.port_or_known_default().unwrap_or(0);
    if !(port >= UNPRIVILEGED_PORT_MIN || port == if https { 443 } else { 80 }) {
        return Err(format!(
            "must use port {} or a port from {UNPRIVILEGED_PORT_MIN} to 65535, not {port}",
            if https { 443 } else { 80 }
        ));
    }
    let host = match url.host() {
        Some(::url::Host::Domain(name)) => WebhookHost::Name(name.strip_suffix('.').unwrap_or(name).to_owned()),
        Some(::url::Host::Ipv4(address)) => WebhookHost::Address(IpAddr::V4(address)),
        Some(::url::Host::Ipv6(address)) => WebhookHost::Address(IpAddr::V6(address)),
        None => return Err("has no host".to_owned()),
    };
    if !rules.private_networks {
        check_public(&host)?;
    }
    let path = &url[::url::Position::BeforePath..::url::Position::AfterQuery];
    let authority = &url[::url::Position::BeforeHost..::url::Position::AfterPort];
    Ok(WebhookTarget { https, host, port, path: path.to_owned(), authority: authority.to_owned() })
}

/// Returns whether there is an `@` before the path. The parser ignores one with an empty user name and password.
fn has_userinfo(text: &str) -> bool {
    let rest = text.split_once("//").map_or("", |(_, rest)| rest);
    rest.split(['/', '?', '#', '\\']).next().is_some_and(|authority| authority.contains('@'))
}

fn check_public(host: &WebhookHost) -> Result<(), String> {
    match host {
        WebhookHost::Address(address) if is_special_purpose(*address) || is_unspecified(*address) => {
            Err(format!("must be reachable from the internet; {address} is not a public address"))
        }
        WebhookHost::Address(_) => Ok(()),
        WebhookHost::Name(name) => {
            let lower = name.to_ascii_lowercase();
            let inside = |suffix: &str| lower == *suffix || lower.ends_with(&format!(".{suffix}"));
            if lower.split('.').any(str::is_empty) {
                return Err(format!("must not have empty labels in the host name, as {name} does"));
            }
            if !lower.contains('.') || INTERNAL.iter().any(|suffix| inside(suffix)) {
                return Err(format!("must be reachable from the internet; {name} is an internal name"));
            }
            Ok(())
        }
    }
}

fn is_unspecified(address: IpAddr) -> bool {
    address == IpAddr::V4(Ipv4Addr::UNSPECIFIED) || address == IpAddr::V6(Ipv6Addr::UNSPECIFIED)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: WebhookUrlRules = WebhookUrlRules { http: false, private_networks: false };
    const LOOPBACK: WebhookUrlRules = WebhookUrlRules { http: true, private_networks: true };

    #[test]
    fn public_https_urls_are_accepted() {
        let target = parse_url("https://Hooks.Example.com/in?a=b#part", STRICT).expect("a fine URL");
        assert_eq!((target.https, target.port, target.path.as_str()), (true, 443, "/in?a=b"));
        assert_eq!(
            (target.host, target.authority.as_str()),
            (WebhookHost::Name("hooks.example.com".to_owned()), "hooks.example.com")
        );
        for fine in [
            "https://example.com",
            "https://example.com:8443/x",
            "https://example.com:1024/x",
            "https://example.com:65535/x",
            "https://8.8.8.8/x",
            "https://[2606:4700::1111]/x",
            "https://bücher.example/x",
            "https://example.com/a@b",
        ] {
            assert!(parse_url(fine, STRICT).is_ok(), "{fine}: {:?}", parse_url(fine, STRICT));
        }
        assert_eq!(
            parse_url("https://example.com:8443/", STRICT).map(|t| t.authority),
            Ok("example.com:8443".to_owned())
        );
    }

    #[test]
    fn other_urls_are_rejected() {
        for bad in [
            "",
            "example.com",
            "not a url",
            "ftp://example.com/",
            "http://example.com/",
            "https://",
            "javascript:alert(1)",
            "https://user@example.com/",
            "https://user:pass@example.com/",
            "https://@example.com/",
            "https://:@example.com/",
            "https://example.com:22/",
            "https://example.com:80/",
            "https://example.com:1023/",
            "https://example.com:0/",
            "https://example.com:65536/",
            "https://localhost/",
            "https://localhost./",
            "https://127.0.0.1../",
            "https://a.localhost:8443/",
            "https://intranet/",
            "https://printer.local/",
            "https://metadata.google.internal/",
            "https://nas.home.arpa/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://10.0.0.1/",
            "https://172.16.0.1/",
            "https://192.168.1.1/",
            "https://169.254.169.254/",
            "https://2852039166/",
            "https://100.64.0.1/",
            "https://0.0.0.0/",
            "https://0/",
            "https://224.0.0.1/",
            "https://255.255.255.255/",
            "https://[::1]/",
            "https://[::]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:a9fe:a9fe]/",
            "https://[fe80::1]/",
            "https://[fd00::1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[64:ff9b::a9fe:a9fe]/",
            "https://[2002:7f00:1::]/",
            "https://[2002:a00:1::1]/",
            "https://[::127.0.0.1]/",
            "https://①②⑦.0.0.1/",
            "https://127。0。0。1/",
            "https://[fe80::1%25eth0]/",
            "https:///127.0.0.1/",
        ] {
            assert!(parse_url(bad, STRICT).is_err(), "{bad}: {:?}", parse_url(bad, STRICT));
        }
    }

    #[test]
    fn operator_can_allow_http_and_private_networks() {
        for fine in [
            "http://127.0.0.1:9000/hook",
            "http://localhost:9000",
            "http://[::1]:9000/",
            "http://example.com/",
            "https://10.0.0.1/",
        ] {
            assert!(parse_url(fine, LOOPBACK).is_ok(), "{fine}");
        }
        for bad in ["http://127.0.0.1:22/", "http://a:b@localhost:9000/", "http://127.0.0.1:443/", "file:///etc/passwd"]
        {
            assert!(parse_url(bad, LOOPBACK).is_err(), "{bad}");
        }
        let only_http = WebhookUrlRules { http: true, private_networks: false };
        assert!(
            parse_url("http://example.com/", only_http).is_ok() && parse_url("http://10.0.0.1/", only_http).is_err()
        );
    }
}
