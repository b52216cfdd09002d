//! Reports on sent and received mail over time, computed from counters, never from the mail.

use jiff::civil::Date;
use posthouse_api::views::metrics::MetricsParameters;
use posthouse_domain::metrics::{self as rules, slot_start};
use posthouse_domain::{
    Caller, Counters, MetricsBucket, MetricsSpan, Refusal, Time, WorkspaceId, metrics::MetricsReport,
};
use posthouse_store::{Result, Tx, mail_domains, metrics, metrics::MetricsScope, queue};

use crate::{access::visible, service::Service};

/// Computes a report on the mail of the workspace, or of an inbox.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or invisible.
pub async fn report(service: &Service, caller: Caller, asked: MetricsParameters) -> Result<MetricsReport, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        asked.inbox.map_or(Ok(()), |inbox| visible::inbox(tx, &caller, inbox).map(drop))?;
        Ok::<_, Refusal>(compute(tx, caller.workspace, &asked, now)?)
    };
    service.read(caller.workspace, work).await
}

fn compute(tx: &mut Tx, workspace: WorkspaceId, asked: &MetricsParameters, now: Time) -> Result<MetricsReport> {
    let (inbox, span, bucket) = (asked.inbox, &asked.span, asked.bucket);
    let scope = MetricsScope { workspace, inbox, from: span.from, to: span.until };
    let days = span.heatmap_days();
    let heat_from = days.first().map_or(span.from, |day| span.midnight(*day));
    let slots = metrics::slots(tx, &MetricsScope { from: span.from.min(heat_from), ..scope })?;
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
    Ok(MetricsReport {
        busiest_day: busiest.map(|day| (heatmap[day].0, per_day[day])),
        series,
        totals,
        reasons: metrics::reasons(tx, &scope)?,
        classes: metrics::classes(tx, &scope)?,
        heatmap,
        longest_days,
        domains: mail_domains::count(tx, workspace)?,
        current: metrics::holdings(tx, workspace, inbox)?,
        queues: queue::states(tx, workspace, inbox, now)?,
    })
}

fn steps(span: &MetricsSpan, bucket: MetricsBucket) -> Vec<(Time, Counters)> {
    span.bucket_starts(bucket).into_iter().map(|step| (step, Counters::default())).collect()
}
