//! Checks whether a workspace may have the service ask a person something: to claim it, or to confirm an address. The mail
//! is the service's own, so the gate decides about the workspace and not about the inbox that sends.

use posthouse_domain::{
    Inbox, LimitUsage, OutboundFacts, Refusal, SendFacts, SendPurpose, StorageNeed, Time, WorkspaceId, gate,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, suppressions, workspaces};

use super::decide;

/// A request of a workspace to a person.
pub(crate) struct PersonRequest<'a> {
    /// The workspace that asks.
    pub(crate) workspace: WorkspaceId,
    /// The inbox that asks, whose state and send lists apply; `None` if the workspace asks.
    pub(crate) inbox: Option<&'a Inbox>,
    /// The person.
    pub(crate) to: &'a Address,
    /// The service's own domains.
    pub(crate) own: &'a [String],
}

/// Checks a request, in the transaction that stores it.
///
/// # Errors
/// Returns the refusal of the gate.
pub(crate) fn check(tx: &mut Tx, request: &PersonRequest<'_>, now: Time) -> Result<(), Refusal> {
    let workspace = workspaces::get(tx, request.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    let (blocked, domain_unverified) = match request.inbox {
        Some(inbox) => {
            (decide::blocked_sends(tx, inbox, &[request.to])?, decide::is_unverified(tx, request.own, inbox)?)
        }
        None => (Vec::new(), false),
    };
    let address = request.to.canonical();
    let suppressed = suppressions::get(tx, request.workspace, &address)?.map(|_| address).into_iter().collect();
    let unlimited = LimitUsage { used: 0, limit: None };
    let facts = SendFacts {
        purpose: SendPurpose::Request,
        now,
        workspace_stopped: workspace.stopped_at.is_some(),
        inbox_paused: request.inbox.is_some_and(Inbox::is_paused),
        inbox_temporary: request.inbox.is_some_and(|inbox| inbox.temporary),
        workspace_suspended: workspace.suspended,
        suspension: workspace.suspension,
        domain_unverified,
        blocked,
        suppressed,
        loop_rule: None,
        outbound: OutboundFacts::unguarded(),
        recipients_day: None,
        month: unlimited,
        storage: StorageNeed::default(),
        inbox_day: unlimited,
        workspace_day: unlimited,
        burst: unlimited,
        burst_oldest: None,
    };
    gate::may_send(&facts).map(drop)
}
