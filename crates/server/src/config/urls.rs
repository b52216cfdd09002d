//! Parses the URLs of the configuration. Nothing is looked up or connected to.

use hyper::http::Uri;

use posthouse_app::settings::Relay;

/// The directory of Let's Encrypt.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// The staging directory of Let's Encrypt: high rate limits, and certificates that no client trusts.
const LETS_ENCRYPT_STAGING: &str = "https://acme-staging-v02.api.letsencrypt.org/directory";

/// Parses the URL of an HTTP server and removes its trailing slash.
pub(super) fn http(text: &str) -> Option<String> {
    let uri: Uri = text.parse().ok()?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    if !is_http || uri.host().is_none_or(str::is_empty) || uri.query().is_some() || text.contains(['@', '#']) {
        return None;
    }
    Some(text.trim_end_matches('/').to_owned())
}

/// Returns whether the text is the URL of a blob store. It has no credentials.
pub(super) fn is_blob_store(text: &str) -> bool {
    let is_bucket = |rest: &str| {
        let bucket = rest.split('/').next().unwrap_or_default();
        !bucket.is_empty() && !rest.contains(['@', '?', '#']) && !bucket.contains(':')
    };
    match (text.strip_prefix("s3://"), text.strip_prefix("file:///")) {
        (Some(rest), _) => is_bucket(rest),
        (_, Some(path)) => !path.is_empty(),
        _ => false,
    }
}

/// Parses the URL of an ACME directory, which must be https, or the name of a known one.
pub(super) fn acme_directory(text: &str) -> Option<String> {
    match text {
        "letsencrypt" => Some(LETS_ENCRYPT.to_owned()),
        "letsencrypt-staging" => Some(LETS_ENCRYPT_STAGING.to_owned()),
        url if url.starts_with("https://") && http(url).is_some() => Some(url.to_owned()),
        _ => None,
    }
}

/// Returns the host of a valid HTTP URL, unless it is an IP address.
pub(super) fn host_name(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let host = uri.host()?;
    let is_address = host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok();
    (!is_address).then(|| host.to_ascii_lowercase())
}

/// Parses `smtp://user:pass@host:port` or `smtps://…`; user and password are percent-decoded.
pub(super) fn relay(text: &str) -> Option<Relay> {
    let uri: Uri = text.parse().ok()?;
    let implicit_tls = match uri.scheme_str() {
        Some("smtp") => false,
        Some("smtps") => true,
        _ => return None,
    };
    let authority = uri.authority()?;
    let host = authority.host().trim_matches(['[', ']']).to_owned();
    if host.is_empty() || !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return None;
    }
    let credentials = match authority.as_str().rsplit_once('@') {
        Some((user_info, _)) => {
            let (user, password) = user_info.split_once(':')?;
            Some((decoded(user)?, decoded(password)?))
        }
        None => None,
    };
    let usual = match (implicit_tls, &credentials) {
        (true, _) => 465,
        (false, Some(_)) => 587,
        (false, None) => 25,
    };
    Some(Relay { host, port: authority.port_u16().unwrap_or(usual), credentials, implicit_tls })
}

fn decoded(text: &str) -> Option<String> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relay_urls_are_parsed() {
        let table = [
            ("smtp://relay.example", Some(("relay.example", 25, None, false))),
            ("smtp://u:p%40ss@relay.example:2525", Some(("relay.example", 2525, Some(("u", "p@ss")), false))),
            ("smtp://u:p@relay.example", Some(("relay.example", 587, Some(("u", "p")), false))),
            ("smtps://u:p@[2001:db8::1]", Some(("2001:db8::1", 465, Some(("u", "p")), true))),
            ("http://relay.example", None),
            ("smtp://", None),
            ("smtp://user@relay.example", None),
            ("smtp://relay.example/x", None),
            ("relay.example:25", None),
        ];
        for (text, expected) in table {
            let found = relay(text);
            let expected = expected.map(|(host, port, credentials, implicit_tls)| Relay {
                host: host.to_owned(),
                port,
                credentials: credentials.map(|(user, password)| (user.to_owned(), password.to_owned())),
                implicit_tls,
            });
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn blob_urls_are_parsed() {
        for good in ["s3://bucket", "s3://bucket/a/b", "file:///var/lib/blobs"] {
            assert!(is_blob_store(good), "{good}");
        }
        for bad in ["s3://", "s3:///p", "s3://u:p@bucket/p", "s3://bucket?x=y", "file:///", "file://a", "/a", ""] {
            assert!(!is_blob_store(bad), "{bad}");
        }
    }

    #[test]
    fn base_urls_are_parsed() {
        assert_eq!(http("https://mail.example.com/").as_deref(), Some("https://mail.example.com"));
        assert_eq!(http("http://127.0.0.1:8080").as_deref(), Some("http://127.0.0.1:8080"));
        for bad in ["mail.example.com", "ftp://x", "https://", "https://u:p@x", "https://x/?a=b", "https://x/#a", ""] {
            assert!(http(bad).is_none(), "{bad}");
        }
        assert_eq!(host_name("https://Mail.example.com:8443/x").as_deref(), Some("mail.example.com"));
        assert_eq!(host_name("http://[::1]:80"), None);
        assert_eq!(host_name("http://127.0.0.1:8080"), None);
    }
}
