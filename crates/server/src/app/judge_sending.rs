//! Suspension of a workspace whose mail bounces or is called spam too often (API document, States): judged in the transaction
//! that settles a bounce or a complaint, by the counters of the last 7 days. An operator ends it; what was counted before
//! that does not suspend again.

use posthouse_domain::{id::WorkspaceId, metrics::Counters, suspension, time::Time};
use posthouse_store::{
    Result, Tx,
    metrics::{self, Scope},
    recoveries::{self, Recovery},
    workspaces,
};

/// Suspends the workspace when its rates are over the limits. Call it after the bounce or complaint was counted.
///
/// # Errors
/// The store's own.
pub(super) fn judge(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    let counted = counted(tx, workspace, now)?;
    let Some(ground) = suspension::ground(&counted) else { return Ok(()) };
    if workspaces::suspend(tx, workspace)? {
        let Counters { sent, bounced, complained, .. } = counted;
        let ground = ground.text();
        tracing::warn!(workspace_id = %workspace, ground, sent, bounced, complained, "workspace.suspended");
    }
    Ok(())
}

/// Whether sending is over for what bounced before there were enough sends to judge by. Mostly the question costs nothing:
/// the send that made them enough was one of the first of its day.
///
/// # Errors
/// The store's own.
pub(super) fn is_overdue(tx: &mut Tx, workspace: WorkspaceId, sent_today: u64, now: Time) -> Result<bool> {
    Ok(sent_today <= suspension::SENT_MIN && suspension::ground(&counted(tx, workspace, now)?).is_some())
}

/// Notes that an operator ended the suspension: counting begins anew.
///
/// # Errors
/// The store's own.
pub fn recover(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    let counted = metrics::totals(tx, &scope(workspace, now, now))?;
    recoveries::set(tx, workspace, &Recovery { at: now, counted })
}

/// What was counted in the window, or since the last recovery within it.
fn counted(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<Counters> {
    let start = now.plus_ms(-suspension::WINDOW_MS);
    match recoveries::get(tx, workspace)?.filter(|recovery| recovery.at > start) {
        None => metrics::totals(tx, &scope(workspace, start, now)),
        Some(Recovery { at, counted: before }) => {
            let since = metrics::totals(tx, &scope(workspace, at, now))?;
            Ok(Counters {
                sent: since.sent.saturating_sub(before.sent),
                bounced: since.bounced.saturating_sub(before.bounced),
                complained: since.complained.saturating_sub(before.complained),
                ..since
            })
        }
    }
}

/// The quarter hours from that of the one time to that of the other.
const fn scope(workspace: WorkspaceId, from: Time, to: Time) -> Scope {
    Scope { workspace, inbox: None, from, to: to.plus_ms(1) }
}
