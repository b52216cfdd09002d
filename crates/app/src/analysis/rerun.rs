//! Analyzes stored mail again, for the operator: with the model that the configuration names now.

use std::sync::Arc;

use posthouse_domain::{Analysis, JobKind, JobReason, MessageId, NewJob, Time, WorkspaceId};
use posthouse_store::{Result, Tx, jobs, messages};

use crate::service::Service;

/// Marks a message as pending and enqueues its analysis. A message that was announced as enriched isn't announced again.
///
/// # Errors
/// Returns an error if a store call fails.
pub async fn rerun(service: &Arc<Service>, workspace: WorkspaceId, id: MessageId, deadline_s: i64) -> Result<bool> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        messages::lock(tx, workspace, &[id])?;
        let Some(mut message) = messages::get(tx, workspace, id)? else { return Ok(false) };
        if message.analysis.is_none() || message.analyzed_at.is_some() {
            return Ok(false);
        }
        message.analysis = Some(Analysis::Pending);
        message.analysis_due = Some(due(now, deadline_s));
        messages::set_analysis(tx, &message)?;
        let job = NewJob::new(JobKind::Analysis, JobReason::Queued, workspace, id.0, ids.clone().next(), now);
        jobs::enqueue(tx, &job)?;
        Ok::<_, posthouse_store::Error>(true)
    };
    service.write(work).await
}

fn due(now: Time, deadline_s: i64) -> Time {
    now.plus_ms(deadline_s * 1_000)
}
