//! The browser flow (RFC 6749 §4.1, OpenID Connect Core §3.1.2): checks the request of an app, waits for an agent, and
//! sends the browser back. The page works without cookies and scripts: the secret in its address is what it holds.

mod check;

use posthouse_domain::{
    error::Refusal,
    id::{InboxId, WorkspaceId},
    identity::{
        CODE_MS, IdentityRequest, IdentityRequestState, REQUEST_MS, REQUESTS_PER_CLIENT,
        approval::{self, CODE_RANDOM_BYTES, shown},
        client::IdentityClient,
        oauth::{OAuthError, OAuthErrorCode, OAuthParameters},
    },
    inbox::Inbox,
    time::Time,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Tx, identity_approvals, identity_clients,
    identity_requests::{self, RequestDigests},
    inboxes,
};

use self::check::CheckedRequest;
use super::{agents::place, credentials, failure::OAuthFailure, standing};
use crate::app::App;

/// Longest `User-Agent` that is kept, in characters.
const USER_AGENT_CHARS_MAX: usize = 200;

/// The browser of a sign-in.
#[derive(Clone, Debug)]
pub struct SignInBrowser {
    /// Its client address.
    pub ip: String,
    /// Its `User-Agent`.
    pub user_agent: Option<String>,
    /// The workspace of the member who is signed in to the dashboard with it.
    pub member_of: Option<WorkspaceId>,
}

/// What the browser does next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AuthorizeStep {
    /// Shows a problem. The browser isn't sent to a URI that isn't known to be the app's (RFC 9700 §4.11.2).
    Problem(String),
    /// Returns to the app.
    Return(String),
    /// Waits at the page with this secret.
    Wait(String),
}

/// A waiting page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaitingPage {
    /// It waits for an agent.
    Pending(PendingSignIn),
    /// The browser returns to the app.
    Return(String),
    /// The sign-in is over or never began.
    Over,
}

/// What a waiting page shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingSignIn {
    /// The name of the app.
    pub client_name: String,
    /// Where the browser returns to.
    pub redirect_uri: String,
    /// The code to approve.
    pub code: String,
    /// What the app learns.
    pub scope: String,
    /// When the sign-in stops waiting.
    pub expires_at: Time,
}

/// Begins a sign-in.
///
/// # Errors
/// Returns an error if the database call fails.
pub async fn begin(app: &App, parameters: OAuthParameters, browser: SignInBrowser) -> Result<AuthorizeStep, Refusal> {
    let begun = BeginPlan::new(app, parameters, browser);
    app.store.write(move |tx| begun.execute(tx)).await
}

/// The inputs of the transaction that begins a sign-in.
struct BeginPlan {
    parameters: OAuthParameters,
    browser: SignInBrowser,
    issuer: String,
    id: posthouse_domain::id::IdentityRequestId,
    secret: String,
    user_code: String,
    now: Time,
}

impl BeginPlan {
    fn new(app: &App, parameters: OAuthParameters, browser: SignInBrowser) -> Self {
        let mut random = [0; CODE_RANDOM_BYTES];
        app.clock.random(&mut random);
        Self {
            parameters,
            browser,
            issuer: app.config.issuer(),
            id: app.clock.ids().next(),
            secret: credentials::draw(app.clock.as_ref()),
            user_code: approval::code(&random),
            now: app.clock.now(),
        }
    }

    fn execute(&self, tx: &mut Tx) -> Result<AuthorizeStep, Refusal> {
        let (client, redirect_uri) = match self.client(tx)? {
            Ok(found) => found,
            Err(problem) => return Ok(AuthorizeStep::Problem(problem)),
        };
        match self.requested(tx, &client, &redirect_uri) {
            Ok(step) => Ok(step),
            Err(OAuthFailure::Protocol(error)) => {
                let state = self.parameters.one("state").ok().flatten();
                Ok(AuthorizeStep::Return(return_uri(&redirect_uri, &self.issuer, state, Err(&error))))
            }
            Err(OAuthFailure::Service(refusal)) => Err(refusal),
        }
    }

    /// Returns the app and the URI that the browser may return to, or a problem for a page.
    fn client(&self, tx: &mut Tx) -> Result<Result<(IdentityClient, String), String>, Refusal> {
        let (client_id, redirect_uri) =
            match (self.parameters.required("client_id"), self.parameters.required("redirect_uri")) {
                (Ok(client_id), Ok(redirect_uri)) => (client_id, redirect_uri),
                (Err(error), _) | (_, Err(error)) => return Ok(Err(error.description)),
            };
        let found = identity_clients::by_client_id(tx, client_id)?;
        Ok(match found.filter(|client| client.enabled) {
            None => Err("The app is unknown or switched off.".to_owned()),
            Some(client) if client.redirect_uris.iter().any(|known| known == redirect_uri) => {
                Ok((client, redirect_uri.to_owned()))
            }
            Some(_) => Err("The app didn't register this redirect_uri.".to_owned()),
        })
    }

    fn requested(
        &self,
        tx: &mut Tx,
        client: &IdentityClient,
        redirect_uri: &str,
    ) -> Result<AuthorizeStep, OAuthFailure> {
        let checked = CheckedRequest::of(&self.parameters, client)?;
        let hinted = hinted(tx, checked.login_hint.as_deref())?;
        let mut request = self.request(&checked, client, redirect_uri, hinted.as_ref().map(|agent| agent.id));
        if let Some(agent) = hinted.filter(|_| !checked.needs_consent)
            && self.is_preapproved(tx, &agent, client)?
        {
            request.status = IdentityRequestState::Approved;
            request.workspace = Some(agent.workspace);
            request.inbox = Some(agent.id);
            request.approved_at = Some(self.now);
            request.code_expires_at = Some(self.now.plus_ms(CODE_MS));
            self.insert(tx, &request)?;
            let code = credentials::authorization_code(&self.secret);
            let back = return_uri(redirect_uri, &self.issuer, request.state.as_deref(), Ok(&code));
            return Ok(AuthorizeStep::Return(back));
        }
        if checked.is_silent {
            return Err(OAuthError::new(OAuthErrorCode::LoginRequired, "An agent must approve the sign-in.").into());
        }
        if identity_requests::count_pending(tx, &client.client_id, self.now)? >= REQUESTS_PER_CLIENT {
            let text = "Too many sign-ins of this app wait. Try again in some minutes.";
            return Err(OAuthError::new(OAuthErrorCode::TemporarilyUnavailable, text).into());
        }
        self.insert(tx, &request)?;
        Ok(AuthorizeStep::Wait(self.secret.clone()))
    }

    /// Returns whether the browser belongs to a member of the agent's workspace who approved the app in advance.
    fn is_preapproved(&self, tx: &mut Tx, agent: &Inbox, client: &IdentityClient) -> Result<bool, OAuthFailure> {
        if self.browser.member_of != Some(agent.workspace)
            || !identity_approvals::has(tx, place(agent), &client.client_id)?
        {
            return Ok(false);
        }
        match standing::of(tx, agent.clone(), self.now) {
            Ok(_) => Ok(true),
            Err(refusal) if refusal.code.status() < 500 => Ok(false),
            Err(refusal) => Err(refusal.into()),
        }
    }

    fn request(
        &self,
        checked: &CheckedRequest,
        client: &IdentityClient,
        redirect_uri: &str,
        hinted: Option<InboxId>,
    ) -> IdentityRequest {
        let user_agent = self.browser.user_agent.as_deref();
        IdentityRequest {
            id: self.id,
            user_code: self.user_code.clone(),
            client_id: client.client_id.clone(),
            redirect_uri: redirect_uri.to_owned(),
            scope: checked.scope,
            state: checked.state.clone(),
            nonce: checked.nonce.clone(),
            code_challenge: checked.code_challenge.clone(),
            hinted,
            status: IdentityRequestState::Pending,
            workspace: None,
            inbox: None,
            approved_at: None,
            code_expires_at: None,
            used_at: None,
            ip: self.browser.ip.clone(),
            user_agent: user_agent.map(|text| text.chars().take(USER_AGENT_CHARS_MAX).collect()),
            created_at: self.now,
            expires_at: self.now.plus_ms(REQUEST_MS),
        }
    }

    fn insert(&self, tx: &mut Tx, request: &IdentityRequest) -> Result<(), OAuthFailure> {
        let code = credentials::authorization_code(&self.secret);
        let digests = RequestDigests { secret: credentials::digest(&self.secret), code: credentials::digest(&code) };
        Ok(identity_requests::insert(tx, request, &digests)?)
    }
}

/// Returns the agent that `login_hint` names by its address. An unknown one is ignored, so the hint reveals nothing.
fn hinted(tx: &mut Tx, hint: Option<&str>) -> Result<Option<Inbox>, OAuthFailure> {
    let Some(address) = hint.and_then(|hint| Address::parse(hint).ok()) else { return Ok(None) };
    Ok(inboxes::by_address(tx, &address.canonical())?.filter(|agent| agent.deleted_at.is_none()))
}

/// Returns the URI that sends the browser back, with the code or the error, `state`, and `iss` (RFC 9207).
fn return_uri(redirect_uri: &str, issuer: &str, state: Option<&str>, result: Result<&str, &OAuthError>) -> String {
    let mut pairs = match result {
        Ok(code) => vec![("code", code)],
        Err(error) => vec![("error", error.code.text()), ("error_description", error.description.as_str())],
    };
    pairs.extend(state.map(|state| ("state", state)));
    pairs.push(("iss", issuer));
    let encoded: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    let separator = if redirect_uri.contains('?') { '&' } else { '?' };
    format!("{redirect_uri}{separator}{}", encoded.join("&"))
}

/// Encodes a value of a query: every byte that isn't unreserved (RFC 3986 §2.3).
fn encode(value: &str) -> String {
    value.bytes().fold(String::with_capacity(value.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        text
    })
}

/// Returns what the page with a secret shows or does.
///
/// # Errors
/// Returns an error if the database call fails.
pub async fn wait(app: &App, secret: String) -> Result<WaitingPage, Refusal> {
    let (now, issuer) = (app.clock.now(), app.config.issuer());
    let digest = credentials::digest(&secret);
    let read = move |tx: &mut Tx| {
        let Some(request) = identity_requests::by_secret(tx, &digest, now)? else { return Ok(None) };
        let client = identity_clients::by_client_id(tx, &request.client_id)?;
        Ok::<_, Refusal>(client.filter(|client| client.enabled).map(|client| (request, client)))
    };
    let Some((request, client)) = app.store.read(read).await? else { return Ok(WaitingPage::Over) };
    let state = request.state.as_deref();
    Ok(match request.status {
        IdentityRequestState::Pending => WaitingPage::Pending(PendingSignIn {
            client_name: client.name,
            code: shown(&request.user_code),
            scope: request.scope.to_string(),
            expires_at: request.expires_at,
            redirect_uri: request.redirect_uri,
        }),
        IdentityRequestState::Denied => {
            let error = OAuthError::new(OAuthErrorCode::AccessDenied, "The agent denied the sign-in.");
            WaitingPage::Return(return_uri(&request.redirect_uri, &issuer, state, Err(&error)))
        }
        IdentityRequestState::Approved => {
            let is_over = request.used_at.is_some() || request.code_expires_at.is_some_and(|end| end <= now);
            if is_over {
                return Ok(WaitingPage::Over);
            }
            let (id, expires_at) = (request.id, now.plus_ms(CODE_MS));
            app.store.write(move |tx| Ok::<_, Refusal>(identity_requests::deliver(tx, id, expires_at)?)).await?;
            let code = credentials::authorization_code(&secret);
            WaitingPage::Return(return_uri(&request.redirect_uri, &issuer, state, Ok(&code)))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_uri_keeps_its_query_and_encodes_every_value() {
        let back = |uri: &str, result| return_uri(uri, "https://i.example/oidc", Some("a b&c=#"), result);
        assert_eq!(
            back("https://app.example/cb", Ok("x-_~.")),
            "https://app.example/cb?code=x-_~.&state=a%20b%26c%3D%23&iss=https%3A%2F%2Fi.example%2Foidc"
        );
        let error = OAuthError::invalid("No.");
        assert!(
            back("https://app.example/cb?a=1", Err(&error))
                .starts_with("https://app.example/cb?a=1&error=invalid_request&error_description=No.&state=")
        );
    }
}
