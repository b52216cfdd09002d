//! Runs one delivery attempt of an envelope; the job's lease is the fencing token.
//!
//! The delivery rules are in [`crate::outbound::deliver`].

use std::sync::Arc;

use posthouse_domain::{EnvelopeId, JobKind, MINUTE_MS, Time, WorkspaceId};
use posthouse_store::jobs::{self, JobOutcome, LeasedJob, due::GroupCapacity};

use super::definition::{HandlerResult, JobAttemptResult, JobCapacity, JobDefinition, SettledJob};
use crate::outbound::deliver::{self, DeliveryStep, EnvelopeRef};
use crate::{Service, throttle::DestinationLimiter};

/// Attempts beyond the connection limit, which are loaded, signed or settled while others hold the connections.
const ATTEMPTS_BESIDE: usize = 500;
/// Maximum attempts per allowed connection.
const ATTEMPTS_PER_CONNECTION: usize = 6;
/// How long held mail waits before the next check, in milliseconds, if the hold isn't lifted earlier.
const HELD_MS: i64 = 10 * MINUTE_MS;

/// Returns the job kind, limited by the configured connections in all and by the limiter per destination.
pub fn kind(service: &Service) -> JobDefinition {
    let connections = service.config.delivery.connections_max;
    let most = connections.saturating_mul(ATTEMPTS_PER_CONNECTION).min(connections.saturating_add(ATTEMPTS_BESIDE));
    JobDefinition::new(JobKind::Outbound, run).concurrency(most).capacity(Arc::new(service.capacity.limiter.clone()))
}

impl JobCapacity for DestinationLimiter {
    fn available(&self, workspace: WorkspaceId, group: &str, now: Time) -> GroupCapacity {
        self.available(workspace, group, now)
    }

    fn record_start(&self, workspace: WorkspaceId, group: &str, now: Time) {
        self.record_start(workspace, group, now);
    }

    fn release(&self, workspace: WorkspaceId, group: &str) {
        self.release(workspace, group);
    }

    fn next_at(&self) -> Option<Time> {
        self.next_at()
    }
}

async fn run(service: Arc<Service>, job: LeasedJob) -> HandlerResult {
    let reference = EnvelopeRef { workspace: job.workspace, envelope: EnvelopeId(job.subject) };
    let next_check_at = service.clock.now().plus_ms(HELD_MS);
    let fence: deliver::SettleFence = Arc::new(move |tx, next| {
        let outcome = match next {
            DeliveryStep::Done => JobOutcome::Done,
            DeliveryStep::Retry { at, why } => JobOutcome::Retry { at, why },
            DeliveryStep::Hold { why, at } => JobOutcome::Hold { at: at.unwrap_or(next_check_at), why },
        };
        jobs::settle(tx, &job, &outcome)
    });
    Ok(JobAttemptResult::Settled(match deliver::deliver(&service, reference, fence).await? {
        DeliveryStep::Done => SettledJob::Done,
        DeliveryStep::Retry { .. } => SettledJob::Retry,
        DeliveryStep::Hold { .. } => SettledJob::Hold,
    }))
}
