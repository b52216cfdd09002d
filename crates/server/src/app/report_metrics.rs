//! What was sent and received, over time (contract §13.2): read from counters, never from the mail.

use jiff::civil::Date;
use posthouse_domain::{
    id::{InboxId, WorkspaceId},
    metrics::{self as rules, Bucket, Counters, Span, slot_start},
    time::Time,
};
use posthouse_store::{
    Result, Tx, mail_domains,
    metrics::{self, Holdings, Scope},
    queue::{self, QueueState},
};

/// A report about a workspace, or one inbox of it.
pub struct Report {
    /// Each step's beginning with what happened in it.
    pub series: Vec<(Time, Counters)>,
    /// What happened in all.
    pub totals: Counters,
    /// Why recipients bounced, most frequent first.
    pub reasons: Vec<(String, u64)>,
    /// The classes of bounced recipients, most frequent first.
    pub classes: Vec<(String, u64)>,
    /// The last days of the span, oldest first.
    pub heatmap: Vec<(Date, Counters)>,
    /// Most days in a row on which something was sent or received.
    pub longest_days: u64,
    /// The day on which most was, and how much.
    pub busiest_day: Option<(Date, u64)>,
    /// The workspace's own domains.
    pub domains: u64,
    /// What is stored now.
    pub holdings: Holdings,
    /// The work queues as they are now, whatever the span.
    pub queues: Vec<QueueState>,
}

/// Puts a report together.
///
/// # Errors
/// The store's own.
pub fn report(
    tx: &mut Tx,
    (workspace, inbox): (WorkspaceId, Option<InboxId>),
    span: &Span,
    (bucket, now): (Bucket, Time),
) -> Result<Report> {
    let scope = Scope { workspace, inbox, from: span.from, to: span.until };
    let days = span.heatmap_days();
    let heat_from = days.first().map_or(span.from, |day| span.midnight(*day));
    let slots = metrics::slots(tx, &Scope { from: span.from.min(heat_from), ..scope })?;
    let (mut series, mut totals) = (steps(span, bucket), Counters::default());
    let mut heatmap: Vec<(Date, Counters)> = days.into_iter().map(|day| (day, Counters::default())).collect();
    let first_slot = rules::slot_of(span.from);
    for (slot, counters) in &slots {
        let at = slot_start(*slot);
        if *slot >= first_slot {
            totals.add(counters);
            let step = series.partition_point(|(step, _)| *step <= at);
            if let Some((_, sum)) = step.checked_sub(1).and_then(|step| series.get_mut(step)) {
                sum.add(counters);
            }
        }
        if at >= heat_from {
            let day = span.date_of(at);
            if let Ok(found) = heatmap.binary_search_by_key(&day, |(day, _)| *day) {
                heatmap[found].1.add(counters);
            }
        }
    }
    let per_day: Vec<u64> = heatmap.iter().map(|(_, counters)| counters.sent + counters.received).collect();
    let (longest_days, busiest) = rules::streak(&per_day);
    Ok(Report {
        busiest_day: busiest.map(|day| (heatmap[day].0, per_day[day])),
        series,
        totals,
        reasons: metrics::reasons(tx, &scope)?,
        classes: metrics::classes(tx, &scope)?,
        heatmap,
        longest_days,
        domains: mail_domains::count(tx, workspace)?,
        holdings: metrics::holdings(tx, workspace, inbox)?,
        queues: queue::states(tx, workspace, inbox, now)?,
    })
}

fn steps(span: &Span, bucket: Bucket) -> Vec<(Time, Counters)> {
    span.steps(bucket).into_iter().map(|step| (step, Counters::default())).collect()
}
