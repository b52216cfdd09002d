//! Events as they are shown on every transport (API document, Events; contract §11.4, §11.5): rendered when they are read,
//! from the records as they are then.

use posthouse_domain::{
    event::Event,
    id::{InboxId, MessageId, WorkspaceId},
    inbox::Inbox,
    plan::PlanLimits,
    time::Time,
};
use posthouse_store::{
    Result, Tx, inboxes,
    messages::{self, Record},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    inbox::{self, InboxView},
    json_text,
    message::MessageView,
};

/// An event with what is shown of it.
#[derive(Clone)]
pub struct Shown {
    event: Event,
    inbox: Option<InboxView>,
    record: Option<Record>,
}

/// An event.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub struct EventView<'a> {
    id: String,
    r#type: &'static str,
    created_at: String,
    data: EventData<'a>,
}

/// What an event says, by its type.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EventData<'a> {
    /// Of a message that is there.
    Message(Box<MessageEvent<'a>>),
    /// Of a message that was deleted since.
    Gone(GoneEvent<'a>),
    /// Of something else: `{ inbox, … }`.
    Other(#[schemars(with = "serde_json::Map<String, serde_json::Value>")] &'a RawValue),
}

/// What a message event says.
#[derive(Serialize, JsonSchema)]
pub struct MessageEvent<'a> {
    inbox: Option<&'a InboxView>,
    thread_id: Option<String>,
    message: MessageView<'a>,
    /// Why it bounced; only on message.bounced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    bounce: Option<&'a RawValue>,
    /// Who complained; only on message.complained.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    complaint: Option<&'a RawValue>,
}

/// What a message event says when the message was deleted since.
#[derive(Serialize, JsonSchema)]
pub struct GoneEvent<'a> {
    inbox: Option<&'a InboxView>,
    thread_id: Option<String>,
    /// Always null.
    message: Option<()>,
    message_id: String,
    /// Always true.
    gone: bool,
}

/// What the log keeps of a bounce or a complaint.
#[derive(Deserialize, Default)]
struct Detail<'a> {
    #[serde(borrow)]
    bounce: Option<&'a RawValue>,
    #[serde(borrow)]
    complaint: Option<&'a RawValue>,
}

/// Adds to up to 100 events of one workspace what is shown of them. A message in a deleted inbox is gone.
///
/// # Errors
/// The store's own.
pub fn load(
    tx: &mut Tx,
    workspace: WorkspaceId,
    events: Vec<Event>,
    (plan, now): (&PlanLimits, Time),
) -> Result<Vec<Shown>> {
    let of_messages = || events.iter().filter(|event| event.event.message.is_some());
    let mut rows: Vec<Inbox> = Vec::new();
    for id in of_messages().filter_map(|event| event.event.inbox) {
        if !rows.iter().any(|inbox| inbox.id == id) {
            rows.extend(inboxes::get(tx, workspace, id)?);
        }
    }
    let views: Vec<(InboxId, InboxView)> =
        rows.iter().map(|row| row.id).zip(inbox::load_all(tx, &rows, plan, now)?).collect();
    let mut ids: Vec<MessageId> = of_messages().filter_map(|event| event.event.message).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = messages::get_many(tx, workspace, &ids)?;
    found.retain(|message| rows.iter().any(|inbox| inbox.id == message.inbox && inbox.deleted_at.is_none()));
    let records = messages::records(tx, workspace, found)?;
    let shown = events.into_iter().map(|event| {
        let inbox = views.iter().find(|(id, _)| Some(*id) == event.event.inbox).map(|(_, view)| view.clone());
        let record = records.iter().find(|record| Some(record.message.id) == event.event.message).cloned();
        Shown { event, inbox, record }
    });
    Ok(shown.collect())
}

impl<'a> EventView<'a> {
    /// Shows the event.
    #[must_use]
    pub fn of(shown: &'a Shown) -> Self {
        let event = &shown.event.event;
        let inbox = shown.inbox.as_ref();
        let thread_id = event.thread.map(|id| id.to_string());
        let detail: Detail<'a> = serde_json::from_str(&event.detail_json).unwrap_or_default();
        let data = match (&shown.record, event.message) {
            (Some(record), _) => EventData::Message(Box::new(MessageEvent {
                inbox,
                thread_id,
                message: MessageView::of(record),
                bounce: detail.bounce,
                complaint: detail.complaint,
            })),
            (None, Some(id)) => {
                EventData::Gone(GoneEvent { inbox, thread_id, message: None, message_id: id.to_string(), gone: true })
            }
            (None, None) => EventData::Other(json_text(&event.detail_json)),
        };
        Self { id: event.id.to_string(), r#type: event.kind.text(), created_at: event.at.to_string(), data }
    }
}
