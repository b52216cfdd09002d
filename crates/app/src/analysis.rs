//! Analysis of received mail by a model server: a job asks it after the mail is stored.
//!
//! The local model answers before the mail is stored (`mailbox/judge.rs`). Both end in the same place: labels, the state of
//! the analysis, and whether agents get the mail.

pub mod ask;
pub mod rerun;
mod settle;

use std::sync::Arc;

use posthouse_domain::{
    AiProcessing, Analysis, Judged, Message, MessageId, Record, ScreeningTimeout, SkipReason, Time, Workspace,
    WorkspaceId,
};
use posthouse_store::{Error, Result, Tx, messages, workspaces};

use crate::{mailbox::judge::Judge, model_server, service::Service};

/// The time before the first retry, in milliseconds; it doubles with each one.
const RETRY_MS: i64 = 2_000;
/// The shortest time that the model server gets, in milliseconds.
const ASK_MS_MIN: i64 = 1_000;
/// The longest time that the model server gets for one exchange, in milliseconds.
const ASK_MS_MAX: i64 = 30_000;

/// What follows from an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnalysisStep {
    /// The analysis has ended.
    Done,
    /// The model server is asked again at this time.
    Again(Time),
}

/// How a pending analysis ends.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum AnalysisEnd {
    /// With this analysis.
    With(Analysis),
    /// The deadline passed.
    TimedOut(ScreeningTimeout),
}

/// A message whose analysis is pending.
struct PendingAnalysis {
    record: Record,
    workspace: Workspace,
}

/// Makes an attempt to analyze a message. `is_last` if there is no other.
///
/// # Errors
/// Returns an error if a store call fails.
pub async fn run(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    id: MessageId,
    attempt: Attempt,
) -> Result<AnalysisStep> {
    let Some(pending) = load(service, workspace, id).await? else { return Ok(AnalysisStep::Done) };
    let now = service.clock.now();
    let due = pending.record.message.analysis_due.unwrap_or(now);
    if pending.workspace.ai_processing == AiProcessing::Off {
        return finish(service, &pending, AnalysisEnd::With(Analysis::Skipped(SkipReason::AiOff))).await;
    }
    if now >= due {
        return finish(service, &pending, AnalysisEnd::TimedOut(pending.workspace.screening.on_timeout)).await;
    }
    let timeout_ms = (due.millis() - now.millis()).clamp(ASK_MS_MIN, ASK_MS_MAX);
    let mut is_asked = false;
    let answered = match Judge::of(service).judge_stored_or_later(&pending.record) {
        Judged::Now(verdict) => Ok(verdict),
        Judged::Later => {
            is_asked = true;
            ask::ask(service, &pending.record, timeout_ms).await
        }
        Judged::Unavailable => {
            return finish(service, &pending, AnalysisEnd::With(Analysis::Skipped(SkipReason::NotAvailable))).await;
        }
        Judged::Failed => Err(model_server::ModelServerError::Invalid(Vec::new())),
    };
    let outcome = answered.as_ref().map_or_else(model_server::ModelServerError::text, |_| "answered");
    service.metrics.analysis(outcome);
    match answered {
        Ok(verdict) => {
            if is_asked {
                let check = pending.record.message.local_check.as_ref();
                service.metrics.checks.judged(&verdict, verdict.injection, check);
            }
            finish(service, &pending, AnalysisEnd::With(Analysis::Completed(verdict))).await
        }
        Err(error) if error.is_temporary() && !attempt.is_last => {
            let doublings = attempt.number.saturating_sub(1).min(10);
            Ok(AnalysisStep::Again(service.clock.now().plus_ms(RETRY_MS << doublings).min(due)))
        }
        Err(error) => finish(service, &pending, AnalysisEnd::With(Analysis::Failed(error.to_string()))).await,
    }
}

/// The attempt of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    pub is_last: bool,
}

async fn load(service: &Service, workspace: WorkspaceId, id: MessageId) -> Result<Option<PendingAnalysis>> {
    let work = move |tx: &mut Tx| {
        let Some(record) = messages::record(tx, workspace, id)? else { return Ok(None) };
        if record.message.analysis != Some(Analysis::Pending) {
            return Ok(None);
        }
        let found = workspaces::get(tx, workspace)?;
        Ok::<_, Error>(found.map(|workspace| PendingAnalysis { record, workspace }))
    };
    service.read(workspace, work).await
}

async fn finish(service: &Arc<Service>, pending: &PendingAnalysis, end: AnalysisEnd) -> Result<AnalysisStep> {
    let Message { workspace, id, inbox, .. } = pending.record.message;
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let key = service.address_key().map_err(|refusal| Error::Internal(refusal.message.into()))?;
    let work = move |tx: &mut Tx| {
        settle::settle(tx, settle::EndedAnalysis { workspace, id, inbox, end: &end }, &key, &ids.clone(), now)
    };
    service.write(work).await?;
    Ok(AnalysisStep::Done)
}
