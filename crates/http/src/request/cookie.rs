//! The session cookie, and the rules against requests that another site makes a browser send
//! (`docs/reference/conventions.md#sessions`).

use axum::http::{HeaderMap, HeaderValue, Method, header};
use posthouse_domain::user::SESSION_MS;
use posthouse_domain::{ErrorCode, Refusal, SessionSecret};

/// The name of the session cookie.
pub(crate) const NAME: &str = "service_session";
/// The header that a change with a session needs. Other sites can't send it without a preflight request.
const REQUESTED_WITH: &str = "x-requested-with";
/// Its value.
const DASHBOARD: &str = "service-web";
/// Where a request comes from, as browsers state it (W3C Fetch Metadata).
const FETCH_SITE: &str = "sec-fetch-site";

/// Returns the session in the cookies of a request. If several cookies have the name, none counts: another site of the
/// same domain may have set one.
pub(crate) fn session(headers: &HeaderMap) -> Option<SessionSecret> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut values = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| {
        let (name, value) = cookie.trim().split_once('=')?;
        (name == NAME).then_some(value)
    });
    let value = values.next()?;
    if values.next().is_some() { None } else { SessionSecret::parse(value) }
}

/// Returns the `Set-Cookie` field that begins a session.
pub fn begin(secret: &SessionSecret, base_url: &str) -> Option<HeaderValue> {
    let max_age_s = SESSION_MS / 1_000;
    let text = format!("{NAME}={}; {}; Max-Age={max_age_s}", secret.reveal(), attributes(base_url));
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Returns the `Set-Cookie` field that removes the cookie.
pub fn end(base_url: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("{NAME}=; {}; Max-Age=0", attributes(base_url))).ok()
}

fn attributes(base_url: &str) -> String {
    let secure = if base_url.starts_with("https://") { "; Secure" } else { "" };
    format!("Path=/; HttpOnly; SameSite=Lax{secure}")
}

/// Checks that a change with a session comes from the dashboard.
///
/// # Errors
/// Returns `csrf` if it doesn't.
pub(crate) fn check_change(method: &Method, headers: &HeaderMap, base_url: &str) -> Result<(), Refusal> {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    check_site(headers, base_url)?;
    let is_dashboard = headers.get(REQUESTED_WITH).is_some_and(|value| value == DASHBOARD);
    if is_dashboard { Ok(()) } else { Err(csrf("The change lacks the header `X-Requested-With: service-web`.")) }
}

/// Checks that a browser sent the request from a page of this server. Other clients don't state where a request comes
/// from.
///
/// # Errors
/// Returns `csrf` if it came from another site.
pub(crate) fn check_site(headers: &HeaderMap, base_url: &str) -> Result<(), Refusal> {
    let site = headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
    if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
        return Err(csrf("A page of another site made this request."));
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_own = origin == base_url || (!host.is_empty() && origin.split_once("://").is_some_and(|(_, of)| of == host));
    if is_own { Ok(()) } else { Err(csrf("A page of another origin made this request.")) }
}

fn csrf(message: &str) -> Refusal {
    Refusal::new(ErrorCode::Csrf, message)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const BASE: &str = "https://mail.example";

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn one_cookie_is_the_session() {
        let secret = "a".repeat(34);
        let mine = format!("service_session={secret}");
        for (cookies, is_found) in [
            (vec![mine.clone()], true),
            (vec![format!("theme=dark; {mine}; x=y")], true),
            (vec!["theme=dark".to_owned(), mine.clone()], true),
            (vec![mine.clone(), mine.clone()], false),
            (vec![format!("{mine}; {mine}")], false),
            (vec!["service_session=short".to_owned()], false),
            (vec![format!("xservice_session={secret}")], false),
            (vec![], false),
        ] {
            let fields: Vec<(&'static str, &str)> = cookies.iter().map(|c| ("cookie", c.as_str())).collect();
            assert_eq!(session(&headers(&fields)).is_some(), is_found, "{cookies:?}");
        }
    }

    #[test]
    fn changes_come_from_the_dashboard() {
        const WEB: (&str, &str) = ("x-requested-with", "service-web");
        for (fields, is_allowed) in [
            (vec![], false),
            (vec![WEB], true),
            (vec![("x-requested-with", "XMLHttpRequest")], false),
            (vec![WEB, ("sec-fetch-site", "same-origin")], true),
            (vec![WEB, ("sec-fetch-site", "none")], true),
            (vec![WEB, ("sec-fetch-site", "same-site")], false),
            (vec![WEB, ("sec-fetch-site", "cross-site")], false),
            (vec![WEB, ("origin", "https://mail.example")], true),
            (vec![WEB, ("origin", "https://mail.example.evil.example")], false),
            (vec![WEB, ("origin", "null")], false),
            (vec![WEB, ("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")], true),
            (vec![WEB, ("origin", "http://evil.example"), ("host", "127.0.0.1:8080")], false),
            (vec![WEB, ("origin", "")], false),
        ] {
            for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
                assert_eq!(check_change(&method, &headers(&fields), BASE).is_ok(), is_allowed, "{method} {fields:?}");
            }
            assert!(check_change(&Method::GET, &headers(&fields), BASE).is_ok());
        }
    }

    #[test]
    fn the_cookie_is_hidden_from_scripts_and_secure_over_tls() {
        let secret = SessionSecret::parse(&"a".repeat(34)).unwrap();
        let text = |base| begin(&secret, base).unwrap().to_str().unwrap().to_owned();
        assert!(text(BASE).contains("; HttpOnly; SameSite=Lax; Secure; Max-Age="), "{}", text(BASE));
        assert!(!text("http://127.0.0.1:8080").contains("Secure"));
        assert!(end(BASE).unwrap().to_str().unwrap().ends_with("Max-Age=0"));
    }
}
