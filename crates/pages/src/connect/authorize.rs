//! `/oauth/authorize`: where programs send browsers. It passes the request on to the dashboard, where a person decides.
//! Nothing is stored and nothing is fetched for a browser without a session.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use posthouse_domain::{OAuthParameters, connector::REQUEST_BYTES_MAX};
use posthouse_http::prelude::*;
use posthouse_http::{pages::link_page, pages::link_page::HTML};

use crate::form::{FORM, FORM_BYTES_MAX, OAuthEndpoint, OAuthForm, OAuthParameterDoc, OAuthQuery, parameter};
use crate::oauth::see_other;

/// Path of the authorization endpoint.
pub(super) const PATH: &str = "/oauth/authorize";
/// Path of the page of the dashboard.
const APPROVE: &str = "/connectors/approve";
/// Title of the page of an error.
const TITLE: &str = "Connect a program";

/// A request for access (RFC 6749 §4.1.1).
#[derive(Debug)]
struct Authorization;

impl OAuthEndpoint for Authorization {
    const PARAMETERS: &'static [OAuthParameterDoc] = &[
        parameter("response_type", true, "`code`"),
        parameter("client_id", true, "URL of the client's metadata document, or the id of its registration."),
        parameter("redirect_uri", false, "Where the browser returns: one of the client's redirect URIs."),
        parameter("code_challenge", true, "SHA-256 of the code verifier in base64url (RFC 7636)."),
        parameter("code_challenge_method", true, "`S256`"),
        parameter("state", false, "Returned unchanged."),
        parameter("resource", false, "URL of the MCP endpoint (RFC 8707)."),
        parameter("scope", false, "`mcp`. The person chooses inboxes and permissions."),
    ];
}

pub(super) fn routes() -> Vec<Route> {
    let page =
        |method, name| Operation::public(method, PATH, name).responds_with(303, None).responds_with(400, Some(HTML));
    vec![
        page(Method::Get, "authorizeConnector")
            .summary("Begins the approval of a program in a browser (RFC 6749 §4.1.1).")
            .page(begin),
        page(Method::Post, "authorizeConnectorByForm")
            .summary("Begins the approval of a program in a browser, with the parameters in a form.")
            .accepts(FORM, FORM_BYTES_MAX)
            .page(begin_by_form),
    ]
}

async fn begin(_: Arc<Service>, input: PageInput<OAuthQuery<Authorization>>) -> Result<RouteResponse, Refusal> {
    to_dashboard(&input.query.0)
}

async fn begin_by_form(
    _: Arc<Service>,
    input: PageInput<OAuthQuery, OAuthForm<Authorization>>,
) -> Result<RouteResponse, Refusal> {
    to_dashboard(&input.body.0)
}

fn problem(what: &str) -> RouteResponse {
    let text = format!("<p>The request of the program {what}.</p><p>Return to the program, or ask its maker.</p>");
    link_page::response(400, TITLE, &text)
}

/// Sends the browser to the dashboard with the same parameters.
fn to_dashboard(given: &OAuthParameters) -> Result<RouteResponse, Refusal> {
    if given.required("client_id").is_err() {
        return Ok(problem("doesn't say which program asks: `client_id` is missing or repeated"));
    }
    let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
    let pairs: Vec<String> =
        given.0.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    let query = pairs.join("&");
    if query.len() > REQUEST_BYTES_MAX {
        return Ok(problem("is too long"));
    }
    see_other(&format!("{APPROVE}?{query}"))
}
