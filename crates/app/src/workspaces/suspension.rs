//! Suspends a workspace whose mail bounces or draws complaints too often
//! (`docs/decisions/sending.md#0024-suspension-needs-distinct-recipients`). The transaction that settles a bounce or complaint
//! decides, by the counters of the last 7 days and the number of distinct parties. What a stranger provoked by mail of
//! his own doesn't count (`provoked.rs`). An operator ends a suspension; earlier incidents don't suspend again.

use posthouse_domain::{
    Caller, Counters, ErrorCode, Incident, Message, Party, RecipientDelivery, Refusal, Suspension, SuspensionReason,
    Time, Workspace, WorkspaceId, suspension,
};
use posthouse_store::metrics::{self, MetricsScope};
use posthouse_store::recoveries::{self, SuspensionRecovery};
use posthouse_store::{Result, Tx, inboxes, incidents, workspaces};

use super::provoked::Exchange;
use crate::service::Service;

/// Number of parties that a suspension names.
const PARTIES_SHOWN_MAX: u32 = 20;

/// Returns the parties whose incidents at a sent message count: not those of recipients that a stranger's mail made the
/// workspace write to. Otherwise, a stranger could write to a workspace and complain about each answer.
pub(crate) fn counted<'a>(
    tx: &mut Tx,
    sent: &Message,
    happened: impl IntoIterator<Item = (Incident, &'a RecipientDelivery)>,
) -> Result<Vec<(Incident, Party)>> {
    let mut exchange = Exchange::of(tx, sent)?;
    let mut counted = Vec::new();
    for (kind, recipient) in happened {
        if let Some(party) = exchange.counted_party(tx, recipient)? {
            counted.push((kind, party));
        }
    }
    Ok(counted)
}

/// Records incidents of these parties, and suspends the workspace if its rates exceed the limits. Call it after the
/// counters were updated; for soft bounces, pass no incidents.
pub(crate) fn record_incidents(
    tx: &mut Tx,
    workspace: WorkspaceId,
    mut happened: Vec<(Incident, Party)>,
    now: Time,
) -> Result<()> {
    happened.sort_unstable_by(|(kind, party), (other, second)| (kind.text(), party).cmp(&(other.text(), second)));
    for (kind, party) in &happened {
        incidents::record(tx, workspace, *kind, party, now)?;
    }
    let Some((suspension, counted)) = suspension_due(tx, workspace, now)? else { return Ok(()) };
    if workspaces::suspend(tx, workspace, &suspension)? {
        let Counters { sent, bounced, complained, .. } = counted;
        let (ground, parties) = (suspension.reason.text(), suspension.parties.len());
        tracing::warn!(workspace_id = %workspace, ground, parties, sent, bounced, complained, "workspace.suspended");
    }
    Ok(())
}

/// Asks the operator to review the suspension, once; a further call changes nothing. Returns the suspension.
///
/// # Errors
/// Returns `not_suspended` if the workspace is not suspended.
pub async fn request_review(
    service: &Service,
    caller: Caller,
    note: Option<String>,
) -> std::result::Result<Suspension, Refusal> {
    let (id, now) = (caller.workspace, service.clock.now());
    let asked = service
        .write(move |tx| -> std::result::Result<(Suspension, bool), Refusal> {
            inboxes::take_workspace(tx, id)?;
            let found = workspaces::get(tx, id)?.ok_or_else(|| Refusal::not_found("workspace"))?;
            if !found.suspended {
                return Err(Refusal::new(ErrorCode::NotSuspended, "Sending is not suspended for this workspace."));
            }
            let mut asked = found
                .suspension
                .clone()
                .unwrap_or_else(|| Suspension::new(SuspensionReason::Operator, now, Vec::new()));
            let is_first = asked.review_requested_at.is_none();
            if is_first {
                (asked.review_requested_at, asked.review_note) = (Some(now), note.clone());
                let suspension = Some(asked.clone());
                workspaces::update(tx, &Workspace { suspension, ..found })?;
            }
            Ok((asked, is_first))
        })
        .await?;
    if asked.1 {
        tracing::warn!(workspace_id = %id, ground = asked.0.reason.text(), "workspace.review_requested");
    }
    Ok(asked.0)
}

/// Returns whether sending must be suspended for bounces that happened before there were enough sends to judge. Usually
/// cheap: the totals are read only for the first sends of a day.
pub(crate) fn is_overdue(tx: &mut Tx, workspace: WorkspaceId, sent_today: u64, now: Time) -> Result<bool> {
    Ok(sent_today <= suspension::SENT_MIN && suspension_due(tx, workspace, now)?.is_some())
}

/// Records that an operator ended the suspension: counting starts over.
pub fn recover(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    let counted = metrics::totals(tx, &scope(workspace, now, now))?;
    recoveries::set(tx, workspace, &SuspensionRecovery { at: now, counted })
}

/// Returns the suspension that is due, and the counters; `None` if none is.
fn suspension_due(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<Option<(Suspension, Counters)>> {
    // Without mail of the service, nobody could sign in. Its recipients asked for it.
    if workspace == WorkspaceId::SERVICE {
        return Ok(None);
    }
    let (counted, since) = window_counters(tx, workspace, now)?;
    // A party counts once, however often it complains.
    let complained = incidents::count(tx, workspace, Incident::Complaint, since, counted.complained)?;
    let counted = Counters { complained, ..counted };
    for reason in suspension::exceeded(&counted) {
        let Some((kind, min)) = reason.parties_min() else { continue };
        if incidents::count(tx, workspace, kind, since, min)? >= min {
            let parties = incidents::parties(tx, workspace, kind, since, PARTIES_SHOWN_MAX)?;
            return Ok(Some((Suspension::new(reason, now, parties), counted)));
        }
    }
    Ok(None)
}

/// Returns the counters of the window, or since the last recovery within it, and the start of that period.
fn window_counters(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<(Counters, Time)> {
    let start = now.plus_ms(-suspension::WINDOW_MS);
    match recoveries::get(tx, workspace)?.filter(|recovery| recovery.at > start) {
        None => Ok((metrics::totals(tx, &scope(workspace, start, now))?, start)),
        Some(SuspensionRecovery { at, counted: before }) => {
            let since = metrics::totals(tx, &scope(workspace, at, now))?;
            let counted = Counters {
                sent: since.sent.saturating_sub(before.sent),
                bounced: since.bounced.saturating_sub(before.bounced),
                complained: since.complained.saturating_sub(before.complained),
                ..since
            };
            Ok((counted, at))
        }
    }
}

/// Returns the metrics scope of the quarter hours from `from` to `to`, both included.
const fn scope(workspace: WorkspaceId, from: Time, to: Time) -> MetricsScope {
    MetricsScope { workspace, inbox: None, from, to: to.plus_ms(1) }
}
