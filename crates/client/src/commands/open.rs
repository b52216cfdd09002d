//! `posthouse open`: the dashboard, or the page of one record in it.

use std::process::{Command, Stdio};

use clap::Args;
use serde_json::{Value, json};

use super::drafts;
use crate::{
    api::{Api, Call, segment},
    error::ClientError,
    inbox::{self, is_id},
    session::Session,
};

const EXAMPLES: &str = "\
Examples:
  posthouse open
  posthouse open support@agents.example";

/// Options of `posthouse open`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Open {
    /// Address or id of an inbox, or the id of a thread, message, draft, contact,
    /// domain, webhook or event.
    record: Option<String>,
    /// Only print the address of the page.
    #[arg(long)]
    print: bool,
}

/// The program that opens a page in the browser.
#[cfg(target_os = "macos")]
const OPENER: &str = "open";
/// The program that opens a page in the browser.
#[cfg(not(target_os = "macos"))]
const OPENER: &str = "xdg-open";

/// Resources that an id may be of: the path of the API and the page.
const PAGES: &[(&str, &str)] = &[
    ("/v1/contacts/", "/contacts/"),
    ("/v1/domains/", "/domains/"),
    ("/v1/webhooks/", "/webhooks/"),
    ("/v1/events/", "/events/"),
];

/// Prints the address of the page, and opens it if the output is a terminal.
pub(crate) async fn run(session: &Session, given: Open) -> Result<(), ClientError> {
    let (base, page) = match &given.record {
        None => (session.credentials()?.base.as_str().trim_end_matches('/').to_owned(), "/".to_owned()),
        Some(record) => {
            let api = session.api()?;
            (api.base().to_owned(), page_of(&api, record).await?)
        }
    };
    let url = format!("{base}{page}");
    session.output.single(&url, &json!({ "url": url }))?;
    if given.print || !session.output.is_terminal() {
        return Ok(());
    }
    let opened =
        Command::new(OPENER).arg(&url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if opened.is_err() {
        session.output.note("Open this address in a browser.");
    }
    Ok(())
}

async fn page_of(api: &Api, record: &str) -> Result<String, ClientError> {
    if record.contains('@') {
        return Ok(format!("/inbox/{}", segment(&inbox::find(api, record).await?.id)));
    }
    if !is_id(record) {
        return Err(ClientError::Usage(format!(
            "{record} is neither an id nor an address; posthouse search finds ids"
        )));
    }
    let text = |value: &Value, member: &str| segment(value[member].as_str().unwrap_or_default());
    let id = segment(record);
    if let Some(thread) = read(api, &format!("/v1/threads/{id}")).await? {
        return Ok(format!("/inbox/{}/{id}", text(&thread, "inbox_id")));
    }
    if let Some(message) = read(api, &format!("/v1/messages/{id}")).await? {
        return Ok(format!("/inbox/{}/{}", text(&message, "inbox_id"), text(&message, "thread_id")));
    }
    if read(api, &format!("/v1/inboxes/{id}")).await?.is_some() {
        return Ok(format!("/inbox/{id}"));
    }
    for (path, page) in PAGES {
        if read(api, &format!("{path}{id}")).await?.is_some() {
            return Ok(format!("{page}{id}"));
        }
    }
    // Last, because it reads the list of all drafts.
    match drafts::inbox_of(api, record).await {
        Ok(Some(inbox)) => return Ok(format!("/approvals/{}/{id}", segment(&inbox))),
        Ok(None) => {}
        Err(error) if is_unreadable(&error) => {}
        Err(error) => return Err(error),
    }
    Err(ClientError::Failed(format!("the key can access nothing with the id {record}; check the id and the key")))
}

/// Reads a record; `None` if the key may not see it or it doesn't exist.
async fn read(api: &Api, path: &str) -> Result<Option<Value>, ClientError> {
    match api.json(Call::get(path)).await {
        Ok(record) => Ok(Some(record)),
        Err(error) if is_unreadable(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether an error means that the key can't see the record.
fn is_unreadable(error: &ClientError) -> bool {
    [400, 403, 404].iter().any(|status| error.has_status(*status))
}
