//! Suspends a workspace whose mail bounces or draws complaints too often
//! (`docs/decisions/0024-suspension-needs-distinct-recipients.md`). The transaction that settles a bounce or complaint
//! decides, by the counters of the last 7 days and the number of distinct recipients. An operator ends a suspension;
//! earlier incidents don't suspend again.

use posthouse_domain::{
    id::WorkspaceId,
    metrics::Counters,
    suspension::{self, Incident, SuspensionReason},
    time::Time,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result, Tx, incidents,
    metrics::{self, MetricsScope},
    recoveries::{self, SuspensionRecovery},
    workspaces,
};
use sha2::{Digest, Sha256};

/// Records incidents at these recipients, and suspends the workspace if its rates exceed the limits. Call it after the
/// counters were updated; for soft bounces, pass no incidents.
///
/// # Errors
/// Returns an error if the database call fails.
pub(crate) fn record_incidents<'a>(
    tx: &mut Tx,
    workspace: WorkspaceId,
    happened: impl IntoIterator<Item = (Incident, &'a str)>,
    now: Time,
) -> Result<()> {
    let digest = |(kind, address): (Incident, &str)| (kind.text(), recipient(address), kind);
    let mut happened: Vec<_> = happened.into_iter().map(digest).collect();
    happened.sort_unstable_by_key(|(name, recipient, _)| (*name, *recipient));
    for (_, recipient, kind) in &happened {
        incidents::record(tx, workspace, *kind, recipient, now)?;
    }
    let Some((ground, counted)) = suspension_reason(tx, workspace, now)? else { return Ok(()) };
    if workspaces::suspend(tx, workspace)? {
        let Counters { sent, bounced, complained, .. } = counted;
        let ground = ground.text();
        tracing::warn!(workspace_id = %workspace, ground, sent, bounced, complained, "workspace.suspended");
    }
    Ok(())
}

/// Returns whether sending must be suspended for bounces that happened before there were enough sends to judge. Usually
/// cheap: the totals are read only for the first sends of a day.
///
/// # Errors
/// Returns an error if the database call fails.
pub(crate) fn is_overdue(tx: &mut Tx, workspace: WorkspaceId, sent_today: u64, now: Time) -> Result<bool> {
    Ok(sent_today <= suspension::SENT_MIN && suspension_reason(tx, workspace, now)?.is_some())
}

/// Records that an operator ended the suspension: counting starts over.
///
/// # Errors
/// Returns an error if the database call fails.
pub fn recover(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    let counted = metrics::totals(tx, &scope(workspace, now, now))?;
    recoveries::set(tx, workspace, &SuspensionRecovery { at: now, counted })
}

/// Returns why sending must be suspended, and the counters; `None` if it must not.
fn suspension_reason(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<Option<(SuspensionReason, Counters)>> {
    // Without mail of the service, nobody could sign in. Its recipients asked for it.
    if workspace == WorkspaceId::SERVICE {
        return Ok(None);
    }
    let (counted, since) = window_counters(tx, workspace, now)?;
    for ground in suspension::exceeded(&counted) {
        let (kind, min) = ground.recipients_min();
        if incidents::count(tx, workspace, kind, since, min)? >= min {
            return Ok(Some((ground, counted)));
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

/// Returns the digest that identifies a recipient; the address itself isn't needed.
fn recipient(address: &str) -> [u8; 32] {
    let canonical = Address::parse(address).map_or_else(|_| address.to_lowercase(), |address| address.canonical());
    Sha256::digest(canonical.as_bytes()).into()
}

/// Returns the metrics scope of the quarter hours from `from` to `to`, both included.
const fn scope(workspace: WorkspaceId, from: Time, to: Time) -> MetricsScope {
    MetricsScope { workspace, inbox: None, from, to: to.plus_ms(1) }
}
