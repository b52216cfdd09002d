//! Draft events. The log stores the draft without bodies; they are read from the draft's row when the event is
//! rendered.

use posthouse_domain::{
    draft::Draft,
    escalation::EscalationTrigger,
    event::{EventKind, NewEvent},
    id::IdGenerator,
    time::Time,
};
use posthouse_store::{Result, Tx, events};

use crate::escalation::raise::{self, EscalationSubject};
use posthouse_api::views::event::{data, draft::StoredDraftEvent};

/// Appends an event about a draft, and escalates those that need a person. A paused inbox holds message events, but not draft events.
pub(super) fn append_event(tx: &mut Tx, kind: EventKind, draft: &Draft, ids: &IdGenerator, at: Time) -> Result<()> {
    let event = NewEvent {
        workspace: draft.workspace,
        id: ids.next(),
        kind,
        inbox: Some(draft.inbox),
        thread: draft.thread,
        message: draft.sent_message,
        detail_json: data::text(&StoredDraftEvent::of(draft)),
        at,
    };
    events::append(tx, &event)?;
    let trigger = match kind {
        EventKind::DraftCreated => EscalationTrigger::DraftCreated,
        EventKind::DraftFailed => EscalationTrigger::DraftFailed,
        _ => return Ok(()),
    };
    raise::raise(tx, trigger, EscalationSubject::Draft(draft), ids, at)
}
