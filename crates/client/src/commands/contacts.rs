//! `posthouse contacts list | get | set`.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::list::{self, List, Paging};
use crate::{
    api::{Api, Call, Query, segment},
    error::ClientError,
    output::{Column, column},
    session::Session,
};

/// Commands for contacts.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List contacts, those seen last first.
    List(ListOptions),
    /// Show a contact with its recent threads.
    Get(Get),
    /// Change a contact's name, notes, kind or labels.
    Set(Set),
}

/// Options of `posthouse contacts list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    /// Part of the address or name.
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Only contacts with this label.
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// Only this kind: person, automated, sales or unknown; repeatable.
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Only addresses of this domain.
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

/// Options of `posthouse contacts get`.
#[derive(Args, Debug)]
pub struct Get {
    /// Id or address of the contact.
    contact: String,
}

const SET_EXAMPLES: &str = "\
Examples:
  posthouse contacts set ada@example.com --notes \"Short mails.\" --label vip
  posthouse contacts set ada@example.com --name \"\" --remove-label vip";

/// Options of `posthouse contacts set`.
#[derive(Args, Debug)]
#[command(after_help = SET_EXAMPLES)]
pub struct Set {
    /// Id or address of the contact.
    contact: String,
    #[command(flatten)]
    changes: Changes,
}

#[derive(Args, Debug)]
pub(crate) struct Changes {
    /// Name; an empty text removes it.
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Notes; an empty text removes them.
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
    /// Kind: person, automated, sales or unknown.
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Label to add; repeatable.
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// Label to remove; repeatable.
    #[arg(long, value_name = "LABEL")]
    remove_label: Vec<String>,
}

const COLUMNS: &[Column] = &[
    column("Address", "address"),
    column("Name", "name"),
    column("Kind", "kind"),
    column("Messages", "message_count"),
    column("Last seen", "last_seen_at"),
    column("Labels", "labels"),
];

const DETAILS: &[Column] = &[
    column("Address", "address"),
    column("Name", "name"),
    column("Kind", "kind"),
    column("Messages", "message_count"),
    column("First seen", "first_seen_at"),
    column("Last seen", "last_seen_at"),
    column("Last subject", "last_subject"),
    column("Labels", "labels"),
    column("Notes", "notes"),
    column("Id", "id"),
];

const THREADS: &[Column] =
    &[column("Last message", "last_message_at"), column("Subject", "subject"), column("Thread", "id")];

/// Runs a command for contacts.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    match command {
        Command::List(given) => list(session, given).await,
        Command::Get(given) => get(session, given).await,
        Command::Set(given) => set(session, given).await,
    }
}

async fn list(session: &Session, given: ListOptions) -> Result<(), ClientError> {
    let api = session.api()?;
    let query = Query::default()
        .maybe("q", given.query)
        .maybe("label", given.label)
        .list("kind", &given.kind)
        .maybe("domain", given.domain);
    list::print(
        session,
        &api,
        List { path: "/v1/contacts".into(), query, columns: COLUMNS, untrusted: "other people wrote these names" },
        &given.paging,
    )
    .await
}

async fn get(session: &Session, given: Get) -> Result<(), ClientError> {
    let api = session.api()?;
    let contact = find(&api, &given.contact).await?;
    if session.output.is_table_view() {
        session.output.banner("other people wrote the name and the subjects")?;
    }
    session.output.object(&contact, DETAILS)?;
    let threads = contact["recent_threads"].as_array().map_or(&[][..], Vec::as_slice);
    if session.output.is_table_view() && !threads.is_empty() {
        session.output.line("")?;
        session.output.items(threads, THREADS)?;
    }
    Ok(())
}

async fn set(session: &Session, given: Set) -> Result<(), ClientError> {
    let api = session.api()?;
    let id = match given.contact.contains('@') {
        true => find(&api, &given.contact).await?["id"].as_str().unwrap_or_default().to_owned(),
        false => given.contact,
    };
    let Changes { name, notes, kind, label, remove_label } = given.changes;
    let mut body = Map::new();
    for (member, value) in [("name", name), ("notes", notes)] {
        if let Some(value) = value {
            body.insert(member.into(), if value.is_empty() { Value::Null } else { value.into() });
        }
    }
    if let Some(kind) = kind {
        body.insert("kind".into(), kind.into());
    }
    for (member, labels) in [("add_labels", label), ("remove_labels", remove_label)] {
        if !labels.is_empty() {
            body.insert(member.into(), json!(labels));
        }
    }
    if body.is_empty() {
        return Err(ClientError::Usage(
            "nothing to change; pass --name, --notes, --kind, --label or --remove-label".into(),
        ));
    }
    let changed = api.json(Call::patch(format!("/v1/contacts/{}", segment(&id))).body(body.into())).await?;
    session.output.object(&changed, DETAILS)
}

async fn find(api: &Api, contact: &str) -> Result<Value, ClientError> {
    let below = if contact.contains('@') { "by-address/" } else { "" };
    api.json(Call::get(format!("/v1/contacts/{below}{}", segment(contact)))).await
}
