//! What the operator decides about agents.

use posthouse_domain::{Agent, ErrorCode, Refusal, Sanction, SanctionKind, Time};
use posthouse_mail::address::Address;
use posthouse_store::{Result, Tx, agent_reports, agent_reports::OpenReport, agents};

use super::events::CardEvents;
use crate::service::{ReadScope, Service};

/// The most agents that are listed.
const AGENTS_MAX: u32 = 1_000;
/// The most reports that are shown for each agent.
const REPORTS_MAX: u32 = 20;

/// An agent with a decision against it or with open reports.
#[derive(Debug)]
pub struct ReviewedAgent {
    pub agent: Agent,
    /// What was decided.
    pub sanction: Option<Sanction>,
    /// Its open reports, latest first.
    pub reports: Vec<OpenReport>,
}

/// Suspends an agent: its card is hidden, its messages are no longer signed, and checks of its signatures show it.
///
/// # Errors
/// Returns `agent_not_found`.
pub async fn suspend(service: &Service, address: &Address, reason: Option<String>) -> Result<Agent, Refusal> {
    let (events, address) = (CardEvents::of(service), address.canonical());
    let work = move |tx: &mut Tx| {
        let mut agent = agents::by_address(tx, &address)?.ok_or_else(|| unknown(&address))?;
        let is_new = agent.sanction != Some(SanctionKind::Suspended);
        let kind = SanctionKind::Suspended;
        let decided = Sanction::new(&agent, kind, events.viewer.now);
        agents::sanction(tx, &Sanction { reason: reason.clone(), ..decided })?;
        agent.sanction = Some(kind);
        if is_new {
            events.revoked(tx, &agent, reason.clone())?;
        }
        Ok(agent)
    };
    service.write(work).await
}

fn unknown(address: &str) -> Refusal {
    Refusal::new(
        ErrorCode::AgentNotFound,
        format!("No inbox or identity of this server has or had the address {address}."),
    )
}

/// Lifts the suspension of an agent, closes the reports about it and lists its card again.
///
/// # Errors
/// Returns `agent_not_found`.
pub async fn restore(service: &Service, address: &Address) -> Result<Agent, Refusal> {
    let (events, address) = (CardEvents::of(service), address.canonical());
    let work = move |tx: &mut Tx| {
        let mut agent = agents::by_address(tx, &address)?.ok_or_else(|| unknown(&address))?;
        agent_reports::settle(tx, agent.inbox, events.viewer.now)?;
        if agents::end_sanction(tx, agent.workspace, agent.inbox)? {
            agent.sanction = None;
            events.updated(tx, &agent)?;
        }
        Ok(agent)
    };
    service.write(work).await
}

/// Returns the agents with a decision against them or with open reports, latest first.
pub async fn list(service: &Service) -> Result<Vec<ReviewedAgent>> {
    service.read(ReadScope::Service, load).await
}

fn load(tx: &mut Tx) -> Result<Vec<ReviewedAgent>> {
    let range = posthouse_domain::page::PageRange { after: None, limit: AGENTS_MAX };
    let sanctions = agents::sanctioned(tx, range)?;
    let mut all: Vec<(Time, ReviewedAgent)> = Vec::new();
    for sanction in sanctions {
        let Some(agent) = agents::get(tx, sanction.workspace, sanction.inbox)? else { continue };
        let reports = agent_reports::of_agent(tx, sanction.inbox, REPORTS_MAX)?;
        all.push((sanction.created_at, ReviewedAgent { agent, sanction: Some(sanction), reports }));
    }
    for reported in agent_reports::reported(tx, AGENTS_MAX)? {
        if all.iter().any(|(_, other)| other.agent.inbox == reported.inbox) {
            continue;
        }
        let Some(agent) = agents::get(tx, reported.workspace, reported.inbox)? else { continue };
        let reports = agent_reports::of_agent(tx, reported.inbox, REPORTS_MAX)?;
        all.push((reported.last_at, ReviewedAgent { agent, sanction: None, reports }));
    }
    all.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    Ok(all.into_iter().map(|(_, agent)| agent).collect())
}
