//! `posthouse directory suspend | restore | list`.

use std::sync::Arc;

use clap::{Args, Subcommand};
use posthouse_app::{
    App,
    directory::operator::{self, ReviewedAgent},
};
use posthouse_mail::address::Address;
use serde_json::{Value, json};

use super::{CommandEffect, CommandError, GlobalOptions, OutputOptions, print, runtime};
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
  posthouse directory suspend bot@agents.example --reason \"Impersonates a bank.\"

The workspace of the agent sees the reason.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Suspend {
    /// Address of the agent.
    address: String,
    /// Why, for the owner of the agent.
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
    let config = options.load()?;
    runtime()?.block_on(async {
        let app = boot::bare_program(&config)?;
        let done = match command {
            Command::List(output) => list(&app, &output).await,
            Command::Suspend(given) => suspend(&app, given).await,
            Command::Restore(given) => restore(&app, &given).await,
        };
        boot::close(app.store.clone()).await;
        done
    })
}

fn address(text: &str) -> Result<Address, CommandError> {
    Address::parse(text).map_err(|error| CommandError::Usage(format!("{text} is not an address: {error}")))
}

async fn list(app: &Arc<App>, output: &OutputOptions) -> Result<(), CommandError> {
    let agents = operator::list(app).await?;
    let views: Vec<Value> = agents.iter().map(view).collect();
    let lines: Vec<String> = agents.iter().map(line).collect();
    let text =
        if lines.is_empty() { "No agent is suspended, hidden or reported.".to_owned() } else { lines.join("\n") };
    print(output, &json!({ "agents": views }), &text, &CommandEffect::Nothing)
}

fn view(reviewed: &ReviewedAgent) -> Value {
    let report = |report: &posthouse_store::agent_reports::OpenReport| {
        json!({
            "reason": report.reason.text(),
            "details": report.details,
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
        "reports": reviewed.reports.iter().map(report).collect::<Vec<_>>(),
    })
}

fn line(reviewed: &ReviewedAgent) -> String {
    let decision = reviewed.sanction.as_ref().map_or("none", |sanction| sanction.kind.text());
    let reasons: Vec<&str> = reviewed.reports.iter().map(|report| report.reason.text()).collect();
    format!("{:40} {decision:10} {} open reports {}", reviewed.agent.address, reasons.len(), reasons.join(","))
}

async fn suspend(app: &Arc<App>, given: Suspend) -> Result<(), CommandError> {
    let address = address(&given.address)?;
    let agent = operator::suspend(app, &address, given.reason).await.map_err(|refusal| refused(&refusal))?;
    let text = format!("Suspended {}. It leaves the directory at once.", agent.address);
    print(
        &given.output,
        &json!({ "address": agent.address, "status": "suspended" }),
        &text,
        &CommandEffect::This(text.clone()),
    )
}

async fn restore(app: &Arc<App>, given: &Restore) -> Result<(), CommandError> {
    let address = address(&given.address)?;
    let agent = operator::restore(app, &address).await.map_err(|refusal| refused(&refusal))?;
    let status = agent.standing(app.clock.now()).text();
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
