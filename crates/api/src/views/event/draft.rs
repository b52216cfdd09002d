//! The data of draft events: `{ inbox, draft }`, and `message` in `draft.sent`. The log stores the draft as it was,
//! without bodies; they are added while the draft's revision is unchanged.

use posthouse_domain::{draft::Draft, event::EventKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::views::{draft::DraftView, inbox::InboxView, message::MessageView};

/// The stored detail of a draft event, for writing.
#[derive(Serialize)]
pub struct StoredDraftEvent<'a> {
    draft: DraftView<'a>,
    revision: i64,
}

/// The data of an event about a draft.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DraftEventData")]
pub struct DraftEvent<'a> {
    /// Inbox of the draft.
    inbox: Option<&'a InboxView>,
    /// Draft at the time of the event; null if its inbox or thread was deleted. Its bodies are null if the draft was
    /// since changed, sent or deleted.
    #[schemars(with = "Option<DraftView<'a>>")]
    draft: Option<&'a Map<String, Value>>,
    /// Message that the draft became; only in `draft.sent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageView<'a>>,
}

/// A draft restored from the log, as a JSON object.
pub type DraftSnapshot = Map<String, Value>;

/// The stored detail of a draft event, for reading.
#[derive(Deserialize)]
pub struct LoadedDraftEvent {
    /// The draft without its bodies.
    pub draft: DraftSnapshot,
    /// The revision of the draft at the time of the event.
    pub revision: i64,
}

impl<'a> StoredDraftEvent<'a> {
    /// Returns the detail to store for a draft.
    #[must_use]
    pub fn of(draft: &'a Draft) -> Self {
        Self { draft: DraftView::without_bodies(draft), revision: draft.revision }
    }
}

impl<'a> DraftEvent<'a> {
    /// Returns the data of an event.
    #[must_use]
    pub fn of(
        inbox: Option<&'a InboxView>,
        draft: Option<&'a Map<String, Value>>,
        message: Option<MessageView<'a>>,
    ) -> Self {
        Self { inbox, draft, message }
    }
}

/// Returns whether events of this type are about drafts.
#[must_use]
pub const fn is_of_draft(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::DraftCreated
            | EventKind::DraftUpdated
            | EventKind::DraftSent
            | EventKind::DraftCancelled
            | EventKind::DraftFailed
    )
}

/// Returns the draft with its bodies, as an event shows it before the draft changes.
pub(super) fn restored(draft: &Draft) -> DraftSnapshot {
    let view = serde_json::to_value(DraftView::of(draft)).unwrap_or_default();
    view.as_object().cloned().unwrap_or_default()
}

/// Adds the bodies and data of the stored draft.
pub fn add_bodies(draft: &mut DraftSnapshot, row: &Draft) {
    let c = &row.content;
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::from);
    let data = c.data_json.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or(Value::Null);
    for (name, value) in [("text", text(&c.text)), ("html", text(&c.html)), ("data", data)] {
        draft.insert(name.to_owned(), value);
    }
}
