//! The URLs of the configuration, checked in form: nothing is looked up or connected to.

use hyper::http::Uri;

use super::{LETS_ENCRYPT, LETS_ENCRYPT_STAGING, Relay};

/// Reads the URL of an HTTP server and takes its trailing slash away.
pub(super) fn http(text: &str) -> Result<String, String> {
    let wrong = || "must be a URL such as https://mail.example.com, without a query".to_owned();
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let web = matches!(uri.scheme_str(), Some("http" | "https"));
    if !web || uri.host().is_none_or(str::is_empty) || uri.query().is_some() || text.contains(['@', '#']) {
        return Err(wrong());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Reads where blobs are. Credentials of a bucket come from elsewhere.
pub(super) fn blobs(text: &str) -> Result<String, String> {
    let is_bucket = |rest: &str| {
        let bucket = rest.split('/').next().unwrap_or_default();
        !bucket.is_empty() && !rest.contains(['@', '?', '#']) && !bucket.contains(':')
    };
    let is_place = match (text.strip_prefix("s3://"), text.strip_prefix("file:///")) {
        (Some(rest), _) => is_bucket(rest),
        (_, Some(path)) => !path.is_empty(),
        _ => false,
    };
    if is_place {
        return Ok(text.to_owned());
    }
    Err("must be s3://bucket/prefix, with credentials by the usual AWS variables, or file:///path".to_owned())
}

/// Reads the URL of an ACME directory, or the name of a known one. Its answers are believed for what they prove, so it is https.
pub(super) fn acme_directory(text: &str) -> Result<String, String> {
    match text {
        "letsencrypt" => Ok(LETS_ENCRYPT.to_owned()),
        "letsencrypt-staging" => Ok(LETS_ENCRYPT_STAGING.to_owned()),
        url if url.starts_with("https://") && http(url).is_ok() => Ok(url.to_owned()),
        _ => Err("must be letsencrypt, letsencrypt-staging or an https URL".to_owned()),
    }
}

/// The host of a checked HTTP URL, if it is a name and not an address.
pub(super) fn host_name(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let host = uri.host()?;
    let is_address = host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok();
    (!is_address).then(|| host.to_ascii_lowercase())
}

/// Whether the host of a checked HTTP URL is this machine.
pub(super) fn is_on_loopback(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default();
    match host.trim_matches(['[', ']']).parse::<std::net::IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => {
            host.trim_end_matches('.').rsplit('.').next().is_some_and(|top| top.eq_ignore_ascii_case("localhost"))
        }
    }
}

/// Reads `smtp://user:pass@host:port` or `smtps://…`; user and password are percent-decoded.
pub(super) fn relay(text: &str) -> Result<Relay, String> {
    let wrong = || "must be a URL such as smtp://user:password@host:587, or smtps:// for TLS from the start".to_owned();
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let implicit_tls = match uri.scheme_str() {
        Some("smtp") => false,
        Some("smtps") => true,
        _ => return Err(wrong()),
    };
    let authority = uri.authority().ok_or_else(wrong)?;
    let host = authority.host().trim_matches(['[', ']']).to_owned();
    if host.is_empty() || !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(wrong());
    }
    let credentials = match authority.as_str().rsplit_once('@') {
        Some((user_info, _)) => {
            let (user, password) = user_info.split_once(':').ok_or_else(wrong)?;
            Some((decoded(user).ok_or_else(wrong)?, decoded(password).ok_or_else(wrong)?))
        }
        None => None,
    };
    let usual = match (implicit_tls, &credentials) {
        (true, _) => 465,
        (false, Some(_)) => 587,
        (false, None) => 25,
    };
    Ok(Relay { host, port: authority.port_u16().unwrap_or(usual), credentials, implicit_tls })
}

fn decoded(text: &str) -> Option<String> {
    percent_encoding::percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relays_are_read() {
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
            let found = relay(text).ok();
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
    fn places_of_blobs_are_read() {
        for good in ["s3://bucket", "s3://bucket/a/b", "file:///var/lib/blobs"] {
            assert_eq!(blobs(good), Ok(good.to_owned()));
        }
        for bad in ["s3://", "s3:///p", "s3://u:p@bucket/p", "s3://bucket?x=y", "file:///", "file://a", "/a", ""] {
            assert!(blobs(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn base_urls_are_read() {
        assert_eq!(http("https://mail.example.com/"), Ok("https://mail.example.com".to_owned()));
        assert_eq!(http("http://127.0.0.1:8080"), Ok("http://127.0.0.1:8080".to_owned()));
        for bad in ["mail.example.com", "ftp://x", "https://", "https://u:p@x", "https://x/?a=b", "https://x/#a", ""] {
            assert!(http(bad).is_err(), "{bad}");
        }
        assert_eq!(host_name("https://Mail.example.com:8443/x").as_deref(), Some("mail.example.com"));
        assert_eq!(host_name("http://[::1]:80"), None);
        assert_eq!(host_name("http://127.0.0.1:8080"), None);
    }

    #[test]
    fn this_machine_is_known() {
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
