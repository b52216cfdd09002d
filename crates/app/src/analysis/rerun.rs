//! Analyzes stored mail again, for the operator: with the engine that the configuration names now.

use std::sync::Arc;

use posthouse_domain::{
    Analysis, JobKind, JobReason, Message, MessageId, NewJob, Refusal, SkipReason, Time, Workspace, WorkspaceId,
};
use posthouse_store::{Result, Tx, jobs, messages, workspaces};

use crate::service::Service;

/// Messages read at once.
const STEP: u32 = 100;
/// Workspaces read at once.
const WORKSPACES_STEP: u32 = 100;

/// Which messages are analyzed again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RerunChoice {
    /// Only those of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Analyzed ones, too; otherwise only those that failed or were skipped for want of an engine or of quota.
    pub all: bool,
}

/// Marks messages as pending and enqueues their analysis; returns how many. What agents have stays; labels are only added,
/// and a message that was announced as enriched isn't announced again.
///
/// # Errors
/// Returns an error if a store call fails.
pub async fn rerun(service: &Arc<Service>, choice: RerunChoice) -> std::result::Result<u64, Refusal> {
    let mut count = 0;
    let mut last = WorkspaceId::SERVICE;
    loop {
        let after = last;
        let found =
            service.read(crate::ReadScope::Service, move |tx| workspaces::list(tx, after, WORKSPACES_STEP)).await?;
        let Some(end) = found.last() else { return Ok(count) };
        last = end.id;
        for workspace in found.iter().filter(|one| choice.workspace.is_none_or(|id| id == one.id)) {
            count += of_workspace(service, workspace, choice.all).await?;
        }
    }
}

async fn of_workspace(service: &Arc<Service>, workspace: &Workspace, all: bool) -> std::result::Result<u64, Refusal> {
    let (id, deadline_s) = (workspace.id, workspace.screening.deadline_s);
    let (mut count, mut after) = (0, MessageId(uuid::Uuid::nil()));
    loop {
        let (from, ids, now) = (after, service.clock.ids(), service.clock.now());
        let work = move |tx: &mut Tx| -> Result<(Option<MessageId>, u64)> {
            let ids = ids.clone();
            let found = messages::received_after(tx, id, from, STEP)?;
            let wanted: Vec<MessageId> = found.iter().filter(|one| is_wanted(one, all)).map(|one| one.id).collect();
            messages::lock(tx, id, &wanted)?;
            let mut marked = 0;
            for message in messages::get_many(tx, id, &wanted)? {
                mark(tx, message, now.plus_ms(deadline_s * 1_000), ids.next(), now)?;
                marked += 1;
            }
            Ok((found.last().map(|one| one.id), marked))
        };
        let (last, marked) = service.write(work).await?;
        count += marked;
        let Some(last) = last else { return Ok(count) };
        after = last;
    }
}

fn is_wanted(message: &Message, all: bool) -> bool {
    match &message.analysis {
        None | Some(Analysis::Pending) => false,
        Some(Analysis::Skipped(SkipReason::Blocked | SkipReason::NotApplicable | SkipReason::AiOff)) => false,
        Some(Analysis::Completed(_)) => all,
        Some(Analysis::Failed(_) | Analysis::Skipped(_)) => true,
    }
}

fn mark(tx: &mut Tx, message: Message, due: Time, job: posthouse_domain::JobId, now: Time) -> Result<()> {
    let message = Message { analysis: Some(Analysis::Pending), analysis_due: Some(due), ..message };
    messages::set_analysis(tx, &message)?;
    let kind = JobKind::Analysis;
    jobs::enqueue(tx, &NewJob::new(kind, JobReason::Queued, message.workspace, message.id.0, job, now))
}
