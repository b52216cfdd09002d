//! Draft events. The log stores the draft without bodies; they are read from the draft's row when the event is
//! rendered.

use posthouse_api::{views::event::data, views::event::draft::StoredDraftEvent};
use posthouse_domain::{Draft, EscalationTrigger, EventKind, IdGenerator, NewEvent, Time};
use posthouse_store::{Result, Tx, events};

use crate::escalation::record::raise::{self, EscalationSubject};

/// Appends an event about a draft, and escalates those that need a person. A paused inbox holds message events, but not draft events.
pub(crate) fn append_event(tx: &mut Tx, kind: EventKind, draft: &Draft, ids: &IdGenerator, at: Time) -> Result<()> {
    let event = NewEvent::new(kind, draft.workspace, ids.next(), at)
        .in_inbox(draft.inbox)
        .in_thread(draft.thread)
        .about_message(draft.sent_message)
        .with_detail(data::text(&StoredDraftEvent::of(draft)));
    events::append(tx, &event)?;
    let trigger = match kind {
        EventKind::DraftCreated => EscalationTrigger::DraftCreated,
        EventKind::DraftFailed => EscalationTrigger::DraftFailed,
        _ => return Ok(()),
    };
    raise::raise(tx, trigger, EscalationSubject::Draft(draft), ids, at)
}
