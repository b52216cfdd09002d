//! `posthouse threads list | get`.

use clap::{Args, Subcommand};

use super::list::{self, List, Paging};
use super::messages;
use crate::{
    api::{Call, Query, segment},
    error::ClientError,
    inbox,
    output::{Column, column, member, text_of},
    session::Session,
};

/// Commands for threads.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List threads, the latest activity first.
    List(ListOptions),
    /// Show a thread with its messages, oldest first.
    Get(Get),
}

/// Options of `posthouse threads list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    /// Id or address of an inbox; left out: every inbox of the key.
    inbox: Option<String>,
    /// Only threads with this text in an address of their participants.
    #[arg(long, value_name = "TEXT")]
    participant: Option<String>,
    /// Only threads with this text in their subject.
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// Only threads with this label; repeatable, all must match.
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    #[command(flatten)]
    paging: Paging,
}

/// Options of `posthouse threads get`.
#[derive(Args, Debug)]
pub struct Get {
    /// Id of the thread.
    thread: String,
}

const COLUMNS: &[Column] = &[
    column("Last message", "last_message_at"),
    column("Messages", "message_count"),
    column("Subject", "subject"),
    column("Participants", "participants"),
    column("Id", "id"),
];

/// What a thread shows above its messages, which have the subjects.
const HEAD: &[Column] = &[
    column("Last message", "last_message_at"),
    column("Messages", "message_count"),
    column("Participants", "participants"),
    column("Id", "id"),
];

/// Runs a command for threads.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    match command {
        Command::List(given) => list(session, given).await,
        Command::Get(given) => get(session, given).await,
    }
}

async fn list(session: &Session, given: ListOptions) -> Result<(), ClientError> {
    let api = session.api()?;
    let path = match &given.inbox {
        Some(inbox) => inbox::find(&api, inbox).await?.path("/threads"),
        None => "/v1/threads".to_owned(),
    };
    let query = Query::default()
        .maybe("participant", given.participant)
        .maybe("subject", given.subject)
        .list("labels", &given.label);
    list::print(
        session,
        &api,
        List { path, query, columns: COLUMNS, untrusted: "other people wrote these subjects and names" },
        &given.paging,
    )
    .await
}

async fn get(session: &Session, given: Get) -> Result<(), ClientError> {
    let api = session.api()?;
    let thread = api.json(Call::get(format!("/v1/threads/{}", segment(&given.thread)))).await?;
    session.output.object(&thread, HEAD)?;
    if !session.output.is_table_view() {
        return Ok(());
    }
    for message in thread["messages"].as_array().into_iter().flatten() {
        let text = |path: &str| text_of(member(message, path));
        session.output.line("")?;
        let head = [("From", text("from")), ("To", text("to")), ("Time", text("created_at")), ("Id", text("id"))];
        session.output.members(&head)?;
        messages::show(&session.output, message, false)?;
    }
    Ok(())
}
