//! What a workspace sent and received by UTC day.

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use posthouse_domain::{Caller, DAY_MS, InboxKind, Refusal, Time, Workspace, metrics::slot_start};
use posthouse_store::{Tx, inboxes, metrics, metrics::MetricsScope, storage, usage, usage::WorkspaceUsage, workspaces};

use crate::service::Service;

/// The mail of one UTC day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DailyUsage {
    /// The day.
    pub date: Date,
    /// Sent messages.
    pub sent: u64,
    /// Received messages.
    pub received: u64,
}

/// The usage of a workspace.
#[derive(Clone, Debug)]
pub struct UsageReport {
    pub workspace: Workspace,
    /// The number of inboxes.
    pub inboxes: u64,
    /// The sent messages that count towards the limits.
    pub counted: WorkspaceUsage,
    /// What the workspace stores, in bytes.
    pub stored_bytes: u64,
    /// Each day, oldest first; the last is today.
    pub days: Vec<DailyUsage>,
}

/// Returns the usage of the last `days` days, today included.
///
/// # Errors
/// Returns `not_found` if the workspace is missing.
pub async fn of_workspace(service: &Service, caller: Caller, days: i64) -> Result<UsageReport, Refusal> {
    let (id, now) = (caller.workspace, service.clock.now());
    let today = now.day();
    let first = today - days + 1;
    let at = |day: i64| Time::from_millis(day * DAY_MS);
    let scope = MetricsScope { workspace: id, inbox: None, from: at(first), to: at(today + 1) };
    let read = move |tx: &mut Tx| {
        let workspace = workspaces::get(tx, id)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let mut all: Vec<DailyUsage> =
            (first..=today).map(|day| DailyUsage { date: date(at(day)), sent: 0, received: 0 }).collect();
        for (slot, counters) in metrics::slots(tx, &scope)? {
            let index = usize::try_from(slot_start(slot).day() - first).unwrap_or(usize::MAX);
            if let Some(day) = all.get_mut(index) {
                day.sent += counters.sent;
                day.received += counters.received;
            }
        }
        let inboxes = inboxes::count(tx, id, InboxKind::Mailbox, u64::MAX)?;
        let counted = usage::of_workspace(tx, id, now)?;
        let stored_bytes = storage::usage(tx, id)?.map_or(0, |stored| stored.bytes);
        Ok(UsageReport { workspace, inboxes, counted, stored_bytes, days: all })
    };
    service.read(id, read).await
}

fn date(at: Time) -> Date {
    let stamp = Timestamp::from_millisecond(at.millis()).unwrap_or(Timestamp::UNIX_EPOCH);
    stamp.to_zoned(TimeZone::UTC).date()
}
