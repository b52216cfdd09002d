//! `/platform/screening`: how the verdicts about held mail agree with what people said.

use posthouse_api::views::name_of;
use posthouse_app::people::screening::{self, FeedbackCount};
use posthouse_call::prelude::*;
use posthouse_domain::{Feedback, HoldReason, Role};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, "/platform/screening", "getScreeningFeedback", Role::Member)
            .summary("Returns how often people agreed with the reasons for which mail was held.")
            .responds::<ScreeningReportView>(200)
            .handle(read),
    ]
}

/// What people said about held mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ScreeningReport")]
struct ScreeningReportView {
    /// Each reason with feedback.
    reasons: Vec<ReasonView>,
}

/// What people said about mail that was held for one reason.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ScreeningReason")]
struct ReasonView {
    #[schemars(schema_with = "name_of::<HoldReason>")]
    reason: &'static str,
    right: u64,
    wrong: u64,
    unsure: u64,
    spam: u64,
    test: u64,
    /// Share of `right` and `spam` among these and `wrong`; null without any.
    agreement: Option<f64>,
}

async fn read(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let counts = screening::feedback(&service, input.caller).await?;
    let reasons = HoldReason::ALL.iter().filter_map(|reason| ReasonView::of(*reason, &counts)).collect();
    Outcome::json(200, &ScreeningReportView { reasons })
}

impl ReasonView {
    fn of(reason: HoldReason, counts: &[FeedbackCount]) -> Option<Self> {
        let of = |feedback: Feedback| -> u64 {
            let found = counts.iter().filter(|count| count.reason == reason && count.feedback == feedback);
            found.map(|count| count.messages).sum()
        };
        let view = Self {
            reason: reason.text(),
            right: of(Feedback::Right),
            wrong: of(Feedback::Wrong),
            unsure: of(Feedback::Unsure),
            spam: of(Feedback::Spam),
            test: of(Feedback::Test),
            agreement: None,
        };
        let agreed = view.right + view.spam;
        let judged = agreed + view.wrong;
        let agreement = (judged > 0).then(|| agreed as f64 / judged as f64);
        (judged + view.unsure + view.test > 0).then_some(Self { agreement, ..view })
    }
}
