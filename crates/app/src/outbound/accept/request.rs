//! Checks whether a workspace may have the service ask a person something: to claim it, or to confirm an address. The mail
//! is the service's own, so the gate decides about the workspace and not about the inbox that sends.

use posthouse_domain::{
    Caller, Inbox, LimitUsage, OutboundFacts, OutboundPolicy, Refusal, SendFacts, SendPurpose, StorageNeed, Time,
    WorkspaceId, gate,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result, Tx, suppressions, workspaces};

use super::decide;
use crate::outbound::guard::{is_person, origins, origins::Addressed};

/// A request of a workspace to a person.
pub(crate) struct PersonRequest<'a> {
    /// The workspace that asks.
    pub(crate) workspace: WorkspaceId,
    /// The inbox that asks, whose state and send lists apply; `None` if the workspace asks.
    pub(crate) inbox: Option<&'a Inbox>,
    /// The caller; `None` if the service asks.
    pub(crate) caller: Option<&'a Caller>,
    /// The person.
    pub(crate) to: &'a Address,
    /// The service's own domains.
    pub(crate) own: &'a [String],
}

/// Returns where the address comes from. A request can't wait for an approval, so it's refused if a message would be held.
fn outbound(tx: &mut Tx, request: &PersonRequest<'_>, policy: OutboundPolicy, now: Time) -> Result<OutboundFacts> {
    let (Some(caller), Some(inbox)) = (request.caller, request.inbox) else { return Ok(OutboundFacts::unguarded()) };
    let message = Addressed { inbox, caller, answers: None, known: &[], is_judged: false, now };
    Ok(OutboundFacts {
        policy: if policy == OutboundPolicy::Hold { OutboundPolicy::Refuse } else { policy },
        is_approved: is_person(caller),
        recipients: origins::of(tx, message, &[request.to])?,
        ..OutboundFacts::unguarded()
    })
}

/// Checks a request, in the transaction that stores it.
///
/// # Errors
/// Returns the refusal of the gate.
pub(crate) fn check(tx: &mut Tx, request: &PersonRequest<'_>, now: Time) -> std::result::Result<(), Refusal> {
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
        outbound: outbound(tx, request, workspace.outbound_policy, now)?,
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
