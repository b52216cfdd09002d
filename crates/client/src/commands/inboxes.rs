//! `posthouse inboxes list | create | pause | resume`.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::list::{self, List, Paging};
use crate::{
    api::{Call, Query},
    error::ClientError,
    inbox,
    output::{Column, column},
    session::Session,
};

/// Commands for inboxes.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the inboxes that the key can access, newest first.
    List(ListOptions),
    /// Create an inbox; prints its address.
    Create(Create),
    /// Stop an inbox from sending; it keeps receiving.
    Pause(Pause),
    /// Let a paused inbox send again, and deliver the events it held.
    Resume(Resume),
}

/// Options of `posthouse inboxes list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    /// Include temporary inboxes.
    #[arg(long)]
    temporary: bool,
    #[command(flatten)]
    paging: Paging,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  An inbox with an address of your choice:
    posthouse inboxes create --username support --display-name \"Acme support\"
  A receive-only inbox that is gone after 15 minutes:
    posthouse inboxes create --temporary --ttl 900";

/// Options of `posthouse inboxes create`.
#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub struct Create {
    /// Part of the address before the @; generated if it is left out.
    #[arg(long, value_name = "NAME", conflicts_with = "temporary")]
    username: Option<String>,
    /// Name that recipients see.
    #[arg(long, value_name = "TEXT")]
    display_name: Option<String>,
    /// Your own id: the same id returns the same inbox.
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// A verified domain of the workspace, or the domain of the service.
    #[arg(long, value_name = "DOMAIN", conflicts_with = "temporary")]
    domain: Option<String>,
    /// Create an inbox that only receives and is wiped at its end.
    #[arg(long)]
    temporary: bool,
    /// Lifetime of a temporary inbox in seconds, 60 to 86400.
    #[arg(long, value_name = "SECONDS", default_value_t = 900, requires = "temporary")]
    ttl: u32,
}

/// Options of `posthouse inboxes pause`.
#[derive(Args, Debug)]
pub struct Pause {
    /// Id or address of the inbox.
    inbox: String,
    /// Why, for people.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Options of `posthouse inboxes resume`.
#[derive(Args, Debug)]
pub struct Resume {
    /// Id or address of the inbox.
    inbox: String,
}

const COLUMNS: &[Column] = &[
    column("Address", "address"),
    column("Name", "display_name"),
    column("Status", "status"),
    column("Expires", "expires_at"),
    column("Id", "id"),
];

/// Runs a command for inboxes.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    match command {
        Command::List(given) => list(session, given).await,
        Command::Create(given) => create(session, given).await,
        Command::Pause(given) => pause(session, given).await,
        Command::Resume(given) => resume(session, given).await,
    }
}

async fn list(session: &Session, given: ListOptions) -> Result<(), ClientError> {
    let api = session.api()?;
    let query = Query::default().flag("include_temporary", given.temporary);
    list::print(
        session,
        &api,
        List { path: "/v1/inboxes".into(), query, columns: COLUMNS, untrusted: "" },
        &given.paging,
    )
    .await
}

async fn create(session: &Session, given: Create) -> Result<(), ClientError> {
    let api = session.api()?;
    let mut body = Map::new();
    for (name, value) in [
        ("username", given.username),
        ("display_name", given.display_name),
        ("client_id", given.client_id),
        ("domain", given.domain),
    ] {
        if let Some(value) = value {
            body.insert(name.into(), value.into());
        }
    }
    if given.temporary {
        body.insert("ttl_seconds".into(), given.ttl.into());
    }
    let response = api.call(Call::post("/v1/inboxes").body(Value::Object(body))).await?;
    let text = |member: &str| response.body[member].as_str().unwrap_or_default().to_owned();
    session.output.single(&text("address"), &response.body)?;
    let verb = if response.status == 200 { "existed already" } else { "was created" };
    session.output.made(&text("id"), &format!("Inbox {} {verb}.", text("id")));
    Ok(())
}

async fn pause(session: &Session, given: Pause) -> Result<(), ClientError> {
    let api = session.api()?;
    let inbox = inbox::find(&api, &given.inbox).await?;
    let body = given.reason.map_or_else(|| json!({}), |reason| json!({ "reason": reason }));
    let paused = api.json(Call::post(inbox.path("/pause")).body(body)).await?;
    session.output.sentence(&format!("Paused {}.", inbox.shown()), &paused)
}

async fn resume(session: &Session, given: Resume) -> Result<(), ClientError> {
    let api = session.api()?;
    let inbox = inbox::find(&api, &given.inbox).await?;
    let resumed = api.json(Call::post(inbox.path("/resume"))).await?;
    let events = resumed["released_events"].as_u64().unwrap_or(0);
    session.output.sentence(&format!("Resumed {}; {events} events were held.", inbox.shown()), &resumed)
}
