//! `posthouse directory suspend | restore | list`.

use std::sync::Arc;

use clap::{Args, Subcommand};
use posthouse_api::wire::revocation_reason;
use posthouse_app::{
    Service,
    agents::operator::{self, ReviewedAgent},
};
use posthouse_domain::agent::card_text;
use posthouse_mail::address::Address;
use posthouse_store::agent_reports::OpenReport;
use serde_json::{Value, json};

use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use super::runtime;
use crate::boot;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// List the agents that were suspended, hidden or reported.
    List(OutputOptions),
    /// Suspend an agent: its card is hidden, and its messages are no longer signed.
    Suspend(Suspend),
    /// Restore a suspended or hidden agent, and settle the reports about it.
    Restore(Restore),
}

/// Shown below the options.
const EXAMPLES: &str = "\
Example:
  posthouse directory suspend bot@agents.example --reason \"Poses as a bank.\"

The workspace of the agent sees the reason.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Suspend {
    /// Address of the agent.
    address: String,
    /// Why, for the owner of the agent: 1 to 500 characters.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Args, Debug)]
pub(super) struct Restore {
    /// Address of the agent.
    address: String,
    #[command(flatten)]
    output: OutputOptions,
}

pub(super) fn run(command: Command, options: &GlobalOptions) -> Result<(), CommandError> {
    let config = options.load_with_store()?;
    runtime()?.block_on(async {
        let service = boot::bare_program(&config)?;
        let done = match command {
            Command::List(output) => list(&service, &output).await,
            Command::Suspend(given) => suspend(&service, given).await,
            Command::Restore(given) => restore(&service, &given).await,
        };
        boot::close(service.store.clone()).await;
        done
    })
}

fn address(text: &str) -> Result<Address, CommandError> {
    Address::parse(text).map_err(|error| CommandError::Usage(format!("{text} is not an address: {error}")))
}

async fn list(service: &Arc<Service>, output: &OutputOptions) -> Result<(), CommandError> {
    let agents = operator::list(service).await?;
    let views: Vec<Value> = agents.iter().map(view).collect();
    let lines: Vec<String> = agents.iter().flat_map(lines).collect();
    let text =
        if lines.is_empty() { "No agent is suspended, hidden or reported.".to_owned() } else { lines.join("\n") };
    print(output, &json!({ "agents": views }), &text, &CommandEffect::Nothing)
}

fn view(reviewed: &ReviewedAgent) -> Value {
    let report = |report: &OpenReport| {
        json!({
            "reporter_workspace_id": report.workspace.to_string(),
            "reason": report.reason.text(),
            "details": report.details,
            "message_id": report.message.map(|id| id.to_string()),
            "counts": report.counts,
            "created_at": report.created_at.to_string(),
        })
    };
    json!({
        "address": reviewed.agent.address,
        "workspace_id": reviewed.agent.workspace.to_string(),
        "name": reviewed.agent.card.as_ref().map(|card| &card.name),
        "decision": reviewed.sanction.as_ref().map(|sanction| sanction.kind.text()),
        "reason": reviewed.sanction.as_ref().and_then(|sanction| sanction.reason.as_ref()),
        "since": reviewed.sanction.as_ref().map(|sanction| sanction.created_at.to_string()),
        "parties": reviewed.sanction.as_ref().map(|sanction| &sanction.parties),
        "review_requested_at":
            reviewed.sanction.as_ref().and_then(|sanction| sanction.review_requested_at).map(|at| at.to_string()),
        "review_note": reviewed.sanction.as_ref().and_then(|sanction| sanction.review_note.as_ref()),
        "reports": reviewed.reports.iter().map(report).collect::<Vec<_>>(),
    })
}

/// Returns the lines of an agent: what was decided, and each open report.
fn lines(reviewed: &ReviewedAgent) -> Vec<String> {
    let decision = reviewed.sanction.as_ref().map_or("none", |sanction| sanction.kind.text());
    let reason = reviewed.sanction.as_ref().and_then(|sanction| sanction.reason.as_deref());
    let reason = reason.map(|reason| format!(" ({})", one_line(reason))).unwrap_or_default();
    let (address, workspace) = (&reviewed.agent.address, reviewed.agent.workspace);
    let head = format!("{address}  workspace {workspace}  {decision}{reason}  {} open reports", reviewed.reports.len());
    let review = reviewed.sanction.as_ref().and_then(|sanction| {
        let note = sanction.review_note.as_deref().map(|note| format!(": {}", one_line(note))).unwrap_or_default();
        sanction.review_requested_at.map(|at| format!("    {at}  the owner asks for a review{note}"))
    });
    std::iter::once(head).chain(review).chain(reviewed.reports.iter().map(report_line)).collect()
}

fn report_line(report: &OpenReport) -> String {
    let message = report.message.map(|id| format!("  message {id}")).unwrap_or_default();
    let details = report.details.as_deref().map(|text| format!("  {}", one_line(text))).unwrap_or_default();
    let (at, by, reason) = (report.created_at, report.workspace, report.reason.text());
    format!("    {at}  {reason}  by workspace {by}{message}{details}")
}

/// Returns a text of a stranger on one line, without characters that control a terminal.
fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    card_text::visible(&words.join(" "))
}

async fn suspend(service: &Arc<Service>, given: Suspend) -> Result<(), CommandError> {
    let address = address(&given.address)?;
    let reason = given.reason.as_deref().map(revocation_reason).transpose();
    let reason = reason.map_err(|problem| CommandError::Usage(format!("--reason {problem}")))?.map(|reason| reason.0);
    let agent = operator::suspend(service, &address, reason).await.map_err(|refusal| refused(&refusal))?;
    let text = format!("Suspended {}. It leaves the directory at once.", agent.address);
    print(
        &given.output,
        &json!({ "address": agent.address, "status": "suspended" }),
        &text,
        &CommandEffect::This(text.clone()),
    )
}

async fn restore(service: &Arc<Service>, given: &Restore) -> Result<(), CommandError> {
    let address = address(&given.address)?;
    let agent = operator::restore(service, &address).await.map_err(|refusal| refused(&refusal))?;
    let status = agent.standing(service.clock.now()).text();
    let text = format!("Restored {}. Its standing is {status}.", agent.address);
    print(
        &given.output,
        &json!({ "address": agent.address, "status": status }),
        &text,
        &CommandEffect::This(text.clone()),
    )
}

fn refused(refusal: &posthouse_domain::error::Refusal) -> CommandError {
    CommandError::Failed(refusal.whole_message())
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_domain::{
        agent::report::ReportReason,
        id::{MessageId, WorkspaceId},
        time::Time,
    };
    use uuid::Uuid;

    #[test]
    fn a_report_is_one_line_with_all_that_the_operator_needs() {
        let report = OpenReport {
            workspace: WorkspaceId(Uuid::from_u128(1)),
            reason: ReportReason::Impersonation,
            details: Some("It says\nit is \u{1b}[31mmy\u{202e} bank.".to_owned()),
            message: Some(MessageId(Uuid::from_u128(2))),
            counts: true,
            created_at: Time::from_millis(0),
        };
        let line = report_line(&report);
        for part in [
            "impersonation",
            "workspace 00000000-0000-0000-0000-000000000001",
            "message 00000000-0000-0000-0000-000000000002",
            "It says it is [31mmy bank.",
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
        assert!(!line.contains(char::is_control));
    }
}
