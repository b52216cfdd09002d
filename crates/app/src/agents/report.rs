//! Reports about agents. Enough reports of different owners hide a listing until the operator decides.

use std::net::IpAddr;

use posthouse_domain::agent::report::{self, REPORT_COUNTS_MS, REPORTERS_TO_HIDE, REPORTS_SPAN_MS};
use posthouse_domain::{
    AgentReport, AgentReportId, Caller, DAY_MS, MessageId, Refusal, ReportReason, Reporter, Sanction, SanctionKind,
    Time,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, agent_reports, agents, inboxes, workspaces};

use super::{events::CardEvents, resolve::exists, resolve::not_found, switches};
use crate::{access::visible, keyring::counted_subject::counted_subject, service::Service};

/// A report to make.
#[derive(Clone, Debug)]
pub struct NewReport {
    /// The address of the agent.
    pub address: Address,
    /// Why.
    pub reason: ReportReason,
    /// Details for the operator.
    pub details: Option<String>,
    /// A message of the caller's workspace.
    pub message: Option<MessageId>,
    /// The network that counts as one client; `None` on loopback.
    pub network: Option<IpAddr>,
}

/// Reports an agent to the operator. Its owner gets an event with the reason only. Returns how many reports the workspace
/// has made today.
///
/// # Errors
/// Returns `directory_disabled`, `rate_limited`, `agent_not_found`, or `not_found` for a message that the caller can't see.
pub async fn report(service: &Service, caller: Caller, new: NewReport) -> Result<u64, Refusal> {
    switches::check(service)?;
    // Two events of a transaction have ids of two generators.
    let (events, hiding) = (CardEvents::of(service), CardEvents::of(service));
    let id = service.clock.ids().next::<AgentReportId>();
    let network = new.network.map(|network| counted_subject(service, &network.to_string())).transpose()?;
    let work = move |tx: &mut Tx| {
        let now = events.viewer.now;
        inboxes::take_workspace(tx, caller.workspace)?;
        let reporter = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        let today = Time::from_millis(now.millis() - now.millis().rem_euclid(DAY_MS));
        let made = agent_reports::made_since(tx, caller.workspace, today)?;
        report::check_daily(made, now)?;
        if let Some(message) = new.message {
            visible::message(tx, &caller, message)?;
        }
        let agent = agents::by_address(tx, &new.address.canonical())?.filter(|agent| exists(agent, now));
        let mut agent = agent.ok_or_else(not_found)?;
        let by = Reporter {
            is_own: agent.workspace == caller.workspace,
            claim: reporter.claim,
            is_suspended: reporter.suspended,
            created_at: reporter.created_at,
        };
        agent_reports::insert(
            tx,
            &AgentReport {
                workspace: caller.workspace,
                id,
                agent_workspace: agent.workspace,
                agent: agent.inbox,
                reason: new.reason,
                details: new.details.clone(),
                message: new.message,
                counts: by.counts(now),
                network: network.clone(),
                created_at: now,
            },
        )?;
        let by = agent_reports::reporters(tx, agent.inbox, now.plus_ms(-REPORT_COUNTS_MS))?;
        let reporters = by.parties.len() as u64;
        let is_hidden = reporters >= REPORTERS_TO_HIDE && by.span_ms >= REPORTS_SPAN_MS;
        if is_hidden && agent.sanction.is_none() {
            let parties = by.parties.iter().map(ToString::to_string).collect();
            agents::sanction(tx, &Sanction { parties, ..Sanction::new(&agent, SanctionKind::Reported, now) })?;
            tracing::warn!(inbox_id = %agent.inbox, reporters, "directory.hidden_by_reports");
            agent.sanction = Some(SanctionKind::Reported);
            hiding.updated(tx, &agent)?;
        }
        events.reported(tx, &agent, new.reason.text())?;
        Ok::<_, Refusal>(made + 1)
    };
    service.write(work).await
}
