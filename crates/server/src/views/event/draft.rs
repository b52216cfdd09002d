//! What the events of drafts say (contract §11.5): `{ inbox, draft }`, and the message of a sent one. The log keeps the draft as
//! it was, without its bodies; those are added while the draft is still the same.

use posthouse_domain::{
    draft::Draft,
    event::{Event, EventKind},
    id::{DraftId, EventId, WorkspaceId},
};
use posthouse_store::{Result, Tx, drafts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::views::{draft::DraftView, inbox::InboxView, message::MessageView};

/// What the log keeps of an event.
#[derive(Serialize)]
pub struct Kept<'a> {
    draft: DraftView<'a>,
    revision: i64,
}

/// What an event about a draft says.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DraftEventData")]
pub struct DraftEvent<'a> {
    inbox: Option<&'a InboxView>,
    /// The draft as it was; bodies are null once it changed, was sent or deleted. Null when its inbox or thread was deleted.
    #[schemars(with = "Option<DraftView<'a>>")]
    draft: Option<&'a Map<String, Value>>,
    /// The message that it became; only on draft.sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageView<'a>>,
}

/// A draft as the log kept it, with what was added.
pub(super) type Restored = Map<String, Value>;

/// What the log kept, read again.
#[derive(Deserialize)]
struct Read {
    draft: Map<String, Value>,
    revision: i64,
}

impl<'a> Kept<'a> {
    /// What the log is to keep of the draft.
    #[must_use]
    pub fn of(draft: &'a Draft) -> Self {
        Self { draft: DraftView::without_bodies(draft), revision: draft.revision }
    }
}

impl<'a> DraftEvent<'a> {
    /// Shows the event.
    #[must_use]
    pub fn of(
        inbox: Option<&'a InboxView>,
        draft: Option<&'a Map<String, Value>>,
        message: Option<MessageView<'a>>,
    ) -> Self {
        Self { inbox, draft, message }
    }
}

/// Whether events of that kind are about drafts.
pub(super) const fn is_of_draft(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::DraftCreated
            | EventKind::DraftUpdated
            | EventKind::DraftSent
            | EventKind::DraftCancelled
            | EventKind::DraftFailed
    )
}

/// The drafts of up to 100 events, as they were.
pub(super) fn load(tx: &mut Tx, workspace: WorkspaceId, events: &[Event]) -> Result<Vec<(EventId, Restored)>> {
    let about = events.iter().map(|event| &event.event).filter(|event| is_of_draft(event.kind));
    let read = |event: &posthouse_domain::event::NewEvent| {
        Some((event.id, serde_json::from_str::<Read>(&event.detail_json).ok()?))
    };
    let mut kept: Vec<(EventId, Read)> = about.filter_map(read).collect();
    let id = |read: &Read| read.draft.get("id")?.as_str()?.parse::<DraftId>().ok();
    let mut ids: Vec<DraftId> = kept.iter().filter_map(|(_, read)| id(read)).collect();
    ids.sort_unstable();
    ids.dedup();
    let rows = drafts::get_many(tx, workspace, &ids)?;
    for (_, read) in &mut kept {
        let wanted = id(read);
        if let Some(row) = rows.iter().find(|row| Some(row.id) == wanted && row.revision == read.revision) {
            add_bodies(&mut read.draft, row);
        }
    }
    Ok(kept.into_iter().map(|(id, read)| (id, read.draft)).collect())
}

/// The draft as an event shows it that just happened.
pub(super) fn restored(draft: &Draft) -> Restored {
    let kept = serde_json::to_value(DraftView::of(draft)).unwrap_or_default();
    kept.as_object().cloned().unwrap_or_default()
}

fn add_bodies(draft: &mut Map<String, Value>, row: &Draft) {
    let c = &row.content;
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
    let data = c.data_json.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or(Value::Null);
    for (name, value) in [("text", text(&c.text)), ("html", text(&c.html)), ("data", data)] {
        draft.insert(name.to_owned(), value);
    }
}
