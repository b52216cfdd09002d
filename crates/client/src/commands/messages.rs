//! `posthouse messages list | get`.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;

use super::list::{self, List, Paging};
use crate::{
    api::{Call, Query, segment},
    error::ClientError,
    inbox,
    output::{Column, Lines, Output, column, member, text_of, visible},
    session::Session,
};

/// Commands for messages.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the messages of an inbox, newest first.
    List(ListOptions),
    /// Show a message: its new text below a banner, because someone else wrote it.
    Get(Get),
}

/// Options of `posthouse messages list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    /// Id or address of the inbox.
    inbox: String,
    /// Only unread messages.
    #[arg(long)]
    unread: bool,
    /// Only received or only sent messages.
    #[arg(long, value_enum)]
    direction: Option<Direction>,
    /// Only messages with this label; repeatable, all must match.
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    #[command(flatten)]
    paging: Paging,
}

/// Direction of a message.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Direction {
    /// Received.
    Inbound,
    /// Sent.
    Outbound,
}

/// Options of `posthouse messages get`.
#[derive(Args, Debug)]
pub struct Get {
    /// Id of the message.
    message: String,
    /// Show the whole text, with what it quotes.
    #[arg(long, conflicts_with = "raw")]
    full: bool,
    /// Print the mail as it was received (RFC 5322).
    #[arg(long)]
    raw: bool,
}

const COLUMNS: &[Column] = &[
    column("Time", "created_at"),
    column("From", "from"),
    column("Subject", "subject"),
    column("Status", "status"),
    column("Id", "id"),
];

const HEAD: &[Column] = &[
    column("Id", "id"),
    column("Thread", "thread_id"),
    column("From", "from"),
    column("To", "to"),
    column("Cc", "cc"),
    column("Time", "created_at"),
    column("Status", "status"),
    column("Labels", "labels"),
];

/// Labels that a reader must know of, and what they mean.
const WARNINGS: &[(&str, &str)] = &[
    ("dmarc-fail", "the author's domain does not confirm this mail (dmarc-fail)"),
    ("spf-fail", "the sending server may not send for this domain (spf-fail)"),
    ("auth-unknown", "the author could not be checked (auth-unknown)"),
    ("ai:injection-risk", "the text may try to instruct an AI (ai:injection-risk)"),
    ("local:injection-risk", "the text may try to instruct an AI (local:injection-risk)"),
    ("ai:phishing", "this may be phishing (ai:phishing)"),
];

/// Runs a command for messages.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    match command {
        Command::List(given) => list(session, given).await,
        Command::Get(given) => get(session, given).await,
    }
}

async fn list(session: &Session, given: ListOptions) -> Result<(), ClientError> {
    let api = session.api()?;
    let inbox = inbox::find(&api, &given.inbox).await?;
    let direction = given.direction.map(|direction| match direction {
        Direction::Inbound => "inbound",
        Direction::Outbound => "outbound",
    });
    let query = Query::default()
        .maybe("is_read", given.unread.then_some(false))
        .maybe("direction", direction)
        .list("labels", &given.label)
        // A table shows no text.
        .maybe("view", session.output.is_table().then_some("summary"));
    list::print(
        session,
        &api,
        List {
            path: inbox.path("/messages"),
            query,
            columns: COLUMNS,
            untrusted: "other people wrote these authors and subjects",
        },
        &given.paging,
    )
    .await
}

async fn get(session: &Session, given: Get) -> Result<(), ClientError> {
    let api = session.api()?;
    let path = format!("/v1/messages/{}", segment(&given.message));
    if given.raw {
        return session.output.bytes(&api.bytes(format!("{path}/raw")).await?);
    }
    let message = api.json(Call::get(path)).await?;
    session.output.object(&message, HEAD)?;
    if session.output.is_table_view() {
        show(&session.output, &message, given.full)?;
    }
    session.show_notice(&api);
    Ok(())
}

/// Prints the content of a message for a person.
pub(crate) fn show(output: &Output, message: &Value, full: bool) -> Result<(), ClientError> {
    for file in message["attachments"].as_array().into_iter().flatten() {
        let size = file["size_bytes"].as_u64().unwrap_or(0);
        let named = text_of(member(file, "filename"));
        output
            .members(&[("Attachment", format!("{named} ({}, {size} bytes)", text_of(member(file, "content_type"))))])?;
    }
    let labels = message["labels"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for label in labels {
        if let Some((_, meaning)) = WARNINGS.iter().find(|(known, _)| *known == label) {
            output.warn(&format!("Warning: {meaning}."));
        }
    }
    if let Some(withheld) = message.get("withheld").filter(|withheld| withheld.is_object()) {
        let reason = text_of(member(withheld, "reason"));
        let state = text_of(member(withheld, "state"));
        return output.line(&format!("The content is withheld ({state} {reason}); release the message to read it."));
    }
    let text = |name: &str| message[name].as_str().filter(|text| !text.trim().is_empty());
    let new_text = if full { None } else { text("extracted_text") };
    // The subject is as untrusted as the text. Line breaks in it would look like those of the text.
    let subject =
        text("subject").map_or(String::new(), |subject| format!("Subject: {}\n\n", visible(subject, Lines::One)));
    match new_text.or_else(|| text("text")) {
        Some(shown) => output.untrusted(&format!("{subject}{shown}")),
        None if subject.is_empty() => output.line("The message has no text."),
        None => {
            output.untrusted(subject.trim_end())?;
            output.line("The message has no text.")
        }
    }
}
