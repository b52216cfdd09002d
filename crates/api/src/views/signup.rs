//! The objects of self-signup: challenges, unclaimed workspaces and their restrictions.

use posthouse_domain::{
    inbox::InboxKind,
    workspace::{
        ClaimStatus, UNCLAIMED_IDENTITIES, UNCLAIMED_IDLE_DAYS, UNCLAIMED_INBOXES, UNCLAIMED_RECIPIENTS_PER_DAY,
        Workspace,
    },
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, identity::IdentityView, inbox::InboxView, name_of};

/// A challenge. Find a decimal number `solution` so that SHA-256 of `<challenge>:<solution>` starts with `difficulty`
/// zero bits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SignupChallenge")]
pub struct ChallengeView {
    /// Text to solve.
    pub challenge: String,
    /// Always `sha256`.
    pub algorithm: &'static str,
    /// Number of zero bits at the start of the digest.
    pub difficulty: u32,
    /// Time at which the challenge expires.
    pub expires_at: TimestampView,
    /// What to do, for agents.
    pub instructions: String,
    /// Terms of the service, for agents; null if the operator has none.
    pub terms: Option<String>,
    /// URL of the terms.
    pub terms_url: Option<String>,
}

view! {
    /// A workspace that began by self-signup.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "SignupWorkspace")]
    pub struct SignupWorkspaceView of w: &Workspace {
        id: Uuid = w.id.into(),
        /// Name of the workspace.
        name: String = w.name.clone(),
        /// `unclaimed`, or `claimed` if a person owns it.
        #[schemars(schema_with = "name_of::<ClaimStatus>")]
        status: &'static str = w.claim.text(),
        created_at: TimestampView = w.created_at.into(),
        /// Time of the claim.
        claimed_at: Option<TimestampView> = w.claimed_at.map(Into::into),
    }
}

/// Restrictions of an unclaimed workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Restrictions")]
pub struct RestrictionsView {
    /// Maximum number of different recipients per UTC day.
    recipients_per_day: u64,
    /// Number of different recipients today.
    recipients_today: u64,
    /// Always `unlimited`: replies within conversations that began with received mail don't count, to people whom SPF or DKIM
    /// proves. Others count.
    replies_to_inbound_threads: &'static str,
    /// Maximum number of permanent inboxes.
    inboxes: u64,
    /// Maximum number of identities.
    identities: u64,
    /// Whether identity tokens can be requested.
    identity_tokens: bool,
    /// Whether the workspace may have webhooks.
    webhooks: bool,
    /// Whether the workspace may have custom domains.
    custom_domains: bool,
    /// Whether the workspace may use the event stream.
    event_stream: bool,
    /// Number of days without use after which the workspace is deleted.
    expires_after_inactive_days: i64,
}

impl RestrictionsView {
    /// Returns the restrictions, with the number of recipients of today.
    #[must_use]
    pub const fn of(recipients_today: u64) -> Self {
        Self {
            recipients_per_day: UNCLAIMED_RECIPIENTS_PER_DAY,
            recipients_today,
            replies_to_inbound_threads: "unlimited",
            inboxes: UNCLAIMED_INBOXES,
            identities: UNCLAIMED_IDENTITIES,
            identity_tokens: false,
            webhooks: false,
            custom_domains: false,
            event_stream: true,
            expires_after_inactive_days: UNCLAIMED_IDLE_DAYS,
        }
    }
}

/// Whether a person was asked to claim the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SignupClaim")]
pub struct SignupClaimView {
    /// `email_sent`, `not_requested`, or `email_failed`: repeat it with `POST /v1/signup/claim`.
    pub status: &'static str,
    /// Address of the person, partly hidden.
    pub email: Option<String>,
}

/// A signup. Only this response contains the API key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Signup")]
pub struct SignupView {
    /// API key of the agent.
    pub api_key: String,
    /// `mailbox` or `identity`.
    #[schemars(schema_with = "name_of::<InboxKind>")]
    pub kind: &'static str,
    /// Workspace of the agent.
    pub workspace: SignupWorkspaceView,
    /// Inbox of the agent; null for `identity`.
    pub inbox: Option<InboxView>,
    /// Identity of the agent; null for `mailbox`.
    pub identity: Option<IdentityView>,
    /// Claim mail.
    pub claim: SignupClaimView,
    /// Restrictions until a person claims the workspace.
    pub restrictions: RestrictionsView,
    /// URL of the API reference.
    pub docs_url: String,
    /// What to do next, for agents.
    pub next_steps: Vec<String>,
}

/// A further agent of an unclaimed workspace. Only this response contains the API key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SignupAgent")]
pub struct SignupAgentView {
    /// API key of the agent, which reaches only its inbox or identity.
    pub api_key: String,
    /// `mailbox` or `identity`.
    #[schemars(schema_with = "name_of::<InboxKind>")]
    pub kind: &'static str,
    /// Workspace of the agent.
    pub workspace: SignupWorkspaceView,
    /// Inbox of the agent; null for `identity`.
    pub inbox: Option<InboxView>,
    /// Identity of the agent; null for `mailbox`.
    pub identity: Option<IdentityView>,
    /// What to do next, for agents.
    pub next_steps: Vec<String>,
}

/// A claim mail that was sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClaimMail")]
pub struct ClaimMailView {
    /// Always `email_sent`.
    pub status: &'static str,
    /// Address of the person, partly hidden.
    pub email: String,
    /// Time at which the link expires.
    pub expires_at: TimestampView,
}
