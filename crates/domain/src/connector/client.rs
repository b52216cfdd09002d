//! OAuth clients of connectors. A client is known by its metadata document (draft-ietf-oauth-client-id-metadata-document),
//! whose URL is its id, or by dynamic registration (RFC 7591). Only the first proves who publishes it.

use ::url::{Host, Url};

use crate::{
    identity::app_url::{self, URL_CHARS_MAX},
    time::{DAY_MS, HOUR_MS, Time},
};

/// The longest name of a client, in characters.
pub const NAME_CHARS_MAX: usize = 100;
/// The most redirect URIs of a client.
pub const REDIRECT_URIS_MAX: usize = 20;
/// How long a fetched document is used, in milliseconds.
pub const DOCUMENT_MS: i64 = HOUR_MS;
/// How long a registered client is kept that nobody approved, in milliseconds.
pub const UNUSED_MS: i64 = DAY_MS;
/// The prefix of the id of a registered client.
pub const CLIENT_ID_PREFIX: &str = "phcc_";
/// Hosts of this machine whose port doesn't matter. Clients register `localhost` too, although RFC 8252 §8.3 advises
/// against it.
const LOOPBACK_HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];
/// Schemes of programs that don't follow the reverse domain names of RFC 8252 §7.1.
const PROGRAM_SCHEMES: [&str; 8] =
    ["claude", "cursor", "goose", "kiro", "vscode", "vscode-insiders", "windsurf", "zed"];

named! {
    /// How a client is known.
    ClientKind {
        /// By a document at the URL that is its id. The host of the URL is proven.
        Document = "document",
        /// By its registration. Nothing of it is proven.
        Registered = "registered",
    }
}

/// An OAuth client of connectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectorClient {
    /// Its id: a URL or a random text.
    pub client_id: String,
    /// How it is known.
    pub kind: ClientKind,
    /// What it calls itself.
    pub name: String,
    /// The home page that it names.
    pub uri: Option<String>,
    /// Where browsers may return to.
    pub redirect_uris: Vec<String>,
    /// When it was registered or fetched.
    pub created_at: Time,
    /// When it is fetched again or deleted.
    pub expires_at: Time,
}

impl ConnectorClient {
    /// Returns whether browsers may return to a URI, compared byte for byte, except for the port of this machine
    /// (RFC 8252 §7.3).
    #[must_use]
    pub fn returns_to(&self, uri: &str) -> bool {
        let is_same = |known: &String| known == uri || app_url::differs_in_port_at(&LOOPBACK_HOSTS, known, uri);
        self.redirect_uris.iter().any(is_same)
    }
}

/// Where a browser returns to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RedirectTarget {
    /// The host, or the scheme of a program.
    pub name: String,
    /// Whether it is a program on the person's own machine.
    pub is_local: bool,
}

/// Returns where a redirect URI leads.
#[must_use]
pub fn redirect_target(uri: &str) -> RedirectTarget {
    match Url::parse(uri) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => RedirectTarget {
            name: url.host_str().unwrap_or_default().to_owned(),
            is_local: url.scheme() == "http" && app_url::is_this_machine(&url),
        },
        Ok(url) => RedirectTarget { name: url.scheme().to_owned(), is_local: true },
        Err(_) => RedirectTarget { name: String::new(), is_local: false },
    }
}

/// Returns the host that a client id proves; `None` if it is no URL.
#[must_use]
pub fn proven_host(client_id: &str) -> Option<String> {
    let url = Url::parse(client_id).ok().filter(|url| url.scheme() == "https")?;
    let host = url.host_str()?.to_owned();
    Some(url.port().map_or(host.clone(), |port| format!("{host}:{port}")))
}

/// Returns what is wrong with a redirect URI of a client: `https`, `http` to this machine, or the scheme of a program.
#[must_use]
pub fn redirect_uri_problem(text: &str) -> Option<String> {
    if text.starts_with("https://") || text.starts_with("http://") {
        return app_url::redirect_uri_problem(text);
    }
    let is_program = text.split_once(':').is_some_and(|(scheme, _)| is_program_scheme(scheme));
    let is_clean = text.len() <= URL_CHARS_MAX
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'#' | b'\\' | b'"' | b'<' | b'>' | b'`'));
    if is_program && is_clean && Url::parse(text).is_ok() {
        return None;
    }
    Some(
        "must be https, http to this machine, or have a private-use scheme such as com.example.app:/callback"
            .to_owned(),
    )
}

/// Returns whether a scheme belongs to a program: a reverse domain name (RFC 8252 §7.1), or one of the known ones. Schemes
/// that browsers act on themselves, such as `javascript`, are neither.
fn is_program_scheme(scheme: &str) -> bool {
    let is_text =
        scheme.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+'));
    is_text && (PROGRAM_SCHEMES.contains(&scheme) || (scheme.contains('.') && !scheme.starts_with('.')))
}

/// Returns the URL of the metadata document of a client id; `None` if the id is not meant as a URL. `with_local` permits
/// `http` to this machine, for development.
///
/// # Errors
/// Returns what is wrong with the URL.
pub fn document_url(client_id: &str, with_local: bool) -> Option<Result<Url, String>> {
    if !client_id.contains("://") {
        return None;
    }
    Some(read_document_url(client_id, with_local))
}

fn read_document_url(text: &str, with_local: bool) -> Result<Url, String> {
    if text.len() > URL_CHARS_MAX || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("must be a URL of at most {URL_CHARS_MAX} ASCII characters"));
    }
    let url = Url::parse(text).map_err(|error| format!("is not a valid URL ({error})"))?;
    let is_local = with_local && url.scheme() == "http" && app_url::is_this_machine(&url);
    if url.scheme() != "https" && !is_local {
        return Err("must be an https URL".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err("must have no user name, password or fragment".to_owned());
    }
    if matches!(url.host(), None | Some(Host::Ipv4(_) | Host::Ipv6(_))) && !is_local {
        return Err("must name a host".to_owned());
    }
    if url.path() == "/" {
        return Err("must have a path".to_owned());
    }
    // Comparing texts is only safe if each document has one URL.
    if url.as_str() != text {
        return Err(format!("must be written as {url}"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(redirect_uris: &[&str]) -> ConnectorClient {
        ConnectorClient {
            client_id: "https://app.example/client.json".to_owned(),
            kind: ClientKind::Document,
            name: "App".to_owned(),
            uri: None,
            redirect_uris: redirect_uris.iter().map(|uri| (*uri).to_owned()).collect(),
            created_at: Time::from_millis(0),
            expires_at: Time::from_millis(0),
        }
    }

    #[test]
    fn only_the_port_of_this_machine_may_differ() {
        for host in LOOPBACK_HOSTS {
            for port in ["", ":1", ":65535"] {
                let known = client(&[&format!("http://{host}/callback")]);
                assert!(known.returns_to(&format!("http://{host}{port}/callback")));
                assert!(!known.returns_to(&format!("http://{host}{port}/other")));
                assert!(!known.returns_to(&format!("http://{host}.evil.example{port}/callback")));
                assert!(!known.returns_to(&format!("https://{host}{port}/callback")));
            }
        }
        let remote = client(&["https://app.example/cb"]);
        assert!(remote.returns_to("https://app.example/cb"));
        for wrong in ["https://app.example:444/cb", "https://app.example/cb/", "https://app.example/cb?x=1", ""] {
            assert!(!remote.returns_to(wrong), "{wrong}");
        }
    }

    #[test]
    fn redirect_uris_never_run_in_the_dashboard() {
        for fine in [
            "https://app.example/cb",
            "http://127.0.0.1:3000/cb",
            "http://localhost/cb",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "com.example.app:/callback",
        ] {
            assert_eq!(redirect_uri_problem(fine), None, "{fine}");
        }
        for scheme in ["javascript", "data", "vbscript", "file", "blob", "about", "view-source", "mailto", "ftp", "ws"]
        {
            for rest in [":alert(1)", "://app.example/%0aalert(1)", ":/callback"] {
                let uri = format!("{scheme}{rest}");
                assert!(redirect_uri_problem(&uri).is_some(), "{uri}");
                assert!(redirect_uri_problem(&uri.to_uppercase()).is_some(), "{uri}");
            }
        }
        for wrong in ["http://app.example/cb", "", "cursor", "cursor://a#b", "//app.example/cb", "com.example.app:/a b"]
        {
            assert!(redirect_uri_problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn a_document_has_one_url() {
        for (id, is_fine) in [
            ("https://app.example/client.json", true),
            ("https://app.example:8443/oauth/client", true),
            ("https://app.example/", false),
            ("https://app.example", false),
            ("https://App.example/client.json", false),
            ("https://app.example:443/client.json", false),
            ("https://app.example/a/../client.json", false),
            ("https://app.example/client.json#x", false),
            ("https://user@app.example/client.json", false),
            ("https://127.0.0.1/client.json", false),
            ("https://[::1]/client.json", false),
            ("http://app.example/client.json", false),
            ("http://127.0.0.1:9/client.json", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(document_url(id, false).is_some_and(|url| url.is_ok()), is_fine, "{id}");
        }
        assert!(document_url("phcc_abc", false).is_none());
        assert!(document_url("http://127.0.0.1:9/client.json", true).is_some_and(|url| url.is_ok()));
        assert!(document_url("http://app.example/client.json", true).is_some_and(|url| url.is_err()));
        assert_eq!(proven_host("https://app.example:8443/c").as_deref(), Some("app.example:8443"));
        assert_eq!(proven_host("http://127.0.0.1/c"), None);
    }
}
