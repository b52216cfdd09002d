//! Suspension of a workspace whose mail bounces or is called spam too often (API document, States): judged in the transaction
//! that settles a bounce or a complaint, by the counters of the last 7 days and by how many recipients they come from. An
//! operator ends it; what was counted before that does not suspend again.

use posthouse_domain::{
    id::WorkspaceId,
    metrics::Counters,
    suspension::{self, Ground, Incident},
    time::Time,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result, Tx, incidents,
    metrics::{self, Scope},
    recoveries::{self, Recovery},
    workspaces,
};
use sha2::{Digest, Sha256};

/// Records incidents at these recipients and suspends the workspace when its rates are over the limits. Call it after the
/// bounces or complaints were counted, of soft bounces with none.
///
/// # Errors
/// The store's own.
pub(super) fn judge<'a>(
    tx: &mut Tx,
    workspace: WorkspaceId,
    happened: impl IntoIterator<Item = (Incident, &'a str)>,
    now: Time,
) -> Result<()> {
    let digest = |(kind, address): (Incident, &str)| (kind.text(), recipient(address), kind);
    let mut happened: Vec<_> = happened.into_iter().map(digest).collect();
    happened.sort_unstable_by_key(|(name, recipient, _)| (*name, *recipient));
    for (_, recipient, kind) in &happened {
        incidents::record(tx, workspace, (*kind, recipient), now)?;
    }
    let Some((ground, counted)) = ground(tx, workspace, now)? else { return Ok(()) };
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
    Ok(sent_today <= suspension::SENT_MIN && ground(tx, workspace, now)?.is_some())
}

/// Notes that an operator ended the suspension: counting begins anew.
///
/// # Errors
/// The store's own.
pub fn recover(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<()> {
    let counted = metrics::totals(tx, &scope(workspace, now, now))?;
    recoveries::set(tx, workspace, &Recovery { at: now, counted })
}

/// Why sending is to be suspended, and what was counted; none where it is not.
fn ground(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<Option<(Ground, Counters)>> {
    let (counted, since) = counted(tx, workspace, now)?;
    for ground in suspension::exceeded(&counted) {
        let (kind, min) = ground.recipients_min();
        if incidents::count(tx, workspace, kind, since, min)? >= min {
            return Ok(Some((ground, counted)));
        }
    }
    Ok(None)
}

/// What was counted in the window, or since the last recovery within it, and when that began.
fn counted(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<(Counters, Time)> {
    let start = now.plus_ms(-suspension::WINDOW_MS);
    match recoveries::get(tx, workspace)?.filter(|recovery| recovery.at > start) {
        None => Ok((metrics::totals(tx, &scope(workspace, start, now))?, start)),
        Some(Recovery { at, counted: before }) => {
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

/// What a recipient is counted by: nobody needs the address itself.
fn recipient(address: &str) -> [u8; 32] {
    let canonical = Address::parse(address).map_or_else(|_| address.to_lowercase(), |address| address.canonical());
    Sha256::digest(canonical.as_bytes()).into()
}

/// The quarter hours from that of the one time to that of the other.
const fn scope(workspace: WorkspaceId, from: Time, to: Time) -> Scope {
    Scope { workspace, inbox: None, from, to: to.plus_ms(1) }
}
