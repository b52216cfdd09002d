//! `posthouse drafts list | get | send | approve | send-back`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::list::{self, List, Paging};
use crate::{
    api::{Api, Call, Query, segment},
    error::ClientError,
    inbox,
    output::{Column, column, member, text_of},
    session::Session,
};

/// Drafts on one page of the look-up by id.
const PAGE: u32 = 100;

/// Commands for drafts.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List drafts, newest first.
    List(ListOptions),
    /// Show a draft.
    Get(Get),
    /// Send a draft now.
    Send(Send),
    /// Approve the content that a draft has now, and send it.
    Approve(Approve),
    /// Send a draft back to its author with a note.
    SendBack(SendBack),
}

/// Options of `posthouse drafts list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    /// Id or address of an inbox; left out: every inbox of the key.
    inbox: Option<String>,
    /// Only drafts with this status, such as draft or scheduled; repeatable.
    #[arg(long, value_name = "STATUS")]
    status: Vec<String>,
    #[command(flatten)]
    paging: Paging,
}

/// A draft, by its id.
#[derive(Args, Debug)]
pub(crate) struct DraftArgument {
    /// Id of the draft; the inbox it is in may stand before it.
    #[arg(required = true, num_args = 1..=2, value_names = ["INBOX", "DRAFT"])]
    draft: Vec<String>,
}

/// Options of `posthouse drafts get`.
#[derive(Args, Debug)]
pub struct Get {
    #[command(flatten)]
    draft: DraftArgument,
}

/// Options of `posthouse drafts send`.
#[derive(Args, Debug)]
pub struct Send {
    #[command(flatten)]
    draft: DraftArgument,
    /// A repeated request with the same key sends nothing more.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Only ask whether the draft may be sent.
    #[arg(long)]
    dry_run: bool,
}

/// Options of `posthouse drafts approve`.
#[derive(Args, Debug)]
pub struct Approve {
    #[command(flatten)]
    draft: DraftArgument,
    /// SHA-256 of the content that you read, as the draft showed it; a changed
    /// draft is then not sent [default: the content it has now].
    #[arg(long, value_name = "HEX")]
    content_sha256: Option<String>,
}

/// Options of `posthouse drafts send-back`.
#[derive(Args, Debug)]
pub struct SendBack {
    #[command(flatten)]
    draft: DraftArgument,
    /// What to change, for the author.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    note: String,
}

const COLUMNS: &[Column] = &[
    column("Created", "created_at"),
    column("Status", "status"),
    column("To", "to"),
    column("Subject", "subject"),
    column("Send at", "send_at"),
    column("Id", "id"),
];

const DETAILS: &[Column] = &[
    column("Id", "id"),
    column("Inbox", "inbox_id"),
    column("Status", "status"),
    column("To", "to"),
    column("Cc", "cc"),
    column("Bcc", "bcc"),
    column("Subject", "subject"),
    column("Send at", "send_at"),
    column("Sent as", "sent_message_id"),
    column("Content", "content_sha256"),
    column("Error", "error.message"),
];

/// Runs a command for drafts.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    match command {
        Command::List(given) => list(session, given).await,
        Command::Get(given) => get(session, given).await,
        Command::Send(given) => send(session, given).await,
        Command::Approve(given) => approve(session, given).await,
        Command::SendBack(given) => send_back(session, given).await,
    }
}

async fn list(session: &Session, given: ListOptions) -> Result<(), ClientError> {
    let api = session.api()?;
    let path = match &given.inbox {
        Some(inbox) => inbox::find(&api, inbox).await?.path("/drafts"),
        None => "/v1/drafts".to_owned(),
    };
    let query = Query::default().list("status", &given.status);
    list::print(
        session,
        &api,
        List { path, query, columns: COLUMNS, untrusted: "others may have written these names and subjects" },
        &given.paging,
    )
    .await
}

async fn get(session: &Session, given: Get) -> Result<(), ClientError> {
    let api = session.api()?;
    let draft = api.json(Call::get(path(&api, &given.draft).await?)).await?;
    session.output.object(&draft, DETAILS)?;
    if session.output.is_table_view()
        && let Some(text) = draft["text"].as_str()
    {
        session.output.untrusted(text)?;
    }
    Ok(())
}

async fn send(session: &Session, given: Send) -> Result<(), ClientError> {
    let api = session.api()?;
    let call = Call::post(path(&api, &given.draft).await? + "/send");
    if given.dry_run {
        return super::send::decide(session, &api, call).await;
    }
    let call = call.idempotency_key(given.idempotency_key);
    sent(session, &api.json(call).await?)
}

async fn approve(session: &Session, given: Approve) -> Result<(), ClientError> {
    let api = session.api()?;
    let path = path(&api, &given.draft).await?;
    let content = match given.content_sha256 {
        Some(content) => Value::from(content),
        None => api.json(Call::get(path.clone())).await?["content_sha256"].clone(),
    };
    let approved = api.json(Call::post(path + "/approve").body(json!({ "content_sha256": content }))).await?;
    sent(session, &approved)
}

async fn send_back(session: &Session, given: SendBack) -> Result<(), ClientError> {
    let api = session.api()?;
    let call = Call::post(path(&api, &given.draft).await? + "/send-back").body(json!({ "note": given.note }));
    let draft = api.json(call).await?;
    session.output.sentence(&format!("Sent draft {} back.", text_of(member(&draft, "id"))), &draft)
}

fn sent(session: &Session, sent: &Value) -> Result<(), ClientError> {
    let text = |path: &str| text_of(member(sent, path));
    let sentence = format!("Sent draft {} as message {}.", text("draft.id"), text("message.id"));
    session.output.sentence(&sentence, sent)
}

/// Returns the path of a draft. Without the inbox, it is found among all drafts.
async fn path(api: &Api, given: &DraftArgument) -> Result<String, ClientError> {
    let draft = given.draft.last().map(String::as_str).unwrap_or_default();
    if let [inbox, _] = given.draft.as_slice() {
        return Ok(inbox::find(api, inbox).await?.path(&format!("/drafts/{}", segment(draft))));
    }
    match inbox_of(api, draft).await? {
        Some(inbox) => Ok(format!("/v1/inboxes/{}/drafts/{}", segment(&inbox), segment(draft))),
        None => {
            let text = format!("the key can access no draft {draft}; posthouse drafts list shows all it can");
            Err(ClientError::Failed(text))
        }
    }
}

/// Returns the id of the inbox that a draft is in; `None` if the key can access no such draft.
///
/// # Errors
/// Fails as [`Api::call`] does.
pub(crate) async fn inbox_of(api: &Api, draft: &str) -> Result<Option<String>, ClientError> {
    let mut cursor: Option<String> = None;
    loop {
        let query = Query::default().with("limit", PAGE).maybe("cursor", cursor);
        let page = api.json(Call::get("/v1/drafts").query(&query)).await?;
        let found = page["data"].as_array().into_iter().flatten().find(|item| item["id"] == draft);
        if let Some(inbox) = found.and_then(|item| item["inbox_id"].as_str()) {
            return Ok(Some(inbox.to_owned()));
        }
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            return Ok(None);
        }
    }
}
