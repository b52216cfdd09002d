//! Identity tokens and sign-in: the apps that agents sign in to, what an app learns about an agent, and the rules of the
//! browser flow (`docs/reference/identity.md`).

pub mod app_url;
pub mod approval;
pub mod claims;
pub mod client;
pub mod oauth;
pub mod pkce;
pub mod scope;

use crate::{
    error::{ErrorCode, Refusal},
    id::{IdentityRequestId, IdentitySignInId, InboxId, WorkspaceId},
    inbox::Inbox,
    time::{DAY_MS, HOUR_MS, MINUTE_MS, Time},
    workspace::{ClaimStatus, Workspace},
};

/// The shortest life of an identity token, in seconds.
pub const TOKEN_SECONDS_MIN: i64 = 30;
/// The longest life of an identity token, and its default, in seconds.
pub const TOKEN_SECONDS_MAX: i64 = 300;
/// The longest nonce, in characters.
pub const NONCE_CHARS_MAX: usize = 256;
/// How long an access token is valid, in milliseconds.
pub const ACCESS_TOKEN_MS: i64 = HOUR_MS;
/// How long a browser waits for an approval, in milliseconds.
pub const REQUEST_MS: i64 = 10 * MINUTE_MS;
/// How long an authorization code is valid after the browser got it, in milliseconds.
pub const CODE_MS: i64 = MINUTE_MS;
/// How long a used authorization code is remembered, so that its reuse ends what was issued for it, in milliseconds.
pub const USED_CODE_MS: i64 = ACCESS_TOKEN_MS;
/// How long sign-ins are listed, in milliseconds.
pub const HISTORY_MS: i64 = 90 * DAY_MS;
/// The difference between two clocks that is accepted, in seconds.
pub const CLOCK_SKEW_SECONDS: i64 = 30;
/// Requests to the token endpoint of one app at one client address, and requests to userinfo with one access token, in a
/// minute.
pub const ISSUER_REQUESTS_PER_MINUTE: u64 = 600;
/// Sign-ins of one app that wait at the same time.
pub const REQUESTS_PER_CLIENT: u64 = 5_000;
/// Sign-ins of one app from one client address that wait at the same time; for one more, the oldest ends.
pub const REQUESTS_PER_CLIENT_AND_ADDRESS: u64 = 100;
/// Sign-ins that name one agent and wait at the same time.
pub const REQUESTS_PER_AGENT: u64 = 200;
/// Approval codes of no waiting sign-in that one API key or session sends in ten minutes.
pub const WRONG_CODES_PER_KEY: u64 = 30;
/// Apps that one agent may have approved in advance.
pub const PREAPPROVALS_MAX: usize = 50;

named! {
    /// What happened at an app.
    IdentitySignInEvent {
        /// The agent got an identity token for the app.
        TokenIssued = "token_issued",
        /// The app completed a sign-in.
        SignedIn = "signed_in",
    }
    /// How an agent signs in to an app.
    IdentitySignInFlow {
        /// The agent requests an identity token and gives it to the app.
        Headless = "headless",
        /// A browser is sent from the app to this service and back.
        AuthorizationCode = "authorization_code",
        /// The app exchanges an identity token of the headless flow.
        JwtBearer = "jwt_bearer",
    }
    /// The state of a sign-in in a browser.
    IdentityRequestState {
        /// It waits for an agent.
        Pending = "pending",
        /// An agent or its owner approved it.
        Approved = "approved",
        /// An agent or its owner denied it.
        Denied = "denied",
    }
}

/// A line of the sign-in history of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdentitySignIn {
    /// The workspace of the agent.
    pub workspace: WorkspaceId,
    pub id: IdentitySignInId,
    /// The agent.
    pub inbox: InboxId,
    /// The public id of the app.
    pub client_id: String,
    /// The name of the app at that time.
    pub client_name: String,
    /// What happened.
    pub event: IdentitySignInEvent,
    pub flow: IdentitySignInFlow,
    /// The id of the identity token.
    pub jti: String,
    /// The granted scopes.
    pub scope: scope::IdentityScopes,
    /// The client address of the agent or the app, if it is known.
    pub ip: Option<String>,
    /// When it happened.
    pub created_at: Time,
}

/// An app that an agent has signed in to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedInApp {
    /// The public id of the app.
    pub client_id: String,
    /// The name of the app at the last sign-in.
    pub name: String,
    /// The home page of the app at the last sign-in.
    pub homepage_url: Option<String>,
    pub last_signed_in_at: Time,
    /// The number of sign-ins.
    pub sign_ins: u64,
}

/// A sign-in in a browser, from the request of the app to the exchange of its code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdentityRequest {
    pub id: IdentityRequestId,
    /// The code that the browser shows, without a hyphen.
    pub user_code: String,
    /// The public id of the app.
    pub client_id: String,
    /// Where the browser returns to.
    pub redirect_uri: String,
    /// The requested scopes that the app may get.
    pub scope: scope::IdentityScopes,
    /// The app's own value, which returns with the code.
    pub state: Option<String>,
    /// The nonce for the identity token.
    pub nonce: Option<String>,
    /// The PKCE challenge.
    pub code_challenge: Option<String>,
    /// The agent that the app named.
    pub hinted: Option<InboxId>,
    pub status: IdentityRequestState,
    /// The workspace of the agent that approved it.
    pub workspace: Option<WorkspaceId>,
    /// The agent that approved it.
    pub inbox: Option<InboxId>,
    /// When it was approved: by the agent or a member with the code, or with an approval in advance when the member
    /// signed in to the dashboard. It becomes `auth_time`.
    pub approved_at: Option<Time>,
    /// When the code expires; `None` until the browser got it.
    pub code_expires_at: Option<Time>,
    /// When the code was exchanged.
    pub used_at: Option<Time>,
    /// The client address of the browser.
    pub ip: String,
    /// The network that counts as one client address.
    pub network: String,
    /// The `User-Agent` of the browser.
    pub user_agent: Option<String>,
    /// When the browser began it.
    pub created_at: Time,
    /// When it stops waiting.
    pub expires_at: Time,
}

/// Checks that an agent may sign in: every stop refuses at once.
///
/// # Errors
/// Returns `workspace_stopped`, `inbox_paused`, `org_suspended`, `unclaimed_workspace` or `identity_disabled`, or
/// `not_found` if the agent is deleted or expired.
pub fn check_agent(workspace: &Workspace, agent: &Inbox, now: Time) -> Result<(), Refusal> {
    if !agent.is_live(now) {
        return Err(Refusal::not_found("inbox"));
    }
    if workspace.stopped_at.is_some() {
        return Err(Refusal::new(ErrorCode::WorkspaceStopped, "The workspace is stopped: no agent can sign in."));
    }
    if agent.is_paused() {
        return Err(Refusal::new(ErrorCode::InboxPaused, "The agent is paused and can't sign in."));
    }
    if workspace.suspended {
        return Err(Refusal::new(ErrorCode::OrgSuspended, "The workspace is suspended: no agent can sign in."));
    }
    if workspace.claim == ClaimStatus::Unclaimed {
        let refusal = Refusal::new(ErrorCode::UnclaimedWorkspace, "Agents of an unclaimed workspace can't sign in.");
        return Err(refusal.with_fix("Have a person claim the workspace first: `POST /v1/signup/claim`."));
    }
    if !agent.identity_enabled {
        return Err(Refusal::new(ErrorCode::IdentityDisabled, "Sign-in is switched off for this agent."));
    }
    Ok(())
}

/// An access token as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdentityAccessToken {
    /// The workspace of the agent.
    pub workspace: WorkspaceId,
    /// The public id of the app.
    pub client_id: String,
    /// The agent.
    pub inbox: InboxId,
    /// The granted scopes.
    pub scope: scope::IdentityScopes,
    /// The sign-in in a browser that it was issued for.
    pub request: Option<IdentityRequestId>,
    pub expires_at: Time,
}

/// The agent that a sign-in was decided for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestDecision {
    /// Approved or denied.
    pub status: IdentityRequestState,
    /// The workspace of the agent.
    pub workspace: WorkspaceId,
    /// The agent.
    pub inbox: InboxId,
}
