//! The browser flow (RFC 6749 §4.1, OpenID Connect Core §3.1.2): checks the request of an app, waits for an agent, and
//! sends the browser back. The page works without cookies and scripts: it is identified by the secret in its address.

mod check;
mod returning;
mod waiting;

use std::{net::IpAddr, sync::Arc};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use posthouse_domain::identity::{CODE_MS, REQUEST_MS, approval, approval::CODE_RANDOM_BYTES, approval::shown};
use posthouse_domain::{
    Caller, IdentityClient, IdentityRequest, IdentityRequestState, Inbox, InboxId, OAuthError, OAuthErrorCode,
    OAuthParameters, Principal, Refusal, Time,
};
use posthouse_store::{Tx, identity_approvals, identity_requests, identity_requests::RequestDigests, sessions};

use self::{check::CheckedRequest, returning::EarlyReturn, returning::hinted};
use super::{agents::inbox_ref, credentials, failure::OAuthFailure, standing};
use crate::{inboxes::names::NameRules, service::ReadScope, service::Service};

pub use self::returning::OfferedReturn;

/// The description of the error if a client address began too many sign-ins.
const TOO_MANY_OF_ADDRESS: &str = "Too many sign-ins began at this client address. Try again in a few minutes.";
/// What is encoded in a value of a query: every byte that isn't unreserved (RFC 3986 §2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Longest `User-Agent` that is kept, in characters.
const USER_AGENT_CHARS_MAX: usize = 200;

/// The browser of a sign-in.
#[derive(Clone, Debug)]
pub struct SignInBrowser {
    /// Its client address.
    pub ip: IpAddr,
    /// The network that counts as one client address.
    pub network: IpAddr,
    /// Its `User-Agent`.
    pub user_agent: Option<String>,
    /// The member who is signed in to the dashboard with it.
    pub member: Option<Caller>,
    /// Whether the request is `HEAD`, which begins nothing.
    pub is_head: bool,
    /// Whether a page embeds the response in a frame.
    pub is_framed: bool,
}

/// What the browser does next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AuthorizeStep {
    /// Nothing: the request was `HEAD`.
    Nothing,
    /// Shows a problem. The browser isn't sent to a URI that isn't known to be the app's (RFC 9700 §4.11.2).
    Problem(String),
    /// Returns to the app.
    Return(String),
    /// Asks the person whether to return to the app.
    Offer(OfferedReturn),
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
    /// The browser isn't the one that began the sign-in, so its person is asked whether to go to the app.
    Offer(OfferedReturn),
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

/// Begins a sign-in. Only one that is stored counts for the limit of its address.
pub async fn begin(
    service: &Service,
    parameters: OAuthParameters,
    browser: SignInBrowser,
) -> Result<AuthorizeStep, Refusal> {
    let (network, now) = (browser.network, service.clock.now());
    let is_head = browser.is_head;
    let max = service.config.limits.sign_ins_per_address;
    let is_rate_limited = service.sign_in_limits.check_request(network, max, now).is_err();
    let plan = Arc::new(BeginPlan::new(service, parameters, browser));
    // Requests that begin nothing don't wait for the writer.
    let checked = Arc::clone(&plan);
    if let Some(refused) = service.read(ReadScope::Service, move |tx| checked.refused(tx, is_rate_limited)).await? {
        return Ok(refused);
    }
    if is_head {
        return Ok(AuthorizeStep::Nothing);
    }
    let started = service.write(move |tx| plan.execute(tx)).await?;
    if started.is_stored {
        service.sign_in_limits.count_request(network, max, now);
    }
    Ok(started.step)
}

/// A sign-in that a transaction started, or what the browser does instead.
struct StartedSignIn {
    step: AuthorizeStep,
    is_stored: bool,
}

/// The inputs of the transaction that begins a sign-in.
struct BeginPlan {
    parameters: OAuthParameters,
    browser: SignInBrowser,
    rules: NameRules,
    issuer: String,
    id: posthouse_domain::id::IdentityRequestId,
    secret: String,
    user_code: String,
    now: Time,
}

impl BeginPlan {
    fn new(service: &Service, parameters: OAuthParameters, browser: SignInBrowser) -> Self {
        let mut random = [0; CODE_RANDOM_BYTES];
        service.clock.random(&mut random);
        Self {
            parameters,
            browser,
            rules: NameRules::of(&service.config),
            issuer: service.config.issuer(),
            id: service.clock.ids().next(),
            secret: credentials::draw(service.clock.as_ref()),
            user_code: approval::code(&random),
            now: service.clock.now(),
        }
    }

    /// Returns the step of a request that begins nothing; `None` for one that may begin a sign-in. `is_rate_limited`: the address
    /// began too many.
    fn refused(&self, tx: &mut Tx, is_rate_limited: bool) -> Result<Option<AuthorizeStep>, Refusal> {
        let (client, redirect_uri) = match self.client(tx)? {
            Ok(found) => found,
            Err(problem) => return Ok(Some(AuthorizeStep::Problem(problem))),
        };
        let checked = CheckedRequest::of(&self.parameters, &client).map(drop);
        let busy = || OAuthError::new(OAuthErrorCode::TemporarilyUnavailable, TOO_MANY_OF_ADDRESS);
        let checked = checked.and_then(|()| if is_rate_limited { Err(busy()) } else { Ok(()) });
        checked.err().map(|error| self.failed(tx, &client, &redirect_uri, &error)).transpose()
    }

    fn execute(&self, tx: &mut Tx) -> Result<StartedSignIn, Refusal> {
        let unstored = |step| Ok(StartedSignIn { step, is_stored: false });
        let (client, redirect_uri) = match self.client(tx)? {
            Ok(found) => found,
            Err(problem) => return unstored(AuthorizeStep::Problem(problem)),
        };
        match self.requested(tx, &client, &redirect_uri) {
            Ok(step) => Ok(StartedSignIn { step, is_stored: true }),
            Err(OAuthFailure::Protocol(error)) => unstored(self.failed(tx, &client, &redirect_uri, &error)?),
            Err(OAuthFailure::Service(refusal)) => Err(refusal),
        }
    }

    /// Returns to the app with an error, or offers that.
    fn failed(
        &self,
        tx: &mut Tx,
        client: &IdentityClient,
        redirect_uri: &str,
        error: &OAuthError,
    ) -> Result<AuthorizeStep, Refusal> {
        let one = |name| self.parameters.one(name).ok().flatten();
        let uri = return_uri(redirect_uri, &self.issuer, one("state"), Err(error));
        let is_silent = one("prompt").is_some_and(|prompt| prompt.split(' ').any(|one| one == "none"));
        let back = EarlyReturn { client, redirect_uri, uri, error, is_silent, hint: one("login_hint") };
        back.step(tx, &self.browser, &self.rules)
    }

    /// Returns the app and the URI that the browser may return to, or a problem for a page.
    fn client(&self, tx: &mut Tx) -> Result<Result<(IdentityClient, String), String>, Refusal> {
        let (client_id, redirect_uri) =
            match (self.parameters.required("client_id"), self.parameters.required("redirect_uri")) {
                (Ok(client_id), Ok(redirect_uri)) => (client_id, redirect_uri),
                (Err(error), _) | (_, Err(error)) => return Ok(Err(error.description)),
            };
        let found = standing::usable_client(tx, client_id)?;
        Ok(match found {
            None => Err("The app is unknown or switched off.".to_owned()),
            Some(client) if client.returns_to(redirect_uri) => Ok((client, redirect_uri.to_owned())),
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
            && let Some(signed_in_at) = self.preapproved(tx, &agent, client)?
            && checked.max_age_ms.is_none_or(|max| self.now.since_ms(signed_in_at) <= max)
        {
            request.status = IdentityRequestState::Approved;
            request.workspace = Some(agent.workspace);
            request.inbox = Some(agent.id);
            request.approved_at = Some(signed_in_at);
            request.code_expires_at = Some(self.now.plus_ms(CODE_MS));
            self.insert(tx, &request)?;
            let code = credentials::authorization_code(&self.secret);
            let back = return_uri(redirect_uri, &self.issuer, request.state.as_deref(), Ok(&code));
            return Ok(AuthorizeStep::Return(back));
        }
        if checked.is_silent {
            return Err(OAuthError::new(OAuthErrorCode::LoginRequired, "An agent must approve the sign-in.").into());
        }
        waiting::make_room(tx, &request)?;
        self.insert(tx, &request)?;
        Ok(AuthorizeStep::Wait(self.secret.clone()))
    }

    /// Returns when the person of the browser signed in to the dashboard, if that is a member of the agent's workspace and
    /// the app was approved in advance.
    fn preapproved(&self, tx: &mut Tx, agent: &Inbox, client: &IdentityClient) -> Result<Option<Time>, OAuthFailure> {
        let member = self.browser.member.filter(|member| member.workspace == agent.workspace);
        let Some(Principal::User(user)) = member.map(|member| member.principal) else { return Ok(None) };
        if !identity_approvals::has(tx, inbox_ref(agent), &client.client_id)? {
            return Ok(None);
        }
        match standing::of(tx, agent.clone(), self.now) {
            Ok(_) => Ok(sessions::began(tx, agent.workspace, user.session)?),
            Err(refusal) if refusal.code.status() < 500 => Ok(None),
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
            ip: self.browser.ip.to_string(),
            network: self.browser.network.to_string(),
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

/// Returns the URI that sends the browser back, with the code or the error, `state`, and `iss` (RFC 9207).
pub(crate) fn return_uri(
    redirect_uri: &str,
    issuer: &str,
    state: Option<&str>,
    result: Result<&str, &OAuthError>,
) -> String {
    let mut pairs = match result {
        Ok(code) => vec![("code", code)],
        Err(error) => vec![("error", error.code.text()), ("error_description", error.description.as_str())],
    };
    pairs.extend(state.map(|state| ("state", state)));
    pairs.push(("iss", issuer));
    let encoded: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, RESERVED))).collect();
    let separator = if redirect_uri.contains('?') { '&' } else { '?' };
    format!("{redirect_uri}{separator}{}", encoded.join("&"))
}

/// Returns what the page with a secret shows or does. `network` is that of the browser, as in [`SignInBrowser`].
pub async fn wait(service: &Service, secret: String, network: IpAddr) -> Result<WaitingPage, Refusal> {
    let (now, issuer) = (service.clock.now(), service.config.issuer());
    let digest = credentials::digest(&secret);
    let read = move |tx: &mut Tx| {
        let Some(request) = identity_requests::by_secret(tx, &digest, now)? else { return Ok(None) };
        let client = standing::usable_client(tx, &request.client_id)?;
        // The app may have removed the URI since, because it was taken over.
        let client = client.filter(|client| client.returns_to(&request.redirect_uri));
        Ok::<_, Refusal>(client.map(|client| (request, client)))
    };
    let Some((request, client)) = service.read(ReadScope::Service, read).await? else { return Ok(WaitingPage::Over) };
    let state = request.state.as_deref();
    // A link to this page may have been sent to another person, whose browser must not be led away by it.
    let to_app = |uri: String| match request.network == network.to_string() {
        true => WaitingPage::Return(uri),
        false => WaitingPage::Offer(OfferedReturn::new(&client, &request.redirect_uri, uri, None)),
    };
    Ok(match request.status {
        IdentityRequestState::Pending => WaitingPage::Pending(PendingSignIn {
            client_name: client.name.clone(),
            code: shown(&request.user_code),
            scope: request.scope.to_string(),
            expires_at: request.expires_at,
            redirect_uri: request.redirect_uri.clone(),
        }),
        IdentityRequestState::Denied => {
            let error = OAuthError::new(OAuthErrorCode::AccessDenied, "The agent denied the sign-in.");
            to_app(return_uri(&request.redirect_uri, &issuer, state, Err(&error)))
        }
        IdentityRequestState::Approved => {
            let is_rate_limited = request.used_at.is_some() || request.code_expires_at.is_some_and(|end| end <= now);
            if is_rate_limited {
                return Ok(WaitingPage::Over);
            }
            let (id, expires_at) = (request.id, now.plus_ms(CODE_MS));
            service.write(move |tx| Ok::<_, Refusal>(identity_requests::deliver(tx, id, expires_at)?)).await?;
            let code = credentials::authorization_code(&secret);
            to_app(return_uri(&request.redirect_uri, &issuer, state, Ok(&code)))
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
