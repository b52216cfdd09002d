//! `posthouse send` and `posthouse reply`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::input;
use crate::{
    api::{Api, Call, Query, segment},
    error::{ApiError, ClientError},
    inbox,
    output::{Column, column, member, text_of},
    session::Session,
};

const SEND_EXAMPLES: &str = "\
Examples:
  posthouse send support@agents.example --to ada@example.com \\
    --subject \"Your order\" --text \"It is on its way.\" --attach invoice.pdf
  git log -1 | posthouse send ID --to ada@example.com --subject \"Last commit\"
  Ask whether the message may be sent, and send nothing:
    posthouse send ID --to ada@example.com --subject Hello --text Hi --dry-run";

/// Options of `posthouse send`.
#[derive(Args, Debug)]
#[command(after_help = SEND_EXAMPLES)]
pub struct Send {
    /// Id or address of the inbox that sends.
    inbox: String,
    /// Recipient: an address, Name <address> or @workspace/agent; repeatable.
    #[arg(long, value_name = "ADDRESS", required = true)]
    to: Vec<String>,
    /// Recipient of a copy; repeatable.
    #[arg(long, value_name = "ADDRESS")]
    cc: Vec<String>,
    /// Recipient of a blind copy; repeatable.
    #[arg(long, value_name = "ADDRESS")]
    bcc: Vec<String>,
    /// Subject.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    subject: String,
    #[command(flatten)]
    body: Body,
    /// Only ask whether the message may be sent.
    #[arg(long)]
    dry_run: bool,
}

/// Options of `posthouse reply`.
#[derive(Args, Debug)]
pub struct Reply {
    /// Id of the message; the inbox it is in may stand before it.
    #[arg(required = true, num_args = 1..=2, value_names = ["INBOX", "MESSAGE"])]
    message: Vec<String>,
    /// Reply to the other recipients, too.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    body: Body,
    /// Only ask whether the reply may be sent.
    #[arg(long)]
    dry_run: bool,
}

/// The content of a message.
#[derive(Args, Debug)]
pub(crate) struct Body {
    /// Plain text. Without text and HTML, standard input is the text.
    #[arg(long, value_name = "TEXT", conflicts_with = "text_file", allow_hyphen_values = true)]
    text: Option<String>,
    /// File with the plain text; - is standard input.
    #[arg(long, value_name = "FILE")]
    text_file: Option<PathBuf>,
    /// File with the HTML.
    #[arg(long, value_name = "FILE")]
    html_file: Option<PathBuf>,
    /// File to attach; repeatable.
    #[arg(long, value_name = "FILE")]
    attach: Vec<PathBuf>,
    /// Label of the sent message; repeatable.
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// A repeated request with the same key sends nothing more.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

const SENT: &[Column] = &[
    column("Id", "id"),
    column("Status", "status"),
    column("To", "to"),
    column("Cc", "cc"),
    column("Subject", "subject"),
    column("Thread", "thread_id"),
];

impl Body {
    /// Reads the content into a request body.
    fn read(&self, given: &mut Map<String, Value>) -> Result<(), ClientError> {
        let text = match (&self.text, &self.text_file) {
            (Some(text), _) => Some(text.clone()),
            (None, Some(path)) => Some(input::text_file(path)?),
            (None, None) if self.html_file.is_some() => None,
            (None, None) if input::is_terminal() => {
                let text = "the message has no content; pass --text, --text-file or --html-file, or pipe the text in";
                return Err(ClientError::Usage(text.to_owned()));
            }
            (None, None) => Some(input::standard_input()?),
        };
        let html = self.html_file.as_deref().map(input::text_file).transpose()?;
        for (name, value) in [("text", text), ("html", html)] {
            if let Some(value) = value {
                given.insert(name.into(), value.into());
            }
        }
        let files = self.attach.iter().map(|path| input::attachment(path)).collect::<Result<Vec<_>, _>>()?;
        if !files.is_empty() {
            given.insert("attachments".into(), files.into());
        }
        if !self.label.is_empty() {
            given.insert("labels".into(), json!(self.label));
        }
        Ok(())
    }
}

/// Sends a message, or asks whether it may be sent.
pub(crate) async fn send(session: &Session, given: Send) -> Result<(), ClientError> {
    let mut body = Map::new();
    for (name, people) in [("to", &given.to), ("cc", &given.cc), ("bcc", &given.bcc)] {
        if !people.is_empty() {
            body.insert(name.into(), json!(people));
        }
    }
    body.insert("subject".into(), given.subject.as_str().into());
    given.body.read(&mut body)?;
    let api = session.api()?;
    let inbox = inbox::find(&api, &given.inbox).await?;
    let call = Call::post(inbox.path("/messages/send"));
    if given.dry_run {
        return decide(session, &api, Call::post(inbox.path("/messages")).body(body.into())).await;
    }
    post(session, &api, call, body, given.body.idempotency_key).await
}

/// Replies to a message.
pub(crate) async fn reply(session: &Session, given: Reply) -> Result<(), ClientError> {
    let mut body = Map::new();
    given.body.read(&mut body)?;
    if given.all {
        body.insert("reply_all".into(), true.into());
    }
    let api = session.api()?;
    let message = given.message.last().map(String::as_str).unwrap_or_default();
    let inbox = match given.message.as_slice() {
        [inbox, _] => inbox::find(&api, inbox).await?.id,
        _ => {
            let original = api.json(Call::get(format!("/v1/messages/{}", segment(message)))).await?;
            original["inbox_id"].as_str().unwrap_or_default().to_owned()
        }
    };
    let path = format!("/v1/inboxes/{}/messages/{}/reply", segment(&inbox), segment(message));
    if given.dry_run {
        return decide(session, &api, Call::post(path).body(body.into())).await;
    }
    post(session, &api, Call::post(path), body, given.body.idempotency_key).await
}

async fn post(
    session: &Session,
    api: &Api,
    call: Call,
    body: Map<String, Value>,
    key: Option<String>,
) -> Result<(), ClientError> {
    let sent = api.json(call.body(body.into()).idempotency_key(key)).await?;
    if session.output.is_table() && !sent["draft_id"].is_null() {
        let text = format!("Held for approval as draft {}.", text_of(member(&sent, "draft_id")));
        session.output.line(&text)?;
    } else {
        session.output.object(&sent, SENT)?;
    }
    session.show_notice(api);
    Ok(())
}

/// Asks whether a call may send, and prints the decision. A refusal is a failure, as it would be without `--dry-run`.
pub(crate) async fn decide(session: &Session, api: &Api, call: Call) -> Result<(), ClientError> {
    let decision = &api.json(call.query(&Query::default().with("dry_run", true))).await?;
    if !session.output.is_table() {
        session.output.items(std::slice::from_ref(decision), &[])?;
    }
    let allowed = decision["allowed"].as_bool().unwrap_or(true);
    if allowed {
        return if session.output.is_table() { session.output.line("The message may be sent.") } else { Ok(()) };
    }
    Err(ClientError::Api(Box::new(ApiError::of(0, &decision["refusal"], "The message may not be sent."))))
}
