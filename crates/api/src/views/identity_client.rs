//! The objects of sign-in with an agent: apps, tokens, the switch and history of an agent, and waiting approvals.

use posthouse_domain::{
    identity::{
        IdentityRequest, IdentitySignIn, IdentitySignInEvent, IdentitySignInFlow, SignedInApp, app_url,
        approval::shown,
        client::{IdentityClient, IdentityClientType, SubjectType},
    },
    inbox::{Inbox, InboxKind},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

/// An app that agents sign in to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdentityClient")]
pub struct IdentityClientView {
    id: Uuid,
    /// Public id of the app, the audience of its tokens.
    client_id: String,
    /// Name that agents and people see.
    name: String,
    /// How the app authenticates.
    #[schemars(schema_with = "name_of::<IdentityClientType>")]
    r#type: &'static str,
    /// Where browsers may return to; compared exactly.
    redirect_uris: Vec<String>,
    /// What the app may learn, separated by spaces.
    allowed_scopes: String,
    /// `pairwise`: the app knows each agent by an id that no other app knows. `public`: by the id of its inbox or identity.
    #[schemars(schema_with = "name_of::<SubjectType>")]
    subject_type: &'static str,
    homepage_url: Option<String>,
    /// Start of the secret; null for an app without one.
    secret_prefix: Option<String>,
    /// Whether agents can sign in.
    enabled: bool,
    /// Time of the last sign-in of an agent, to the minute.
    last_used_at: Option<TimestampView>,
    created_at: TimestampView,
    updated_at: TimestampView,
}

/// An app with its secret, only in responses that create the secret.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdentityClientWithSecret")]
pub struct SecretIdentityClientView {
    client: IdentityClientView,
    /// Secret of a confidential app. It is not returned again.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
}

/// An identity token with the facts in it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IdentityToken")]
pub struct IdentityTokenView {
    /// Signed token for the app.
    pub id_token: String,
    /// Always `id_token`.
    pub token_type: &'static str,
    /// Issuer of the token.
    pub issuer: String,
    /// Public id of the app.
    pub audience: String,
    /// Id by which the app knows the agent.
    pub sub: String,
    /// Id of the token.
    pub jti: String,
    /// Granted scopes, separated by spaces.
    pub scope: String,
    /// Seconds until the token expires.
    pub expires_in: i64,
    /// Time at which the token expires.
    pub expires_at: TimestampView,
}

/// Sign-in of one agent: its switch, and the apps it has signed in to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentSignIn")]
pub struct AgentSignInView {
    inbox_id: Uuid,
    /// `mailbox` or `identity`.
    #[schemars(schema_with = "name_of::<InboxKind>")]
    kind: &'static str,
    /// Whether the agent can sign in to apps.
    enabled: bool,
    /// Apps that the agent has signed in to, the last one first; at most 100.
    apps: Vec<SignedInAppView>,
}

/// An app that an agent has signed in to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignedInApp")]
pub struct SignedInAppView {
    client_id: String,
    name: String,
    homepage_url: Option<String>,
    last_signed_in_at: TimestampView,
    /// Number of sign-ins: identity tokens that the agent requested, and sign-ins in a browser.
    sign_ins: u64,
}

/// A line of the sign-in history of an agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignIn")]
pub struct SignInView {
    id: Uuid,
    inbox_id: Uuid,
    client_id: String,
    /// Name of the app at that time.
    client_name: String,
    /// What happened.
    #[schemars(schema_with = "name_of::<IdentitySignInEvent>")]
    event: &'static str,
    /// How the agent signed in.
    #[schemars(schema_with = "name_of::<IdentitySignInFlow>")]
    flow: &'static str,
    /// Id of the identity token.
    jti: String,
    /// Client address of the agent or the app.
    ip: Option<String>,
    created_at: TimestampView,
}

/// A sign-in in a browser that waits for an agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignInApproval")]
pub struct ApprovalView {
    /// Code that the browser shows.
    code: String,
    client_id: String,
    client_name: String,
    homepage_url: Option<String>,
    /// Host that the browser returns to.
    redirect_host: String,
    /// What the app will learn, separated by spaces.
    scope: String,
    /// Client address of the browser.
    ip: String,
    /// `User-Agent` of the browser.
    user_agent: Option<String>,
    created_at: TimestampView,
    expires_at: TimestampView,
}

/// A sign-in in a browser that waits for an agent, with the agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WaitingSignIn")]
pub struct WaitingSignInView {
    /// Id of the agent.
    inbox_id: Uuid,
    /// Address of the agent.
    address: String,
    #[serde(flatten)]
    approval: ApprovalView,
}

/// The sign-ins that wait for an agent, and the apps that need no code.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignInApprovals")]
pub struct ApprovalsView {
    /// Waiting sign-ins that name the agent, newest first, and the one with the `code` of the request.
    pub data: Vec<ApprovalView>,
    /// Public ids of the apps that the agent may sign in to in a member's browser without a code.
    pub clients: Vec<String>,
}

/// The apps that need no code.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignInPreapprovals")]
pub struct PreapprovalsView {
    /// Public ids of the apps that the agent may sign in to in a member's browser without a code.
    pub clients: Vec<String>,
}

/// A decision about a waiting sign-in.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignInDecision")]
pub struct DecisionView {
    /// Code that the browser shows.
    pub code: String,
    /// Public id of the app.
    pub client_id: String,
    /// Name of the app.
    pub client_name: String,
    /// Whether the sign-in was approved.
    pub approved: bool,
}

impl IdentityClientView {
    /// Returns the view of an app.
    #[must_use]
    pub fn of(client: &IdentityClient) -> Self {
        let c = client;
        Self {
            id: c.id.into(),
            client_id: c.client_id.clone(),
            name: c.name.clone(),
            r#type: c.kind.text(),
            redirect_uris: c.redirect_uris.clone(),
            allowed_scopes: c.allowed_scopes.to_string(),
            subject_type: c.subject_type.text(),
            homepage_url: c.homepage_url.clone(),
            secret_prefix: c.secret_prefix.clone(),
            enabled: c.enabled,
            last_used_at: c.last_used_at.map(Into::into),
            created_at: c.created_at.into(),
            updated_at: c.updated_at.into(),
        }
    }
}

impl SecretIdentityClientView {
    /// Returns the view of an app and its new secret.
    #[must_use]
    pub fn of(client: &IdentityClient, client_secret: Option<String>) -> Self {
        Self { client: IdentityClientView::of(client), client_secret }
    }
}

impl AgentSignInView {
    /// Returns the view of an agent and its apps.
    #[must_use]
    pub fn of(agent: &Inbox, apps: &[SignedInApp]) -> Self {
        Self {
            inbox_id: agent.id.into(),
            kind: agent.kind.text(),
            enabled: agent.identity_enabled,
            apps: apps.iter().map(SignedInAppView::of).collect(),
        }
    }
}

impl SignedInAppView {
    fn of(app: &SignedInApp) -> Self {
        Self {
            client_id: app.client_id.clone(),
            name: app.name.clone(),
            homepage_url: app.homepage_url.clone(),
            last_signed_in_at: app.last_signed_in_at.into(),
            sign_ins: app.sign_ins,
        }
    }
}

impl SignInView {
    /// Returns the view of a line of the history.
    #[must_use]
    pub fn of(sign_in: &IdentitySignIn) -> Self {
        let s = sign_in;
        Self {
            id: s.id.into(),
            inbox_id: s.inbox.into(),
            client_id: s.client_id.clone(),
            client_name: s.client_name.clone(),
            event: s.event.text(),
            flow: s.flow.text(),
            jti: s.jti.clone(),
            ip: s.ip.clone(),
            created_at: s.created_at.into(),
        }
    }
}

impl WaitingSignInView {
    /// Returns the view of a sign-in of an agent to an app.
    #[must_use]
    pub fn of(agent: &Inbox, request: &IdentityRequest, client: &IdentityClient) -> Self {
        let (inbox_id, address) = (agent.id.into(), agent.address.clone());
        Self { inbox_id, address, approval: ApprovalView::of(request, client) }
    }
}

impl ApprovalView {
    /// Returns the view of a sign-in to an app.
    #[must_use]
    pub fn of(request: &IdentityRequest, client: &IdentityClient) -> Self {
        let r = request;
        Self {
            code: shown(&r.user_code),
            client_id: client.client_id.clone(),
            client_name: client.name.clone(),
            homepage_url: client.homepage_url.clone(),
            redirect_host: app_url::host(&r.redirect_uri),
            scope: r.scope.to_string(),
            ip: r.ip.clone(),
            user_agent: r.user_agent.clone(),
            created_at: r.created_at.into(),
            expires_at: r.expires_at.into(),
        }
    }
}
