//! `GET /v1/account`.

use posthouse_api::views::{TimestampView, name_of, signup::RestrictionsView, workspace::WorkspaceView};
use posthouse_app::agents::switches;
use posthouse_app::signup::account::{self, Account, UnclaimedState};
use posthouse_call::prelude::*;
use posthouse_domain::{ClaimStatus, KeyPrincipal, PlanLimits, Principal, Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/account", "getAccount", Permission::InboxesRead)
            .summary("Returns the workspace of the API key, its limits, and the key itself.")
            .responds::<AccountView>(200)
            .handle(read),
    ]
}

async fn read(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let Account { workspace, unclaimed } = account::read(&service, input.caller).await?;
    let key = KeyView::of_principal(&input.caller.principal);
    let limits = workspace.limits(&service.config.plans);
    let agents = AgentMessagingView::of(&service);
    Outcome::json(200, &AccountView::of(&workspace, unclaimed, &limits, agents, key))
}

/// The workspace, limits and API key of the request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Account")]
struct AccountView {
    workspace: WorkspaceView,
    claim: ClaimView,
    limits: LimitsView,
    /// Restrictions of an unclaimed workspace; null if a person owns the workspace.
    restrictions: Option<RestrictionsView>,
    agent_messaging: AgentMessagingView,
    /// Null for a person with a session.
    key: Option<KeyView>,
}

/// Whether a person owns the workspace. If a person or the operator created it, `status` is `not_applicable` and the
/// other members are null.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkspaceClaim")]
struct ClaimView {
    #[schemars(schema_with = "name_of::<ClaimStatus>")]
    status: &'static str,
    claimed_at: Option<TimestampView>,
    /// Recipient of a claim link that is still valid, partly hidden.
    pending_email: Option<String>,
    /// Time at which an unclaimed workspace is deleted, unless it is used before.
    expires_at: Option<TimestampView>,
}

/// Limits in force; null means unlimited.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccountLimits")]
struct LimitsView {
    inboxes: Option<u64>,
    identities: Option<u64>,
    custom_domains: Option<u64>,
    public_listings: Option<u64>,
    /// API keys that are not revoked.
    api_keys: Option<u64>,
    knowledge_documents: Option<u64>,
    ai_drafts_per_day: Option<u64>,
    emails_per_month: Option<u64>,
    daily_sends: Option<u64>,
    daily_sends_per_inbox: Option<u64>,
    sends_per_5_minutes: Option<u64>,
    requests_per_minute: Option<u64>,
    /// Received messages that the categoriser reads per UTC day.
    ai_checks_per_day: Option<u64>,
    /// Attachments whose text is read, per calendar month (UTC).
    extractions_per_month: Option<u64>,
    /// Structured extractions from attachments, per calendar month (UTC).
    structured_extractions_per_month: Option<u64>,
    storage_bytes: Option<u64>,
}

/// Which parts of agent messaging are enabled.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentMessaging")]
struct AgentMessagingView {
    enabled: bool,
    directory_enabled: bool,
    agent_keys_enabled: bool,
    public_directory_enabled: bool,
}

/// The API key of the request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccountKey")]
struct KeyView {
    id: Uuid,
    scope: &'static str,
    inbox_id: Option<Uuid>,
    permissions: Vec<&'static str>,
}

impl AccountView {
    fn of(
        workspace: &Workspace,
        unclaimed: Option<UnclaimedState>,
        plan: &PlanLimits,
        agent_messaging: AgentMessagingView,
        key: Option<KeyView>,
    ) -> Self {
        let w = workspace;
        let restrictions = unclaimed.as_ref().map(|state| RestrictionsView::of(state.recipients_today));
        let expires_at = unclaimed.as_ref().and_then(|state| state.expires_at).map(Into::into);
        Self {
            workspace: WorkspaceView::of(w),
            claim: ClaimView {
                status: w.claim.text(),
                claimed_at: w.claimed_at.map(Into::into),
                pending_email: unclaimed.and_then(|state| state.pending_email),
                expires_at,
            },
            limits: LimitsView {
                inboxes: plan.inboxes,
                identities: plan.identities,
                custom_domains: plan.domains,
                api_keys: plan.api_keys,
                public_listings: plan.public_listings,
                knowledge_documents: plan.knowledge_documents,
                ai_drafts_per_day: plan.ai_drafts_per_day,
                emails_per_month: plan.emails_per_month,
                daily_sends: w.daily_send_limit.or(plan.daily_sends),
                daily_sends_per_inbox: plan.daily_sends_per_inbox,
                sends_per_5_minutes: plan.sends_per_5_minutes,
                requests_per_minute: plan.requests_per_minute,
                ai_checks_per_day: plan.ai_checks_per_day,
                extractions_per_month: plan.extractions_per_month,
                structured_extractions_per_month: plan.structured_extractions_per_month,
                storage_bytes: plan.storage_bytes,
            },
            restrictions,
            agent_messaging,
            key,
        }
    }
}

impl AgentMessagingView {
    fn of(service: &Service) -> Self {
        let agents = &service.config.agents;
        Self {
            enabled: agents.messaging,
            directory_enabled: agents.directory,
            agent_keys_enabled: agents.agent_keys,
            public_directory_enabled: switches::is_public(service),
        }
    }
}

impl KeyView {
    fn of_principal(principal: &Principal) -> Option<Self> {
        match principal {
            Principal::Key(key) => Some(Self::of(key)),
            Principal::User(_) | Principal::Connector(_) | Principal::Operator | Principal::Service { .. } => None,
        }
    }

    fn of(key: &KeyPrincipal) -> Self {
        Self {
            id: key.id.into(),
            scope: key.scope.text(),
            inbox_id: key.scope.key_inbox().map(Into::into),
            permissions: key.permissions.names().collect(),
        }
    }
}
