//! `posthouse trigger`: makes an event happen, for a test of webhooks, streams and workers.

use clap::{Args, builder::PossibleValuesParser};
use hyper::Method;
use serde_json::{Value, json};

use super::listen::forward::{self, Receiver};
use crate::{
    api::{Api, Call, Query, segment},
    entropy,
    error::ClientError,
    http::HttpRequest,
    inbox::{self, InboxRef},
    session::Session,
};

const EXAMPLES: &str = "\
Examples:
  posthouse trigger message.received --inbox support@agents.example
  posthouse trigger message.received --inbox ID --text \"Your code is 482913\"
  posthouse trigger webhook.test
  Post an example of any type to a server on this machine, signed as webhooks:
    posthouse trigger domain.verified --forward-to http://127.0.0.1:3000/hook

message.received works on a service in capture mode on this machine, where it
takes the way of real mail. On others, send mail to the inbox.";

/// Every type of the event catalog. A test compares it with that of a server.
const TYPES: [&str; 39] = [
    "message.received",
    "message.sent",
    "message.delivered",
    "message.bounced",
    "message.complained",
    "message.enriched",
    "message.released",
    "message.received.blocked",
    "inbox.expired",
    "inbox.paused",
    "inbox.resumed",
    "draft.created",
    "draft.updated",
    "draft.sent",
    "draft.cancelled",
    "draft.failed",
    "attachment.extracted",
    "attachment.extraction_failed",
    "domain.verified",
    "domain.failed",
    "domain.dkim_rotated",
    "domain.dkim_rotation_due",
    "workspace.stopped",
    "workspace.resumed",
    "signup.created",
    "signup.claimed",
    "identity.token_issued",
    "identity.signed_in",
    "connector.authorized",
    "connector.revoked",
    "escalation.sent",
    "agent.updated",
    "agent.revoked",
    "agent.deleted",
    "agent.reported",
    "knowledge.created",
    "knowledge.updated",
    "knowledge.deleted",
    "webhook.test",
];
/// The type of the test event of webhooks.
const WEBHOOK_TEST: &str = "webhook.test";
/// The types that this command makes happen in an inbox.
const MADE: [&str; 6] =
    ["message.received", "inbox.paused", "inbox.resumed", "draft.created", "draft.updated", "draft.cancelled"];

/// Options of `posthouse trigger`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Trigger {
    /// Type of event.
    #[arg(value_parser = PossibleValuesParser::new(TYPES), value_name = "TYPE")]
    event: String,
    /// Id or address of the inbox in which message.received, an event of the inbox
    /// or one of a draft happens.
    #[arg(long, value_name = "INBOX")]
    inbox: Option<String>,
    /// Make nothing happen: post the example of the event catalog to this URL.
    #[arg(long, value_name = "URL", conflicts_with = "inbox")]
    forward_to: Option<String>,
    /// Secret that signs the request [default: a new one, which is printed].
    #[arg(long, value_name = "SECRET", requires = "forward_to")]
    secret: Option<String>,
    /// Author of a received message.
    #[arg(long, value_name = "ADDRESS", default_value = "Test Sender <sender@example.com>")]
    from: String,
    /// Subject of a received message or draft.
    #[arg(long, value_name = "TEXT", default_value = "Test message", allow_hyphen_values = true)]
    subject: String,
    /// Text of a received message or draft.
    #[arg(long, value_name = "TEXT", default_value = "This is a test.", allow_hyphen_values = true)]
    text: String,
}

/// Makes the event happen, or posts an example of it.
pub(crate) async fn run(session: &Session, given: Trigger) -> Result<(), ClientError> {
    let api = session.api()?;
    let event = given.event.as_str();
    if let Some(url) = &given.forward_to {
        let receiver = Receiver::new(url, given.secret.clone())?;
        return post_example(session, &api, event, &receiver).await;
    }
    if event == WEBHOOK_TEST {
        return test_webhooks(session, &api).await;
    }
    if !MADE.contains(&event) {
        let text = format!("{event} can't be made to happen; --forward-to URL posts an example of it");
        return Err(ClientError::Usage(text));
    }
    let Some(inbox) = &given.inbox else {
        return Err(ClientError::Usage(format!("{event} needs --inbox INBOX")));
    };
    let inbox = inbox::find(&api, inbox).await?;
    match event {
        "message.received" => receive(session, &api, &inbox, &given).await,
        "inbox.paused" | "inbox.resumed" => {
            api.json(Call::post(inbox.path("/pause")).body(json!({ "reason": "posthouse trigger" }))).await?;
            let resumed = api.json(Call::post(inbox.path("/resume"))).await?;
            session.output.sentence(&format!("Paused and resumed {}.", inbox.shown()), &resumed)
        }
        _ => draft(session, &api, &inbox, &given).await,
    }
}

/// Posts the example of the event catalog.
async fn post_example(session: &Session, api: &Api, event: &str, receiver: &Receiver) -> Result<(), ClientError> {
    let catalog = api.json(Call::get("/v1/webhooks/events")).await?;
    let example = catalog["data"].as_array().into_iter().flatten().find(|entry| entry["type"] == event);
    let Some(example) = example.map(|entry| &entry["example"]) else {
        return Err(ClientError::Failed(format!(
            "this server has no event {event}; posthouse doctor shows its version"
        )));
    };
    session.output.note(&format!("Signing secret: {}", receiver.secret()));
    match forward::forward(session, receiver, example).await? {
        true => Ok(()),
        false => Err(ClientError::Failed("the receiver didn't accept the event; its answer is above".to_owned())),
    }
}

async fn receive(session: &Session, api: &Api, inbox: &InboxRef, given: &Trigger) -> Result<(), ClientError> {
    if [&given.from, &given.subject].iter().any(|line| line.chars().any(char::is_control)) {
        return Err(ClientError::Usage("--from and --subject must be one line".to_owned()));
    }
    let address = inbox.known_address()?;
    let id: String = entropy::bytes::<16>()?.iter().map(|byte| format!("{byte:02x}")).collect();
    let text = given.text.replace("\r\n", "\n").replace('\n', "\r\n");
    let mail = format!(
        "From: {}\r\nTo: {}\r\nSubject: {}\r\nMessage-ID: <{id}@trigger.example>\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n",
        given.from, address, given.subject
    );
    let target = format!("/dev/inbound?to={}", segment(address));
    let request = HttpRequest::new(Method::POST, target).with_body("message/rfc822", mail);
    let response = api.http().send(request).await?;
    let body: Value = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
    if response.status != 201 {
        let what = match response.status {
            404 => "this server has no development routes".to_owned(),
            _ => body["error"]["message"].as_str().unwrap_or("the server refused the mail").to_owned(),
        };
        return Err(ClientError::Failed(format!("{what}; send a mail to {address} instead")));
    }
    let ids = body["message_ids"].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
    session.output.sentence(&format!("{address} received message {}.", ids.join(", ")), &body)
}

async fn draft(session: &Session, api: &Api, inbox: &InboxRef, given: &Trigger) -> Result<(), ClientError> {
    let body = json!({ "to": [inbox.known_address()?], "subject": given.subject, "text": given.text });
    let created = api.json(Call::post(inbox.path("/drafts")).body(body)).await?;
    let path = inbox.path(&format!("/drafts/{}", segment(created["id"].as_str().unwrap_or_default())));
    if given.event == "draft.updated" {
        api.json(Call::patch(path.clone()).body(json!({ "subject": format!("{} (changed)", given.subject) }))).await?;
    }
    let cancelled = api.json(Call::post(path + "/cancel")).await?;
    session.output.sentence("Created and cancelled a draft.", &cancelled)
}

async fn test_webhooks(session: &Session, api: &Api) -> Result<(), ClientError> {
    let page = api.json(Call::get("/v1/webhooks").query(&Query::default().with("limit", 100))).await?;
    let webhooks = page["data"].as_array().map_or(&[][..], Vec::as_slice);
    if webhooks.is_empty() {
        let text = "the workspace has no webhook; create one with posthouse webhooks create URL".to_owned();
        return Err(ClientError::Failed(text));
    }
    for webhook in webhooks {
        let id = webhook["id"].as_str().unwrap_or_default();
        let started = api.json(Call::post(format!("/v1/webhooks/{}/test", segment(id)))).await?;
        session.output.sentence(&format!("Sent webhook.test to webhook {id}."), &started)?;
    }
    Ok(())
}
