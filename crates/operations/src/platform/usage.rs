//! `/platform/usage`: today's mail, the limits, and a daily series.

use posthouse_api::wire::BoundedInt;
use posthouse_app::people::usage::{self, DailyUsage, UsageReport};
use posthouse_call::prelude::*;
use posthouse_domain::{Plans, Role};
use schemars::JsonSchema;
use serde::Serialize;

/// Most days in a series.
const DAYS_MAX: i64 = 90;
/// Days in a series by default.
const DAYS: i64 = 30;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, "/platform/usage", "getUsage", Role::Member)
            .summary("Returns what the workspace sent and received today and on each of the last days, in UTC.")
            .responds::<UsageView>(200)
            .handle(read),
    ]
}

query! {
    /// The length of the series.
    struct UsageQuery {
        /// Number of days, today included. Default: 30.
        days: Option<BoundedInt<1, DAYS_MAX>>,
    }
}

/// Sent and received mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Usage")]
struct UsageView {
    today: CountsView,
    limits: UsageLimitsView,
    used: UsedView,
    /// Number of inboxes without temporary ones.
    inboxes: u64,
    /// Each day, oldest first, today included.
    series: Vec<DayView>,
}

/// Messages of a day.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UsageCounts")]
struct CountsView {
    sent: u64,
    received: u64,
}

/// Limits in force; null means unlimited.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UsageLimits")]
struct UsageLimitsView {
    inboxes: Option<u64>,
    daily_sends: Option<u64>,
    daily_sends_per_inbox: Option<u64>,
    emails_per_month: Option<u64>,
    storage_bytes: Option<u64>,
}

/// What counts towards the limits. Escalations to people on call don't.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UsageUsed")]
struct UsedView {
    /// Messages sent today.
    daily_sends: u64,
    /// Messages sent this month.
    emails_per_month: u64,
    /// Stored bytes.
    storage_bytes: u64,
}

/// Messages of one day.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UsageDay")]
struct DayView {
    /// The UTC date, as `2026-01-31`.
    date: String,
    sent: u64,
    received: u64,
}

async fn read(service: Arc<Service>, input: Input<UsageQuery>) -> Result<Outcome, Refusal> {
    let days = input.query.days.map_or(DAYS, |days| days.0);
    let found = usage::of_workspace(&service, input.caller, days).await?;
    Outcome::json(200, &UsageView::of(&found, &service.config.plans))
}

impl UsageView {
    fn of(found: &UsageReport, plans: &Plans) -> Self {
        let plan = found.workspace.limits(plans);
        let day = |day: &DailyUsage| DayView { date: day.date.to_string(), sent: day.sent, received: day.received };
        let today = found.days.last().map_or((0, 0), |today| (today.sent, today.received));
        Self {
            today: CountsView { sent: today.0, received: today.1 },
            limits: UsageLimitsView {
                inboxes: plan.inboxes,
                daily_sends: found.workspace.daily_send_limit.or(plan.daily_sends),
                daily_sends_per_inbox: plan.daily_sends_per_inbox,
                emails_per_month: plan.emails_per_month,
                storage_bytes: plan.storage_bytes,
            },
            used: UsedView {
                daily_sends: found.counted.day_sent,
                emails_per_month: found.counted.month_sent,
                storage_bytes: found.stored_bytes,
            },
            inboxes: found.inboxes,
            series: found.days.iter().map(day).collect(),
        }
    }
}
