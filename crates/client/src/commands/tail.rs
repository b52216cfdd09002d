//! `posthouse tail`.

use clap::Args;
use serde_json::Value;

use crate::{
    error::ClientError,
    inbox,
    output::{Column, column, member, text_of},
    session::Session,
    stream::{EventStream, StreamItem, Subscription},
};

const EXAMPLES: &str = "\
Examples:
  posthouse tail
  posthouse tail --inbox support@agents.example --event message.received
  One JSON event a line for another program:
    posthouse tail --json --since EVENT_ID | jq .type";

/// Options of `posthouse tail`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Tail {
    #[command(flatten)]
    subscription: SubscriptionOptions,
    /// End after this number of events.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
}

/// Which events.
#[derive(Args, Clone, Debug)]
pub(crate) struct SubscriptionOptions {
    /// Id or address of an inbox; repeatable [default: all].
    #[arg(long, value_name = "INBOX")]
    pub(crate) inbox: Vec<String>,
    /// Type of event, such as message.received; repeatable [default: all].
    #[arg(long, value_name = "TYPE")]
    event: Vec<String>,
    /// Leave the content of mail out of the events.
    #[arg(long)]
    envelope: bool,
    /// Begin after this event, with what was missed since.
    #[arg(long, value_name = "EVENT_ID")]
    since: Option<String>,
}

/// Where the parts of an event are, in the full form and in the envelope form.
const PARTS: &[(&str, &[&str])] = &[
    ("inbox", &["inbox.address", "inbox_id"]),
    ("from", &["message.from", "from"]),
    ("subject", &["message.subject", "draft.subject", "subject"]),
];

const COLUMNS: &[Column] = &[column("Time", "created_at"), column("Type", "type"), column("Id", "id")];

impl SubscriptionOptions {
    /// Creates options for these inboxes and types, without content; for all, if there are none.
    pub(crate) fn of(inbox: Vec<String>, event: Vec<String>) -> Self {
        Self { inbox, event, envelope: true, since: None }
    }

    /// Looks the inboxes up.
    ///
    /// # Errors
    /// Fails if the key can't access one of them.
    pub(crate) async fn resolve(self, api: &crate::api::Api) -> Result<Subscription, ClientError> {
        let mut inbox_ids = Vec::new();
        for inbox in &self.inbox {
            inbox_ids.push(inbox::find(api, inbox).await?.id);
        }
        Ok(Subscription { inbox_ids, event_types: self.event, envelope: self.envelope, since: self.since })
    }
}

/// Prints events as they happen.
pub(crate) async fn run(session: &Session, given: Tail) -> Result<(), ClientError> {
    let api = session.api()?;
    let mut stream = EventStream::new(&api, given.subscription.resolve(&api).await?);
    if session.output.is_table_view() {
        session.output.banner("other people wrote these authors and subjects")?;
    }
    let mut left = given.count.unwrap_or(u64::MAX);
    while left > 0 {
        match stream.next().await? {
            StreamItem::Event(event) => {
                print(session, &event)?;
                left -= 1;
            }
            other => report(session, &other),
        }
    }
    Ok(())
}

/// Prints what is not an event.
pub(crate) fn report(session: &Session, item: &StreamItem) {
    match item {
        StreamItem::Event(_) => {}
        StreamItem::Truncated => {
            session.output.warn("More was missed than the stream repeats: read it with GET /v1/events?after=ID.");
        }
        StreamItem::Interrupted(why) => session.output.note(&format!("Interrupted ({why}); connecting again.")),
    }
}

fn print(session: &Session, event: &Value) -> Result<(), ClientError> {
    if !session.output.is_table_view() {
        return session.output.items(std::slice::from_ref(event), COLUMNS);
    }
    session.output.line(&summary(event))
}

/// Returns one line about an event.
pub(crate) fn summary(event: &Value) -> String {
    let mut line = format!("{}  {:<18}", text_of(&event["created_at"]), text_of(&event["type"]));
    for (_, paths) in PARTS {
        let found = paths.iter().map(|path| text_of(member(&event["data"], path))).find(|text| !text.is_empty());
        if let Some(text) = found {
            line.push_str("  ");
            line.push_str(&text);
        }
    }
    line
}
