//! `posthouse webhooks list | create | delete | replay`.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::list::{self, List, Paging};
use crate::{
    api::{Api, Call, Query, segment},
    error::ClientError,
    inbox,
    output::{Column, column},
    session::Session,
};

/// Items on one page of a look-up.
const PAGE: u32 = 100;

/// Commands for webhooks.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List webhooks, newest first.
    List(ListOptions),
    /// Create a webhook; prints its secret, once.
    Create(Create),
    /// Delete a webhook and its list of deliveries.
    Delete(Delete),
    /// Send an event again to the webhooks that got it.
    Replay(Replay),
}

/// Options of `posthouse webhooks list`.
#[derive(Args, Debug)]
pub struct ListOptions {
    #[command(flatten)]
    paging: Paging,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  posthouse webhooks create https://example.com/mail --event message.received
  On your own machine, without a webhook:
    posthouse listen --forward-to http://127.0.0.1:3000/hooks/mail";

/// Options of `posthouse webhooks create`.
#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub struct Create {
    /// URL that gets the events as POST requests.
    url: String,
    /// Type of event, such as message.received; repeatable [default: all message
    /// events].
    #[arg(long, value_name = "TYPE")]
    event: Vec<String>,
    /// Id or address of an inbox whose events are sent; repeatable [default: all].
    #[arg(long, value_name = "INBOX")]
    inbox: Vec<String>,
    /// Leave the content of mail out of the events.
    #[arg(long)]
    envelope: bool,
}

/// Options of `posthouse webhooks delete`.
#[derive(Args, Debug)]
pub struct Delete {
    /// Id of the webhook.
    webhook: String,
}

/// Options of `posthouse webhooks replay`.
#[derive(Args, Debug)]
pub struct Replay {
    /// Id of the event.
    event: String,
    /// Id of the webhook; left out: every webhook that the event was sent to.
    #[arg(long, value_name = "ID")]
    webhook: Option<String>,
}

const COLUMNS: &[Column] = &[
    column("Url", "url"),
    column("Enabled", "enabled"),
    column("Events", "events"),
    column("24 h", "stats.deliveries_24h"),
    column("Failed", "stats.failed_24h"),
    column("Id", "id"),
];

const REPLAYED: &[Column] =
    &[column("Event", "event_id"), column("Webhook", "webhook_id"), column("Delivery", "delivery_id")];

/// Runs a command for webhooks.
pub(crate) async fn run(session: &Session, command: Command) -> Result<(), ClientError> {
    match command {
        Command::List(given) => {
            let (api, query) = (session.api()?, Query::default());
            let list = List { path: "/v1/webhooks".into(), query, columns: COLUMNS, untrusted: "" };
            list::print(session, &api, list, &given.paging).await
        }
        Command::Create(given) => create(session, given).await,
        Command::Delete(given) => delete(session, given).await,
        Command::Replay(given) => replay(session, given).await,
    }
}

async fn create(session: &Session, given: Create) -> Result<(), ClientError> {
    let api = session.api()?;
    let mut body = Map::new();
    body.insert("url".into(), given.url.into());
    if !given.event.is_empty() {
        body.insert("events".into(), json!(given.event));
    }
    let mut inboxes = Vec::new();
    for inbox in &given.inbox {
        inboxes.push(inbox::find(&api, inbox).await?.id);
    }
    if !inboxes.is_empty() {
        body.insert("inbox_ids".into(), json!(inboxes));
    }
    if given.envelope {
        body.insert("payload".into(), "envelope".into());
    }
    let created = api.json(Call::post("/v1/webhooks").body(body.into())).await?;
    session.output.single(created["secret"].as_str().unwrap_or_default(), &created)?;
    let id = created["id"].as_str().unwrap_or_default();
    session.output.made(id, &format!("Webhook {id} was created. Store its secret: it is not shown again."));
    Ok(())
}

async fn delete(session: &Session, given: Delete) -> Result<(), ClientError> {
    let api = session.api()?;
    api.call(Call::delete(format!("/v1/webhooks/{}", segment(&given.webhook)))).await?;
    let id = &given.webhook;
    session.output.sentence(&format!("Deleted webhook {id}."), &json!({ "id": id, "deleted": true }))
}

async fn replay(session: &Session, given: Replay) -> Result<(), ClientError> {
    let api = session.api()?;
    let webhooks = match given.webhook {
        Some(id) => vec![id],
        None => all(&api, "/v1/webhooks", |item| item["id"].as_str().map(str::to_owned)).await?,
    };
    let mut replayed = Vec::new();
    for webhook in webhooks {
        let deliveries = format!("/v1/webhooks/{}/deliveries", segment(&webhook));
        let of_event = |item: &Value| {
            let is_wanted = item["event_id"] == given.event.as_str();
            item["id"].as_str().filter(|_| is_wanted).map(str::to_owned)
        };
        if let Some(delivery) = first(&api, &deliveries, of_event).await? {
            let path = format!("{deliveries}/{}/redeliver", segment(&delivery));
            let mut started = api.json(Call::post(path)).await?;
            started["webhook_id"] = webhook.into();
            replayed.push(started);
        }
    }
    if replayed.is_empty() {
        let text =
            format!("no webhook got the event {} in the last 30 days; posthouse tail shows the ids", given.event);
        return Err(ClientError::Failed(text));
    }
    session.output.items(&replayed, REPLAYED)
}

/// Reads a whole list and returns what `pick` takes from its items.
async fn all(api: &Api, path: &str, pick: impl Fn(&Value) -> Option<String>) -> Result<Vec<String>, ClientError> {
    let mut picked = Vec::new();
    let mut cursor = None;
    loop {
        let page = page(api, path, cursor).await?;
        picked.extend(page["data"].as_array().into_iter().flatten().filter_map(&pick));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(picked),
        }
    }
}

/// Returns what `pick` takes from the first item of a list that it accepts.
async fn first(api: &Api, path: &str, pick: impl Fn(&Value) -> Option<String>) -> Result<Option<String>, ClientError> {
    let mut cursor = None;
    loop {
        let page = page(api, path, cursor).await?;
        if let Some(found) = page["data"].as_array().into_iter().flatten().find_map(&pick) {
            return Ok(Some(found));
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(None),
        }
    }
}

async fn page(api: &Api, path: &str, cursor: Option<String>) -> Result<Value, ClientError> {
    let query = Query::default().with("limit", PAGE).maybe("cursor", cursor);
    api.json(Call::get(path).query(&query)).await
}
