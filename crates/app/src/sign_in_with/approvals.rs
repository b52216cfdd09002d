//! Approvals of sign-ins in a browser, by the agent or a member of its workspace, and approvals in advance.

use posthouse_domain::{
    Caller, IdentityClient, IdentityClientType, IdentityRequest, IdentityRequestState, Inbox, InboxId, Refusal,
    identity::approval::parse,
};
use posthouse_store::identity_requests::{self, RequestDecision};
use posthouse_store::{Tx, identity_approvals, identity_clients, inboxes};

use super::{agents::inbox_ref, standing};
use crate::{access::visible, inboxes::change, service::Service};

/// Most waiting sign-ins that are listed.
const PENDING_MAX: u32 = 50;

/// A waiting sign-in with its app.
#[derive(Clone, Debug)]
pub struct WaitingSignIn {
    /// The sign-in.
    pub request: IdentityRequest,
    /// The app.
    pub client: IdentityClient,
}

/// An answer to a waiting sign-in.
#[derive(Clone, Debug)]
pub struct ApprovalAnswer {
    /// The code that the browser shows.
    pub code: String,
    /// Whether the agent signs in.
    pub is_approved: bool,
}

/// What waits for an agent.
#[derive(Clone, Debug)]
pub struct AgentApprovals {
    /// The waiting sign-ins, newest first.
    pub waiting: Vec<WaitingSignIn>,
    /// The public ids of the apps that are approved in advance.
    pub clients: Vec<String>,
}

/// Returns the waiting sign-ins that name an agent, and the one with a code.
///
/// # Errors
/// Returns `not_found` if the agent is missing or invisible or `rate_limited` after too many wrong codes.
pub async fn list(
    service: &Service,
    caller: Caller,
    id: InboxId,
    code: Option<String>,
) -> Result<AgentApprovals, Refusal> {
    let now = service.clock.now();
    if code.is_some() {
        service.sign_in_limits.check_codes(&caller, now)?;
    }
    let (is_asked, code) = (code.is_some(), code.as_deref().and_then(parse));
    let work = move |tx: &mut Tx| {
        let agent = visible::inbox_or_identity(tx, &caller, id)?;
        let coded = match &code {
            Some(code) => identity_requests::pending_by_user_code(tx, code, now)?,
            None => None,
        };
        let is_found = coded.is_some();
        let mut requests = identity_requests::pending_of(tx, agent.id, now, PENDING_MAX)?;
        requests.extend(coded.filter(|coded| requests.iter().all(|request| request.id != coded.id)));
        let waiting = with_clients(tx, requests)?;
        Ok::<_, Refusal>((
            AgentApprovals { waiting, clients: identity_approvals::of_inbox(tx, inbox_ref(&agent))? },
            is_found,
        ))
    };
    let (found, is_found) = service.read(caller.workspace, work).await?;
    if is_asked && !is_found {
        service.sign_in_limits.count_wrong_code(&caller, now);
    }
    Ok(found)
}

/// Returns the waiting sign-ins that name an agent of the caller's workspace, newest first, each with the agent.
pub async fn of_workspace(service: &Service, caller: Caller) -> Result<Vec<(WaitingSignIn, Inbox)>, Refusal> {
    let (workspace, now) = (caller.workspace, service.clock.now());
    let work = move |tx: &mut Tx| {
        let requests = identity_requests::pending_of_workspace(tx, workspace, now, PENDING_MAX)?;
        let mut named = Vec::with_capacity(requests.len());
        for waiting in with_clients(tx, requests)? {
            let Some(hinted) = waiting.request.hinted else { continue };
            if let Some(agent) = inboxes::get(tx, workspace, hinted)? {
                named.push((waiting, agent));
            }
        }
        Ok(named)
    };
    service.read(workspace, work).await
}

fn with_clients(tx: &mut Tx, requests: Vec<IdentityRequest>) -> Result<Vec<WaitingSignIn>, Refusal> {
    let mut waiting = Vec::with_capacity(requests.len());
    for request in requests {
        if let Some(client) = identity_clients::by_client_id(tx, &request.client_id)? {
            waiting.push(WaitingSignIn { request, client });
        }
    }
    Ok(waiting)
}

/// Approves or denies a waiting sign-in. The browser returns to the app as this agent.
///
/// # Errors
/// Returns `not_found` for the agent or the code, a refusal of
/// [`check_agent`](posthouse_domain::identity::check_agent) or `client_disabled` for an approval, `rate_limited` after
/// too many wrong codes.
pub async fn decide(
    service: &Service,
    caller: Caller,
    id: InboxId,
    answer: ApprovalAnswer,
) -> Result<WaitingSignIn, Refusal> {
    let now = service.clock.now();
    service.sign_in_limits.check_codes(&caller, now)?;
    let (code, is_approved) = (parse(&answer.code), answer.is_approved);
    let work = move |tx: &mut Tx| {
        let agent = visible::inbox_or_identity(tx, &caller, id)?;
        let found = match &code {
            Some(code) => identity_requests::lock_by_user_code(tx, code, now)?,
            None => None,
        };
        let Some(request) = found else { return Ok(None) };
        // A denial needs no standing: it is right also while the agent or the app is stopped.
        let (status, client) = if is_approved {
            standing::of(tx, agent.clone(), now)?;
            (IdentityRequestState::Approved, standing::client(tx, &request.client_id)?)
        } else {
            (IdentityRequestState::Denied, standing::any_client(tx, &request.client_id)?)
        };
        let decision = RequestDecision { status, workspace: agent.workspace, inbox: agent.id };
        identity_requests::decide(tx, request.id, &decision, now)?;
        Ok::<_, Refusal>(Some(WaitingSignIn { request, client }))
    };
    service.write(work).await?.ok_or_else(|| {
        service.sign_in_limits.count_wrong_code(&caller, now);
        let refusal = Refusal::not_found("waiting sign-in");
        refusal.with_fix("Check the code on the page; it works once, for 10 minutes.")
    })
}

/// Replaces the apps that an agent may sign in to in the browser of a member without a code.
///
/// # Errors
/// Returns `not_found` for the agent or `invalid_request` for an app that is unknown or has no browser flow.
pub async fn preapprove(
    service: &Service,
    caller: Caller,
    id: InboxId,
    clients: Vec<String>,
) -> Result<Vec<String>, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let agent = change::take(tx, &caller, id, now)?;
        for (at, client_id) in clients.iter().enumerate() {
            let client = identity_clients::by_client_id(tx, client_id)?;
            if client.is_none_or(|client| client.kind == IdentityClientType::VerifyOnly) {
                let problem = "must be the client_id of an app with a browser flow";
                return Err(Refusal::invalid_field(format!("clients[{at}]"), problem));
            }
        }
        identity_approvals::set(tx, inbox_ref(&agent), &clients, now)?;
        Ok(identity_approvals::of_inbox(tx, inbox_ref(&agent))?)
    };
    service.write(work).await
}
