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

view! {
    /// An app that agents sign in to.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "IdentityClient")]
    pub struct IdentityClientView of c: &IdentityClient {
        id: Uuid = c.id.into(),
        /// Public id of the app, the audience of its tokens.
        client_id: String = c.client_id.clone(),
        /// Name that agents and people see.
        name: String = c.name.clone(),
        /// How the app authenticates.
        #[schemars(schema_with = "name_of::<IdentityClientType>")]
        r#type: &'static str = c.kind.text(),
        /// Where browsers may return to; compared exactly.
        redirect_uris: Vec<String> = c.redirect_uris.clone(),
        /// What the app may learn, separated by spaces.
        allowed_scopes: String = c.allowed_scopes.to_string(),
        /// `pairwise`: the app knows each agent by an id that no other app knows. `public`: by the id of its inbox or
        /// identity.
        #[schemars(schema_with = "name_of::<SubjectType>")]
        subject_type: &'static str = c.subject_type.text(),
        homepage_url: Option<String> = c.homepage_url.clone(),
        /// Start of the secret; null for an app without one.
        secret_prefix: Option<String> = c.secret_prefix.clone(),
        /// Whether agents can sign in.
        enabled: bool = c.enabled,
        /// Time of the last sign-in of an agent, to the minute.
        last_used_at: Option<TimestampView> = c.last_used_at.map(Into::into),
        created_at: TimestampView = c.created_at.into(),
        updated_at: TimestampView = c.updated_at.into(),
    }
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

view! {
    /// Sign-in of one agent: its switch, and the apps it has signed in to.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "AgentSignIn")]
    pub struct AgentSignInView of agent: &Inbox, apps: &[SignedInApp] {
        inbox_id: Uuid = agent.id.into(),
        /// `mailbox` or `identity`.
        #[schemars(schema_with = "name_of::<InboxKind>")]
        kind: &'static str = agent.kind.text(),
        /// Whether the agent can sign in to apps.
        enabled: bool = agent.identity_enabled,
        /// Apps that the agent has signed in to, the last one first; at most 100.
        apps: Vec<SignedInAppView> = apps.iter().map(SignedInAppView::of).collect(),
    }
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

view! {
    /// A line of the sign-in history of an agent.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "SignIn")]
    pub struct SignInView of s: &IdentitySignIn {
        id: Uuid = s.id.into(),
        inbox_id: Uuid = s.inbox.into(),
        client_id: String = s.client_id.clone(),
        /// Name of the app at that time.
        client_name: String = s.client_name.clone(),
        /// What happened.
        #[schemars(schema_with = "name_of::<IdentitySignInEvent>")]
        event: &'static str = s.event.text(),
        /// How the agent signed in.
        #[schemars(schema_with = "name_of::<IdentitySignInFlow>")]
        flow: &'static str = s.flow.text(),
        /// Id of the identity token.
        jti: String = s.jti.clone(),
        /// Client address of the agent or the app.
        ip: Option<String> = s.ip.clone(),
        created_at: TimestampView = s.created_at.into(),
    }
}

view! {
    /// A sign-in in a browser that waits for an agent.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "SignInApproval")]
    pub struct ApprovalView of r: &IdentityRequest, client: &IdentityClient {
        /// Code that the browser shows.
        code: String = shown(&r.user_code),
        client_id: String = client.client_id.clone(),
        client_name: String = client.name.clone(),
        homepage_url: Option<String> = client.homepage_url.clone(),
        /// Host that the browser returns to.
        redirect_host: String = app_url::host(&r.redirect_uri),
        /// What the app will learn, separated by spaces.
        scope: String = r.scope.to_string(),
        /// Client address of the browser.
        ip: String = r.ip.clone(),
        /// `User-Agent` of the browser.
        user_agent: Option<String> = r.user_agent.clone(),
        created_at: TimestampView = r.created_at.into(),
        expires_at: TimestampView = r.expires_at.into(),
    }
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

impl SecretIdentityClientView {
    /// Returns the view of an app and its new secret.
    #[must_use]
    pub fn of(client: &IdentityClient, client_secret: Option<String>) -> Self {
        Self { client: IdentityClientView::of(client), client_secret }
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

impl WaitingSignInView {
    /// Returns the view of a sign-in of an agent to an app.
    #[must_use]
    pub fn of(agent: &Inbox, request: &IdentityRequest, client: &IdentityClient) -> Self {
        let (inbox_id, address) = (agent.id.into(), agent.address.clone());
        Self { inbox_id, address, approval: ApprovalView::of(request, client) }
    }
}
