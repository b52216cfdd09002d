//! `GET /v1/account` (contract §2).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::Refusal,
    plan::{Plan, PlanLimits},
    workspace::{Claim, UNCLAIMED_RECIPIENTS_PER_DAY, Workspace},
};
use posthouse_store::{Tx, unclaimed, workspaces};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    app::App,
    http::route::{Answer, Input, Route},
    views::{Moment, name_of},
};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/account", "getAccount", Permission::InboxesRead)
            .summary("The workspace of the API key, its limits, and which key is asking.")
            .answers::<AccountView>(200)
            .handle(read),
    ]
}

async fn read(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let (id, now) = (input.caller.workspace, app.clock.now());
    let load = move |tx: &mut Tx| {
        let workspace = workspaces::get(tx, id)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let is_unclaimed = workspace.claim == Claim::Unclaimed;
        let today = if is_unclaimed { Some(unclaimed::recipients(tx, id, now)?.len() as u64) } else { None };
        Ok::<_, Refusal>((workspace, today))
    };
    let (workspace, today) = app.store.read(load).await?;
    Answer::json(200, &AccountView::of((&workspace, today), app.config.plans.of(workspace.plan), &input))
}

/// The account.
#[derive(Serialize, JsonSchema)]
struct AccountView {
    workspace: WorkspaceView,
    claim: ClaimView,
    limits: LimitsView,
    restrictions: Option<RestrictionsView>,
    agent_messaging: AgentMessagingView,
    key: KeyView,
}

/// The workspace.
#[derive(Serialize, JsonSchema)]
struct WorkspaceView {
    id: Uuid,
    name: String,
    #[schemars(schema_with = "name_of::<Plan>")]
    plan: &'static str,
    status: &'static str,
    notice: Option<NoticeView>,
    emergency_stopped_at: Option<Moment>,
    emergency_stop_reason: Option<String>,
    ai_disclosure: AiDisclosureView,
    created_at: Moment,
}

/// What the operator tells the workspace.
#[derive(Serialize, JsonSchema)]
struct NoticeView {
    message: String,
    created_at: Moment,
}

/// How sent mail says that an agent wrote it.
#[derive(Serialize, JsonSchema)]
struct AiDisclosureView {
    visible_line: &'static str,
    text: Option<String>,
    share_workspace_name: bool,
}

/// Whether a person owns the workspace. Where a person or the operator made it, the status is not_applicable and the rest null.
#[derive(Serialize, JsonSchema)]
struct ClaimView {
    #[schemars(schema_with = "name_of::<Claim>")]
    status: &'static str,
    claimed_at: Option<Moment>,
    pending_email: Option<String>,
    expires_at: Option<Moment>,
}

/// What an unclaimed workspace may not do; null where a person owns it.
#[derive(Serialize, JsonSchema)]
struct RestrictionsView {
    /// Different people whom it may write to in a UTC day.
    recipients_per_day: u64,
    /// How many they were today.
    recipients_today: u64,
    /// Answers within conversations that came in, to people in them, are not counted.
    replies_to_inbound_threads: &'static str,
    /// Whether it may have webhooks.
    webhooks: bool,
    /// Whether it may use the event stream.
    event_stream: bool,
}

impl RestrictionsView {
    fn of(recipients_today: u64) -> Self {
        Self {
            recipients_per_day: UNCLAIMED_RECIPIENTS_PER_DAY,
            recipients_today,
            replies_to_inbound_threads: "unlimited",
            webhooks: false,
            event_stream: true,
        }
    }
}

/// Limits in force; null is unlimited.
#[derive(Serialize, JsonSchema)]
struct LimitsView {
    inboxes: Option<u64>,
    custom_domains: Option<u64>,
    emails_per_month: Option<u64>,
    daily_sends: Option<u64>,
    daily_sends_per_inbox: Option<u64>,
    sends_per_5_minutes: Option<u64>,
    requests_per_minute: Option<u64>,
}

/// Which parts of agent messaging are on.
#[derive(Serialize, JsonSchema)]
struct AgentMessagingView {
    enabled: bool,
    directory_enabled: bool,
    agent_keys_enabled: bool,
    public_directory_enabled: bool,
}

/// The key that asks.
#[derive(Serialize, JsonSchema)]
struct KeyView {
    id: Uuid,
    scope: &'static str,
    inbox_id: Option<Uuid>,
    permissions: Vec<&'static str>,
}

impl AccountView {
    fn of((workspace, recipients_today): (&Workspace, Option<u64>), plan: &PlanLimits, input: &Input) -> Self {
        let w = workspace;
        Self {
            workspace: WorkspaceView {
                id: w.id.into(),
                name: w.name.clone(),
                plan: w.plan.text(),
                status: if w.suspended { "suspended" } else { "active" },
                notice: w
                    .notice
                    .as_ref()
                    .map(|n| NoticeView { message: n.message.clone(), created_at: n.created_at.into() }),
                emergency_stopped_at: w.stopped_at.map(Into::into),
                emergency_stop_reason: w.stop_reason.clone(),
                ai_disclosure: AiDisclosureView { visible_line: "off", text: None, share_workspace_name: false },
                created_at: w.created_at.into(),
            },
            claim: ClaimView {
                status: w.claim.text(),
                claimed_at: w.claimed_at.map(Into::into),
                pending_email: None,
                expires_at: None,
            },
            limits: LimitsView {
                inboxes: plan.inboxes,
                custom_domains: plan.domains,
                emails_per_month: plan.emails_per_month,
                daily_sends: w.daily_send_limit.or(plan.daily_sends),
                daily_sends_per_inbox: plan.daily_sends_per_inbox,
                sends_per_5_minutes: plan.sends_per_5_minutes,
                requests_per_minute: plan.requests_per_minute,
            },
            restrictions: recipients_today.map(RestrictionsView::of),
            agent_messaging: AgentMessagingView {
                enabled: false,
                directory_enabled: false,
                agent_keys_enabled: false,
                public_directory_enabled: false,
            },
            key: KeyView {
                id: input.caller.key.into(),
                scope: input.caller.scope.text(),
                inbox_id: input.caller.scope.inbox().map(Into::into),
                permissions: input.caller.permissions.names().collect(),
            },
        }
    }
}
