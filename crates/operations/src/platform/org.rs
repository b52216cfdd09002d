//! `/platform/org`: the settings of the workspace, and the end of an emergency stop.

use posthouse_api::views::workspace::{SuspensionView, WorkspaceView};
use posthouse_api::wire::{BoundedInt, Patch, Replacement, ScreeningChoice, ShownName};
use posthouse_app::people::org::{self, DisclosureChange, OrgChange};
use posthouse_app::workspaces::{stop, suspension};
use posthouse_call::prelude::*;
use posthouse_domain::analysis::{DEADLINE_S_MAX, DEADLINE_S_MIN};
use posthouse_domain::{AiProcessing, DisclosureLine, OutboundPolicy, Role, ScreeningTimeout};
use schemars::JsonSchema;
use serde::Serialize;

/// Longest name of a workspace, in characters.
const NAME_CHARS_MAX: usize = 100;
/// Longest retention, in days.
const RETENTION_DAYS_MAX: i64 = 36_500;
/// Longest note with a request for a review, in characters.
const REVIEW_NOTE_CHARS_MAX: usize = 2_000;
/// Longest disclosure line, in characters.
const DISCLOSURE_CHARS_MAX: usize = 300;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Patch, "/platform/org", "updateOrg", Role::Owner)
            .summary("Changes settings of the workspace.")
            .responds::<OrgAnswerView>(200)
            .errors(&[ErrorCode::Forbidden])
            .handle(update),
        Operation::session(Method::Post, "/platform/org/resume", "resumeOrg", Role::Owner)
            .summary("Ends the emergency stop; held mail is sent. Does nothing if the workspace is not stopped.")
            .without_body()
            .responds::<OrgAnswerView>(200)
            .errors(&[ErrorCode::Forbidden])
            .handle(resume),
        Operation::session(Method::Post, "/platform/org/suspension/review", "requestSuspensionReview", Role::Owner)
            .summary("Asks the operator to review the suspension of the workspace. A second request changes nothing.")
            .responds::<SuspensionAnswerView>(202)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotSuspended])
            .handle(request_review),
    ]
}

object! {
    /// How sent mail discloses that an agent wrote it.
    struct DisclosureBody {
        /// Where mail shows the line. Default: unchanged.
        visible_line: Replacement<DisclosureLine>,
        /// Text of the visible line. Null or empty text restores the built-in one. Default: unchanged.
        text: Patch<BoundedLine<0, DISCLOSURE_CHARS_MAX>>,
        /// Whether the name of the workspace is disclosed too. Default: unchanged.
        share_workspace_name: Replacement<bool>,
    }
}

object! {
    /// Settings of the workspace. Omitted members stay unchanged.
    struct OrgBody {
        /// The name.
        name: Replacement<ShownName<NAME_CHARS_MAX>>,
        /// How much AI may process the mail.
        ai_processing: Replacement<AiProcessing>,
        /// How mail is screened for agents; `true` means `hold`, `false` means `off`.
        screening: Replacement<ScreeningChoice>,
        /// Longest time of a check, in seconds.
        screening_deadline: Replacement<BoundedInt<DEADLINE_S_MIN, DEADLINE_S_MAX>>,
        /// What happens to mail whose check takes longer.
        screening_on_timeout: Replacement<ScreeningTimeout>,
        /// What happens to a message to an address that only received mail named, or with a secret.
        outbound_policy: Replacement<OutboundPolicy>,
        /// After how many days mail is deleted for good. Null: never.
        retention_days: Patch<BoundedInt<1, RETENTION_DAYS_MAX>>,
        /// How sent mail discloses that an agent wrote it.
        ai_disclosure: Replacement<DisclosureBody>,
    }
}

object! {
    /// A request for a review.
    struct ReviewBody {
        /// What the operator should know.
        note: Option<BoundedText<1, REVIEW_NOTE_CHARS_MAX>>,
    }
}

/// The suspension.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SuspensionAnswer")]
struct SuspensionAnswerView {
    suspension: SuspensionView,
}

/// The workspace.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OrgAnswer")]
struct OrgAnswerView {
    org: WorkspaceView,
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, OrgBody>) -> Result<Outcome, Refusal> {
    let workspace = org::change(&service, input.caller, input.body.parse()).await?;
    Outcome::json(200, &OrgAnswerView { org: WorkspaceView::of(&workspace) })
}

impl OrgBody {
    fn parse(self) -> OrgChange {
        let disclosure = self.ai_disclosure.0.map(|given| DisclosureChange {
            visible_line: given.visible_line.0,
            text: given.text.change().map(|line| line.map(|line| line.0).filter(|line| !line.is_empty())),
            shares_name: given.share_workspace_name.0,
        });
        let retention_days = self.retention_days.change().map(|days| days.and_then(|days| u32::try_from(days.0).ok()));
        OrgChange {
            name: self.name.0.map(|name| name.0),
            ai_processing: self.ai_processing.0,
            screening: self.screening.0.map(|choice| choice.0),
            screening_deadline_s: self.screening_deadline.0.map(|seconds| seconds.0),
            screening_on_timeout: self.screening_on_timeout.0,
            outbound_policy: self.outbound_policy.0,
            retention_days,
            disclosure,
        }
    }
}

async fn resume(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let workspace = stop::resume_as(&service, input.caller).await?;
    Outcome::json(200, &OrgAnswerView { org: WorkspaceView::of(&workspace) })
}

async fn request_review(service: Arc<Service>, input: Input<EmptyInput, ReviewBody>) -> Result<Outcome, Refusal> {
    let asked = suspension::request_review(&service, input.caller, input.body.note.map(|note| note.0)).await?;
    Outcome::json(202, &SuspensionAnswerView { suspension: SuspensionView::of(&asked) })
}
