//! The workspace and actor objects of events and of the emergency stop.

use posthouse_domain::{
    actor::{Actor, ActorKind},
    analysis::{ScreeningMode, ScreeningTimeout},
    outbound_policy::OutboundPolicy,
    plan::Plan,
    suspension::{Suspension, SuspensionReason},
    workspace::{AiProcessing, DisclosureLine, Workspace},
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

view! {
    /// A workspace and the state of its emergency stop.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Org")]
    pub struct OrgView of w: &Workspace {
        id: Uuid = w.id.into(),
        /// Name of the workspace.
        name: String = w.name.clone(),
        /// Time of the emergency stop; null if the workspace is not stopped.
        emergency_stopped_at: Option<TimestampView> = w.stopped_at.map(Into::into),
        /// Reason for the emergency stop, for people.
        emergency_stop_reason: Option<String> = w.stop_reason.clone(),
    }
}

/// A workspace with its settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Workspace")]
pub struct WorkspaceView {
    id: Uuid,
    name: String,
    #[schemars(schema_with = "name_of::<Plan>")]
    plan: &'static str,
    /// `active` or `suspended`.
    status: &'static str,
    /// Why sending is suspended; null if it isn't.
    suspension: Option<SuspensionView>,
    /// The operator's notice to the workspace.
    notice: Option<NoticeView>,
    /// Time of the emergency stop; null if the workspace is not stopped.
    emergency_stopped_at: Option<TimestampView>,
    /// Reason for the emergency stop, for people.
    emergency_stop_reason: Option<String>,
    ai_disclosure: AiDisclosureView,
    /// How much AI may process the mail.
    #[schemars(schema_with = "name_of::<AiProcessing>")]
    ai_processing: &'static str,
    /// How mail is screened for agents: `hold` holds risky mail until a person releases it, `monitor` labels it, `off`
    /// withholds nothing.
    #[schemars(schema_with = "name_of::<ScreeningMode>")]
    screening: &'static str,
    /// Longest time of a check, in seconds.
    screening_deadline: i64,
    /// What happens to mail whose check takes longer: `hold` or `release`.
    #[schemars(schema_with = "name_of::<ScreeningTimeout>")]
    screening_on_timeout: &'static str,
    /// What happens to a message to an address that only received mail named, or with a secret.
    #[schemars(schema_with = "name_of::<OutboundPolicy>")]
    outbound_policy: &'static str,
    /// After how many days mail is deleted for good; null if never.
    retention_days: Option<u32>,
    /// A daily message limit that replaces the plan's; null without one.
    daily_send_limit: Option<u64>,
    created_at: TimestampView,
}

view! {
    /// The suspension of a workspace.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Suspension")]
    pub struct SuspensionView of suspension: &Suspension {
        #[schemars(schema_with = "name_of::<SuspensionReason>")]
        reason: &'static str = suspension.reason.text(),
        since: TimestampView = suspension.since.into(),
        /// The people and organizations whose complaints or bounces counted: domains, and addresses at large mailbox
        /// providers.
        parties: Vec<String> = suspension.parties.clone(),
        /// When it ends by itself; null if the operator must end it.
        ends: Option<TimestampView> = None,
        /// When an owner asked the operator for a review.
        review_requested_at: Option<TimestampView> = suspension.review_requested_at.map(Into::into),
    }
}

/// A notice from the operator to the workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Notice")]
struct NoticeView {
    message: String,
    created_at: TimestampView,
}

/// How sent mail discloses that an agent wrote it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AiDisclosure")]
struct AiDisclosureView {
    #[schemars(schema_with = "name_of::<DisclosureLine>")]
    visible_line: &'static str,
    text: Option<String>,
    share_workspace_name: bool,
}

impl WorkspaceView {
    /// Returns the view of a workspace.
    #[must_use]
    pub fn of(workspace: &Workspace) -> Self {
        let w = workspace;
        let notice = w.notice.as_ref();
        Self {
            id: w.id.into(),
            name: w.name.clone(),
            plan: w.plan.text(),
            status: if w.suspended { "suspended" } else { "active" },
            suspension: w.suspension.as_ref().map(SuspensionView::of),
            notice: notice.map(|n| NoticeView { message: n.message.clone(), created_at: n.created_at.into() }),
            emergency_stopped_at: w.stopped_at.map(Into::into),
            emergency_stop_reason: w.stop_reason.clone(),
            ai_disclosure: AiDisclosureView {
                visible_line: w.ai_disclosure.visible_line.text(),
                text: w.ai_disclosure.text.clone(),
                share_workspace_name: w.ai_disclosure.shares_name,
            },
            ai_processing: w.ai_processing.text(),
            screening: w.screening.mode.text(),
            screening_deadline: w.screening.deadline_s,
            screening_on_timeout: w.screening.on_timeout.text(),
            outbound_policy: w.outbound_policy.text(),
            retention_days: w.retention_days,
            daily_send_limit: w.daily_send_limit,
            created_at: w.created_at.into(),
        }
    }
}

/// The principal behind an action.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Actor")]
pub struct ActorView {
    /// `user`, `api_key`, `connector` or `operator`.
    #[schemars(schema_with = "name_of::<ActorKind>")]
    r#type: &'static str,
    /// Id of the user or key; null for the operator.
    id: Option<String>,
    /// Address of a user, or name of a key.
    label: String,
}

impl ActorView {
    /// Returns the view of an actor.
    #[must_use]
    pub fn of(actor: &Actor) -> Self {
        Self { r#type: actor.kind.text(), id: actor.id.clone(), label: actor.label.clone() }
    }
}
