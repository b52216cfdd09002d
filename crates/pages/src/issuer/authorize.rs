//! `/oidc/authorize`: where apps send browsers, and the page that waits for an agent. The page has no script; it reloads
//! itself, and the person can reload it too.

use axum::http::HeaderName;
use posthouse_app::sign_in_with::authorize::{self, AuthorizeStep, OfferedReturn, PendingSignIn, WaitingPage};
use posthouse_app::{access::authenticate::require_workspace, access::credentials, limits::client_network};
use posthouse_domain::{IdentityScope, IdentityScopes, OAuthParameters, identity::app_url};
use posthouse_http::prelude::*;
use posthouse_http::{pages::docs::html::escape, pages::link_page, pages::link_page::HTML};

use crate::form::{FORM, FORM_BYTES_MAX, OAuthEndpoint, OAuthForm, OAuthParameterDoc, OAuthQuery, parameter};
use crate::oauth::see_other;

/// Path of the authorization endpoint.
const AUTHORIZE: &str = "/oidc/authorize";
/// Path of a waiting page.
const WAIT: &str = "/oidc/authorize/{secret}";
/// How often a waiting page reloads, in seconds.
const RELOAD_S: &str = "3";
/// Title of the pages.
const TITLE: &str = "Sign in with an agent";
/// Reloads a page (HTML §2.3.5); `http` has no constant for it.
const REFRESH: HeaderName = HeaderName::from_static("refresh");

/// A request for a sign-in (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
#[derive(Debug)]
struct Authorization;

impl OAuthEndpoint for Authorization {
    const PARAMETERS: &'static [OAuthParameterDoc] = &[
        parameter("response_type", true, "`code`"),
        parameter("client_id", true, "Id of the app."),
        parameter("redirect_uri", true, "Where the browser returns: one of the app's redirect URIs, to the byte."),
        parameter("scope", false, "Scopes, separated by spaces. Unknown ones are ignored."),
        parameter("state", false, "Returned unchanged."),
        parameter("nonce", false, "The claim `nonce` of the identity token."),
        parameter(
            "code_challenge",
            false,
            "SHA-256 of the code verifier in base64url (RFC 7636). Required for apps \
            without a secret, and for others unless there is a `nonce`.",
        ),
        parameter("code_challenge_method", false, "`S256`"),
        parameter("response_mode", false, "`query`"),
        parameter("login_hint", false, "Address of the agent."),
        parameter("prompt", false, "`none`: show nothing. `login`, `consent`, `select_account`: ask the agent again."),
        parameter("max_age", false, "Seconds since the person signed in to the dashboard, at most."),
    ];
}

pub(super) fn routes() -> Vec<Route> {
    let page = |method, path, name| {
        Operation::public(method, path, name)
            .responds_with(200, Some(HTML))
            .responds_with(303, None)
            .responds_with(400, Some(HTML))
    };
    vec![
        page(Method::Get, AUTHORIZE, "authorize")
            .summary("Begins a sign-in in a browser (RFC 6749 §4.1.1).")
            .page(begin),
        page(Method::Post, AUTHORIZE, "authorizeByForm")
            .summary("Begins a sign-in in a browser, with the parameters in a form.")
            .accepts(FORM, FORM_BYTES_MAX)
            .page(begin_by_form),
        page(Method::Get, WAIT, "awaitSignIn")
            .summary("Shows the code of a sign-in until an agent approves it, then returns to the app.")
            .page(wait),
    ]
}

async fn begin(service: Arc<Service>, input: PageInput<OAuthQuery<Authorization>>) -> Result<RouteResponse, Refusal> {
    begin_with(&service, input.query.0, &input.request).await
}

async fn begin_by_form(
    service: Arc<Service>,
    input: PageInput<OAuthQuery, OAuthForm<Authorization>>,
) -> Result<RouteResponse, Refusal> {
    begin_with(&service, input.body.0, &input.request).await
}

async fn begin_with(
    service: &Service,
    given: OAuthParameters,
    request: &RequestInfo,
) -> Result<RouteResponse, Refusal> {
    let browser = authorize::SignInBrowser {
        ip: request.client_ip,
        network: client_network(request.client_ip),
        user_agent: request.user_agent.clone(),
        member: member(service, request).await?,
        is_head: request.is_head,
        is_framed: request.is_framed,
    };
    Ok(match authorize::begin(service, given, browser).await? {
        AuthorizeStep::Nothing => unopened(),
        AuthorizeStep::Problem(text) => problem(400, &text),
        AuthorizeStep::Return(uri) => see_other(&uri)?,
        AuthorizeStep::Offer(offer) => offer_page(&offer),
        AuthorizeStep::Wait(secret) => see_other(&format!("{}/authorize/{secret}", service.config.issuer()))?,
    })
}

/// Returns the member who is signed in to the dashboard with this browser. A person who is in no workspace is nobody's.
async fn member(service: &Service, request: &RequestInfo) -> Result<Option<Caller>, Refusal> {
    let Some(secret) = &request.session else { return Ok(None) };
    match credentials::session(service, secret, request.client_ip).await {
        Ok(found) => Ok(Some(found.caller).filter(|caller| require_workspace(caller).is_ok())),
        Err(refusal) if refusal.code == ErrorCode::Unauthorized => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

async fn wait(service: Arc<Service>, input: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    if input.request.is_head {
        return Ok(unopened());
    }
    let network = client_network(input.request.client_ip);
    Ok(match authorize::wait(&service, input.path.text("secret").to_owned(), network).await? {
        WaitingPage::Pending(pending) => pending_page(&pending, &service.config.base_url),
        WaitingPage::Return(uri) => see_other(&uri)?,
        WaitingPage::Offer(offer) => offer_page(&offer),
        WaitingPage::Over => {
            let text = "<p>This sign-in is over: it was completed, or nobody approved it within 10 minutes.</p>\
                        <p>Return to the app and sign in again.</p>";
            link_page::response(400, TITLE, text)
        }
    })
}

/// Returns the response to a `HEAD`, which opens no page: opening one begins a sign-in or delivers its code.
fn unopened() -> RouteResponse {
    link_page::response(200, TITLE, "")
}

fn problem(status: u16, text: &str) -> RouteResponse {
    let content = format!(
        "<p>The app sent a request that can't be processed: {}</p><p>Return to the app, or ask its owner.</p>",
        escape(text)
    );
    link_page::response(status, TITLE, &content)
}

/// Returns the page that asks whether to go on to the app.
fn offer_page(offer: &OfferedReturn) -> RouteResponse {
    let (name, host, uri) = (escape(&offer.client_name), escape(&offer.host), escape(&offer.uri));
    let why = match &offer.reason {
        Some(reason) => {
            format!("<p><b>{name}</b> at <b>{host}</b> began a sign-in that didn't happen: {}</p>", escape(reason))
        }
        None => format!("<p>A sign-in to <b>{name}</b> at <b>{host}</b> began in another browser or network.</p>"),
    };
    let content = format!(
        "{why}<p>Go on only if you came from {host} and trust it.</p>\
         <p><a href=\"{uri}\" rel=\"noreferrer\">Go to {host}</a></p>"
    );
    link_page::response(200, TITLE, &content)
}

/// `dashboard` is the address of the dashboard, which asks before it approves.
fn pending_page(pending: &PendingSignIn, dashboard: &str) -> RouteResponse {
    let (name, code) = (escape(&pending.client_name), escape(&pending.code));
    let dashboard = escape(dashboard);
    let host = escape(&app_url::host(&pending.redirect_uri));
    let learns: String =
        shared(IdentityScopes::known(&pending.scope)).iter().map(|line| format!("<li>{line}</li>")).collect();
    let content = format!(
        "<p><b>{name}</b> at <b>{host}</b> asks an agent to sign in. Give your agent this code:</p>\
         <p><b><big><code>{code}</code></big></b></p>\
         <p>The agent approves it with <code>POST /v1/inboxes/{{id}}/identity/approvals/{code}</code> and \
         <code>{{\"approve\": true}}</code>, or you do \
         <a href=\"{dashboard}/agents/approve?code={code}\" target=\"_blank\" rel=\"noopener\">in the dashboard</a>. \
         Approve only a sign-in that you began.</p>\
         <p>The app learns:</p><ul>{learns}</ul>\
         <p>This page continues by itself. <a href=\"\">Continue now</a></p>"
    );
    link_page::response(200, TITLE, &content).with(REFRESH, HeaderValue::from_static(RELOAD_S))
}

/// Returns what the app learns, in words.
fn shared(scope: IdentityScopes) -> Vec<&'static str> {
    let lines = [
        (IdentityScope::Openid, "an id of the agent, and whether it has a mailbox"),
        (IdentityScope::Email, "the email address of its mailbox"),
        (IdentityScope::Profile, "its name"),
        (IdentityScope::Workspace, "its workspace, if that shares its name"),
    ];
    lines.into_iter().filter(|(one, _)| scope.has(*one)).map(|(_, line)| line).collect()
}
