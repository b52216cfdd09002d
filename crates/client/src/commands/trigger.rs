//! `posthouse trigger`: makes an event happen, for a test of webhooks, streams and workers.

use clap::{Args, ValueEnum};
use hyper::Method;
use serde_json::{Value, json};

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

message.received works on a service in capture mode on this machine, where it
takes the way of real mail. On others, send mail to the inbox.";

/// Options of `posthouse trigger`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Trigger {
    /// Type of event.
    #[arg(value_enum, value_name = "TYPE")]
    event: EventType,
    /// Id or address of the inbox; needed for all but webhook.test.
    #[arg(long, value_name = "INBOX", required_if_eq_any = [
        ("event", "message.received"), ("event", "inbox.paused"), ("event", "inbox.resumed"),
        ("event", "draft.created"), ("event", "draft.updated"), ("event", "draft.cancelled"),
    ])]
    inbox: Option<String>,
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

/// An event that can be triggered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum EventType {
    /// A message that arrives.
    #[value(name = "message.received")]
    MessageReceived,
    /// A pause; the inbox is resumed at once.
    #[value(name = "inbox.paused")]
    InboxPaused,
    /// The end of a pause.
    #[value(name = "inbox.resumed")]
    InboxResumed,
    /// A new draft, which is then cancelled.
    #[value(name = "draft.created")]
    DraftCreated,
    /// A changed draft, which is then cancelled.
    #[value(name = "draft.updated")]
    DraftUpdated,
    /// A cancelled draft.
    #[value(name = "draft.cancelled")]
    DraftCancelled,
    /// The test event of every webhook.
    #[value(name = "webhook.test")]
    WebhookTest,
}

/// Makes the event happen.
pub(crate) async fn run(session: &Session, given: Trigger) -> Result<(), ClientError> {
    let api = session.api()?;
    if given.event == EventType::WebhookTest {
        return test_webhooks(session, &api).await;
    }
    let inbox = inbox::find(&api, given.inbox.as_deref().unwrap_or_default()).await?;
    match given.event {
        EventType::MessageReceived => receive(session, &api, &inbox, &given).await,
        EventType::InboxPaused | EventType::InboxResumed => {
            api.json(Call::post(inbox.path("/pause")).body(json!({ "reason": "posthouse trigger" }))).await?;
            let resumed = api.json(Call::post(inbox.path("/resume"))).await?;
            session.output.sentence(&format!("Paused and resumed {}.", inbox.shown()), &resumed)
        }
        EventType::DraftCreated | EventType::DraftUpdated | EventType::DraftCancelled => {
            draft(session, &api, &inbox, &given).await
        }
        EventType::WebhookTest => Ok(()),
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
    if given.event == EventType::DraftUpdated {
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
